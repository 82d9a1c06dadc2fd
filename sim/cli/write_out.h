/* SPDX-License-Identifier: MIT
 * What a run leaves in the folder of -o, and what it prints. */
#ifndef MEMSIM_CLI_WRITE_OUT_H
#define MEMSIM_CLI_WRITE_OUT_H
#include "cli/cli.h"
#include "report/outdir.h"

typedef struct output {
    const result_t *r;
    const report_load_point_t *points;
    size_t n_points;
    bool dram_only;
    /* config.resolved.ini, written by the verb */
    void (*config)(FILE *f, const void *ctx, const char *remark);
    const void *config_ctx;
} output_t;

/* Files of -o into the open folder, committed. */
int write_folder(outdir_t *o, const output_t *out, const cli_t *c, arena_t *a, diag_t *d);
/* Text or JSON on standard output. */
int write_screen(const output_t *out, const cli_t *c, diag_t *d);
#endif
