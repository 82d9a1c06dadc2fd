/* SPDX-License-Identifier: MIT
 * A result as text, JSON, CSV and plots.  Nothing is computed here that another output could compute
 * differently: sums over rows of a table, unit changes and rounding only.  Everything but the `host` part is a
 * pure function of the result. */
#ifndef MEMSIM_REPORT_REPORT_H
#define MEMSIM_REPORT_REPORT_H
#include "core/result.h"
#include <stdbool.h>
#include <stdio.h>

#define REPORT_SCHEMA "memsim-result-1"

typedef struct report_env { /* how to print */
    const char *version, *commit;
    int verbosity; /* -1: totals and verdict only; 0; 1: every kernel and statistic */
    bool color;    /* bold headings by escape sequences */
    bool host;     /* print speed and memory of the simulator itself (differs from run to run) */
} report_env_t;

/* One measured point of latency against load. */
typedef struct report_load_point {
    double offered_pct, achieved_GBps, mean_ns, p50_ns, p99_ns;
} report_load_point_t;

/* The one-screen text of a GPU run: at most 100 columns. */
void report_text(FILE *f, const result_t *r, const report_env_t *e);
/* The text of one memory system alone, with the points of a load sweep if there are any. */
void report_dram_text(FILE *f, const result_t *r, const report_load_point_t *p, size_t n_points,
                      const report_env_t *e);

/* JSON text of a result, ended by a newline.  Numbers have at most 12 significant digits; NAN is null.  The
 * caller frees the string; NULL if memory ran out. */
char *report_json(const result_t *r, const report_load_point_t *p, size_t n_points,
                  const report_env_t *e);

/* Tidy table: instance,statistic,value,unit; one row a statistic, empty value where nothing happened. */
void report_csv(FILE *f, const result_t *r);

/* Level by name ("l2", "dram"), NULL if the result has none. */
const res_level_t *report_level(const result_t *r, const char *name);
#endif
