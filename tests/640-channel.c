/* SPDX-License-Identifier: MIT
 * The channel controller: refreshes counted busy and idle, writes that always drain, reads served from waiting
 * writes, pages, orders, and parameters that contradict each other. */
#include "core/rng.h"
#include "dram_rig.h"
#include <unistd.h>

static const ps_t US = 1000000;

static uint64_t refreshes_due(const dram_param_t *p, ps_t t)
{
    clk_t ck = dram_ck(p);
    ps_t refi = gap_ps(p->tREFI, ck);
    uint64_t units =
        p->standard == DRAM_DDR5 ? p->banks_per_group : p->bank_groups * p->banks_per_group;
    bool per_bank = p->refresh == 2;
    ps_t each = per_bank ? (p->tREFIpb.v ? gap_ps(p->tREFIpb, ck) : refi / (ps_t)units) : refi;
    return (uint64_t)(t / each) * p->ranks * p->pseudo_channels;
}

static void counts_right(const char *file, const dram_stats_t *s, const dram_param_t *p, ps_t t)
{
    uint64_t got = s->ref_ab + s->ref_pb, due = refreshes_due(p, t),
             slack = (uint64_t)p->ranks * p->pseudo_channels;
    /* a tREFIpb that is no whole number of clocks may be rounded by up to one */
    slack += due / 200;
    ck_assert_msg(got + slack >= due && got <= due + slack, "%s: %llu refreshes, %llu are due",
                  file, (unsigned long long)got, (unsigned long long)due);
}

START_TEST(refreshes_are_counted_while_idle)
{
    static const char *const policy[] = {"dram.refresh=allbank", "dram.refresh=perbank"};
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (size_t k = 0; k < 2; k++) {
            rig_t *g = rig_new(dram_bins[i], &policy[k], 1);
            ps_t end = 50000 * US; /* 50 ms: 12800 tREFI */
            rig_add(g, false, (loc_t){.row = 1}, 10 * US);
            rig_add(g, false, (loc_t){.row = 2}, end - 100 * US);
            rig_run(g, end);
            counts_right(dram_bins[i], dram_chan_stats(g->chan), &g->p, end);
            ck_assert_uint_lt(engine_count(g->engine), 2000); /* idle time costs nothing */
            rig_free(g);
        }
}
END_TEST

START_TEST(refreshes_are_counted_while_busy)
{
    static const char *const policy[] = {"dram.refresh=allbank", "dram.refresh=perbank"};
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (size_t k = 0; k < 2; k++) {
            dram_run_t r = dram_run(dram_bins[i], "rand", 20000, &policy[k], 1, true);
            ck_assert_msg(r.rc == MS_OK, "%s", r.message);
            dram_param_t p = dram_params(dram_bins[i], &policy[k], 1);
            counts_right(dram_bins[i], &r.st, &p, (ps_t)(r.time_ns * 1e3));
        }
}
END_TEST

/* When the k-th refresh of a rank falls due; ranks of a channel take turns within an interval. */
static double due_ps(const dram_param_t *p, uint32_t rank, uint64_t k)
{
    uint32_t turns =
        p->standard == DRAM_DDR5 ? p->banks_per_group : p->bank_groups * p->banks_per_group;
    const gap_t g =
        p->tREFIpb.v ? p->tREFIpb : p->tREFI; /* not rounded to clocks: it must not drift */
    double each = g.in_clocks ? gap_ns(p, g) * 1e3 : (double)g.v;
    if (!p->tREFIpb.v) each /= turns;
    return each * ((double)k + (double)rank / (p->ranks * p->pseudo_channels));
}

/* Each comes before the next one is due, though it may wait for a bank without requests, and ACTs keep it off. */
START_TEST(no_refresh_is_late_by_an_interval)
{
    static const char *const set[] = {"dram.refresh=perbank"};
    for (size_t i = 0; i < DRAM_BINS; i++) {
        const dram_param_t p = dram_params(dram_bins[i], set, 1);
        FILE *log = tmpfile();
        dram_run_t r = dram_run_logged(dram_bins[i], "rw50", 100000, set, 1, log);
        ck_assert_msg(r.rc == MS_OK, "%s", r.message);
        rewind(log);
        uint64_t done[64] = {0}, n = 0;
        char line[200], cmd[8];
        while (fgets(line, sizeof line, log)) {
            long long at;
            unsigned pc, rank;
            if (sscanf(line, "%lld %*u %u %u %*s %*s %*s %*s %7s", &at, &pc, &rank, cmd) != 4 ||
                strcmp(cmd, "REFpb") != 0)
                continue;
            uint32_t u = pc * p.ranks + rank;
            done[u]++, n++;
            ck_assert_msg((double)at >= due_ps(&p, u, done[u]) - 1, "%s: refresh %llu is early",
                          dram_bins[i], (unsigned long long)done[u]);
            ck_assert_msg((double)at < due_ps(&p, u, done[u] + 1), "%s: refresh %llu is late",
                          dram_bins[i], (unsigned long long)done[u]);
        }
        ck_assert_uint_gt(n, 500);
        fclose(log);
    }
}
END_TEST

START_TEST(no_refresh_if_told_so)
{
    const char *set[] = {"dram.refresh=none"};
    dram_run_t r = dram_run(dram_bins[0], "rand", 20000, set, 1, false);
    ck_assert_int_eq(r.rc, MS_OK);
    ck_assert_uint_eq(r.st.ref_ab + r.st.ref_pb, 0);
}
END_TEST

/* Below the high mark, and with no read to wait for, writes must go out all the same. */
START_TEST(writes_always_drain)
{
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (uint32_t n = 1; n <= 8; n *= 8) {
            rig_t *g = rig_new(dram_bins[i], NULL, 0);
            for (uint32_t k = 0; k < n; k++)
                rig_add(g, true, (loc_t){.row = k, .col = (uint16_t)k}, US + k);
            rig_run(g, 100 * US);
            ck_assert_uint_eq(dram_chan_stats(g->chan)->write_bursts, n);
            rig_free(g);
        }
}
END_TEST

START_TEST(reads_are_served_from_waiting_writes)
{
    rig_t *g = rig_new("tests/oracle/hbm2pc1.ini", NULL, 0);
    loc_t there = {.row = 5, .col = 9}, busy = {.row = 1};
    ps_t at = US;
    for (uint32_t k = 0; k < 8; k++) { /* reads keep the controller out of write mode */
        busy.col = (uint16_t)k;
        rig_add(g, false, busy, at);
    }
    size_t w = rig_add(g, true, there, at + 1000), r = rig_add(g, false, there, at + 2000);
    rig_run(g, 100 * US);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->forwarded, 1);
    ck_assert_uint_eq(s->reads, 9);
    ck_assert_uint_eq(s->read_bursts, 8);
    ck_assert_int_eq(g->data[r], at + 2000 + 1000); /* forward = 1 CK of 1 ns */
    ck_assert(g->data[w] > g->data[r]);
    rig_free(g);
}
END_TEST

START_TEST(writes_to_one_place_merge_while_they_wait)
{
    rig_t *g = rig_new("tests/oracle/hbm2pc1.ini", NULL, 0);
    loc_t there = {.row = 5, .col = 9}, busy = {.row = 1};
    for (uint32_t k = 0; k < 8; k++) {
        busy.col = (uint16_t)k;
        rig_add(g, false, busy, US);
    }
    rig_add(g, true, there, US + 1000);
    rig_add(g, true, there, US + 2000);
    rig_run(g, 100 * US);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->coalesced, 1);
    ck_assert_uint_eq(s->writes, 2);
    ck_assert_uint_eq(s->write_bursts, 1);
    rig_free(g);
}
END_TEST

START_TEST(a_line_of_several_bursts_is_one_request)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        rig_t *g = rig_new(dram_bins[i], NULL, 0);
        uint32_t bursts = 128 / dram_burst_bytes(g->spec);
        size_t k = rig_add(g, false, (loc_t){.row = 3, .col = 0}, US);
        g->req[k].sectors = 0xf;
        rig_run(g, 100 * US);
        const dram_stats_t *s = dram_chan_stats(g->chan);
        ck_assert_uint_eq(s->read_bursts, bursts);
        ck_assert_uint_eq(s->reads, 1);
        ck_assert_uint_eq(s->act, 1);
        rig_free(g);
    }
}
END_TEST

/* Two rows of one bank in turn: first-ready order reads a row at a stretch, arrival order pays for every change. */
START_TEST(orders_differ_as_they_should)
{
    const char *ready[] = {"dram.scheduler=frfcfs", "dram.row_hit_cap=0"};
    const char *capped[] = {"dram.scheduler=frfcfs", "dram.row_hit_cap=4"};
    const char *arrival[] = {"dram.scheduler=fcfs"};
    dram_run_t a = dram_run("tests/oracle/hbm2pc1.ini", "pingpong", 5000, ready, 2, true);
    dram_run_t b = dram_run("tests/oracle/hbm2pc1.ini", "pingpong", 5000, capped, 2, true);
    dram_run_t c = dram_run("tests/oracle/hbm2pc1.ini", "pingpong", 5000, arrival, 1, true);
    ck_assert_msg(a.rc == MS_OK && b.rc == MS_OK && c.rc == MS_OK, "%s%s%s", a.message, b.message,
                  c.message);
    ck_assert_uint_lt(a.st.act, 5000 / 20);
    ck_assert_uint_ge(b.st.act, 5000 / 5);
    ck_assert_uint_le(b.st.act, 5000 / 3);
    ck_assert_uint_ge(c.st.act, 5000 - 5);
    ck_assert(a.time_ns < b.time_ns && b.time_ns < c.time_ns);
}
END_TEST

START_TEST(closed_pages_help_strangers_and_hurt_neighbours)
{
    const char *open[] = {"dram.page=open"}, *closed[] = {"dram.page=closed"};
    dram_run_t so = dram_run("tests/oracle/hbm2pc1.ini", "depseq", 3000, open, 1, true);
    dram_run_t sc = dram_run("tests/oracle/hbm2pc1.ini", "depseq", 3000, closed, 1, true);
    dram_run_t ro = dram_run("tests/oracle/hbm2pc1.ini", "deprand", 3000, open, 1, true);
    dram_run_t rc = dram_run("tests/oracle/hbm2pc1.ini", "deprand", 3000, closed, 1, true);
    ck_assert_msg(sc.rc == MS_OK && rc.rc == MS_OK, "%s%s", sc.message, rc.message);
    ck_assert(so.time_ns < sc.time_ns);
    ck_assert(rc.time_ns < ro.time_ns);
    /* A lone read always finds its row closed; now and then a refresh closes it once more. */
    ck_assert_uint_ge(sc.st.act, 3000);
    ck_assert_uint_le(sc.st.act, 3010);
}
END_TEST

START_TEST(mixed_traffic_is_legal_on_every_bin)
{
    static const char *const bin[] = {"devices/dram/hbm2-1754.ini", "devices/dram/hbm2-2430.ini",
                                      "devices/dram/hbm3-5238.ini", "devices/dram/gddr6-14500.ini"};
    for (size_t i = 0; i < DRAM_BINS + sizeof bin / sizeof *bin; i++) {
        const char *file = i < DRAM_BINS ? dram_bins[i] : bin[i - DRAM_BINS];
        dram_run_t r = dram_run(file, "rw50", 20000, NULL, 0, true);
        ck_assert_msg(r.rc == MS_OK, "%s: %s", file, r.message);
    }
}
END_TEST

/* A channel that runs ahead of the engine while nobody else has anything to do serves every request as it would
 * have event by event. */
START_TEST(running_ahead_changes_nothing)
{
    for (size_t i = 0; i < DRAM_BINS; i++) {
        rig_t *g[2];
        for (int lone = 0; lone < 2; lone++) {
            g[lone] = rig_new_as(lone, dram_bins[i], NULL, 0);
            for (uint64_t k = 0; k < 3000; k++) {
                uint64_t h = mix64(k);
                const dram_param_t *p = &g[lone]->p;
                loc_t l = {.bank_group = (uint8_t)(h % p->bank_groups),
                           .bank = (uint8_t)((h >> 8) % p->banks_per_group),
                           .rank = (uint8_t)((h >> 16) % p->ranks),
                           .pc = (uint8_t)((h >> 20) % p->pseudo_channels),
                           .row = (uint32_t)(h >> 24) % 8,
                           .col = (uint16_t)((uint32_t)(h >> 32) % p->columns)};
                rig_add(g[lone], (h >> 40) % 3 == 0, l, US + (ps_t)(k * 3000 + (h >> 48) % 2000));
            }
            rig_run(g[lone], 100 * US);
        }
        for (size_t k = 0; k < 3000; k++) ck_assert_int_eq(g[0]->data[k], g[1]->data[k]);
        ck_assert_mem_eq(dram_chan_stats(g[0]->chan), dram_chan_stats(g[1]->chan),
                         sizeof(dram_stats_t));
        for (int lone = 0; lone < 2; lone++) rig_free(g[lone]);
    }
}
END_TEST

/* Two reads of one row at 1 and 2 us.  The first opens it: one more slot of the ACT, tRCD 14 ns; the second is over
 * CL 14 and a burst of 2 ns after it came. */
START_TEST(achieved_is_from_the_first_command_to_the_last_beat)
{
    char path[] = "/tmp/memsim-raw-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("R 0x0 32 @1000ns\nR 0x0 32 @2000ns\n", f);
    ck_assert_int_eq(fclose(f), 0);
    dram_run_t r = dram_run("tests/oracle/hbm2pc1.ini", path, 0, NULL, 0, true);
    unlink(path);
    ck_assert_msg(r.rc == MS_OK, "%s", r.message);
    ck_assert_double_eq_tol(r.time_ns, 2016, 1e-9);
    ck_assert_double_eq_tol(r.achieved_GBps, 64 / (2016.0 - 1015), 1e-9);
}
END_TEST

static void refused(const char *assignment, const char *says)
{
    dram_run_t r = dram_run("devices/dram/hbm2-2000.ini", "seq", 10, &assignment, 1, false);
    ck_assert_msg(r.rc == MS_INPUT, "%s: exit class %d", assignment, r.rc);
    ck_assert_msg(strstr(r.message, says) != NULL, "%s: \"%s\"", assignment, r.message);
}

START_TEST(contradictions_are_refused)
{
    refused("dram.channels=0", "channels");
    refused("dram.tFAW=3ns", "tFAW"); /* below tRRD_S = 4 ns */
    refused("dram.tRC=30ns", "tRC");  /* below tRAS */
    refused("dram.tREFI=300ns", "tREFI");
    refused("dram.tCCD_L=1CK", "tCCD_L");
    refused("dram.write_low=90%", "write_");
    const char *fine = "dram.tFAW=5ns"; /* between tRRD_S and 4 tRRD_S */
    ck_assert_int_eq(dram_run("devices/dram/hbm2-2000.ini", "seq", 10, &fine, 1, false).rc, MS_OK);
}
END_TEST

TEST_MAIN("channel", refreshes_are_counted_while_idle, refreshes_are_counted_while_busy,
          no_refresh_is_late_by_an_interval, no_refresh_if_told_so, writes_always_drain,
          reads_are_served_from_waiting_writes, writes_to_one_place_merge_while_they_wait,
          a_line_of_several_bursts_is_one_request, orders_differ_as_they_should,
          closed_pages_help_strangers_and_hurt_neighbours,
          achieved_is_from_the_first_command_to_the_last_beat, mixed_traffic_is_legal_on_every_bin,
          running_ahead_changes_nothing, contradictions_are_refused)
