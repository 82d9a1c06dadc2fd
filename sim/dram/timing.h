/* SPDX-License-Identifier: MIT
 * Earliest legal times, per command and scope, kept up to date from the rule table as commands issue.  Pure: no
 * queue, no event.  Times are ticks.  A command's gaps count from its last slot on the command bus (ACT has
 * several), which is where the times in the tables lie; what is asked and told is its first slot. */
#ifndef MEMSIM_DRAM_TIMING_H
#define MEMSIM_DRAM_TIMING_H
#include "dram/spec.h"

typedef struct act_ring { /* the latest four ACT of an activation domain */
    int64_t at[4];
    unsigned next;
} act_ring_t;

/* Of a bank's line of TIMING_LINE words the times of ACT, PRE, RD and WR take the first; the rest is its owner's. */
#define TIMING_LINE 8
#define TIMING_BANK_TIMES 4

typedef struct timing {
    const dram_spec_t *s;
    int64_t
        bus_free[2]; /* first free slot: rows, columns; the first alone where there is one bus */
    int64_t bus_busy_from[2]; /* first of the slots before it that were taken without a break */
    /* Earliest last slot of a command: words[place of level and command].  What is touched together lies together: a
     * line of words for a bank, a rank, a pseudo channel; by command for groups.  What delays RD and WR of a rank
     * stands with each of its bank groups: they are asked most often. */
    int64_t *words;
    int64_t *pc, *rank, *group, *bank, *bank_refpb; /* where each level begins */
    act_ring_t *ring; /* per rank, or per pseudo channel where ranks are stack IDs */
} timing_t;

/* Make s->effects of s->rule. */
void timing_compile(dram_spec_t *s);
void timing_init(timing_t *t, const dram_spec_t *s, arena_t *a);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline wait_t timing_wait(dram_cmd_t cmd)
{
    static const uint8_t of[DRAM_CMDS] = {
        [DRAM_ACT] = WAIT_ACT, [DRAM_PRE] = WAIT_PRE,     [DRAM_PREA] = WAIT_PRE,
        [DRAM_RD] = WAIT_RD,   [DRAM_RDA] = WAIT_RD,      [DRAM_WR] = WAIT_WR,
        [DRAM_WRA] = WAIT_WR,  [DRAM_REFPB] = WAIT_REFPB, [DRAM_REFAB] = WAIT_REFAB,
    };
    return (wait_t)of[cmd];
}

/* First slot at or after `from` that the command's bus and clock grid allow, for gaps that end at `ok`. */
static inline int64_t timing_slot(const timing_t *t, dram_cmd_t cmd, int64_t ok, int64_t from)
{
    const dram_spec_t *s = t->s;
    int64_t e = later(later(ok - s->tail[cmd], t->bus_free[s->bus[cmd]]), from);
    return s->grid[cmd] == 2 ? e + (e & 1) : e;
}

/* When the gaps of a command end that come from the bank itself, its group, its rank, its pseudo channel. */
static inline int64_t timing_bank_ok(const timing_t *t, wait_t w, uint32_t bank)
{
    if (w < TIMING_BANK_TIMES) return t->bank[(size_t)bank * TIMING_LINE + w];
    return w == WAIT_REFPB ? t->bank_refpb[bank] : 0; /* no rule of one bank delays REFab */
}
static inline int64_t timing_group_ok(const timing_t *t, wait_t w, uint32_t bank)
{
    return t->group[w * t->s->groups + t->s->effects.site[bank].group];
}
static inline int64_t timing_rank_ok(const timing_t *t, wait_t w, uint32_t bank)
{
    return t->rank[(size_t)t->s->effects.site[bank].rank * TIMING_LINE + w];
}
static inline int64_t timing_pc_ok(const timing_t *t, wait_t w, uint32_t bank)
{
    return t->pc[(size_t)t->s->effects.site[bank].pc * TIMING_LINE + w];
}

/* When the gaps of cmd to `bank` end. */
static inline int64_t timing_ok(const timing_t *t, dram_cmd_t cmd, uint32_t bank)
{
    const wait_t w = timing_wait(cmd);
    return later(later(timing_bank_ok(t, w, bank), timing_group_ok(t, w, bank)),
                 later(timing_rank_ok(t, w, bank), timing_pc_ok(t, w, bank)));
}

/* First slot at or after `from` at which cmd may go to `bank` (REFab: any bank of the rank stands for it). */
static inline int64_t timing_earliest(const timing_t *t, dram_cmd_t cmd, uint32_t bank,
                                      int64_t from)
{
    return timing_slot(t, cmd, timing_ok(t, cmd, bank), from);
}

/* A command goes out with its first slot at `start`: update what it delays.  RD or WR, closing its row behind itself
 * (RDA, WRA) or not; any other. */
void timing_column(timing_t *t, bool write, bool closing, uint32_t bank, int64_t start);
void timing_row(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t start);
/* The same for a refresh that was only counted (idle channel): no command bus. */
void timing_refreshed(timing_t *t, dram_cmd_t cmd, uint32_t bank, int64_t at);
#endif
