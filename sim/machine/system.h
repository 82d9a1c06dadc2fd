/* SPDX-License-Identifier: MIT
 * Device parameters -> machine.  The one place that knows every component and plugs them together:
 *
 *     front ──blocks──► SM ──► L1 ──► crossbar ──► L2 slice ──► memory channel
 *       ▲                ▲                            │  ▲
 *       └────retired─────┘◄──────── replies ──────────┘  └─ partition link to its twin
 *
 * Partitions of the engine: 0 the front, then one per SM (or per group that shares a trunk), then one per channel
 * with its slices (or per slice with its channels). */
#ifndef MEMSIM_MACHINE_SYSTEM_H
#define MEMSIM_MACHINE_SYSTEM_H
#include "cache/l1.h"
#include "cache/slice.h"
#include "dram/dram.h"
#include "gpu/copy_engine.h"
#include "gpu/front.h"
#include "link/xbar.h"
#include "machine/device.h"
#include "memory/translate.h"
#include <stdio.h>

typedef struct totals { /* every counter of the machine, summed over instances */
    sm_stats_t sm;
    l1_stats_t l1;
    l2_stats_t l2;
    xbar_stats_t xbar;
    dram_stats_t dram;
} totals_t;

typedef struct machine_system {
    arena_t *arena;
    engine_t *engine;
    const device_t *dev;
    const dram_spec_t *dram;
    translate_t *translate;
    slice_spec_t slice_spec;
    xbar_t xbar;
    uint32_t n_sms, n_slices, n_channels, trunks, sm_groups, memory_groups, slices_per_channel,
        channels_per_slice, half;
    sm_t *sms, **sm;
    l1_t *l1;
    xbar_port_t *port;
    server_t *trunk; /* [2 * sm_groups] */
    slice_t *slice;
    dram_chan_t **chan;
    front_t front;
    copy_engine_t copy;
    req_pool_t requests;
    sm_env_t env;
    bool hop_events;
    ps_t lookahead; /* least time of a crossing between partitions */
    FILE *follow_out;
    /* for the L2's sets: lines of a channel, numbered so that contiguous memory is contiguous */
    uint32_t line_bursts, line_cols, banks, bank_groups, ranks, pcs;
} system_t;

typedef struct system_opt {
    uint64_t seed;
    bool hop_events, check;
    engine_mode_t mode;
    void *command_log;
    uint32_t follow_id;
    void (*followed)(void *ctx, const req_t *r, ps_t done);
} system_opt_t;

int system_new(system_t **out, const device_t *dev, const system_opt_t *opt, arena_t *a, diag_t *d);
void system_free(system_t *s); /* the engine; the rest is the arena's */
void system_totals(const system_t *s, totals_t *t);
/* The same of one bank: one kernel's.  What belongs to no kernel alone (arithmetic pipes' time, the memory) is 0. */
void system_bank(const system_t *s, unsigned bank, totals_t *t);
/* Home slice of a line, and its set there and in the twin. */
uint32_t system_locate(const system_t *s, addr_t addr, uint32_t *l2_set);
/* The slice that SM `sm` asks: the home slice or its twin. */
uint32_t system_near(const system_t *s, uint32_t home, uint16_t sm);
/* Slice that is home of a decoded location. */
uint32_t system_home_slice(const system_t *s, const loc_t *loc);
/* What an SM refused to do first; NULL: nothing. */
const sm_fault_t *system_fault(const system_t *s);
uint64_t system_dirty_bytes(const system_t *s);
#endif
