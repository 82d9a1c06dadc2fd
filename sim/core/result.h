/* SPDX-License-Identifier: MIT
 * What a run found out.  sim/machine fills it, sim/report prints it; neither knows the other.
 * All strings and arrays live in the run's arena.  A value that does not exist because nothing happened is NAN
 * (JSON null); "not modelled" is said by the `modelled` flags. */
#ifndef MEMSIM_CORE_RESULT_H
#define MEMSIM_CORE_RESULT_H
#include "core/hist.h"
#include "core/stats.h"
#include "core/units.h"

typedef struct res_latency { /* ns; NAN if there was no sample */
    double mean, p50, p95, p99, max;
    uint64_t n;
} res_latency_t;

typedef struct res_share { /* one entry of a stack (loss, latency by hop, energy) */
    const char *name;
    double value; /* loss: share of time 0..1; latency: ns; energy: J */
} res_share_t;

typedef struct res_level { /* a cache, a memory or a link */
    const char *name;      /* "l1", "l2", "dram", "link.NAME", or the memory's own name */
    double read_bytes, write_bytes;
    double peak_GBps;     /* NAN: no single peak */
    double bound_GBps;    /* closed-form ceiling incl. refresh etc.; NAN: none */
    double achieved_GBps; /* bytes crossed / (last - first crossing) */
    double hit_rate;      /* NAN where it has no meaning */
    res_latency_t latency;
    /* memories only: */
    double row_hit_rate;
    const res_share_t *commands;
    size_t n_commands; /* ACT, PRE, RD, WR, REFab, ...: counts */
    const res_share_t *loss;
    size_t n_loss; /* shares of bus time, sum 1, first entry "data" */
    const res_share_t *energy;
    size_t n_energy; /* J, last entry "total" */
    uint64_t capacity_bytes;
} res_level_t;

typedef struct
    res_kernel { /* all launches of one kernel with equal numbers, or all of one name in the table */
    const char *name, *kind, *phase; /* phase: text of the last WC_MARK, "" if none */
    uint64_t count;                  /* launches */
    uint64_t simulated;              /* of which simulated (others: identical or interpolated) */
    double time_ns;                  /* one launch, mean */
    double total_ns;                 /* all launches, launch gaps excluded */
    double interval;                 /* 95 %, relative */
    double flops;                    /* one launch */
    double read_bytes, write_bytes;  /* asked for by the kernel, one launch */
    double GBps, TFLOPs;             /* asked bytes or flops over time */
    const char *unit;                /* that does most of the flops, "" none */
    double peak_TFLOPs;              /* of it; NAN none */
    double dram_bytes, l2_bytes;     /* moved, one launch */
    double l1_hit_rate, l2_hit_rate;
    res_latency_t latency; /* load issue -> data in register */
    const char *
        bound; /* what limits it: "dram bandwidth", "bytes in flight", "tensor", "l2 bandwidth", ... */
    double bound_share;
    const char *bound_next;
    bool in_summary;
} res_kernel_t;

typedef struct res_series { /* bandwidth over time of one level */
    const char *level;
    double bin_ns;
    const double *GBps;
    size_t n;
} res_series_t;

typedef struct res_stats { /* counters of one kind of component, summed over instances */
    const char *instance;  /* "l2", "memory.hbm", ... */
    const stat_table_t *table;
    const void *values;
} res_stats_t;

typedef struct res_unmodelled {
    const char *what;
    uint64_t count;
    double bytes;
} res_unmodelled_t;

typedef struct result {
    const char *device, *device_file, *workload, *workload_file;
    const char *const *workload_params;
    size_t n_workload_params; /* "bytes = 256 MiB" */
    uint64_t seed;
    const char *mode; /* "exact", "auto", "sampled", "time-budget" */
    bool reproducible, partial;
    const char
        *repeat;     /* option that gives this result again ("--sample=2.5"); NULL: the mode does */
    double interval; /* relative 95 % of time_ns; 0 if exact */
    double time_ns, busy_ns, launch_gap_ns;
    double
        l2_dirty_bytes; /* stored by kernels, in the L2 at the end and not yet in memory; NAN: there is no L2 */
    double tokens; /* 0: workload has none */
    struct {
        const char *name;
        double share;
        const char *next;
        const char *sentence;
    } bound;
    const res_kernel_t *kernels;
    size_t n_kernels;
    const res_level_t *levels;
    size_t n_levels; /* totals: l1, l2, dram, link.* */
    const res_level_t *memories;
    size_t n_memories;
    const res_level_t *gpus;
    size_t n_gpus;
    const res_share_t *latency_stack;
    size_t n_latency_stack; /* ns by hop, sums to the mean load latency */
    const res_share_t *energy;
    size_t n_energy; /* whole device, J */
    const res_series_t *series;
    size_t n_series;
    const hist_t *load_latency; /* ps */
    const res_stats_t *stats;
    size_t n_stats;
    const res_unmodelled_t *unmodelled;
    size_t n_unmodelled;
    struct {
        double bytes_needed, bytes_available;
    } capacity;
    struct {
        double tensor_TFLOPs, fp32_TFLOPs, dram_GBps, l2_GBps;
        uint32_t sms;
        double sm_GHz;
    } peak;
    char digest[33]; /* hex, of all simulated results */
    struct {
        double wall_s, cpu_s;
        uint64_t requests;
        double requests_per_s;
        uint64_t events;
        uint64_t peak_rss_bytes;
    } host;
} result_t;
#endif
