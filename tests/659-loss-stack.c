/* SPDX-License-Identifier: MIT
 * What an idle data bus is charged to: waits counted by hand in ticks of 1 ns (HBM2 at 2 Gb/s: tRCDRD 14, tRP 14,
 * tRAS 34, tRRD 4, an ACT of two slots), and streams that one limit alone slows down. */
#include "dram_rig.h"

static const char *const hbm2 = "tests/oracle/hbm2x1.ini";
static const char *const quiet[] = {"dram.refresh=none"};
static const ps_t NS = 1000, AT = 1000 * 1000;

static rig_t *rig(void)
{
    return rig_new(hbm2, quiet, 1);
}

static void whole(rig_t *g, ps_t end)
{
    const dram_stats_t *s = dram_chan_stats(g->chan);
    uint64_t sum = s->data_ps + s->idle_empty_ps + s->idle_row_ps + s->idle_act_ps +
                   s->idle_ccd_ps + s->idle_turn_ps + s->idle_refresh_ps + s->idle_bus_ps +
                   s->idle_other_ps;
    ck_assert_uint_eq(sum, (uint64_t)end * g->p.pseudo_channels);
}

/* Both pseudo channels open a row: the second ACT goes out when the two slots of the first are over. */
START_TEST(an_act_that_waits_for_a_slot)
{
    rig_t *g = rig();
    rig_add(g, false, (loc_t){.pc = 0, .row = 1}, AT);
    rig_add(g, false, (loc_t){.pc = 1, .row = 1}, AT);
    rig_run(g, 2 * AT);
    ck_assert_int_eq(g->data[1] - g->data[0], 2 * NS);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->idle_bus_ps, 2 * (uint64_t)NS);
    ck_assert_uint_eq(s->idle_row_ps, 2 * (1 + 14) * (uint64_t)NS);
    ck_assert_uint_eq(s->data_ps, 2 * 2 * (uint64_t)NS);
    whole(g, 2 * AT);
    rig_free(g);
}
END_TEST

/* Rows are open in both: PRE at 0 and 1; the slots of the first ACT are 13 and 14 (tRP counts to the last), those of the
 * second 15 and 16, a tick after its tRP would let it. */
START_TEST(a_pre_that_waits_for_a_slot)
{
    rig_t *g = rig();
    const ps_t later = AT + 500 * NS;
    for (uint8_t pc = 0; pc < 2; pc++) rig_add(g, false, (loc_t){.pc = pc, .row = 1}, AT);
    for (uint8_t pc = 0; pc < 2; pc++) rig_add(g, false, (loc_t){.pc = pc, .row = 2}, later);
    rig_run(g, 2 * AT);
    ck_assert_int_eq(g->data[3] - g->data[2], 2 * NS);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->idle_bus_ps, (2 + 2) * (uint64_t)NS);
    ck_assert_uint_eq(s->idle_row_ps, 2 * (15 + 28) * (uint64_t)NS);
    whole(g, 2 * AT);
    rig_free(g);
}
END_TEST

/* Hits in two pseudo channels at one time: the second RD goes out when the slot of the first is over. */
START_TEST(a_column_command_that_waits_for_a_slot)
{
    rig_t *g = rig();
    for (uint8_t pc = 0; pc < 2; pc++)
        rig_add(g, false, (loc_t){.pc = pc, .row = 1}, AT + pc * 100 * NS);
    for (uint8_t pc = 0; pc < 2; pc++)
        rig_add(g, false, (loc_t){.pc = pc, .row = 1, .col = 4}, AT + 500 * NS);
    rig_run(g, 2 * AT);
    ck_assert_int_eq(g->data[3] - g->data[2], NS);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->idle_bus_ps, (uint64_t)NS);
    ck_assert_uint_eq(s->idle_row_ps, 2 * 15 * (uint64_t)NS);
    whole(g, 2 * AT);
    rig_free(g);
}
END_TEST

/* The second ACT of a pseudo channel waits tRRD for the first, not for its row. */
START_TEST(an_act_that_waits_for_another)
{
    rig_t *g = rig();
    for (uint8_t k = 0; k < 2; k++) rig_add(g, false, (loc_t){.bank_group = k, .row = 1}, AT);
    rig_run(g, 2 * AT);
    ck_assert_int_eq(g->data[1] - g->data[0], 4 * NS);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_uint_eq(s->idle_act_ps, 2 * (uint64_t)NS); /* less a burst of 2 */
    ck_assert_uint_eq(s->idle_row_ps, 15 * (uint64_t)NS);
    ck_assert_uint_eq(s->idle_bus_ps, 0);
    whole(g, 2 * AT);
    rig_free(g);
}
END_TEST

/* Every bank in turn, a new row each time, with all requests there from the start. */
static rig_t *rows_in_turn(bool both)
{
    rig_t *g = rig();
    for (uint32_t k = 0; k < 4000; k++) {
        uint32_t n = both ? k / 2 : k;
        rig_add(g, false,
                (loc_t){.pc = (uint8_t)(both ? k % 2 : 0),
                        .bank_group = (uint8_t)(n % 4),
                        .bank = (uint8_t)(n / 4 % 4),
                        .row = n / 16},
                AT);
    }
    rig_run(g, 100 * AT);
    return g;
}

/* An access takes an ACT and a PRE, three slots, and two pseudo channels share the bus: a burst of 2 ticks in 6.  Of
 * the other four tRRD would ask for two at most. */
START_TEST(a_stream_of_new_rows_waits_for_the_row_bus)
{
    rig_t *g = rows_in_turn(true);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    const double idle = (double)(s->idle_bus_ps + s->idle_act_ps);
    ck_assert_double_eq_tol(idle, 4000.0 * 4 * (double)NS, 400 * (double)NS);
    ck_assert_double_ge((double)s->idle_bus_ps, 4000.0 * 2 * (double)NS);
    ck_assert_uint_lt(s->idle_row_ps, 400 * (uint64_t)NS);
    rig_free(g);
}
END_TEST

/* In one of them the bus has room, and tRRD alone spaces the bursts: 4 ticks. */
START_TEST(a_stream_of_new_rows_waits_for_the_activation_window)
{
    rig_t *g = rows_in_turn(false);
    const dram_stats_t *s = dram_chan_stats(g->chan);
    ck_assert_double_eq_tol((double)s->idle_act_ps, 4000.0 * 2 * (double)NS, 400 * (double)NS);
    ck_assert_uint_lt(s->idle_row_ps, 400 * (uint64_t)NS);
    ck_assert_uint_lt(s->idle_bus_ps, 400 * (uint64_t)NS);
    rig_free(g);
}
END_TEST

TEST_MAIN("loss stack", an_act_that_waits_for_a_slot, a_pre_that_waits_for_a_slot,
          a_column_command_that_waits_for_a_slot, an_act_that_waits_for_another,
          a_stream_of_new_rows_waits_for_the_row_bus,
          a_stream_of_new_rows_waits_for_the_activation_window)
