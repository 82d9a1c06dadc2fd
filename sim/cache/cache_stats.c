/* SPDX-License-Identifier: MIT */
#include "cache/cache_stats.h"

#define L1_ROW(name, unit, help) STAT_ROW_IN(l1_stats_t, name, unit, help)
#define L2_ROW(name, unit, help) STAT_ROW_IN(l2_stats_t, name, unit, help)
static const stat_row_t l1_rows[] = {L1_STATS(L1_ROW)};
static const stat_row_t l2_rows[] = {L2_STATS(L2_ROW)};
const stat_table_t l1_stat_table = {"l1", l1_rows, sizeof l1_rows / sizeof *l1_rows,
                                    sizeof(l1_stats_t)};
const stat_table_t l2_stat_table = {"l2", l2_rows, sizeof l2_rows / sizeof *l2_rows,
                                    sizeof(l2_stats_t)};
