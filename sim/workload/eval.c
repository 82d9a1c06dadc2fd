/* SPDX-License-Identifier: MIT
 * Values of expressions while a trace is read and played: every overflow and division by zero is a fault with a
 * place in the file.  (Inside a running warp, core/expr.h defines a value for those.) */
#include "core/rng.h"
#include "workload/trace.h"

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static bool divide(node_op_t op, int64_t a, int64_t b, int64_t *out, const char **why)
{
    if (b == 0) {
        *why = "division by zero";
        return false;
    }
    if (b == -1) {
        *out = 0;
        if (op == N_MOD || !__builtin_sub_overflow((int64_t)0, a, out)) return true;
        *why = "overflow";
        return false;
    }
    int64_t q = floor_div(a, b);
    *out = op == N_DIV ? q : op == N_MOD ? a - q * b : q + (q * b != a);
    return true;
}

bool eval_op(node_op_t op, int64_t a, int64_t b, int64_t *out, const char **why)
{
    bool over = false;
    switch (op) {
    case N_NEG:
        over = __builtin_sub_overflow((int64_t)0, a, out);
        break;
    case N_NOT:
        *out = !a;
        break;
    case N_ADD:
        over = __builtin_add_overflow(a, b, out);
        break;
    case N_SUB:
        over = __builtin_sub_overflow(a, b, out);
        break;
    case N_MUL:
        over = __builtin_mul_overflow(a, b, out);
        break;
    case N_DIV:
    case N_CEIL:
    case N_MOD:
        return divide(op, a, b, out, why);
    case N_MIN:
        *out = a < b ? a : b;
        break;
    case N_MAX:
        *out = a > b ? a : b;
        break;
    case N_LT:
        *out = a < b;
        break;
    case N_LE:
        *out = a <= b;
        break;
    case N_EQ:
        *out = a == b;
        break;
    case N_NE:
        *out = a != b;
        break;
    case N_AND:
        *out = a & b;
        break;
    case N_XOR:
        *out = a ^ b;
        break;
    case N_SHL:
        if (b < 0 || b > 62)
            over = true;
        else
            over = __builtin_mul_overflow(a, INT64_C(1) << b, out);
        break;
    case N_SHR:
        if (b < 0)
            over = true;
        else
            *out = floor_div(a, INT64_C(1) << (b > 62 ? 62 : b));
        break;
    case N_MIX:
        if (b <= 0) {
            *why = "mix needs a second value above 0";
            return false;
        }
        *out = (int64_t)(mix64((uint64_t)a) % (uint64_t)b);
        break;
    case N_INT:
    case N_TOP:
    case N_ARG:
    case N_BASE:
    case N_CTA:
    case N_LOCAL:
    case N_BUFFER:
    case N_BOTH:
    case N_EITHER:
    case N_CHOOSE:
        *why = "not an operator"; /* the caller's switch has these */
        return false;
    }
    if (over) *why = "overflow: the value does not fit in 64 bits";
    return !over;
}

static int64_t fault(eval_t *e, const node_t *x, const char *why)
{
    if (!e->why) {
        e->why = why;
        e->where = x;
    }
    return 0;
}

static int64_t buffer_address(eval_t *e, const node_t *x)
{
    const buffer_def_t *b = &e->trace->buffer[x->k];
    int64_t i = x->a ? eval_node(e, x->a) : 0;
    if (i < 0 || (uint64_t)i >= b->instances)
        return fault(e, x, "the buffer has no instance of that number");
    return (int64_t)(b->base + (uint64_t)i * b->stride);
}

int64_t eval_node(eval_t *e, const node_t *x)
{
    switch (x->op) {
    case N_INT:
        return x->k;
    case N_TOP:
        return e->trace->slot[x->k];
    case N_ARG:
        return e->arg ? e->arg[x->k] : fault(e, x, "a kernel's parameter has no value here");
    case N_BASE:
        return e->base ? (int64_t)e->base[x->k]
                       : fault(e, x, "a kernel's buffer has no address here");
    case N_BUFFER:
        return buffer_address(e, x);
    case N_CTA:
    case N_LOCAL:
        return fault(e, x, "must be a constant of the launch, but depends on the warp");
    case N_BOTH:
        return eval_node(e, x->a) && eval_node(e, x->b);
    case N_EITHER:
        return eval_node(e, x->a) || eval_node(e, x->b);
    case N_CHOOSE:
        return eval_node(e, x->a) ? eval_node(e, x->b) : eval_node(e, x->c);
    case N_NEG:
    case N_NOT:
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
    int64_t a = eval_node(e, x->a), b = x->b ? eval_node(e, x->b) : 0, v = 0;
    const char *why = NULL;
    return eval_op(x->op, a, b, &v, &why) ? v : fault(e, x, why);
}

int eval_report(const eval_t *e, diag_t *d)
{
    return diag_add(d, MS_INPUT, "%s:%d:%d: %s", e->trace->file, e->where->line, e->where->col,
                    e->why);
}
