/* SPDX-License-Identifier: MIT
 * The parameter table of [xbar]. */
#include "link/xbar_param.h"

#define XBAR_ROW(...) PARAM_ROW_IN(xbar_param_t, __VA_ARGS__)
static const param_row_t rows[] = {XBAR_PARAMS(XBAR_ROW)};
const param_table_t xbar_param_table = {"xbar", rows, sizeof rows / sizeof *rows};
