/* SPDX-License-Identifier: MIT
 * Log-linear histogram of non-negative integers: 32 linear bins per power of two, so a percentile is within
 * 1/32 = 3.1 % above the true value (values below 64 are exact).  Count, sum, min and max are exact.
 * Constant memory; hist_add is a handful of instructions. */
#ifndef MEMSIM_CORE_HIST_H
#define MEMSIM_CORE_HIST_H
#include <stdint.h>

#define HIST_SUB 32u
#define HIST_BINS (HIST_SUB * 45)
typedef struct hist {
    uint64_t n, min, max;
    uint64_t sum;
    uint64_t bin[HIST_BINS];
} hist_t;

static inline unsigned hist_bin(uint64_t v)
{
    if (v / 2 < HIST_SUB) return (unsigned)v;
    unsigned e = 63u - (unsigned)__builtin_clzll(v); /* v in [2^e, 2^(e+1)) */
    unsigned b = (e - 5) * HIST_SUB + HIST_SUB + (unsigned)((v >> (e - 5)) & (HIST_SUB - 1));
    return b < HIST_BINS ? b : HIST_BINS - 1;
}
static inline void hist_add_n(hist_t *h, uint64_t v, uint64_t n)
{
    if (!n) return;
    if (!h->n || v < h->min) h->min = v;
    if (v > h->max) h->max = v;
    h->n += n;
    h->sum += v * n;
    h->bin[hist_bin(v)] += n;
}
static inline void hist_add(hist_t *h, uint64_t v)
{
    hist_add_n(h, v, 1);
}
uint64_t hist_bin_low(unsigned bin);  /* smallest value of a bin */
uint64_t hist_bin_high(unsigned bin); /* largest value of a bin */
/* Value at or below which a share p in (0,1] lies: upper edge of its bin, never above max.  0 if empty. */
uint64_t hist_percentile(const hist_t *h, double p);
void hist_merge(hist_t *into, const hist_t *from);
/* As if every sample of `from` had come `times` times, a fraction too: counts are rounded so that the number of
 * samples is right to one. */
void hist_merge_times(hist_t *into, const hist_t *from, double times);
/* What `now` holds beyond `before`, an earlier state of it; min and max are edges of bins. */
void hist_since(hist_t *out, const hist_t *now, const hist_t *before);
#endif
