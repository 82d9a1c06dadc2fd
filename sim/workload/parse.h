/* SPDX-License-Identifier: MIT
 * What the three parts of the parser share: declarations and commands (parse.c), kernels (parse_kernel.c),
 * expressions (parse_expr.c). */
#ifndef MEMSIM_WORKLOAD_PARSE_H
#define MEMSIM_WORKLOAD_PARSE_H
#include "workload/trace.h"

#define PARSE_DEPTH 100 /* nested parentheses, operators, blocks */

typedef enum { SY_TOP, SY_ARG, SY_BASE, SY_CTA, SY_LOCAL, SY_BUFFER, SY_CONST } sym_kind_t;
typedef struct sym {
    const char *name;
    sym_kind_t kind;
    int64_t id;
    int line;
    value_kind_t is;
} sym_t;

typedef struct parser {
    trace_t *t;
    diag_t *d;
    size_t pos;  /* next token */
    bool failed; /* any fault so far */
    sym_t *sym;  /* visible names, innermost last */
    size_t nsym, csym;
    size_t own; /* first name of the kernel being parsed; 0 outside */
    unsigned depth;
    kernel_def_t *kernel;      /* being parsed, NULL outside */
    const char *token[TOKENS]; /* its token names */
    bool buffers;              /* may the expression name buffers? */
} parser_t;

/* ---- tokens ---- */
const token_t *peek(const parser_t *p);
const token_t *advance(parser_t *p);
bool at_punct(const parser_t *p, int punct);
bool at_word(const parser_t *p, const char *word);
bool eat_punct(parser_t *p, int punct);
bool eat_word(parser_t *p, const char *word);
/* Next token must be this; otherwise a fault is reported. */
bool need_punct(parser_t *p, int punct, const char *as_text);
bool need_word(parser_t *p, const char *word);
bool need_newline(parser_t *p);
const char *need_name(parser_t *p, const char *what);
const char *need_string(parser_t *p, const char *what);
void skip_newlines(parser_t *p);
/* `else`, also at the start of a later line. */
bool eat_else(parser_t *p);

/* ---- faults ---- */
/* "file:line:col: found X, expected WHAT"; returns false. */
bool expected(parser_t *p, const char *what);
/* The same for an unknown name, with the nearest of n names. */
bool unknown(parser_t *p, const token_t *at, const char *what, const char *const *names, size_t n);
bool fault_at(parser_t *p, int line, int col, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* After a fault: to the end of the statement, over the block it opens if any. */
void resync(parser_t *p);

/* ---- names ---- */
/* Declare; a name visible already or reserved is a fault. */
bool declare(parser_t *p, const token_t *at, const char *name, sym_kind_t kind, int64_t id);
/* Declare a name that stands for x: a text or a number. */
bool declare_value(parser_t *p, const token_t *at, const char *name, sym_kind_t kind, int64_t id,
                   const node_t *x);
const sym_t *look_up(const parser_t *p, const char *name);
size_t scope_open(const parser_t *p);
void scope_close(parser_t *p, size_t mark);

/* ---- the parts ---- */
/* NULL after a reported fault.  parse_expr wants a number; parse_value takes a text too. */
const node_t *parse_expr(parser_t *p);
const node_t *parse_value(parser_t *p);
bool parse_kernel(parser_t *p); /* behind the word `kernel` */
/* Room for one more of `size` bytes in an arena array that doubles; old contents are kept. */
void *arena_grow(arena_t *a, void *list, size_t n, size_t *cap, size_t size);
#endif
