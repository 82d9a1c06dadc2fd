/* SPDX-License-Identifier: MIT
 * --time-budget: how large a share of each kernel can be simulated in a time of the host's clock.
 *
 * A first run simulates as little as sampling can do with and notes what each kernel took.  From that follows the time
 * of a run that simulates a share of every kernel, and so the share that fits; a second run with it gives the result,
 * which is therefore that of --sample with the same number.  Where the first run has used up half of the time, it is
 * the result. */
#ifndef MEMSIM_MACHINE_TIME_BUDGET_H
#define MEMSIM_MACHINE_TIME_BUDGET_H
#include <stddef.h>

#define TIME_BUDGET_LEAST_PCT 0.001 /* the first run's share: the least that sampling does */
#define TIME_BUDGET_OVER 1.8        /* times the budget, after which the second run is given up */

typedef struct kernel_cost { /* of a kernel in the first run */
    double lines, simulated; /* line requests: of the whole kernel (0: not known), simulated */
    double host_s;
} kernel_cost_t;

/* Seconds that a run with this share is expected to take; all_s: what the first run took. */
double time_budget_expect_s(const kernel_cost_t *k, size_t n, double all_s, double pct);
/* Share in per cent, of three digits, of a second run that takes room_s; 0: none is worth while. */
double time_budget_pct(const kernel_cost_t *k, size_t n, double all_s, double room_s);
#endif
