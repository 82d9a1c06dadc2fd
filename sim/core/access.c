/* SPDX-License-Identifier: MIT
 * Names of the compute units, as traces and reports write them. */
#include "core/access.h"

const char *const unit_names[UNIT_COUNT] = {
    [UNIT_FP32] = "fp32",
    [UNIT_FP64] = "fp64",
    [UNIT_FP16] = "fp16",
    [UNIT_TENSOR_FP16] = "tensor_fp16",
    [UNIT_TENSOR_FP8] = "tensor_fp8",
    [UNIT_TENSOR_TF32] = "tensor_tf32",
    [UNIT_INT] = "int",
    [UNIT_SFU] = "sfu",
};
