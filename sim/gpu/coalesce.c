/* SPDX-License-Identifier: MIT */
#include "gpu/coalesce.h"
#include <string.h>

/* Sector mask of bytes [lo, hi) of a line, and those only partly covered. */
static void mask_range(unsigned lo, unsigned hi, uint8_t *sectors, uint8_t *partial)
{
    unsigned first = lo / SECTOR_BYTES, last = (hi - 1) / SECTOR_BYTES;
    *sectors = (uint8_t)(((1u << (last + 1)) - 1) & ~((1u << first) - 1));
    *partial = 0;
    if (lo % SECTOR_BYTES) *partial = (uint8_t)(*partial | 1u << first);
    if (hi % SECTOR_BYTES) *partial = (uint8_t)(*partial | 1u << last);
}

unsigned coalesce_range(addr_t addr, uint64_t bytes, unsigned skip, unsigned max,
                        line_access_t *out)
{
    unsigned n = 0;
    addr_t end = addr + bytes, line = addr / LINE_BYTES * LINE_BYTES + (addr_t)skip * LINE_BYTES;
    for (; n < max && line < end; line += LINE_BYTES, n++) {
        unsigned lo = line < addr ? (unsigned)(addr - line) : 0;
        unsigned hi = end - line < LINE_BYTES ? (unsigned)(end - line) : LINE_BYTES;
        out[n].line = line;
        mask_range(lo, hi, &out[n].sectors, &out[n].partial);
    }
    return n;
}

/* General case: bytes touched are kept per line in a 128-bit map, so that partial sectors are exact. */
typedef struct bytemap {
    uint64_t b[2];
} bytemap_t;

static void mark(bytemap_t *m, unsigned lo, unsigned hi)
{
    for (unsigned w = 0; w < 2; w++) {
        unsigned a = w * 64, l = lo > a ? lo - a : 0, h = hi > a ? hi - a : 0;
        if (h > 64) h = 64;
        if (l < h) m->b[w] |= (h - l == 64 ? ~UINT64_C(0) : (((UINT64_C(1) << (h - l)) - 1) << l));
    }
}

static unsigned add_lane(addr_t a, unsigned bytes, unsigned n, line_access_t *out, bytemap_t *map)
{
    while (bytes) {
        addr_t line = a / LINE_BYTES * LINE_BYTES;
        unsigned lo = (unsigned)(a - line), hi = lo + bytes < LINE_BYTES ? lo + bytes : LINE_BYTES,
                 k = n;
        while (k > 0 && out[k - 1].line != line) k--; /* the latest lines are the likeliest */
        if (k == 0) {
            k = ++n;
            out[k - 1].line = line;
            memset(&map[k - 1], 0, sizeof *map);
        }
        mark(&map[k - 1], lo, hi);
        bytes -= hi - lo;
        a += hi - lo;
    }
    return n;
}

static void finish(unsigned n, line_access_t *out, const bytemap_t *map)
{
    for (unsigned i = 0; i < n; i++) {
        out[i].sectors = out[i].partial = 0;
        for (unsigned s = 0; s < 4; s++) {
            uint32_t bits = (uint32_t)(map[i].b[s / 2] >> (s % 2 * 32));
            if (bits) out[i].sectors = (uint8_t)(out[i].sectors | 1u << s);
            if (bits && bits != UINT32_MAX) out[i].partial = (uint8_t)(out[i].partial | 1u << s);
        }
    }
}

unsigned coalesce_strided(addr_t addr, int64_t stride, unsigned elem_bytes, unsigned lanes,
                          line_access_t *out)
{
    if (!lanes) return 0;
    if (stride == (int64_t)elem_bytes || lanes == 1)
        return coalesce_range(addr, (uint64_t)elem_bytes * lanes, 0, COALESCE_MAX, out);
    bytemap_t map[COALESCE_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < lanes; i++)
        n = add_lane(addr + (addr_t)stride * i, elem_bytes, n, out, map);
    finish(n, out, map);
    return n;
}

unsigned coalesce_gather(addr_t base, int64_t stride, unsigned elem_bytes, uint64_t mask,
                         const uint64_t *idx, unsigned lanes, line_access_t *out)
{
    bytemap_t map[COALESCE_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < lanes; i++)
        if (mask >> i & 1) n = add_lane(base + (addr_t)stride * idx[i], elem_bytes, n, out, map);
    finish(n, out, map);
    return n;
}
