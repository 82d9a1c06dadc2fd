/* SPDX-License-Identifier: MIT
 * A statistic is one row: field, unit, meaning.  Counters are plain uint64_t in the component's own struct;
 * the row makes them appear in stats.csv, --explain, docs/device-format.md and the dead-statistic test.
 * Ratios are computed at report time, never stored.
 *
 *   #define L2_STATS(S) S(hits, "requests", "reads whose sectors were all present") ...
 *   typedef struct { L2_STATS(STAT_FIELD) } l2_stats_t;
 *   static const stat_row_t rows[] = { L2_STATS(STAT_ROW(l2_stats_t)) };   -> see STAT_TABLE below */
#ifndef MEMSIM_CORE_STATS_H
#define MEMSIM_CORE_STATS_H
#include <stddef.h>
#include <stdint.h>

typedef struct stat_row {
    const char *name, *unit, *help;
    size_t offset;
} stat_row_t;
typedef struct stat_table {
    const char *component; /* "l1", "l2", "xbar", "dram", "sm", ... */
    const stat_row_t *rows;
    size_t n, struct_bytes;
} stat_table_t;

#define STAT_FIELD(name, unit, help) uint64_t name;
#define STAT_ROW_IN(type, name, unit, help) {#name, unit, help, offsetof(type, name)},

static inline uint64_t stat_get(const stat_row_t *r, const void *base)
{
    return *(const uint64_t *)(const void *)((const char *)base + r->offset);
}
/* into += from, field by field; both are structs described by t. */
void stat_accumulate(const stat_table_t *t, void *into, const void *from);
/* into += (b - a) * scale, rounded to nearest; used to extrapolate sampled runs. */
void stat_accumulate_scaled(const stat_table_t *t, void *into, const void *a, const void *b,
                            double scale);
#endif
