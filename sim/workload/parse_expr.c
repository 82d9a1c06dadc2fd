/* SPDX-License-Identifier: MIT
 * Expressions, by precedence climbing.  Names are resolved here, so that evaluation is a walk over slots. */
#include "workload/parse.h"
#include <string.h>

#define TREE_DEPTH 1000 /* evaluation recurses this deep: long sums lean to the left */

static unsigned depth_of(const node_t *x)
{
    return x ? x->depth : 0;
}

/* NULL after a reported fault: the tree has become too deep. */
static node_t *node(parser_t *p, const token_t *at, node_op_t op, const node_t *a, const node_t *b,
                    const node_t *c)
{
    unsigned depth = depth_of(a) > depth_of(b) ? depth_of(a) : depth_of(b);
    if (depth_of(c) > depth) depth = depth_of(c);
    if (depth >= TREE_DEPTH) {
        fault_at(p, at->line, at->col,
                 "more than %d operators on top of each other; break the expression up with let",
                 TREE_DEPTH);
        return NULL;
    }
    node_t *x = arena_alloc(p->t->arena, sizeof *x);
    *x = (node_t){
        .op = op, .line = at->line, .col = at->col, .depth = depth + 1, .a = a, .b = b, .c = c};
    return x;
}

static const node_t *leaf(parser_t *p, const token_t *at, node_op_t op, int64_t k)
{
    node_t *x = node(p, at, op, NULL, NULL, NULL);
    x->k = k;
    return x;
}

static const node_t *typed(parser_t *p, const token_t *at, node_op_t op, int64_t k, value_kind_t is)
{
    node_t *x = node(p, at, op, NULL, NULL, NULL);
    x->k = k;
    x->is = is;
    return x;
}

/* Texts are compared with texts; everything else is done with numbers.  False after a reported fault. */
static bool operands(parser_t *p, const token_t *at, node_op_t op, const node_t *a, const node_t *b)
{
    bool compared = op == N_EQ || op == N_NE;
    bool text = a->is == IS_TEXT || (b && b->is == IS_TEXT);
    if (!text) return true;
    if (!compared)
        return fault_at(p, at->line, at->col,
                        "found a text beside '%s', expected a number: a text can only be compared "
                        "with == and !=",
                        at->text);
    if (a->is != IS_NUMBER && b->is != IS_NUMBER) return true;
    return fault_at(p, at->line, at->col, "a text and a number are never equal");
}

static const node_t *ternary(parser_t *p);

/* name ( a, b, ... ): min and max of two or more; mix(a, n) is a hash of a, below n. */
static const node_t *call(parser_t *p, const token_t *at, node_op_t op)
{
    advance(p);
    const node_t *x = ternary(p);
    unsigned n = 1;
    while (x && eat_punct(p, ',')) {
        const node_t *y = ternary(p);
        x = y && operands(p, at, op, x, y) ? node(p, at, op, x, y, NULL) : NULL;
        n++;
    }
    if (!x || !need_punct(p, ')', "')'")) return NULL;
    if (n < 2) {
        fault_at(p, at->line, at->col, "'%s' needs two or more values", at->text);
        return NULL;
    }
    return x;
}

static const node_t *buffer(parser_t *p, const token_t *at, int64_t id)
{
    if (!p->buffers) {
        fault_at(p, at->line, at->col,
                 "buffer '%s' cannot stand in a formula, only in the arguments of a launch and in "
                 "a copy; "
                 "give it to the kernel as an argument",
                 at->text);
        return NULL;
    }
    const node_t *instance = NULL;
    if (eat_punct(p, '[') && (!(instance = ternary(p)) || !need_punct(p, ']', "']'"))) return NULL;
    node_t *x = node(p, at, N_BUFFER, instance, NULL, NULL);
    if (x) x->k = id;
    return x;
}

static const node_t *name(parser_t *p)
{
    const token_t *at = advance(p);
    if (at_punct(p, '(') && !strcmp(at->text, "min")) return call(p, at, N_MIN);
    if (at_punct(p, '(') && !strcmp(at->text, "max")) return call(p, at, N_MAX);
    if (at_punct(p, '(') && !strcmp(at->text, "mix")) return call(p, at, N_MIX);
    const sym_t *s = look_up(p, at->text);
    if (s) {
        switch (s->kind) {
        case SY_TOP:
            return typed(p, at, N_TOP, s->id, s->is);
        case SY_ARG:
            return typed(p, at, N_ARG, s->id, s->is);
        case SY_BASE:
            return leaf(p, at, N_BASE, s->id);
        case SY_CTA:
            return leaf(p, at, N_CTA, s->id);
        case SY_LOCAL:
            return typed(p, at, N_LOCAL, s->id, s->is);
        case SY_CONST:
            return leaf(p, at, N_INT, s->id);
        case SY_BUFFER:
            return buffer(p, at, s->id);
        }
    }
    const char **names = arena_array(p->t->arena, const char *, p->nsym + 3);
    for (size_t i = 0; i < p->nsym; i++) names[i] = p->sym[i].name;
    names[p->nsym] = "min";
    names[p->nsym + 1] = "max";
    names[p->nsym + 2] = "mix";
    unknown(p, at, "a known name", names, p->nsym + 3);
    return NULL;
}

static const node_t *primary(parser_t *p)
{
    const token_t *at = peek(p);
    if (at->kind == TK_NUMBER) {
        advance(p);
        return leaf(p, at, N_INT, at->value);
    }
    if (at->kind == TK_STRING) {
        advance(p);
        return typed(p, at, N_INT, trace_string(p->t, at->text), IS_TEXT);
    }
    if (at->kind == TK_NAME) return name(p);
    if (eat_punct(p, '(')) {
        const node_t *x = ternary(p);
        return x && need_punct(p, ')', "')'") ? x : NULL;
    }
    expected(p, "a number, a name or '('");
    return NULL;
}

static const node_t *unary(parser_t *p)
{
    const token_t *at = peek(p);
    if (!at_punct(p, '-') && !at_punct(p, '!')) return primary(p);
    if (++p->depth > PARSE_DEPTH) {
        fault_at(p, at->line, at->col, "expressions nest deeper than %d", PARSE_DEPTH);
        return NULL;
    }
    advance(p);
    const node_t *x = unary(p);
    p->depth--;
    node_op_t op = at->punct == '-' ? N_NEG : N_NOT;
    return x && operands(p, at, op, x, NULL) ? node(p, at, op, x, NULL, NULL) : NULL;
}

static const struct {
    int punct;
    unsigned level; /* binds tighter with a higher level */
    node_op_t op;
    bool swapped; /* a > b is b < a */
} infix[] = {
    {P_OR, 1, N_EITHER, false}, {P_AND, 2, N_BOTH, false},  {P_EQ, 3, N_EQ, false},
    {P_NE, 3, N_NE, false},     {'<', 3, N_LT, false},      {'>', 3, N_LT, true},
    {P_LE, 3, N_LE, false},     {P_GE, 3, N_LE, true},      {'^', 4, N_XOR, false},
    {'&', 5, N_AND, false},     {P_SHL, 6, N_SHL, false},   {P_SHR, 6, N_SHR, false},
    {'+', 7, N_ADD, false},     {'-', 7, N_SUB, false},     {'*', 8, N_MUL, false},
    {'/', 8, N_DIV, false},     {P_CEIL, 8, N_CEIL, false}, {'%', 8, N_MOD, false},
};

static int infix_here(const parser_t *p)
{
    const token_t *at = peek(p);
    if (at->kind != TK_PUNCT) return -1;
    for (size_t i = 0; i < sizeof infix / sizeof *infix; i++)
        if (infix[i].punct == at->punct) return (int)i;
    return -1;
}

static const node_t *binary(parser_t *p, unsigned level)
{
    const node_t *x = unary(p);
    for (int i; x && (i = infix_here(p)) >= 0 && infix[i].level >= level;) {
        const token_t *at = advance(p);
        const node_t *y = binary(p, infix[i].level + 1);
        if (!y || !operands(p, at, infix[i].op, x, y)) return NULL;
        x = infix[i].swapped ? node(p, at, infix[i].op, y, x, NULL)
                             : node(p, at, infix[i].op, x, y, NULL);
    }
    return x;
}

static const node_t *ternary(parser_t *p)
{
    const token_t *at = peek(p);
    if (++p->depth > PARSE_DEPTH) {
        fault_at(p, at->line, at->col, "expressions nest deeper than %d", PARSE_DEPTH);
        return NULL;
    }
    const node_t *x = binary(p, 1);
    const token_t *mark = peek(p);
    if (x && eat_punct(p, '?')) {
        if (!operands(p, mark, N_CHOOSE, x, NULL)) return NULL;
        const node_t *yes = ternary(p);
        const node_t *no = yes && need_punct(p, ':', "':'") ? ternary(p) : NULL;
        node_t *choice = no ? node(p, at, N_CHOOSE, x, yes, no) : NULL;
        if (choice) choice->is = yes->is == no->is ? yes->is : IS_EITHER;
        x = choice;
    }
    p->depth--;
    return x;
}

const node_t *parse_value(parser_t *p)
{
    unsigned depth = p->depth;
    const node_t *x = ternary(p);
    p->depth = depth; /* a fault leaves it anywhere */
    return x;
}

const node_t *parse_expr(parser_t *p)
{
    const token_t *at = peek(p);
    const node_t *x = parse_value(p);
    if (!x || x->is != IS_TEXT) return x;
    fault_at(p, at->line, at->col, "found a text, expected a number");
    return NULL;
}
