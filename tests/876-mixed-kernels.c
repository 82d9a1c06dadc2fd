/* SPDX-License-Identifier: MIT
 * A kernel whose blocks look alike and are not: the first half reads one small region over and over, the rest streams.
 * What is measured at its start does not stand for its end; the default mode must see that and go on. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>
#include <unistd.h>

static const char trace[] = "memsim trace 1\n"
                            "buffer A size 64MiB\n"
                            "kernel half(in A[64MiB]) {\n grid 16384\n block 256\n"
                            " load 16 at A + 4096 * max(cta, 8192) + 512 * warp as a\n wait a\n}\n"
                            "launch half(A)\n";

static void run(const char *path, sim_mode_t mode, double *ns, double *interval, double *bytes)
{
    static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                        "l2.size=6400KiB", "xbar.gpcs=4"};
    sim_opt_t o = {.set = small, .n_set = 5, .seed = 1, .mode = mode, .threads = 1};
    diag_t d;
    sim_t *s;
    const result_t *r;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&s, "devices/h100.ini", &o, &d), MS_OK);
    int rc = sim_run(s, path, &r, &d);
    ck_assert_msg(rc == MS_OK, "%s", d.n ? d.msg[0] : "sim_run");
    *ns = r->time_ns;
    *interval = r->interval;
    *bytes = r->kernels[0].dram_bytes;
    sim_free(s);
    diag_free(&d);
}

START_TEST(a_second_half_of_another_kind_is_simulated)
{
    char path[] = "/tmp/memsim-876-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(trace, f);
    ck_assert_int_eq(fclose(f), 0);
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
