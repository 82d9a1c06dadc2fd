/* SPDX-License-Identifier: MIT
 * Earliest legal times, per command and scope, kept up to date from the rule table as commands issue.  Pure: no
 * queue, no event.  Times are ticks.  A command's gaps count from its last slot on the command bus (ACT has
 * several), which is where the times in the tables lie; what is asked and told is its first slot. */
#ifndef MEMSIM_DRAM_TIMING_H
#define MEMSIM_DRAM_TIMING_H
#include "dram/spec.h"

typedef enum { LEVEL_BANK, LEVEL_GROUP, LEVEL_RANK, LEVEL_PC, LEVELS } level_t;

typedef struct
    effect { /* one rule, ready to apply: raise table[instance of level] to now + ticks */
    int64_t *table, ticks;
    uint8_t level;  /* level_t; LEVELS: the other ranks of the pseudo channel */
    uint8_t window; /* 0, or the ACT window (tFAW) at this level */
} effect_t;

/* What a column command means for the column commands after it, in ticks: least distance within the pseudo channel,
 * and where more is wanted of the same group, of the other groups of the rank, of other ranks (0: no more). */
typedef struct column_gap {
    int64_t pc, group, rank, other;
} column_gap_t;

typedef struct act_ring { /* the latest four ACT of an activation domain */
    int64_t at[4];
    unsigned next;
} act_ring_t;

typedef struct timing {
    const dram_spec_t *s;
    /* Earliest last slot of a command, by level.  PREA asks PRE of its banks, RDA and WRA ask RD and WR.  What delays RD
     * and WR of a rank stands with each of its bank groups: they are asked most often. */
    int64_t *ok[DRAM_CMDS][LEVELS];
    effect_t *effect[DRAM_CMDS];
    column_gap_t gap[2][2]; /* from RD, WR; to RD, WR */
    uint32_t n_effect[DRAM_CMDS];
    act_ring_t *ring; /* per rank, or per pseudo channel where ranks are stack IDs */
    int64_t
        bus_free[2]; /* first free slot: rows, columns; the first alone where there is one bus */
    int64_t bus_busy_from[2]; /* first of the slots before it that were taken without a break */
    uint16_t *group_of, *rank_of, *pc_of; /* of a bank */
} timing_t;

void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* First slot at or after `from` that the command's bus and clock grid allow, for gaps that end at `ok`. */
static inline int64_t timing_slot(const timing_t *t, dram_cmd_t cmd, int64_t ok, int64_t from)
{
    const dram_spec_t *s = t->s;
    int64_t e = later(later(ok - s->tail[cmd], t->bus_free[s->bus[cmd]]), from);
    return s->grid[cmd] == 2 ? e + (e & 1) : e;
}

/* When the gaps of cmd to `bank` end. */
static inline int64_t timing_ok(const timing_t *t, dram_cmd_t cmd, uint32_t bank)
{
    int64_t *const *ok = t->ok[cmd];
    return later(later(ok[LEVEL_BANK][bank], ok[LEVEL_GROUP][t->group_of[bank]]),
                 later(ok[LEVEL_RANK][t->rank_of[bank]], ok[LEVEL_PC][t->pc_of[bank]]));
}

/* First slot at or after `from` at which cmd may go to `bank` (REFab: any bank of the rank stands for it). */
static inline int64_t timing_earliest(const timing_t *t, dram_cmd_t cmd, uint32_t bank,
                                      int64_t from)
{
    return timing_slot(t, cmd, timing_ok(t, cmd, bank), from);
}

/* cmd goes out with its first slot at `start`: update what it delays. */
void timing_issue(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start);
/* The same for a refresh that was only counted (idle channel): no command bus. */
void timing_refreshed(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at);
#endif
