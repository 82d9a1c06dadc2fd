/* SPDX-License-Identifier: MIT
 * Data files of the plots, and the call of gnuplot. */
#include "report/plots.h"
#include "core/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A text as a gnuplot string: single quotes doubled, so that nothing in a name is interpreted. */
static void gp_string(FILE *f, const char *name, const char *value)
{
    fprintf(f, "%s = '", name);
    for (; value && *value; value++) {
        if (*value == '\'') fputc('\'', f);
        fputc((unsigned char)*value < ' ' ? ' ' : *value, f);
    }
    fputs("'\n", f);
}

static void gp_number(FILE *f, const char *name, double v)
{
    if (isfinite(v))
        fprintf(f, "%s = %.9g\n", name, v);
    else
        fprintf(f, "%s = NaN\n", name);
}

/* A flat roof: the peak of a unit that kernels were held against. */
typedef struct roof {
    const char *unit;
    double TFLOPs;
} roof_t;

static int highest_first(const void *a, const void *b)
{
    const roof_t *x = a, *y = b;
    return (x->TFLOPs < y->TFLOPs) - (x->TFLOPs > y->TFLOPs);
}

#define ROOFS_MAX 8

static size_t collect_roofs(const result_t *r, roof_t roof[ROOFS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_kernels; i++) {
        const res_kernel_t *k = &r->kernels[i];
        if (!(k->peak_TFLOPs > 0) || !k->unit || !*k->unit) continue;
        size_t j = 0;
        while (j < n && strcmp(roof[j].unit, k->unit) != 0) j++;
        if (j == n && n < ROOFS_MAX) roof[n++] = (roof_t){k->unit, k->peak_TFLOPs};
    }
    qsort(roof, n, sizeof *roof, highest_first);
    if (!n && r->peak.tensor_TFLOPs > 0) roof[n++] = (roof_t){"tensor_fp16", r->peak.tensor_TFLOPs};
    return n;
}

/* Lists of words, as gnuplot's word() takes them apart. */
static void write_roofs(FILE *f, const result_t *r)
{
    roof_t roof[ROOFS_MAX];
    const size_t n = collect_roofs(r, roof);
    fputs("roof_TFLOPs = '", f);
    for (size_t i = 0; i < n; i++) fprintf(f, "%s%.9g", i ? " " : "", roof[i].TFLOPs);
    fputs("'\nroof_units = '", f);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? " \"" : "\"", f);
        for (const char *s = roof[i].unit; *s; s++) fputc(*s == '_' ? ' ' : *s, f);
        fputc('"', f);
    }
    fputs("'\n", f);
}

static void write_about(FILE *f, const result_t *r)
{
    const res_level_t *m = report_level(r, "dram");
    fputs("# What the plots of this folder show; read by every script.\n", f);
    gp_string(f, "device", r->device);
    gp_string(f, "workload", r->workload);
    fprintf(f, "seed = %llu\n", (unsigned long long)r->seed);
    gp_number(f, "dram_peak_GBps", m ? m->peak_GBps : r->peak.dram_GBps);
    gp_number(f, "dram_bound_GBps", m ? m->bound_GBps : (double)NAN);
    write_roofs(f, r);
    gp_string(f, "latency_what",
              report_level(r, "l1") ? "Load latency, issue of the load to data in a register"
                                    : "Read latency, controller's queue to the last beat of data");
    double mean = (double)NAN, p[3] = {(double)NAN, (double)NAN, (double)NAN};
    if (r->load_latency && r->load_latency->n) {
        const hist_t *h = r->load_latency;
        mean = (double)h->sum / (double)h->n / 1e3;
        p[0] = (double)hist_percentile(h, 0.50) / 1e3;
        p[1] = (double)hist_percentile(h, 0.95) / 1e3;
        p[2] = (double)hist_percentile(h, 0.99) / 1e3;
    } else if (m && m->latency.n) {
        mean = m->latency.mean;
        p[0] = m->latency.p50;
        p[1] = m->latency.p95;
        p[2] = m->latency.p99;
    }
    gp_number(f, "latency_mean_ns", mean);
    gp_number(f, "latency_p50_ns", p[0]);
    gp_number(f, "latency_p95_ns", p[1]);
    gp_number(f, "latency_p99_ns", p[2]);
}

/* A name as one data column. */
static void dat_name(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) fputc(*s == '"' || (unsigned char)*s < ' ' ? ' ' : *s, f);
    fputc('"', f);
}

/* A level as the screen's chart calls it. */
static const char *shown_level(const char *level)
{
    return strcmp(level, "l1") == 0     ? "L1"
           : strcmp(level, "l2") == 0   ? "L2"
           : strcmp(level, "dram") == 0 ? "memory"
                                        : level;
}

static bool write_bandwidth(FILE *f, const result_t *r)
{
    if (!r->n_series || !r->series[0].n) return false;
    fputs("time_us", f);
    size_t n = 0;
    for (size_t i = 0; i < r->n_series; i++) {
        fputc(' ', f);
        dat_name(f, shown_level(r->series[i].level));
        if (r->series[i].n > n) n = r->series[i].n;
    }
    fputc('\n', f);
    for (size_t t = 0; t < n; t++) {
        fprintf(f, "%.9g", ((double)t + 0.5) * r->series[0].bin_ns / 1e3);
        for (size_t i = 0; i < r->n_series; i++)
            fprintf(f, " %.6g", t < r->series[i].n ? r->series[i].GBps[t] : 0.0);
        fputc('\n', f);
    }
    return true;
}

/* The histogram's bins double in width at every power of two, which draws as a sawtooth; bars of equal width on
 * the logarithmic axis (eight a doubling) share out each bin by overlap. */
#define BARS_PER_OCTAVE 8
#define BARS (BARS_PER_OCTAVE * 50)

static bool write_latency(FILE *f, const result_t *r)
{
    const hist_t *h = r->load_latency;
    if (!h || !h->n) return false;
    double bar[BARS] = {0}, sum = 0;
    for (unsigned b = 0; b < HIST_BINS; b++) {
        if (!h->bin[b]) continue;
        double low = (double)hist_bin_low(b), high = (double)hist_bin_high(b) + 1;
        double from = low > 1 ? log2(low) * BARS_PER_OCTAVE : 0, to = log2(high) * BARS_PER_OCTAVE;
        for (int i = (int)from; i < BARS && i < to; i++) {
            double left = i > from ? i : from, right = i + 1 < to ? i + 1 : to;
            bar[i] += (double)h->bin[b] / (double)h->n * (right - left) / (to - from);
        }
    }
    fputs("# from_ns to_ns share_of_loads cumulated_share\n", f);
    int first = 0,
        last =
            BARS - 1; /* gaps between are written, so that the cumulated curve stays flat there */
    while (first < last && !(bar[first] > 0)) first++;
    while (last > first && !(bar[last] > 0)) last--;
    for (int i = first; i <= last; i++) {
        sum += bar[i];
        fprintf(f, "%.6g %.6g %.6g %.6g\n", exp2((double)i / BARS_PER_OCTAVE) / 1e3,
                exp2((double)(i + 1) / BARS_PER_OCTAVE) / 1e3, bar[i], sum);
    }
    return true;
}

/* A mark of the roofline: all launches of one kernel in one phase. */
typedef struct mark {
    const char *phase, *name;
    double flops, dram_bytes, ns;
} mark_t;

static int longest_first(const void *a, const void *b)
{
    const mark_t *x = a, *y = b;
    if (x->ns > y->ns) return -1;
    if (x->ns < y->ns) return 1;
    int c = strcmp(x->phase, y->phase);
    return c ? c : strcmp(x->name, y->name);
}

static size_t collect_marks(const result_t *r, mark_t *mark)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_kernels; i++) {
        const res_kernel_t *k = &r->kernels[i];
        if (!k->in_summary || !(k->flops > 0) || !(k->dram_bytes > 0) || !(k->total_ns > 0))
            continue;
        const char *phase = k->phase ? k->phase : "";
        size_t j = 0;
        while (j < n && (strcmp(mark[j].phase, phase) != 0 || strcmp(mark[j].name, k->name) != 0))
            j++;
        if (j == n) mark[n++] = (mark_t){.phase = phase, .name = k->name};
        mark[j].flops += k->flops * (double)k->count;
        mark[j].dram_bytes += k->dram_bytes * (double)k->count;
        mark[j].ns += k->total_ns;
    }
    qsort(mark, n, sizeof *mark, longest_first);
    return n;
}

static bool write_roofline(FILE *f, const result_t *r)
{
    mark_t *mark = mem_resize(NULL, (r->n_kernels + 1) * sizeof *mark);
    size_t n = collect_marks(r, mark);
    fputs("# flop_per_dram_byte TFLOP/s share_of_time name\n", f);
    for (size_t i = 0; i < n; i++) {
        char label[160];
        snprintf(label, sizeof label, "%s%s%s", mark[i].phase, *mark[i].phase ? " " : "",
                 mark[i].name);
        fprintf(f, "%.6g %.6g %.6g ", mark[i].flops / mark[i].dram_bytes,
                mark[i].flops / mark[i].ns / 1e3, r->time_ns > 0 ? mark[i].ns / r->time_ns : 0.0);
        dat_name(f, label);
        fputc('\n', f);
    }
    free(mark);
    return n > 0;
}

static bool write_loss(FILE *f, const result_t *r)
{
    const res_level_t *m = report_level(r, "dram");
    if (!m || !m->n_loss) return false;
    fputs("# share_of_time name\n", f);
    for (size_t i = 0; i < m->n_loss; i++) {
        if (!(m->loss[i].value >= 0)) continue;
        fprintf(f, "%.6g ", m->loss[i].value);
        dat_name(f, m->loss[i].name);
        fputc('\n', f);
    }
    return true;
}

static bool write_load(FILE *f, const report_load_point_t *p, size_t n)
{
    fputs("# offered_percent achieved_GB/s mean_ns p50_ns p99_ns\n", f);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%.6g %.6g %.6g %.6g %.6g\n", p[i].offered_pct, p[i].achieved_GBps, p[i].mean_ns,
                p[i].p50_ns, p[i].p99_ns);
    return n > 0;
}

static bool copy_script(outdir_t *o, const char *script_dir, const char *name, diag_t *d)
{
    char path[OUTDIR_PATH], to[64], buf[8192];
    int k = snprintf(path, sizeof path, "%s/%s.gp", script_dir, name);
    if (k < 0 || (size_t)k >= sizeof path) return false;
    FILE *in = fopen(path, "r");
    if (!in) return false;
    snprintf(to, sizeof to, "plots/%s.gp", name);
    FILE *out = outdir_begin(o, to, d);
    size_t got;
    while (out && (got = fread(buf, 1, sizeof buf, in)) > 0) fwrite(buf, 1, got, out);
    fclose(in);
    return out && outdir_end(o, out, d) == MS_OK;
}

/* Run gnuplot on NAME.gp inside the staged plots folder.  Exit status, 127 if there is no gnuplot. */
static int draw(const outdir_t *o, const char *name)
{
    char dir[OUTDIR_PATH + 64], script[64];
    int k = snprintf(dir, sizeof dir, "%s/plots", o->staging);
    if (k < 0 || (size_t)k >= sizeof dir) return 1;
    snprintf(script, sizeof script, "%s.gp", name);
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
        /* The SVG must not depend on the user's locale, and gnuplot's remarks would disturb the report. */
        setenv("LC_ALL", "C.UTF-8", 1);
        int null = open("/dev/null", O_RDWR);
        if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
            chdir(dir) != 0)
            _exit(1);
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(errno == ENOENT ? 127 : 126);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

enum { PLOT_BANDWIDTH, PLOT_LATENCY, PLOT_ROOFLINE, PLOT_LOSS, PLOT_LOAD, PLOTS };
static const char *const plot_name[PLOTS] = {"bandwidth", "latency", "roofline", "loss", "load"};

static bool write_data(FILE *f, int plot, const result_t *r, const report_load_point_t *p, size_t n)
{
    switch (plot) {
    case PLOT_BANDWIDTH:
        return write_bandwidth(f, r);
    case PLOT_LATENCY:
        return write_latency(f, r);
    case PLOT_ROOFLINE:
        return write_roofline(f, r);
    case PLOT_LOSS:
        return write_loss(f, r);
    default:
        return write_load(f, p, n);
    }
}

int report_plots(outdir_t *o, const result_t *r, const report_load_point_t *p, size_t n_points,
                 const char *script_dir, diag_t *d)
{
    bool has[PLOTS] = {false};
    FILE *f = outdir_begin(o, "plots/about.gp", d);
    if (!f) return MS_USAGE;
    write_about(f, r);
    int rc = outdir_end(o, f, d);
    for (int i = 0; i < PLOTS && rc == MS_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "plots/%s.dat", plot_name[i]);
        f = outdir_begin(o, name, d);
        if (!f) return MS_USAGE;
        has[i] = write_data(f, i, r, p, n_points);
        rc = outdir_end(o, f, d);
        if (!has[i]) { /* nothing to draw: no empty file */
            char path[OUTDIR_PATH + 160];
            snprintf(path, sizeof path, "%s/%s", o->staging, name);
            unlink(path);
        }
    }
    if (rc != MS_OK) return rc;
    if (!script_dir || !copy_script(o, script_dir, "style", d)) {
        diag_note(d, "plot scripts not found: the data are in %s/plots, nothing was drawn", o->dir);
        return MS_OK;
    }
    for (int i = 0; i < PLOTS; i++) {
        if (!has[i] || !copy_script(o, script_dir, plot_name[i], d)) continue;
        char svg[64];
        snprintf(svg, sizeof svg, "plots/%s.svg", plot_name[i]);
        int status = draw(o, plot_name[i]);
        if (status == 127) {
            diag_note(
                d,
                "gnuplot not found: data and scripts are in %s/plots; after installing gnuplot, "
                "run `gnuplot NAME.gp` there",
                o->dir);
            for (int j = i + 1; j < PLOTS; j++)
                if (has[j]) copy_script(o, script_dir, plot_name[j], d);
            return MS_OK;
        }
        if (status == 0)
            outdir_expect(o, svg);
        else
            diag_note(d,
                      "gnuplot could not draw %s/plots/%s.gp (status %d); data and script are kept",
                      o->dir, plot_name[i], status);
    }
    return MS_OK;
}
