/* SPDX-License-Identifier: MIT */
#include "dram/dram_param.h"
#include "dram/std.h"

#define DRAM_ROW(...) PARAM_ROW_IN(dram_param_t, __VA_ARGS__)
static const param_row_t rows[] = {DRAM_PARAMS(DRAM_ROW)};
const param_table_t dram_param_table = {"memory", rows, sizeof rows / sizeof *rows};

#define DRAM_SROW(name, unit, help) STAT_ROW_IN(dram_stats_t, name, unit, help)
static const stat_row_t stats[] = {DRAM_STATS(DRAM_SROW)};
const stat_table_t dram_stat_table = {"dram", stats, sizeof stats / sizeof *stats,
                                      sizeof(dram_stats_t)};

const char *const dram_cmd_names[DRAM_CMDS] = {"ACT", "PRE", "PREA",  "RD",   "WR",
                                               "RDA", "WRA", "REFab", "REFpb"};
