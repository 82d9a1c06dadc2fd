/* SPDX-License-Identifier: MIT
 * Opening traces in tests: shipped files with -D, and text written to a scratch file. */
#ifndef MEMSIM_TESTS_TRACE_OPEN_H
#define MEMSIM_TESTS_TRACE_OPEN_H
#include "workload/workload.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open `path` with up to 8 definitions separated by blanks ("m=4 n=8"); the test fails if that fails. */
static inline workload_t *open_with(const char *path, const char *defines)
{
    char text[256], *save = NULL;
    const char *define[8];
    size_t n = 0;
    snprintf(text, sizeof text, "%s", defines);
    for (char *s = strtok_r(text, " ", &save); s && n < 8; s = strtok_r(NULL, " ", &save))
        define[n++] = s;
    workload_opt_t o = {.define = define, .n_define = n, .warp_lanes = 32, .seed = 1};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    int cls = workload_open(&w, path, &o, &d);
    ck_assert_msg(cls == MS_OK, "%s %s: %s", path, defines, d.n ? d.msg[0] : "no message");
    diag_free(&d);
    return w;
}

/* Open `text` as a trace; *d gets the messages, the class is returned. */
static inline int open_text(workload_t **w, const char *text, size_t size, const workload_opt_t *o,
                            diag_t *d)
{
    char path[] = "/tmp/memsim-test-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, size, f), size);
    fclose(f);
    int cls = workload_open(w, path, o, d);
    unlink(path);
    return cls;
}

static inline workload_t *open_good(const char *text)
{
    workload_opt_t o = {.warp_lanes = 32, .seed = 1};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    int cls = open_text(&w, text, strlen(text), &o, &d);
    ck_assert_msg(cls == MS_OK, "%s", d.n ? d.msg[0] : "no message");
    diag_free(&d);
    return w;
}

static inline wcmd_t next_command(workload_t *w)
{
    wcmd_t c;
    diag_t d;
    diag_init(&d);
    int cls = workload_next(w, &c, &d);
    ck_assert_msg(cls == MS_OK, "%s", d.n ? d.msg[0] : "no message");
    diag_free(&d);
    return c;
}

static inline const kernel_t *kernel_of(workload_t *w, const wcmd_t *c)
{
    const kernel_t *k = NULL;
    diag_t d;
    diag_init(&d);
    int cls = workload_kernel(w, c, &k, &d);
    ck_assert_msg(cls == MS_OK, "%s", d.n ? d.msg[0] : "no message");
    diag_free(&d);
    return k;
}

/* The next launch, its kernel evaluated; fails at the end. */
static inline const kernel_t *next_kernel(workload_t *w)
{
    for (;;) {
        wcmd_t c = next_command(w);
        ck_assert_int_ne(c.kind, WC_END);
        if (c.kind == WC_LAUNCH) return kernel_of(w, &c);
    }
}
#endif
