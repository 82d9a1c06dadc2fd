/* SPDX-License-Identifier: MIT */
#include "machine/time_budget.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double time_budget_expect_s(const kernel_cost_t *k, size_t n, double all_s, double pct)
{
    double s = all_s;
    for (size_t i = 0; i < n; i++) {
        /* Beside its share a kernel needs its begin and its end, which is most of the first run. */
        double more = fmin(k[i].lines * pct / 100, k[i].lines - k[i].simulated);
        if (k[i].simulated > 0 && more > 0) s += k[i].host_s * more / k[i].simulated;
    }
    return s;
}

/* As the user can type it. */
static double three_digits(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", x);
    return strtod(text, NULL);
}

double time_budget_pct(const kernel_cost_t *k, size_t n, double all_s, double room_s)
{
    double lo = TIME_BUDGET_LEAST_PCT, hi = 100;
    if (room_s <= all_s || time_budget_expect_s(k, n, all_s, hi) <= all_s) return 0;
    if (time_budget_expect_s(k, n, all_s, hi) <= room_s) return hi;
    for (int i = 0; i < 60; i++) { /* the time rises with the share */
        double mid = sqrt(lo * hi);
        *(time_budget_expect_s(k, n, all_s, mid) <= room_s ? &lo : &hi) = mid;
    }
    return three_digits(lo);
}
