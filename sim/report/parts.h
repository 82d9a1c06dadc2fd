/* SPDX-License-Identifier: MIT
 * Pieces of the text reports, shared by the GPU screen and the memory-only screen. */
#ifndef MEMSIM_REPORT_PARTS_H
#define MEMSIM_REPORT_PARTS_H
#include "report/report.h"

#define REPORT_COLUMNS 100

/* SMs, L1, L2 and memory as boxes, arrows between them with bandwidth each way; then one line a further memory
 * or link. */
void part_chart(FILE *f, const result_t *r);
/* Table of kernels, one row a kernel, or a kind where there are too many kernels for the screen. */
void part_kernels(FILE *f, const result_t *r, const report_env_t *e);
/* "label a 10 % · b 5 %": entries of a stack above `least`, in order; kind of number by `unit`: '%', 'n' (ns),
 * 'J'. */
void part_stack(FILE *f, const char *label, const res_share_t *s, size_t n, char unit,
                double least);
/* A stack of shares as a bar of one letter a piece, `width` columns long. */
void part_bar(FILE *f, const res_share_t *s, size_t n, int width);
void part_heading(FILE *f, const char *text, const report_env_t *e);
void part_host(FILE *f, const result_t *r);
/* One paragraph, wrapped at the screen's width behind a label column. */
void part_paragraph(FILE *f, const char *label, const char *text);
#endif
