/* SPDX-License-Identifier: MIT
 * A kernel of one's own.  A workload keeps only the latest evaluation of each definition; of kernels that run side by
 * side several may come from one. */
#ifndef MEMSIM_MACHINE_KERNEL_COPY_H
#define MEMSIM_MACHINE_KERNEL_COPY_H
#include "core/access.h"
#include <stddef.h>

typedef struct kernel_copy { /* zeroed before the first use; its room is used again by the next */
    kernel_t k;
    wop_t *op;
    expr_t *let;
    xins_t *code;
    size_t cap_op, cap_let, cap_code;
} kernel_copy_t;

/* Make c->k a copy of k that shares nothing with it but what lives as long as the workload (names, index
 * distributions); operands are left out. */
void kernel_copy_take(kernel_copy_t *c, const kernel_t *k);
void kernel_copy_free(kernel_copy_t *c);
#endif
