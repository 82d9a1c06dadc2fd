/* SPDX-License-Identifier: MIT
 * Raw access lines: what they mean, what is refused and where, and which other tools' lines are known. */
#include "test.h"
#include "workload/raw.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static raw_parser_t parser;
static diag_t d;

static int parse(const char *line, raw_access_t *out)
{
    return raw_parse(&parser, line, 7, out, &d);
}

static void fresh(void)
{
    raw_parser_init(&parser, "t.trace");
    diag_init(&d);
}

#define ACCEPT(text, write_, addr_, bytes_, at_)                                                   \
    do {                                                                                           \
        raw_access_t x;                                                                            \
        fresh();                                                                                   \
        ck_assert_msg(parse(text, &x) == 1, "%s: %s", text, d.n ? d.msg[0] : "skipped");           \
        ck_assert_msg(                                                                             \
            x.write == (write_) && x.addr == (addr_) && x.bytes == (bytes_) && x.at_ps == (at_),   \
            "%s: %d 0x%" PRIx64 " %" PRIu64 " %" PRId64, text, x.write, x.addr, x.bytes, x.at_ps); \
        diag_free(&d);                                                                             \
    } while (0)

static void refuse(const char *text, const char *part)
{
    raw_access_t x;
    fresh();
    ck_assert_msg(parse(text, &x) == -1, "%s: accepted", text);
    ck_assert_int_eq(d.worst, MS_INPUT);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_msg(strstr(d.msg[0], "t.trace:7: ") && strstr(d.msg[0], part),
                  "%s: no \"%s\" in \"%s\"", text, part, d.msg[0]);
    diag_free(&d);
}

START_TEST(address_base_is_by_prefix_and_size_defaults_to_64)
{
    ACCEPT("R 4096", false, 4096, 64, -1);
    ACCEPT("R 140736775976056", false, 140736775976056, 64, -1);
    ACCEPT("W 0x4096", true, 0x4096, 64, -1);
    ACCEPT("w 0XfF", true, 0xFF, 64, -1);
    ACCEPT("r 0xAbCdEf0123456789 1", false, 0xABCDEF0123456789, 1, -1);
    ACCEPT("\tR\t0x1001  256\t \t# unaligned", false, 0x1001, 256, -1);
    ACCEPT("W 63 0x40#c", true, 63, 64, -1);
    ACCEPT("R 18446744073709551615 1", false, UINT64_MAX, 1, -1);
}
END_TEST

START_TEST(times_are_exact_to_the_picosecond_and_in_ns_without_a_unit)
{
    ACCEPT("R 0 64 @0", false, 0, 64, 0);
    ACCEPT("R 0 @125", false, 0, 64, 125000);
    ACCEPT("R 0 @13.75ns", false, 0, 64, 13750);
    ACCEPT("R 0 @0.3125", false, 0, 64, 312);
}
END_TEST

START_TEST(units_of_time)
{
    ACCEPT("W 0 32 @7ps", true, 0, 32, 7);
    ACCEPT("W 0 32 @1.5us # late", true, 0, 32, 1500000);
    ACCEPT("W 0 32 @2ms", true, 0, 32, 2000000000);
    ACCEPT("W 0 32 @0.000000000001s", true, 0, 32, 1);
    ACCEPT("W 0 32 @1.000", true, 0, 32, 1000);
    ACCEPT("W 0 @1.5ps", true, 0, 64, 1);
    ACCEPT("W 0 @0.0001", true, 0, 64, 0);
    refuse("R 0 @1e30", "ps, ns, us, ms or s");
    refuse("R 0 @-5", "expected a time");
    refuse("R 0 @", "expected a time");
    refuse("R 0 @99999999999999s", "too large");
    refuse("R 0 @99999999999999999999999", "too large");
}
END_TEST

START_TEST(blank_lines_and_comments_are_no_access)
{
    raw_access_t x;
    fresh();
    ck_assert_int_eq(parse("", &x), 0);
    ck_assert_int_eq(parse(" \t ", &x), 0);
    ck_assert_int_eq(parse("# R 0", &x), 0);
    ck_assert_int_eq(parse("  # R 0", &x), 0);
    ck_assert_int_eq(parser.form, RAW_NONE); /* nor do they settle the form */
    ck_assert_uint_eq(d.n, 0);
}
END_TEST

START_TEST(malformed_lines_are_refused_with_line_and_column)
{
    refuse("hello world x", "column 1: expected R or W, got \"hello\"");
    refuse("R", "column 2: expected an address (decimal or 0x...), but the line ends");
    refuse("R # nothing", "but the line ends");
    refuse("R abc", "column 3: expected an address");
    refuse("R 0x", "expected an address");
    refuse("R 0xfg", "expected an address");
    refuse("R 12ab", "expected an address");
    refuse("R -5", "expected an address");
    refuse("R 0x10000000000000000", "address over 64 bits");
    refuse("R 18446744073709551616", "address over 64 bits");
    refuse("R 0 0", "at least 1 byte");
    refuse("R 0 64k", "column 5: expected a size");
    refuse("R 0 64 64", "column 8: expected the end of the line, got \"64\"");
    refuse("R 0 64 @1 x", "expected the end of the line");
    refuse("R 18446744073709551615", "beyond 64-bit addresses");
    refuse("RW 0", "expected R or W, got \"RW\"");
    refuse("R0", "expected R or W");
}
END_TEST

START_TEST(form_is_settled_by_the_first_access)
{
    raw_access_t x;
    fresh();
    ck_assert_int_eq(parse("R 0", &x), 1);
    ck_assert_int_eq(parse("LD 0", &x), -1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "expected R or W, got \"LD\""));
    diag_free(&d);
    fresh();
    ck_assert_int_eq(parse("LD 0", &x), 1);
    ck_assert_int_eq(parse("R 0", &x), -1);
    diag_free(&d);
}
END_TEST

START_TEST(times_must_not_decrease_but_may_repeat_or_be_absent)
{
    raw_access_t x;
    fresh();
    ck_assert_int_eq(parse("R 0 @1000", &x), 1);
    ck_assert_int_eq(parse("R 0 @1000", &x), 1);
    ck_assert_int_eq(parse("R 0", &x), 1);
    ck_assert_int_eq(x.at_ps, -1);
    ck_assert_int_eq(parse("R 0 @999", &x), -1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "999000 ps is before the 1000000 ps"));
    ck_assert_uint_eq(parser.accesses, 3);
    diag_free(&d);
}
END_TEST

START_TEST(capacity_is_checked_to_the_byte_where_it_is_known)
{
    raw_access_t x;
    fresh();
    parser.limit_bytes = 1 << 20;
    ck_assert_int_eq(parse("R 1048512", &x), 1);
    ck_assert_int_eq(parse("R 1048575 1", &x), 1);
    const char *over[] = {"R 1048513", "R 1048576 1", "R 0xFFFFFFFFFFFFF000", "R 0 1048577"};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(parse(over[i], &x), -1);
        ck_assert_ptr_nonnull(strstr(d.msg[i], "t.trace:7: access of "));
        ck_assert_ptr_nonnull(strstr(d.msg[i], "capacity of 1048576 bytes"));
    }
    diag_free(&d);
}
END_TEST

START_TEST(lines_of_other_tools_that_are_plain_accesses_are_imported)
{
    ACCEPT("LD 0x7f0040", false, 0x7F0040, 64, -1);
    ACCEPT("ST 8126528", true, 8126528, 64, -1);
    ACCEPT("0x12345680 R", false, 0x12345680, 64, -1);
    ACCEPT("0x12345680 W # x", true, 0x12345680, 64, -1);
    ACCEPT("0x12345680 read", false, 0x12345680, 64, -1);
    ACCEPT("40 P_MEM_WR", true, 0x40, 64, -1); /* DRAMSim's addresses are hexadecimal, 0x or not */
    refuse("0x40 READ 100", "DRAMsim3 trace: its times are cycles");

    raw_access_t x;
    fresh();
    parser.clock = (clk_t){.hz = 1600000000}; /* 625 ps */
    parser.default_bytes = 32;
    ck_assert_int_eq(parse("0x3F0040C0 READ 12", &x), 1);
    ck_assert(!x.write && x.addr == 0x3F0040C0 && x.bytes == 32 && x.at_ps == 7500);
    ck_assert_int_eq(parse("3f004100 WRITE 13", &x), 1);
    ck_assert(x.write && x.addr == 0x3F004100 && x.at_ps == 8125);
    ck_assert_int_eq(parse("3f004100 WRTIE 14", &x), -1); /* a typo is not a read */
    ck_assert_int_eq(parse("3f004100 READ 99999999999999999999", &x), -1);
    diag_free(&d);
}
END_TEST

START_TEST(lines_of_other_tools_that_are_not_are_refused_by_name)
{
    static const struct {
        const char *line;
        raw_form_t form;
        const char *name;
    } known[] = {
        {"R 0,0,1,3,511,16", RAW_ADDR_VECTOR, "address vectors"},
        {"4 20734016 20999936", RAW_CPU, "Ramulator CPU"},
        {"0 20734080", RAW_CPU, "Ramulator CPU"},
        {"12 R 0x2b3fc0 0x4011a2", RAW_USIMM, "USIMM"},
        {"3 W 2b4000", RAW_USIMM, "USIMM"},
        {"17:  read  0x1180", RAW_STL, "DRAMSys STL"},
        {"I  04001090,3", RAW_LACKEY, "lackey"},
        {" L 1ffefff0c8,8", RAW_LACKEY, "lackey"},
        {"r,4096,64,0,1000", RAW_GEM5, "gem5"},
        {"-kernel name = _Z3addPf", RAW_ACCELSIM, "Accel-Sim"},
        {"MEMTRACE: CTX 0x0 - LAUNCH", RAW_NVBIT, "NVBit"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ck_assert_msg(raw_sniff(known[i].line) == known[i].form, "%s", known[i].line);
        refuse(known[i].line, known[i].name);
        refuse(known[i].line, "`R|W ADDR [SIZE] [@TIME]`");
    }
    static const char *const none[] = {"",      "# R 0",     "kernel copy", "param bytes = 1",
                                       "I",     "u",         "R:",          "17 x",
                                       "LDX 0", "let R = 1", "memsim 1"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        ck_assert_msg(raw_sniff(none[i]) == RAW_NONE, "%s", none[i]);
    for (int f = 0; f < RAW_FORMS; f++) ck_assert_ptr_nonnull(raw_form_names[f]);
}
END_TEST

START_TEST(a_file_streams_and_rewinds)
{
    char path[] = "/tmp/memsim-251-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    for (int i = 0; i < 50000; i++)
        fprintf(f, "# line\n%c 0x%x 32 @%d\r\n", "RW"[i % 2], i * 32, i * 10);
    fclose(f);
    diag_init(&d);
    raw_stream_t s;
    ck_assert_int_eq(raw_open(&s, path, &d), MS_OK);
    for (int lap = 0; lap < 2; lap++) {
        raw_access_t x;
        int n = 0;
        for (; raw_next(&s, &x, &d) == 1; n++)
            if (x.addr != (addr_t)n * 32 || x.write != n % 2 || x.at_ps != (ps_t)n * 10000)
                ck_abort_msg("access %d", n);
        ck_assert_int_eq(n, 50000); /* all of them, none twice */
        ck_assert(raw_rewind(&s));
    }
    ck_assert_uint_eq(d.n, 0);
    raw_close(&s);
    f = fopen(path, "w");
    fputs("R 0\nhello world x\nR 64\n", f);
    fclose(f);
    ck_assert_int_eq(raw_open(&s, path, &d), MS_OK);
    raw_access_t x;
    ck_assert_int_eq(raw_next(&s, &x, &d), 1);
    ck_assert_int_eq(raw_next(&s, &x, &d), -1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], ":2: column 1: expected R or W, got \"hello\""));
    raw_close(&s);
    diag_free(&d);
    remove(path);
}
END_TEST

TEST_MAIN("raw-lines", address_base_is_by_prefix_and_size_defaults_to_64,
          times_are_exact_to_the_picosecond_and_in_ns_without_a_unit, units_of_time,
          blank_lines_and_comments_are_no_access, malformed_lines_are_refused_with_line_and_column,
          form_is_settled_by_the_first_access, times_must_not_decrease_but_may_repeat_or_be_absent,
          capacity_is_checked_to_the_byte_where_it_is_known,
          lines_of_other_tools_that_are_plain_accesses_are_imported,
          lines_of_other_tools_that_are_not_are_refused_by_name, a_file_streams_and_rewinds)
