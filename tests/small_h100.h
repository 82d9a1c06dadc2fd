/* SPDX-License-Identifier: MIT
 * A workload on a small H100: an eighth of its SMs, channels and L2, so that whole runs take a second at most. */
#ifndef MEMSIM_TESTS_SMALL_H100_H
#define MEMSIM_TESTS_SMALL_H100_H
#include "machine/sim.h"
#include "test.h"
#include <string.h>
#include <unistd.h>

/* Play `trace` with the definitions and up to 8 further settings given; the result belongs to *s, which the caller
 * frees. */
static inline const result_t *small_h100_play_with(sim_t **s, const char *trace,
                                                   const char *const *define, size_t n,
                                                   const char *const *more, size_t n_more,
                                                   sim_mode_t mode)
{
    enum { SMALL = 5, MORE = 8 };
    const char *set[SMALL + MORE] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                     "l2.size=6400KiB", "xbar.gpcs=4"};
    ck_assert_uint_le(n_more, MORE);
    for (size_t i = 0; i < n_more; i++) set[SMALL + i] = more[i];
    sim_opt_t o = {.set = set,
                   .n_set = SMALL + n_more,
                   .define = define,
                   .n_define = n,
                   .seed = 1,
                   .mode = mode,
                   .threads = 1};
    diag_t d;
    const result_t *r;
    diag_init(&d);
    ck_assert_int_eq(sim_new(s, "devices/h100.ini", &o, &d), MS_OK);
    int rc = sim_run(*s, trace, &r, &d);
    ck_assert_msg(rc == MS_OK, "%s: %s", trace, d.n ? d.msg[0] : "sim_run");
    diag_free(&d);
    return r;
}

static inline const result_t *small_h100_play(sim_t **s, const char *trace,
                                              const char *const *define, size_t n, sim_mode_t mode)
{
    return small_h100_play_with(s, trace, define, n, NULL, 0, mode);
}

/* The text of a trace as a file, whose name replaces the Xs that end `path`; unlink it after use. */
static inline void trace_file(char *path, const char *text)
{
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}
#endif
