/* SPDX-License-Identifier: MIT */
#include "machine/pattern.h"
#include "core/param.h"
#include "core/rng.h"
#include "dram/spec.h"
#include <string.h>

const char *const pattern_names =
    "seq rand rand64 triad stride:N pingpong rowconf rw50 burst depseq deprand";

bool pattern_parse(pattern_t *p, const char *name, const dram_spec_t *s, uint64_t seed, diag_t *d)
{
    static const struct {
        const char *name;
        pattern_kind_t kind;
        bool dependent;
    } list[] = {{"seq", PAT_SEQ, false},           {"rand", PAT_RAND, false},
                {"rand64", PAT_RAND64, false},     {"triad", PAT_TRIAD, false},
                {"pingpong", PAT_PINGPONG, false}, {"rowconf", PAT_ROWCONF, false},
                {"rw50", PAT_RW50, false},         {"burst", PAT_BURST, false},
                {"depseq", PAT_SEQ, true},         {"deprand", PAT_RAND, true}};
    uint32_t cols, rows;
    *p = (pattern_t){.access = dram_burst_bytes(s), .footprint = UINT64_C(1) << 32, .seed = seed};
    p->row_stride = addrmap_stride(&s->map, AF_RO, &rows);
    p->col_stride = addrmap_stride(&s->map, AF_CO, &cols);
    p->cols = cols;
    p->rows = rows;
    if (!strncmp(name, "stride:", 7)) {
        const char *why;
        char text[64];
        strncpy(text, name + 7, sizeof text - 1);
        text[sizeof text - 1] = 0;
        size_t n = strlen(text);
        if (n && text[n - 1] == 'k' && n + 3 < sizeof text)
            memcpy(text + n - 1, "KiB", 4);
        else if (n && strspn(text, "0123456789") == n && n + 2 < sizeof text)
            memcpy(text + n, " B", 3);
        p->kind = PAT_STRIDE;
        if (!text_parse(PT_BYTES, text, &p->stride, &why)) {
            diag_add(d, MS_USAGE, "pattern %s: %s", name, why);
            return true;
        }
        if (p->stride < p->access || p->stride > p->footprint)
            diag_add(
                d, MS_USAGE,
                "pattern %s: the stride must be at least one access (%llu B) and at most 4 GiB",
                name, (unsigned long long)p->access);
        return true;
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(list[i].name, name)) {
            p->kind = list[i].kind;
            p->dependent = list[i].dependent;
            return true;
        }
    return false;
}

pattern_access_t pattern_get(const pattern_t *p, uint64_t i)
{
    const uint64_t S = p->access, base = p->seed << 32;
    pattern_access_t a = {0};
    switch (p->kind) {
    case PAT_SEQ:
        a.addr = i * S % p->footprint;
        break;
    case PAT_RAND:
        a.addr = mix64(base + i) % (p->footprint / S) * S;
        break;
    case PAT_RW50: {
        uint64_t h = mix64(base + i);
        a.addr = (h >> 1) % (p->footprint / S) * S;
        a.write = h & 1;
        break;
    }
    case PAT_RAND64: {
        uint64_t k = S < 64 ? 64 / S : 1, block = S < 64 ? 64 : S;
        a.addr = mix64(base + i / k) % (p->footprint / block) * block + i % k * S;
        break;
    }
    case PAT_TRIAD: {
        static const addr_t start[3] = {0, 0x40005000, 0x8000A000};
        uint64_t k = S < 128 ? 128 / S : 1, g = i / k, off = g / 3 * k + i % k;
        a.addr = start[g % 3] + off * S % 0x3FFF0000;
        a.write = g % 3 == 2;
        break;
    }
    case PAT_STRIDE: {
        uint64_t per = p->footprint / p->stride;
        a.addr = i % per * p->stride + i / per * S;
        break;
    }
    case PAT_PINGPONG:
        a.addr = (i & 1) * p->row_stride + (i >> 1) % p->cols * p->col_stride;
        break;
    case PAT_ROWCONF:
        a.addr = i % p->rows * p->row_stride;
        break;
    case PAT_BURST:
        a.addr = mix64(base + i / 64) % (p->footprint / 4096) * 4096 + i % 64 * S;
        a.at_ps = (ps_t)(i / 64) * 400000;
        break;
    }
    return a;
}
