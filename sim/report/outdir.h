/* SPDX-License-Identifier: MIT
 * The output folder of -o: files appear whole or not at all.  Everything is written into a hidden staging folder
 * inside DIR (so a full disk or a read-only folder shows before the simulation starts, and renames stay on one
 * file system), then renamed into place. */
#ifndef MEMSIM_REPORT_OUTDIR_H
#define MEMSIM_REPORT_OUTDIR_H
#include "core/diag.h"
#include <stdbool.h>
#include <stdio.h>

#define OUTDIR_PATH 4096
#define OUTDIR_FILES 64
typedef struct outdir {
    char dir[OUTDIR_PATH], staging[OUTDIR_PATH + 32];
    char file[OUTDIR_FILES][96]; /* names relative to DIR, as promised by outdir_begin */
    size_t n_files;
    bool made_dir; /* DIR did not exist before */
    bool open;
} outdir_t;

/* Prepare DIR (made if absent, its parents must exist).  MS_USAGE with a message if it is no folder, cannot be
 * written, or holds files and `force` is false. */
int outdir_open(outdir_t *o, const char *dir, bool force, diag_t *d);
/* Open a file for writing under a name such as "result.json" or "plots/loss.dat"; close it with outdir_end. */
FILE *outdir_begin(outdir_t *o, const char *name, diag_t *d);
/* Close it; MS_USAGE if any write failed. */
int outdir_end(outdir_t *o, FILE *f, diag_t *d);
/* Declare a file another program writes into the staging folder; kept if it exists when committing. */
void outdir_expect(outdir_t *o, const char *name);
/* Rename everything into place. */
int outdir_commit(outdir_t *o, diag_t *d);
/* Remove the staging folder, and DIR if outdir_open made it and it is empty.  Does nothing after a commit. */
void outdir_abandon(outdir_t *o);
#endif
