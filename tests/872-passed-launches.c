/* SPDX-License-Identifier: MIT
 * A launch that is simulated after others that were not finds the L2 as those would have left it: what they displaced
 * comes from memory again. */
#include "small_h100.h"
#include <math.h>

/* `look` reads the same 1 MiB each time, with another number, so that each is simulated; `sweep` reads 16 MiB, is
 * simulated once, and displaces what `look` has left.  Without the sweeps the second and third look would hit. */
static const char trace[] =
    "memsim trace 1\n"
    "buffer X size 1MiB\n"
    "buffer B size 16MiB\n"
    "kernel look(n, in X[1MiB]) {\n grid 256\n block 256\n flops n\n"
    " load 16 at X + 4096 * cta + 512 * warp as a\n wait a\n}\n"
    "kernel sweep(in B[16MiB]) {\n grid 4096\n block 256\n"
    " load 16 at B + 4096 * cta + 512 * warp as a\n wait a\n}\n"
    "launch sweep(B)\nlaunch look(1, X)\nlaunch sweep(B)\nlaunch look(200, X)\n"
    "launch sweep(B)\nlaunch look(70, X)\n";

static void run(const char *path, sim_mode_t mode, double bytes[3])
{
    sim_t *s;
    const result_t *r = small_h100_play(&s, path, NULL, 0, mode);
    size_t looks = 0;
    for (size_t i = 0; i < r->n_kernels; i++)
        if (!strcmp(r->kernels[i].name, "look")) {
            ck_assert_uint_lt(looks, 3);
            bytes[looks++] = r->kernels[i].dram_bytes;
        }
    ck_assert_uint_eq(looks, 3);
    sim_free(s);
}

START_TEST(what_passed_launches_displace_is_fetched_again)
{
    char path[] = "/tmp/memsim-872-XXXXXX";
    trace_file(path, trace);
    double sampled[3], exact[3];
    run(path, SIM_AUTO, sampled);
    run(path, SIM_EXACT, exact);
    unlink(path);
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(exact[i] > 0.95 * 1048576, "look %d: %.0f B from memory", i, exact[i]);
        ck_assert_msg(fabs(sampled[i] - exact[i]) < 0.05 * exact[i],
                      "look %d: %.0f B from memory, every access %.0f", i, sampled[i], exact[i]);
    }
}
END_TEST

TEST_MAIN("passed launches", what_passed_launches_displace_is_fetched_again)
