/* SPDX-License-Identifier: MIT
 * Lanes to line requests: the addresses of a warp instruction become the 128 B lines it touches, each with the
 * sectors it moves.  Pure. */
#ifndef MEMSIM_GPU_COALESCE_H
#define MEMSIM_GPU_COALESCE_H
#include "core/access.h"

#define LINE_BYTES 128u
#define SECTOR_BYTES 32u
#define COALESCE_MAX (2 * WARP_LANES_MAX)

typedef struct line_access {
    addr_t line;     /* address of the line */
    uint8_t sectors; /* touched */
    uint8_t partial; /* touched, but not all 32 bytes */
} line_access_t;

/* Lanes 0..lanes-1 at addr + i * stride, elem_bytes each.  Lines in order of first touch.  Returns their number
 * (at most COALESCE_MAX). */
unsigned coalesce_strided(addr_t addr, int64_t stride, unsigned elem_bytes, unsigned lanes,
                          line_access_t *out);
/* Lanes whose bit is set in mask, at base + stride * idx[lane]. */
unsigned coalesce_gather(addr_t base, int64_t stride, unsigned elem_bytes, uint64_t mask,
                         const uint64_t *idx, unsigned lanes, line_access_t *out);
/* Lines of one contiguous range; calls nothing, fills at most max entries starting with line number `skip` of the
 * range; returns how many. */
unsigned coalesce_range(addr_t addr, uint64_t bytes, unsigned skip, unsigned max,
                        line_access_t *out);
/* Lines a range touches. */
static inline uint64_t range_lines(addr_t addr, uint64_t bytes)
{
    return bytes ? (addr + bytes - 1) / LINE_BYTES - addr / LINE_BYTES + 1 : 0;
}
#endif
