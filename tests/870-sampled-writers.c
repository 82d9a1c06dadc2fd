/* SPDX-License-Identifier: MIT
 * Sampling of kernels that write: they are faster until the L2 is full of dirty lines, and what is measured before
 * does not stand for what comes after.  The default mode is held to a run of every access. */
#include "small_h100.h"
#include <math.h>

static double run(const char *kernel, const char *limit, sim_mode_t mode, double *ns,
                  double *interval, double *written)
{
    const char *define[] = {kernel, "bytes=32MiB"};
    sim_t *s;
    const result_t *r =
        small_h100_play_with(&s, "workloads/stream.trace", define, 2, &limit, 1, mode);
    *ns = r->kernels[0].time_ns;
    *interval = r->kernels[0].interval;
    *written = r->kernels[0].dram_bytes;
    double dirty = r->l2_dirty_bytes;
    sim_free(s);
    return dirty;
}

START_TEST(the_default_mode_agrees_with_every_access)
{
    static const char *const kernels[] = {"kernel=copy", "kernel=scale", "kernel=add",
                                          "kernel=write"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double ns, exact_ns, interval, none, bytes, exact_bytes;
        run(kernels[i], "l2.dirty_limit=100%", SIM_AUTO, &ns, &interval, &bytes);
        run(kernels[i], "l2.dirty_limit=100%", SIM_EXACT, &exact_ns, &none, &exact_bytes);
        double allowed = fmax(interval, 0.03);
        ck_assert_msg(fabs(ns / exact_ns - 1) < allowed,
                      "%s: %.0f ns, every access %.0f (%+.1f %%)", kernels[i], ns, exact_ns,
                      100 * (ns / exact_ns - 1));
        ck_assert_msg(fabs(bytes / exact_bytes - 1) < 0.05, "%s: memory %.3g B, every access %.3g",
                      kernels[i], bytes, exact_bytes);
    }
}
END_TEST

/* A quarter of 6400 KiB may be dirty: what sampling passes over must not leave more. */
START_TEST(the_dirty_data_left_agree_with_every_access)
{
    static const char *const kernels[] = {"kernel=copy", "kernel=scale", "kernel=add",
                                          "kernel=triad16"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double ns, interval, written;
        double dirty = run(kernels[i], "l2.dirty_limit=25%", SIM_AUTO, &ns, &interval, &written);
        ck_assert_msg(interval > 0, "%s was not sampled", kernels[i]);
        double exact = run(kernels[i], "l2.dirty_limit=25%", SIM_EXACT, &ns, &interval, &written);
        ck_assert_double_le(exact, 1600 * 1024);
        ck_assert_double_le(dirty, 1600 * 1024);
        ck_assert_msg(fabs(dirty / exact - 1) < 0.05, "%s: %.0f B dirty, every access %.0f",
                      kernels[i], dirty, exact);
    }
}
END_TEST

TEST_MAIN("sampled writers", the_default_mode_agrees_with_every_access,
          the_dirty_data_left_agree_with_every_access)
