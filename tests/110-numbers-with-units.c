/* SPDX-License-Identifier: MIT
 * Numbers with units: exact where the result is an integer, refused with a reason where it cannot be. */
#include "core/param.h"
#include "core/rng.h"
#include "test.h"
#include <stdio.h>
#include <string.h>

static const char *why;

#define GOOD(pt, type, text, want, cmp)                                       \
    do {                                                                      \
        type got;                                                             \
        ck_assert_msg(text_parse(pt, text, &got, &why), "%s: %s", text, why); \
        cmp(got, want);                                                       \
    } while (0)
#define PS(text, want) GOOD(PT_PS, ps_t, text, want, ck_assert_int_eq)
#define BYTES(text, want) GOOD(PT_BYTES, uint64_t, text, want, ck_assert_uint_eq)

static const char *refusal(param_type_t pt, const char *text)
{
    union {
        gap_t g;
        double d;
        uint64_t u;
    } out;
    why = NULL;
    ck_assert_msg(!text_parse(pt, text, &out, &why), "accepted \"%s\"", text);
    ck_assert_ptr_nonnull(why);
    return why;
}

START_TEST(durations_are_exact)
{
    PS("13.75 ns", 13750);
    PS("14ns", 14000);
    PS("  3.9 us\t", 3900000);
    PS("0.625ns", 625);
    PS("1 s", 1000000000000);
    PS("9223372.036854775807 s", INT64_MAX);
    PS("1e3 ps", 1000);
    PS("2.5E-6 s", 2500000);
    PS("-5 ps", -5);
    PS("0 ns", 0);
    PS("0.000 ns", 0);
    PS("1.0000000000000000000000000 ns", 1000);
    ck_assert_str_eq(refusal(PT_PS, "14"), "needs a unit (ps, ns, us, ms or s)");
    ck_assert_str_eq(refusal(PT_PS, "0.3125 ps"), "is finer than 1 ps");
    ck_assert_str_eq(refusal(PT_PS, "9223372.036854775808 s"), "is too large");
    ck_assert_str_eq(refusal(PT_PS, "1e30 s"), "is too large");
    ck_assert_str_eq(refusal(PT_PS, "14 nS"), "has an unknown unit (use ps, ns, us, ms or s)");
    ck_assert_str_eq(refusal(PT_PS, "ns"), "is not a number");
    ck_assert_str_eq(refusal(PT_PS, ""), "has no value");
}
END_TEST

START_TEST(bytes_clocks_rates)
{
    BYTES("50 MiB", 52428800);
    BYTES("64KiB", 65536);
    BYTES("0.5 KiB", 512);
    BYTES("0.125 KiB", 128);
    BYTES("80 GB", 80000000000);
    BYTES("8388608 TiB", UINT64_C(1) << 63);
    ck_assert_str_eq(refusal(PT_BYTES, "16777216 TiB"), "is too large");
    ck_assert_str_eq(refusal(PT_BYTES, "0.3 KiB"), "is not a whole number of bytes");
    ck_assert_str_eq(refusal(PT_BYTES, "-1 B"), "must not be negative");
    ck_assert_str_eq(refusal(PT_BYTES, "1"),
                     "needs a unit (B, KiB, MiB, GiB, TiB, kB, MB, GB or TB)");
    GOOD(PT_RATE, uint64_t, "5.238 Gbps", 5238000000, ck_assert_uint_eq);
    GOOD(PT_RATE, uint64_t, "6400 MT/s", 6400000000, ck_assert_uint_eq);
    GOOD(PT_HZ, uint64_t, "1593 MHz", 1593000000, ck_assert_uint_eq);
    GOOD(PT_HZ, uint64_t, "1.98GHz", 1980000000, ck_assert_uint_eq);
    GOOD(PT_BW, uint64_t, "3.352 TB/s", 3352000000000, ck_assert_uint_eq);
    GOOD(PT_COUNT, uint32_t, "132", 132, ck_assert_uint_eq);
    GOOD(PT_COUNT, uint32_t, "4294967295", UINT32_MAX, ck_assert_uint_eq);
    ck_assert_str_eq(refusal(PT_COUNT, "4294967296"), "is too large");
    ck_assert_str_eq(refusal(PT_COUNT, "1.5"), "must be a whole number");
    ck_assert_str_eq(refusal(PT_COUNT, "-1"), "must not be negative");
    ck_assert_str_eq(refusal(PT_COUNT, "132 SMs"), "must be a whole number without a unit");
}
END_TEST

START_TEST(gaps_are_durations_or_clocks)
{
    gap_t g;
    ck_assert(text_parse(PT_GAP, "20 CK", &g, &why));
    ck_assert(g.in_clocks && g.v == 20);
    ck_assert(text_parse(PT_GAP, "13.75ns", &g, &why));
    ck_assert(!g.in_clocks && g.v == 13750);
    ck_assert_str_eq(refusal(PT_GAP, "0.5 CK"), "is finer than 1 ps or 1 CK");
    ck_assert_str_eq(refusal(PT_GAP, "20"), "needs a unit (ps, ns, us, ms, s or CK)");
}
END_TEST

START_TEST(reals_are_rounded_once)
{
    GOOD(PT_REAL, double, "25 %", 0.25, ck_assert_double_eq);
    GOOD(PT_REAL, double, "0.1", 0.1, ck_assert_double_eq);
    GOOD(PT_REAL, double, "70%", 0.7, ck_assert_double_eq);
    GOOD(PT_REAL, double, "-2e-3", -0.002, ck_assert_double_eq);
    GOOD(PT_PJ, double, "3.97 pJ", 3.97, ck_assert_double_eq);
    GOOD(PT_PJ, double, "1.5 nJ", 1500.0, ck_assert_double_eq);
    GOOD(PT_PJ, double, "110 fJ", 0.11, ck_assert_double_eq);
    GOOD(PT_WATT, double, "250 mW", 0.25, ck_assert_double_eq);
    ck_assert_str_eq(refusal(PT_REAL, "1e999"), "is too large");
    refusal(PT_REAL, "nan");
    refusal(PT_REAL, "inf");
    refusal(PT_REAL, "0x10");
    refusal(PT_WATT, "3");
}
END_TEST

START_TEST(yes_and_no)
{
    bool b;
    const char *const yes[] = {"yes", "true", "on"}, *const no[] = {"no", "false", "off"};
    for (int i = 0; i < 3; i++) {
        ck_assert(text_parse(PT_BOOL, yes[i], &b, &why) && b);
        ck_assert(text_parse(PT_BOOL, no[i], &b, &why) && !b);
    }
    ck_assert_str_eq(refusal(PT_BOOL, "1"), "must be yes or no");
    ck_assert_str_eq(refusal(PT_BOOL, "Yes "), "must be yes or no");
}
END_TEST

static const char *shown(param_type_t pt, const void *v)
{
    static char buf[64];
    text_format(pt, v, buf, sizeof buf);
    return buf;
}

static const char *shown_u64(param_type_t pt, uint64_t v)
{
    return shown(pt, &v);
}

START_TEST(values_are_shown_as_a_person_writes_them)
{
    ck_assert_str_eq(shown_u64(PT_BYTES, 53687091200), "50 GiB");
    ck_assert_str_eq(shown_u64(PT_BYTES, 80000000000), "80 GB");
    ck_assert_str_eq(shown_u64(PT_BYTES, 128), "128 B");
    ck_assert_str_eq(shown_u64(PT_BYTES, 0), "0 B");
    ck_assert_str_eq(shown_u64(PT_BYTES, 1536), "1.5 KiB");
    ck_assert_str_eq(shown_u64(PT_BYTES, 233472), "228 KiB");
    ck_assert_str_eq(shown_u64(PT_HZ, 1593000000), "1.593 GHz");
    ck_assert_str_eq(shown_u64(PT_RATE, 5238000000), "5.238 Gbps");
    ck_assert_str_eq(shown_u64(PT_BW, 3352000000000), "3.352 TB/s");
    ps_t t = 13750;
    ck_assert_str_eq(shown(PT_PS, &t), "13.75 ns");
    t = 3900000;
    ck_assert_str_eq(shown(PT_PS, &t), "3.9 us");
    t = 625;
    ck_assert_str_eq(shown(PT_PS, &t), "625 ps");
    t = -1500;
    ck_assert_str_eq(shown(PT_PS, &t), "-1.5 ns");
    gap_t g = {20, true};
    ck_assert_str_eq(shown(PT_GAP, &g), "20 CK");
    double x = 0.7;
    ck_assert_str_eq(shown(PT_REAL, &x), "0.7");
    x = 3.97;
    ck_assert_str_eq(shown(PT_PJ, &x), "3.97 pJ");
    x = 700;
    ck_assert_str_eq(shown(PT_WATT, &x), "700 W");
    x = 120000;
    ck_assert_str_eq(shown(PT_REAL, &x), "120000");
    x = 0.00002;
    ck_assert_str_eq(shown(PT_REAL, &x), "2e-05");
    bool yes = true;
    ck_assert_str_eq(shown(PT_BOOL, &yes), "yes");
}
END_TEST

START_TEST(what_is_shown_reads_back_to_the_same_value)
{
    const param_type_t whole[] = {PT_BYTES, PT_HZ, PT_RATE, PT_BW};
    char buf[64];
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t v = mix64(i) >> (i % 64), got = 0;
        if (i % 3 == 0) v = v / 1000 * 1000;
        if (i % 5 == 0) v = v >> 20 << 20;
        for (size_t k = 0; k < 4; k++) {
            text_format(whole[k], &v, buf, sizeof buf);
            ck_assert_msg(text_parse(whole[k], buf, &got, &why), "%s: %s", buf, why);
            ck_assert_uint_eq(got, v);
        }
        ps_t t = (ps_t)(v >> 1), t2 = 0;
        text_format(PT_PS, &t, buf, sizeof buf);
        ck_assert_msg(text_parse(PT_PS, buf, &t2, &why), "%s: %s", buf, why);
        ck_assert_int_eq(t, t2);
        double x = (double)mix64(i) * 1e-17, x2 = 0;
        text_format(PT_REAL, &x, buf, sizeof buf);
        ck_assert_msg(text_parse(PT_REAL, buf, &x2, &why), "%s: %s", buf, why);
        ck_assert_double_eq(x, x2);
    }
}
END_TEST

/* Anything may be typed.  Text made of the pieces that numbers are made of is read or refused with a reason. */
START_TEST(any_text_is_read_or_refused)
{
    unsigned silent = 0;
    static const char *const piece[] = {
        "1", "0",  "9", ".",           "-",          "+",    "e",  "E",    "ns",  "KiB", "%",
        " ", "CK", "x", "99999999999", "0000000000", "\xff", "\t", "TB/s", "nan", "1e",  "e-9"};
    const size_t pieces = sizeof piece / sizeof *piece;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[200] = "";
        uint64_t h = mix64(i);
        for (unsigned k = 0; k < 1 + i % 9; k++, h = mix64(h)) strcat(text, piece[h % pieces]);
        for (int pt = 0; pt <= PT_ENUM; pt++) {
            union {
                gap_t g;
                double d;
                uint64_t u;
            } out;
            why = NULL;
            silent += !text_parse((param_type_t)pt, text, &out, &why) && !why;
        }
    }
    ck_assert_uint_eq(silent, 0);
}
END_TEST

TEST_MAIN("numbers with units", durations_are_exact, bytes_clocks_rates,
          gaps_are_durations_or_clocks, reals_are_rounded_once, yes_and_no,
          values_are_shown_as_a_person_writes_them, what_is_shown_reads_back_to_the_same_value,
          any_text_is_read_or_refused)
