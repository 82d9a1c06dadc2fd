/* SPDX-License-Identifier: MIT
 * Rule table -> effects, and their application. */
#include "dram/timing.h"
#include <assert.h>
#include <string.h>

#define LONG_AGO (INT64_MIN / 4)

/* ---- once for a memory ---- */
static level_t level_of(dram_scope_t scope)
{
    switch (scope) {
    case SC_BANK:
        return LEVEL_BANK;
    case SC_GROUP:
        return LEVEL_GROUP;
    case SC_RANK:
        return LEVEL_RANK;
    case SC_PC:
        return LEVEL_PC;
    case SC_SIBLING:
    case SC_COUNT:
        break;
    }
    return LEVEL_COUNT;
}

static bool is_column(wait_t w)
{
    return w == WAIT_RD || w == WAIT_WR;
}

static void raise(int64_t *e, int64_t to)
{
    if (to > *e) *e = to;
}

/* Lines of pseudo channels, lines of ranks, groups by command, lines of banks, REFpb by bank. */
static void lay_out(dram_spec_t *s)
{
    effects_t *f = &s->effects;
    const uint32_t rank = s->p.pseudo_channels * TIMING_LINE, group = rank + s->ranks * TIMING_LINE,
                   bank = (group + WAITS * s->groups + TIMING_LINE - 1) / TIMING_LINE * TIMING_LINE,
                   refpb = bank + s->banks * TIMING_LINE;
    for (uint32_t w = 0; w < WAITS; w++) {
        f->place[LEVEL_PC][w] = (place_t){w, TIMING_LINE};
        f->place[LEVEL_RANK][w] = (place_t){rank + w, TIMING_LINE};
        f->place[LEVEL_GROUP][w] = (place_t){group + w * s->groups, 1};
        f->place[LEVEL_BANK][w] = (place_t){bank + w, TIMING_LINE};
    }
    f->place[LEVEL_BANK][WAIT_REFPB] = (place_t){refpb, 1};
    f->words = refpb + s->banks;
    for (uint32_t b = 0; b < s->banks; b++) {
        f->site[b] = (site_t){.group = (uint8_t)(b / s->p.banks_per_group),
                              .rank = (uint8_t)(b / s->banks_per_rank),
                              .pc = (uint8_t)(b / (s->banks_per_rank * s->p.ranks))};
    }
}

/* Column commands delay column commands: far more often than anything else happens. */
static column_gap_t column_gap(const dram_spec_t *s, dram_cmd_t from, wait_t to)
{
    column_gap_t g = {0};
    for (unsigned i = s->first[from]; i < s->first[from + 1]; i++) {
        const dram_rule_t *r = &s->rule[i];
        if (timing_wait(r->after) != to || r->scope == SC_BANK) continue;
        raise(&g.group, r->scope == SC_SIBLING ? 0 : r->ticks);
        raise(&g.rank, r->scope == SC_RANK || r->scope == SC_PC ? r->ticks : 0);
        raise(&g.other, r->scope == SC_SIBLING || r->scope == SC_PC ? r->ticks : 0);
    }
    if (s->p.ranks == 1) g.other = g.rank;
    g.pc = g.group;
    if (s->p.bank_groups > 1 && g.rank < g.pc) g.pc = g.rank;
    if (g.other < g.pc) g.pc = g.other;
    if (g.group == g.pc) g.group = 0;
    if (g.rank == g.pc) g.rank = 0;
    if (g.other == g.pc) g.other = 0;
    g.more = g.group || g.rank || g.other;
    return g;
}

static void compile(dram_spec_t *s, dram_cmd_t cmd)
{
    effects_t *f = &s->effects;
    const bool column = cmd == DRAM_RD || cmd == DRAM_WR;
    uint16_t n = f->first[cmd];
    for (unsigned i = s->first[cmd]; i < s->first[cmd + 1]; i++) {
        const dram_rule_t *r = &s->rule[i];
        const wait_t to = timing_wait(r->after);
        const level_t level = level_of(r->scope);
        if (r->scope == SC_SIBLING && s->p.ranks == 1) continue;
        if (column && is_column(to) && r->scope != SC_BANK) continue;
        if (column && to == WAIT_PRE && level == LEVEL_BANK) {
            raise(&f->to_pre[cmd == DRAM_WR], r->ticks);
            continue;
        }
        assert(level != LEVEL_BANK || to != WAIT_REFAB);
        f->effect[n++] =
            (effect_t){r->ticks, f->place[level == LEVEL_COUNT ? LEVEL_RANK : level][to],
                       (uint8_t)level, r->nth == 4};
    }
    f->first[cmd + 1] = n;
}

void timing_compile(dram_spec_t *s)
{
    s->effects = (effects_t){0};
    lay_out(s);
    for (unsigned c = 0; c < DRAM_CMDS; c++) compile(s, (dram_cmd_t)c);
    for (unsigned d = 0; d < 4; d++)
        s->effects.gap[d / 2][d % 2] =
            column_gap(s, d / 2 ? DRAM_WR : DRAM_RD, d % 2 ? WAIT_WR : WAIT_RD);
}

/* ---- a channel's times ---- */
void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a)
{
    const effects_t *f = &s->effects;
    *t = (timing_t){.s = s, .words = arena_array(a, int64_t, f->words)};
    t->pc = t->words + f->place[LEVEL_PC][0].first;
    t->rank = t->words + f->place[LEVEL_RANK][0].first;
    t->group = t->words + f->place[LEVEL_GROUP][0].first;
    t->bank = t->words + f->place[LEVEL_BANK][0].first;
    t->bank_refpb = t->words + f->place[LEVEL_BANK][WAIT_REFPB].first;
    t->ring = arena_array(a, act_ring_t, s->ranks);
    for (uint32_t i = 0; i < s->ranks; i++)
        for (unsigned k = 0; k < 4; k++) t->ring[i].at[k] = LONG_AGO;
}

static int64_t *time_at(const timing_t *t, place_t p, uint32_t instance)
{
    return &t->words[p.first + instance * p.stride];
}

/* tFAW: the fifth ACT of a domain waits for the first of the four before it. */
static void window(timing_t *t, const effect_t *e, uint32_t instance, int64_t at)
{
    uint32_t ring = e->level == LEVEL_PC ? instance * t->s->p.ranks : instance;
    act_ring_t *g = &t->ring[ring];
    g->at[g->next] = at;
    g->next = (g->next + 1) % 4;
    raise(time_at(t, e->place, instance), g->at[g->next] + e->ticks);
}

static void siblings(const timing_t *t, const effect_t *e, uint32_t bank, int64_t to)
{
    const effects_t *f = &t->s->effects;
    uint32_t rank = f->site[bank].rank, ranks = t->s->p.ranks, first = f->site[bank].pc * ranks;
    for (uint32_t k = first; k < first + ranks; k++)
        if (k != rank) raise(time_at(t, e->place, k), to);
}

static void apply(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    const effects_t *f = &t->s->effects;
    const uint32_t instance[LEVEL_COUNT] = {bank, f->site[bank].group, f->site[bank].rank,
                                            f->site[bank].pc};
    const effect_t *e = f->effect + f->first[cmd], *end = f->effect + f->first[cmd + 1];
    for (; e < end; e++) {
        if (e->level == LEVEL_COUNT)
            siblings(t, e, bank, at + e->ticks);
        else if (e->window)
            window(t, e, instance[e->level], at);
        else
            raise(time_at(t, e->place, instance[e->level]), at + e->ticks);
    }
}

/* All groups of [from, to) but those of [but, upto). */
static inline void raise_groups(int64_t *group, uint32_t from, uint32_t to, uint32_t but,
                                uint32_t upto, int64_t at)
{
    for (uint32_t g = from; g < but; g++) raise(&group[g], at);
    for (uint32_t g = upto; g < to; g++) raise(&group[g], at);
}

/* What a column command means for those of one direction: `group` and `pc` are where their times stand. */
static inline void apply_gap(const dram_spec_t *s, const column_gap_t *g, const site_t *w,
                             int64_t *group, int64_t *pc, int64_t at)
{
    raise(pc, at + g->pc);
    if (!g->more) return;
    const uint32_t n = s->p.bank_groups, own = w->rank * n;
    if (g->group) raise(&group[w->group], at + g->group);
    if (g->rank) raise_groups(group, own, own + n, own, own, at + g->rank);
    if (!g->other) return;
    const uint32_t all = s->p.ranks * n, first = w->pc * all;
    raise_groups(group, first, first + all, own, own + n, at + g->other);
}

static inline void apply_column(timing_t *t, unsigned d, uint32_t bank, int64_t at)
{
    const dram_spec_t *s = t->s;
    const effects_t *f = &s->effects;
    const site_t w = f->site[bank];
    int64_t *const pc = t->pc + (size_t)w.pc * TIMING_LINE, *const rd = t->group +
                                                                        (size_t)WAIT_RD * s->groups;
    raise(&t->bank[(size_t)bank * TIMING_LINE + WAIT_PRE], at + f->to_pre[d]);
    apply_gap(s, &f->gap[d][0], &w, rd, &pc[WAIT_RD], at);
    apply_gap(s, &f->gap[d][1], &w, rd + s->groups, &pc[WAIT_WR], at);
}

/* A same-bank refresh takes the bank of that number away in every group. */
static void apply_everywhere(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    const dram_spec_t *s = t->s;
    if (cmd != DRAM_REFPB || !s->std->same_bank) {
        apply(t, cmd, bank, at);
        return;
    }
    uint32_t first = s->effects.site[bank].rank * s->banks_per_rank + bank % s->p.banks_per_group;
    for (uint32_t g = 0; g < s->p.bank_groups; g++)
        apply(t, cmd, first + g * s->p.banks_per_group, at);
}

/* The bank closes by itself as soon as a PRE might. */
static void close_itself(timing_t *t, uint32_t bank, int64_t start)
{
    int64_t *const ok = t->bank + (size_t)bank * TIMING_LINE;
    const int64_t closed = later(start, ok[WAIT_PRE]) + t->s->rp;
    raise(&ok[WAIT_ACT], closed);
    raise(&t->bank_refpb[bank], closed);
    raise(&t->rank[(size_t)t->s->effects.site[bank].rank * TIMING_LINE + WAIT_REFAB], closed);
}

static void take_slots(timing_t *t, dram_cmd_t cmd, int64_t start)
{
    const dram_spec_t *s = t->s;
    const unsigned bus = s->bus[cmd];
    if (start - s->grid[cmd] >= t->bus_free[bus]) t->bus_busy_from[bus] = start;
    t->bus_free[bus] = start + s->slots[cmd];
}

void timing_column(timing_t *t, bool write, bool closing, uint32_t bank, int64_t start)
{
    const effects_t *f = &t->s->effects;
    const dram_cmd_t cmd = write ? DRAM_WR : DRAM_RD;
    take_slots(t, cmd, start);
    apply_column(t, write, bank, start);
    if (f->first[cmd] != f->first[cmd + 1]) apply(t, cmd, bank, start);
    if (closing) close_itself(t, bank, start);
}

void timing_row(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start)
{
    take_slots(t, cmd, start);
    apply_everywhere(t, cmd, bank, start + t->s->tail[cmd]);
}

void timing_refreshed(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    apply_everywhere(t, cmd, bank, at);
}
