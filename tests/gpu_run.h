/* SPDX-License-Identifier: MIT
 * A whole run of a trace given as text on the GPU of tests/data/round.ini, every access simulated.
 * Times are ps.  gpu_run_close frees all. */
#ifndef MEMSIM_TESTS_GPU_RUN_H
#define MEMSIM_TESTS_GPU_RUN_H
#include "machine/sim.h"
#include "test.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define ROUND_DEVICE "tests/data/round.ini"

typedef struct gpu_run {
    sim_t *sim;
    const result_t *res;
    int rc;
    diag_t diag;
} gpu_run_t;

/* Run `trace` (its first line is added) with up to 12 -s assignments, ended by NULL. */
static inline gpu_run_t gpu_run_try(const char *trace, const char *const *set, bool hop_events)
{
    char path[] = "/tmp/memsim-run-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "memsim trace 1\n%s", trace);
    ck_assert_int_eq(fclose(f), 0);
    size_t n = 0;
    while (set && set[n]) n++;
    sim_opt_t o = {.set = set,
                   .n_set = n,
                   .seed = 1,
                   .mode = SIM_EXACT,
                   .threads = 1,
                   .hop_events = hop_events};
    gpu_run_t g = {.sim = NULL};
    diag_init(&g.diag);
    g.rc = sim_new(&g.sim, ROUND_DEVICE, &o, &g.diag);
    ck_assert_msg(g.rc == MS_OK, "%s", g.diag.n ? g.diag.msg[0] : "device");
    g.rc = sim_run(g.sim, path, &g.res, &g.diag);
    unlink(path);
    return g;
}

static inline gpu_run_t gpu_run(const char *trace, const char *const *set, bool hop_events)
{
    gpu_run_t g = gpu_run_try(trace, set, hop_events);
    ck_assert_msg(g.rc == MS_OK, "%s", g.diag.n ? g.diag.msg[0] : "no message");
    return g;
}

static inline void gpu_run_close(gpu_run_t *g)
{
    sim_free(g->sim);
    diag_free(&g->diag);
}

static inline const res_kernel_t *gpu_run_kernel(const gpu_run_t *g, const char *name)
{
    for (size_t i = 0; i < g->res->n_kernels; i++)
        if (!strcmp(g->res->kernels[i].name, name)) return &g->res->kernels[i];
    ck_abort_msg("no kernel %s", name);
    return NULL;
}

/* Time of one launch of a kernel. */
static inline ps_t gpu_run_ps(const gpu_run_t *g, const char *name)
{
    return (ps_t)llround(gpu_run_kernel(g, name)->time_ns * 1000);
}

/* A counter of the whole run: component ("sm", "l1", "l2", "xbar", "dram") and name. */
static inline uint64_t gpu_run_count(const gpu_run_t *g, const char *component, const char *name)
{
    for (size_t i = 0; i < g->res->n_stats; i++) {
        const stat_table_t *t = g->res->stats[i].table;
        for (size_t k = 0; k < t->n && !strcmp(t->component, component); k++)
            if (!strcmp(t->rows[k].name, name))
                return stat_get(&t->rows[k], g->res->stats[i].values);
    }
    ck_abort_msg("no statistic %s.%s", component, name);
    return 0;
}

/* ---- what round.ini says ---- */
enum {
    NS = 1000,
    DISPATCH = 2 * NS,
    LAUNCH = 300 * NS,
    RETIRE = 100 * NS,
    WARP = 4 * NS,
    BARRIER = 20 * NS,
    ALU = 4 * NS,
    MMA = 32 * NS,
    L1_HIT_PS = 30 * NS,
    /* a sector's way from the load to the register when it hits in the L2: miss, port (8 B of 64), crossbar, port, L2,
     * port (40 B), crossbar, port, fill */
    L2_HIT_PS = 20 * NS + 125 + 50 * NS + 125 + 80 * NS + 625 + 50 * NS + 625 + 10 * NS,
    /* beyond a hit: to the memory and back instead of the hit's time; a lone read of a closed bank of HBM2 at 2 Gb/s
     * takes 1 + tRCD 14 + CL 14 + burst 2 */
    L2_MISS_PS = L2_HIT_PS - 80 * NS + 40 * NS + 60 * NS + 31 * NS,
    /* a block of one warp that does nothing */
    BLOCK = LAUNCH + WARP + RETIRE
};
#endif
