/* SPDX-License-Identifier: MIT
 * Kernel definition + arguments -> kernel_t.  The result lives in the definition and is overwritten by the next
 * launch of it with other arguments. */
#include "workload/fold.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MAX 16384
#define STEP_MAX (INT64_C(1) << 50)   /* bytes; no address lies further */
#define BLOCKS_MAX (INT64_C(1) << 40) /* of a grid: days of simulated time */

struct built {
    bool valid;
    const int64_t
        *arg; /* whose evaluation this is (interned by the player, so pointers identify) */
    const addr_t *base;
    kernel_t kernel;
    fold_t fold;
    val_t local[LOCALS_MAX];
    expr_t let[V_COUNT - V_LET0];
    wop_t *op; /* growing, owned */
    size_t n, cap;
    operand_t operand[KPARAMS_MAX];
};

typedef struct builder {
    trace_t *t;
    kernel_def_t *def;
    struct built *b;
    diag_t *d;
    unsigned depth; /* of loops */
    bool failed;
} builder_t;

static void fault(builder_t *s, int line, int col, const char *what)
{
    if (!s->failed) diag_add(s->d, MS_INPUT, "%s:%d:%d: %s", s->t->file, line, col, what);
    s->failed = true;
}

static val_t value(builder_t *s, const node_t *x)
{
    return fold_node(&s->b->fold, x);
}

/* A number known at the launch, within [low, high]. */
static int64_t constant(builder_t *s, const node_t *x, int64_t low, int64_t high, const char *what)
{
    val_t v = value(s, x);
    if (s->b->fold.env.why || s->failed) return low;
    if (!val_is_const(&v))
        fault(s, x->line, x->col,
              "must be known at the launch, but depends on the block or the warp");
    else if (v.c0 < low || v.c0 > high)
        fault(s, x->line, x->col, what);
    else
        return v.c0;
    return low;
}

/* A number within [low, high], if it is known at the launch; inside a running warp the models clamp it. */
static val_t ranged(builder_t *s, const node_t *x, int64_t low, int64_t high, const char *what)
{
    val_t v = value(s, x);
    if (!s->b->fold.env.why && val_is_const(&v) && (v.c0 < low || v.c0 > high))
        fault(s, x->line, x->col, what);
    return v;
}

static wop_t *emit(builder_t *s, const kstmt_t *st, wop_kind_t kind)
{
    struct built *b = s->b;
    if (b->n == b->cap) {
        b->cap = b->cap ? b->cap * 2 : 32;
        b->op = mem_resize(b->op, b->cap * sizeof *b->op);
    }
    if (b->n >= OPS_MAX) {
        fault(s, st->line, st->col, "the warp program has more than 16384 operations");
        b->n = 0; /* keep going in place; the result is thrown away */
    }
    wop_t *w = &b->op[b->n++];
    *w = (wop_t){.kind = kind, .line = (uint32_t)st->line};
    return w;
}

static void access(builder_t *s, const kstmt_t *st)
{
    if (s->def->agent)
        fault(s, st->line, st->col, "an agent kernel moves tiles; accesses by lane need warps");
    int64_t elem = constant(s, st->elem, 1, 16, "a lane moves 1, 2, 4, 8 or 16 bytes");
    if (elem & (elem - 1))
        fault(s, st->elem->line, st->elem->col, "a lane moves 1, 2, 4, 8 or 16 bytes");
    int64_t step = st->step
                       ? constant(s, st->step, -STEP_MAX, STEP_MAX, "a step is at most 2^50 bytes")
                       : elem;
    val_t addr = value(s, st->addr), pos = st->pos ? value(s, st->pos) : fold_const(0), lanes;
    int64_t block = s->b->kernel.block, warp = s->t->warp_lanes;
    if (st->lanes)
        lanes = value(s, st->lanes);
    else if (block % warp == 0)
        lanes = fold_const(warp);
    else /* the last warp of the block is not full */
        lanes = fold_binary(&s->b->fold, st->elem, N_MIN, fold_const(warp),
                            fold_binary(&s->b->fold, st->elem, N_SUB, fold_const(block),
                                        fold_binary(&s->b->fold, st->elem, N_MUL, fold_var(V_WARP),
                                                    fold_const(warp))));
    wop_t *w = emit(s, st, st->wop);
    w->token = st->token;
    w->elem_bytes = (uint8_t)elem;
    w->addr = fold_expr(&addr);
    w->count = fold_expr(&lanes);
    w->amount = fold_expr(&pos);
    w->stride = step;
    if (st->index < 0) return;
    w->gather = s->t->index[st->index].gather.fn;
    w->gather_ctx = s->t->index[st->index].gather.ctx;
}

static void tile(builder_t *s, const kstmt_t *st)
{
    static const char size[] = "a tile lies in shared memory: 0 to 2^24 rows and bytes";
    val_t addr = value(s, st->addr), rows = ranged(s, st->rows, 0, WOP_TILE_BYTES_MAX, size),
          bytes = ranged(s, st->amount, 0, WOP_TILE_BYTES_MAX, size);
    if (val_is_const(&rows) && val_is_const(&bytes) && !s->failed && bytes.c0 &&
        rows.c0 > WOP_TILE_BYTES_MAX / bytes.c0)
        fault(s, st->rows->line, st->rows->col, size);
    int64_t step = 0;
    if (st->step)
        step = constant(s, st->step, -STEP_MAX, STEP_MAX, "a step is at most 2^50 bytes");
    else /* rows lie one behind the other */
        step = constant(s, st->amount, 0, WOP_TILE_BYTES_MAX, size);
    wop_t *w = emit(s, st, st->wop);
    w->addr = fold_expr(&addr);
    w->count = fold_expr(&rows);
    w->amount = fold_expr(&bytes);
    w->stride = step;
}

static void statements(builder_t *s, const kstmt_t *st);

/* Does anything behind `from` do something, or is it all control? */
static bool acts(const struct built *b, size_t from)
{
    for (size_t i = from; i < b->n; i++)
        if (b->op[i].kind != WOP_LOOP && b->op[i].kind != WOP_END &&
            b->op[i].kind != WOP_SKIP_UNLESS)
            return true;
    return false;
}

static void loop(builder_t *s, const kstmt_t *st)
{
    fold_t *f = &s->b->fold;
    val_t from = st->from ? value(s, st->from) : fold_const(0), to = value(s, st->to);
    val_t count = fold_binary(f, st->to, N_SUB, to, from);
    if (val_is_const(&count) && count.c0 <= 0) return;
    if (val_is_const(&count) && count.c0 == 1) { /* no loop: its counter is known */
        s->b->local[st->local] = from;
        statements(s, st->body);
        return;
    }
    if (s->depth == LOOP_DEPTH) {
        fault(s, st->line, st->col, "loops of a kernel nest deeper than 4");
        return;
    }
    s->b->local[st->local] = fold_binary(f, st->to, N_ADD, from, fold_var(V_I0 + s->depth));
    size_t head = s->b->n;
    wop_t *w = emit(s, st, WOP_LOOP);
    w->depth = (uint8_t)s->depth;
    w->count = fold_expr(&count);
    s->depth++;
    statements(s, st->body);
    s->depth--;
    if (s->failed) return;
    if (!acts(s->b, head + 1)) { /* nothing but control: the warp would only spin */
        s->b->n = head;
        return;
    }
    s->b->op[head].jump = (uint16_t)s->b->n;
    w = emit(s, st, WOP_END);
    w->depth = (uint8_t)s->depth;
    w->jump = (uint16_t)head;
}

static void condition(builder_t *s, const kstmt_t *st)
{
    val_t cond = value(s, st->amount);
    if (val_is_const(&cond)) {
        statements(s, cond.c0 ? st->body : st->other);
        return;
    }
    size_t head = s->b->n;
    emit(s, st, WOP_SKIP_UNLESS)->count = fold_expr(&cond);
    statements(s, st->body);
    if (st->other) {
        size_t skip = s->b->n;
        emit(s, st, WOP_SKIP_UNLESS)->count =
            expr_const(0); /* never true: jumps over the else part */
        if (!s->failed) s->b->op[head].jump = (uint16_t)s->b->n;
        statements(s, st->other);
        if (!s->failed) s->b->op[skip].jump = (uint16_t)s->b->n;
    } else if (!s->failed) {
        s->b->op[head].jump = (uint16_t)s->b->n;
    }
}

/* A let that is a program and does not change inside the warp is computed once, when the warp starts. */
static void let(builder_t *s, const kstmt_t *st)
{
    struct built *b = s->b;
    val_t v = value(s, st->amount);
    if (v.len && b->kernel.nlets < V_COUNT - V_LET0 && !fold_uses_loop(&b->fold, &v)) {
        b->let[b->kernel.nlets] = fold_expr(&v);
        v = fold_var(V_LET0 + b->kernel.nlets++);
    }
    b->local[st->local] = v;
}

static void statement(builder_t *s, const kstmt_t *st)
{
    val_t v;
    switch (st->kind) {
    case KS_ACCESS:
        access(s, st);
        break;
    case KS_TILE:
        tile(s, st);
        break;
    case KS_COMMIT:
        emit(s, st, WOP_COMMIT);
        break;
    case KS_BARRIER:
        emit(s, st, WOP_BARRIER);
        break;
    case KS_EXIT:
        emit(s, st, WOP_EXIT);
        break;
    case KS_WAIT:
        emit(s, st, WOP_WAIT)->token = st->token;
        break;
    case KS_WAIT_GROUP:
        v = ranged(s, st->amount, 0, INT32_MAX, "a number of groups is 0 to 2^31 - 1");
        emit(s, st, WOP_WAIT_GROUP)->count = fold_expr(&v);
        break;
    case KS_COMPUTE: {
        uint8_t unit = (uint8_t)constant(s, st->unit, 0, UNIT_COUNT - 1, "no such unit");
        v = ranged(s, st->amount, 0, WOP_AMOUNT_MAX, "a statement computes 0 to 2^40 operations");
        wop_t *w = emit(s, st, WOP_COMPUTE);
        w->unit = unit;
        w->amount = fold_expr(&v);
        break;
    }
    case KS_SHARED:
        v = ranged(s, st->amount, 0, WOP_AMOUNT_MAX, "a statement moves 0 to 2^40 bytes");
        emit(s, st, WOP_SHARED)->amount = fold_expr(&v);
        break;
    case KS_LOOP:
        loop(s, st);
        break;
    case KS_IF:
        condition(s, st);
        break;
    case KS_LET:
        let(s, st);
        break;
    case KS_REQUIRE:
        if (!constant(s, st->amount, INT64_MIN, INT64_MAX, "") && !s->b->fold.env.why)
            fault(s, st->line, st->col, st->message);
        break;
    }
}

/* The lets and requirements of the kernel's outermost level, first: its grid and its other attributes may use
 * them.  They see no loop counter, so their place among the operations does not matter. */
static void outermost(builder_t *s)
{
    for (const kstmt_t *st = s->def->body; st && !s->failed && !s->b->fold.env.why; st = st->next)
        if (st->kind == KS_LET || st->kind == KS_REQUIRE) statement(s, st);
}

static void statements(builder_t *s, const kstmt_t *st)
{
    bool done = st == s->def->body; /* by outermost() */
    for (; st && !s->failed && !s->b->fold.env.why; st = st->next)
        if (!done || (st->kind != KS_LET && st->kind != KS_REQUIRE)) statement(s, st);
}

/* Each buffer argument must lie in a buffer, with room for what the kernel says it works on. */
static void operand(builder_t *s, const kparam_t *q)
{
    int64_t size =
        constant(s, q->size, 0, INT64_MAX, "a kernel cannot work on a negative number of bytes");
    addr_t base = s->b->base[q->slot];
    const buffer_info_t *in = NULL;
    for (size_t i = 0; i < s->t->nbuffer; i++)
        if (base >= s->t->info[i].base && base - s->t->info[i].base <= s->t->info[i].bytes &&
            (!in || s->t->info[i].base > in->base))
            in = &s->t->info[i];
    if (s->failed || s->b->fold.env.why) return;
    if (!in || (uint64_t)size > in->base + in->bytes - base) {
        if (!in)
            diag_add(s->d, MS_INPUT,
                     "%s:%d:%d: kernel '%s': its argument '%s' is not the address of a buffer",
                     s->t->file, s->def->line, s->def->col, s->def->name, q->name);
        else
            diag_add(s->d, MS_INPUT,
                     "%s:%d:%d: kernel '%s' works on %lld bytes of '%s', but only %llu are left in "
                     "buffer '%s'",
                     s->t->file, s->def->line, s->def->col, s->def->name, (long long)size, q->name,
                     (unsigned long long)(in->base + in->bytes - base), in->name);
        s->failed = true;
        return;
    }
    kernel_t *k = &s->b->kernel;
    s->b->operand[k->noperands++] = (operand_t){base, (uint64_t)size, q->role != KP_IN};
}

static void attributes(builder_t *s)
{
    kernel_def_t *def = s->def;
    kernel_t *k = &s->b->kernel;
    k->name = def->name;
    k->kind = def->kind;
    k->agent = def->agent;
    for (unsigned i = 0; i < 3; i++)
        k->grid[i] = def->grid[i] ? (uint32_t)constant(s, def->grid[i], 1, UINT32_MAX,
                                                       "a grid has 1 to 2^32 - 1 blocks a side")
                                  : 1;
    if ((double)k->grid[0] * k->grid[1] * k->grid[2] > (double)BLOCKS_MAX)
        fault(s, def->grid[0]->line, def->grid[0]->col, "a grid has at most 2^40 blocks in all");
    k->block = (uint32_t)constant(s, def->block, 1, 1024, "a block has 1 to 1024 threads");
    k->regs_per_thread =
        def->regs ? (uint32_t)constant(s, def->regs, 0, 65536, "registers a thread: 0 to 65536")
                  : 32;
    k->shared_bytes = def->shared ? (uint32_t)constant(s, def->shared, 0, 1 << 24,
                                                       "shared memory of a block: 0 to 16 MiB")
                                  : 0;
    if (def->flops)
        k->flops = (double)constant(s, def->flops, 0, INT64_MAX, "a negative number of operations");
    if (def->useful_read)
        k->useful_read_bytes =
            (double)constant(s, def->useful_read, 0, INT64_MAX, "a negative number of bytes");
    if (def->useful_write)
        k->useful_write_bytes =
            (double)constant(s, def->useful_write, 0, INT64_MAX, "a negative number of bytes");
    for (uint32_t i = 0; i < def->nparams; i++)
        if (def->param[i].role != KP_NUMBER && !s->failed) operand(s, &def->param[i]);
}

static void link_all(struct built *b)
{
    for (size_t i = 0; i < b->n; i++) {
        fold_link(&b->fold, &b->op[i].addr);
        fold_link(&b->fold, &b->op[i].count);
        fold_link(&b->fold, &b->op[i].amount);
    }
    for (uint32_t i = 0; i < b->kernel.nlets; i++) fold_link(&b->fold, &b->let[i]);
    b->kernel.let = b->let;
    b->kernel.nops = (uint32_t)b->n;
    b->kernel.op = b->op;
    b->kernel.operand = b->operand;
}

int build_kernel(trace_t *t, kernel_def_t *def, const int64_t *arg, const addr_t *base,
                 const kernel_t **out, diag_t *d)
{
    if (!def->built) {
        def->built = mem_resize(NULL, sizeof *def->built);
        memset(def->built, 0, sizeof *def->built);
    }
    struct built *b = def->built;
    if (b->valid && b->arg == arg && b->base == base) {
        *out = &b->kernel;
        return MS_OK;
    }
    b->valid = false;
    b->arg = arg;
    b->base = base;
    b->n = 0;
    b->kernel = (kernel_t){0};
    b->fold.trace = t;
    b->fold.local = b->local;
    b->fold.n = 0;
    b->fold.env = (eval_t){.trace = t, .arg = arg, .base = base};
    builder_t s = {.t = t, .def = def, .b = b, .d = d};
    outermost(&s);
    attributes(&s);
    statements(&s, def->body);
    if (b->fold.env.why && !s.failed) {
        eval_report(&b->fold.env, d);
        s.failed = true;
    }
    if (s.failed) return MS_INPUT;
    link_all(b);
    b->valid = true;
    *out = &b->kernel;
    return MS_OK;
}

void build_free(kernel_def_t *def)
{
    if (!def->built) return;
    free(def->built->op);
    free(def->built->fold.code);
    free(def->built);
    def->built = NULL;
}
