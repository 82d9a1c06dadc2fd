/* SPDX-License-Identifier: MIT
 * Rule table -> effects, and their application. */
#include "dram/timing.h"
#include <string.h>

#define LONG_AGO (INT64_MIN / 4)

/* Where a rule's later command looks: RDA and WRA are bound by what binds RD and WR, PREA by PRE. */
static dram_cmd_t asked(dram_cmd_t c)
{
    return c == DRAM_RDA ? DRAM_RD : c == DRAM_WRA ? DRAM_WR : c == DRAM_PREA ? DRAM_PRE : c;
}

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
    return LEVELS;
}

static bool is_column(dram_cmd_t c)
{
    return c == DRAM_RD || c == DRAM_WR;
}

static void compile(timing_t *t, dram_cmd_t cmd, arena_t *a)
{
    const dram_spec_t *s = t->s;
    dram_cmd_t like = cmd == DRAM_RDA ? DRAM_RD : cmd == DRAM_WRA ? DRAM_WR : cmd;
    unsigned n = s->first[like + 1] - s->first[like];
    t->effect[cmd] = arena_array(a, effect_t, n + 1);
    uint32_t m = 0;
    for (unsigned i = 0; i < n; i++) {
        const dram_rule_t *r = &s->rule[s->first[like] + i];
        if (r->scope == SC_SIBLING && s->p.ranks == 1) continue;
        if (is_column(like) && is_column(asked(r->after)) && r->scope != SC_BANK) continue;
        level_t level = level_of(r->scope);
        int64_t *table = t->ok[asked(r->after)][level == LEVELS ? LEVEL_RANK : level];
        t->effect[cmd][m++] = (effect_t){table, r->ticks, (uint8_t)level, r->nth == 4};
    }
    t->n_effect[cmd] = m;
}

static void raise(int64_t *e, int64_t to)
{
    if (to > *e) *e = to;
}

static column_gap_t column_gap(const dram_spec_t *s, dram_cmd_t from, dram_cmd_t to)
{
    column_gap_t g = {0};
    for (unsigned i = s->first[from]; i < s->first[from + 1]; i++) {
        const dram_rule_t *r = &s->rule[i];
        if (asked(r->after) != to || r->scope == SC_BANK) continue;
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
    return g;
}

void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a)
{
    *t = (timing_t){.s = s};
    const uint32_t size[LEVELS] = {s->banks, s->groups, s->ranks, s->p.pseudo_channels};
    for (unsigned c = 0; c < DRAM_CMDS; c++)
        for (unsigned l = 0; l < LEVELS; l++) t->ok[c][l] = arena_array(a, int64_t, size[l]);
    for (unsigned c = 0; c < DRAM_CMDS; c++) compile(t, (dram_cmd_t)c, a);
    for (unsigned d = 0; d < 4; d++)
        t->gap[d / 2][d % 2] = column_gap(s, d / 2 ? DRAM_WR : DRAM_RD, d % 2 ? DRAM_WR : DRAM_RD);
    t->ring = arena_array(a, act_ring_t, s->ranks);
    for (uint32_t i = 0; i < s->ranks; i++)
        for (unsigned k = 0; k < 4; k++) t->ring[i].at[k] = LONG_AGO;
    t->group_of = arena_array(a, uint16_t, s->banks);
    t->rank_of = arena_array(a, uint16_t, s->banks);
    t->pc_of = arena_array(a, uint16_t, s->banks);
    for (uint32_t b = 0; b < s->banks; b++) {
        t->group_of[b] = (uint16_t)(b / s->p.banks_per_group);
        t->rank_of[b] = (uint16_t)(b / s->banks_per_rank);
        t->pc_of[b] = (uint16_t)(b / (s->banks_per_rank * s->p.ranks));
    }
}

/* tFAW: the fifth ACT of a domain waits for the first of the four before it. */
static void window(timing_t *t, const effect_t *e, uint32_t instance, int64_t at)
{
    uint32_t ring = e->level == LEVEL_PC ? instance * t->s->p.ranks : instance;
    act_ring_t *g = &t->ring[ring];
    g->at[g->next] = at;
    g->next = (g->next + 1) % 4;
    raise(&e->table[instance], g->at[g->next] + e->ticks);
}

static void siblings(const timing_t *t, const effect_t *e, uint32_t bank, int64_t to)
{
    uint32_t rank = t->rank_of[bank], ranks = t->s->p.ranks, first = t->pc_of[bank] * ranks;
    for (uint32_t k = first; k < first + ranks; k++)
        if (k != rank) raise(&e->table[k], to);
}

static void apply(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    const uint32_t instance[LEVELS] = {bank, t->group_of[bank], t->rank_of[bank], t->pc_of[bank]};
    const effect_t *e = t->effect[cmd], *end = e + t->n_effect[cmd];
    for (; e < end; e++) {
        if (e->level == LEVELS)
            siblings(t, e, bank, at + e->ticks);
        else if (e->window)
            window(t, e, instance[e->level], at);
        else
            raise(&e->table[instance[e->level]], at + e->ticks);
    }
}

static void raise_all(int64_t *e, uint32_t n, int64_t to)
{
    for (uint32_t i = 0; i < n; i++) raise(&e[i], to);
}

/* Column commands delay column commands: far more often than anything else happens. */
static void apply_column(timing_t *t, unsigned d, uint32_t bank, int64_t at)
{
    static const dram_cmd_t after[2] = {DRAM_RD, DRAM_WR};
    const uint32_t group = t->group_of[bank], pc = t->pc_of[bank];
    for (unsigned k = 0; k < 2; k++) {
        const column_gap_t *g = &t->gap[d][k];
        int64_t *const *ok = t->ok[after[k]];
        raise(&ok[LEVEL_PC][pc], at + g->pc);
        if (g->group) raise(&ok[LEVEL_GROUP][group], at + g->group);
        if (!(g->rank | g->other)) continue;
        const uint32_t n = t->s->p.bank_groups, ranks = t->s->p.ranks, first = pc * ranks * n;
        const uint32_t own = t->rank_of[bank] * n, end = first + ranks * n;
        if (g->rank) raise_all(ok[LEVEL_GROUP] + own, n, at + g->rank);
        if (!g->other) continue;
        raise_all(ok[LEVEL_GROUP] + first, own - first, at + g->other);
        raise_all(ok[LEVEL_GROUP] + own + n, end - own - n, at + g->other);
    }
}

/* A same-bank refresh takes the bank of that number away in every group. */
static void apply_everywhere(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    const dram_spec_t *s = t->s;
    if (cmd != DRAM_REFPB || !s->std->same_bank) {
        apply(t, cmd, bank, at);
        return;
    }
    uint32_t first = t->rank_of[bank] * s->banks_per_rank + bank % s->p.banks_per_group;
    for (uint32_t g = 0; g < s->p.bank_groups; g++)
        apply(t, cmd, first + g * s->p.banks_per_group, at);
}

void timing_issue(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start)
{
    const dram_spec_t *s = t->s;
    apply_everywhere(t, cmd, bank, start + s->tail[cmd]);
    if (is_column(asked(cmd))) apply_column(t, asked(cmd) == DRAM_WR, bank, start);
    const unsigned bus = s->bus[cmd];
    if (start - s->grid[cmd] >= t->bus_free[bus]) t->bus_busy_from[bus] = start;
    t->bus_free[bus] = start + s->slots[cmd];
    if (cmd != DRAM_RDA && cmd != DRAM_WRA) return;
    /* The bank closes by itself as soon as a PRE might. */
    int64_t closed = later(start, t->ok[DRAM_PRE][LEVEL_BANK][bank]) + s->rp;
    raise(&t->ok[DRAM_ACT][LEVEL_BANK][bank], closed);
    raise(&t->ok[DRAM_REFPB][LEVEL_BANK][bank], closed);
    raise(&t->ok[DRAM_REFAB][LEVEL_RANK][t->rank_of[bank]], closed);
}

void timing_refreshed(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    apply_everywhere(t, cmd, bank, at);
}
