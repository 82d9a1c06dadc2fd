/* SPDX-License-Identifier: MIT
 * memsim DEVICE.ini WORKLOAD.trace: one run, from options to files. */
#include "cli/device_text.h"
#include "cli/progress.h"
#include "cli/write_out.h"
#include "machine/sim.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_config(FILE *f, const void *ctx, const char *remark)
{
    device_write_ini(f, ctx, remark);
}

static sim_opt_t options_of(const cli_t *c, progress_t *p)
{
    sim_opt_t o = {.set = c->set,
                   .n_set = c->n_set,
                   .define = c->define,
                   .n_define = c->n_define,
                   .seed = c->seed,
                   .sample_pct = c->sample_pct,
                   .time_budget_s = c->time_budget_s,
                   .threads = c->threads,
                   .check = c->check,
                   .follow = c->follow,
                   .progress = progress_show,
                   .progress_ctx = p,
                   .interrupted = &cli_interrupted};
    o.mode = c->exact               ? SIM_EXACT
             : c->sample_given      ? SIM_SAMPLE
             : c->time_budget_given ? SIM_TIME_BUDGET
                                    : SIM_AUTO;
    return o;
}

/* The walk of --follow: kept until the run is over, so that a request that never came can be told. */
typedef struct walk {
    char *text;
    size_t n;
    FILE *f;
} walk_t;

static void show_walk(walk_t *w, const cli_t *c, diag_t *d)
{
    if (!w->f) return;
    fclose(w->f);
    w->f = NULL;
    if (!w->n)
        diag_note(d, "--follow %u: no such request came back; requests of SM 0 are counted from 1",
                  c->follow);
    fputs(w->text, c->json ? stderr : stdout); /* with --json standard output is one document */
    free(w->text);
}

static int simulate(const cli_t *c, sim_opt_t *o, outdir_t *dir, progress_t *p, arena_t *a,
                    diag_t *d)
{
    sim_t *s = NULL;
    const result_t *r = NULL;
    walk_t walk = {0};
    if (c->follow) o->follow_out = walk.f = open_memstream(&walk.text, &walk.n);
    int rc = sim_new(&s, c->operand[0], o, d);
    if (rc) {
        if (walk.f) fclose(walk.f);
        free(walk.text);
        return rc;
    }
    progress_start(p, c->verbosity >= 0);
    rc = sim_run(s, c->operand[1], &r, d);
    progress_end(p);
    show_walk(&walk, c, d);
    bool usable = r && (rc == MS_OK || rc == MS_INTERRUPTED);
    if (usable) {
        output_t out = {.r = r, .config = write_config, .config_ctx = sim_device(s)};
        int written = c->out_dir ? write_folder(dir, &out, c, a, d) : MS_OK;
        int shown = write_screen(&out, c, d);
        if (!rc) rc = written ? written : shown;
    }
    sim_free(s);
    return rc;
}

int verb_run(const cli_t *c, arena_t *a, diag_t *d)
{
    if (c->n_operand != 2)
        return diag_add(d, MS_USAGE, "run: needs DEVICE.ini and WORKLOAD.trace; memsim run --help");
    progress_t p;
    sim_opt_t o = options_of(c, &p);
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
    int rc = simulate(c, &o, &dir, &p, a, d);
    if (o.command_trace && fclose(o.command_trace) != 0 && !rc)
        rc = diag_add(d, MS_USAGE, "--trace-commands %s: cannot write: %s", c->command_trace,
                      strerror(errno));
    outdir_abandon(&dir);
    if (rc == MS_INTERRUPTED)
        diag_note(d, "interrupted: the result covers only what was simulated so far");
    return rc;
}
