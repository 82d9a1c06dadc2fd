/* SPDX-License-Identifier: MIT
 * Every text in the fuzzer's corpus, and damaged copies of the shipped traces (cut short, a byte changed, a line
 * dropped), is read or refused; nothing crashes and nothing is refused in silence. */
#include "core/rng.h"
#include "test.h"
#include "trace_open.h"
#include <dirent.h>

#define CORPUS "tests/fuzz/corpus/trace"

static size_t file_bytes(const char *path, char *text, size_t cap)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    size_t n = fread(text, 1, cap, f);
    ck_assert_uint_lt(n, cap);
    fclose(f);
    return n;
}

/* Returns whether it was played to its end, or to the 500th command. */
static bool survives(const char *text, size_t size)
{
    workload_opt_t o = {.warp_lanes = 32, .seed = 1};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    int cls = open_text(&w, text, size, &o, &d);
    ck_assert((cls == MS_OK) == (w != NULL));
    wcmd_t c = {0};
    for (int i = 0; cls == MS_OK && i < 500 && c.kind != WC_END; i++) {
        const kernel_t *k;
        cls = workload_next(w, &c, &d);
        if (cls == MS_OK && c.kind == WC_LAUNCH) cls = workload_kernel(w, &c, &k, &d);
    }
    ck_assert_msg(cls == MS_OK || d.n, "refused in silence: %.200s", text);
    workload_free(w);
    diag_free(&d);
    return cls == MS_OK;
}

static char text[65536], copy[65536];

START_TEST(the_corpus_is_read_or_refused)
{
    DIR *dir = opendir(CORPUS);
    if (!dir) ck_abort_msg(CORPUS " is missing");
    unsigned files = 0, good = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char path[512];
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", CORPUS, e->d_name);
        size_t n = file_bytes(path, text, sizeof text - 1);
        text[n] = 0;
        files++;
        good += survives(text, n);
    }
    closedir(dir);
    ck_assert_uint_ge(files, 30);
    ck_assert_uint_ge(good, 10);
    ck_assert_uint_lt(good, files);
}
END_TEST

START_TEST(damaged_traces_are_read_or_refused)
{
    static const char *const traces[] = {"workloads/chase.trace", "workloads/attention.trace",
                                         "workloads/stream.trace"};
    static const char junk[] = "{}()[]\"#=,.:+-*/%<>!?&|^ \n09azRW";
    unsigned refused = 0;
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        size_t n = file_bytes(traces[t], text, sizeof text - 1);
        text[n] = 0;
        for (uint64_t k = 0; k < 60; k++) {
            uint64_t r = mix64(k * 8 + t);
            size_t at = (size_t)(r % n), m = n;
            memcpy(copy, text, n + 1);
            if (k % 3 == 0) {
                m = at;
            } else if (k % 3 == 1) {
                copy[at] = junk[r / n % (sizeof junk - 1)];
            } else {
                size_t cut = strcspn(text + at, "\n");
                memmove(copy + at, copy + at + cut, n - at - cut + 1);
                m = n - cut;
            }
            copy[m] = 0;
            refused += !survives(copy, m);
        }
    }
    ck_assert_uint_gt(refused, 30);
}
END_TEST

TEST_MAIN("trace fuzz corpus", the_corpus_is_read_or_refused, damaged_traces_are_read_or_refused)
