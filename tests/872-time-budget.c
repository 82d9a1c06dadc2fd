/* SPDX-License-Identifier: MIT
 * --time-budget: the share that fits into a time, by hand; whole runs that --sample repeats. */
#include "machine/sim.h"
#include "machine/time_budget.h"
#include "test.h"
#include <math.h>
#include <string.h>
#include <time.h>

/* A kernel of 1e6 lines of which 1e4 took 1 s, one of 1e4 that was simulated whole in 2 s; 0.5 s beside them. */
static const kernel_cost_t costs[] = {{1e6, 1e4, 1}, {1e4, 1e4, 2}};
enum { N_COSTS = 2 };
static const double all_s = 3.5;

START_TEST(a_share_costs_what_its_lines_do)
{
    ck_assert_double_eq_tol(time_budget_expect_s(costs, N_COSTS, all_s, 1), 3.5 + 1, 1e-9);
    ck_assert_double_eq_tol(time_budget_expect_s(costs, N_COSTS, all_s, 10), 3.5 + 10, 1e-9);
    ck_assert_double_eq_tol(time_budget_expect_s(costs, N_COSTS, all_s, 100), 3.5 + 99, 1e-9);
}
END_TEST

START_TEST(the_share_fills_the_room)
{
    ck_assert_double_eq(time_budget_pct(costs, N_COSTS, all_s, 13.5), 10);
    ck_assert_double_eq(time_budget_pct(costs, N_COSTS, all_s, 3.5 + 1.234567), 1.23);
    ck_assert_double_eq(time_budget_pct(costs, N_COSTS, all_s, 1000), 100);
}
END_TEST

START_TEST(no_second_run_where_it_would_say_nothing_new)
{
    ck_assert_double_eq(time_budget_pct(costs, N_COSTS, all_s, 3.5), 0); /* no room */
    ck_assert_double_eq(time_budget_pct(costs + 1, 1, 2, 1000), 0);      /* all is simulated */
    ck_assert_double_eq(time_budget_pct(NULL, 0, 0.1, 1000), 0);         /* nothing runs */
    const kernel_cost_t unknown = {0, 1e4, 1};
    ck_assert_double_eq(time_budget_pct(&unknown, 1, 1, 1000), 0);
}
END_TEST

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct run {
    sim_t *s;
    const result_t *r;
    diag_t d;
    double took_s;
} run_t;

static run_t run(sim_mode_t mode, double value)
{
    static const char *const define[] = {"kernel=copy", "bytes=256MiB"};
    sim_opt_t o = {.define = define,
                   .n_define = 2,
                   .seed = 1,
                   .mode = mode,
                   .sample_pct = value,
                   .time_budget_s = value};
    run_t x = {.s = NULL};
    diag_init(&x.d);
    ck_assert_int_eq(sim_new(&x.s, "devices/h100.ini", &o, &x.d), MS_OK);
    double from = now_s();
    ck_assert_int_eq(sim_run(x.s, "workloads/stream.trace", &x.r, &x.d), MS_OK);
    x.took_s = now_s() - from;
    return x;
}

static void done(run_t *x)
{
    sim_free(x->s);
    diag_free(&x->d);
}

static void repeats(const run_t *b)
{
    double pct;
    ck_assert_ptr_nonnull(b->r->repeat);
    ck_assert_int_eq(sscanf(b->r->repeat, "--sample=%lf", &pct), 1);
    run_t again = run(SIM_SAMPLE, pct);
    ck_assert_str_eq(again.r->digest, b->r->digest);
    ck_assert(again.r->reproducible);
    ck_assert_ptr_null(again.r->repeat);
    ck_assert(!b->r->reproducible);
    ck_assert_str_eq(b->r->mode, "time-budget");
    done(&again);
}

START_TEST(sample_repeats_a_run_with_time_for_more)
{
    run_t least = run(SIM_SAMPLE, TIME_BUDGET_LEAST_PCT);
    double budget = 6 * least.took_s;
    run_t b = run(SIM_TIME_BUDGET, budget);
    repeats(&b);
    ck_assert_uint_gt(b.r->host.requests, least.r->host.requests);
    ck_assert_uint_eq(b.d.n, 0);
    ck_assert_msg(b.took_s < 2 * budget && b.took_s > budget / 4, "%.2f of %.2f s", b.took_s,
                  budget);
    done(&least);
    done(&b);
}
END_TEST

START_TEST(too_little_time_gives_the_least_and_says_so)
{
    run_t b = run(SIM_TIME_BUDGET, 1e-3);
    ck_assert_str_eq(b.r->repeat, "--sample=0.001");
    ck_assert_uint_eq(b.d.n, 1);
    ck_assert_ptr_nonnull(strstr(b.d.msg[0], "the least that can be simulated took"));
    repeats(&b);
    done(&b);
}
END_TEST

TEST_MAIN("time budget", a_share_costs_what_its_lines_do, the_share_fills_the_room,
          no_second_run_where_it_would_say_nothing_new, sample_repeats_a_run_with_time_for_more,
          too_little_time_gives_the_least_and_says_so)
