/* SPDX-License-Identifier: MIT
 * The default mode says how well it knows: the time of a run of every access lies inside the interval, the interval
 * is narrow, and less was simulated.  On a small H100, each way of sampling: waves of short blocks, blocks that the
 * memory feeds, steps of long ones, waves of long blocks, loops whose later steps do less on SMs with unlike numbers of
 * warps, a lone warp's loop. */
#include "small_h100.h"
#include <math.h>
#include <unistd.h>

typedef struct sampled_case {
    const char *trace, *define[4];
    size_t n;
} case_t;

static const case_t cases[] = {
    {"workloads/stream.trace", {"kernel=read", "bytes=64MiB"}, 2},
    {"workloads/stream.trace", {"kernel=triad", "bytes=32MiB"}, 2},
    {"workloads/stream.trace", {"kernel=copy16", "bytes=64MiB"}, 2},
    {"workloads/gemm.trace", {"m=512", "n=1024", "k=8192"}, 3},
    {"workloads/gemm.trace", {"m=2048", "n=1024", "k=4096"}, 3},
    {"workloads/lammps.trace", {"cells=20"}, 1},
    {"workloads/lammps.trace", {"cells=16"}, 1},
    {"workloads/gpt.trace", {"layers=1", "prompt=1", "out=0", "tensor=48"}, 4},
    {"workloads/chase.trace", {"bytes=4MiB", "steps=40000"}, 2},
};

static void run(const case_t *c, sim_mode_t mode, double *ns, double *interval, double *requests)
{
    sim_t *s;
    const result_t *r = small_h100_play(&s, c->trace, c->define, c->n, mode);
    *ns = r->time_ns;
    *interval = r->interval;
    *requests = (double)r->host.requests;
    sim_free(s);
}

START_TEST(every_access_lies_in_the_interval)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const case_t *c = &cases[i];
        double ns, exact_ns, interval, none, some, all;
        run(c, SIM_AUTO, &ns, &interval, &some);
        run(c, SIM_EXACT, &exact_ns, &none, &all);
        ck_assert_msg(some < 0.9 * all, "%s %s: %.0f requests of %.0f were simulated", c->trace,
                      c->define[0], some, all);
        ck_assert_msg(fabs(ns / exact_ns - 1) <= interval,
                      "%s %s: %.0f ns +- %.2f %%, every access %.0f (%+.2f %%)", c->trace,
                      c->define[0], ns, 100 * interval, exact_ns, 100 * (ns / exact_ns - 1));
        ck_assert_msg(interval > 0 && interval < 0.1, "%s %s: interval %.3g", c->trace,
                      c->define[0], interval);
        ck_assert(none == 0);
    }
}
END_TEST

/* The first launch meets cold caches, the other 39 warm ones: it must not stand for them. */
START_TEST(first_of_small_launches_is_told_apart)
{
    char path[] = "small-launches-XXXXXX";
    trace_file(path, "memsim trace 1\n"
                     "buffer a size 1 MiB\n"
                     "buffer b size 1 MiB\n"
                     "kernel add(n, in x[4 * n], inout y[4 * n]) {\n"
                     "    grid n / 1024\n"
                     "    block 256\n"
                     "    load 16 at x + 4096 * cta + 512 * warp as v\n"
                     "    load 16 at y + 4096 * cta + 512 * warp as v\n"
                     "    wait v\n"
                     "    store 16 at y + 4096 * cta + 512 * warp\n"
                     "}\n"
                     "for i in 40 { launch add(16384, a, b) }\n");
    const case_t c = {path, {NULL}, 0};
    double ns, exact_ns, interval, none, some, all;
    run(&c, SIM_AUTO, &ns, &interval, &some);
    run(&c, SIM_EXACT, &exact_ns, &none, &all);
    unlink(path);
    ck_assert_double_le(some, all / 10);
    ck_assert_double_le(fabs(ns / exact_ns - 1), 0.01);
    ck_assert_double_le(fabs(ns / exact_ns - 1), interval);
}
END_TEST

static void check_text(const char *text)
{
    char path[] = "unlike-XXXXXX";
    trace_file(path, text);
    const case_t c = {path, {NULL}, 0};
    double ns, exact_ns, interval, none, some, all;
    run(&c, SIM_AUTO, &ns, &interval, &some);
    run(&c, SIM_EXACT, &exact_ns, &none, &all);
    unlink(path);
    ck_assert_msg(fabs(ns / exact_ns - 1) <= interval + 1e-9,
                  "%.0f ns +- %.2f %%, every access %.0f: %s", ns, 100 * interval, exact_ns, text);
}

/* Blocks at the end of a grid that do nothing do not tell what the others do. */
START_TEST(blocks_unlike_those_before)
{
    check_text("memsim trace 1\n"
               "buffer a size 64 MiB\n"
               "kernel half(n, in x[n]) {\n"
               "    grid n / 4096\n"
               "    block 256\n"
               "    if cta > 12000 { exit }\n"
               "    load 16 at x + 4096 * cta + 512 * warp as v\n"
               "    wait v\n"
               "}\n"
               "launch half(64 MiB, a)\n");
}
END_TEST

/* A loop that stores is fast until the L2 is full of its lines. */
START_TEST(stores_do_not_pass_the_peak)
{
    check_text("memsim trace 1\n"
               "buffer a size 64 MiB\n"
               "kernel fill(n, out y[n]) {\n"
               "    grid 128\n"
               "    block 256\n"
               "    for t in n / (128 * 4096) {\n"
               "        store 16 at y + (t * 128 + cta) * 4096 + 512 * warp\n"
               "        compute 16384 on fp32\n"
               "    }\n"
               "}\n"
               "launch fill(64 MiB, a)\n");
}
END_TEST

/* Half of the SMs are done first; their stores still go to the memory while the others' pace would be measured. */
START_TEST(stores_that_outlive_their_warps)
{
    check_text("memsim trace 1\n"
               "buffer a size 64 MiB\n"
               "kernel fill(n, out y[n]) {\n"
               "    grid 128\n"
               "    block 256\n"
               "    for t in 128 {\n"
               "        store 16 at y + (cta * 8 + warp) * 65536 + 512 * t\n"
               "        compute 512 on fp32\n"
               "    }\n"
               "}\n"
               "launch fill(64 MiB, a)\n");
}
END_TEST

TEST_MAIN("sampled in interval", every_access_lies_in_the_interval,
          first_of_small_launches_is_told_apart, blocks_unlike_those_before,
          stores_do_not_pass_the_peak, stores_that_outlive_their_warps)
