/* SPDX-License-Identifier: MIT
 * Commands, one at a time: a program counter over the flat command list.  Nothing is unrolled; what is kept are
 * the distinct argument lists of launches, so that equal launches are equal pointers. */
#include "workload/trace.h"
#include <stdlib.h>
#include <string.h>

#define IDLE_STEPS_MAX 10000000u /* commands stepped over between two that do something */

typedef struct list { /* an interned argument list */
    uint64_t hash;
    const int64_t *v;
    uint32_t n;
} list_t;

struct player {
    trace_t *t;
    uint32_t pc;
    bool graph, failed;
    size_t raw_at; /* next access of the raw section at pc */
    list_t *table; /* open addressing, a power of two */
    size_t used, cap;
};

player_t *player_new(trace_t *t)
{
    player_t *p = mem_resize(NULL, sizeof *p);
    *p = (player_t){.t = t, .cap = 1024};
    p->table = mem_resize(NULL, p->cap * sizeof *p->table);
    memset(p->table, 0, p->cap * sizeof *p->table);
    return p;
}

void player_free(player_t *p)
{
    if (!p) return;
    free(p->table);
    free(p);
}

void player_rewind(player_t *p)
{
    p->pc = 0;
    p->graph = p->failed = false;
    p->raw_at = 0;
}

static void reinsert(player_t *p)
{
    size_t cap = p->cap * 2;
    list_t *table = mem_resize(NULL, cap * sizeof *table);
    memset(table, 0, cap * sizeof *table);
    for (size_t i = 0; i < p->cap; i++) {
        if (!p->table[i].v) continue;
        size_t j = p->table[i].hash & (cap - 1);
        while (table[j].v) j = (j + 1) & (cap - 1);
        table[j] = p->table[i];
    }
    free(p->table);
    p->table = table;
    p->cap = cap;
}

/* The one copy of this list; lives as long as the workload. */
static const int64_t *interned(player_t *p, const int64_t *v, uint32_t n)
{
    uint64_t h = n + 1;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ (uint64_t)v[i]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    size_t j = h & (p->cap - 1);
    for (; p->table[j].v; j = (j + 1) & (p->cap - 1))
        if (p->table[j].hash == h && p->table[j].n == n &&
            (!n || !memcmp(p->table[j].v, v, n * sizeof *v)))
            return p->table[j].v;
    int64_t *copy = arena_array(p->t->arena, int64_t, n ? n : 1);
    if (n) memcpy(copy, v, n * sizeof *v);
    p->table[j] = (list_t){h, copy, n};
    if (++p->used * 2 > p->cap) reinsert(p);
    return copy;
}

static void launch(player_t *p, eval_t *e, const cmd_t *cmd, wcmd_t *c)
{
    const kernel_def_t *k = p->t->kernel[cmd->id];
    int64_t arg[KPARAMS_MAX] = {0}, base[KPARAMS_MAX] = {0};
    for (uint32_t i = 0; i < k->nparams; i++) {
        int64_t v = eval_node(e, cmd->arg[i]);
        if (k->param[i].role == KP_NUMBER)
            arg[k->param[i].slot] = v;
        else
            base[k->param[i].slot] = v;
    }
    c->kind = WC_LAUNCH;
    c->def = cmd->id;
    c->nargs = k->nnumbers;
    c->nbases = k->nbases;
    c->arg = interned(p, arg, k->nnumbers);
    /* int64_t and addr_t are the signed and unsigned form of one type, so this view is allowed. */
    c->base = (const addr_t *)interned(p, base, k->nbases);
    c->graph = p->graph;
}

static int fault(player_t *p, const cmd_t *cmd, const char *what, diag_t *d)
{
    p->failed = true;
    return diag_add(d, MS_INPUT, "%s:%d:%d: %s", p->t->file, cmd->line, cmd->col, what);
}

/* Does the range [addr, addr + bytes) lie in one buffer? */
static bool inside(const trace_t *t, addr_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < t->nbuffer; i++)
        if (addr >= t->info[i].base && addr - t->info[i].base <= t->info[i].bytes &&
            bytes <= t->info[i].bytes - (addr - t->info[i].base))
            return true;
    return false;
}

/* Execute the command at pc.  True if *c is one for the outside. */
static bool step(player_t *p, eval_t *e, const cmd_t *cmd, wcmd_t *c)
{
    int64_t *slot = p->t->slot;
    switch (cmd->kind) {
    case CM_LET:
        slot[cmd->id] = eval_node(e, cmd->a);
        break;
    case CM_FOR:
        slot[cmd->id] = cmd->a ? eval_node(e, cmd->a) : 0;
        slot[cmd->id + 1] = eval_node(e, cmd->b);
        if (slot[cmd->id] >= slot[cmd->id + 1]) p->pc = cmd->jump;
        break;
    case CM_NEXT:
        if (++slot[cmd->id] < slot[cmd->id + 1]) p->pc = cmd->jump;
        break;
    case CM_UNLESS:
        if (!eval_node(e, cmd->a)) p->pc = cmd->jump;
        break;
    case CM_JUMP:
        p->pc = cmd->jump;
        break;
    case CM_REQUIRE:
        if (!eval_node(e, cmd->a) && !e->why) {
            e->why = cmd->text;
            e->where = cmd->a;
        }
        break;
    case CM_LAUNCH:
        launch(p, e, cmd, c);
        return true;
    case CM_COPY:
        c->kind = WC_COPY;
        c->text = cmd->text;
        c->addr = cmd->a ? (addr_t)eval_node(e, cmd->a) : 0;
        c->addr2 = cmd->b ? (addr_t)eval_node(e, cmd->b) : 0;
        c->bytes = (uint64_t)eval_node(e, cmd->c);
        c->write = cmd->b != NULL;
        if (!e->why && ((cmd->a && !inside(p->t, c->addr, c->bytes)) ||
                        (cmd->b && !inside(p->t, c->addr2, c->bytes)))) {
            e->why = "the copy does not lie inside a buffer";
            e->where = cmd->c;
        }
        return true;
    case CM_RECORD:
    case CM_WAIT: {
        int64_t n = eval_node(e, cmd->a);
        if (!e->why && (n < 0 || n >= UINT32_MAX)) {
            e->why = "an event is a number from 0 to 2^32 - 2";
            e->where = cmd->a;
        }
        c->kind = cmd->kind == CM_RECORD ? WC_RECORD : WC_WAIT;
        c->event = (uint32_t)n;
        return true;
    }
    case CM_COLLECTIVE: {
        int64_t n = eval_node(e, cmd->a);
        if (!e->why && n < 0) {
            e->why = "a collective cannot move a negative number of bytes";
            e->where = cmd->a;
        }
        c->kind = WC_COLLECTIVE;
        c->text = cmd->text;
        c->bytes = (uint64_t)n;
        return true;
    }
    case CM_GRAPH_BEGIN:
        if (p->graph) {
            e->why = "a graph cannot stand inside a graph";
            e->where = NULL;
        }
        p->graph = true;
        c->kind = WC_GRAPH_BEGIN;
        return true;
    case CM_GRAPH_END:
        p->graph = false;
        c->kind = WC_GRAPH_END;
        return true;
    case CM_MARK:
        c->kind = WC_MARK;
        c->text = cmd->text;
        return true;
    case CM_RAW: {
        const raw_section_t *r = &p->t->lex.raw[cmd->id];
        if (p->raw_at == r->n) {
            p->raw_at = 0;
            break;
        }
        const raw_access_t *x = &r->access[p->raw_at++];
        p->pc--; /* the section goes on */
        *c = (wcmd_t){.kind = WC_RAW,
                      .line = x->line,
                      .addr = x->addr,
                      .bytes = x->bytes,
                      .write = x->write,
                      .at_ps = x->at_ps};
        return true;
    }
    }
    return false;
}

int player_next(player_t *p, wcmd_t *c, diag_t *d)
{
    if (p->failed) return MS_INPUT;
    eval_t e = {.trace = p->t};
    for (unsigned idle = 0; p->pc < p->t->ncmd; idle++) {
        const cmd_t *cmd = &p->t->cmd[p->pc++];
        if (idle == IDLE_STEPS_MAX)
            return fault(p, cmd,
                         "ten million steps of loops here without a command; is the loop "
                         "meant to do something?",
                         d);
        *c = (wcmd_t){.line = cmd->line, .at_ps = -1};
        bool found = step(p, &e, cmd, c);
        if (found && cmd->stream) {
            int64_t n = eval_node(&e, cmd->stream);
            if (!e.why && (n < 0 || n > 1023))
                return fault(p, cmd, "a stream is a number from 0 to 1023", d);
            c->stream = (uint32_t)n;
        }
        if (e.why && !e.where) return fault(p, cmd, e.why, d);
        if (e.why) {
            p->failed = true;
            return eval_report(&e, d);
        }
        if (found) return MS_OK;
    }
    *c = (wcmd_t){.kind = WC_END, .at_ps = -1};
    return MS_OK;
}
