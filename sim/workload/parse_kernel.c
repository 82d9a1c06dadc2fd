/* SPDX-License-Identifier: MIT
 * kernel NAME(PARAMS) { attributes and the warp program }. */
#include "workload/parse.h"
#include <string.h>

static const char *const words[] = {
    "grid", "block",   "regs", "shared",  "agent",  "kind",     "flops", "useful",
    "let",  "require", "load", "store",   "atomic", "prefetch", "tile",  "commit",
    "wait", "compute", "smem", "barrier", "for",    "repeat",   "if",    "exit",
};

static kstmt_t *statement(parser_t *p, const token_t *at, kstmt_kind_t kind)
{
    kstmt_t *s = arena_alloc(p->t->arena, sizeof *s);
    s->kind = kind;
    s->line = at->line;
    s->col = at->col;
    s->index = -1;
    return s;
}

/* Number of a token's name in this kernel; the first use makes it. */
static bool token_named(parser_t *p, uint8_t *out)
{
    const token_t *at = peek(p);
    const char *name = need_name(p, "the name of a token");
    if (!name) return false;
    kernel_def_t *k = p->kernel;
    for (uint32_t i = 0; i < k->ntokens; i++) {
        if (strcmp(p->token[i], name) != 0) continue;
        *out = (uint8_t)i;
        return true;
    }
    if (k->ntokens == TOKENS)
        return fault_at(p, at->line, at->col, "kernel '%s' uses more than %d tokens", k->name,
                        TOKENS);
    p->token[k->ntokens] = name;
    *out = (uint8_t)k->ntokens++;
    return true;
}

static bool index_named(parser_t *p, kstmt_t *s)
{
    const token_t *at = peek(p);
    const char *name = need_name(p, "the name of an index");
    if (!name) return false;
    for (size_t i = 0; i < p->t->nindex; i++)
        if (!strcmp(p->t->index[i].name, name)) s->index = (int32_t)i;
    if (s->index < 0) {
        const char **names = arena_array(p->t->arena, const char *, p->t->nindex + 1);
        for (size_t i = 0; i < p->t->nindex; i++) names[i] = p->t->index[i].name;
        return unknown(p, at, "the name of an index", names, p->t->nindex);
    }
    return need_punct(p, '[', "'[' and the position of lane 0") && (s->pos = parse_expr(p)) &&
           need_punct(p, ']', "']'");
}

/* ELEM at ADDR [step E] [via INDEX[E]] [lanes E] [as TOKEN] */
static kstmt_t *access(parser_t *p, const token_t *at, wop_kind_t wop)
{
    kstmt_t *s = statement(p, at, KS_ACCESS);
    s->wop = wop;
    bool returns = wop == WOP_LOAD || wop == WOP_ATOMIC, named = false;
    if (!(s->elem = parse_expr(p)) || !need_word(p, "at") || !(s->addr = parse_expr(p)))
        return NULL;
    for (;;) {
        if (!s->step && eat_word(p, "step")) {
            if (!(s->step = parse_expr(p))) return NULL;
        } else if (!s->lanes && eat_word(p, "lanes")) {
            if (!(s->lanes = parse_expr(p))) return NULL;
        } else if (!s->pos && eat_word(p, "via")) {
            if (!index_named(p, s)) return NULL;
        } else if (returns && !named && eat_word(p, "as")) {
            if (!token_named(p, &s->token)) return NULL;
            named = true;
        } else if (peek(p)->kind == TK_NEWLINE || at_punct(p, '}')) {
            break;
        } else {
            expected(p, returns ? "step, via, lanes, as or the end of the line"
                                : "step, via, lanes or the end of the line");
            return NULL;
        }
    }
    if (returns && !named) { /* a token of its own that nobody can wait for by name */
        static const char unnamed[] = "";
        kernel_def_t *k = p->kernel;
        uint32_t i = 0;
        while (i < k->ntokens && p->token[i] != unnamed) i++;
        if (i == TOKENS) {
            fault_at(p, at->line, at->col, "kernel '%s' uses more than %d tokens", k->name, TOKENS);
            return NULL;
        }
        if (i == k->ntokens) p->token[k->ntokens++] = unnamed;
        s->token = (uint8_t)i;
    }
    return s;
}

/* load|store at ADDR rows E of E [step E] */
static kstmt_t *tile(parser_t *p, const token_t *at)
{
    kstmt_t *s = statement(p, at, KS_TILE);
    if (eat_word(p, "load"))
        s->wop = WOP_TILE_LOAD;
    else if (eat_word(p, "store"))
        s->wop = WOP_TILE_STORE;
    else {
        expected(p, "'load' or 'store'");
        return NULL;
    }
    if (!need_word(p, "at") || !(s->addr = parse_expr(p)) || !need_word(p, "rows") ||
        !(s->rows = parse_expr(p)) || !need_word(p, "of") || !(s->amount = parse_expr(p)))
        return NULL;
    if (eat_word(p, "step") && !(s->step = parse_expr(p))) return NULL;
    return s;
}

static bool block(parser_t *p, const kstmt_t **out);

static kstmt_t *loop(parser_t *p, const token_t *at, bool named)
{
    kstmt_t *s = statement(p, at, KS_LOOP);
    size_t scope = scope_open(p);
    const token_t *var = peek(p);
    const char *name = NULL;
    if (named && (!(name = need_name(p, "the name of the loop's counter")) || !need_word(p, "in")))
        return NULL;
    if (!(s->to = parse_expr(p))) return NULL;
    if (named && eat_punct(p, P_RANGE)) {
        s->from = s->to;
        if (!(s->to = parse_expr(p))) return NULL;
    }
    if (p->kernel->nlocals == LOCALS_MAX) {
        fault_at(p, at->line, at->col, "kernel '%s' has more than %d lets and loops",
                 p->kernel->name, LOCALS_MAX);
        return NULL;
    }
    s->local = p->kernel->nlocals++;
    if (name && !declare(p, var, name, SY_LOCAL, s->local)) return NULL;
    bool ok = block(p, &s->body);
    scope_close(p, scope);
    return ok ? s : NULL;
}

static kstmt_t *condition(parser_t *p, const token_t *at)
{
    kstmt_t *s = statement(p, at, KS_IF);
    if (!(s->amount = parse_expr(p)) || !block(p, &s->body)) return NULL;
    if (!eat_else(p)) return s;
    if (at_word(p, "if")) {
        const token_t *nested = advance(p);
        if (++p->depth > PARSE_DEPTH) {
            fault_at(p, nested->line, nested->col, "blocks nest deeper than %d", PARSE_DEPTH);
            return NULL;
        }
        s->other = condition(p, nested);
        p->depth--;
        return s->other ? s : NULL;
    }
    return block(p, &s->other) ? s : NULL;
}

static kstmt_t *let(parser_t *p, const token_t *at)
{
    kstmt_t *s = statement(p, at, KS_LET);
    const token_t *var = peek(p);
    const char *name = need_name(p, "a name");
    if (!name || !need_punct(p, '=', "'='") || !(s->amount = parse_value(p))) return NULL;
    if (p->kernel->nlocals == LOCALS_MAX) {
        fault_at(p, at->line, at->col, "kernel '%s' has more than %d lets and loops",
                 p->kernel->name, LOCALS_MAX);
        return NULL;
    }
    s->local = p->kernel->nlocals++;
    return declare_value(p, var, name, SY_LOCAL, s->local, s->amount) ? s : NULL;
}

static kstmt_t *operation(parser_t *p, const token_t *at)
{
    static const struct {
        const char *word;
        wop_kind_t wop;
    } accesses[] = {{"load", WOP_LOAD},
                    {"store", WOP_STORE},
                    {"atomic", WOP_ATOMIC},
                    {"prefetch", WOP_PREFETCH}};
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(at->text, accesses[i].word)) return access(p, at, accesses[i].wop);
    kstmt_t *s = NULL;
    if (!strcmp(at->text, "tile")) return tile(p, at);
    if (!strcmp(at->text, "for")) return loop(p, at, true);
    if (!strcmp(at->text, "repeat")) return loop(p, at, false);
    if (!strcmp(at->text, "if")) return condition(p, at);
    if (!strcmp(at->text, "let")) return let(p, at);
    if (!strcmp(at->text, "commit")) return statement(p, at, KS_COMMIT);
    if (!strcmp(at->text, "barrier")) return statement(p, at, KS_BARRIER);
    if (!strcmp(at->text, "exit")) return statement(p, at, KS_EXIT);
    if (!strcmp(at->text, "wait")) {
        if (eat_word(p, "group")) {
            s = statement(p, at, KS_WAIT_GROUP);
            return (s->amount = parse_expr(p)) ? s : NULL;
        }
        s = statement(p, at, KS_WAIT);
        uint32_t before = p->kernel->ntokens;
        if (!token_named(p, &s->token)) return NULL;
        if (before == p->kernel->ntokens) return s;
        p->kernel->ntokens = before;
        fault_at(p, at->line, at->col, "no load above names the token '%s'", p->token[before]);
        return NULL;
    }
    if (!strcmp(at->text, "compute")) {
        s = statement(p, at, KS_COMPUTE);
        return (s->amount = parse_expr(p)) && need_word(p, "on") && (s->unit = parse_expr(p))
                   ? s
                   : NULL;
    }
    if (!strcmp(at->text, "smem")) {
        s = statement(p, at, KS_SHARED);
        return (s->amount = parse_expr(p)) ? s : NULL;
    }
    if (!strcmp(at->text, "require")) {
        s = statement(p, at, KS_REQUIRE);
        return (s->amount = parse_expr(p)) && need_punct(p, ',', "',' and a message") &&
                       (s->message = need_string(p, "a message in quotes"))
                   ? s
                   : NULL;
    }
    p->pos--;
    unknown(p, at, "a statement of a kernel", words, sizeof words / sizeof *words);
    return NULL;
}

static bool once(parser_t *p, const token_t *at, const node_t **slot)
{
    if (*slot)
        return fault_at(p, at->line, at->col, "'%s' is stated twice in kernel '%s'", at->text,
                        p->kernel->name);
    return (*slot = parse_expr(p)) != NULL;
}

/* 1: was an attribute; 0: is none; -1: fault */
static int attribute(parser_t *p, const token_t *at)
{
    kernel_def_t *k = p->kernel;
    bool ok = true;
    if (!strcmp(at->text, "grid")) {
        ok = once(p, at, &k->grid[0]);
        for (unsigned i = 1; ok && i < 3 && eat_punct(p, ','); i++) ok = once(p, at, &k->grid[i]);
    } else if (!strcmp(at->text, "block")) {
        ok = once(p, at, &k->block);
    } else if (!strcmp(at->text, "regs")) {
        ok = once(p, at, &k->regs);
    } else if (!strcmp(at->text, "shared")) {
        ok = once(p, at, &k->shared);
    } else if (!strcmp(at->text, "flops")) {
        ok = once(p, at, &k->flops);
    } else if (!strcmp(at->text, "agent")) {
        k->agent = true;
    } else if (!strcmp(at->text, "kind")) {
        ok = (k->kind = need_string(p, "a kind in quotes")) != NULL;
    } else if (!strcmp(at->text, "useful")) {
        if (at_word(p, "read")) ok = once(p, advance(p), &k->useful_read);
        if (ok && at_word(p, "write")) ok = once(p, advance(p), &k->useful_write);
        if (ok && !k->useful_read && !k->useful_write) ok = expected(p, "'read' or 'write'");
    } else {
        return 0;
    }
    return ok ? 1 : -1;
}

static bool in_block(parser_t *p, const kstmt_t **out, bool outermost)
{
    const kstmt_t **tail = out;
    for (skip_newlines(p); !at_punct(p, '}'); skip_newlines(p)) {
        const token_t *at = peek(p);
        if (at->kind == TK_EOF) return expected(p, "'}'");
        if (at->kind != TK_NAME) {
            expected(p, "a statement of a kernel");
            resync(p);
            continue;
        }
        advance(p);
        unsigned depth = p->depth;
        int attr = outermost ? attribute(p, at) : 0;
        kstmt_t *s = attr ? NULL : operation(p, at);
        if (s) {
            *tail = s;
            tail = &s->next;
        }
        if ((!s && attr <= 0) || (!at_punct(p, '}') && !need_newline(p))) resync(p);
        p->depth = depth;
    }
    advance(p);
    return true;
}

static bool block(parser_t *p, const kstmt_t **out)
{
    const token_t *at = peek(p);
    if (!need_punct(p, '{', "'{'")) return false;
    if (++p->depth > PARSE_DEPTH)
        return fault_at(p, at->line, at->col, "blocks nest deeper than %d", PARSE_DEPTH);
    size_t scope = scope_open(p);
    bool ok = in_block(p, out, false);
    scope_close(p, scope);
    p->depth--;
    return ok;
}

/* in|out|inout NAME[BYTES], or NAME */
static bool parameter(parser_t *p)
{
    kernel_def_t *k = p->kernel;
    const token_t *at = peek(p);
    if (k->nparams == KPARAMS_MAX)
        return fault_at(p, at->line, at->col, "kernel '%s' has more than %d parameters", k->name,
                        KPARAMS_MAX);
    kparam_t *q = &k->param[k->nparams];
    q->role = eat_word(p, "in")      ? KP_IN
              : eat_word(p, "out")   ? KP_OUT
              : eat_word(p, "inout") ? KP_INOUT
                                     : KP_NUMBER;
    const token_t *name = peek(p);
    if (!(q->name = need_name(p, "a parameter: NAME, or in|out|inout NAME[BYTES]"))) return false;
    q->slot = q->role == KP_NUMBER ? k->nnumbers++ : k->nbases++;
    k->nparams++;
    if (!declare(p, name, q->name, q->role == KP_NUMBER ? SY_ARG : SY_BASE, q->slot)) return false;
    if (q->role == KP_NUMBER) return true;
    return need_punct(p, '[', "'[' and the bytes the kernel works on") &&
           (q->size = parse_expr(p)) && need_punct(p, ']', "']'");
}

bool parse_kernel(parser_t *p)
{
    const token_t *at = peek(p);
    const char *name = need_name(p, "the name of the kernel");
    if (!name) return false;
    for (size_t i = 0; i < p->t->nkernel; i++)
        if (!strcmp(p->t->kernel[i]->name, name))
            return fault_at(p, at->line, at->col, "kernel '%s' is defined already, in line %d",
                            name, p->t->kernel[i]->line);
    kernel_def_t *k = arena_alloc(p->t->arena, sizeof *k);
    k->name = name;
    k->line = at->line;
    k->col = at->col;
    p->kernel = k;
    /* Known from here on, so that a fault inside does not make every launch a second one. */
    p->t->kernel =
        arena_grow(p->t->arena, p->t->kernel, p->t->nkernel, &p->t->ckernel, sizeof *p->t->kernel);
    p->t->kernel[p->t->nkernel++] = k;
    size_t scope = scope_open(p);
    p->own = scope;
    k->broken = true;
    bool ok = need_punct(p, '(', "'('");
    while (ok && !at_punct(p, ')')) {
        ok = parameter(p);
        if (ok && !at_punct(p, ')')) ok = need_punct(p, ',', "',' or ')'");
    }
    ok = ok && need_punct(p, ')', "')'");
    for (int64_t i = 0; ok && i < 4; i++) {
        static const char *const names[] = {"cta.x", "cta.y", "cta.z", "warp"};
        ok = declare(p, at, names[i], SY_CTA, V_CTA_X + i);
    }
    ok = ok && declare(p, at, "cta", SY_CTA, V_CTA_X) && need_punct(p, '{', "'{'") &&
         in_block(p, &k->body, true);
    scope_close(p, scope);
    p->kernel = NULL;
    p->own = 0;
    if (!ok) return false;
    k->broken = false;
    if (!k->kind) k->kind = name;
    if (!k->grid[0] || !k->block)
        return fault_at(p, k->line, k->col, "kernel '%s' states no %s", name,
                        k->grid[0] ? "block" : "grid");
    return true;
}
