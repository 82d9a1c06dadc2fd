/* SPDX-License-Identifier: MIT
 * Numbers as people read them: three significant digits, decimal prefixes, the unit always beside the number,
 * "-" where there is no number.  Each function returns a small struct by value, so a call can stand inside a
 * printf argument list: fmt_si(2.9e12, "B/s").s -> "2.90 TB/s". */
#ifndef MEMSIM_REPORT_FMT_H
#define MEMSIM_REPORT_FMT_H
#include <stdint.h>
#include <stdio.h>

typedef struct fmt_txt {
    char s[40];
} fmt_txt_t;

fmt_txt_t fmt_si(double v, const char *unit); /* 2.9e12, "B/s" -> "2.90 TB/s" */
fmt_txt_t fmt_gbps(double GBps);              /* GB/s in, "2.90 TB/s" out */
fmt_txt_t fmt_ns(double ns);                  /* 1.31e7 -> "13.1 ms" */
fmt_txt_t fmt_pct(double share);              /* 0.871 -> "87.1 %" */
fmt_txt_t fmt_pct0(double share);             /* 0.871 -> "87 %" */
fmt_txt_t fmt_count(uint64_t n);              /* 12384 -> "12,384" */
fmt_txt_t fmt_bytes(double bytes);            /* binary prefixes: 53687091200 -> "50 GiB" */

/* Code points of a UTF-8 string: its width on a terminal for the characters used here. */
int fmt_width(const char *s);
/* Print s in a field of `width` columns (left-aligned, or right-aligned if width < 0), cut if longer. */
void fmt_field(FILE *f, int width, const char *s);
/* Print `text` from column `indent` on, breaking between words before `columns`; further lines start with
 * `indent` blanks.  A no-break space is part of a word and prints as a blank.  No newline at the end. */
void fmt_wrap(FILE *f, const char *text, int indent, int columns);
#endif
