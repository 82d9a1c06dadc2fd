/* SPDX-License-Identifier: MIT
 * The progress bar: on standard error, and only if that is a terminal. */
#ifndef MEMSIM_CLI_PROGRESS_H
#define MEMSIM_CLI_PROGRESS_H
#include "machine/sim.h"
#include <stdbool.h>

typedef struct progress {
    bool on;
    bool drawn;         /* a line is on the screen and must be wiped */
    double next_draw_s; /* host time */
    double start_s;
} progress_t;

void progress_start(progress_t *p, bool wanted);
/* The callback of sim_opt_t; ctx is a progress_t. */
void progress_show(void *ctx, const sim_progress_t *s);
void progress_end(progress_t *p);
#endif
