/* SPDX-License-Identifier: MIT
 * Kernels whose limit is known, and the name the verdict has for it. */
#include "small_h100.h"

typedef struct verdict {
    const char *trace, *define[2];
    size_t n;
    const char *bound;
} verdict_t;

/* 4 B a thread in blocks of 1024: a block's stores leave in 32 instructions, its turn takes 330 + 32 * 7 + 100 CK. */
static const char stores[] = "memsim trace 1\nbuffer t size 16MiB\n"
                             "kernel g(out t[16MiB]) {\n grid 4096\n block 1024\n"
                             " store 4 at t + 4 * (1024 * cta + 32 * warp)\n}\nlaunch g(t)\n";

static void check(const char *path, const verdict_t *v)
{
    sim_t *s;
    const result_t *r = small_h100_play(&s, path, v->define, v->n, SIM_EXACT);
    const res_kernel_t *k = &r->kernels[r->n_kernels - 1];
    ck_assert_msg(!strcmp(k->bound, v->bound), "%s %s: %s, not %s", path, k->name, k->bound,
                  v->bound);
    sim_free(s);
}

START_TEST(the_limit_has_its_name)
{
    static const verdict_t v[] = {
        {"workloads/stream.trace", {"kernel=read", "bytes=8MiB"}, 2, "bytes in flight"},
        {"workloads/stream.trace", {"kernel=copy16", "bytes=32MiB"}, 2, "dram bandwidth"},
        {"workloads/chase.trace", {"bytes=1MiB", "steps=1000"}, 2, "too few blocks"},
    };
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) check(v[i].trace, &v[i]);
    char path[] = "/tmp/memsim-877-XXXXXX";
    trace_file(path, stores);
    check(path, &(verdict_t){.bound = "block turnover"});
    unlink(path);
}
END_TEST

TEST_MAIN("verdicts", the_limit_has_its_name)
