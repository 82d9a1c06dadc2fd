/* SPDX-License-Identifier: MIT
 * One run of `memsim dram` for a test: which file, which pattern, what came out. */
#ifndef MEMSIM_TESTS_DRAM_RUN_H
#define MEMSIM_TESTS_DRAM_RUN_H
#include "machine/device.h"
#include "machine/dram_alone.h"
#include "test.h"
#include <stdio.h>
#include <string.h>

typedef struct dram_run {
    int rc;
    char message[512]; /* of the first fault, "" if none */
    double time_ns, bytes, achieved_GBps, read_latency_ns;
    dram_stats_t st;
} dram_run_t;

static const char *const dram_bins[] = {
    "devices/dram/hbm2-2000.ini",   "devices/dram/hbm2e-3186.ini",  "devices/dram/hbm3-6400.ini",
    "devices/dram/gddr6-14000.ini", "devices/dram/lpddr5-6400.ini", "devices/dram/ddr5-4800.ini"};
#define DRAM_BINS (sizeof dram_bins / sizeof *dram_bins)

static inline dram_run_t dram_run_with(const char *path, const char *pattern, uint64_t requests,
                                       const char *const *set, size_t n_set, bool check, FILE *log)
{
    dram_run_t out = {.rc = MS_OK};
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    dram_alone_opt_t o = {.dram_path = path,
                          .set = set,
                          .n_set = n_set,
                          .pattern = pattern,
                          .requests = requests,
                          .read_share_pct = 100,
                          .check = check,
                          .command_trace = log};
    const result_t *r = NULL;
    const dram_alone_point_t *points = NULL;
    out.rc = dram_alone_run(&o, a, &r, &points, &d);
    if (d.n) snprintf(out.message, sizeof out.message, "%s", d.msg[0]);
    if (out.rc == MS_OK) {
        out.time_ns = r->time_ns;
        out.bytes = r->levels[0].read_bytes + r->levels[0].write_bytes;
        out.achieved_GBps = r->levels[0].achieved_GBps;
        out.read_latency_ns = r->levels[0].latency.mean;
        for (size_t i = 0; i < r->n_stats; i++)
            if (r->stats[i].table == &dram_stat_table)
                memcpy(&out.st, r->stats[i].values, sizeof out.st);
    }
    diag_free(&d);
    arena_free(a);
    return out;
}

static inline dram_run_t dram_run(const char *path, const char *pattern, uint64_t requests,
                                  const char *const *set, size_t n_set, bool check)
{
    return dram_run_with(path, pattern, requests, set, n_set, check, NULL);
}

/* The same, checked, with its commands in `log`. */
static inline dram_run_t dram_run_logged(const char *path, const char *pattern, uint64_t requests,
                                         const char *const *set, size_t n_set, FILE *log)
{
    return dram_run_with(path, pattern, requests, set, n_set, true, log);
}

/* The parameters of a file, with assignments. */
static inline dram_param_t dram_params(const char *path, const char *const *set, size_t n_set)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    dram_param_t p;
    ini_section_t *s;
    ck_assert_msg(device_load_dram(&p, &s, path, set, n_set, a, &d) == MS_OK, "%s: %s", path,
                  d.n ? d.msg[0] : "");
    p.map = NULL; /* dies with the arena */
    diag_free(&d);
    arena_free(a);
    return p;
}

static inline clk_t dram_ck(const dram_param_t *p)
{
    return (clk_t){p->rate / p->bits_per_ck};
}

/* A gap between two commands that both start on rising edges: whole clocks, in ns. */
static inline double gap_ns(const dram_param_t *p, gap_t g)
{
    clk_t ck = dram_ck(p);
    int64_t n = g.in_clocks ? g.v : clk_ceil(ck, g.v);
    return (double)n * 1e9 / (double)ck.hz;
}
#endif
