/* SPDX-License-Identifier: MIT
 * Accesses in no buffer: warned of once a place, counted; those on the last byte of one are not. */
#include "gpu_run.h"
#include <stdio.h>

#define PAGE "2 MiB"

static gpu_run_t run(const char *body, const char *launches)
{
    char trace[600];
    snprintf(
        trace, sizeof trace,
        "buffer a size 3 MiB\nbuffer b size 1000\nkernel k(in a[3 MiB], in b[1000]) {\ngrid 1\n"
        "block 32\n%s\n}\n%s",
        body, launches);
    return gpu_run(trace, NULL, false);
}

static void warns(const char *body, const char *launches, const char *text)
{
    gpu_run_t g = run(body, launches);
    if (!text)
        ck_assert_msg(g.diag.n == 0, "%s: %s", body, g.diag.n ? g.diag.msg[0] : "");
    else {
        ck_assert_msg(g.diag.n == 1, "%s: %zu messages", body, g.diag.n);
        ck_assert_msg(strstr(g.diag.msg[0], text) != NULL, "\"%s\" in no \"%s\"", text,
                      g.diag.msg[0]);
    }
    gpu_run_close(&g);
}

START_TEST(the_ends_of_buffers_are_exact_to_a_line)
{
    const char *once = "launch k(a, b)\n";
    warns("load 1 at a + 3 MiB - 32", once, NULL);
    warns("load 4 at a + 3 MiB - 128", once, NULL);
    warns("load 4 at a + 3 MiB", once, ":7: address 0x300000 lies in no buffer; 1 requests");
    warns("load 4 at a + 4 MiB - 128", once, ":7: address 0x3fff80 lies in no buffer; 1 requests");
    warns("load 1 at b lanes 1", once, NULL);
    warns("load 1 at b + 999 lanes 1", once, NULL); /* its last byte */
    warns("load 1 at b + 1024 lanes 1", once, ":7: address 0x400400 lies in no buffer; 1 requests");
    warns("load 4 at b + " PAGE, once, ":7: address 0x600000 lies in no buffer; 1 requests");
}
END_TEST

START_TEST(each_place_is_told_once_and_counted)
{
    warns("for i in 5 { load 16 at a + 3 MiB + 512 * i }",
          "launch k(a, b)\nlaunch k(a, b)\nlaunch k(a, b)\n",
          ":7: address 0x300000 lies in no buffer; 20 requests"); /* 512 B are 4 lines */
}
END_TEST

START_TEST(requests_that_had_to_wait_count_once)
{
    gpu_run_t g =
        gpu_run("buffer a size 2 MiB\nkernel k(in a[2 MiB]) {\ngrid 16\nblock 1024\n"
                "for i in 8 { load 16 at a + 2 MiB + 1 MiB * cta + 16 KiB * warp + 512 * i }"
                "\n}\nlaunch k(a)\n",
                NULL, false);
    ck_assert_uint_gt(gpu_run_count(&g, "sm", "load_stalls"), 0);
    ck_assert_uint_eq(g.diag.n, 1);
    ck_assert_ptr_nonnull(strstr(g.diag.msg[0], "; 16384 requests")); /* 16 x 32 warps x 8 x 4 */
    gpu_run_close(&g);
}
END_TEST

START_TEST(bulk_copies_and_stores_are_watched)
{
    warns("agent\ntile load at a + 3 MiB - 256 rows 4 of 128\ncommit\nwait group 0",
          "launch k(a, b)\n", ":8: address 0x300000 lies in no buffer; 2 requests");
    warns("store 4 at a + 3 MiB", "launch k(a, b)\n", ":7: address 0x300000 lies in no buffer");
}
END_TEST

START_TEST(raw_accesses_need_no_buffer)
{
    gpu_run_t g = gpu_run("buffer a size 1 MiB\nraw {\nR 0x10000000 32\n}\n", NULL, false);
    ck_assert_uint_eq(g.diag.n, 0);
    gpu_run_close(&g);
    g = gpu_run("raw {\nR 0x10000000 32\n}\n", NULL, false);
    ck_assert_uint_eq(g.diag.n, 0);
    gpu_run_close(&g);
}
END_TEST

TEST_MAIN("outside buffers", the_ends_of_buffers_are_exact_to_a_line,
          each_place_is_told_once_and_counted, requests_that_had_to_wait_count_once,
          bulk_copies_and_stores_are_watched, raw_accesses_need_no_buffer)
