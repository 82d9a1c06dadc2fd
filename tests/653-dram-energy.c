/* SPDX-License-Identifier: MIT
 * DRAM energy: known answers, parts that sum to the total, zero where nothing happened, never falling. */
#include "core/arena.h"
#include "dram/dram.h"
#include "dram_bins.h"
#include "machine/outcome.h"
#include "test.h"
#include <math.h>
#include <string.h>

static const dram_spec_t *spec_of(dram_param_t p, arena_t *a)
{
    diag_t d;
    diag_init(&d);
    const dram_spec_t *s = NULL;
    ck_assert_msg(dram_spec_new(&s, &p, a, &d) == MS_OK, "%s", d.n ? d.msg[0] : "");
    diag_free(&d);
    return s;
}

static dram_param_t powered(int standard)
{
    dram_param_t p = bin_of(standard);
    p.act_energy = 900;
    p.rd_energy = 500;
    p.wr_energy = 600;
    p.ref_energy = 64000;
    p.io_energy_per_bit = 0.5;
    p.background_power = 0.25;
    return p;
}

static double part_of(const double part[8], const char *name)
{
    for (int i = 0; i < 8; i++)
        if (dram_energy_names[i] && strcmp(dram_energy_names[i], name) == 0) return part[i];
    ck_abort_msg("no part %s", name);
    return 0;
}

static void near(double got, double want)
{
    ck_assert_msg(fabs(got - want) <= 1e-9 * fabs(want), "got %.9g, want %.9g", got, want);
}

START_TEST(known_answers)
{
    arena_t *a = arena_new();
    const dram_spec_t *s = spec_of(powered(DRAM_HBM2), a);
    dram_stats_t st = {.act = 3, .read_bursts = 10, .write_bursts = 4, .ref_ab = 2, .ref_pb = 8};
    double part[8];
    double sum = dram_energy_pj(s, &st, 1000000, part);
    near(part_of(part, "activate"), 2700);
    near(part_of(part, "read"), 5000);
    near(part_of(part, "write"), 2400);
    near(part_of(part, "refresh"), 2.5 * 64000); /* eight of sixteen banks are half a refresh */
    near(part_of(part, "background"), 0.25 * 1000000); /* 0.25 W for 1 us are 0.25 uJ */
    near(part_of(part, "io"), 14 * 256 * 0.5);         /* 32 B a burst */
    near(sum, 2700 + 5000 + 2400 + 160000 + 250000 + 1792);
    arena_free(a);
}
END_TEST

START_TEST(same_bank_refresh_is_one_bank_of_every_group)
{
    arena_t *a = arena_new();
    const dram_spec_t *s = spec_of(powered(DRAM_DDR5), a);
    dram_stats_t st = {.ref_pb = 4};
    double part[8];
    near(dram_energy_pj(s, &st, 0, part), 64000);
    arena_free(a);
}
END_TEST

START_TEST(nothing_costs_nothing_and_time_alone_costs_standby)
{
    for (int std = 0; std < DRAM_STANDARDS; std++) {
        arena_t *a = arena_new();
        const dram_spec_t *s = spec_of(powered(std), a);
        dram_stats_t st = {0};
        double part[8];
        ck_assert_double_eq(dram_energy_pj(s, &st, 0, part), 0);
        for (int i = 0; i < 8; i++) ck_assert_double_eq(part[i], 0);
        near(dram_energy_pj(s, &st, 1000, part), 0.25 * 1000);
        near(part_of(part, "background"), 250);
        arena_free(a);
    }
}
END_TEST

/* Standby power is a channel's: four channels idle for 1 us use four times 0.25 uJ. */
START_TEST(every_channel_stands_by)
{
    arena_t *a = arena_new();
    dram_param_t p = powered(DRAM_HBM3);
    p.channels = 4;
    const dram_spec_t *s = spec_of(p, a);
    dram_stats_t st = {0};
    res_level_t l;
    outcome_memory(&l, s, &st, 1000000, 4, NULL, a);
    for (size_t i = 0; i < l.n_energy; i++)
        near(l.energy[i].value * 1e12,
             strcmp(l.energy[i].name, "background") == 0 || strcmp(l.energy[i].name, "total") == 0
                 ? 4 * 0.25 * 1000000
                 : 0);
    arena_free(a);
}
END_TEST

/* One more of anything never costs less, and the parts are the whole. */
START_TEST(monotone_and_complete)
{
    for (int std = 0; std < DRAM_STANDARDS; std++) {
        arena_t *a = arena_new();
        const dram_spec_t *s = spec_of(powered(std), a);
        dram_stats_t st = {0};
        uint64_t *const counter[] = {&st.act, &st.read_bursts, &st.write_bursts, &st.ref_ab,
                                     &st.ref_pb};
        double before = 0;
        for (size_t i = 0; i < sizeof counter / sizeof counter[0]; i++) {
            double part[8], sum = 0;
            *counter[i] += 1000;
            double e = dram_energy_pj(s, &st, 0, part);
            ck_assert_double_gt(e, before);
            for (int k = 0; k < 8; k++) {
                ck_assert_double_ge(part[k], 0);
                ck_assert(dram_energy_names[k] || part[k] == 0);
                sum += part[k];
            }
            near(sum, e);
            before = e;
        }
        arena_free(a);
    }
}
END_TEST

TEST_MAIN("dram-energy", known_answers, same_bank_refresh_is_one_bank_of_every_group,
          nothing_costs_nothing_and_time_alone_costs_standby, every_channel_stands_by,
          monotone_and_complete)
