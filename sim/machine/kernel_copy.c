/* SPDX-License-Identifier: MIT */
#include "machine/kernel_copy.h"
#include "core/arena.h"
#include <stdlib.h>
#include <string.h>

static void *room(void *p, size_t *cap, size_t n, size_t size)
{
    if (n <= *cap) return p;
    *cap = n;
    return mem_resize(p, n * size);
}

static size_t code_of(const wop_t *op)
{
    return (size_t)op->addr.ncode + op->count.ncode + op->amount.ncode;
}

static xins_t *move_code(expr_t *x, xins_t *to)
{
    if (!x->ncode) return to;
    memcpy(to, x->code, x->ncode * sizeof *to);
    x->code = to;
    return to + x->ncode;
}

void kernel_copy_take(kernel_copy_t *c, const kernel_t *k)
{
    size_t n = 0;
    for (uint32_t i = 0; i < k->nops; i++) n += code_of(&k->op[i]);
    for (uint32_t i = 0; i < k->nlets; i++) n += k->let[i].ncode;
    c->op = room(c->op, &c->cap_op, k->nops, sizeof *c->op);
    c->let = room(c->let, &c->cap_let, k->nlets, sizeof *c->let);
    c->code = room(c->code, &c->cap_code, n, sizeof *c->code);
    if (k->nops) memcpy(c->op, k->op, k->nops * sizeof *c->op);
    if (k->nlets) memcpy(c->let, k->let, k->nlets * sizeof *c->let);
    xins_t *to = c->code;
    for (uint32_t i = 0; i < k->nops; i++) {
        to = move_code(&c->op[i].addr, to);
        to = move_code(&c->op[i].count, to);
        to = move_code(&c->op[i].amount, to);
    }
    for (uint32_t i = 0; i < k->nlets; i++) to = move_code(&c->let[i], to);
    c->k = *k;
    c->k.op = c->op;
    c->k.let = c->let;
    c->k.noperands = 0;
    c->k.operand = NULL;
}

void kernel_copy_free(kernel_copy_t *c)
{
    free(c->op);
    free(c->let);
    free(c->code);
    *c = (kernel_copy_t){0};
}
