/* SPDX-License-Identifier: MIT
 * Log-linear histogram: bin edges, percentiles, merging. */
#include "core/hist.h"
#include <stdbool.h>
#include <string.h>

uint64_t hist_bin_low(unsigned bin)
{
    if (bin < 2 * HIST_SUB) return bin;
    unsigned octave = bin / HIST_SUB - 1; /* bins of this octave are 2^octave wide */
    return (uint64_t)(HIST_SUB + bin % HIST_SUB) << octave;
}

uint64_t hist_bin_high(unsigned bin)
{
    return bin + 1 < HIST_BINS ? hist_bin_low(bin + 1) - 1 : UINT64_MAX;
}

uint64_t hist_percentile(const hist_t *h, double p)
{
    if (!h->n) return 0;
    if (p <= 0) return h->min;
    if (p >= 1) return h->max;
    /* The k-th smallest sample, k = ceil(p n); p n is exact enough below 2^53 samples, and the guard keeps
     * 0.95 * 100 = 95.00000000000001 from asking for the 96th. */
    double want = p * (double)h->n;
    uint64_t k = (uint64_t)want;
    if (want - (double)k > 1e-9 * want) k++;
    if (k < 1) k = 1;
    uint64_t seen = 0;
    for (unsigned b = 0; b < HIST_BINS; b++) {
        seen += h->bin[b];
        if (seen >= k) {
            uint64_t edge = hist_bin_high(b);
            if (edge > h->max) edge = h->max;
            return edge < h->min ? h->min : edge;
        }
    }
    return h->max;
}

void hist_merge(hist_t *into, const hist_t *from)
{
    if (!from->n) return;
    if (!into->n || from->min < into->min) into->min = from->min;
    if (from->max > into->max) into->max = from->max;
    into->n += from->n;
    into->sum += from->sum;
    for (unsigned b = 0; b < HIST_BINS; b++) into->bin[b] += from->bin[b];
}

static uint64_t nearest(double x)
{
    return (uint64_t)(x + 0.5);
}

void hist_merge_times(hist_t *into, const hist_t *from, double times)
{
    uint64_t n = nearest((double)from->n * times), seen = 0, given = 0;
    if (!n) return;
    if (!into->n || from->min < into->min) into->min = from->min;
    if (from->max > into->max) into->max = from->max;
    into->n += n;
    into->sum += nearest((double)from->sum * times);
    for (unsigned b = 0; b < HIST_BINS; b++) {
        if (!from->bin[b]) continue;
        seen += from->bin[b];
        uint64_t upto = nearest((double)seen * times);
        into->bin[b] += upto - given;
        given = upto;
    }
}

void hist_since(hist_t *out, const hist_t *now, const hist_t *before)
{
    memset(out, 0, sizeof *out);
    out->n = now->n - before->n;
    out->sum = now->sum - before->sum;
    bool any = false;
    for (unsigned b = 0; b < HIST_BINS; b++) {
        out->bin[b] = now->bin[b] - before->bin[b];
        if (!out->bin[b]) continue;
        uint64_t low = hist_bin_low(b), high = hist_bin_high(b);
        if (!any) out->min = low > now->min ? low : now->min;
        out->max = high < now->max ? high : now->max;
        any = true;
    }
}
