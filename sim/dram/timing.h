/* SPDX-License-Identifier: MIT
 * Earliest legal times, per command and scope, kept up to date from the rule table as commands issue.  Pure: no
 * queue, no event.  Times are ticks and mean the *effective* tick of a command: the last of its bus slots. */
#ifndef MEMSIM_DRAM_TIMING_H
#define MEMSIM_DRAM_TIMING_H
#include "dram/spec.h"

typedef struct act_ring { /* the latest four ACT of an activation domain */
    int64_t at[4];
    unsigned next;
} act_ring_t;

typedef struct timing {
    const dram_spec_t *s;
    int64_t *bank[DRAM_CMDS], *group[DRAM_CMDS], *rank[DRAM_CMDS], *pc[DRAM_CMDS];
    act_ring_t *ring;         /* per rank, or per pseudo channel where ranks are stack IDs */
    int64_t row_bus, col_bus; /* first free slot; one and the same where there is one bus */
    uint8_t *group_of, *rank_of, *pc_of; /* of a bank */
} timing_t;

void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline bool is_column(dram_cmd_t c)
{
    return c == DRAM_RD || c == DRAM_WR || c == DRAM_RDA || c == DRAM_WRA;
}

/* First slot on the bus at which cmd may go to `bank` (PREA and REFab: any bank of the rank stands for it). */
static inline int64_t timing_earliest(const timing_t *t, dram_cmd_t cmd, uint32_t bank)
{
    const dram_spec_t *s = t->s;
    int64_t e = later(later(t->bank[cmd][bank], t->group[cmd][t->group_of[bank]]),
                      later(t->rank[cmd][t->rank_of[bank]], t->pc[cmd][t->pc_of[bank]]));
    if (cmd == DRAM_ACT) e -= s->act_shift;
    e = later(e, !s->std->two_buses || !is_column(cmd) ? t->row_bus : t->col_bus);
    if (s->ck == 2 && (e & 1) && !(cmd == DRAM_PRE && s->std->pre_half))
        e++; /* rising edges only */
    return e;
}

/* cmd goes out with its first slot at `start`: update what it delays. */
void timing_issue(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start);
#endif
