/* SPDX-License-Identifier: MIT
 * Sampling of kernels that write: they are faster until the L2 is full of dirty lines, and what is measured before
 * does not stand for what comes after.  The default mode is held to a run of every access. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>

static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                    "l2.size=6400KiB", "xbar.gpcs=4"};

static void run(const char *kernel, sim_mode_t mode, double *ns, double *interval, double *written)
{
    const char *define[] = {kernel, "bytes=32MiB"};
    sim_opt_t o = {.set = small,
                   .n_set = sizeof small / sizeof *small,
                   .define = define,
                   .n_define = 2,
                   .seed = 1,
                   .mode = mode,
                   .threads = 1};
    diag_t d;
    sim_t *s;
    const result_t *r;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&s, "devices/h100.ini", &o, &d), MS_OK);
    int rc = sim_run(s, "workloads/stream.trace", &r, &d);
    ck_assert_msg(rc == MS_OK, "%s: %s", kernel, d.n ? d.msg[0] : "sim_run");
    *ns = r->kernels[0].time_ns;
    *interval = r->kernels[0].interval;
    *written = r->kernels[0].dram_bytes;
    sim_free(s);
    diag_free(&d);
}

START_TEST(the_default_mode_agrees_with_every_access)
{
    static const char *const kernels[] = {"kernel=copy", "kernel=scale", "kernel=add",
                                          "kernel=write"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double ns, exact_ns, interval, none, bytes, exact_bytes;
        run(kernels[i], SIM_AUTO, &ns, &interval, &bytes);
        run(kernels[i], SIM_EXACT, &exact_ns, &none, &exact_bytes);
        double allowed = fmax(interval, 0.03);
        ck_assert_msg(fabs(ns / exact_ns - 1) < allowed,
                      "%s: %.0f ns, every access %.0f (%+.1f %%)", kernels[i], ns, exact_ns,
                      100 * (ns / exact_ns - 1));
        ck_assert_msg(fabs(bytes / exact_bytes - 1) < 0.05, "%s: memory %.3g B, every access %.3g",
                      kernels[i], bytes, exact_bytes);
    }
}
END_TEST

TEST_MAIN("sampled writers", the_default_mode_agrees_with_every_access)
