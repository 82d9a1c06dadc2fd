/* SPDX-License-Identifier: MIT
 * One simulator: a device, a workload, a result.  It owns everything it makes; two of them live in one process
 * without meeting. */
#ifndef MEMSIM_MACHINE_SIM_H
#define MEMSIM_MACHINE_SIM_H
#include "core/diag.h"
#include "core/engine.h"
#include "core/result.h"
#include "machine/device.h"
#include <stdio.h>

typedef enum { SIM_AUTO, SIM_EXACT, SIM_SAMPLE, SIM_TIME_BUDGET } sim_mode_t;

typedef struct sim_progress { /* handed to the callback now and then, and once at the end */
    double done;              /* share of the work, 0..1 */
    double sim_ns;
    double requests_per_s;
    const char *what; /* kernel being simulated */
} sim_progress_t;

typedef struct sim_opt {
    const char *const *set;
    size_t n_set; /* -s section.key=value */
    const char *const *define;
    size_t n_define; /* -D name=value */
    uint64_t seed;   /* default 1 */
    sim_mode_t mode;
    double sample_pct;    /* SIM_SAMPLE: share of each kernel's work, 0..100 */
    double time_budget_s; /* SIM_TIME_BUDGET */
    unsigned threads;     /* accepted, never changes results */
    bool check;           /* DRAM legality checker on every command */
    FILE *command_trace;  /* --trace-commands, NULL none; caller closes */
    uint32_t follow;      /* request number to follow, 0 none */
    FILE *follow_out;
    bool hop_events; /* judge mode: an event per hop instead of arithmetic */
    engine_mode_t
        engine; /* judge modes: one queue, or partitions in shuffled order inside a window */
    void (*progress)(void *ctx, const sim_progress_t *p);
    void *progress_ctx;
    const volatile int *interrupted; /* nonzero: stop, give a partial result (MS_INTERRUPTED) */
} sim_opt_t;

typedef struct sim sim_t;
/* Load and build.  On failure *out is NULL and the class is returned (2 bad device, 1 usage). */
int sim_new(sim_t **out, const char *device_path, const sim_opt_t *opt, diag_t *d);
/* Play a workload.  *res lives as long as the simulator; it is set also on MS_INTERRUPTED (partial), and on
 * MS_CAPACITY with only `capacity` filled. */
int sim_run(sim_t *s, const char *workload_path, const result_t **res, diag_t *d);
const device_t *sim_device(const sim_t *s);
void sim_free(sim_t *s);
#endif
