/* SPDX-License-Identifier: MIT
 * What the legality checker says of commands that no waiting makes legal: wrong bank states, wrong rows, busy
 * command buses, times off the clock or out of order, refreshes out of turn or too late. */
#include "core/arena.h"
#include "dram/check.h"
#include "dram_bins.h"
#include "test.h"
#include <string.h>

typedef struct bench {
    arena_t *arena;
    dram_param_t p;
    dram_check_t *check;
    clk_t ck;
} bench_t;

static bench_t bench_of(dram_param_t p)
{
    arena_t *a = arena_new();
    return (bench_t){a, p, dram_check_new(&p, a), {p.rate / p.bits_per_ck}};
}

static void bench_end(bench_t *b)
{
    arena_free(b->arena);
}

/* Command at clock cycle n, pseudo channel and rank 0. */
static const char *at(bench_t *b, int64_t n, dram_cmd_t cmd, unsigned bg, unsigned bank,
                      uint32_t row)
{
    return dram_check_command(b->check, (int)cmd, 0, 0, bg, bank, row, 0, clk_edge(b->ck, n));
}

static void says(const char *got, const char *begins, const char *has)
{
    ck_assert_ptr_nonnull(got);
    ck_assert_msg(strncmp(got, begins, strlen(begins)) == 0, "%s", got);
    ck_assert_msg(strstr(got, has) != NULL, "%s", got);
}

START_TEST(bank_states)
{
    for (int std = 0; std < DRAM_STANDARDS; std++) {
        bench_t b = bench_of(bin_of(std));
        says(at(&b, 100, DRAM_RD, 0, 0, 5), "state: RD", "no row open");
        says(at(&b, 300, DRAM_WR, 1, 1, 5), "state: WR", "no row open");
        ck_assert_ptr_null(at(&b, 3000, DRAM_ACT, 2, 0, 5));
        says(at(&b, 4000, DRAM_RD, 2, 0, 6), "state: RD", "not the open one");
        says(at(&b, 5000, DRAM_ACT, 2, 0, 5), "state: ACT", "has one open");
        says(at(&b, 6000, DRAM_REFAB, 0, 0, 0), "state: REFab", "bg 2 bank 0");
        ck_assert_uint_eq(dram_check_violations(b.check), 5);
        ck_assert_uint_eq(dram_check_commands(b.check), 6);
        bench_end(&b);
    }
}
END_TEST

START_TEST(an_open_bank_is_not_refreshed_alone)
{
    bench_t b = bench_of(bin_hbm3());
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 1, 2, 5));
    ck_assert_ptr_null(at(&b, 2000, DRAM_REFPB, 1, 1, 0));
    says(at(&b, 3000, DRAM_REFPB, 1, 2, 0), "state: REFpb", "open row");
    bench_end(&b);
    /* DDR5 refreshes the bank of that number in every group */
    b = bench_of(bin_ddr5());
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 5, 2, 5));
    ck_assert_ptr_null(at(&b, 2000, DRAM_REFPB, 0, 1, 0));
    says(at(&b, 3000, DRAM_REFPB, 0, 2, 0), "state: REFpb", "bg 5 bank 2");
    bench_end(&b);
}
END_TEST

START_TEST(precharge_leaves_nothing_open)
{
    bench_t b = bench_of(bin_gddr6());
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 0, 0, 5));
    ck_assert_ptr_null(at(&b, 1100, DRAM_ACT, 1, 0, 5));
    ck_assert_ptr_null(at(&b, 1200, DRAM_PREA, 0, 0, 0));
    says(at(&b, 1300, DRAM_RD, 1, 0, 5), "state", "no row open");
    ck_assert_ptr_null(
        at(&b, 1400, DRAM_PRE, 1, 0, 0)); /* precharging a closed bank does nothing */
    ck_assert_ptr_null(at(&b, 1401, DRAM_ACT, 1, 0, 5)); /* so there is no tRP to wait for */
    ck_assert_ptr_null(at(&b, 1500, DRAM_RDA, 1, 0, 5));
    says(at(&b, 1600, DRAM_RD, 1, 0, 5), "state", "no row open");
    bench_end(&b);
}
END_TEST

/* An auto precharge waits for tRAS: RDA early in the row's life, ACT at tRAS + tRP and not at tRTP + tRP. */
START_TEST(auto_precharge_waits_for_tras)
{
    bench_t b = bench_of(bin_gddr6());
    b.p.tRC = ck(10);
    bench_end(&b);
    b = bench_of(b.p);
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 0, 0, 5));
    ck_assert_ptr_null(at(&b, 1027, DRAM_RDA, 0, 0, 5));
    says(at(&b, 1000 + 53 + 27 - 1, DRAM_ACT, 0, 0, 5), "tRP", "RDA");
    bench_end(&b);
    b = bench_of(b.p);
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 0, 0, 5));
    ck_assert_ptr_null(at(&b, 1027, DRAM_RDA, 0, 0, 5));
    ck_assert_ptr_null(at(&b, 1000 + 53 + 27, DRAM_ACT, 0, 0, 5));
    bench_end(&b);
}
END_TEST

static const char *on(bench_t *b, unsigned pc, int64_t tick, dram_cmd_t cmd, unsigned bg)
{
    clk_t half = {b->p.rate * 2 / b->p.bits_per_ck};
    return dram_check_command(b->check, (int)cmd, pc, 0, bg, 0, 5, 0, clk_edge(half, tick));
}

/* Two pseudo channels share a row bus and a column bus; the two buses do not disturb each other. */
START_TEST(command_buses)
{
    bench_t b = bench_of(bin_hbm2()); /* half-clock ticks here: 2 a clock */
    ck_assert_ptr_null(on(&b, 0, 2000, DRAM_ACT, 0));
    says(on(&b, 1, 2002, DRAM_ACT, 0), "command bus: ACT", "pc 1");
    ck_assert_ptr_null(on(&b, 1, 2010, DRAM_ACT, 1));
    ck_assert_ptr_null(on(&b, 0, 2100, DRAM_RD, 0));
    ck_assert_ptr_null(on(&b, 0, 2100, DRAM_ACT, 2)); /* row and column command at once */
    says(on(&b, 1, 2100, DRAM_RD, 1), "command bus: RD", "overlaps RD");
    bench_end(&b);

    b = bench_of(bin_hbm3()); /* ACT holds 3 half clocks, PRE one of either half, RD two */
    ck_assert_ptr_null(on(&b, 0, 2000, DRAM_ACT, 0));
    ck_assert_ptr_null(on(&b, 0, 2200, DRAM_ACT, 1));
    says(on(&b, 0, 2202, DRAM_PRE, 0), "command bus: PRE", "overlaps ACT");
    bench_end(&b);
    b = bench_of(bin_hbm3());
    ck_assert_ptr_null(on(&b, 0, 2000, DRAM_ACT, 0));
    ck_assert_ptr_null(on(&b, 0, 2200, DRAM_ACT, 1));
    ck_assert_ptr_null(on(&b, 0, 2203, DRAM_PRE, 0));
    says(on(&b, 1, 2401, DRAM_ACT, 0), "clock: ACT", "rising");
    ck_assert_ptr_null(on(&b, 0, 2600, DRAM_RD, 1));
    says(on(&b, 1, 2601, DRAM_RD, 0), "command bus: RD", "overlaps RD");
    bench_end(&b);

    b = bench_of(bin_ddr5()); /* one bus for all */
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 0, 0, 5));
    ck_assert_ptr_null(at(&b, 1100, DRAM_ACT, 1, 0, 5));
    says(at(&b, 1101, DRAM_RD, 0, 0, 5), "command bus: RD", "overlaps ACT");
    bench_end(&b);
}
END_TEST

/* LPDDR5: the data clock stops 8 clocks after the last beat (RD + 17 + 2); a column command comes while it runs, or
 * two clocks after it can have been started again. */
START_TEST(data_clock)
{
    static const struct {
        int64_t after;
        bool legal;
    } at_gap[] = {{27, true}, {28, false}, {29, true}, {500, true}};
    for (size_t i = 0; i < sizeof at_gap / sizeof at_gap[0]; i++) {
        bench_t b = bench_of(bin_lpddr5());
        ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 0, 0, 5));
        ck_assert_ptr_null(at(&b, 1100, DRAM_RD, 0, 0, 5));
        const char *m = at(&b, 1100 + at_gap[i].after, DRAM_RD, 0, 0, 5);
        if (at_gap[i].legal)
            ck_assert_msg(!m, "%s", m);
        else
            says(m, "tWCK_sync", "RD");
        bench_end(&b);
    }
}
END_TEST

START_TEST(times_must_be_edges_and_in_order)
{
    bench_t b = bench_of(bin_gddr6()); /* 1.75 GHz: edges at 0, 571, 1142, 1714, ... */
    ck_assert_ptr_null(dram_check_command(b.check, DRAM_ACT, 0, 0, 0, 0, 1, 0, 1714));
    says(dram_check_command(b.check, DRAM_ACT, 0, 0, 1, 0, 1, 0, 571000), "clock", "edge");
    says(dram_check_command(b.check, DRAM_PRE, 0, 0, 0, 0, 1, 0, 500000), "order",
         "after a later command");
    bench_end(&b);
}
END_TEST

START_TEST(refresh_in_turn)
{
    dram_param_t p = bin_hbm2();
    p.refresh = BIN_REFRESH_PER_BANK;
    bench_t b = bench_of(p);
    int64_t n = 1000;
    for (unsigned k = 0; k < 16; k++, n += 200)
        ck_assert_ptr_null(at(&b, n, DRAM_REFPB, k % 4, k / 4, 0));
    ck_assert_ptr_null(at(&b, n, DRAM_REFPB, 3, 3, 0)); /* any order within a round */
    says(at(&b, n + 1000, DRAM_REFPB, 3, 3, 0), "order", "again");
    bench_end(&b);
}
END_TEST

/* Eight refreshes may be postponed (DDR5: four), no more; what is late at the end of a run is found there. */
START_TEST(refresh_too_late)
{
    for (int std = 0; std < DRAM_STANDARDS; std++) {
        dram_param_t p = bin_of(std);
        p.refresh = BIN_REFRESH_ALL;
        int64_t refi = p.tREFI.in_clocks ? p.tREFI.v : 6240, wait = std == DRAM_DDR5 ? 5 : 9;
        bench_t b = bench_of(p);
        for (unsigned pc = 0; pc < p.pseudo_channels; pc++)
            for (unsigned rank = 0; rank < p.ranks; rank++) {
                ps_t when = clk_edge(b.ck, wait * refi + 4 * (2 * pc + rank));
                ck_assert_ptr_null(
                    dram_check_command(b.check, DRAM_REFAB, pc, rank, 0, 0, 0, 0, when));
            }
        ck_assert_ptr_null(dram_check_finish(b.check, clk_edge(b.ck, 2 * wait * refi)));
        says(dram_check_finish(b.check, clk_edge(b.ck, (2 * wait + 1) * refi)), "tREFI",
             "had no refresh");
        says(at(&b, (2 * wait + 1) * refi, DRAM_REFAB, 0, 0, 0), "tREFI", "postponed");
        bench_end(&b);

        p.refresh = BIN_REFRESH_NONE; /* not asked for, not missed */
        b = bench_of(p);
        ck_assert_ptr_null(dram_check_finish(b.check, clk_edge(b.ck, 100 * refi)));
        bench_end(&b);
    }
}
END_TEST

START_TEST(one_starved_bank_is_found)
{
    dram_param_t p = bin_gddr6();
    p.refresh = BIN_REFRESH_PER_BANK;
    bench_t b = bench_of(p);
    int64_t n = 1000;
    for (unsigned k = 0; k < 15; k++, n += 208)
        ck_assert_ptr_null(at(&b, n, DRAM_REFPB, k % 4, k / 4, 0));
    ck_assert_ptr_null(dram_check_finish(b.check, clk_edge(b.ck, 8 * 3333)));
    says(dram_check_finish(b.check, clk_edge(b.ck, 9 * 3333 + 200)), "tREFI", "bg 3 bank 3");
    bench_end(&b);
}
END_TEST

/* A scheduler that counts refreshes over an idle stretch says so instead of sending them one by one. */
START_TEST(counted_refreshes)
{
    dram_param_t p = bin_hbm2();
    p.pseudo_channels = 1;
    p.refresh = BIN_REFRESH_ALL;
    bench_t b = bench_of(p);
    int64_t end = 1000 * 3900;
    ck_assert_ptr_null(dram_check_idle_refresh(b.check, 0, 0, clk_edge(b.ck, end)));
    ck_assert_ptr_null(dram_check_finish(b.check, clk_edge(b.ck, end + 3900)));
    ck_assert_ptr_null(at(&b, end + 4000, DRAM_ACT, 0, 0, 0));
    says(dram_check_idle_refresh(b.check, 0, 0, clk_edge(b.ck, 2 * end)), "state", "open");
    bench_end(&b);
}
END_TEST

START_TEST(the_message_names_rule_commands_times_and_gaps)
{
    bench_t b = bench_of(bin_hbm2());
    ck_assert_ptr_null(at(&b, 1000, DRAM_ACT, 1, 2, 5));
    const char *m = at(&b, 1014, DRAM_RD, 1, 2, 5); /* ACT ends with its second slot, at 1001 */
    ck_assert_str_eq(m, "tRCDRD: RD at 1014.000 ns (pc 0 rank 0 bg 1 bank 2) comes 13.000 ns after "
                        "ACT at 1001.000 ns "
                        "(pc 0 rank 0 bg 1 bank 2), needs 14.000 ns");
    bench_end(&b);
}
END_TEST

TEST_MAIN("illegal-states-judged", bank_states, an_open_bank_is_not_refreshed_alone,
          precharge_leaves_nothing_open, auto_precharge_waits_for_tras, command_buses, data_clock,
          times_must_be_edges_and_in_order, refresh_in_turn, refresh_too_late,
          one_starved_bank_is_found, counted_refreshes,
          the_message_names_rule_commands_times_and_gaps)
