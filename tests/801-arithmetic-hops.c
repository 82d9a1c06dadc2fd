/* SPDX-License-Identifier: MIT
 * Arithmetic in place of an event for every hop: the same machine run both ways takes the same time within 1 % and
 * moves about the same bytes, on workloads that load it in different ways. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>

static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                    "l2.size=6400KiB", "xbar.gpcs=4"};

typedef struct plan {
    const char *what, *trace, *define[3];
    size_t n;
    double most; /* relative difference of time allowed */
} plan_t;
/* Where an L2 thrashes, small differences in order decide which lines stay: there 2 %. */
static const plan_t plans[] = {
    {"stream from memory", "workloads/stream.trace", {"bytes=16MiB", "kernel=copy16"}, 2, 0.01},
    {"stream, an element a thread",
     "workloads/stream.trace",
     {"bytes=32MiB", "kernel=read"},
     2,
     0.01},
    {"one pass of new lines that fit",
     "workloads/stream.trace",
     {"bytes=1MiB", "kernel=triad16"},
     2,
     0.01},
    {"resident in the L2", "tests/data/resident.trace", {"bytes=2MiB"}, 1, 0.01},
    {"just about resident", "tests/data/resident.trace", {"bytes=3MiB"}, 1, 0.02},
    {"near the L2's capacity", "workloads/stream.trace", {"bytes=3MiB", "kernel=copy16"}, 2, 0.01},
    {"matrix product", "workloads/gemm.trace", {"m=1024", "n=1024", "k=1024"}, 3, 0.01},
    {"gathers", "workloads/lammps.trace", {"cells=16"}, 1, 0.01},
    {"chase in the L2", "workloads/chase.trace", {"bytes=2MiB", "steps=4000"}, 2, 0.01},
    {"chase near the L2's capacity",
     "workloads/chase.trace",
     {"bytes=6MiB", "steps=4000"},
     2,
     0.01},
    {"chase in memory", "workloads/chase.trace", {"bytes=64MiB", "steps=4000"}, 2, 0.01},
};

typedef struct outcome {
    double ns, l2_hits, dram_bytes;
} outcome_t;

static outcome_t run(const plan_t *p, bool hop_events)
{
    sim_opt_t o = {.set = small,
                   .n_set = sizeof small / sizeof *small,
                   .define = p->define,
                   .n_define = p->n,
                   .seed = 1,
                   .mode = SIM_EXACT,
                   .threads = 1,
                   .hop_events = hop_events};
    diag_t d;
    sim_t *s;
    const result_t *r;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&s, "devices/h100.ini", &o, &d), MS_OK);
    int rc = sim_run(s, p->trace, &r, &d);
    ck_assert_msg(rc == MS_OK, "%s: %s", p->what, d.n ? d.msg[0] : "sim_run");
    const res_kernel_t *k = &r->kernels[r->n_kernels - 1]; /* the measured one */
    outcome_t out = {k->time_ns, k->l2_hit_rate, k->dram_bytes};
    sim_free(s);
    diag_free(&d);
    return out;
}

START_TEST(events_for_every_hop_change_the_time_by_less_than_1_per_cent)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const plan_t *p = &plans[i];
        outcome_t fast = run(p, false), slow = run(p, true);
        ck_assert_msg(fabs(fast.ns / slow.ns - 1) < p->most,
                      "%s: %.1f ns, with events %.1f (%+.2f %%)", p->what, fast.ns, slow.ns,
                      100 * (fast.ns / slow.ns - 1));
        ck_assert_msg(fabs(fast.l2_hits - slow.l2_hits) < 0.01, "%s: L2 hit rates %.4f and %.4f",
                      p->what, fast.l2_hits, slow.l2_hits);
        ck_assert_msg(fabs(fast.dram_bytes - slow.dram_bytes) <= 0.02 * slow.dram_bytes,
                      "%s: %.0f and %.0f B of memory", p->what, fast.dram_bytes, slow.dram_bytes);
    }
}
END_TEST

TEST_MAIN("arithmetic hops", events_for_every_hop_change_the_time_by_less_than_1_per_cent)
