/* SPDX-License-Identifier: MIT
 * A memory system as its channels need it: times in ticks, rules, address map.  Read-only once made.
 *
 * A tick is the grid commands lie on: the command clock's cycle, or half of it where the standard lets some
 * commands use the falling edge (HBM3).  All waiting is counted in whole ticks from zero, so nothing drifts. */
#ifndef MEMSIM_DRAM_SPEC_H
#define MEMSIM_DRAM_SPEC_H
#include "dram/addrmap.h"
#include "dram/dram.h"
#include "dram/effects.h"

typedef struct dram_std {
    const char *name;
    uint8_t ticks_per_ck; /* 2: half-cycle grid */
    bool two_buses; /* rows (ACT, PRE, REF) and columns (RD, WR) have command buses of their own */
    /* Ranks are stack IDs: they share tRRD, tFAW and turnaround, and switch by tCCD_R. */
    bool stacked;
    bool half_rows; /* PRE and REF take half a clock and may start on the falling edge */
    bool same_bank; /* REFpb refreshes one bank of every bank group (DDR5: REFsb) */
    /* Fill out[] with the rules; returns their number (at most DRAM_RULES_MAX). */
    size_t (*rules)(const dram_spec_t *s, dram_rule_t *out);
} dram_std_t;
extern const dram_std_t
    *const dram_std_of[DRAM_STANDARDS]; /* std_list.h, indexed by dram_standard_t */

struct dram_spec {
    dram_param_t p;
    const dram_std_t *std;
    clk_t tick;
    int64_t ps_num, ps_den; /* a tick is ps_num / ps_den ps, in lowest terms */
    int64_t ck;             /* ticks per CK */
    int64_t cl, cwl, burst, forward, rfc_ab, rfc_pb, rp, rtp, rtw, wck_sync, wck_idle;
    int64_t refresh_interval; /* dram_refresh_due(s, 1) */
    int64_t refresh_push,     /* how much later others can make a refresh */
        refresh_put_off,      /* how long one may wait for an idle bank; not above 0: not at all */
        refresh_wait; /* longest way of a refresh that goes before everything: rows closed, tRP, its slot */
    /* By command: slots it holds its bus, slots before the one its gaps count from, the grid it starts on, its bus. */
    int64_t slots[DRAM_CMDS], tail[DRAM_CMDS], grid[DRAM_CMDS];
    uint8_t bus[DRAM_CMDS];
    dram_rule_t rule[DRAM_RULES_MAX];
    size_t n_rule;
    /* Rules are sorted by `before`: those of cmd are [first[cmd], first[cmd + 1]). */
    uint16_t first[DRAM_CMDS + 1];
    uint32_t turns; /* refreshes until every bank of a rank has had one: 1, or the banks in turn */
    uint32_t banks, banks_per_rank, groups, ranks; /* of a channel, all pseudo channels together */
    uint32_t burst_bytes;
    uint8_t bursts_of[256]; /* by sector mask of a request */
    addrmap_t map;
    effects_t effects; /* of rule[]: timing_compile */
};
/* Order of the choices of `refresh`, `refresh_order`, `scheduler`, `page`. */
typedef enum { DRAM_REFRESH_NONE, DRAM_REFRESH_ALL, DRAM_REFRESH_PER_BANK } dram_refresh_t;
typedef enum { DRAM_IDLE_FIRST, DRAM_IN_TURN } dram_refresh_order_t;
typedef enum { DRAM_FRFCFS, DRAM_FCFS } dram_scheduler_t;
typedef enum { DRAM_PAGE_OPEN, DRAM_PAGE_CLOSED } dram_page_t;

/* Time of tick n >= 0, exact; the 64-bit product holds for weeks of simulated time, then 128 bits do. */
static inline ps_t dram_tick_ps(const dram_spec_t *s, int64_t n)
{
    if (n > INT64_MAX / s->ps_num) return clk_edge(s->tick, n);
    return n * s->ps_num / s->ps_den;
}

/* First tick at or after t >= 0. */
static inline int64_t dram_ps_tick(const dram_spec_t *s, ps_t t)
{
    if (t > INT64_MAX / s->ps_den - s->ps_num) return clk_ceil(s->tick, t);
    return (t * s->ps_den + s->ps_num - 1) / s->ps_num;
}

/* When the k-th refresh (k = 1, 2, ...) of a rank falls due, in ticks; computed from zero so that an interval that
 * is no whole number of ticks does not drift. */
int64_t dram_refresh_due(const dram_spec_t *s, int64_t k);
/* How many are due by tick t. */
int64_t dram_refreshes_due(const dram_spec_t *s, int64_t t);
/* Rules between parameters.  Faults go to d, each with where the parameter it is about was set. */
int dram_spec_check(const dram_spec_t *s, const ini_section_t *section, arena_t *a, diag_t *d);
/* A parameter in ticks, rounded up. */
int64_t dram_ticks(const dram_spec_t *s, gap_t g);
#endif
