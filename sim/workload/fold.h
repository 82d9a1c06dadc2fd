/* SPDX-License-Identifier: MIT
 * Syntax tree -> expr_t: everything known at the launch becomes a number, what is left an affine sum over the
 * warp's variables, or, where that is impossible, a stack program. */
#ifndef MEMSIM_WORKLOAD_FOLD_H
#define MEMSIM_WORKLOAD_FOLD_H
#include "workload/trace.h"

typedef struct val {              /* a partly known value */
    int64_t c0, coef[EXPR_TERMS]; /* affine: c0 + sum of coef[i] * v[var[i]] */
    uint8_t var[EXPR_TERMS], n;
    uint8_t stack;    /* program: values it holds at once */
    uint32_t at, len; /* program: its place in fold_t.code; len 0: affine */
} val_t;

typedef struct fold {
    const trace_t *trace;
    eval_t env;   /* the launch's arguments; also the first fault */
    val_t *local; /* lets and loop counters of the kernel */
    xins_t *code; /* pool of all programs of the kernel, owned */
    size_t n, cap;
} fold_t;

val_t fold_const(int64_t k);
val_t fold_var(unsigned slot);
val_t fold_node(fold_t *f, const node_t *x);
/* a OP b, for what the builder adds itself; x gives the place for faults. */
val_t fold_binary(fold_t *f, const node_t *x, node_op_t op, val_t a, val_t b);
static inline bool val_is_const(const val_t *v)
{
    return !v->len && !v->n;
}
/* Could the value change while the warp runs, that is, does it use a loop counter? */
bool fold_uses_loop(const fold_t *f, const val_t *v);
/* The finished expression.  A program's `code` is set by fold_link, when the pool has stopped moving. */
expr_t fold_expr(const val_t *v);
void fold_link(const fold_t *f, expr_t *x);
#endif
