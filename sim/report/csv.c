/* SPDX-License-Identifier: MIT
 * stats.csv: one statistic a row, so that spreadsheets, R and awk can filter without knowing the model. */
#include "report/report.h"
#include <math.h>
#include <string.h>

static void csv_text(FILE *f, const char *s)
{
    if (!s) s = "";
    if (!strpbrk(s, ",\"\n")) {
        fputs(s, f);
        return;
    }
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"') fputc('"', f);
        fputc(*s, f);
    }
    fputc('"', f);
}

static void row(FILE *f, const char *instance, const char *stat, double v, const char *unit)
{
    csv_text(f, instance);
    fputc(',', f);
    csv_text(f, stat);
    fputc(',', f);
    if (isfinite(v)) fprintf(f, "%.12g", v + 0.0);
    fputc(',', f);
    csv_text(f, unit);
    fputc('\n', f);
}

static void latency_rows(FILE *f, const char *inst, const char *what, const res_latency_t *l)
{
    static const char *const name[] = {"mean", "p50", "p95", "p99", "max"};
    double v[] = {l->mean, l->p50, l->p95, l->p99, l->max};
    for (int i = 0; i < 5; i++) {
        char stat[64];
        snprintf(stat, sizeof stat, "%s_%s", what, name[i]);
        row(f, inst, stat, l->n ? v[i] : (double)NAN, "ns");
    }
}

static void share_rows(FILE *f, const char *inst, const char *what, const res_share_t *s, size_t n,
                       const char *unit)
{
    for (size_t i = 0; i < n; i++) {
        char stat[96];
        snprintf(stat, sizeof stat, "%s.%s", what, s[i].name);
        row(f, inst, stat, s[i].value, unit);
    }
}

static void level_rows(FILE *f, const char *group, const res_level_t *l)
{
    char inst[96];
    snprintf(inst, sizeof inst, "%s.%s", group, l->name);
    row(f, inst, "read_bytes", l->read_bytes, "B");
    row(f, inst, "write_bytes", l->write_bytes, "B");
    row(f, inst, "peak", l->peak_GBps, "GB/s");
    row(f, inst, "bound", l->bound_GBps, "GB/s");
    row(f, inst, "achieved", l->achieved_GBps, "GB/s");
    row(f, inst, "hit_rate", l->hit_rate, "share");
    latency_rows(f, inst, "latency", &l->latency);
    if (!l->n_commands && !l->n_loss && !l->n_energy) return;
    row(f, inst, "row_hit_rate", l->row_hit_rate, "share");
    share_rows(f, inst, "commands", l->commands, l->n_commands, "commands");
    share_rows(f, inst, "loss", l->loss, l->n_loss, "share");
    share_rows(f, inst, "energy", l->energy, l->n_energy, "J");
}

static void kernel_rows(FILE *f, const res_kernel_t *k)
{
    char inst[160];
    const char *phase = k->phase ? k->phase : "";
    snprintf(inst, sizeof inst, "kernel.%s%s%s", phase, *phase ? "." : "", k->name);
    row(f, inst, "count", (double)k->count, "launches");
    row(f, inst, "time", k->time_ns, "ns");
    row(f, inst, "total_time", k->total_ns, "ns");
    row(f, inst, "interval", k->interval, "share");
    row(f, inst, "flops", k->flops, "operations");
    row(f, inst, "read_bytes", k->read_bytes, "B");
    row(f, inst, "write_bytes", k->write_bytes, "B");
    row(f, inst, "bandwidth", k->GBps, "GB/s");
    row(f, inst, "rate", k->TFLOPs, "TFLOP/s");
    row(f, inst, "dram_bytes", k->dram_bytes, "B");
    row(f, inst, "l2_bytes", k->l2_bytes, "B");
    row(f, inst, "l1_hit_rate", k->l1_hit_rate, "share");
    row(f, inst, "l2_hit_rate", k->l2_hit_rate, "share");
    latency_rows(f, inst, "load_latency", &k->latency);
}

void report_csv(FILE *f, const result_t *r)
{
    fputs("instance,statistic,value,unit\n", f);
    row(f, "run", "time", r->time_ns, "ns");
    row(f, "run", "busy_time", r->busy_ns, "ns");
    row(f, "run", "launch_gaps", r->launch_gap_ns, "ns");
    row(f, "run", "interval", r->interval, "share");
    row(f, "run", "l2_dirty_bytes", r->l2_dirty_bytes, "B");
    row(f, "run", "tokens", r->tokens > 0 ? r->tokens : (double)NAN, "tokens");
    share_rows(f, "run", "latency", r->latency_stack, r->n_latency_stack, "ns");
    share_rows(f, "run", "energy", r->energy, r->n_energy, "J");
    for (size_t i = 0; i < r->n_levels; i++) level_rows(f, "level", &r->levels[i]);
    for (size_t i = 0; i < r->n_memories; i++) level_rows(f, "memory", &r->memories[i]);
    for (size_t i = 0; i < r->n_gpus; i++) level_rows(f, "gpu", &r->gpus[i]);
    for (size_t i = 0; i < r->n_kernels; i++) kernel_rows(f, &r->kernels[i]);
    for (size_t i = 0; i < r->n_stats; i++) {
        const res_stats_t *s = &r->stats[i];
        for (size_t j = 0; j < s->table->n; j++)
            row(f, s->instance, s->table->rows[j].name,
                (double)stat_get(&s->table->rows[j], s->values), s->table->rows[j].unit);
    }
}
