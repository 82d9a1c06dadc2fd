/* SPDX-License-Identifier: MIT
 * The screen fits a terminal and says what the result says; stats.csv is a table of four columns. */
#include "fake_result.h"
#include "report/fmt.h"
#include "report/report.h"
#include "test.h"

static char *screen(const result_t *r, int verbosity)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    report_env_t e = {"9.9.9", "abcdef", verbosity, false, true};
    report_text(f, r, &e);
    fclose(f);
    return text;
}

/* Lines of a text; the widest in columns goes to *width. */
static int lines(char *text, int *width)
{
    int n = 0;
    *width = 0;
    for (char *s = text, *end; *s; s = end + 1, n++) {
        end = strchr(s, '\n');
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        if (fmt_width(s) > *width) *width = fmt_width(s);
        *end = '\n';
    }
    return n;
}

START_TEST(screen_fits_100_columns_and_45_lines)
{
    static fake_t f;
    fake_make(&f);
    f.kernels[0].bound = "a bound with a rather long name";
    char *text = screen(&f.r, 0);
    int width, n = lines(text, &width);
    ck_assert_int_le(n, 45);
    ck_assert_int_le(width, 100);
    free(text);
}
END_TEST

/* The whole of the L1s is 33 MiB on 132 SMs: a reader knows the size of one. */
START_TEST(chart_says_how_large_the_caches_are)
{
    static fake_t f;
    fake_make(&f);
    char *text = screen(&f.r, 0);
    ck_assert_ptr_nonnull(strstr(text, " 256 KiB an SM"));
    ck_assert_ptr_nonnull(strstr(text, "\xE2\x94\x82 50 MiB"));
    free(text);
}
END_TEST

START_TEST(screen_with_many_kernels_shows_kinds_and_still_fits)
{
    static fake_t f;
    static char names[20][16];
    fake_make(&f);
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "k%d", i);
        fake_kernel(&f, "decode", names[i], i % 2 ? "norm" : "gemm", 1, 1e9, 1e9, "dram bandwidth");
    }
    char *text = screen(&f.r, 0);
    int width, n = lines(text, &width);
    ck_assert_int_le(n, 45);
    ck_assert_int_le(width, 100);
    ck_assert_ptr_nonnull(strstr(text, "norm"));
    ck_assert_ptr_null(strstr(text, "k17"));
    free(text);
    text = screen(&f.r, 1);
    ck_assert_ptr_nonnull(strstr(text, "k17"));
    free(text);
}
END_TEST

START_TEST(screen_names_run_bandwidths_tokens_and_verdict)
{
    static fake_t f;
    fake_make(&f);
    char *text = screen(&f.r, 0);
    static const char *const must[] = {"Test GPU 80 GB",
                                       "Test inference",
                                       "132 SMs",
                                       "2.00 s",
                                       "\xC2\xB1 1.2 %",
                                       "64 tokens/s",
                                       "row hit 80.0 %",
                                       "hit 50.0 %",
                                       "all-reduce",
                                       "decode 1.80 s",
                                       "Memory bandwidth limits 90 %",
                                       "600 J",
                                       "refresh 4.0 %",
                                       "123 MiB"};
    for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
        ck_assert_msg(strstr(text, must[i]) != NULL, "the screen lacks: %s", must[i]);
    ck_assert_ptr_null(strstr(text, "\033")); /* no colour asked for */
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
}
END_TEST

START_TEST(screen_of_an_empty_run_has_no_numbers_made_up)
{
    static fake_t f;
    fake_make(&f);
    result_t r = {.device = "d", .workload = "w", .mode = "exact", .reproducible = true};
    char *text = screen(&r, 0);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf"));
    ck_assert_ptr_nonnull(strstr(text, "no work"));
    free(text);
}
END_TEST

START_TEST(quiet_screen_is_totals_and_verdict)
{
    static fake_t f;
    fake_make(&f);
    char *text = screen(&f.r, -1);
    int width;
    ck_assert_int_le(lines(text, &width), 4);
    ck_assert_ptr_nonnull(strstr(text, "2.00 s"));
    free(text);
}
END_TEST

START_TEST(partial_and_irreproducible_results_say_so)
{
    static fake_t f;
    fake_make(&f);
    f.r.partial = true;
    f.r.reproducible = false;
    char *text = screen(&f.r, 0);
    ck_assert_ptr_nonnull(strstr(text, "PARTIAL"));
    ck_assert_ptr_null(strstr(text, "not reproducible")); /* that goes without saying */
    free(text);
    f.r.partial = false;
    f.r.repeat = "--sample=2.5";
    text = screen(&f.r, 0);
    ck_assert_ptr_nonnull(strstr(text, "not reproducible"));
    ck_assert_ptr_nonnull(strstr(text, "--sample=2.5 repeats"));
    ck_assert_ptr_null(strstr(text, "PARTIAL"));
    free(text);
}
END_TEST

START_TEST(csv_has_four_columns_and_the_counters)
{
    static fake_t f;
    fake_make(&f);
    f.levels[0].hit_rate = (double)NAN;
    char *text = NULL;
    size_t n = 0;
    FILE *o = open_memstream(&text, &n);
    report_csv(o, &f.r);
    fclose(o);
    ck_assert_int_eq(strncmp(text, "instance,statistic,value,unit\n", 30), 0);
    ck_assert_ptr_nonnull(strstr(text, "\nl2,hits,700,requests\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nlevel.l1,hit_rate,,share\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nkernel.decode.kv_read,count,96,launches\n"));
    for (char *s = text; *s; s = strchr(s, '\n') + 1) {
        int commas = 0;
        for (char *c = s; *c != '\n'; c++) commas += *c == ',';
        ck_assert_int_eq(commas, 3);
    }
    free(text);
}
END_TEST

START_TEST(numbers_have_three_digits_and_the_right_prefix)
{
    ck_assert_str_eq(fmt_si(2.9e12, "B/s").s, "2.90 TB/s");
    ck_assert_str_eq(fmt_si(999.6e9, "B/s").s, "1.00 TB/s");
    ck_assert_str_eq(fmt_si(0, "J").s, "0 J");
    ck_assert_str_eq(fmt_si(0.5, "B").s, "0.50 B");
    ck_assert_str_eq(fmt_ns(0.3125).s, "312 ps");
    ck_assert_str_eq(fmt_ns(13.1e6).s, "13.1 ms");
    ck_assert_str_eq(fmt_ns(612).s, "612 ns");
    ck_assert_str_eq(fmt_bytes(53687091200.0).s, "50 GiB");
    ck_assert_str_eq(fmt_count(1234567).s, "1,234,567");
    ck_assert_str_eq(fmt_count(999).s, "999");
    ck_assert_str_eq(fmt_pct((double)NAN).s, "-");
    ck_assert_str_eq(fmt_pct(0.871).s, "87.1 %");
    ck_assert_int_eq(fmt_width("a\xC3\x97\x62"), 3);
}
END_TEST

TEST_MAIN("screen", screen_fits_100_columns_and_45_lines, chart_says_how_large_the_caches_are,
          screen_with_many_kernels_shows_kinds_and_still_fits,
          screen_names_run_bandwidths_tokens_and_verdict,
          screen_of_an_empty_run_has_no_numbers_made_up, quiet_screen_is_totals_and_verdict,
          partial_and_irreproducible_results_say_so, csv_has_four_columns_and_the_counters,
          numbers_have_three_digits_and_the_right_prefix)
