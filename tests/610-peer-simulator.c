/* SPDX-License-Identifier: MIT
 * The same memory, controller, map and requests as a published, cycle-ticked simulator was run with
 * (tests/oracle): seq and rand within 2 % of its time and 5 % of its mean read latency. */
#include "dram_run.h"
#include <math.h>

typedef struct peer {
    char config[16], pattern[16];
    unsigned long long requests;
    double cycles, latency_cycles;
} peer_t;

static const char csv[] = "tests/oracle/peers.csv";

/* Next row of the file; false at its end. */
static bool next(FILE *f, peer_t *p)
{
    char line[256];
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%15[a-z0-9],%15[a-z0-9:],%llu,%lf,%lf", p->config, p->pattern,
                   &p->requests, &p->cycles, &p->latency_cycles) == 5)
            return true;
    return false;
}

static double cycle_ns(const peer_t *p)
{
    return strcmp(p->config, "hbm3x1") ? 1 : 0.3125;
}

static dram_run_t run(const peer_t *p)
{
    char path[64];
    snprintf(path, sizeof path, "tests/oracle/%s.ini", p->config);
    dram_run_t r = dram_run(path, p->pattern, p->requests, NULL, 0, false);
    ck_assert_msg(r.rc == MS_OK, "%s: %s", path, r.message);
    return r;
}

static void compare(const char *pattern, double time_within, double latency_within)
{
    FILE *f = fopen(csv, "r");
    ck_assert_ptr_nonnull(f);
    peer_t p;
    int n = 0;
    while (next(f, &p)) {
        if (strcmp(p.pattern, pattern)) continue;
        dram_run_t r = run(&p);
        double time = r.time_ns / (p.cycles * cycle_ns(&p)) - 1;
        double latency = r.read_latency_ns / (p.latency_cycles * cycle_ns(&p)) - 1;
        ck_assert_msg(fabs(time) <= time_within, "%s %s: time off by %.2f %%", p.config, pattern,
                      100 * time);
        ck_assert_msg(fabs(latency) <= latency_within, "%s %s: latency off by %.2f %%", p.config,
                      pattern, 100 * latency);
        n++;
    }
    fclose(f);
    ck_assert_int_eq(n, 3);
}

START_TEST(seq_agrees)
{
    compare("seq", 0.02, 0.05);
}
END_TEST

START_TEST(rand_agrees)
{
    compare("rand", 0.02, 0.05);
}
END_TEST

START_TEST(dependent_reads_agree)
{
    compare("depseq", 0.06, 0.06);
    compare("deprand", 0.06, 0.06);
}
END_TEST

START_TEST(row_conflicts_agree)
{
    compare("rowconf", 0.02, 0.05);
}
END_TEST

TEST_MAIN("peer simulator", seq_agrees, rand_agrees, dependent_reads_agree, row_conflicts_agree)
