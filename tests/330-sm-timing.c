/* SPDX-License-Identifier: MIT
 * The SM by whole runs: loads, limits on what is in flight, barriers, arithmetic pipes, asynchronous copies.
 * Every time is a sum worked by hand from tests/data/round.ini.
 *
 * Kernel `warm` brings what kernel `k` needs into the L2; `k` starts with an empty L1. */
#include "gpu_run.h"
#include <stdio.h>

#define WARM                                                    \
    "buffer b size 64 KiB\n"                                    \
    "kernel warm(in x[64 KiB]) { grid 1\nblock 32\nlet l = x\n" \
    "for i in 128 { load 16 at l + 512 * i as v }\nwait v }\n"  \
    "launch warm(b)\n"

static ps_t run(const char *kernel, const char *const *set)
{
    char text[1000];
    snprintf(text, sizeof text, WARM "kernel k(in x[64 KiB]) {\n%s\n}\nlaunch k(b)\n", kernel);
    gpu_run_t g = gpu_run(text, set, false);
    ps_t t = gpu_run_ps(&g, "k");
    gpu_run_close(&g);
    return t;
}

/* ---- loads ---- */
START_TEST(a_load_takes_the_sum_of_its_hops)
{
    ck_assert_int_eq(run("grid 1\nblock 32\nload 8 at x lanes 4 as v\nwait v", NULL),
                     BLOCK + L2_HIT_PS);
    /* the second time it is in the L1 */
    ck_assert_int_eq(run("grid 1\nblock 32\nload 8 at x lanes 4 as v\nwait v\n"
                         "load 8 at x lanes 4 as w\nwait w",
                         NULL),
                     BLOCK + L2_HIT_PS + L1_HIT_PS);
    /* four sectors: 136 B through two reply ports of 64 B, 2.125 instead of 0.625 cycles each */
    ck_assert_int_eq(run("grid 1\nblock 32\nload 4 at x as v\nwait v", NULL),
                     BLOCK + L2_HIT_PS + 2 * 1500);
    /* a warp without a wait ends no sooner than its loads */
    ck_assert_int_eq(run("grid 1\nblock 32\nload 8 at x lanes 4", NULL), BLOCK + L2_HIT_PS);
}
END_TEST

START_TEST(a_load_from_memory_adds_the_memory)
{
    for (unsigned hop = 0; hop < 2; hop++) {
        gpu_run_t g = gpu_run("buffer b size 64 KiB\n"
                              "kernel k(in x[64 KiB]) { grid 1\nblock 32\n"
                              "load 8 at x lanes 4 as v\nwait v }\nlaunch k(b)\n",
                              NULL, hop);
        /* the memory works in whole cycles of its clock; without hop events the request leaves the slice a port time
         * early */
        ps_t t = gpu_run_ps(&g, "k") - BLOCK;
        ck_assert_msg(t >= L2_MISS_PS - 125 && t < L2_MISS_PS + NS, "%lld ps, about %d expected",
                      (long long)t, L2_MISS_PS);
        ck_assert_uint_eq(gpu_run_count(&g, "dram", "reads"), 1);
        gpu_run_close(&g);
    }
}
END_TEST

START_TEST(what_is_in_flight_bounds_dependent_rounds)
{
    /* 16 loads of a sector each, in different lines; with room for m they come in 16 / m rounds.  Requests of a round
     * follow each other by a cycle of the load/store pipe, so the last round's last load is m - 1 cycles behind. */
    static const unsigned m[] = {1, 2, 4, 8, 16};
    for (unsigned which = 0; which < 2; which++)
        for (unsigned i = 0; i < sizeof m / sizeof *m; i++) {
            char limit[40];
            snprintf(limit, sizeof limit, "gpu.%s=%u", which ? "loads_per_sm" : "loads_per_warp",
                     m[i]);
            const char *const set[] = {limit, NULL};
            ps_t t =
                run("grid 1\nblock 32\nfor i in 16 { load 8 at x + 128 * i lanes 4 as v }\nwait v",
                    set);
            ps_t want = BLOCK + (ps_t)(16 / m[i]) * L2_HIT_PS + (ps_t)(m[i] - 1) * NS;
            /* a slot of the SM is free when the reply is at its port, 625 ps and the fill time before the data are in
             * the register; the warp's own limit waits for the register */
            if (which) want -= (ps_t)(16 / m[i] - 1) * (10 * NS + 625);
            ck_assert_msg(t == want, "%s: %lld ps, not %lld", limit, (long long)t, (long long)want);
        }
}
END_TEST

START_TEST(the_load_store_pipe_takes_a_line_a_cycle)
{
    /* a load of 32 lines that are all in the L1, 8 times: the pipe takes 32 cycles each */
    static const char *const set[] = {"gpu.loads_per_warp=1024", NULL};
    static const char *const slow[] = {"gpu.loads_per_warp=1024", "gpu.lsu_lines_per_clk=0.5",
                                       NULL};
    const char *once = "grid 1\nblock 32\nload 4 at x step 128 as v\nwait v";
    const char *nine = "grid 1\nblock 32\nload 4 at x step 128 as v\nwait v\n"
                       "for i in 8 { load 4 at x step 128 as w }\nwait w";
    ck_assert_int_eq(run(nine, set) - run(once, set), (8 * 32 - 1) * NS + L1_HIT_PS);
    ck_assert_int_eq(run(nine, slow) - run(once, slow), (8 * 32 - 1) * 2 * NS + L1_HIT_PS);
}
END_TEST

/* ---- barriers ---- */
START_TEST(a_barrier_waits_for_the_last_warp)
{
    /* 8 warps start 4 ns apart; all end a barrier after the last */
    ck_assert_int_eq(run("grid 1\nblock 256\nbarrier", NULL), LAUNCH + 8 * WARP + BARRIER + RETIRE);
    ck_assert_int_eq(run("grid 1\nblock 256\nfor i in 5 { barrier }", NULL),
                     LAUNCH + 8 * WARP + 5 * BARRIER + RETIRE);
    /* one warp that is late by a load holds all up */
    ck_assert_int_eq(
        run("grid 1\nblock 256\nif warp == 3 { load 8 at x lanes 4 as v\nwait v }\nbarrier", NULL),
        LAUNCH + 4 * WARP + L2_HIT_PS + BARRIER + RETIRE);
    /* warps that have ended are not waited for */
    ck_assert_int_eq(run("grid 1\nblock 256\nif warp % 2 { exit }\nbarrier", NULL),
                     LAUNCH + 8 * WARP + BARRIER + RETIRE);
}
END_TEST

START_TEST(blocks_have_barriers_of_their_own)
{
    gpu_run_t g = gpu_run("kernel k() { grid 6\nblock 64\nfor i in 3 { barrier } }\nlaunch k()\n",
                          NULL, false);
    ck_assert_uint_eq(gpu_run_count(&g, "sm", "barriers"), 6 * 3);
    gpu_run_close(&g);
}
END_TEST

/* ---- arithmetic ---- */
START_TEST(a_pipe_does_its_rate)
{
    /* 40 times 25600 operations at 256 a cycle: 100 cycles each; the last result is `alu` behind */
    ck_assert_int_eq(run("grid 1\nblock 32\nfor i in 40 { compute 25600 on fp32 }", NULL),
                     BLOCK + 40 * 100 * NS + ALU);
    /* 4 warps share the pipe; the first starts it 3 warp set-ups before the last */
    ck_assert_int_eq(run("grid 1\nblock 128\nfor i in 10 { compute 25600 on fp32 }", NULL),
                     BLOCK + 40 * 100 * NS + ALU);
    /* the tensor pipe is deeper */
    ck_assert_int_eq(
        run("grid 1\nblock 384\nagent\nfor i in 40 { compute 102400 on tensor_fp16 }", NULL),
        BLOCK + 40 * 100 * NS + MMA);
    /* a remainder is rounded up to a picosecond, not to a cycle: 100 / 256 */
    ck_assert_int_eq(run("grid 1\nblock 32\ncompute 100 on fp32", NULL), BLOCK + 391 + ALU);
}
END_TEST

START_TEST(different_pipes_run_side_by_side)
{
    static const char *const wide[] = {"gpu.mma_in_flight=8", NULL};
    /* two warps, one on each pipe */
    ck_assert_int_eq(run("grid 1\nblock 64\nif warp { compute 102400 on tensor_fp16 }"
                         " else { compute 51200 on fp32 }",
                         wide),
                     BLOCK + 200 * NS + ALU);
    ck_assert_int_eq(run("grid 1\nblock 64\nif warp { compute 204800 on tensor_fp16 }"
                         " else { compute 25600 on fp32 }",
                         wide),
                     BLOCK + WARP + 200 * NS + MMA);
}
END_TEST

START_TEST(a_store_waits_for_the_results_it_stores)
{
    /* the store leaves when the result is there; its acknowledgement comes back before the block is retired */
    gpu_run_t g = gpu_run("buffer b size 64 KiB\n"
                          "kernel k(out x[64 KiB]) { grid 1\nblock 32\ncompute 25600 on fp32\n"
                          "store 8 at x lanes 4 }\nlaunch k(b)\n",
                          NULL, false);
    /* a kernel ends when the L2 has taken its stores and the news is at the scheduler: miss path out, 40 B through two
     * ports, an acknowledgement of 8 B through the slice's port to the SM's */
    ps_t ack = 20 * NS + 625 + 50 * NS + 625 + 125 + 50 * NS;
    ck_assert_int_eq(gpu_run_ps(&g, "k"), BLOCK + 100 * NS + ALU + ack);
    gpu_run_close(&g);
}
END_TEST

START_TEST(shared_memory_moves_its_width)
{
    ck_assert_int_eq(run("grid 1\nblock 32\nfor i in 10 { smem 4096 }", NULL),
                     BLOCK + 10 * 32 * NS + ALU);
}
END_TEST

/* ---- asynchronous copies ---- */
#define COPY "tile load at x + 128 * %s rows 1 of 32 step 128\ncommit\n"

START_TEST(a_copy_group_arrives_like_a_load)
{
    ck_assert_int_eq(run("grid 1\nblock 128\nagent\n"
                         "tile load at x rows 1 of 32\ncommit\nwait group 0",
                         NULL),
                     BLOCK + L2_HIT_PS);
    /* 64 lines of a sector: a line a cycle leaves the copy engine */
    ck_assert_int_eq(run("grid 1\nblock 128\nagent\n"
                         "tile load at x rows 64 of 32 step 128\ncommit\nwait group 0",
                         NULL),
                     BLOCK + L2_HIT_PS + 63 * NS);
    /* what follows the wait begins when the last of them is there */
    ck_assert_int_eq(run("grid 1\nblock 128\nagent\n"
                         "tile load at x rows 64 of 32 step 128\ncommit\nwait group 0\n"
                         "compute 102400 on tensor_fp16",
                         NULL),
                     BLOCK + L2_HIT_PS + 63 * NS + 100 * NS + MMA);
    /* rows of 128 B: the reply ports, 2.125 cycles a line, are the narrowest */
    ck_assert_int_eq(run("grid 1\nblock 128\nagent\n"
                         "tile load at x rows 64 of 128 step 128\ncommit\nwait group 0",
                         NULL),
                     BLOCK + L2_HIT_PS + 2 * 1500 + 63 * 2125);
}
END_TEST

START_TEST(stages_bound_the_copies_in_flight)
{
    /* 12 copies, `stages` in flight, nothing else: a chain of 12 / stages latencies */
    static const unsigned stages[] = {1, 2, 3, 4, 6, 12};
    for (unsigned i = 0; i < sizeof stages / sizeof *stages; i++) {
        char text[400];
        unsigned s = stages[i];
        snprintf(text, sizeof text,
                 "grid 1\nblock 128\nagent\nfor j in %u { " COPY
                 "}\nfor j in %u { wait group %u\n" COPY "}\nwait group 0",
                 s, "j", 12 - s, s - 1, "j");
        ck_assert_int_eq(run(text, NULL), BLOCK + (ps_t)(12 / s) * L2_HIT_PS + (ps_t)(s - 1) * NS);
    }
}
END_TEST

START_TEST(enough_stages_hide_the_copies_behind_the_arithmetic)
{
    /* 20 steps of 200 cycles on the tensor pipe; a copy takes 236: two stages hide it, the first is not hidden */
    ps_t t = run("grid 1\nblock 128\nagent\nfor s in 2 { tile load at x rows 1 of 32\ncommit }\n"
                 "for s in 18 { wait group 1\ncompute 204800 on tensor_fp16\n"
                 "tile load at x + 128 * s rows 1 of 32\ncommit }\n"
                 "for s in 2 { wait group 0\ncompute 204800 on tensor_fp16 }",
                 NULL);
    ck_assert_int_eq(t, BLOCK + L2_HIT_PS + 20 * 200 * NS + MMA);
    /* one stage, and one operation at a time in the pipe: copy and arithmetic take turns.  The copy is sent when the
     * pipe has taken the operation, so of each turn only what the copy takes longer shows;
     * they are issued a quarter of a cycle apart. */
    static const char *const one[] = {"gpu.mma_in_flight=1", NULL};
    t = run("grid 1\nblock 128\nagent\nfor s in 10 { tile load at x rows 1 of 32\ncommit\n"
            "wait group 0\ncompute 102400 on tensor_fp16 }",
            one);
    ck_assert_int_eq(t, BLOCK + 10 * L2_HIT_PS + 9 * 250 + 100 * NS + MMA);
}
END_TEST

TEST_MAIN("SM timing", a_load_takes_the_sum_of_its_hops, a_load_from_memory_adds_the_memory,
          what_is_in_flight_bounds_dependent_rounds, the_load_store_pipe_takes_a_line_a_cycle,
          a_barrier_waits_for_the_last_warp, blocks_have_barriers_of_their_own,
          a_pipe_does_its_rate, different_pipes_run_side_by_side,
          a_store_waits_for_the_results_it_stores, shared_memory_moves_its_width,
          a_copy_group_arrives_like_a_load, stages_bound_the_copies_in_flight,
          enough_stages_hide_the_copies_behind_the_arithmetic)
