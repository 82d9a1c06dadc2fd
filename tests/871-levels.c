/* SPDX-License-Identifier: MIT
 * Latency and bandwidth of the levels: of one read each, to the picosecond; weighted with launches; over the time from
 * the first crossing to the last. */
#include "dram/dram.h"
#include "gpu_run.h"
#include "small_h100.h"

enum {
    L2_ALONE = 80 * NS + 625, /* hit, reply port */
    EDGE = NS - 250,          /* two ports of 125 ps, then the memory waits for its next clock */
    L2_TO_MEMORY = L2_ALONE - 80 * NS + 40 * NS + 60 * NS + 31 * NS + EDGE,
    TO_MEMORY = L2_MISS_PS + EDGE,
    CAS_TO_LAST_BEAT = 14 * NS + 2 * NS, /* CL, burst */
    GAP = 3000 * NS
};

static const char *const gaps[] = {"gpu.launch_gap_stream=3us", NULL};

static const char reader[] = "buffer a size 4 KiB\n"
                             "kernel one(in a[4 KiB]) {\n"
                             "    grid 1\n"
                             "    block 32\n"
                             "    load 4 at a lanes 1 as t\n"
                             "    wait t\n"
                             "}\n";

static const res_level_t *level(const result_t *r, const char *name)
{
    for (size_t i = 0; i < r->n_levels; i++)
        if (!strcmp(r->levels[i].name, name)) return &r->levels[i];
    ck_abort_msg("no level %s", name);
    return NULL;
}

static gpu_run_t run_reader(const char *commands)
{
    char trace[600];
    snprintf(trace, sizeof trace, "%s%s", reader, commands);
    return gpu_run(trace, gaps, true);
}

static void expect_ns(double got, double ps)
{
    ck_assert_msg(fabs(got - ps / 1e3) < 1e-6, "%.6f ns, not %.6f", got, ps / 1e3);
}

START_TEST(a_read_takes_at_each_level_what_its_parts_add_up_to)
{
    gpu_run_t g = run_reader("launch one(a)\n"   /* misses everywhere */
                             "launch one(a)\n"); /* finds it in the L2: the L1 is emptied */
    const res_level_t *l1 = level(g.res, "l1"), *l2 = level(g.res, "l2"),
                      *dram = level(g.res, "dram");
    ck_assert_uint_eq(l1->latency.n, 2);
    expect_ns(l1->latency.mean, (TO_MEMORY + L2_HIT_PS) / 2.0);
    expect_ns(l1->latency.max, TO_MEMORY);
    ck_assert_uint_eq(l2->latency.n, 2);
    expect_ns(l2->latency.mean, (L2_TO_MEMORY + L2_ALONE) / 2.0);
    expect_ns(l2->latency.max, L2_TO_MEMORY);
    ck_assert_double_ge(l2->latency.p50, L2_ALONE / 1e3); /* within a 32nd above */
    ck_assert_double_le(l2->latency.p50, L2_ALONE / 1e3 * 33 / 32);
    ck_assert_uint_eq(dram->latency.n, 1);
    expect_ns(dram->latency.mean, 31 * NS + EDGE);
    gpu_run_close(&g);
}
END_TEST

START_TEST(a_level_that_nothing_crossed_has_no_figures)
{
    gpu_run_t g =
        run_reader("kernel none() {\n    grid 1\n    block 32\n    compute 32 on fp32\n}\n"
                   "launch none()\n");
    for (size_t i = 0; i < g.res->n_levels; i++) {
        ck_assert_uint_eq(g.res->levels[i].latency.n, 0);
        ck_assert(isnan(g.res->levels[i].achieved_GBps));
    }
    gpu_run_close(&g);
}
END_TEST

/* Every launch counts once, however often it was simulated. */
START_TEST(latency_is_weighted_with_launches)
{
    gpu_run_t g = run_reader("launch one(a)\nlaunch one(a)\nlaunch one(a)\nlaunch one(a)\n");
    const res_level_t *l1 = level(g.res, "l1"), *l2 = level(g.res, "l2");
    ck_assert_uint_eq(l1->latency.n, 4);
    expect_ns(l1->latency.mean, (TO_MEMORY + 3.0 * L2_HIT_PS) / 4);
    ck_assert_uint_eq(l2->latency.n, 4);
    expect_ns(l2->latency.mean, (L2_TO_MEMORY + 3.0 * L2_ALONE) / 4);
    gpu_run_close(&g);
}
END_TEST

START_TEST(achieved_is_bytes_over_first_crossing_to_last)
{
    /* the second kernel reads the same way after its launch, so the stretch is a kernel, a gap and the level's part */
    gpu_run_t g = run_reader("launch one(a)\nlaunch one(a)\n");
    double first_ps = BLOCK + DISPATCH + TO_MEMORY, apart = first_ps + GAP;
    double whole = g.res->time_ns * 1e3;
    ck_assert_double_eq_tol(whole, 2 * first_ps + GAP - (TO_MEMORY - L2_HIT_PS), 5 * NS);
    apart = whole - (first_ps - TO_MEMORY + L2_HIT_PS); /* begin to begin */
    const double want[] = {64 * 1e3 / (apart + L2_HIT_PS), 64 * 1e3 / (apart + L2_ALONE),
                           32 * 1e3 / CAS_TO_LAST_BEAT};
    const char *const name[] = {"l1", "l2", "dram"};
    for (size_t i = 0; i < 3; i++) {
        double got = level(g.res, name[i])->achieved_GBps;
        ck_assert_msg(fabs(got / want[i] - 1) < 0.002, "%s: %.6f GB/s, not %.6f", name[i], got,
                      want[i]);
    }
    gpu_run_close(&g);
}
END_TEST

START_TEST(bulk_copies_do_not_cross_the_l1)
{
    gpu_run_t g = gpu_run("buffer a size 4 KiB\n"
                          "kernel one(inout a[4 KiB]) {\n"
                          "    grid 1\n"
                          "    block 128\n"
                          "    agent\n"
                          "    tile load at a rows 4 of 128\n"
                          "    commit\n"
                          "    wait group 0\n"
                          "    tile store at a rows 4 of 128\n"
                          "}\n"
                          "launch one(a)\n",
                          NULL, true);
    const res_level_t *l1 = level(g.res, "l1"), *l2 = level(g.res, "l2");
    ck_assert_double_eq(l1->read_bytes + l1->write_bytes, 0);
    ck_assert(isnan(l1->achieved_GBps));
    ck_assert_double_eq(l2->read_bytes, 512);
    ck_assert_double_eq(l2->write_bytes, 512);
    gpu_run_close(&g);
}
END_TEST

/* What sampling passes over is inside: the stretch is nearly the kernel. */
START_TEST(skipped_time_counts)
{
    static const char *const define[] = {"kernel=copy", "bytes=64MiB"};
    sim_opt_t o = {.define = define, .n_define = 2, .seed = 1, .mode = SIM_SAMPLE, .sample_pct = 1};
    diag_t d;
    diag_init(&d);
    sim_t *s;
    const result_t *r;
    ck_assert_int_eq(sim_new(&s, "devices/h100.ini", &o, &d), MS_OK);
    ck_assert_int_eq(sim_run(s, "workloads/stream.trace", &r, &d), MS_OK);
    ck_assert_uint_lt(r->host.requests, 900000); /* of 1048576 lines */
    for (size_t i = 0; i < r->n_levels; i++) {
        const res_level_t *l = &r->levels[i];
        double span_ns = (l->read_bytes + l->write_bytes) / l->achieved_GBps;
        ck_assert_msg(span_ns > 0.9 * r->time_ns && span_ns < r->time_ns, "%s: %.0f of %.0f ns",
                      l->name, span_ns, r->time_ns);
        if (strcmp(l->name, "dram") != 0) /* reads are of lines of 128 B */
            ck_assert_double_eq_tol((double)l->latency.n, l->read_bytes / 128,
                                    0.01 * (double)l->latency.n);
    }
    sim_free(s);
    diag_free(&d);
}
END_TEST

/* A byte of memory is counted where the L2 hands it over: the kernels' sum is the level's, whatever waits in queues. */
START_TEST(the_memorys_bytes_are_those_of_the_kernels)
{
    static const char *const define[] = {"bytes=8MiB"};
    static const sim_mode_t mode[] = {SIM_EXACT, SIM_AUTO};
    for (size_t m = 0; m < 2; m++) {
        sim_t *s;
        const result_t *r = small_h100_play(&s, "workloads/stream.trace", define, 1, mode[m]);
        const res_level_t *dram = level(r, "dram");
        double kernels = 0, level_bytes = dram->read_bytes + dram->write_bytes;
        for (size_t i = 0; i < r->n_kernels; i++)
            kernels += r->kernels[i].dram_bytes * (double)r->kernels[i].count;
        ck_assert_double_gt(dram->write_bytes, 8 << 20);
        ck_assert_double_eq(kernels, level_bytes);
        ck_assert_double_lt(dram->achieved_GBps, dram->peak_GBps);
        sim_free(s);
    }
}
END_TEST

/* Sampled, a GEMV moves its weights once: what waits for the memory while its rate is measured is not multiplied.  Four
 * times the SMs of the small H100, so that much does. */
START_TEST(what_sampling_passes_over_is_moved_once)
{
    static const char *const set[] = {"gpu.sms=64", "memory.channels=10", "l2.slices=10",
                                      "l2.size=6400KiB"};
    static const char *const define[] = {"layers=1", "prompt=1", "out=0", "tensor=24"};
    sim_opt_t o = {
        .set = set, .n_set = 4, .define = define, .n_define = 4, .seed = 1, .mode = SIM_AUTO};
    sim_t *s;
    const result_t *r;
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&s, "devices/h100.ini", &o, &d), MS_OK);
    ck_assert_int_eq(sim_run(s, "workloads/gpt.trace", &r, &d), MS_OK);
    size_t sampled = 0;
    for (size_t i = 0; i < r->n_kernels; i++) {
        const res_kernel_t *k = &r->kernels[i];
        if (strcmp(k->name, "gemv") != 0) continue;
        sampled += k->interval > 0;
        ck_assert_double_eq_tol(k->dram_bytes / k->read_bytes, 1, 0.01);
    }
    ck_assert_uint_gt(sampled, 0);
    sim_free(s);
    diag_free(&d);
}
END_TEST

static double hop(const result_t *r, const char *name)
{
    for (size_t i = 0; i < r->n_latency_stack; i++)
        if (!strcmp(r->latency_stack[i].name, name)) return r->latency_stack[i].value;
    ck_abort_msg("no hop %s", name);
    return 0;
}

/* Where every load is a read of memory, the level's latency is that of the two hops, with what waits in front of full
 * queues. */
START_TEST(the_memorys_latency_is_its_part_of_a_loads)
{
    static const char *const define[] = {"kernel=copy", "bytes=8MiB"};
    sim_t *s;
    const result_t *r = small_h100_play(&s, "workloads/stream.trace", define, 2, SIM_EXACT);
    const res_level_t *dram = level(r, "dram");
    ck_assert_uint_eq(dram->latency.n, (8 << 20) / 128);
    /* A request may enter its queue a few clocks before its lookup is done: the stack counts it from there. */
    const double hops = hop(r, "memory queue") + hop(r, "memory data");
    ck_assert_double_eq_tol(dram->latency.mean, hops, 0.001 * hops);
    for (size_t i = 0; i < r->n_stats; i++)
        if (r->stats[i].table == &dram_stat_table)
            ck_assert_uint_gt(((const dram_stats_t *)r->stats[i].values)->staged_ps, 0);
    sim_free(s);
}
END_TEST

/* A kernel of stores ends with some of them in the controllers' queues: the time they take is counted as well. */
START_TEST(stores_that_wait_at_the_end_are_counted_with_their_time)
{
    static const char *const through[] = {"l2.write=through", NULL};
    gpu_run_t g = gpu_run("buffer a size 64 KiB\n"
                          "kernel one(out a[64 KiB]) {\n"
                          "    grid 1\n"
                          "    block 1024\n"
                          "    store 16 at a + 512 * warp\n"
                          "}\n"
                          "launch one(a)\n",
                          through, true);
    const res_level_t *dram = level(g.res, "dram");
    ck_assert_double_eq(dram->write_bytes, 16 << 10);
    ck_assert_double_eq(gpu_run_kernel(&g, "one")->dram_bytes, 16 << 10);
    ck_assert_double_le(dram->achieved_GBps, dram->peak_GBps);
    gpu_run_close(&g);
}
END_TEST

TEST_MAIN("levels", what_sampling_passes_over_is_moved_once,
          the_memorys_latency_is_its_part_of_a_loads, the_memorys_bytes_are_those_of_the_kernels,
          stores_that_wait_at_the_end_are_counted_with_their_time,
          a_read_takes_at_each_level_what_its_parts_add_up_to,
          a_level_that_nothing_crossed_has_no_figures, latency_is_weighted_with_launches,
          achieved_is_bytes_over_first_crossing_to_last, bulk_copies_do_not_cross_the_l1,
          skipped_time_counts)
