/* SPDX-License-Identifier: MIT
 * Time without drift; histograms within their stated error; counters added up exactly. */
#include "core/hist.h"
#include "core/rng.h"
#include "core/server.h"
#include "core/stats.h"
#include "test.h"
#include <math.h>

START_TEST(edge_of_1593MHz_never_drifts)
{
    clk_t c = {1593000000};
    ck_assert_int_eq(clk_edge(c, 1), 627); /* 627.746 ps */
    ck_assert_int_eq(clk_edge(c, 1593000),
                     1000000000); /* 1593000 cycles are a millisecond, to the ps */
    ck_assert_int_eq(clk_edge(c, INT64_C(1593000000) * 86400), INT64_C(86400) * 1000000000000);
    clk_t hbm3 = {3200000000};
    ck_assert_int_eq(clk_edge(hbm3, 2), 625); /* 312.5 ps each */
    ck_assert_int_eq(clk_span(hbm3, 1), 313);
    ck_assert_int_eq(clk_span(hbm3, 16), 5000);
}
END_TEST

START_TEST(the_next_edge_is_at_or_after_a_time)
{
    const uint64_t hz[] = {1, 1593000000, 1830000000, 2619000000, 999999937, 20000000000};
    for (size_t i = 0; i < sizeof hz / sizeof *hz; i++) {
        clk_t c = {hz[i]};
        for (uint64_t k = 0; k < 2000; k++) {
            ps_t t = (ps_t)(mix64(k) >> (14 + k % 40));
            int64_t n = clk_ceil(c, t);
            ck_assert_int_ge(clk_edge(c, n), t);
            if (n > 0) ck_assert_int_lt(clk_edge(c, n - 1), t);
        }
    }
}
END_TEST

START_TEST(a_port_never_beats_its_peak)
{
    clk_t c = {1830000000};
    for (uint64_t bytes = 1; bytes < 5000; bytes += 13) {
        ps_t t = port_time(c, bytes, 64);
        ck_assert((wide_t)t * 64 * 1830 >= (wide_t)bytes * 1000000);
        ck_assert((wide_t)(t - 1) * 64 * 1830 < (wide_t)bytes * 1000000);
    }
    server_t s = {0};
    ck_assert_int_eq(server_start(&s, 100, 10), 100);
    ck_assert_int_eq(server_start(&s, 100, 10), 110);
    ck_assert_int_eq(server_start(&s, 500, 10), 500);
    ck_assert_int_eq(s.busy_ps, 30);
}
END_TEST

START_TEST(bins_tile_the_numbers)
{
    for (unsigned b = 0; b + 1 < HIST_BINS; b++) {
        ck_assert_uint_eq(hist_bin(hist_bin_low(b)), b);
        ck_assert_uint_eq(hist_bin(hist_bin_high(b)), b);
        ck_assert_uint_eq(hist_bin_high(b) + 1, hist_bin_low(b + 1));
        double width = (double)(hist_bin_high(b) - hist_bin_low(b));
        ck_assert_double_le(width, (double)hist_bin_low(b) / 32);
    }
    ck_assert_uint_eq(hist_bin(UINT64_MAX), HIST_BINS - 1);
    ck_assert_uint_eq(hist_bin_high(HIST_BINS - 1), UINT64_MAX);
}
END_TEST

START_TEST(small_values_are_exact)
{
    static hist_t h;
    for (uint64_t v = 1; v <= 60; v++) hist_add(&h, v);
    ck_assert_uint_eq(hist_percentile(&h, 0.5), 30);
    ck_assert_uint_eq(hist_percentile(&h, 0.95), 57);
    ck_assert_uint_eq(hist_percentile(&h, 1.0 / 60), 1);
    ck_assert_uint_eq(hist_percentile(&h, 1), 60);
    ck_assert_uint_eq(h.sum, 1830);
    static hist_t none;
    ck_assert_uint_eq(hist_percentile(&none, 0.5), 0);
}
END_TEST

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(percentiles_are_within_a_32nd_above_the_truth)
{
    enum { N = 20000 };
    static uint64_t v[N];
    static hist_t h, left, right;
    for (unsigned i = 0; i < N; i++) {
        v[i] = mix64(i) >> (30 + i % 25); /* over nine powers of ten */
        hist_add(&h, v[i]);
        hist_add(i & 1 ? &left : &right, v[i]);
    }
    hist_merge(&left, &right);
    qsort(v, N, sizeof *v, ascending);
    ck_assert_uint_eq(h.min, v[0]);
    ck_assert_uint_eq(h.max, v[N - 1]);
    const double p[] = {0.001, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        uint64_t truth = v[(size_t)ceil(p[i] * N - 1e-9) - 1], got = hist_percentile(&h, p[i]);
        ck_assert_uint_ge(got, truth);
        ck_assert_double_le((double)got, (double)truth * (1 + 1.0 / 32) + 1);
        ck_assert_uint_eq(hist_percentile(&left, p[i]), got);
    }
    ck_assert_uint_eq(left.sum, h.sum);
}
END_TEST

START_TEST(merging_many_times_keeps_the_number_and_the_mean)
{
    static hist_t one, many, since;
    memset(&one, 0, sizeof one);
    memset(&many, 0, sizeof many);
    for (unsigned i = 0; i < 10; i++) hist_add(&one, 100 * (i + 1)); /* ten bins, one each */
    hist_merge_times(&many, &one, 1.4);
    ck_assert_uint_eq(many.n, 14);
    ck_assert_uint_eq(many.sum, 7700); /* 5500 x 1.4 */
    uint64_t n = 0;
    for (unsigned b = 0; b < HIST_BINS; b++) n += many.bin[b];
    ck_assert_uint_eq(n, 14);
    ck_assert_uint_eq(many.min, 100);
    ck_assert_uint_eq(many.max, 1000);
    hist_t before = one;
    hist_add_n(&one, 50, 3);
    hist_since(&since, &one, &before);
    ck_assert_uint_eq(since.n, 3);
    ck_assert_uint_eq(since.sum, 150);
    ck_assert_uint_eq(since.min, 50);
    ck_assert_uint_eq(since.max, 50);
    ck_assert_uint_eq(hist_percentile(&since, 0.5), 50);
}
END_TEST

#define DEMO_STATS(S)            \
    S(hits, "requests", "found") \
    S(bytes, "bytes", "moved")
typedef struct demo_stats {
    DEMO_STATS(STAT_FIELD)
} demo_stats_t;
#define DEMO_ROW(...) STAT_ROW_IN(demo_stats_t, __VA_ARGS__)
static const stat_row_t demo_rows[] = {DEMO_STATS(DEMO_ROW)};
static const stat_table_t demo = {"demo", demo_rows, 2, sizeof(demo_stats_t)};

START_TEST(counters_add_up_and_scale)
{
    demo_stats_t sum = {1, 2}, a = {10, 20}, b = {13, 24};
    stat_accumulate(&demo, &sum, &a);
    ck_assert_uint_eq(sum.hits, 11);
    ck_assert_uint_eq(sum.bytes, 22);
    stat_accumulate_scaled(&demo, &sum, &a, &b, 2.5);
    ck_assert_uint_eq(sum.hits, 11 + 8); /* 7.5 to the nearest */
    ck_assert_uint_eq(sum.bytes, 22 + 10);
    demo_stats_t zero = {0, 0}, big = {UINT64_C(9007199254740993), 0}, big_sum = {0, 0};
    stat_accumulate_scaled(&demo, &big_sum, &zero, &big, 3); /* beyond a double's 53 bits */
    ck_assert_uint_eq(big_sum.hits, UINT64_C(27021597764222979));
}
END_TEST

TEST_MAIN("clocks and histograms", edge_of_1593MHz_never_drifts,
          the_next_edge_is_at_or_after_a_time, a_port_never_beats_its_peak, bins_tile_the_numbers,
          small_values_are_exact, percentiles_are_within_a_32nd_above_the_truth,
          merging_many_times_keeps_the_number_and_the_mean, counters_add_up_and_scale)
