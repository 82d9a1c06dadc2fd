/* SPDX-License-Identifier: MIT
 * Whole runs judged by other ways to the same answer: partitions in shuffled order, a second simulator in the
 * process; and by the peaks of the hardware. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>
#include <string.h>

/* An eighth or so of an H100, so that a run takes a fraction of a second. */
static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                    "l2.size=6400KiB", "xbar.gpcs=4"};
enum { N_SMALL = sizeof small / sizeof *small };

typedef struct plan {
    const char *trace, *define[3];
    size_t n;
} plan_t;
static const plan_t plans[] = {
    {"workloads/stream.trace", {"bytes=1MiB", "kernel=copy16"}, 2},
    {"workloads/stream.trace", {"bytes=1MiB", "kernel=read"}, 2},
    {"workloads/stream.trace", {"bytes=4MiB", "kernel=triad16"}, 2},
    {"workloads/gemm.trace", {"m=512", "n=512", "k=512"}, 3},
    {"workloads/lammps.trace", {"cells=12"}, 1},
    {"workloads/chase.trace", {"bytes=2MiB", "steps=4000"}, 2},
    {"workloads/chase.trace", {"bytes=6MiB", "steps=4000"}, 2}, /* near the capacity of the L2 */
};
enum { N_PLANS = sizeof plans / sizeof *plans };

static sim_opt_t options(const plan_t *p, sim_mode_t mode)
{
    return (sim_opt_t){.set = small,
                       .n_set = N_SMALL,
                       .define = p->define,
                       .n_define = p->n,
                       .seed = 1,
                       .mode = mode,
                       .threads = 1};
}

static sim_t *build(const sim_opt_t *o)
{
    diag_t d;
    sim_t *s = NULL;
    diag_init(&d);
    int rc = sim_new(&s, "devices/h100.ini", o, &d);
    ck_assert_msg(rc == MS_OK, "%s", d.n ? d.msg[0] : "sim_new");
    diag_free(&d);
    return s;
}

static const result_t *play(sim_t *s, const plan_t *p)
{
    diag_t d;
    const result_t *r = NULL;
    diag_init(&d);
    int rc = sim_run(s, p->trace, &r, &d);
    ck_assert_msg(rc == MS_OK, "%s: %s", p->trace, d.n ? d.msg[0] : "sim_run");
    diag_free(&d);
    return r;
}

START_TEST(partitions_in_any_order_give_the_same_bytes)
{
    for (size_t i = 0; i < N_PLANS; i++) {
        const plan_t *p = &plans[i];
        sim_opt_t o = options(p, SIM_EXACT);
        sim_t *a = build(&o);
        const char *want = play(a, p)->digest;
        for (engine_mode_t m = ENGINE_MERGED; m <= ENGINE_SHUFFLED; m++) {
            o.engine = m;
            sim_t *b = build(&o);
            ck_assert_str_eq(play(b, p)->digest, want);
            sim_free(b);
        }
        sim_free(a);
    }
}
END_TEST

START_TEST(two_simulators_do_not_meet)
{
    const plan_t *p = &plans[0], *q = &plans[3];
    sim_opt_t op = options(p, SIM_AUTO), oq = options(q, SIM_AUTO);
    sim_t *alone = build(&op);
    char want[33];
    memcpy(want, play(alone, p)->digest, sizeof want);
    sim_free(alone);
    sim_t *a = build(&op), *b = build(&oq);
    play(b, q);
    ck_assert_str_eq(play(a, p)->digest, want);
    sim_free(b);
    ck_assert_str_eq(play(a, p)->digest,
                     want); /* a second run of one simulator starts from nothing, too */
    sim_free(a);
}
END_TEST

START_TEST(no_level_is_faster_than_its_peak)
{
    for (size_t i = 0; i < N_PLANS; i++) {
        const plan_t *p = &plans[i];
        sim_opt_t o = options(p, SIM_EXACT);
        sim_t *s = build(&o);
        const result_t *r = play(s, p);
        for (size_t j = 0; j < r->n_levels; j++) {
            const res_level_t *l = &r->levels[j];
            ck_assert_msg(!(l->achieved_GBps > l->peak_GBps), "%s %s: %.1f of %.1f GB/s", p->trace,
                          l->name, l->achieved_GBps, l->peak_GBps);
            double loss = 0;
            for (size_t k = 0; k < l->n_loss; k++) loss += l->loss[k].value;
            if (l->n_loss) ck_assert_msg(fabs(loss - 1) < 1e-9, "loss stack sums to %.9f", loss);
        }
        sim_free(s);
    }
}
END_TEST

TEST_MAIN("judge modes", partitions_in_any_order_give_the_same_bytes, two_simulators_do_not_meet,
          no_level_is_faster_than_its_peak)
