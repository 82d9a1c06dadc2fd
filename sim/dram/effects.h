/* SPDX-License-Identifier: MIT
 * The rule table of a memory, made ready to apply: the same for all its channels, so that it stays in the processor's
 * cache.  Where a channel keeps its times is part of it. */
#ifndef MEMSIM_DRAM_EFFECTS_H
#define MEMSIM_DRAM_EFFECTS_H
#include "dram/std.h"

#define DRAM_BANKS_MAX 256 /* of a channel, all pseudo channels and ranks */

typedef enum { LEVEL_BANK, LEVEL_GROUP, LEVEL_RANK, LEVEL_PC, LEVEL_COUNT } level_t;

/* Commands that rules delay: RDA and WRA are bound by what binds RD and WR, PREA by PRE. */
typedef enum { WAIT_ACT, WAIT_PRE, WAIT_RD, WAIT_WR, WAIT_REFPB, WAIT_REFAB, WAITS } wait_t;

typedef struct place { /* of a time: words[first + instance of the level * stride] */
    uint32_t first, stride;
} place_t;

typedef struct effect { /* one rule: raise the time at `place` to now + ticks */
    int64_t ticks;
    place_t place;
    uint8_t level;  /* level_t; LEVEL_COUNT: the other ranks of the pseudo channel */
    uint8_t window; /* the ACT window (tFAW) at this level */
} effect_t;

/* What a column command means for the column commands after it, in ticks: least distance within the pseudo channel,
 * and where more is wanted of the same group, of the other groups of the rank, of other ranks (0: no more). */
typedef struct column_gap {
    int64_t pc, group, rank, other;
    bool more; /* than pc */
} column_gap_t;

typedef struct site { /* a bank is, counted in the channel */
    uint8_t group, rank, pc;
} site_t;
_Static_assert(DRAM_BANKS_MAX <= UINT8_MAX + 1, "groups and ranks are numbered in a byte");

typedef struct effects {
    site_t site[DRAM_BANKS_MAX];
    column_gap_t gap[2][2]; /* from RD, WR; to RD, WR */
    int64_t to_pre[2];      /* from RD, WR to PRE of the bank */
    place_t place[LEVEL_COUNT][WAITS];
    uint32_t words;                /* of a channel */
    uint16_t first[DRAM_CMDS + 1]; /* effects of cmd are [first[cmd], first[cmd + 1]) */
    effect_t effect[DRAM_RULES_MAX];
} effects_t;
#endif
