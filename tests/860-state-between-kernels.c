/* SPDX-License-Identifier: MIT
 * What a kernel leaves to the next: the L1 is empty at its start, the L2 keeps its lines, dirty ones included; what
 * is dirty at the end is reported.  Hits and bytes are counted by hand (one SM, one slice, LRU). */
#include "gpu_run.h"
#include <stdio.h>

enum { KIB = 1024 };

/* `rd` and `wr` go over n KiB of b in order, a warp's 512 B at a time. */
#define KERNELS                                                                             \
    "buffer b size 8 MiB\n"                                                                 \
    "kernel rd(n, in x[n * 1 KiB]) { grid 1\nblock 32\nfor i in 2 * n { "                   \
    "load 16 at x + 512 * i as v\nwait v } }\n"                                             \
    "kernel wr(n, out x[n * 1 KiB]) { grid 1\nblock 32\nfor i in 2 * n { "                  \
    "store 16 at x + 512 * i } }\n"                                                         \
    "kernel again(n, in x[n * 1 KiB]) { grid 1\nblock 32\nfor i in 2 * n { "                \
    "load 16 at x + 512 * i as v\nwait v } }\n"                                             \
    "kernel twice(n, keep, in x[n * 1 KiB]) { grid 1\nblock 32\nshared keep\nfor j in 2 { " \
    "for i in 2 * n { load 16 at x + 512 * i as v\nwait v } } }\n"

static gpu_run_t run(const char *launches, const char *const *set)
{
    char text[3000];
    snprintf(text, sizeof text, "%s%s", KERNELS, launches);
    return gpu_run(text, set, false);
}

static void rates(const gpu_run_t *g, const char *kernel, double l1, double l2, double dram_bytes)
{
    const res_kernel_t *k = gpu_run_kernel(g, kernel);
    ck_assert_msg(fabs(k->l1_hit_rate - l1) < 1e-12, "%s: L1 hit rate %.6f, not %.6f", kernel,
                  k->l1_hit_rate, l1);
    ck_assert_msg(fabs(k->l2_hit_rate - l2) < 1e-12, "%s: L2 hit rate %.6f, not %.6f", kernel,
                  k->l2_hit_rate, l2);
    ck_assert_double_eq_tol(k->dram_bytes, dram_bytes, 1e-6);
}

START_TEST(the_l2_is_kept_and_the_l1_is_not)
{
    /* 64 KiB fit in the L1 (128 KiB) as well: the next kernel still finds nothing there */
    gpu_run_t g = run("launch rd(64, b)\nlaunch again(64, b)\n", NULL);
    rates(&g, "rd", 0, 0, 64 * KIB);
    rates(&g, "again", 0, 1, 0);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "reads"), 2 * 512); /* lines of 128 B */
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "hits"), 512);
    gpu_run_close(&g);
    /* within a kernel it does */
    g = run("launch twice(64, 0, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l1", "hits"), 512);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "reads"), 512);
    gpu_run_close(&g);
}
END_TEST

START_TEST(what_was_read_is_found_and_the_rest_is_not)
{
    gpu_run_t g = run("launch rd(32, b)\nlaunch again(128, b)\n", NULL);
    rates(&g, "again", 0, 0.25, 96 * KIB);
    gpu_run_close(&g);
    /* in order around more than the L2 holds, LRU finds nothing */
    static const char *const small[] = {"l2.size=64KiB", NULL};
    g = run("launch rd(128, b)\nlaunch again(128, b)\n", small);
    rates(&g, "again", 0, 0, 128 * KIB);
    gpu_run_close(&g);
    /* the last 64 KiB of it are there */
    g = run("launch rd(128, b)\nlaunch again(64, b + 64 KiB)\n", small);
    rates(&g, "again", 0, 1, 0);
    gpu_run_close(&g);
}
END_TEST

START_TEST(shared_memory_is_taken_from_the_l1)
{
    /* 96 KiB + 1 KiB leave 31 KiB of 128: 248 lines, 62 sets of 4.  32 KiB are 256 lines: 8 sets get a fifth, and LRU
     * then misses all five of them. */
    gpu_run_t g = run("launch twice(32, 96 KiB, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l1", "hits"), 256 - 8 * 5);
    gpu_run_close(&g);
    g = run("launch twice(31, 96 KiB, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l1", "hits"), 248);
    gpu_run_close(&g);
    /* blocks that fit side by side take theirs each: 3 x 41 KiB leave 5 KiB, 40 lines */
    g = run("launch twice(5, 40 KiB, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l1", "hits"), 40);
    gpu_run_close(&g);
    g = run("launch twice(10, 40 KiB, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l1", "hits"), 0);
    gpu_run_close(&g);
}
END_TEST

START_TEST(stores_stay_in_the_l2_until_they_are_pushed_out)
{
    gpu_run_t g = run("launch wr(32, b)\n", NULL);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "writes"), 256);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "memory_write_bytes"), 0);
    ck_assert_double_eq(g.res->l2_dirty_bytes, 32 * KIB);
    gpu_run_close(&g);
    /* the next kernel reads them from there */
    g = run("launch wr(32, b)\nlaunch rd(32, b)\n", NULL);
    rates(&g, "rd", 0, 1, 0);
    ck_assert_double_eq(g.res->l2_dirty_bytes, 32 * KIB);
    gpu_run_close(&g);
    /* reading 64 KiB of something else through an L2 of 64 KiB writes them to memory, each once */
    static const char *const small[] = {"l2.size=64KiB", NULL};
    g = run("launch wr(32, b)\nlaunch rd(64, b + 1 MiB)\n", small);
    rates(&g, "rd", 0, 0, 96 * KIB);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "memory_write_bytes"), 32 * KIB);
    ck_assert_double_eq(g.res->l2_dirty_bytes, 0);
    gpu_run_close(&g);
    /* written through there is never anything left */
    static const char *const through[] = {"l2.write=through", NULL};
    g = run("launch wr(32, b)\n", through);
    ck_assert_uint_eq(gpu_run_count(&g, "l2", "memory_write_bytes"), 32 * KIB);
    ck_assert_double_eq(g.res->l2_dirty_bytes, 0);
    gpu_run_close(&g);
}
END_TEST

/* Whatever the sizes: bytes that were stored once are in memory or dirty; bytes read are those of the misses; what the
 * L2 asked of memory is what memory moved. */
START_TEST(bytes_are_conserved)
{
    static const char *const sizes[] = {"l2.size=64KiB", "l2.size=96KiB", "l2.size=256KiB",
                                        "l2.size=1MiB"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned hop = 0; hop < 2; hop++) {
            const char *const set[] = {sizes[i], "gpu.sms=3", "l2.mshrs=8", "l2.writebacks=4",
                                       NULL};
            gpu_run_t g =
                gpu_run("buffer a size 1 MiB\nbuffer b size 1 MiB\n"
                        "kernel copy(in x[256 KiB], out y[256 KiB]) { grid 64\nblock 256\n"
                        "load 16 at x + 4096 * cta + 512 * warp as v\nwait v\n"
                        "store 16 at y + 4096 * cta + 512 * warp }\n"
                        "launch copy(a, b)\n",
                        set, hop);
            ck_assert_double_eq((double)gpu_run_count(&g, "l2", "memory_write_bytes") +
                                    g.res->l2_dirty_bytes,
                                256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "l2", "memory_read_bytes"), 256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "sm", "load_bytes"), 256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "sm", "store_bytes"), 256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "l1", "fill_bytes"), 256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "l2", "read_bytes"), 256 * KIB);
            ck_assert_uint_eq(gpu_run_count(&g, "l2", "write_bytes"), 256 * KIB);
            /* 2048 lines each way: requests of 8 B and stores of 136 up, data of 136 and acknowledgements of 8 down */
            ck_assert_uint_eq(gpu_run_count(&g, "xbar", "request_bytes"), 2048 * (8 + 136));
            ck_assert_uint_eq(gpu_run_count(&g, "xbar", "reply_bytes"), 2048 * (136 + 8));
            gpu_run_close(&g);
        }
}
END_TEST

TEST_MAIN("state between kernels", the_l2_is_kept_and_the_l1_is_not,
          what_was_read_is_found_and_the_rest_is_not, shared_memory_is_taken_from_the_l1,
          stores_stay_in_the_l2_until_they_are_pushed_out, bytes_are_conserved)
