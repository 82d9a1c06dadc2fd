/* SPDX-License-Identifier: MIT
 * `memsim dram`: one memory system alone, as DRAM simulators are used. */
#ifndef MEMSIM_MACHINE_DRAM_ALONE_H
#define MEMSIM_MACHINE_DRAM_ALONE_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/result.h"
#include <stdio.h>

typedef struct dram_alone_opt {
    const char *dram_path; /* device file or devices/dram file */
    const char *const *set;
    size_t n_set;
    const char
        *pattern;      /* seq rand rand64 triad stride:N pingpong rowconf rw50 burst depseq deprand,
                                         or a raw trace file, "-" stdin */
    uint64_t requests; /* --requests; 0: 100000 (patterns), all (traces) */
    uint64_t seed;     /* of the patterns' mix, default 42 as in the oracle */
    bool seed_given;
    bool check;
    FILE *command_trace;
    const double *load_pct;
    size_t n_load;           /* --load: offered load in per cent of peak, one run each */
    unsigned read_share_pct; /* --mix R/W: reads, default 100 */
    const volatile int *interrupted;
} dram_alone_opt_t;

/* One point of --load. */
typedef struct dram_alone_point {
    double offered_pct, achieved_GBps, latency_mean_ns, latency_p50_ns, latency_p99_ns;
} dram_alone_point_t;

/* Run; *res (and *points if load was asked for, n_load of them) live in the arena. */
int dram_alone_run(const dram_alone_opt_t *o, arena_t *a, const result_t **res,
                   const dram_alone_point_t **points, diag_t *d);
#endif
