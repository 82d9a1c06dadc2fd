/* SPDX-License-Identifier: MIT */
#include "dram/timing.h"
#include <string.h>

#define LONG_AGO (INT64_MIN / 4)

void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a)
{
    *t = (timing_t){.s = s};
    const uint32_t pcs = s->p.pseudo_channels;
    for (unsigned c = 0; c < DRAM_CMDS; c++) {
        t->bank[c] = arena_array(a, int64_t, s->banks);
        t->group[c] = arena_array(a, int64_t, s->groups);
        t->rank[c] = arena_array(a, int64_t, s->ranks);
        t->pc[c] = arena_array(a, int64_t, pcs);
    }
    t->ring = arena_array(a, act_ring_t, s->ranks);
    for (uint32_t i = 0; i < s->ranks; i++)
        for (unsigned k = 0; k < 4; k++) t->ring[i].at[k] = LONG_AGO;
    t->group_of = arena_array(a, uint8_t, s->banks);
    t->rank_of = arena_array(a, uint8_t, s->banks);
    t->pc_of = arena_array(a, uint8_t, s->banks);
    for (uint32_t b = 0; b < s->banks; b++) {
        t->group_of[b] = (uint8_t)(b / s->p.banks_per_group);
        t->rank_of[b] = (uint8_t)(b / s->banks_per_rank);
        t->pc_of[b] = (uint8_t)(b / (s->banks_per_rank * s->p.ranks));
    }
}

static void raise(int64_t *e, int64_t to)
{
    if (to > *e) *e = to;
}

/* tFAW: the fifth ACT of a domain waits for the first of the four before it. */
static void window(timing_t *t, const dram_rule_t *r, uint32_t bank, int64_t eff)
{
    uint32_t pc = t->pc_of[bank], rank = t->rank_of[bank];
    act_ring_t *g = &t->ring[r->scope == SC_PC ? pc * t->s->p.ranks : rank];
    g->at[g->next] = eff;
    g->next = (g->next + 1) % 4;
    if (g->at[g->next] == LONG_AGO) return;
    raise(r->scope == SC_PC ? &t->pc[DRAM_ACT][pc] : &t->rank[DRAM_ACT][rank],
          g->at[g->next] + r->ticks);
}

void timing_issue(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start)
{
    const dram_spec_t *s = t->s;
    int64_t eff = cmd == DRAM_ACT ? start + s->act_shift : start;
    uint32_t rank = t->rank_of[bank], pc = t->pc_of[bank];
    for (unsigned i = s->first[cmd]; i < s->first[cmd + 1]; i++) {
        const dram_rule_t *r = &s->rule[i];
        int64_t to = eff + r->ticks;
        if (r->nth == 4) {
            window(t, r, bank, eff);
            continue;
        }
        switch (r->scope) {
        case SC_BANK:
            raise(&t->bank[r->after][bank], to);
            break;
        case SC_GROUP:
            raise(&t->group[r->after][t->group_of[bank]], to);
            break;
        case SC_RANK:
            raise(&t->rank[r->after][rank], to);
            break;
        case SC_SIBLING:
            for (uint32_t k = pc * s->p.ranks; k < (pc + 1) * s->p.ranks; k++)
                if (k != rank) raise(&t->rank[r->after][k], to);
            break;
        case SC_PC:
            raise(&t->pc[r->after][pc], to);
            break;
        case SC_COUNT:
            break;
        }
    }
    int64_t slots = cmd == DRAM_ACT ? s->act_bus : cmd == DRAM_PRE && s->std->pre_half ? 1 : s->ck;
    bool column = is_column(cmd);
    if (!s->std->two_buses || !column) raise(&t->row_bus, start + slots);
    if (s->std->two_buses && column) raise(&t->col_bus, start + slots);
}
