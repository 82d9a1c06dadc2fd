/* SPDX-License-Identifier: MIT
 * A memory system as its channels need it: times in ticks, rules, address map.  Read-only once made.
 *
 * A tick is the grid commands lie on: the command clock's cycle, or half of it where the standard lets some
 * commands use the falling edge (HBM3).  All waiting is counted in whole ticks from zero, so nothing drifts. */
#ifndef MEMSIM_DRAM_SPEC_H
#define MEMSIM_DRAM_SPEC_H
#include "dram/addrmap.h"
#include "dram/dram.h"
#include "dram/std.h"

typedef struct dram_std {
    const char *name;
    uint8_t ticks_per_ck; /* 2: half-cycle grid */
    bool two_buses; /* rows (ACT, PRE, REF) and columns (RD, WR) have command buses of their own */
    bool
        stacked; /* ranks are stack IDs: they share tRRD, tFAW and turnaround, and switch by tCCD_R */
    bool pre_half; /* PRE may go on the falling edge */
    /* Fill out[] with the rules; returns their number (at most DRAM_RULES_MAX). */
    size_t (*rules)(const dram_spec_t *s, dram_rule_t *out);
} dram_std_t;
extern const dram_std_t
    *const dram_std_of[DRAM_STANDARDS]; /* std_list.h, indexed by dram_standard_t */

struct dram_spec {
    dram_param_t p;
    const dram_std_t *std;
    clk_t tick;
    int64_t ck; /* ticks per CK */
    int64_t cl, cwl, burst, act_shift, act_bus, forward, refi, refi_pb, rfc_ab, rfc_pb, rp, rtw,
        wck_sync, wck_idle;
    dram_rule_t rule[DRAM_RULES_MAX];
    size_t n_rule;
    uint16_t
        first[DRAM_CMDS +
              1]; /* rules are sorted by `before`: those of cmd are [first[cmd], first[cmd+1]) */
    uint32_t banks, banks_per_rank, groups, ranks; /* of a channel, all pseudo channels together */
    uint32_t burst_bytes;
    addrmap_t map;
};
/* A parameter in ticks, rounded up. */
int64_t dram_ticks(const dram_spec_t *s, gap_t g);
#endif
