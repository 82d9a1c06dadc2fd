/* SPDX-License-Identifier: MIT
 * What a DRAM can do at most follows from its timings by arithmetic.  Saturated streams must reach that figure,
 * everything else must stay below it.
 *
 *   share of time left by all-bank refresh     1 - (tRTP + tRP + tRFCab + tRCD) / tREFI
 *   all bank groups                            burst / tCCD_S      (burst / (BL / rate) if that is less)
 *   one bank group                             burst / tCCD_L
 *   one bank, a new row each time              burst / tRC
 *   many banks, a new row each time            burst / max(tRRD_S, tFAW / 4)
 */
#include "dram_run.h"
#include <math.h>

#define EQUAL 0.02
#define ABOVE 1.015 /* start-up and the last, partial refresh period */

/* Only one thing at a time: all-bank refresh, no hash, no cap, ideal queues. */
#define PLAIN "dram.refresh=allbank", "dram.hash=none", "dram.row_hit_cap=0", "dram.ranks=1"

static double refresh_share(const dram_param_t *p)
{
    return 1 -
           (gap_ns(p, p->tRTP) + gap_ns(p, p->tRP) + gap_ns(p, p->tRFCab) + gap_ns(p, p->tRCDRD)) /
               gap_ns(p, p->tREFI);
}

static double burst_bytes(const dram_param_t *p)
{
    return p->dq / 8.0 * p->burst_length;
}

static double pin_GBps(const dram_param_t *p)
{
    return (double)p->rate * p->dq * p->pseudo_channels / 8e9;
}

static double GBps(const dram_run_t *r)
{
    return r->bytes / r->time_ns;
}

static void equal(const char *file, const char *what, double got, double want)
{
    ck_assert_msg(fabs(got / want - 1) <= EQUAL, "%s, %s: %.3f GB/s, closed form %.3f", file, what,
                  got, want);
}

START_TEST(stream_over_all_bank_groups_reaches_the_pins_less_refresh)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {PLAIN, "dram.map=bg,pc,co,ba,ra,ro"};
        dram_param_t p = dram_params(dram_bins[i], set, sizeof set / sizeof *set);
        dram_run_t r = dram_run(dram_bins[i], "seq", 100000, set, sizeof set / sizeof *set, false);
        ck_assert_msg(r.rc == MS_OK, "%s", r.message);
        double limit = burst_bytes(&p) / gap_ns(&p, p.tCCD_S) * p.pseudo_channels;
        ck_assert(limit <= pin_GBps(&p) * 1.0001);
        equal(dram_bins[i], "all bank groups", GBps(&r), limit * refresh_share(&p));
    }
}
END_TEST

START_TEST(stream_in_one_bank_group_reaches_tCCD_L)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {PLAIN, "dram.map=co,ba,ro,ra,bg,pc"};
        dram_param_t p = dram_params(dram_bins[i], set, sizeof set / sizeof *set);
        dram_run_t r = dram_run(dram_bins[i], "seq", 100000, set, sizeof set / sizeof *set, false);
        ck_assert_msg(r.rc == MS_OK, "%s", r.message);
        equal(dram_bins[i], "one bank group", GBps(&r),
              burst_bytes(&p) / gap_ns(&p, p.tCCD_L) * refresh_share(&p));
    }
}
END_TEST

START_TEST(row_conflicts_in_one_bank_take_tRC)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {PLAIN, "dram.map=bg,pc,co,ba,ra,ro"};
        dram_param_t p = dram_params(dram_bins[i], set, sizeof set / sizeof *set);
        dram_run_t r =
            dram_run(dram_bins[i], "rowconf", 10000, set, sizeof set / sizeof *set, false);
        ck_assert_msg(r.rc == MS_OK, "%s", r.message);
        ck_assert_uint_eq(r.st.row_hits, 0);
        equal(dram_bins[i], "row conflicts", GBps(&r),
              burst_bytes(&p) / gap_ns(&p, p.tRC) * refresh_share(&p));
    }
}
END_TEST

START_TEST(nothing_beats_its_limit)
{
    static const char *const pattern[] = {"seq",        "rand",      "rand64", "triad",
                                          "stride:256", "stride:1k", "rw50",   "pingpong"};
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *set[] = {"dram.refresh=allbank"};
        dram_param_t p = dram_params(dram_bins[i], set, 1);
        for (size_t k = 0; k < sizeof pattern / sizeof *pattern; k++) {
            dram_run_t r = dram_run(dram_bins[i], pattern[k], 30000, set, 1, false);
            ck_assert_msg(r.rc == MS_OK, "%s", r.message);
            ck_assert_msg(GBps(&r) <= pin_GBps(&p), "%s %s: above the pins", dram_bins[i],
                          pattern[k]);
            ck_assert_msg(GBps(&r) <= pin_GBps(&p) * refresh_share(&p) * ABOVE,
                          "%s %s: %.3f GB/s, above what refresh leaves of %.3f", dram_bins[i],
                          pattern[k], GBps(&r), pin_GBps(&p));
        }
        /* Every access opens a row: the activation window limits a pseudo channel and rank. */
        dram_run_t r = dram_run(dram_bins[i], "rand", 30000, set, 1, false);
        double act = fmax(gap_ns(&p, p.tRRD_S), gap_ns(&p, p.tFAW) / 4);
        bool hbm = p.standard == DRAM_HBM2 || p.standard == DRAM_HBM2E || p.standard == DRAM_HBM3;
        double domains = p.pseudo_channels * (hbm ? 1.0 : p.ranks);
        double limit = fmin(burst_bytes(&p) / act * domains, pin_GBps(&p));
        ck_assert_msg(GBps(&r) * (double)r.st.act / (double)r.st.reads <= limit * ABOVE,
                      "%s rand: %.3f GB/s, activation limit %.3f", dram_bins[i], GBps(&r), limit);
    }
}
END_TEST

START_TEST(per_bank_refresh_costs_a_stream_nothing)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const char *all[] = {PLAIN, "dram.map=bg,pc,co,ba,ra,ro"};
        const char *one[] = {"dram.refresh=perbank", "dram.hash=none", "dram.row_hit_cap=0",
                             "dram.ranks=1", "dram.map=bg,pc,co,ba,ra,ro"};
        dram_run_t a = dram_run(dram_bins[i], "seq", 100000, all, 5, false);
        dram_run_t b = dram_run(dram_bins[i], "seq", 100000, one, 5, false);
        ck_assert_msg(b.rc == MS_OK, "%s", b.message);
        ck_assert_msg(b.time_ns < a.time_ns, "%s: per-bank refresh is slower than all-bank",
                      dram_bins[i]);
        dram_param_t p = dram_params(dram_bins[i], one, 5);
        ck_assert_msg(GBps(&b) >= 0.9 * pin_GBps(&p), "%s: %.2f of %.2f GB/s", dram_bins[i],
                      GBps(&b), pin_GBps(&p));
    }
}
END_TEST

START_TEST(loss_stack_fills_the_time)
{
    static const char *const pattern[] = {"seq", "rand", "rw50", "rowconf", "depseq"};
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (size_t k = 0; k < sizeof pattern / sizeof *pattern; k++) {
            dram_param_t p = dram_params(dram_bins[i], NULL, 0);
            dram_run_t r = dram_run(dram_bins[i], pattern[k], 5000, NULL, 0, false);
            ck_assert_msg(r.rc == MS_OK, "%s", r.message);
            const dram_stats_t *s = &r.st;
            double sum = (double)(s->data_ps + s->idle_empty_ps + s->idle_row_ps + s->idle_act_ps +
                                  s->idle_ccd_ps + s->idle_turn_ps + s->idle_refresh_ps +
                                  s->idle_bus_ps + s->idle_other_ps);
            double time = r.time_ns * 1e3 * p.pseudo_channels;
            ck_assert_msg(fabs(sum / time - 1) < 1e-3, "%s %s: stack %.0f ps, time %.0f ps",
                          dram_bins[i], pattern[k], sum, time);
        }
}
END_TEST

TEST_MAIN("closed forms", stream_over_all_bank_groups_reaches_the_pins_less_refresh,
          stream_in_one_bank_group_reaches_tCCD_L, row_conflicts_in_one_bank_take_tRC,
          nothing_beats_its_limit, per_bank_refresh_costs_a_stream_nothing,
          loss_stack_fills_the_time)
