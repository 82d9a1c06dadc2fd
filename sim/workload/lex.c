/* SPDX-License-Identifier: MIT
 * Text of a trace file -> tokens. */
#include "workload/lex.h"
#include "core/utf8.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct lexer {
    arena_t *arena;
    diag_t *diag;
    const char *file;
    token_t *tok; /* growing; copied into the arena at the end */
    size_t n, cap;
    raw_section_t *raw;
    size_t n_raw, cap_raw;
    raw_access_t *access; /* of the raw section being read */
    size_t n_access, cap_access;
    raw_parser_t parser;
    int raw_line;     /* line of the open `raw {`, 0 outside */
    unsigned nesting; /* of ( and [ */
    size_t bytes;
    int cls;
} lexer_t;

static const struct {
    const char *name;
    int64_t scale;
} units[] = {
    {"B", 1},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", INT64_C(1000000000000)},
};

static const struct {
    char text[3];
    int punct;
} pairs[] = {
    {"==", P_EQ},  {"!=", P_NE},  {"<=", P_LE}, {">=", P_GE},   {"<<", P_SHL},
    {">>", P_SHR}, {"&&", P_AND}, {"||", P_OR}, {"//", P_CEIL}, {"..", P_RANGE},
};

static void fault(lexer_t *x, int line, size_t col, const char *what)
{
    x->cls = diag_add(x->diag, MS_INPUT, "%s:%d:%zu: %s", x->file, line, col + 1, what);
}

/* Room for one more of `size` bytes. */
static void *grown(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) return p;
    size_t want = *cap ? *cap * 2 : 64;
    *cap = want;
    return mem_resize(p, want * size);
}

static token_t *push(lexer_t *x, tok_kind_t kind, int line, size_t col)
{
    x->tok = grown(x->tok, x->n, &x->cap, sizeof *x->tok);
    token_t *t = &x->tok[x->n++];
    *t = (token_t){.kind = kind, .line = line, .col = (int)col + 1, .text = ""};
    return t;
}

static const char *copied(lexer_t *x, const char *s, size_t n)
{
    char *c = arena_alloc(x->arena, n + 1);
    memcpy(c, s, n);
    return c;
}

static bool name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, an optional decimal fraction and an optional unit, exact: 1.5 GiB is an integer, 1.5 is refused. */
static size_t number(lexer_t *x, const char *s, size_t at, int line)
{
    size_t i = at;
    wide_t v = 0, scale = 1;
    bool over = false, hex = s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X');
    if (hex) {
        for (i += 2; isxdigit((unsigned char)s[i]) || s[i] == '_'; i++) {
            if (s[i] == '_') continue;
            int c = tolower((unsigned char)s[i]);
            v = v * 16 + (digit((char)c) ? c - '0' : c - 'a' + 10);
            if (v > INT64_MAX) over = true, v = 0;
        }
        if (i == at + 2) fault(x, line, at, "found '0x' without digits");
    } else {
        for (; digit(s[i]) || (s[i] == '_' && digit(s[i + 1])); i++) {
            if (s[i] == '_') continue;
            v = v * 10 + (s[i] - '0');
            if (v > INT64_MAX) over = true, v = 0;
        }
        if (s[i] == '.' && digit(s[i + 1])) {
            for (i++; digit(s[i]); i++) {
                if (scale > 1000000000)
                    continue; /* digits beyond the ninth cannot matter to a byte count */
                v = v * 10 + (s[i] - '0');
                scale *= 10;
            }
        }
    }
    size_t u = i;
    while (s[u] == ' ' || s[u] == '\t') u++;
    size_t e = u;
    while (name_char(s[e])) e++;
    wide_t unit = 0;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strlen(units[k].name) == e - u && !strncmp(units[k].name, s + u, e - u))
            unit = units[k].scale;
    if (unit)
        i = e;
    else if (name_char(s[i]) && !hex)
        fault(x, line, i,
              "found letters behind a number, expected a unit (B, KiB, MiB, GiB, TiB, kB, MB, GB, "
              "TB)");
    if (!unit && name_char(s[i]))
        while (name_char(s[i])) i++;
    if (!over) v = v * (unit ? unit : 1);
    if (v % scale)
        fault(x, line, at,
              "found a fraction, expected a whole number (1.5 GiB is one, 1.5 is not)");
    v /= scale;
    if (over || v > INT64_MAX) {
        fault(x, line, at, "the number does not fit in 63 bits");
        v = 0;
    }
    token_t *t = push(x, TK_NUMBER, line, at);
    t->value = (int64_t)v;
    t->text = copied(x, s + at, i - at);
    return i;
}

static size_t string(lexer_t *x, const char *s, size_t at, int line)
{
    size_t i = at + 1;
    bool plain = true;
    for (size_t n; s[i] && s[i] != '"'; i += n ? n : 1) {
        n = utf8_printable(s + i);
        if (!n && plain)
            fault(x, line, i, "the text holds a control character or a byte that is no UTF-8");
        plain = plain && n;
    }
    token_t *t = push(x, TK_STRING, line, at);
    t->text = copied(x, s + at + 1, i - at - 1);
    if (s[i] == '"') return i + 1;
    fault(x, line, at, "the string has no closing quote on its line");
    return i;
}

static size_t punct(lexer_t *x, const char *s, size_t at, int line)
{
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        if (s[at] != pairs[k].text[0] || s[at + 1] != pairs[k].text[1]) continue;
        token_t *t = push(x, TK_PUNCT, line, at);
        t->punct = pairs[k].punct;
        t->text = pairs[k].text;
        return at + 2;
    }
    static const char single[][2] = {"(", ")", "[", "]", "{", "}", "+", "-", "*", "/",
                                     "%", "<", ">", "=", "!", "?", ":", ",", "&", "^"};
    size_t which = 0;
    while (which < sizeof single / sizeof *single && single[which][0] != s[at]) which++;
    if (which == sizeof single / sizeof *single) {
        char what[64] = "found an unexpected character";
        if (isprint((unsigned char)s[at])) {
            memcpy(what, "found '?', which has no meaning here", 37);
            what[7] = s[at];
        }
        fault(x, line, at, what);
        return at + 1;
    }
    if (s[at] == '(' || s[at] == '[') x->nesting++;
    if ((s[at] == ')' || s[at] == ']') && x->nesting) x->nesting--;
    if (s[at] == '{' || s[at] == '}')
        x->nesting = 0; /* an unclosed bracket must not swallow the file */
    token_t *t = push(x, TK_PUNCT, line, at);
    t->punct = (unsigned char)s[at];
    t->text = single[which];
    return at + 1;
}

/* Does the line end in the middle of an expression? */
static bool continued(const lexer_t *x)
{
    if (!x->n || x->nesting) return true;
    const token_t *t = &x->tok[x->n - 1];
    if (t->kind == TK_NEWLINE) return true;
    return t->kind == TK_PUNCT && t->punct != '=' && t->punct != ')' && t->punct != ']' &&
           t->punct != '{' && t->punct != '}';
}

/* A bracket somebody forgot to close must not swallow the statements behind it: no line inside brackets starts
 * with two names, unless it declares a kernel's buffer. */
static void close_forgotten(lexer_t *x, size_t first, unsigned before)
{
    if (!before || x->n < first + 2) return;
    const token_t *t = &x->tok[first];
    if (t[0].kind != TK_NAME || t[1].kind != TK_NAME) return;
    if (!strcmp(t[0].text, "in") || !strcmp(t[0].text, "out") || !strcmp(t[0].text, "inout"))
        return;
    push(x, TK_NEWLINE, t[0].line, 0);
    token_t end = x->tok[x->n - 1];
    end.text = "end of line";
    memmove(&x->tok[first + 1], &x->tok[first], (x->n - 1 - first) * sizeof *x->tok);
    x->tok[first] = end;
    x->nesting = x->nesting > before ? x->nesting - before : 0;
}

static void raw_line(lexer_t *x, const char *s, int line)
{
    size_t i = strspn(s, " \t");
    if (s[i] == '}') {
        raw_access_t *list = arena_array(x->arena, raw_access_t, x->n_access + 1);
        if (x->n_access) memcpy(list, x->access, x->n_access * sizeof *list);
        x->raw = grown(x->raw, x->n_raw, &x->cap_raw, sizeof *x->raw);
        x->raw[x->n_raw] = (raw_section_t){list, x->n_access, x->raw_line + 1};
        push(x, TK_RAW, x->raw_line, 0)->value = (int64_t)x->n_raw++;
        push(x, TK_NEWLINE, line, i);
        x->raw_line = 0;
        size_t j = i + 1 + strspn(s + i + 1, " \t");
        if (s[j] && s[j] != '#')
            fault(x, line, j, "found text behind '}', expected the end of the line");
        return;
    }
    raw_access_t r;
    int got = raw_parse(&x->parser, s, line, &r, x->diag);
    if (got < 0) x->cls = MS_INPUT;
    if (got <= 0) return;
    x->access = grown(x->access, x->n_access, &x->cap_access, sizeof *x->access);
    x->access[x->n_access++] = r;
}

static void one_line(lexer_t *x, const char *s, int line)
{
    if (x->raw_line) {
        raw_line(x, s, line);
        return;
    }
    size_t first = x->n, i = 0;
    unsigned before = x->nesting;
    while (s[i] && s[i] != '#') {
        if (s[i] == ' ' || s[i] == '\t') {
            i++;
        } else if (name_start(s[i])) {
            size_t e = i;
            while (name_char(s[e]) || (s[e] == '.' && name_start(s[e + 1]))) e++;
            push(x, TK_NAME, line, i)->text = copied(x, s + i, e - i);
            i = e;
        } else if (digit(s[i])) {
            i = number(x, s, i, line);
        } else if (s[i] == '"') {
            i = string(x, s, i, line);
        } else {
            i = punct(x, s, i, line);
        }
    }
    close_forgotten(x, first, before);
    if (x->n == first + 2 && x->tok[first].kind == TK_NAME && !strcmp(x->tok[first].text, "raw") &&
        x->tok[first + 1].punct == '{') {
        x->n--; /* the section's token takes the place of the brace */
        x->raw_line = line;
        x->n_access = 0;
        raw_parser_init(&x->parser, x->file);
    } else if (!continued(x)) {
        push(x, TK_NEWLINE, line, i)->text = "end of line";
    }
}

static int finish(lexer_t *x, lex_t *out, int line)
{
    if (x->raw_line) fault(x, x->raw_line, 0, "the raw section has no closing '}'");
    push(x, TK_EOF, line, 0)->text = "end of file";
    token_t *tok = arena_array(x->arena, token_t, x->n);
    memcpy(tok, x->tok, x->n * sizeof *tok);
    raw_section_t *raw = arena_array(x->arena, raw_section_t, x->n_raw + 1);
    if (x->n_raw) memcpy(raw, x->raw, x->n_raw * sizeof *raw);
    *out = (lex_t){.file = x->file, .tok = tok, .n = x->n, .raw = raw, .n_raw = x->n_raw};
    free(x->tok);
    free(x->raw);
    free(x->access);
    return x->cls;
}

int lex_read(lex_t *out, reader_t *r, const char *first, arena_t *a, diag_t *d)
{
    lexer_t x = {.arena = a, .diag = d, .file = arena_strdup(a, reader_name(r))};
    if (first) one_line(&x, first, reader_line(r));
    char *s;
    size_t len;
    int got;
    while ((got = reader_next(r, &s, &len, d)) > 0) {
        x.bytes += len + 1;
        if (x.bytes > LEX_BYTES_MAX) {
            fault(&x, reader_line(r), 0,
                  "the trace is longer than 4 MiB; put long lists of accesses into a file of raw "
                  "lines");
            break;
        }
        one_line(&x, s, reader_line(r));
    }
    if (got < 0) x.cls = MS_INPUT;
    return finish(&x, out, reader_line(r));
}

int lex_text(lex_t *out, const char *file, const char *text, arena_t *a, diag_t *d)
{
    lexer_t x = {.arena = a, .diag = d, .file = file};
    one_line(&x, text, 1);
    return finish(&x, out, 1);
}
