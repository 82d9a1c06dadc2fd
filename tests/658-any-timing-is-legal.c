/* SPDX-License-Identifier: MIT
 * Whatever the values of a device file: either it is refused, or every command is legal and no refresh is forgotten. */
#include "core/rng.h"
#include "dram_run.h"

#define SETS 4

static dram_run_t run(const char *file, const char *pattern, const char *const *set, size_t n)
{
    return dram_run(file, pattern, 400, set, n, true);
}

static void legal_or_refused(const char *file, const char *const *set, size_t n)
{
    static const char *const patterns[] = {"rand", "rw50"};
    for (size_t k = 0; k < 2; k++) {
        dram_run_t r = run(file, patterns[k], set, n);
        ck_assert_msg(r.rc == MS_OK || (r.rc == MS_INPUT && *r.message),
                      "%s %s %s %s %s %s: class %d: %s", file, patterns[k], set[0],
                      n > 1 ? set[1] : "", n > 2 ? set[2] : "", n > 3 ? set[3] : "", r.rc,
                      r.message);
    }
}

static void accepts(const char *file, const char *set)
{
    dram_run_t r = run(file, "rw50", &set, 1);
    ck_assert_msg(r.rc == MS_OK, "%s -s %s: %s", file, set, r.message);
}

static void refuses(const char *file, const char *set, const char *want)
{
    dram_run_t r = run(file, "rw50", &set, 1);
    ck_assert_msg(r.rc == MS_INPUT, "%s -s %s: class %d", file, set, r.rc);
    ck_assert_msg(strstr(r.message, want) != NULL, "%s -s %s: %s", file, set, r.message);
}

static void both_ends(const char *file)
{
    for (size_t i = 0; i < dram_param_table.n; i++) {
        const param_row_t *r = &dram_param_table.rows[i];
        if (r->type != PT_GAP) continue;
        char low[64], high[64];
        snprintf(low, sizeof low, "dram.%s=%s", r->key, r->min);
        snprintf(high, sizeof high, "dram.%s=%s", r->key, r->max);
        legal_or_refused(file, (const char *const[]){low}, 1);
        legal_or_refused(file, (const char *const[]){high}, 1);
    }
}

START_TEST(each_gap_at_both_ends_of_its_range)
{
    for (size_t i = 0; i < DRAM_BINS; i++) both_ends(dram_bins[i]);
}
END_TEST

START_TEST(no_wait_at_all_after_an_act_of_several_slots)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        accepts(dram_bins[i], "dram.tRCD=0ns"); /* as good as unset */
        accepts(dram_bins[i], "dram.tRCDRD=0ns");
        accepts(dram_bins[i], "dram.tRCDWR=0ns");
    }
}
END_TEST

/* Closed pages: an RDA precharges no earlier than it comes, even if tRAS is over and tRTP is nothing. */
START_TEST(no_wait_at_all_before_an_auto_precharge)
{
    static const char *const set[] = {"dram.page=closed", "dram.tRTP=0ns", "dram.tWCK_sync=1us"};
    for (size_t i = 0; i < DRAM_BINS; i++) {
        dram_run_t r = run(dram_bins[i], "burst", set, 3);
        ck_assert_msg(r.rc == MS_OK, "%s: %s", dram_bins[i], r.message);
    }
}
END_TEST

START_TEST(a_data_clock_that_stops_on_any_standard)
{
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (unsigned ck = 1; ck < 6; ck++) {
            char set[32], idle[32];
            snprintf(set, sizeof set, "dram.tWCK_sync=%uCK", ck);
            snprintf(idle, sizeof idle, "dram.tWCK_idle=%uns", 3 * ck);
            accepts(dram_bins[i], set);
            legal_or_refused(dram_bins[i], (const char *const[]){set, idle}, 2);
        }
}
END_TEST

/* HBM2: tREFI 3.9 us over 16 banks is 243.75 ns; GDDR6 1.9 us over 16 is 119 ns. */
START_TEST(refreshes_that_cannot_keep_up_are_refused_with_the_reason)
{
    refuses("devices/dram/hbm2-2000.ini", "dram.tRP=1us", "due every 244 ns");
    refuses("devices/dram/hbm2-2000.ini", "dram.tPPD=1us", "could not keep up");
    refuses("devices/dram/hbm2-2000.ini", "dram.tWR=1us", "could not keep up");
    refuses("devices/dram/hbm2-2000.ini", "dram.tREFI=400ns", "not keep up");
    refuses("devices/a40.ini", "dram.rate=100Mbps", "could not keep up");
    accepts("devices/dram/hbm2-2000.ini", "dram.tRP=100ns");
    accepts("devices/dram/hbm2-2000.ini", "dram.refresh=allbank");
}
END_TEST

/* Two ranks that are packages of their own: the strobe needs tRTRS between a read of one and a write of the other. */
START_TEST(a_change_of_rank_between_read_and_write)
{
    for (size_t i = 4; i < DRAM_BINS; i++) {
        static const char *const set[] = {"dram.ranks=2", "dram.tRTRS=40CK",
                                          "dram.map=co=2,bg,ba,ra,pc,co,ro,ch"};
        dram_run_t r = run(dram_bins[i], "rw50", set, 3);
        ck_assert_msg(r.rc == MS_OK, "%s: %s", dram_bins[i], r.message);
    }
}
END_TEST

/* active_buffer: a request whose row a refresh closes again goes back to its queue. */
START_TEST(requests_outside_their_queue_come_back)
{
    static const char *const gddr6[] = {"dram.active_buffer=yes", "dram.tWCK_sync=400ns",
                                        "dram.write_queue=4"};
    static const char *const lpddr5[] = {"dram.active_buffer=yes", "dram.tRTW=1us",
                                         "dram.tCCD_L=1us"};
    dram_run_t g = run(dram_bins[3], "rw50", gddr6, 3), l = run(dram_bins[4], "rw50", lpddr5, 3);
    ck_assert_msg(g.rc == MS_OK && g.st.reads + g.st.writes == 400, "%s", g.message);
    ck_assert_msg(l.rc == MS_OK && l.st.reads + l.st.writes == 400, "%s", l.message);
}
END_TEST

/* Random sets of values; the seed is fixed, so a failure comes again. */
static void a_set(rng_t *rng, char text[SETS][64])
{
    static const char *const more[] = {
        "ranks=2",        "ranks=4",           "refresh=allbank", "refresh_order=in_turn",
        "scheduler=fcfs", "row_hit_cap=1",     "page=closed",     "read_queue=1",
        "write_queue=1",  "active_buffer=yes", "act_slots=4",     "rate=100Mbps",
        "rate=1Gbps",     "tREFI=1us",         "tREFIpb=120ns",   "tRFCpb=1us"};
    for (size_t k = 0; k < SETS; k++) {
        const param_row_t *r;
        do r = &dram_param_table.rows[rng_below(rng, dram_param_table.n)];
        while (r->type != PT_GAP);
        if (rng_below(rng, 3) == 0)
            snprintf(text[k], 64, "dram.%s", more[rng_below(rng, sizeof more / sizeof *more)]);
        else if (rng_below(rng, 2))
            snprintf(text[k], 64, "dram.%s=%uCK", r->key, (unsigned)rng_below(rng, 40));
        else
            snprintf(text[k], 64, "dram.%s=%uns", r->key, (unsigned)rng_below(rng, 1000));
    }
}

START_TEST(several_values_at_once)
{
    rng_t *rng = rng_new(7, "device files", 0);
    for (unsigned n = 0; n < 2400; n++) {
        char text[SETS][64];
        const char *set[SETS];
        a_set(rng, text);
        for (size_t k = 0; k < SETS; k++) set[k] = text[k];
        legal_or_refused(dram_bins[n % DRAM_BINS], set, 1 + rng_below(rng, SETS));
    }
    rng_free(rng);
}
END_TEST

TEST_MAIN("any-timing-is-legal", each_gap_at_both_ends_of_its_range,
          no_wait_at_all_after_an_act_of_several_slots, no_wait_at_all_before_an_auto_precharge,
          a_data_clock_that_stops_on_any_standard,
          refreshes_that_cannot_keep_up_are_refused_with_the_reason,
          a_change_of_rank_between_read_and_write, requests_outside_their_queue_come_back,
          several_values_at_once)
