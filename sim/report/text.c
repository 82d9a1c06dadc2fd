/* SPDX-License-Identifier: MIT
 * The screens: what was run on what, where the time went, where the bytes went, what limits it. */
#include "report/fmt.h"
#include "report/parts.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct line { /* one paragraph being put together */
    char s[2048];
    size_t n;
} line_t;

static void add(line_t *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(line_t *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int k = vsnprintf(l->s + l->n, sizeof l->s - l->n, fmt, ap);
    va_end(ap);
    if (k > 0) l->n += (size_t)k < sizeof l->s - l->n ? (size_t)k : sizeof l->s - l->n - 1;
}

static void title(FILE *f, const result_t *r, const report_env_t *e)
{
    line_t l = {.n = 0};
    add(&l, "%s  \xC3\x97  %s", r->device, r->workload);
    part_heading(f, l.s, e);
    l.n = 0;
    if (r->peak.sms) add(&l, "%u SMs at %.4g GHz", r->peak.sms, r->peak.sm_GHz);
    if (r->peak.tensor_TFLOPs > 0)
        add(&l, " \xC2\xB7 %s tensor fp16", fmt_si(r->peak.tensor_TFLOPs * 1e12, "FLOP/s").s);
    if (r->peak.fp32_TFLOPs > 0)
        add(&l, " \xC2\xB7 %s fp32", fmt_si(r->peak.fp32_TFLOPs * 1e12, "FLOP/s").s);
    if (r->peak.l2_GBps > 0) add(&l, " \xC2\xB7 L2 %s", fmt_gbps(r->peak.l2_GBps).s);
    if (r->peak.dram_GBps > 0) {
        add(&l, "%smemory %s", l.n ? " \xC2\xB7 " : "", fmt_gbps(r->peak.dram_GBps).s);
        if (r->capacity.bytes_available > 0)
            add(&l, ", %s", fmt_bytes(r->capacity.bytes_available).s);
    }
    if (l.n) part_paragraph(f, "peaks", l.s);
    l.n = 0;
    for (size_t i = 0; i < r->n_workload_params; i++)
        add(&l, "%s%s", i ? " \xC2\xB7 " : "", r->workload_params[i]);
    if (l.n && e->verbosity >= 0) part_paragraph(f, "parameters", l.s);
    l.n = 0;
    add(&l, "mode %s, seed %llu", r->mode, (unsigned long long)r->seed);
    if (r->capacity.bytes_needed > 0)
        add(&l, ", %s of buffers", fmt_bytes(r->capacity.bytes_needed).s);
    add(&l, ", digest %.16s, memsim %s", r->digest, e->version);
    part_paragraph(f, "run", l.s);
    if (!r->reproducible && !r->partial) {
        l.n = 0;
        add(&l, "not reproducible: how much was simulated depended on this computer's speed");
        if (r->repeat) add(&l, "; %s repeats it", r->repeat);
        part_paragraph(f, "", l.s);
    }
    if (r->partial)
        part_paragraph(f, "PARTIAL", "interrupted: figures cover only the part simulated so far");
}

static void phase_times(line_t *l, const result_t *r)
{
    for (size_t i = 0; i < r->n_kernels; i++) {
        const char *p = r->kernels[i].phase;
        if (!p || !*p || !r->kernels[i].in_summary) continue;
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = !(r->kernels[j].in_summary && r->kernels[j].phase &&
                      strcmp(r->kernels[j].phase, p) == 0);
        if (!first) continue;
        double ns = 0;
        for (size_t j = i; j < r->n_kernels; j++)
            if (r->kernels[j].in_summary && r->kernels[j].phase &&
                strcmp(r->kernels[j].phase, p) == 0)
                ns += r->kernels[j].total_ns;
        add(l, " \xC2\xB7 %s %s", p, fmt_ns(ns).s);
    }
}

static void totals(FILE *f, const result_t *r)
{
    line_t l = {.n = 0};
    add(&l, "%s", fmt_ns(r->time_ns).s);
    if (r->interval > 0)
        add(&l, " \xC2\xB1 %s (95 %%)", fmt_pct(r->interval).s);
    else if (!r->partial)
        add(&l, ", every access simulated");
    phase_times(&l, r);
    if (r->launch_gap_ns > 0) add(&l, " \xC2\xB7 between kernels %s", fmt_ns(r->launch_gap_ns).s);
    if (r->tokens > 0 && r->time_ns > 0 && !r->partial) {
        double rate = r->tokens / (r->time_ns * 1e-9);
        add(&l, " \xC2\xB7 %.0f tokens, ", r->tokens);
        if (rate >= 999.5)
            add(&l, "%s tokens/s", fmt_count((uint64_t)(rate + 0.5)).s);
        else
            add(&l, "%.3g tokens/s", rate);
    }
    part_paragraph(f, "time", l.s);
}

static void energy(FILE *f, const result_t *r)
{
    double total = (double)NAN;
    for (size_t i = 0; i < r->n_energy; i++)
        if (strcmp(r->energy[i].name, "total") == 0) total = r->energy[i].value;
    if (!(total > 0)) return;
    line_t l = {.n = 0};
    add(&l, "%s", fmt_si(total, "J").s);
    if (r->time_ns > 0) add(&l, ", %s on average", fmt_si(total / (r->time_ns * 1e-9), "W").s);
    if (r->tokens > 0 && !r->partial) add(&l, ", %s a token", fmt_si(total / r->tokens, "J").s);
    for (size_t i = 0; i < r->n_energy; i++)
        if (strcmp(r->energy[i].name, "total") != 0 && r->energy[i].value >= total * 0.005)
            add(&l, " \xC2\xB7 %s %s", r->energy[i].name, fmt_pct0(r->energy[i].value / total).s);
    bool first = true; /* parts without a figure in the device file */
    for (size_t i = 0; i < r->n_energy; i++)
        if (isnan(r->energy[i].value)) {
            add(&l, "%s%s", first ? " \xC2\xB7 not modelled: " : ", ", r->energy[i].name);
            first = false;
        }
    part_paragraph(f, "energy", l.s);
}

static void not_modelled(FILE *f, const result_t *r)
{
    line_t l = {.n = 0};
    for (size_t i = 0; i < r->n_unmodelled; i++) {
        const res_unmodelled_t *u = &r->unmodelled[i];
        add(&l, "%s%s", i ? " \xC2\xB7 " : "", u->what);
        if (u->count) add(&l, " %s times", fmt_count(u->count).s);
        if (u->bytes > 0) add(&l, ", %s", fmt_si(u->bytes, "B").s);
    }
    if (l.n) part_paragraph(f, "not modelled", l.s);
}

static void verdict(FILE *f, const result_t *r, const report_env_t *e)
{
    line_t l = {.n = 0};
    if (r->bound.sentence)
        add(&l, "%s", r->bound.sentence);
    else if (r->bound.name)
        add(&l, "Limited by %s for %s of the time%s%s.", r->bound.name, fmt_pct0(r->bound.share).s,
            r->bound.next ? "; next would be " : "", r->bound.next ? r->bound.next : "");
    else
        add(&l, "Nothing was simulated: the workload has no work.");
    if (e->color) fputs("\033[1m", f);
    part_paragraph(f, "verdict", l.s);
    if (e->color) fputs("\033[0m", f);
}

static void all_statistics(FILE *f, const result_t *r, const report_env_t *e)
{
    for (size_t i = 0; i < r->n_stats; i++) {
        const res_stats_t *s = &r->stats[i];
        part_heading(f, s->instance, e);
        for (size_t j = 0; j < s->table->n; j++) {
            const stat_row_t *row = &s->table->rows[j];
            fprintf(f, "  %-24s%20s  %s\n", row->name, fmt_count(stat_get(row, s->values)).s,
                    row->unit);
        }
    }
}

static void memory_lines(FILE *f, const result_t *r)
{
    const res_level_t *m = report_level(r, "dram");
    if (!m || !m->n_loss || !isfinite(m->achieved_GBps)) return;
    line_t l = {.n = 0};
    add(&l, "%s of the pins' %s", fmt_gbps(m->achieved_GBps).s, fmt_gbps(m->peak_GBps).s);
    if (isfinite(m->bound_GBps)) add(&l, ", at most %s with refresh", fmt_gbps(m->bound_GBps).s);
    add(&l, "; the data bus was");
    part_paragraph(f, "memory bus", l.s);
    part_bar(f, m->loss, m->n_loss, 78);
}

void report_text(FILE *f, const result_t *r, const report_env_t *e)
{
    if (e->verbosity < 0) {
        totals(f, r);
        verdict(f, r, e);
        return;
    }
    title(f, r, e);
    fputc('\n', f);
    if (r->n_kernels) {
        part_kernels(f, r, e);
        fputc('\n', f);
    }
    part_chart(f, r);
    fputc('\n', f);
    if (r->n_latency_stack)
        part_stack(f, "mean load", r->latency_stack, r->n_latency_stack, 'n', 0.05);
    memory_lines(f, r);
    totals(f, r);
    energy(f, r);
    not_modelled(f, r);
    if (e->host) part_host(f, r);
    verdict(f, r, e);
    if (e->verbosity > 0 && isfinite(r->l2_dirty_bytes))
        part_paragraph(f, "left in L2", fmt_si(r->l2_dirty_bytes, "B").s);
    if (e->verbosity > 0) all_statistics(f, r, e);
}

static void load_table(FILE *f, const report_load_point_t *p, size_t n, const report_env_t *e)
{
    char head[96];
    snprintf(head, sizeof head, "%9s%14s%12s%12s%12s", "offered", "achieved", "mean", "p50", "p99");
    part_heading(f, head, e);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%9s%14s%12s%12s%12s\n", fmt_pct(p[i].offered_pct / 100).s,
                fmt_gbps(p[i].achieved_GBps).s, fmt_ns(p[i].mean_ns).s, fmt_ns(p[i].p50_ns).s,
                fmt_ns(p[i].p99_ns).s);
    fputc('\n', f);
}

void report_dram_text(FILE *f, const result_t *r, const report_load_point_t *p, size_t n_points,
                      const report_env_t *e)
{
    const res_level_t *m = report_level(r, "dram");
    if (e->verbosity >= 0) {
        title(f, r, e);
        fputc('\n', f);
    }
    if (n_points) load_table(f, p, n_points, e);
    if (m) {
        line_t l = {.n = 0};
        add(&l, "%s of %s (%s)", fmt_gbps(m->achieved_GBps).s, fmt_gbps(m->peak_GBps).s,
            fmt_pct(m->achieved_GBps / m->peak_GBps).s);
        if (isfinite(m->bound_GBps))
            add(&l, ", ceiling with refresh %s", fmt_gbps(m->bound_GBps).s);
        add(&l, "; read %s, written %s", fmt_si(m->read_bytes, "B").s,
            fmt_si(m->write_bytes, "B").s);
        part_paragraph(f, "bandwidth", l.s);
        if (e->verbosity >= 0) {
            l.n = 0;
            if (m->latency.n)
                add(&l, "mean %s, p50 %s, p95 %s, p99 %s, max %s", fmt_ns(m->latency.mean).s,
                    fmt_ns(m->latency.p50).s, fmt_ns(m->latency.p95).s, fmt_ns(m->latency.p99).s,
                    fmt_ns(m->latency.max).s);
            else
                add(&l, "no reads");
            part_paragraph(f, "read latency", l.s);
            l.n = 0;
            add(&l, "%s hits", fmt_pct(m->row_hit_rate).s);
            for (size_t i = 0; i < m->n_commands; i++)
                if (m->commands[i].value > 0)
                    add(&l, " \xC2\xB7 %s %s", m->commands[i].name,
                        fmt_count((uint64_t)m->commands[i].value).s);
            part_paragraph(f, "rows", l.s);
            if (m->n_loss) {
                part_paragraph(f, "data bus", "share of time by what it did or waited for");
                part_bar(f, m->loss, m->n_loss, 78);
            }
            if (m->n_energy) part_stack(f, "energy", m->energy, m->n_energy, 'J', 1e-15);
        }
    }
    totals(f, r);
    if (e->host && e->verbosity >= 0) part_host(f, r);
    verdict(f, r, e);
    if (e->verbosity > 0) all_statistics(f, r, e);
}
