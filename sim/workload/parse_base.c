/* SPDX-License-Identifier: MIT
 * What every part of the parser uses: tokens, faults, visible names. */
#include "workload/parse.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Kept free for several devices; a trace that uses them must not mean something else today. */
static const char *const reserved[] = {"device", "rank", "stream", "collective"};

/* ---- tokens ---- */

const token_t *peek(const parser_t *p)
{
    return &p->t->lex.tok[p->pos];
}

const token_t *advance(parser_t *p)
{
    const token_t *t = peek(p);
    if (t->kind != TK_EOF) p->pos++;
    return t;
}

bool at_punct(const parser_t *p, int punct)
{
    return peek(p)->kind == TK_PUNCT && peek(p)->punct == punct;
}

bool at_word(const parser_t *p, const char *word)
{
    return peek(p)->kind == TK_NAME && !strcmp(peek(p)->text, word);
}

bool eat_punct(parser_t *p, int punct)
{
    if (!at_punct(p, punct)) return false;
    p->pos++;
    return true;
}

bool eat_word(parser_t *p, const char *word)
{
    if (!at_word(p, word)) return false;
    p->pos++;
    return true;
}

bool need_punct(parser_t *p, int punct, const char *as_text)
{
    return eat_punct(p, punct) || expected(p, as_text);
}

bool need_word(parser_t *p, const char *word)
{
    char what[32];
    if (eat_word(p, word)) return true;
    snprintf(what, sizeof what, "'%s'", word);
    return expected(p, what);
}

bool need_newline(parser_t *p)
{
    if (peek(p)->kind == TK_EOF) return true;
    if (peek(p)->kind != TK_NEWLINE) return expected(p, "the end of the line");
    p->pos++;
    return true;
}

const char *need_name(parser_t *p, const char *what)
{
    if (peek(p)->kind == TK_NAME) return advance(p)->text;
    expected(p, what);
    return NULL;
}

const char *need_string(parser_t *p, const char *what)
{
    if (peek(p)->kind == TK_STRING) return advance(p)->text;
    expected(p, what);
    return NULL;
}

void skip_newlines(parser_t *p)
{
    while (peek(p)->kind == TK_NEWLINE) p->pos++;
}

bool eat_else(parser_t *p)
{
    size_t back = p->pos;
    skip_newlines(p);
    if (eat_word(p, "else")) return true;
    p->pos = back;
    return false;
}

/* ---- faults ---- */

bool fault_at(parser_t *p, int line, int col, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_add(p->d, MS_INPUT, "%s:%d:%d: %s", p->t->file, line, col, text);
    p->failed = true;
    return false;
}

static const char *shown(const token_t *t, char *buf, size_t n)
{
    switch (t->kind) {
    case TK_EOF:
        return "the end of the file";
    case TK_NEWLINE:
        return "the end of the line";
    case TK_RAW:
        return "a raw section";
    case TK_STRING:
        snprintf(buf, n, "\"%.40s\"", t->text);
        return buf;
    case TK_NAME:
    case TK_NUMBER:
    case TK_PUNCT:
        break;
    }
    snprintf(buf, n, "'%.40s'", t->text);
    return buf;
}

bool expected(parser_t *p, const char *what)
{
    char buf[64];
    const token_t *t = peek(p);
    return fault_at(p, t->line, t->col, "found %s, expected %s", shown(t, buf, sizeof buf), what);
}

bool unknown(parser_t *p, const token_t *at, const char *what, const char *const *names, size_t n)
{
    char buf[64];
    const char *near = diag_nearest(at->text, names, n);
    return fault_at(p, at->line, at->col, "found %s, expected %s%s%s%s", shown(at, buf, sizeof buf),
                    what, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void resync(parser_t *p)
{
    bool opens = false;
    for (; peek(p)->kind != TK_EOF && peek(p)->kind != TK_NEWLINE; p->pos++) {
        if (at_punct(p, '}') && !opens) return; /* the block's own end */
        if (at_punct(p, '{')) opens = true;
        if (at_punct(p, '}')) opens = false;
    }
    for (unsigned depth = opens ? 1 : 0; depth && peek(p)->kind != TK_EOF; p->pos++) {
        if (at_punct(p, '{')) depth++;
        if (at_punct(p, '}')) depth--;
    }
}

/* ---- names ---- */

void *arena_grow(arena_t *a, void *list, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) return list;
    size_t want = *cap ? *cap * 2 : 16;
    void *bigger = arena_alloc(a, want * size);
    if (n) memcpy(bigger, list, n * size);
    *cap = want;
    return bigger;
}

const sym_t *look_up(const parser_t *p, const char *name)
{
    for (size_t i = p->nsym; i-- > 0;)
        if (!strcmp(p->sym[i].name, name)) return &p->sym[i];
    return NULL;
}

bool declare(parser_t *p, const token_t *at, const char *name, sym_kind_t kind, int64_t id)
{
    const sym_t *old = look_up(p, name);
    if (old && old->line && (size_t)(old - p->sym) < p->own)
        old = NULL; /* a kernel's names hide the trace's */
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(name, reserved[i]))
            return fault_at(p, at->line, at->col, "'%s' is reserved and cannot be a name", name);
    if (old && old->line)
        return fault_at(p, at->line, at->col, "'%s' is declared already, in line %d", name,
                        old->line);
    if (old) return fault_at(p, at->line, at->col, "'%s' is built in and cannot be a name", name);
    p->sym = arena_grow(p->t->arena, p->sym, p->nsym, &p->csym, sizeof *p->sym);
    p->sym[p->nsym++] = (sym_t){name, kind, id, at->line, kind == SY_ARG ? IS_EITHER : IS_NUMBER};
    return true;
}

bool declare_value(parser_t *p, const token_t *at, const char *name, sym_kind_t kind, int64_t id,
                   const node_t *x)
{
    if (!declare(p, at, name, kind, id)) return false;
    p->sym[p->nsym - 1].is = x->is;
    return true;
}

size_t scope_open(const parser_t *p)
{
    return p->nsym;
}

void scope_close(parser_t *p, size_t mark)
{
    p->nsym = mark;
}

int64_t trace_string(trace_t *t, const char *text)
{
    for (size_t i = 0; i < t->nstring; i++)
        if (!strcmp(t->string[i], text)) return STRING_VALUE_BASE + (int64_t)i;
    t->string = arena_grow(t->arena, t->string, t->nstring, &t->cstring, sizeof *t->string);
    t->string[t->nstring] = text;
    return STRING_VALUE_BASE + (int64_t)t->nstring++;
}
