/* SPDX-License-Identifier: MIT
 * The parameter tables of [l1] and [l2]. */
#include "cache/cache_param.h"

#define L1_ROW(...) PARAM_ROW_IN(l1_param_t, __VA_ARGS__)
static const param_row_t l1_rows[] = {L1_PARAMS(L1_ROW)};
const param_table_t l1_param_table = {"l1", l1_rows, sizeof l1_rows / sizeof *l1_rows};

#define L2_ROW(...) PARAM_ROW_IN(l2_param_t, __VA_ARGS__)
static const param_row_t l2_rows[] = {L2_PARAMS(L2_ROW)};
const param_table_t l2_param_table = {"l2", l2_rows, sizeof l2_rows / sizeof *l2_rows};
