/* SPDX-License-Identifier: MIT
 * The stack program of expressions that are not affine.  Total: every input gives a value (division by zero
 * gives 0, shifts beyond the word give 0 or the sign, sums and products wrap), so a trace cannot crash a run. */
#include "core/expr.h"
#include "core/rng.h"
#include <assert.h>

static int64_t wrap(uint64_t x)
{
    return (int64_t)x;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    if (b == 0) return 0;
    if (b == -1) return wrap(0 - (uint64_t)a); /* INT64_MIN / -1 does not fit */
    int64_t q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static int64_t floor_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t shift_left(int64_t a, int64_t by)
{
    return by < 0 || by > 63 ? 0 : wrap((uint64_t)a << by);
}

static int64_t shift_right(int64_t a, int64_t by)
{
    if (by < 0) return 0;
    if (by > 63) by = 63;
    /* Arithmetic shift, spelled so that it does not depend on the compiler. */
    uint64_t u = (uint64_t)a;
    return a < 0 ? wrap(~(~u >> by)) : wrap(u >> by);
}

static int64_t binary(xop_t op, int64_t a, int64_t b)
{
    switch (op) {
    case XOP_ADD:
        return wrap((uint64_t)a + (uint64_t)b);
    case XOP_SUB:
        return wrap((uint64_t)a - (uint64_t)b);
    case XOP_MUL:
        return wrap((uint64_t)a * (uint64_t)b);
    case XOP_DIV:
        return floor_div(a, b);
    case XOP_MOD:
        return floor_mod(a, b);
    case XOP_MIN:
        return a < b ? a : b;
    case XOP_MAX:
        return a > b ? a : b;
    case XOP_LT:
        return a < b;
    case XOP_LE:
        return a <= b;
    case XOP_EQ:
        return a == b;
    case XOP_NE:
        return a != b;
    case XOP_AND:
        return a & b;
    case XOP_XOR:
        return a ^ b;
    case XOP_SHL:
        return shift_left(a, b);
    case XOP_SHR:
        return shift_right(a, b);
    case XOP_MIX: /* a hash of a modulo b: scattered but repeatable indices */
        return b <= 0 ? 0 : wrap(mix64((uint64_t)a) % (uint64_t)b);
    case XOP_CONST:
    case XOP_VAR:
    case XOP_NEG:
    case XOP_SELECT:
        break;
    }
    assert(false); /* not a binary operation */
    return 0;
}

int64_t expr_run(const xins_t *code, unsigned n, const int64_t *v)
{
    int64_t s[EXPR_STACK];
    unsigned top = 0;
    for (unsigned i = 0; i < n; i++) {
        xop_t op = code[i].op;
        if (op == XOP_CONST || op == XOP_VAR) {
            assert(top < EXPR_STACK);
            s[top++] = op == XOP_CONST ? code[i].k : v[code[i].k];
        } else if (op == XOP_NEG) {
            assert(top >= 1);
            s[top - 1] = wrap(0 - (uint64_t)s[top - 1]);
        } else if (op == XOP_SELECT) { /* condition, if true, if false */
            assert(top >= 3);
            top -= 2;
            s[top - 1] = s[top - 1] ? s[top] : s[top + 1];
        } else {
            assert(top >= 2);
            top--;
            s[top - 1] = binary(op, s[top - 1], s[top]);
        }
    }
    assert(top == 1);
    return s[0];
}

bool expr_uses(const expr_t *x, unsigned v)
{
    if (x->ncode) {
        for (unsigned i = 0; i < x->ncode; i++)
            if (x->code[i].op == XOP_VAR && x->code[i].k == (int64_t)v) return true;
        return false;
    }
    for (unsigned i = 0; i < x->n; i++)
        if (x->var[i] == v && x->coef[i]) return true;
    return false;
}
