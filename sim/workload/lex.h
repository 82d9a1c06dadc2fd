/* SPDX-License-Identifier: MIT
 * Text of a trace file -> tokens.  The whole text is held (limit LEX_BYTES_MAX); long lists of accesses belong
 * into a file of raw lines, which is streamed. */
#ifndef MEMSIM_WORKLOAD_LEX_H
#define MEMSIM_WORKLOAD_LEX_H
#include "core/arena.h"
#include "core/diag.h"
#include "workload/raw.h"
#include "workload/reader.h"
#include <stdint.h>

#define LEX_BYTES_MAX ((size_t)4 << 20)

typedef enum {
    TK_EOF,
    TK_NEWLINE, /* end of a statement: not inside ( ) or [ ], not after an operator or a comma */
    TK_NAME,    /* also `cta.x` */
    TK_NUMBER,  /* unit applied */
    TK_STRING,
    TK_RAW, /* the lines of a raw section; value = index into lex_t.raw */
    TK_PUNCT
} tok_kind_t;

enum { /* punctuation of more than one character; the others are their own code */
       P_EQ = 256,
       P_NE,
       P_LE,
       P_GE,
       P_SHL,
       P_SHR,
       P_AND,
       P_OR,
       P_CEIL, /* two slashes: division rounded up */
       P_RANGE /* .. */
};

typedef struct token {
    tok_kind_t kind;
    int line, col; /* from 1 */
    int punct;
    int64_t value;
    const char *text; /* name, string without quotes, otherwise the characters as written */
} token_t;

typedef struct raw_section {
    const raw_access_t *access;
    size_t n;
    int first_line;
} raw_section_t;

typedef struct lex {
    const char *file;
    const token_t *tok; /* ends with TK_EOF */
    size_t n;
    const raw_section_t *raw;
    size_t n_raw;
} lex_t;

/* Tokens of everything the reader still has, `first` (its line last returned, may be NULL) included.  Everything
 * lives in the arena.  All faults are reported before MS_INPUT is returned. */
int lex_read(lex_t *out, reader_t *r, const char *first, arena_t *a, diag_t *d);
/* Tokens of one line of text, as for a value of -D.  `file` is the name used in messages. */
int lex_text(lex_t *out, const char *file, const char *text, arena_t *a, diag_t *d);
#endif
