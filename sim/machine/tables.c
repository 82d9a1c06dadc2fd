/* SPDX-License-Identifier: MIT */
#include "machine/tables.h"
#include "cache/cache_stats.h"
#include "dram/dram_param.h"
#include "gpu/sm_stats.h"
#include "link/xbar_stats.h"

const stat_table_t *const *machine_stat_tables(size_t *n)
{
    static const stat_table_t *const list[] = {&sm_stat_table, &l1_stat_table, &xbar_stat_table,
                                               &l2_stat_table, &dram_stat_table};
    *n = sizeof list / sizeof *list;
    return list;
}
