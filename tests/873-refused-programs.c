/* SPDX-License-Identifier: MIT
 * What a program can ask for and cannot have is refused with file and line, in every mode and at once; work that is
 * long and can be had is not. */
#include "gpu_run.h"
#include <stdio.h>

typedef struct refused {
    sim_t *s;
    const result_t *res;
    int rc;
    char said[512];
} refused_t;

static refused_t run(const char *trace, sim_mode_t mode, const volatile int *interrupted)
{
    char path[] = "/tmp/memsim-873-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "memsim trace 1\n%s", trace);
    ck_assert_int_eq(fclose(f), 0);
    sim_opt_t o = {
        .seed = 1, .mode = mode, .sample_pct = 1, .threads = 1, .interrupted = interrupted};
    refused_t x = {.s = NULL};
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&x.s, ROUND_DEVICE, &o, &d), MS_OK);
    x.rc = sim_run(x.s, path, &x.res, &d);
    unlink(path);
    if (d.n) { /* the file's name is another every time */
        ck_assert_int_eq(strncmp(d.msg[0], path, strlen(path)), 0);
        snprintf(x.said, sizeof x.said, "FILE%s", d.msg[0] + strlen(path));
    }
    diag_free(&d);
    return x;
}

static void refuses(const char *trace, const char *text)
{
    for (sim_mode_t m = SIM_AUTO; m <= SIM_SAMPLE; m++) {
        refused_t x = run(trace, m, NULL);
        ck_assert_int_eq(x.rc, MS_INPUT);
        ck_assert_msg(!strncmp(x.said, text, strlen(text)), "mode %d: \"%s\", not \"%s\"", m,
                      x.said, text);
        sim_free(x.s);
    }
}

#define TILE(rows, bytes)                                                       \
    "buffer a size 16 MiB\nkernel k(in a[16 MiB]) {\ngrid 2\nblock 32\nagent\n" \
    "tile load at a rows " rows " of " bytes " step 128\ncommit\nwait group 0\n}\nlaunch k(a)\n"

START_TEST(a_tile_is_no_larger_than_shared_memory)
{
    refuses(TILE("cta << 40", "128"), "FILE:7: a tile of 1099511627776 rows of 128 bytes");
    refuses(TILE("1 + cta << 24", "1"), "FILE:7: a tile of 33554432 rows of 1 bytes");
    refuses(TILE("131073 - cta", "128"), "FILE:7: a tile of 131073 rows of 128 bytes");
    refused_t x = run(TILE("131071 + cta", "128"), SIM_EXACT, NULL); /* 2^24 bytes */
    ck_assert_int_eq(x.rc, MS_OK);
    sim_free(x.s);
}
END_TEST

START_TEST(a_statement_has_at_most_2_to_the_40_operations)
{
    refuses("kernel k() {\ngrid 2\nblock 32\ncompute cta << 62 on fp32\n}\nlaunch k()\n",
            "FILE:5: 4611686018427387904 operations");
    refuses("kernel k() {\ngrid 2\nblock 32\nsmem (cta << 40) + cta\n}\nlaunch k()\n",
            "FILE:5: 1099511627777 operations");
}
END_TEST

/* 2^40 operations at 256 a ns: 4.295 s, in which nothing else happens. */
START_TEST(long_arithmetic_is_no_standstill)
{
    refused_t x = run("kernel k() {\ngrid 1\nblock 32\ncompute 1 << 40 on fp32\n}\nlaunch k()\n",
                      SIM_EXACT, NULL);
    ck_assert_int_eq(x.rc, MS_OK);
    ck_assert_double_eq_tol(x.res->time_ns, 4294967296.0, 1000);
    sim_free(x.s);
}
END_TEST

START_TEST(time_has_an_end)
{
    /* 2^40 operations at 1 a cycle of 1 GHz take 1099.5 s, 7,859 of them 100 days */
    const char *trace = "kernel k() {\ngrid 1\nblock 32\nfor i in 20000 {\n"
                        "compute 1 << 40 on fp32\n}\n}\nlaunch k()\n";
    const char *set[] = {"gpu.fp32_per_clk=1", NULL};
    gpu_run_t g = gpu_run_try(trace, set, false);
    ck_assert_int_eq(g.rc, MS_INPUT);
    ck_assert_ptr_nonnull(strstr(g.diag.msg[0], ":6: simulated time passes 100 days"));
    gpu_run_close(&g);
}
END_TEST

/* 2 x 10^11 loads of a block: their number is not counted one by one before the run. */
#define LONG_BLOCK                                                     \
    "buffer a size 1 MiB\nkernel k(in a[1 MiB]) {\ngrid 2\nblock 32\n" \
    "for i in 100000000000 {\nload 4 at a + 4 * i % 1024 as t\nwait t\n}\n}\nlaunch k(a)\n"

START_TEST(a_block_of_10_to_the_11_turns_is_sampled)
{
    refused_t x = run(LONG_BLOCK, SIM_AUTO, NULL);
    ck_assert_int_eq(x.rc, MS_OK);
    ck_assert_double_gt(x.res->time_ns, 1e11); /* a turn takes the L1's 30 ns */
    sim_free(x.s);
}
END_TEST

START_TEST(counting_is_interrupted)
{
    const volatile int interrupted = 1;
    refused_t x = run(LONG_BLOCK, SIM_AUTO, &interrupted);
    ck_assert_int_eq(x.rc, MS_INTERRUPTED);
    ck_assert(x.res->partial);
    sim_free(x.s);
}
END_TEST

START_TEST(messages_of_a_run_name_the_line)
{
    refuses("buffer a size 1 MiB\nkernel k(in a[1 MiB]) {\ngrid 1\nblock 32\nagent\n"
            "tile load at a + 4 GiB rows 1 of 128\ncommit\nwait group 0\n}\nlaunch k(a)\n",
            "FILE:7: address 0x100000000 is beyond the memory's 2147483648 bytes");
    refuses("kernel k() {\ngrid 1\nblock 32\ncompute 1 on tensor_fp8\n}\nlaunch k()\n",
            "FILE:5: kernel k: the device has no tensor_fp8 units");
    refuses("kernel k() {\ngrid 1\nblock 32\nshared 1 MiB\n}\nlaunch k()\n",
            "FILE:7: kernel k: a block of 32 threads");
    refuses("raw {\nR 0x0 32\nR 0x100000000 32\n}\n",
            "FILE:4: address 0x100000000 + 32 B is beyond");
}
END_TEST

START_TEST(a_shortfall_is_told_in_a_unit_that_shows_it)
{
    static const struct {
        const char *size, *text;
    } c[] = {{"2147483649", ": 1 bytes"}, /* memory: 2 GiB */
             {"2147485696", "needs 2097154 KiB"},
             {"2150629376", "needs 2051 MiB"},
             {"4 GiB", "needs 4 GiB, round numbers has 2 GiB: 2147483648 bytes (2 GiB) too few"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char trace[200];
        snprintf(trace, sizeof trace,
                 "buffer a size %s\nkernel k() { grid 1\nblock 32\nexit }\nlaunch k()\n",
                 c[i].size);
        refused_t x = run(trace, SIM_EXACT, NULL);
        ck_assert_int_eq(x.rc, MS_CAPACITY);
        ck_assert_msg(strstr(x.said, c[i].text) != NULL, "%s: no \"%s\"", x.said, c[i].text);
        sim_free(x.s);
    }
}
END_TEST

TEST_MAIN("refused programs", a_tile_is_no_larger_than_shared_memory,
          a_statement_has_at_most_2_to_the_40_operations, long_arithmetic_is_no_standstill,
          time_has_an_end, a_block_of_10_to_the_11_turns_is_sampled, counting_is_interrupted,
          messages_of_a_run_name_the_line, a_shortfall_is_told_in_a_unit_that_shows_it)
