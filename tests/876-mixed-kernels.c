/* SPDX-License-Identifier: MIT
 * A kernel whose blocks look alike and are not: the first half reads one small region over and over, the rest streams.
 * What is measured at its start does not stand for its end; the default mode must see that and go on. */
#include "small_h100.h"
#include <math.h>

static const char trace[] = "memsim trace 1\n"
                            "buffer A size 64MiB\n"
                            "kernel half(in A[64MiB]) {\n grid 16384\n block 256\n"
                            " load 16 at A + 4096 * max(cta, 8192) + 512 * warp as a\n wait a\n}\n"
                            "launch half(A)\n";

static void run(const char *path, sim_mode_t mode, double *ns, double *interval, double *bytes)
{
    sim_t *s;
    const result_t *r = small_h100_play(&s, path, NULL, 0, mode);
    *ns = r->time_ns;
    *interval = r->interval;
    *bytes = r->kernels[0].dram_bytes;
    sim_free(s);
}

START_TEST(a_second_half_of_another_kind_is_simulated)
{
    char path[] = "/tmp/memsim-876-XXXXXX";
    trace_file(path, trace);
    double ns, exact_ns, interval, none, bytes, exact_bytes;
    run(path, SIM_AUTO, &ns, &interval, &bytes);
    run(path, SIM_EXACT, &exact_ns, &none, &exact_bytes);
    unlink(path);
    ck_assert_msg(exact_bytes > 0.95 * 8192 * 4096, "%.0f B", exact_bytes); /* what streams */
    ck_assert_msg(fabs(bytes / exact_bytes - 1) < 0.05, "%.0f B, every access %.0f", bytes,
                  exact_bytes);
    ck_assert_msg(fabs(ns / exact_ns - 1) <= interval, "%.0f ns +- %.3f, every access %.0f", ns,
                  interval, exact_ns);
}
END_TEST

TEST_MAIN("mixed kernels", a_second_half_of_another_kind_is_simulated)
