/* SPDX-License-Identifier: MIT
 * Adding up counters described by a statistics table. */
#include "core/stats.h"
#include <math.h>

static uint64_t *slot(const stat_row_t *r, void *base)
{
    return (uint64_t *)(void *)((char *)base + r->offset);
}

void stat_accumulate(const stat_table_t *t, void *into, const void *from)
{
    for (size_t i = 0; i < t->n; i++) *slot(&t->rows[i], into) += stat_get(&t->rows[i], from);
}

void stat_accumulate_scaled(const stat_table_t *t, void *into, const void *a, const void *b,
                            double scale)
{
    for (size_t i = 0; i < t->n; i++) {
        const stat_row_t *r = &t->rows[i];
        uint64_t grown = stat_get(r, b) - stat_get(r, a);
        /* A whole scale stays exact beyond the 53 bits of a double. */
        if (scale >= 0 && scale < 4294967296.0 && scale == floor(scale))
            *slot(r, into) += grown * (uint64_t)scale;
        else
            *slot(r, into) += (uint64_t)floor((double)grown * scale + 0.5);
    }
}
