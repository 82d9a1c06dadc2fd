/* SPDX-License-Identifier: MIT
 * Integer expressions over the variables of a running warp.  The trace parser compiles text to an expr_t; the
 * GPU evaluates it for every warp instruction, so affine expressions (nearly all) are a short sum of products
 * and only the rest (division, remainder, min, max, comparisons, products of variables) run a small stack
 * program. */
#ifndef MEMSIM_CORE_EXPR_H
#define MEMSIM_CORE_EXPR_H
#include <stdbool.h>
#include <stdint.h>

enum { /* slots of the variable vector v[] */
       V_CTA_X,
       V_CTA_Y,
       V_CTA_Z, /* block index */
       V_WARP,  /* warp in its block */
       V_I0,
       V_I1,
       V_I2,
       V_I3,   /* loop counters, outermost first */
       V_LET0, /* 16 kernel-level lets, evaluated once when a warp starts */
       V_COUNT = V_LET0 + 16
};

typedef enum {
    XOP_CONST,
    XOP_VAR,
    XOP_ADD,
    XOP_SUB,
    XOP_MUL,
    XOP_DIV /* floor */,
    XOP_MOD /* sign of divisor */,
    XOP_MIN,
    XOP_MAX,
    XOP_NEG,
    XOP_LT,
    XOP_LE,
    XOP_EQ,
    XOP_NE,
    XOP_AND,
    XOP_XOR,
    XOP_SHL,
    XOP_SHR,
    XOP_SELECT,
    XOP_MIX
} xop_t;
typedef struct xins {
    xop_t op;
    int64_t k; /* constant, or variable slot */
} xins_t;

#define EXPR_TERMS 6
#define EXPR_STACK 32 /* values a stack program may hold at once; the parser refuses deeper ones */
typedef struct expr {
    int64_t c0;
    int64_t coef[EXPR_TERMS];
    uint8_t var[EXPR_TERMS];
    uint8_t n;          /* terms used */
    uint16_t ncode;     /* 0: affine; else the stack program decides */
    const xins_t *code; /* owned by the trace's arena */
} expr_t;

int64_t expr_run(const xins_t *code, unsigned n,
                 const int64_t *v); /* stack program; division by 0 gives 0 */
static inline int64_t expr_eval(const expr_t *x, const int64_t *v)
{
    if (x->ncode) return expr_run(x->code, x->ncode, v);
    int64_t s = x->c0;
    for (unsigned i = 0; i < x->n; i++) s += x->coef[i] * v[x->var[i]];
    return s;
}
static inline expr_t expr_const(int64_t k)
{
    expr_t x = {.c0 = k};
    return x;
}
static inline bool expr_is_const(const expr_t *x)
{
    return !x->ncode && !x->n;
}
/* True if the value may depend on variable slot v. */
bool expr_uses(const expr_t *x, unsigned v);
#endif
