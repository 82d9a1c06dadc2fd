/* SPDX-License-Identifier: MIT
 * A DRAM standard as data: which command waits how long after which, and in what scope.  The scheduler knows only
 * this table: no `if (hbm)`.  Adding a standard: one file std_NAME.c and one line in std_list.h. */
#ifndef MEMSIM_DRAM_STD_H
#define MEMSIM_DRAM_STD_H
#include "dram/dram_param.h"

typedef enum {
    DRAM_ACT,
    DRAM_PRE,
    DRAM_PREA,
    DRAM_RD,
    DRAM_WR,
    DRAM_RDA,
    DRAM_WRA,
    DRAM_REFAB,
    DRAM_REFPB,
    DRAM_CMDS
} dram_cmd_t;
extern const char *const dram_cmd_names[DRAM_CMDS]; /* "ACT", "PRE", ..., "REFab", "REFpb" */

typedef enum {             /* where the earlier command must have been for a rule to hold */
               SC_BANK,    /* the same bank */
               SC_GROUP,   /* the same bank group */
               SC_RANK,    /* the same rank or stack ID */
               SC_SIBLING, /* another rank or stack ID of the same pseudo channel */
               SC_PC,      /* the same pseudo channel, any rank */
               SC_COUNT
} dram_scope_t;

typedef struct dram_rule {
    dram_cmd_t before, after;
    dram_scope_t scope;
    uint8_t nth;   /* 1: the latest `before`; 4: the fourth latest (tFAW) */
    int64_t ticks; /* least distance, in ticks of the channel */
} dram_rule_t;

#define DRAM_RULES_MAX 128
#endif
