/* SPDX-License-Identifier: MIT
 * Index distributions: pure functions of the position, with the statistics their names promise. */
#include "core/rng.h"
#include "test.h"
#include "workload/gather.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* No assertion of Check's in loops that run a million times: each costs a message to its runner. */
static uint64_t at(gather_t g, int64_t k)
{
    uint64_t idx;
    return g.fn(g.ctx, k, 1, &idx) == 1 ? idx : UINT64_MAX;
}

/* chi^2 of counts against equal shares, in standard deviations of the chi^2 distribution. */
static double chi2_sigmas(const unsigned *count, unsigned bins, double expected)
{
    double chi2 = 0;
    for (unsigned b = 0; b < bins; b++)
        chi2 += (count[b] - expected) * (count[b] - expected) / expected;
    return (chi2 - (bins - 1)) / sqrt(2.0 * (bins - 1));
}

START_TEST(a_warp_is_the_same_as_its_lanes_one_by_one)
{
    arena_t *a = arena_new();
    const gather_t all[] = {
        gather_uniform(a, 1000003, 1),         gather_zipf(a, 1000003, 1.1, false, 1),
        gather_zipf(a, 1000003, 0.9, true, 1), gather_cycle(a, 1000003, 1),
        gather_stride(a, 1000003, -77),
    };
    for (size_t g = 0; g < sizeof all / sizeof all[0]; g++)
        for (int64_t k0 = -40; k0 < 3000040; k0 += 999983) {
            uint64_t warp[64], one;
            uint64_t mask = all[g].fn(all[g].ctx, k0, 64, warp);
            for (unsigned i = 0; i < 64; i++) {
                bool on = all[g].fn(all[g].ctx, k0 + (int64_t)i, 1, &one);
                ck_assert_int_eq(on, k0 + (int64_t)i >= 0);
                ck_assert_int_eq(on, mask >> i & 1);
                if (on) ck_assert_uint_eq(one, warp[i]);
                ck_assert_uint_lt(warp[i], 1000003);
            }
        }
    arena_free(a);
}
END_TEST

START_TEST(uniform_is_flat_in_value_and_free_of_serial_correlation)
{
    enum { N = 1 << 20, BINS = 256 };
    arena_t *a = arena_new();
    const uint64_t domains[] = {256, 1000003, GATHER_N_MAX};
    for (unsigned s = 0; s < 3; s++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            gather_t g = gather_uniform(a, domains[s], seed);
            static unsigned count[BINS], pair[BINS];
            memset(count, 0, sizeof count);
            memset(pair, 0, sizeof pair);
            unsigned last = 0;
            for (int64_t k = 0; k < N; k++) {
                unsigned b = (unsigned)((double)at(g, k) / (double)domains[s] * BINS);
                count[b]++;
                pair[(last / 16) * 16 + b / 16]++;
                last = b;
            }
            ck_assert_double_lt(fabs(chi2_sigmas(count, BINS, N / (double)BINS)), 5);
            ck_assert_double_lt(fabs(chi2_sigmas(pair, BINS, N / (double)BINS)), 5);
        }
    ck_assert_uint_ne(at(gather_uniform(a, GATHER_N_MAX, 1), 0),
                      at(gather_uniform(a, GATHER_N_MAX, 2), 0));
    arena_free(a);
}
END_TEST

START_TEST(a_lap_of_the_cycle_visits_every_index_once)
{
    arena_t *a = arena_new();
    static uint8_t seen[70000];
    for (uint64_t n = 1; n < 70000; n = n < 150 ? n + 1 : n * 5 / 3) {
        gather_t g = gather_cycle(a, n, n % 7);
        memset(seen, 0, n);
        for (uint64_t k = 0; k < n; k++) {
            uint64_t i = at(g, (int64_t)k);
            if (i >= n || seen[i])
                ck_abort_msg("n %lu: %lu twice or outside", (unsigned long)n, (unsigned long)i);
            seen[i] = 1;
        }
        for (uint64_t k = 0; k < n && k < 100; k++) /* the next lap is the same cycle */
            ck_assert_uint_eq(at(g, (int64_t)(k + 3 * n)), at(g, (int64_t)k));
    }
    arena_free(a);
}
END_TEST

START_TEST(the_cycle_has_no_order_a_prefetcher_or_a_row_buffer_could_use)
{
    enum { N = 1 << 20, BINS = 256 };
    arena_t *a = arena_new();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        gather_t g = gather_cycle(a, N, seed);
        static unsigned step[BINS], early[BINS];
        memset(step, 0, sizeof step);
        memset(early, 0, sizeof early);
        unsigned near = 0, fixed = 0;
        for (int64_t k = 0; k < N; k++) {
            uint64_t here = at(g, k), next = at(g, k + 1);
            uint64_t d = (next - here) & (N - 1);
            step[d * BINS / N]++;
            near += d <= 8 || d >= N - 8;
            fixed += here == (uint64_t)k;
            if (k < N / 16) early[here * BINS / N]++;
        }
        ck_assert_double_lt(fabs(chi2_sigmas(step, BINS, N / (double)BINS)), 5);
        /* without replacement the spread is a little below Poisson's; never above */
        ck_assert_double_lt(chi2_sigmas(early, BINS, N / 16.0 / BINS), 5);
        ck_assert_uint_lt(near, 16 + 5 * 4); /* 16 expected */
        ck_assert_uint_lt(fixed, 1 + 6);     /* 1 expected */
    }
    arena_free(a);
}
END_TEST

START_TEST(huge_domains_permute_without_memory)
{
    const uint64_t sizes[] = {GATHER_N_MAX, GATHER_N_MAX - 87, 80000000001,
                              ((uint64_t)1 << 32) + 1};
    for (unsigned s = 0; s < 4; s++) {
        enum { M = 2048 };
        static uint64_t v[M];
        for (unsigned i = 0; i < M; i++) {
            v[i] = gather_permute(sizes[s] - 1 - i, sizes[s], 5);
            if (v[i] >= sizes[s]) ck_abort_msg("size %u: %u is outside", s, i);
            for (unsigned j = 0; j < i; j++)
                if (v[i] == v[j]) ck_abort_msg("size %u: %u and %u collide", s, i, j);
        }
    }
}
END_TEST

START_TEST(zipf_frequencies_follow_the_power_law)
{
    enum { DRAWS = 1 << 20 };
    arena_t *a = arena_new();
    const double alphas[] = {0, 0.5, 0.99, 1, 1.2, 2};
    const unsigned sizes[] = {1, 2, 100, 100000};
    for (unsigned s = 0; s < 4; s++)
        for (unsigned x = 0; x < 6; x++) {
            const unsigned n = sizes[s];
            double total = 0;
            for (unsigned r = 1; r <= n; r++) total += pow(r, -alphas[x]);
            gather_t g = gather_zipf(a, n, alphas[x], false, 3);
            unsigned *count = calloc(n, sizeof *count);
            for (int64_t k = 0; k < DRAWS; k++) count[at(g, k)]++;
            double tail = 0, tail_expected = 0;
            for (unsigned r = 0; r < n; r++) {
                double p = pow(r + 1, -alphas[x]) / total, sd = sqrt(DRAWS * p * (1 - p));
                if (r < 50) /* 6 standard deviations over some 600 comparisons */
                    ck_assert_msg(fabs(count[r] - DRAWS * p) <= 6 * sd,
                                  "n %u alpha %g rank %u: %u, not %g", n, alphas[x], r, count[r],
                                  DRAWS * p);
                else
                    tail += count[r], tail_expected += DRAWS * p;
            }
            ck_assert_double_le(fabs(tail - tail_expected), 6 * sqrt(tail_expected));
            free(count);
        }
    arena_free(a);
}
END_TEST

START_TEST(zipf_slope_in_the_log_is_minus_alpha_on_a_large_table)
{
    enum { DRAWS = 1 << 21, DECADES = 16 };
    arena_t *a = arena_new();
    gather_t g = gather_zipf(a, (uint64_t)1 << 30, 1.2, false, 9);
    static double count[31];
    for (int64_t k = 0; k < DRAWS; k++) count[(int)log2((double)(at(g, k) + 1))]++;
    /* draws in [2^b, 2^(b+1)) fall as 2^(b (1 - alpha)); least squares over octaves 4..15 */
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int b = 4; b < DECADES; b++) {
        double y = log2(count[b]);
        sx += b, sy += y, sxx += b * b, sxy += b * y;
    }
    double m = DECADES - 4, slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
    ck_assert_double_lt(fabs(slope - (1 - 1.2)), 0.01);
    arena_free(a);
}
END_TEST

START_TEST(scattering_moves_hot_ranks_but_keeps_their_weights)
{
    enum { N = 1000, DRAWS = 1 << 18 };
    arena_t *a = arena_new();
    gather_t flat = gather_zipf(a, N, 1, false, 4), far = gather_zipf(a, N, 1, true, 4);
    unsigned count[N] = {0}, moved[N] = {0}, low = 0;
    uint64_t place[N];
    for (int64_t k = 0; k < DRAWS; k++) {
        uint64_t i = at(flat, k), j = at(far, k);
        if (!count[i]++) place[i] = j;
        if (place[i] != j) ck_abort_msg("rank %lu lies in two places", (unsigned long)i);
        moved[j]++;
    }
    for (unsigned i = 0; i < N; i++)
        if (count[i]) ck_assert_uint_eq(moved[place[i]], count[i]);
    for (unsigned i = 0; i < 20; i++) low += place[i] < N / 2;
    ck_assert(low > 2 && low < 18);
    arena_free(a);
}
END_TEST

START_TEST(stride_wraps_in_both_directions)
{
    arena_t *a = arena_new();
    gather_t up = gather_stride(a, 10, 3), down = gather_stride(a, 10, -3),
             far = gather_stride(a, 10, 123);
    const unsigned want[] = {0, 3, 6, 9, 2, 5, 8, 1, 4, 7, 0};
    for (unsigned k = 0; k < 11; k++) {
        ck_assert_uint_eq(at(up, k), want[k]);
        ck_assert_uint_eq(at(down, k), (10 - want[k]) % 10);
        ck_assert_uint_eq(at(far, k), want[k]);
    }
    gather_t big = gather_stride(a, GATHER_N_MAX, (int64_t)GATHER_N_MAX - 1);
    ck_assert_uint_eq(at(big, INT64_MAX),
                      1); /* -k mod 2^40, k = 2^63 - 1: no overflow on the way */
    arena_free(a);
}
END_TEST

START_TEST(a_list_is_read_repeated_and_checked)
{
    char path[] = "/tmp/memsim-252-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs("# idx\n3, 1\t4\r\n\n0x1F # hot\n5", f);
    fclose(f);
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    gather_t g;
    uint64_t n = 0;
    ck_assert_int_eq(gather_list(&g, a, path, 32, &n, &d), MS_OK);
    ck_assert_uint_eq(n, 5);
    const unsigned want[] = {3, 1, 4, 31, 5, 3, 1};
    uint64_t idx[7];
    ck_assert_uint_eq(g.fn(g.ctx, 0, 7, idx), 0x7F);
    for (unsigned i = 0; i < 7; i++) ck_assert_uint_eq(idx[i], want[i]);
    ck_assert_uint_eq(g.fn(g.ctx, -2, 4, idx), 0xC);
    ck_assert_uint_eq(idx[2], 3);

    ck_assert_int_eq(gather_list(&g, a, path, 31, &n, &d), MS_INPUT);
    ck_assert_ptr_nonnull(strstr(d.msg[0], ":4: index 0x1F is over the largest, 30"));
    static const char *const bad[] = {"1 x", "1 -2",  "0x", "7z", "99999999999999999999",
                                      "",    "# none"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        f = fopen(path, "w");
        fputs(bad[i], f);
        fclose(f);
        ck_assert_int_eq(gather_list(&g, a, path, 0, NULL, &d), MS_INPUT);
        ck_assert_uint_eq(d.n, i + 2);
    }
    ck_assert_int_eq(gather_list(&g, a, "/nonexistent", 0, NULL, &d), MS_INPUT);
    diag_free(&d);
    arena_free(a);
    unlink(path);
}
END_TEST

/* At the ends of the 64-bit positions nothing overflows: indices stay below n, lanes below 0 are off. */
START_TEST(the_ends_of_the_positions_are_harmless)
{
    arena_t *a = arena_new();
    const gather_t all[] = {
        gather_uniform(a, 1003, 1),
        gather_zipf(a, 1003, 1.1, false, 1),
        gather_cycle(a, 1003, 1),
        gather_stride(a, 1003, INT64_MAX),
    };
    for (size_t g = 0; g < sizeof all / sizeof all[0]; g++) {
        uint64_t idx[64];
        ck_assert_uint_eq(all[g].fn(all[g].ctx, INT64_MAX - 3, 64, idx), UINT64_MAX);
        for (unsigned i = 0; i < 64; i++) ck_assert_uint_lt(idx[i], 1003);
        ck_assert_uint_eq(all[g].fn(all[g].ctx, INT64_MIN, 64, idx), 0);
    }
    arena_free(a);
}
END_TEST

TEST_MAIN("gather-distributions", the_ends_of_the_positions_are_harmless,
          a_warp_is_the_same_as_its_lanes_one_by_one,
          uniform_is_flat_in_value_and_free_of_serial_correlation,
          a_lap_of_the_cycle_visits_every_index_once,
          the_cycle_has_no_order_a_prefetcher_or_a_row_buffer_could_use,
          huge_domains_permute_without_memory, zipf_frequencies_follow_the_power_law,
          zipf_slope_in_the_log_is_minus_alpha_on_a_large_table,
          scattering_moves_hot_ranks_but_keeps_their_weights, stride_wraps_in_both_directions,
          a_list_is_read_repeated_and_checked)
