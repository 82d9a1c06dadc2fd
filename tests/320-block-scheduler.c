/* SPDX-License-Identifier: MIT
 * The block scheduler by whole runs: dispatch, launch, warp set-up and retirement of empty blocks, waves over the
 * SMs, breadth first.  Every time is a sum worked by hand. */
#include "gpu_run.h"
#include <stdio.h>

#define EMPTY "kernel k() { grid %u\nblock %u\nexit }\nlaunch k()\n"
#define MATH "kernel k() { grid %u\nblock 32\ncompute %u on fp32 }\nlaunch k()\n"

static ps_t empty(unsigned grid, unsigned threads, const char *const *set)
{
    char text[200];
    snprintf(text, sizeof text, EMPTY, grid, threads);
    gpu_run_t g = gpu_run(text, set, false);
    ck_assert_uint_eq(gpu_run_count(&g, "sm", "ctas"), grid);
    ck_assert_uint_eq(gpu_run_count(&g, "sm", "warps"), (uint64_t)grid * ((threads + 31) / 32));
    ps_t t = gpu_run_ps(&g, "k");
    gpu_run_close(&g);
    return t;
}

START_TEST(an_empty_block_costs_launch_warps_and_retirement)
{
    for (unsigned threads = 1; threads <= 1024; threads += 93)
        ck_assert_int_eq(empty(1, threads, NULL), LAUNCH + (threads + 31) / 32 * WARP + RETIRE);
}
END_TEST

/* n blocks on `sms` SMs of one place each: SM i starts i dispatches late and then turns over by itself. */
static ps_t waves(unsigned n, unsigned sms)
{
    ps_t end = 0;
    for (unsigned i = 0; i < sms && i < n; i++)
        end = ps_later(end, (ps_t)i * DISPATCH + (ps_t)((n - i - 1) / sms + 1) * BLOCK);
    return end;
}

START_TEST(blocks_run_in_waves_over_the_sms)
{
    static const char *const one[] = {"gpu.sms=1", "gpu.ctas_per_sm=1", NULL};
    static const char *const four[] = {"gpu.sms=4", "gpu.ctas_per_sm=1", NULL};
    static const unsigned n[] = {1, 3, 4, 5, 8, 11, 40};
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        ck_assert_int_eq(empty(n[i], 32, one), waves(n[i], 1));
        ck_assert_int_eq(empty(n[i], 32, four), waves(n[i], 4));
    }
}
END_TEST

START_TEST(the_scheduler_sends_one_block_every_dispatch)
{
    static const char *const set[] = {"gpu.sms=4", "gpu.cta_dispatch=150ns", "gpu.ctas_per_sm=1",
                                      NULL};
    /* four SMs turn over in 404 ns, so they could take one every 101 ns: the scheduler is slower */
    for (unsigned n = 1; n < 20; n += 6)
        ck_assert_int_eq(empty(n, 32, set), (ps_t)(n - 1) * 150 * NS + BLOCK);
}
END_TEST

static ps_t math(unsigned grid, unsigned operations, const char *const *set)
{
    char text[200];
    snprintf(text, sizeof text, MATH, grid, operations);
    gpu_run_t g = gpu_run(text, set, false);
    ps_t t = gpu_run_ps(&g, "k");
    gpu_run_close(&g);
    return t;
}

START_TEST(blocks_go_to_every_sm_before_one_gets_a_second)
{
    static const char *const four[] = {"gpu.sms=4", NULL};
    const ps_t work = 1000 * NS; /* 256000 operations at 256 a cycle */
    /* one block each: nobody shares a pipe */
    ck_assert_int_eq(math(4, 256000, four), 3 * DISPATCH + BLOCK + work + ALU);
    /* a fifth shares the first SM's pipe */
    ck_assert_int_eq(math(5, 256000, four), BLOCK + 2 * work + ALU);
    ck_assert_int_eq(math(8, 256000, four), 3 * DISPATCH + BLOCK + 2 * work + ALU);
}
END_TEST

START_TEST(a_block_that_does_not_fit_is_refused_with_its_limit)
{
    static const struct {
        const char *block, *limit;
    } c[] = {{"block 1024\nregs 65", "registers"}, {"block 32\nshared 128 KiB", "shared memory"}};
    for (unsigned i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "kernel k() { grid 1\n%s\nexit }\nlaunch k()\n", c[i].block);
        gpu_run_t g = gpu_run_try(text, NULL, false);
        ck_assert_int_eq(g.rc, MS_INPUT);
        ck_assert_ptr_nonnull(strstr(g.diag.msg[0], c[i].limit));
        gpu_run_close(&g);
    }
}
END_TEST

START_TEST(launches_are_a_gap_apart)
{
    static const char *const set[] = {"gpu.launch_gap_stream=3us", "gpu.launch_gap_graph=1us",
                                      NULL};
    gpu_run_t g = gpu_run("kernel k() { grid 1\nblock 32\nexit }\n"
                          "launch k()\nlaunch k()\ngraph { launch k()\nlaunch k() }\n",
                          set, false);
    ck_assert_int_eq(gpu_run_ps(&g, "k"), BLOCK);
    ck_assert_double_eq_tol(g.res->launch_gap_ns, 3000 + 2 * 1000, 1e-6);
    ck_assert_double_eq_tol(g.res->time_ns, 4 * BLOCK / 1e3 + 5000, 1e-6);
    gpu_run_close(&g);
}
END_TEST

TEST_MAIN("block scheduler", an_empty_block_costs_launch_warps_and_retirement,
          blocks_run_in_waves_over_the_sms, the_scheduler_sends_one_block_every_dispatch,
          blocks_go_to_every_sm_before_one_gets_a_second,
          a_block_that_does_not_fit_is_refused_with_its_limit, launches_are_a_gap_apart)
