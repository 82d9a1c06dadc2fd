/* SPDX-License-Identifier: MIT
 * The table of kernels on the screen. */
#include "report/fmt.h"
#include "report/parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_BY_NAME 14  /* more kernels than this are shown by kind */
#define BOUND_COLUMNS 15 /* of the last column, so that a row ends at column 100 */
#define ROWS_MAX 16      /* rows on the screen; the smallest are folded into one */

typedef struct sum { /* weight * value, weight: a mean that skips what has no value */
    double v, w;
} sum_t;

typedef struct krow {
    const char *phase, *name;
    double count, total_ns, dram_bytes, l2_bytes, flops, peak_flop_ns;
    sum_t l2_hit, latency;
    const char *bound;
    double bound_ns; /* time of the kernel whose bound is shown */
} krow_t;

static void sum_add(sum_t *s, double v, double w)
{
    if (!isfinite(v) || !(w > 0)) return;
    s->v += v * w;
    s->w += w;
}

static double sum_mean(const sum_t *s)
{
    return s->w > 0 ? s->v / s->w : (double)NAN;
}

static void add_kernel(krow_t *row, const res_kernel_t *k)
{
    double n = (double)k->count;
    row->count += n;
    row->total_ns += k->total_ns;
    row->dram_bytes += k->dram_bytes * n;
    row->l2_bytes += k->l2_bytes * n;
    row->flops += k->flops * n;
    if (isfinite(k->peak_TFLOPs)) row->peak_flop_ns += k->peak_TFLOPs * 1e3 * k->total_ns;
    sum_add(&row->l2_hit, k->l2_hit_rate, k->l2_bytes * n);
    if (k->latency.n)
        sum_add(&row->latency, k->latency.mean, n * (k->l2_bytes > 0 ? k->l2_bytes : 1));
    if (k->bound && (!row->bound || k->total_ns > row->bound_ns)) {
        row->bound = k->bound;
        row->bound_ns = k->total_ns;
    }
}

static void fold(krow_t *into, const krow_t *from)
{
    into->count += from->count;
    into->total_ns += from->total_ns;
    into->dram_bytes += from->dram_bytes;
    into->l2_bytes += from->l2_bytes;
    into->flops += from->flops;
    into->peak_flop_ns += from->peak_flop_ns;
    into->l2_hit.v += from->l2_hit.v;
    into->l2_hit.w += from->l2_hit.w;
    into->latency.v += from->latency.v;
    into->latency.w += from->latency.w;
}

/* Rows by (phase, kernel) or (phase, kind), in order of first appearance. */
static size_t gather_rows(krow_t *row, const result_t *r, bool by_kind)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_kernels; i++) {
        const res_kernel_t *k = &r->kernels[i];
        if (!k->in_summary) continue;
        const char *phase = k->phase ? k->phase : "", *name = by_kind ? k->kind : k->name;
        size_t j = 0;
        while (j < n && (strcmp(row[j].phase, phase) != 0 || strcmp(row[j].name, name) != 0)) j++;
        if (j == n) row[n++] = (krow_t){.phase = phase, .name = name};
        add_kernel(&row[j], k);
    }
    return n;
}

static size_t fold_smallest(krow_t *row, size_t n)
{
    if (n <= ROWS_MAX) return n;
    krow_t rest = {.phase = "", .name = "others", .bound = ""};
    while (n >= ROWS_MAX) {
        size_t least = 0;
        for (size_t i = 1; i < n; i++)
            if (row[i].total_ns < row[least].total_ns) least = i;
        fold(&rest, &row[least]);
        memmove(&row[least], &row[least + 1], (n - least - 1) * sizeof *row);
        n--;
    }
    row[n] = rest;
    return n + 1;
}

/* The resource used to the largest share of its peak: its rate and the share. */
static void achieved(const result_t *r, const krow_t *row, fmt_txt_t *rate, char *share,
                     size_t share_n)
{
    double ns = row->total_ns, best = -1;
    snprintf(share, share_n, "-");
    snprintf(rate->s, sizeof rate->s, "-");
    if (!(ns > 0)) return;
    const struct {
        double v, of;
        const char *what;
        bool math;
    } use[] = {{row->dram_bytes / ns, r->peak.dram_GBps, "dram", false},
               {row->l2_bytes / ns, r->peak.l2_GBps, "L2", false},
               {row->flops / ns / 1e3, row->peak_flop_ns / ns / 1e3, "math", true}};
    for (int i = 0; i < 3; i++) {
        if (!(use[i].of > 0) || !(use[i].v / use[i].of > best)) continue;
        best = use[i].v / use[i].of;
        *rate = use[i].math ? fmt_si(use[i].v * 1e12, "F/s") : fmt_gbps(use[i].v);
        snprintf(share, share_n, "%s %s", fmt_pct0(best).s, use[i].what);
    }
}

static void print_row(FILE *f, const result_t *r, const krow_t *row, bool phases)
{
    double of = r->time_ns > 0 ? r->time_ns : (double)NAN;
    fmt_txt_t rate;
    char share[48];
    achieved(r, row, &rate, share, sizeof share);
    if (phases) {
        fmt_field(f, 7, row->phase);
        fputc(' ', f);
    }
    fmt_field(f, phases ? 12 : 20, row->name);
    fmt_field(f, -7, fmt_count((uint64_t)row->count).s);
    fmt_field(f, -8, fmt_ns(row->total_ns).s);
    fmt_field(f, -6, fmt_pct0(row->total_ns / of).s);
    fmt_field(f, -8, fmt_si(row->dram_bytes, "B").s);
    fmt_field(f, -10, rate.s);
    fmt_field(f, -11, share);
    fmt_field(f, -6, fmt_pct0(sum_mean(&row->l2_hit)).s);
    fmt_field(f, -8, fmt_ns(sum_mean(&row->latency)).s);
    const char *bound = row->bound ? row->bound : "-";
    int w = fmt_width(bound);
    fputc(' ', f);
    fmt_field(f, w < BOUND_COLUMNS ? w : BOUND_COLUMNS, bound);
    fputc('\n', f);
}

static bool has_phases(const krow_t *row, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) any = any || *row[i].phase;
    return any;
}

void part_kernels(FILE *f, const result_t *r, const report_env_t *e)
{
    krow_t *row = calloc(r->n_kernels + 1, sizeof *row);
    if (!row) return;
    size_t n = gather_rows(row, r, false);
    bool phases = has_phases(row, n);
    /* a name has little room beside a phase, and many rows have none on a screen */
    if ((n > ROWS_BY_NAME || phases) && e->verbosity < 1) {
        memset(row, 0, r->n_kernels * sizeof *row);
        n = fold_smallest(row, gather_rows(row, r, true));
    }
    char head[160];
    snprintf(head, sizeof head, "%-20s%7s%8s%6s%8s%10s%11s%6s%8s %s",
             phases ? "phase   kernel" : "kernel", "count", "time", "share", "memory", "achieved",
             "of peak", "L2hit", "latency", "limited by");
    part_heading(f, head, e);
    for (size_t i = 0; i < n; i++) print_row(f, r, &row[i], phases);
    if (r->launch_gap_ns > 0) {
        fmt_field(f, 27, "between kernels");
        fmt_field(f, -8, fmt_ns(r->launch_gap_ns).s);
        fmt_field(f, -6, fmt_pct0(r->launch_gap_ns / r->time_ns).s);
        fputc('\n', f);
    }
    free(row);
}
