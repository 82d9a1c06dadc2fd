/* SPDX-License-Identifier: MIT
 * The latency of a single read, to the picosecond: tRCD + CL + burst from a closed bank, CL + burst from an open row,
 * tRP more from another row; plus what the standard puts in front: the further slots of its ACT, on HBM3 the
 * wait for a rising edge, on LPDDR5 the start of the data clock, which fits into tRCD but not in front of a hit. */
#include "dram_rig.h"

#define QUIET "dram.refresh=none"
#define START 200 /* clock edges before the first read, so that nothing begins at 0 */

typedef struct form { /* ticks */
    int64_t per_ck, act_tail, rcd, rp, cl, burst, sync, ras, rtp, idle;
    clk_t tick;
} form_t;

static int64_t ticks(const form_t *f, gap_t g)
{
    return g.in_clocks ? g.v * f->per_ck : clk_ceil(f->tick, g.v);
}

static int64_t rising(const form_t *f, int64_t t)
{
    return (t + f->per_ck - 1) / f->per_ck * f->per_ck;
}

static form_t form_of(const dram_param_t *p)
{
    form_t f = {.per_ck = p->standard == DRAM_HBM3 ? 2 : 1};
    f.tick = (clk_t){p->rate / p->bits_per_ck * (uint64_t)f.per_ck};
    f.act_tail = p->act_slots - 1;
    f.rcd = ticks(&f, p->tRCDRD);
    f.rp = ticks(&f, p->tRP);
    f.cl = ticks(&f, p->CL);
    f.ras = ticks(&f, p->tRAS);
    f.rtp = ticks(&f, p->tRTP);
    f.burst = (int64_t)p->burst_length / p->bits_per_ck * f.per_ck;
    f.sync = ticks(&f, p->tWCK_sync);
    return f;
}

static ps_t edge(const form_t *f, int64_t t)
{
    return clk_edge(f->tick, t);
}

START_TEST(closed_bank)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {QUIET};
        rig_t *g = rig_new(dram_bins[i], set, 1);
        form_t f = form_of(&g->p);
        int64_t t0 = START * f.per_ck;
        rig_add(g, false, (loc_t){.row = 7, .col = 3}, edge(&f, t0));
        rig_run(g, edge(&f, t0 + 10000));
        int64_t rd = rising(&f, t0 + f.act_tail + f.rcd);
        ck_assert_msg(g->data[0] == edge(&f, rd + f.cl + f.burst),
                      "%s: done at %lld ps, by the formula %lld", dram_bins[i],
                      (long long)g->data[0], (long long)edge(&f, rd + f.cl + f.burst));
        rig_free(g);
    }
}
END_TEST

START_TEST(open_row)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {QUIET};
        rig_t *g = rig_new(dram_bins[i], set, 1);
        form_t f = form_of(&g->p);
        int64_t t0 = START * f.per_ck, t1 = t0 + 400 * f.per_ck;
        rig_add(g, false, (loc_t){.row = 7, .col = 3}, edge(&f, t0));
        rig_add(g, false, (loc_t){.row = 7, .col = 4}, edge(&f, t1));
        rig_run(g, edge(&f, t1 + 10000));
        ck_assert_int_eq(g->data[1], edge(&f, t1 + f.sync + f.cl + f.burst));
        rig_free(g);
    }
}
END_TEST

START_TEST(other_row_open)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {QUIET};
        rig_t *g = rig_new(dram_bins[i], set, 1);
        form_t f = form_of(&g->p);
        int64_t t0 = START * f.per_ck, t1 = t0 + 400 * f.per_ck; /* long after tRAS and tRC */
        rig_add(g, false, (loc_t){.row = 7, .col = 3}, edge(&f, t0));
        rig_add(g, false, (loc_t){.row = 8, .col = 3}, edge(&f, t1));
        rig_run(g, edge(&f, t1 + 10000));
        /* The last slot of the ACT is tRP after the PRE; its first is on a rising edge. */
        int64_t act = rising(&f, t1 + f.rp - f.act_tail);
        int64_t rd = rising(&f, act + f.act_tail + f.rcd);
        ck_assert_msg(g->data[1] == edge(&f, rd + f.cl + f.burst),
                      "%s: done at %lld ps, by the formula %lld", dram_bins[i],
                      (long long)g->data[1], (long long)edge(&f, rd + f.cl + f.burst));
        rig_free(g);
    }
}
END_TEST

START_TEST(between_edges_waits_for_the_next)
{
    const char *set[] = {QUIET};
    rig_t *g = rig_new("devices/dram/hbm2-1754.ini", set, 1);
    form_t f = form_of(&g->p);
    rig_add(g, false, (loc_t){.row = 7}, edge(&f, START) + 1);
    rig_run(g, edge(&f, START + 10000));
    ck_assert_int_eq(g->data[0], edge(&f, START + 1 + f.act_tail + f.rcd + f.cl + f.burst));
    rig_free(g);
}
END_TEST

START_TEST(no_drift_after_a_billion_clocks)
{
    const char *set[] = {QUIET};
    rig_t *g = rig_new("devices/dram/hbm3-5238.ini", set, 1); /* 381.8... ps a tick */
    form_t f = form_of(&g->p);
    int64_t t0 = 2000000000;
    rig_add(g, false, (loc_t){.row = 7}, edge(&f, t0));
    rig_run(g, edge(&f, t0 + 10000));
    ck_assert_int_eq(g->data[0], edge(&f, rising(&f, t0 + f.act_tail + f.rcd) + f.cl + f.burst));
    rig_free(g);
}
END_TEST

TEST_MAIN("read latency", closed_bank, open_row, other_row_open, between_edges_waits_for_the_next,
          no_drift_after_a_billion_clocks)
