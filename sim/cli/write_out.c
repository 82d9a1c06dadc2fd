/* SPDX-License-Identifier: MIT
 * Writing results to a folder and to the screen. */
#include "cli/write_out.h"
#include "core/version.h"
#include "report/plots.h"
#include <stdlib.h>
#include <string.h>

static int write_json(FILE *f, const output_t *out, const report_env_t *e, diag_t *d)
{
    char *text = report_json(out->r, out->points, out->n_points, e);
    if (!text) return diag_add(d, MS_INTERNAL, "out of memory while writing JSON");
    fputs(text, f);
    free(text);
    return MS_OK;
}

static void write_text(FILE *f, const output_t *out, const report_env_t *e)
{
    if (out->dram_only)
        report_dram_text(f, out->r, out->points, out->n_points, e);
    else
        report_text(f, out->r, e);
}

/* How to repeat the run from the folder, as comment lines. */
static const char *remark(const cli_t *c, const result_t *r, arena_t *a)
{
    const char *cmd = arena_printf(a, "memsim %s%s config.resolved.ini", memsim_version,
                                   c->verb == VERB_DRAM ? " dram" : "");
    if (c->n_operand > 1) cmd = arena_printf(a, "%s %s", cmd, c->operand[1]);
    for (size_t i = 0; i < c->n_define; i++) cmd = arena_printf(a, "%s -D %s", cmd, c->define[i]);
    if (c->requests_given)
        cmd = arena_printf(a, "%s --requests %llu", cmd, (unsigned long long)c->requests);
    if (c->load) cmd = arena_printf(a, "%s --load %s", cmd, c->load);
    if (c->mix) cmd = arena_printf(a, "%s --mix %s", cmd, c->mix);
    if (c->exact) cmd = arena_printf(a, "%s --exact", cmd);
    if (c->sample_given) cmd = arena_printf(a, "%s --sample=%g", cmd, c->sample_pct);
    return arena_printf(a, "run: %s --seed %llu\nfirst run from: %s\ndigest: %s", cmd,
                        (unsigned long long)r->seed, c->operand[0], r->digest);
}

int write_folder(outdir_t *o, const output_t *out, const cli_t *c, arena_t *a, diag_t *d)
{
    report_env_t e = {memsim_version, memsim_commit, 0, false, false};
    const char *const name[] = {"config.resolved.ini", "result.json", "stats.csv", "summary.txt"};
    for (int i = 0; i < 4; i++) {
        FILE *f = outdir_begin(o, name[i], d);
        if (!f) return MS_USAGE;
        int rc = MS_OK;
        switch (i) {
        case 0:
            out->config(f, out->config_ctx, remark(c, out->r, a));
            break;
        case 1:
            rc = write_json(f, out, &e, d);
            break;
        case 2:
            report_csv(f, out->r);
            break;
        default:
            write_text(f, out, &e);
            break;
        }
        int closed = outdir_end(o, f, d);
        if (rc || closed) return rc ? rc : closed;
    }
    int rc = report_plots(o, out->r, out->points, out->n_points, cli_script_dir(c, a), d);
    return rc ? rc : outdir_commit(o, d);
}

int write_screen(const output_t *out, const cli_t *c, diag_t *d)
{
    report_env_t e = cli_report_env(c, stdout);
    if (c->json) return write_json(stdout, out, &e, d);
    write_text(stdout, out, &e);
    return MS_OK;
}
