/* SPDX-License-Identifier: MIT
 * The parameter table of [gpu]. */
#include "gpu/gpu_param.h"

#define GPU_ROW(...) PARAM_ROW_IN(gpu_param_t, __VA_ARGS__)
static const param_row_t rows[] = {GPU_PARAMS(GPU_ROW)};
const param_table_t gpu_param_table = {"gpu", rows, sizeof rows / sizeof *rows};
