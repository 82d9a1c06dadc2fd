/* SPDX-License-Identifier: MIT
 * Small reference runs that exercise every part of a device, for tests that turn one screw at a time and look what
 * moves.  The device is A100's file (two L2 partitions) cut down by -s; DRAM parts also run alone. */
#ifndef MEMSIM_TESTS_REFERENCE_H
#define MEMSIM_TESTS_REFERENCE_H
#include "machine/dram_alone.h"
#include "machine/sim.h"
#include <stdio.h>
#include <string.h>

#define REFERENCE_DEVICE "devices/a100-40.ini"
#define REFERENCE_TRACE "tests/data/everything.trace"

/* A small GPU whose limits are within reach of a short run: few SMs, little cache, short queues, all pipes there. */
static const char *const reference_set[] = {
    "gpu.sms=8",
    "l2.slices=16",
    "l2.size=1MiB",
    "dram.channels=4",
    "l1.size=64KiB",
    "xbar.gpcs=2",
    "l1.mshrs=24",
    "l1.merges=4",
    "l2.mshrs=24",
    "l2.merges=4",
    "gpu.loads_per_sm=96",
    "gpu.loads_per_warp=16",
    "gpu.stores_per_sm=24",
    "gpu.tile_lines_in_flight=48",
    "gpu.threads_per_sm=1024",
    "gpu.ctas_per_sm=4",
    "gpu.regs_per_sm=32768",
    "gpu.shared_per_sm=100KiB",
    "l2.dirty_limit=50%",
    "gpu.fp16_per_clk=256",
    "gpu.tensor_fp8_per_clk=512",
    "gpu.tensor_tf32_per_clk=512",
    "gpu.concurrent_kernels=2",
    "gpu.copy_lines_in_flight=64",
};
#define REFERENCE_SET (sizeof reference_set / sizeof *reference_set)

typedef struct reference_part {
    const char *path, *set[2]; /* -s that are always there */
} reference_part_t;
static const reference_part_t reference_dram[] = {
    {"devices/dram/hbm2-1754.ini", {NULL, NULL}},
    {"devices/dram/hbm2e-3186.ini", {NULL, NULL}},
    {"devices/dram/hbm3-5238.ini", {NULL, NULL}},
    {"devices/dram/gddr6-14500.ini", {NULL, NULL}},
    {"devices/dram/lpddr5-6400.ini", {NULL, NULL}},
    {"devices/dram/ddr5-4800.ini", {"dram.ranks=2", "dram.map=co=1,ch,bg,co,ra,ba,ro"}},
    {"devices/dram/hbm2-1754.ini", {"dram.channels=4", NULL}},
};
#define REFERENCE_DRAM (sizeof reference_dram / sizeof *reference_dram)
static const char *const reference_pattern[] = {
    "rw50", "rand", "triad", "seq", "rowconf", "depseq", "tests/data/rewrite.trace"};
#define REFERENCE_PATTERNS (sizeof reference_pattern / sizeof *reference_pattern)

typedef struct reference {
    int rc;
    char digest[33];
    double time_ns;
} reference_t;

/* Called with every statistic of a run. */
typedef void (*reference_stat_fn)(void *ctx, const stat_table_t *t, const void *values);

static inline void reference_take(reference_t *r, const result_t *res, reference_stat_fn stat,
                                  void *ctx)
{
    memcpy(r->digest, res->digest, sizeof r->digest);
    r->time_ns = res->time_ns;
    for (size_t i = 0; stat && i < res->n_stats; i++)
        stat(ctx, res->stats[i].table, res->stats[i].values);
}

/* The GPU run, with one more -s (NULL: none). */
static inline reference_t reference_gpu(const char *assignment, reference_stat_fn stat, void *ctx)
{
    const char *set[REFERENCE_SET + 1];
    size_t n = 0;
    for (; n < REFERENCE_SET; n++) set[n] = reference_set[n];
    if (assignment) set[n++] = assignment;
    sim_opt_t opt = {.set = set, .n_set = n, .seed = 1, .mode = SIM_EXACT, .threads = 1};
    reference_t r = {0};
    diag_t d;
    diag_init(&d);
    sim_t *s;
    const result_t *res = NULL;
    r.rc = sim_new(&s, REFERENCE_DEVICE, &opt, &d);
    if (r.rc == MS_OK) {
        r.rc = sim_run(s, REFERENCE_TRACE, &res, &d);
        if (r.rc == MS_OK) reference_take(&r, res, stat, ctx);
        sim_free(s);
    }
    if (r.rc != MS_OK && (r.rc != MS_INPUT || !assignment))
        for (size_t i = 0; i < d.n; i++)
            fprintf(stderr, "%s: %s\n", assignment ? assignment : "reference", d.msg[i]);
    diag_free(&d);
    return r;
}

static inline reference_t reference_alone(size_t part, size_t pattern, const char *assignment,
                                          reference_stat_fn stat, void *ctx)
{
    const char *set[3];
    size_t n = 0;
    for (size_t i = 0; i < 2 && reference_dram[part].set[i]; i++)
        set[n++] = reference_dram[part].set[i];
    if (assignment) set[n++] = assignment;
    dram_alone_opt_t opt = {.dram_path = reference_dram[part].path,
                            .set = set,
                            .n_set = n,
                            .pattern = reference_pattern[pattern],
                            .requests = strchr(reference_pattern[pattern], '.') ? 0 : 4000};
    reference_t r = {0};
    diag_t d;
    diag_init(&d);
    arena_t *a = arena_new();
    const result_t *res = NULL;
    const dram_alone_point_t *points = NULL;
    r.rc = dram_alone_run(&opt, a, &res, &points, &d);
    if (r.rc == MS_OK) reference_take(&r, res, stat, ctx);
    if (r.rc != MS_OK && (r.rc != MS_INPUT || !assignment))
        for (size_t i = 0; i < d.n; i++)
            fprintf(stderr, "%s %s: %s\n", opt.dram_path, assignment ? assignment : "", d.msg[i]);
    arena_free(a);
    diag_free(&d);
    return r;
}
#endif
