/* SPDX-License-Identifier: MIT
 * Collected messages and near names, set-up memory, random streams. */
#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(all_messages_are_kept_and_the_first_class_counts)
{
    diag_t d;
    diag_init(&d);
    diag_note(&d, "by the way");
    ck_assert_int_eq(d.worst, MS_OK);
    ck_assert_int_eq(diag_at(&d, MS_INPUT, "a.ini", 7, "%s is %d", "x", 3), MS_INPUT);
    ck_assert_int_eq(diag_add(&d, MS_CAPACITY, "too big"), MS_CAPACITY);
    ck_assert_int_eq(d.worst, MS_INPUT);
    ck_assert_uint_eq(d.n, 3);
    ck_assert_str_eq(d.msg[1], "a.ini:7: x is 3");
    ck_assert_str_eq(d.msg[2], "too big");
    for (int i = 0; i < 100; i++) diag_add(&d, MS_INPUT, "%d", i);
    ck_assert_uint_eq(d.n, 50);
    ck_assert_uint_eq(d.suppressed, 53);
    diag_free(&d);
    ck_assert_uint_eq(d.n, 0);
}
END_TEST

/* What each text becomes when everything that is no printable UTF-8 character is a question mark. */
START_TEST(messages_hold_printable_text_only)
{
    static const struct {
        const char *given, *shown;
    } c[] = {
        {"plain", "plain"},
        {"a\tb\033[31mc\177", "a?b?[31mc?"},
        {"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"},
        {"\xC3", "?"}, /* cut short */
        {"\xE2\x82", "??"},
        {"\xE2\x82x", "??x"},
        {"\xC0\xAF", "??"}, /* overlong */
        {"\xE0\x80\xAF", "???"},
        {"\xED\xA0\x80", "???"},      /* surrogate */
        {"\xF4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
        {"\xFF\xFE", "??"},
        {"\xC2\x9B", "??"}, /* C1: a terminal's other escape */
        {"\xC2\xA0", "\xC2\xA0"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        diag_t d;
        diag_init(&d);
        diag_add(&d, MS_INPUT, "%s", c[i].given);
        ck_assert_str_eq(d.msg[0], c[i].shown);
        diag_free(&d);
    }
}
END_TEST

START_TEST(slips_find_the_name_that_was_meant)
{
    static const char *const names[] = {"tRCD", "tRP", "tRAS", "channels", "size", "l2", "clock"};
    const size_t n = sizeof names / sizeof *names;
    ck_assert_str_eq(diag_nearest("tRDC", names, n), "tRCD");
    ck_assert_str_eq(diag_nearest("trcd", names, n), "tRCD");
    ck_assert_str_eq(diag_nearest("chanels", names, n), "channels");
    ck_assert_str_eq(diag_nearest("Clock", names, n), "clock");
    ck_assert_ptr_null(diag_nearest("bandwidth", names, n));
    ck_assert_ptr_null(diag_nearest("q", names, n));
    ck_assert_ptr_null(diag_nearest("", names, n));
    ck_assert_ptr_null(diag_nearest("size", names, 0));
    char longer[300];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert(diag_nearest(longer, names, n) == NULL);
}
END_TEST

START_TEST(an_arena_gives_zeroed_aligned_memory_of_any_size)
{
    arena_t *a = arena_new();
    for (size_t i = 0; i < 3000; i++) {
        size_t n = i % 7 == 0 ? i * 100 : i;
        unsigned char *p = arena_alloc(a, n);
        ck_assert_uint_eq((uintptr_t)p % 64, 0);
        size_t set = 0;
        for (size_t k = 0; k < n; k++) set += p[k] != 0;
        ck_assert_uint_eq(set, 0);
        memset(p, 0xff, n);
    }
    ck_assert_str_eq(arena_printf(a, "%s-%d", "x", 5), "x-5");
    char *s = arena_strdup(a, "text");
    ck_assert_str_eq(s, "text");
    arena_free(a);
    arena_free(NULL);
}
END_TEST

START_TEST(streams_are_repeatable_and_independent)
{
    rng_t *a = rng_new(1, "dram", 0), *b = rng_new(1, "dram", 0), *c = rng_new(1, "dram", 1);
    rng_t *d = rng_new(1, "cache", 0), *e = rng_new(2, "dram", 0);
    unsigned same_c = 0, same_d = 0, same_e = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = rng_below(a, 1000);
        ck_assert_uint_lt(x, 1000);
        ck_assert_uint_eq(x, rng_below(b, 1000));
        same_c += x == rng_below(c, 1000);
        same_d += x == rng_below(d, 1000);
        same_e += x == rng_below(e, 1000);
    }
    ck_assert_uint_lt(same_c, 20);
    ck_assert_uint_lt(same_d, 20);
    ck_assert_uint_lt(same_e, 20);
    rng_free(a);
    rng_free(b);
    rng_free(c);
    rng_free(d);
    rng_free(e);
    rng_free(NULL);
}
END_TEST

START_TEST(numbers_spread_as_they_should)
{
    rng_t *r = rng_new(7, "test", 0);
    enum { N = 60000 };
    unsigned count[6] = {0};
    double sum = 0, sum2 = 0, unit = 0;
    for (int i = 0; i < N; i++) {
        count[rng_below(r, 6)]++;
        double u = rng_unit(r), g = rng_gaussian(r, 2);
        ck_assert(u >= 0 && u < 1);
        unit += u;
        sum += g;
        sum2 += g * g;
    }
    for (int i = 0; i < 6; i++) ck_assert(count[i] > 9500 && count[i] < 10500); /* 5 sigma */
    ck_assert_double_lt(fabs(unit / N - 0.5), 0.006);
    ck_assert_double_lt(fabs(sum / N), 0.05);
    ck_assert_double_lt(fabs(sqrt(sum2 / N) - 2), 0.05);
    ck_assert_uint_eq(rng_below(r, 1), 0);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_lt(rng_below(r, UINT64_C(1) << 63), UINT64_C(1) << 63);
    rng_free(r);
}
END_TEST

TEST_MAIN("messages, memory, randomness", all_messages_are_kept_and_the_first_class_counts,
          messages_hold_printable_text_only, slips_find_the_name_that_was_meant,
          an_arena_gives_zeroed_aligned_memory_of_any_size, streams_are_repeatable_and_independent,
          numbers_spread_as_they_should)
