/* SPDX-License-Identifier: MIT
 * Time, addresses and clocks.  Simulated time is an integer number of picoseconds; a clock turns cycle
 * *numbers* into ps from zero, so nothing accumulates: HBM3's 312.5 ps half-cycle never becomes 312. */
#ifndef MEMSIM_CORE_UNITS_H
#define MEMSIM_CORE_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t ps_t;    /* simulated time or duration, picoseconds */
typedef uint64_t addr_t; /* byte address */
#define PS_MAX INT64_MAX /* "never" */
/* Simulated time ends here, at 100 days: what no run passes, with room for sums of times before they are compared. */
#define PS_END ((ps_t)86400 * 100 * 1000000000000)

__extension__ typedef __int128 wide_t; /* products of ps and Hz */

typedef struct clk {
    uint64_t hz;
} clk_t;

/* Time of clock edge n, in ps: floor(n * 10^12 / hz), exact (128-bit inside). */
static inline ps_t clk_edge(clk_t c, int64_t n)
{
    return (ps_t)((wide_t)n * 1000000000000 / (wide_t)c.hz);
}

/* Number of the first edge at or after t >= 0. */
static inline int64_t clk_ceil(clk_t c, ps_t t)
{
    wide_t x = (wide_t)t * (wide_t)c.hz;
    int64_t n = (int64_t)(x / 1000000000000);
    while (clk_edge(c, n) < t) n++;
    return n;
}

/* Duration of n cycles, rounded to the nearest ps (for latencies, not for edges). */
static inline ps_t clk_span(clk_t c, int64_t n)
{
    return (ps_t)(((wide_t)n * 1000000000000 + (wide_t)(c.hz / 2)) / (wide_t)c.hz);
}

static inline ps_t ps_later(ps_t a, ps_t b)
{
    return a > b ? a : b;
}
#endif
