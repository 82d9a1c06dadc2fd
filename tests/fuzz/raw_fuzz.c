/* SPDX-License-Identifier: MIT
 * Fuzz target of the raw reader: any bytes, packed or not, give accesses or one message, twice the same. */
#include "workload/raw.h"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    uint64_t accesses, sum;
    int end;
} outcome_t;

static outcome_t play(raw_stream_t *s, diag_t *d)
{
    outcome_t o = {0};
    raw_access_t x;
    ps_t last = -1;
    /* A bomb of compressed blank lines is the caller's to stop; here a million lines are enough. */
    while ((o.end = raw_next(s, &x, d)) == 1 && o.accesses < 1000000) {
        assert(x.bytes >= 1 && x.bytes - 1 <= UINT64_MAX - x.addr);
        assert(x.at_ps == -1 || x.at_ps >= last);
        if (x.at_ps >= 0) last = x.at_ps;
        o.accesses++;
        o.sum = o.sum * 31 + x.addr + x.bytes * 7 + x.write + (uint64_t)x.at_ps;
    }
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/memsim-raw-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) abort();
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, data + at, size - at);
        if (n < 0) abort();
        at += (size_t)n;
    }
    close(fd);

    diag_t d;
    diag_init(&d);
    raw_stream_t s;
    if (raw_open(&s, path, &d) == MS_OK) {
        s.parser.clock.hz = size % 2 ? 1600000000 : 0;
        outcome_t a = play(&s, &d);
        assert((a.end == -1) == (d.n > 0));
        bool back = raw_rewind(&s);
        assert(back);
        (void)back;
        diag_free(&d);
        diag_init(&d);
        outcome_t b = play(&s, &d);
        assert(a.accesses == b.accesses && a.sum == b.sum && a.end == b.end);
        (void)a;
        (void)b;
        raw_close(&s);
    } else {
        assert(d.n > 0);
    }
    diag_free(&d);
    unlink(path);
    return 0;
}
