/* SPDX-License-Identifier: MIT
 * Syntax tree -> affine sums and stack programs. */
#include "workload/fold.h"
#include <string.h>

#define PROGRAM_MAX 1000 /* instructions of one expression */

val_t fold_const(int64_t k)
{
    return (val_t){.c0 = k};
}

val_t fold_var(unsigned slot)
{
    return (val_t){.coef = {1}, .var = {(uint8_t)slot}, .n = 1};
}

static val_t fault(fold_t *f, const node_t *x, const char *why)
{
    if (!f->env.why) {
        f->env.why = why;
        f->env.where = x;
    }
    return fold_const(0);
}

/* ---- affine ---- */

static bool scale(val_t *a, int64_t k)
{
    bool over = __builtin_mul_overflow(a->c0, k, &a->c0);
    for (unsigned i = 0; i < a->n; i++) over |= __builtin_mul_overflow(a->coef[i], k, &a->coef[i]);
    if (!k) a->n = 0;
    return !over;
}

/* a + b; false if it has too many terms or overflows (the stack program then decides). */
static bool add(val_t *a, const val_t *b)
{
    val_t s = *a;
    if (__builtin_add_overflow(s.c0, b->c0, &s.c0)) return false;
    for (unsigned j = 0; j < b->n; j++) {
        unsigned i = 0;
        while (i < s.n && s.var[i] != b->var[j]) i++;
        if (i == s.n) {
            if (s.n == EXPR_TERMS) return false;
            s.var[s.n] = b->var[j];
            s.coef[s.n++] = 0;
        }
        if (__builtin_add_overflow(s.coef[i], b->coef[j], &s.coef[i])) return false;
        if (s.coef[i]) continue;
        s.n--; /* the terms cancel */
        s.coef[i] = s.coef[s.n];
        s.var[i] = s.var[s.n];
    }
    *a = s;
    return true;
}

/* a divided by k > 0 where every coefficient is a multiple of k, so that only c0 is rounded. */
static bool divide(val_t *a, node_op_t op, int64_t k)
{
    const char *why;
    for (unsigned i = 0; i < a->n; i++)
        if (a->coef[i] % k) return false;
    if (!eval_op(op, a->c0, k, &a->c0, &why)) return false;
    for (unsigned i = 0; i < a->n; i++) a->coef[i] /= k;
    if (op == N_MOD) a->n = 0;
    return true;
}

static bool affine_op(node_op_t op, val_t *a, const val_t *b)
{
    val_t t = *b;
    switch (op) {
    case N_ADD:
        return add(a, b);
    case N_SUB:
        return scale(&t, -1) && add(a, &t);
    case N_MUL:
        if (!val_is_const(b)) {
            if (!val_is_const(a)) return false;
            if (!scale(&t, a->c0)) return false;
            *a = t;
            return true;
        }
        t = *a;
        if (!scale(&t, b->c0)) return false;
        *a = t;
        return true;
    case N_SHL:
        t = *a;
        if (!val_is_const(b) || b->c0 < 0 || b->c0 > 62 || !scale(&t, INT64_C(1) << b->c0))
            return false;
        *a = t;
        return true;
    case N_SHR:
        return val_is_const(b) && b->c0 >= 0 && b->c0 <= 62 &&
               divide(a, N_DIV, INT64_C(1) << b->c0);
    case N_DIV:
    case N_CEIL:
    case N_MOD:
        return val_is_const(b) && b->c0 > 0 && divide(a, op, b->c0);
    case N_INT:
    case N_TOP:
    case N_ARG:
    case N_BASE:
    case N_CTA:
    case N_LOCAL:
    case N_BUFFER:
    case N_NEG:
    case N_NOT:
    case N_MIN:
    case N_MAX:
    case N_LT:
    case N_LE:
    case N_EQ:
    case N_NE:
    case N_AND:
    case N_XOR:
    case N_MIX:
    case N_BOTH:
    case N_EITHER:
    case N_CHOOSE:
        return false;
    }
    return false;
}

/* ---- programs ---- */

static void emit(fold_t *f, val_t *v, xop_t op, int64_t k)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 256;
        f->code = mem_resize(f->code, f->cap * sizeof *f->code);
    }
    f->code[f->n++] = (xins_t){op, k};
    v->len++;
}

/* Copy b's instructions behind those of v, which lies at the end of the pool. */
static void append(fold_t *f, val_t *v, const val_t *b)
{
    if (b->len) {
        for (uint32_t i = 0; i < b->len; i++)
            emit(f, v, f->code[b->at + i].op, f->code[b->at + i].k);
        return;
    }
    bool first = true;
    if (b->c0 || !b->n) {
        emit(f, v, XOP_CONST, b->c0);
        first = false;
    }
    for (unsigned i = 0; i < b->n; i++) {
        emit(f, v, XOP_VAR, b->var[i]);
        if (b->coef[i] != 1) {
            emit(f, v, XOP_CONST, b->coef[i]);
            emit(f, v, XOP_MUL, 0);
        }
        if (!first) emit(f, v, XOP_ADD, 0);
        first = false;
    }
}

static unsigned stack_of(const val_t *v)
{
    return v->len ? v->stack : v->n ? 3 : 1;
}

static val_t program(fold_t *f, const node_t *x, xop_t op, const val_t *a, const val_t *b,
                     const val_t *c)
{
    val_t v = {.at = (uint32_t)f->n};
    unsigned stack = stack_of(a);
    append(f, &v, a);
    if (b) {
        append(f, &v, b);
        if (stack_of(b) + 1 > stack) stack = stack_of(b) + 1;
    }
    if (c) {
        append(f, &v, c);
        if (stack_of(c) + 2 > stack) stack = stack_of(c) + 2;
    }
    emit(f, &v, op, 0);
    if (stack > EXPR_STACK || v.len > PROGRAM_MAX || f->n > UINT32_MAX / 2)
        return fault(f, x, "the expression is too large; break it up with let");
    v.stack = (uint8_t)stack;
    return v;
}

static val_t emit_binary(fold_t *f, const node_t *x, node_op_t op, const val_t *a, const val_t *b)
{
    val_t minus, quotient;
    switch (op) {
    case N_ADD:
        return program(f, x, XOP_ADD, a, b, NULL);
    case N_SUB:
        return program(f, x, XOP_SUB, a, b, NULL);
    case N_MUL:
        return program(f, x, XOP_MUL, a, b, NULL);
    case N_DIV:
        return program(f, x, XOP_DIV, a, b, NULL);
    case N_MOD:
        return program(f, x, XOP_MOD, a, b, NULL);
    case N_MIN:
        return program(f, x, XOP_MIN, a, b, NULL);
    case N_MAX:
        return program(f, x, XOP_MAX, a, b, NULL);
    case N_LT:
        return program(f, x, XOP_LT, a, b, NULL);
    case N_LE:
        return program(f, x, XOP_LE, a, b, NULL);
    case N_EQ:
        return program(f, x, XOP_EQ, a, b, NULL);
    case N_NE:
        return program(f, x, XOP_NE, a, b, NULL);
    case N_AND:
        return program(f, x, XOP_AND, a, b, NULL);
    case N_XOR:
        return program(f, x, XOP_XOR, a, b, NULL);
    case N_SHL:
        return program(f, x, XOP_SHL, a, b, NULL);
    case N_SHR:
        return program(f, x, XOP_SHR, a, b, NULL);
    case N_MIX:
        return program(f, x, XOP_MIX, a, b, NULL);
    case N_CEIL: /* -floor(-a / b) */
        minus = fold_binary(f, x, N_SUB, fold_const(0), *a);
        quotient = program(f, x, XOP_DIV, &minus, b, NULL);
        return program(f, x, XOP_NEG, &quotient, NULL, NULL);
    case N_INT:
    case N_TOP:
    case N_ARG:
    case N_BASE:
    case N_CTA:
    case N_LOCAL:
    case N_BUFFER:
    case N_NEG:
    case N_NOT:
    case N_BOTH:
    case N_EITHER:
    case N_CHOOSE:
        break;
    }
    return fault(f, x, "not an operator of two values");
}

val_t fold_binary(fold_t *f, const node_t *x, node_op_t op, val_t a, val_t b)
{
    const char *why = NULL;
    int64_t k;
    if (val_is_const(&a) && val_is_const(&b))
        return eval_op(op, a.c0, b.c0, &k, &why) ? fold_const(k) : fault(f, x, why);
    if (val_is_const(&b) && !b.c0 && (op == N_DIV || op == N_CEIL || op == N_MOD))
        return fault(f, x, "division by zero");
    if (!a.len && !b.len && affine_op(op, &a, &b)) return a;
    return emit_binary(f, x, op, &a, &b);
}

static val_t truth(fold_t *f, const node_t *x, val_t v)
{
    return fold_binary(f, x, N_NE, v, fold_const(0));
}

static val_t choose(fold_t *f, const node_t *x, val_t cond, val_t yes, val_t no)
{
    return program(f, x, XOP_SELECT, &cond, &yes, &no);
}

val_t fold_node(fold_t *f, const node_t *x)
{
    val_t a, b;
    switch (x->op) {
    case N_INT:
    case N_TOP:
    case N_ARG:
    case N_BASE:
    case N_BUFFER:
        return fold_const(eval_node(&f->env, x));
    case N_CTA:
        return fold_var((unsigned)x->k);
    case N_LOCAL:
        return f->local[x->k];
    case N_NEG:
        return fold_binary(f, x, N_SUB, fold_const(0), fold_node(f, x->a));
    case N_NOT:
        return fold_binary(f, x, N_EQ, fold_node(f, x->a), fold_const(0));
    case N_BOTH:
        a = fold_node(f, x->a);
        if (val_is_const(&a)) return a.c0 ? truth(f, x, fold_node(f, x->b)) : fold_const(0);
        b = truth(f, x, fold_node(f, x->b));
        return choose(f, x, a, b, fold_const(0));
    case N_EITHER:
        a = fold_node(f, x->a);
        if (val_is_const(&a)) return a.c0 ? fold_const(1) : truth(f, x, fold_node(f, x->b));
        b = truth(f, x, fold_node(f, x->b));
        return choose(f, x, a, fold_const(1), b);
    case N_CHOOSE:
        a = fold_node(f, x->a);
        if (val_is_const(&a)) return fold_node(f, a.c0 ? x->b : x->c);
        b = fold_node(f, x->b);
        return choose(f, x, a, b, fold_node(f, x->c));
    case N_ADD:
    case N_SUB:
    case N_MUL:
    case N_DIV:
    case N_CEIL:
    case N_MOD:
    case N_MIN:
    case N_MAX:
    case N_LT:
    case N_LE:
    case N_EQ:
    case N_NE:
    case N_AND:
    case N_XOR:
    case N_SHL:
    case N_SHR:
    case N_MIX:
        break;
    }
    a = fold_node(f, x->a);
    b = fold_node(f, x->b);
    return fold_binary(f, x, x->op, a, b);
}

bool fold_uses_loop(const fold_t *f, const val_t *v)
{
    for (unsigned i = 0; i < v->n; i++)
        if (v->var[i] >= V_I0 && v->var[i] <= V_I3) return true;
    for (uint32_t i = 0; i < v->len; i++) {
        const xins_t *x = &f->code[v->at + i];
        if (x->op == XOP_VAR && x->k >= V_I0 && x->k <= V_I3) return true;
    }
    return false;
}

expr_t fold_expr(const val_t *v)
{
    expr_t x = {
        .c0 = v->len ? (int64_t)v->at : v->c0, .n = v->len ? 0 : v->n, .ncode = (uint16_t)v->len};
    memcpy(x.coef, v->coef, sizeof x.coef);
    memcpy(x.var, v->var, sizeof x.var);
    return x;
}

void fold_link(const fold_t *f, expr_t *x)
{
    if (!x->ncode) return;
    x->code = f->code + x->c0;
    x->c0 = 0;
}
