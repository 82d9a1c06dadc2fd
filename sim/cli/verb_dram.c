/* SPDX-License-Identifier: MIT
 * memsim dram: one memory system alone. */
#include "cli/device_text.h"
#include "cli/write_out.h"
#include "machine/dram_alone.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOADS_MAX 1000

/* A percentage above 0, up to 1000 (overload is a fair question); advances *s. */
static bool percent(const char **s, double *v)
{
    char *end;
    errno = 0;
    *v = strtod(*s, &end);
    if (end == *s || errno || !isfinite(*v) || *v <= 0 || *v > 1000) return false;
    *s = end;
    return true;
}

/* "10,50,90", "10:90:10" or a mixture, in order. */
static int parse_load(const char *text, double *out, size_t *n, diag_t *d)
{
    const char *s = text;
    *n = 0;
    for (;;) {
        double from, to, step;
        if (!percent(&s, &from)) break;
        to = from;
        step = 1;
        if (*s == ':') {
            s++;
            if (!percent(&s, &to) || *s != ':') break;
            s++;
            if (!percent(&s, &step) || to < from) break;
        }
        /* half a thousandth of a step keeps 90 in 10:90:0.1 */
        for (unsigned i = 0; from + i * step <= to + step * 5e-4; i++) {
            if (*n == LOADS_MAX)
                return diag_add(d, MS_USAGE, "--load %s: more than %d points", text, LOADS_MAX);
            out[(*n)++] = from + i * step;
        }
        if (!*s) return MS_OK;
        if (*s++ != ',') break;
    }
    return diag_add(d, MS_USAGE, "--load %s: needs per cents of peak such as 10,50,90 or 10:90:10",
                    text);
}

static int parse_mix(const char *text, unsigned *read_pct, diag_t *d)
{
    char *end;
    errno = 0;
    double r = strtod(text, &end), w = 0;
    bool ok = end != text && *end == '/';
    const char *second = end + 1;
    if (ok) w = strtod(second, &end);
    if (!ok || end == second || *end || errno || !(r >= 0) || !(w >= 0) || !(r + w > 0) ||
        !(r <= 1e6) || !(w <= 1e6))
        return diag_add(d, MS_USAGE, "--mix %s: needs reads/writes such as 2/1 or 70/30", text);
    *read_pct = (unsigned)lround(100 * r / (r + w));
    return MS_OK;
}

typedef struct config {
    const cli_t *c;
    arena_t *a;
} config_t;

static void write_config(FILE *f, const void *ctx, const char *remark)
{
    const config_t *k = ctx;
    dram_param_t p;
    ini_section_t *s = NULL;
    diag_t d;
    diag_init(&d);
    if (device_load_dram(&p, &s, k->c->operand[0], k->c->set, k->c->n_set, k->a, &d) == MS_OK)
        memory_write_ini(f, &p, s ? s->name : "", remark);
    diag_free(&d);
}

static const report_load_point_t *points_of(const dram_alone_point_t *p, size_t n, arena_t *a)
{
    report_load_point_t *q = arena_array(a, report_load_point_t, n);
    for (size_t i = 0; i < n; i++)
        q[i] = (report_load_point_t){p[i].offered_pct, p[i].achieved_GBps, p[i].latency_mean_ns,
                                     p[i].latency_p50_ns, p[i].latency_p99_ns};
    return q;
}

static int simulate(const cli_t *c, const dram_alone_opt_t *o, outdir_t *dir, arena_t *a, diag_t *d)
{
    const result_t *r = NULL;
    const dram_alone_point_t *points = NULL;
    int rc = dram_alone_run(o, a, &r, &points, d);
    if (!r || (rc != MS_OK && rc != MS_INTERRUPTED)) return rc;
    config_t config = {c, a};
    output_t out = {.r = r, .dram_only = true, .config = write_config, .config_ctx = &config};
    if (points) {
        out.points = points_of(points, o->n_load, a);
        out.n_points = o->n_load;
    }
    int written = c->out_dir ? write_folder(dir, &out, c, a, d) : MS_OK;
    int shown = write_screen(&out, c, d);
    if (rc) return rc;
    return written ? written : shown;
}

int verb_dram(const cli_t *c, arena_t *a, diag_t *d)
{
    if (c->n_operand != 2)
        return diag_add(d, MS_USAGE,
                        "dram: needs DRAM.ini and a pattern or trace; memsim dram --help");
    dram_alone_opt_t o = {.dram_path = c->operand[0],
                          .set = c->set,
                          .n_set = c->n_set,
                          .pattern = c->operand[1],
                          .requests = c->requests,
                          .seed = c->seed,
                          .seed_given = c->seed_given,
                          .check = c->check,
                          .read_share_pct = 100,
                          .interrupted = &cli_interrupted};
    if (c->load) {
        double *load = arena_array(a, double, LOADS_MAX);
        if (parse_load(c->load, load, &o.n_load, d)) return MS_USAGE;
        o.load_pct = load;
    }
    if (c->mix && parse_mix(c->mix, &o.read_share_pct, d)) return MS_USAGE;
    outdir_t dir = {.open = false};
    if (c->out_dir && outdir_open(&dir, c->out_dir, c->force, d)) return MS_USAGE;
    if (c->command_trace) {
        o.command_trace = fopen(c->command_trace, "w");
        if (!o.command_trace) {
            outdir_abandon(&dir);
            return diag_add(d, MS_USAGE, "--trace-commands %s: cannot write: %s", c->command_trace,
                            strerror(errno));
        }
    }
    if (c->threads > 1) diag_note(d, "--threads %u: this version uses one thread", c->threads);
    cli_catch_interrupt();
    int rc = simulate(c, &o, &dir, a, d);
    if (o.command_trace && fclose(o.command_trace) != 0 && !rc)
        rc = diag_add(d, MS_USAGE, "--trace-commands %s: cannot write: %s", c->command_trace,
                      strerror(errno));
    outdir_abandon(&dir);
    if (rc == MS_INTERRUPTED)
        diag_note(d, "interrupted: the result covers only what was simulated so far");
    return rc;
}
