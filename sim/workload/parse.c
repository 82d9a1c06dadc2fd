/* SPDX-License-Identifier: MIT
 * The trace file: header, declarations and commands.  A fault is reported and parsing goes on behind the
 * statement, so that one run lists all faults. */
#include "workload/parse.h"
#include <string.h>

static const char *const words[] = {
    "title",  "param",  "let",    "require", "buffer",     "index", "kernel",
    "tokens", "launch", "copy",   "record",  "wait",       "raw",   "graph",
    "mark",   "for",    "repeat", "if",      "collective",
};
/* ---- declarations ---- */

static decl_t *declaration(parser_t *p, const token_t *at, decl_kind_t kind, uint32_t id)
{
    trace_t *t = p->t;
    t->decl = arena_grow(t->arena, t->decl, t->ndecl, &t->cdecl_, sizeof *t->decl);
    decl_t *d = &t->decl[t->ndecl++];
    *d = (decl_t){.kind = kind, .line = at->line, .col = at->col, .id = id};
    return d;
}

static bool choices(parser_t *p, param_def_t *q)
{
    size_t cap = 0;
    do {
        const char *s = need_string(p, "a choice in quotes");
        if (!s) return false;
        q->choice = arena_grow(p->t->arena, q->choice, q->nchoices, &cap, sizeof *q->choice);
        q->choice[q->nchoices++] = s;
    } while (eat_punct(p, ','));
    return need_punct(p, ')', "',' or ')'");
}

/* param NAME = E [in E .. E | in ("a", "b")] ["help"] */
static bool param(parser_t *p)
{
    trace_t *t = p->t;
    const token_t *at = peek(p);
    param_def_t q = {.line = at->line, .col = at->col, .help = ""};
    if (!(q.name = need_name(p, "the name of the parameter")) ||
        !need_punct(p, '=', "'=' and a default") || !(q.dflt = parse_value(p)))
        return false;
    if (eat_word(p, "in")) {
        if (eat_punct(p, '(')) {
            if (!choices(p, &q)) return false;
        } else if (!(q.min = parse_expr(p)) || !need_punct(p, P_RANGE, "'..'") ||
                   !(q.max = parse_expr(p))) {
            return false;
        }
    }
    if (peek(p)->kind == TK_STRING) q.help = advance(p)->text;
    q.slot = t->nslots++;
    if (!declare_value(p, at, q.name, SY_TOP, q.slot, q.dflt)) return false;
    t->param = arena_grow(t->arena, t->param, t->nparam, &t->cparam, sizeof *t->param);
    t->param[t->nparam] = q;
    declaration(p, at, DC_PARAM, (uint32_t)t->nparam++);
    return true;
}

/* buffer NAME[COUNT] size E [role NAME] */
static bool buffer(parser_t *p)
{
    trace_t *t = p->t;
    const token_t *at = peek(p);
    buffer_def_t b = {.line = at->line, .col = at->col, .role = ""};
    if (!(b.name = need_name(p, "the name of the buffer"))) return false;
    if (eat_punct(p, '[') && (!(b.count = parse_expr(p)) || !need_punct(p, ']', "']'")))
        return false;
    if (!need_word(p, "size") || !(b.size = parse_expr(p))) return false;
    if (eat_word(p, "role") && !(b.role = need_name(p, "a role, such as weights"))) return false;
    if (!declare(p, at, b.name, SY_BUFFER, (int64_t)t->nbuffer)) return false;
    t->buffer = arena_grow(t->arena, t->buffer, t->nbuffer, &t->cbuffer, sizeof *t->buffer);
    t->buffer[t->nbuffer] = b;
    declaration(p, at, DC_BUFFER, (uint32_t)t->nbuffer++);
    return true;
}

/* index NAME = KIND(E, ... | "file") */
static bool index_decl(parser_t *p)
{
    static const char *const kinds[IX_KINDS] = {"uniform", "zipf",      "cycle",  "stride",
                                                "list",    "neighbors", "entries"};
    static const unsigned max_args[IX_KINDS] = {2, 3, 2, 2, 1, 2, 2},
                          min_args[IX_KINDS] = {1, 2, 1, 2, 0, 1, 1};
    trace_t *t = p->t;
    const token_t *at = peek(p);
    index_def_t x = {.line = at->line, .col = at->col, .kind = IX_KINDS};
    if (!(x.name = need_name(p, "the name of the index")) || !need_punct(p, '=', "'='"))
        return false;
    for (size_t i = 0; i < t->nindex; i++)
        if (!strcmp(t->index[i].name, x.name))
            return fault_at(p, at->line, at->col, "index '%s' is defined already, in line %d",
                            x.name, t->index[i].line);
    const token_t *kind = peek(p);
    if (!need_name(p, "uniform, zipf, cycle, stride, list, neighbors or entries")) return false;
    for (unsigned i = 0; i < IX_KINDS; i++)
        if (!strcmp(kinds[i], kind->text)) x.kind = (index_kind_t)i;
    if (x.kind == IX_KINDS) return unknown(p, kind, "a distribution", kinds, IX_KINDS);
    if (!need_punct(p, '(', "'('")) return false;
    if (x.kind == IX_LIST) {
        if (!(x.path = need_string(p, "the name of a file in quotes"))) return false;
        if (!at_punct(p, ')') && !need_punct(p, ',', "',' or ')'")) return false;
    }
    while (!at_punct(p, ')')) {
        if (x.nargs == max_args[x.kind]) return expected(p, "')'");
        if (!(x.arg[x.nargs++] = parse_expr(p))) return false;
        if (!at_punct(p, ')') && !need_punct(p, ',', "',' or ')'")) return false;
    }
    if (x.nargs < min_args[x.kind]) return expected(p, "another value");
    advance(p);
    t->index = arena_grow(t->arena, t->index, t->nindex, &t->cindex, sizeof *t->index);
    t->index[t->nindex] = x;
    declaration(p, at, DC_INDEX, (uint32_t)t->nindex++);
    return true;
}

/* ---- commands ---- */

static cmd_t *command(parser_t *p, const token_t *at, cmd_kind_t kind)
{
    trace_t *t = p->t;
    t->cmd = arena_grow(t->arena, t->cmd, t->ncmd, &t->ccmd, sizeof *t->cmd);
    cmd_t *c = &t->cmd[t->ncmd++];
    *c = (cmd_t){.kind = kind, .line = at->line, .col = at->col};
    return c;
}

static const node_t *expr_with_buffers(parser_t *p)
{
    p->buffers = true;
    const node_t *x = parse_expr(p);
    p->buffers = false;
    return x;
}

/* [on stream E] */
static bool on_stream(parser_t *p, const node_t **out)
{
    if (!eat_word(p, "on")) return true;
    return need_word(p, "stream") && (*out = parse_expr(p));
}

/* NAME(E | PARAM = E, ...) [on stream E] */
static bool launch(parser_t *p, const token_t *at)
{
    trace_t *t = p->t;
    const token_t *name = peek(p);
    if (!need_name(p, "the name of a kernel")) return false;
    uint32_t id = 0;
    while (id < t->nkernel && strcmp(t->kernel[id]->name, name->text) != 0) id++;
    if (id == t->nkernel) {
        const char **names = arena_array(t->arena, const char *, t->nkernel + 1);
        for (size_t i = 0; i < t->nkernel; i++) names[i] = t->kernel[i]->name;
        return unknown(p, name, "a kernel defined above", names, t->nkernel);
    }
    const kernel_def_t *k = t->kernel[id];
    if (k->broken) { /* its faults are reported; those of its launches would only follow from them */
        resync(p);
        return true;
    }
    const node_t **arg = arena_array(t->arena, const node_t *, KPARAMS_MAX);
    uint32_t n = 0;
    if (!need_punct(p, '(', "'('")) return false;
    while (!at_punct(p, ')')) {
        uint32_t i = n;
        const token_t *here = peek(p);
        if (here->kind == TK_NAME && t->lex.tok[p->pos + 1].kind == TK_PUNCT &&
            t->lex.tok[p->pos + 1].punct == '=') {
            const char *names[KPARAMS_MAX];
            for (i = 0; i < k->nparams; i++) names[i] = k->param[i].name;
            for (i = 0; i < k->nparams && strcmp(names[i], here->text) != 0;) i++;
            if (i == k->nparams)
                return unknown(p, here, "a parameter of the kernel", names, k->nparams);
            p->pos += 2;
        }
        if (i >= k->nparams)
            return fault_at(p, here->line, here->col, "kernel '%s' has %u parameters, not more",
                            k->name, k->nparams);
        if (arg[i])
            return fault_at(p, here->line, here->col, "parameter '%s' is given twice",
                            k->param[i].name);
        arg[i] = k->param[i].role == KP_NUMBER ? parse_value(p) : expr_with_buffers(p);
        if (!arg[i] || (!at_punct(p, ')') && !need_punct(p, ',', "',' or ')'"))) return false;
        n++;
    }
    for (uint32_t i = 0; i < k->nparams; i++)
        if (!arg[i])
            return fault_at(p, peek(p)->line, peek(p)->col,
                            "parameter '%s' of kernel '%s' is not given", k->param[i].name,
                            k->name);
    advance(p);
    const node_t *stream = NULL;
    if (!on_stream(p, &stream)) return false;
    cmd_t *c = command(p, at, CM_LAUNCH);
    c->id = id;
    c->arg = arg;
    c->stream = stream;
    return true;
}

/* copy h2d to E size E | d2h from E size E | d2d from E to E size E [on stream E] */
static bool copy(parser_t *p, const token_t *at)
{
    cmd_t c = {.kind = CM_COPY, .line = at->line, .col = at->col};
    bool h2d = eat_word(p, "h2d"), d2h = !h2d && eat_word(p, "d2h"),
         d2d = !h2d && !d2h && eat_word(p, "d2d");
    if (!h2d && !d2h && !d2d) return expected(p, "h2d, d2h or d2d");
    c.text = h2d ? "h2d" : d2h ? "d2h" : "d2d";
    if (!h2d && (!need_word(p, "from") || !(c.a = expr_with_buffers(p)))) return false;
    if (!d2h && (!need_word(p, "to") || !(c.b = expr_with_buffers(p)))) return false;
    if (!need_word(p, "size") || !(c.c = parse_expr(p)) || !on_stream(p, &c.stream)) return false;
    *command(p, at, CM_COPY) = c;
    return true;
}

static bool commands(parser_t *p, bool outermost);

static bool block(parser_t *p)
{
    const token_t *at = peek(p);
    if (!need_punct(p, '{', "'{'")) return false;
    if (++p->depth > PARSE_DEPTH)
        return fault_at(p, at->line, at->col, "blocks nest deeper than %d", PARSE_DEPTH);
    size_t scope = scope_open(p);
    bool ok = commands(p, false);
    scope_close(p, scope);
    p->depth--;
    return ok;
}

static bool loop(parser_t *p, const token_t *at, bool named)
{
    cmd_t c = {.kind = CM_FOR, .line = at->line, .col = at->col};
    size_t scope = scope_open(p);
    const token_t *var = peek(p);
    const char *name = NULL;
    if (named && (!(name = need_name(p, "the name of the loop's counter")) || !need_word(p, "in")))
        return false;
    if (!(c.b = parse_expr(p))) return false;
    if (named && eat_punct(p, P_RANGE)) {
        c.a = c.b;
        if (!(c.b = parse_expr(p))) return false;
    }
    c.id = p->t->nslots;
    p->t->nslots += 2; /* counter and end */
    if (name && !declare(p, var, name, SY_TOP, c.id)) return false;
    size_t head = p->t->ncmd;
    *command(p, at, CM_FOR) = c;
    bool ok = block(p);
    scope_close(p, scope);
    cmd_t *next = command(p, at, CM_NEXT);
    next->id = c.id;
    next->jump = (uint32_t)head + 1;
    p->t->cmd[head].jump = (uint32_t)p->t->ncmd;
    return ok;
}

static bool condition(parser_t *p, const token_t *at)
{
    const node_t *x = parse_expr(p);
    if (!x) return false;
    size_t head = p->t->ncmd;
    command(p, at, CM_UNLESS)->a = x;
    if (!block(p)) return false;
    if (eat_else(p)) {
        size_t skip = p->t->ncmd;
        command(p, at, CM_JUMP);
        p->t->cmd[head].jump = (uint32_t)p->t->ncmd;
        bool ok;
        if (at_word(p, "if")) {
            const token_t *nested = advance(p);
            if (++p->depth > PARSE_DEPTH)
                return fault_at(p, nested->line, nested->col, "blocks nest deeper than %d",
                                PARSE_DEPTH);
            ok = condition(p, nested);
            p->depth--;
        } else {
            ok = block(p);
        }
        p->t->cmd[skip].jump = (uint32_t)p->t->ncmd;
        return ok;
    }
    p->t->cmd[head].jump = (uint32_t)p->t->ncmd;
    return true;
}

static bool let(parser_t *p, const token_t *at, bool outermost)
{
    const token_t *var = peek(p);
    const char *name = need_name(p, "a name");
    const node_t *x = name && need_punct(p, '=', "'='") ? parse_value(p) : NULL;
    uint32_t slot = p->t->nslots++;
    if (!x || !declare_value(p, var, name, SY_TOP, slot, x)) return false;
    if (outermost) {
        declaration(p, at, DC_LET, slot)->value = x;
        return true;
    }
    cmd_t *c = command(p, at, CM_LET);
    c->id = slot;
    c->a = x;
    return true;
}

static bool require(parser_t *p, const token_t *at, bool outermost)
{
    const node_t *x = parse_expr(p);
    const char *message =
        x && need_punct(p, ',', "',' and a message") ? need_string(p, "a message in quotes") : NULL;
    if (!message) return false;
    if (outermost) {
        decl_t *d = declaration(p, at, DC_REQUIRE, 0);
        d->value = x;
        d->message = message;
        return true;
    }
    cmd_t *c = command(p, at, CM_REQUIRE);
    c->a = x;
    c->text = message;
    return true;
}

static bool event(parser_t *p, const token_t *at, cmd_kind_t kind)
{
    const node_t *number = parse_expr(p), *stream = NULL;
    if (!number || !on_stream(p, &stream)) return false;
    cmd_t *c = command(p, at, kind);
    c->a = number;
    c->stream = stream;
    return true;
}

static bool collective(parser_t *p, const token_t *at)
{
    const char *name = need_string(p, "the name of the collective in quotes");
    const node_t *size = name && need_word(p, "size") ? parse_expr(p) : NULL, *stream = NULL;
    if (!size || !on_stream(p, &stream)) return false;
    cmd_t *c = command(p, at, CM_COLLECTIVE);
    c->text = name;
    c->a = size;
    c->stream = stream;
    return true;
}

static bool graph(parser_t *p, const token_t *at)
{
    command(p, at, CM_GRAPH_BEGIN);
    bool ok = block(p);
    command(p, at, CM_GRAPH_END);
    return ok;
}

/* Statements that stand only outside blocks.  1: was one; 0: is none; -1: fault */
static int top_level(parser_t *p, const token_t *at, bool outermost)
{
    static const char *const only[] = {"title", "param", "buffer", "index", "kernel", "tokens"};
    size_t i = 0;
    while (i < sizeof only / sizeof *only && strcmp(at->text, only[i]) != 0) i++;
    if (i == sizeof only / sizeof *only) return 0;
    if (!outermost) {
        fault_at(p, at->line, at->col, "'%s' cannot stand inside a block", at->text);
        return -1;
    }
    bool ok = false;
    switch (i) {
    case 0:
        ok = (p->t->title = need_string(p, "the title in quotes")) != NULL;
        break;
    case 1:
        ok = param(p);
        break;
    case 2:
        ok = buffer(p);
        break;
    case 3:
        ok = index_decl(p);
        break;
    case 4:
        ok = parse_kernel(p);
        break;
    default: {
        const node_t *x = parse_expr(p);
        ok = x != NULL;
        if (ok) declaration(p, at, DC_TOKENS, 0)->value = x;
    }
    }
    return ok ? 1 : -1;
}

static bool statement(parser_t *p, bool outermost)
{
    const token_t *at = advance(p);
    if (at->kind != TK_NAME) {
        if (at->kind != TK_EOF) p->pos--;
        return expected(p, "a statement");
    }
    int top = top_level(p, at, outermost);
    if (top) return top > 0;
    if (!strcmp(at->text, "launch")) return launch(p, at);
    if (!strcmp(at->text, "let")) return let(p, at, outermost);
    if (!strcmp(at->text, "for")) return loop(p, at, true);
    if (!strcmp(at->text, "repeat")) return loop(p, at, false);
    if (!strcmp(at->text, "if")) return condition(p, at);
    if (!strcmp(at->text, "graph")) return graph(p, at);
    if (!strcmp(at->text, "copy")) return copy(p, at);
    if (!strcmp(at->text, "record")) return event(p, at, CM_RECORD);
    if (!strcmp(at->text, "wait")) return event(p, at, CM_WAIT);
    if (!strcmp(at->text, "collective")) return collective(p, at);
    if (!strcmp(at->text, "require")) return require(p, at, outermost);
    if (!strcmp(at->text, "mark")) {
        const char *phase = need_string(p, "the name of the phase in quotes");
        if (phase) command(p, at, CM_MARK)->text = phase;
        return phase != NULL;
    }
    if (!strcmp(at->text, "raw")) {
        if (peek(p)->kind != TK_RAW) return expected(p, "'{', and the access lines below it");
        command(p, at, CM_RAW)->id = (uint32_t)advance(p)->value;
        return true;
    }
    if (!strcmp(at->text, "device") || !strcmp(at->text, "rank") || !strcmp(at->text, "stream"))
        return fault_at(
            p, at->line, at->col,
            "'%s' is reserved for traces of several devices, which version 1 does not have",
            at->text);
    p->pos--;
    return unknown(p, at, "a statement", words, sizeof words / sizeof *words);
}

static bool commands(parser_t *p, bool outermost)
{
    for (skip_newlines(p); outermost || !at_punct(p, '}'); skip_newlines(p)) {
        unsigned depth = p->depth;
        if (peek(p)->kind == TK_EOF) return outermost || expected(p, "'}'");
        if (outermost && at_punct(p, '}')) {
            expected(p, "a statement");
            advance(p);
        } else if (!statement(p, outermost) || (!at_punct(p, '}') && !need_newline(p))) {
            resync(p);
        }
        p->depth = depth;
        p->buffers = false;
    }
    advance(p);
    return true;
}

int trace_parse(trace_t *t, diag_t *d)
{
    parser_t p = {.t = t, .d = d};
    skip_newlines(&p);
    bool header = need_word(&p, "memsim") && need_word(&p, "trace");
    if (header && !(peek(&p)->kind == TK_NUMBER && peek(&p)->value == 1))
        header = expected(&p, "version 1 of the language");
    if (header) advance(&p);
    if (!header || !need_newline(&p)) return MS_INPUT;
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        static const token_t built_in = {.kind = TK_NAME, .text = ""};
        declare(&p, &built_in, unit_names[i], SY_CONST, (int64_t)i);
    }
    static const token_t built_in = {.kind = TK_NAME, .text = ""};
    declare(&p, &built_in, "warp_size", SY_CONST, (int64_t)t->warp_lanes);
    commands(&p, true);
    return p.failed ? MS_INPUT : MS_OK;
}
