/* SPDX-License-Identifier: MIT
 * The command log: what is written is read back, foreign logs are judged, damaged ones are refused by line. */
#include "core/arena.h"
#include "dram/check.h"
#include "dram/log.h"
#include "dram_bins.h"
#include "test.h"
#include <stdio.h>
#include <string.h>

static FILE *text_file(const char *text)
{
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    rewind(f);
    return f;
}

START_TEST(lines_come_back_as_written)
{
    static const dram_log_line_t in[] = {
        {0, 0, 0, 0, 0, 0, 0, DRAM_LOG_NONE, DRAM_ACT},
        {14000, 3, 1, 2, 3, 1, 65535, 31, DRAM_RD},
        {INT64_MAX / 2, 143, 0, 0, 7, 3, 1, 0, DRAM_WRA},
        {INT64_MAX / 2, 143, 0, 1, DRAM_LOG_NONE, DRAM_LOG_NONE, DRAM_LOG_NONE, DRAM_LOG_NONE,
         DRAM_REFAB},
        {INT64_MAX / 2, 143, 0, 1, 2, 1, DRAM_LOG_NONE, DRAM_LOG_NONE, DRAM_REFPB},
    };
    arena_t *a = arena_new();
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    dram_log_t *l = dram_log_new(f, a);
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        dram_log_command(l, in[i].channel, in[i].cmd, in[i].pc, in[i].rank, in[i].bg, in[i].bank,
                         in[i].row, in[i].col, in[i].when);
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(dram_log_finish(l, "log", &d), MS_OK);
    ck_assert_uint_eq(dram_log_lines(l), 5);
    rewind(f);
    char line[256];
    const char *why = NULL;
    dram_log_line_t out;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    ck_assert_str_eq(line, "# time_ps channel pc rank bg bank row col command\n");
    ck_assert_int_eq(dram_log_parse(line, &out, &why), 0);
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
        if (i == 1) ck_assert_str_eq(line, "14000 3 1 2 3 1 65535 31 RD\n");
        if (i == 3) ck_assert_str_eq(line, "4611686018427387903 143 0 1 - - - - REFab\n");
        ck_assert_int_eq(dram_log_parse(line, &out, &why), 1);
        ck_assert_int_eq(memcmp(&out, &in[i], sizeof out), 0);
    }
    fclose(f);
    diag_free(&d);
    arena_free(a);
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
    FILE *f = fopen("/dev/full", "w");
    if (!f) return; /* a system without it */
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    dram_log_t *l = dram_log_new(f, a);
    for (int i = 0; i < 10000; i++) dram_log_command(l, 0, DRAM_PREA, 0, 0, 0, 0, 0, 0, i);
    ck_assert_int_eq(dram_log_finish(l, "commands.txt", &d), MS_USAGE);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "commands.txt: cannot write"));
    fclose(f);
    diag_free(&d);
    arena_free(a);
}
END_TEST

START_TEST(harmless_forms_are_read)
{
    static const char *const good[] = {"5 0 0 0 1 2 3 - ACT", "  5\t0 0 0 1 2 3 -   ACT \r\n",
                                       "5 0 0 0 1 2 3 - ACT # why"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s", good[i]);
        dram_log_line_t out;
        const char *why = NULL;
        ck_assert_int_eq(dram_log_parse(line, &out, &why), 1);
        ck_assert_int_eq(out.when, 5);
        ck_assert_uint_eq(out.row, 3);
        ck_assert_uint_eq(out.col, DRAM_LOG_NONE);
    }
    char blank[] = " \t\r\n";
    dram_log_line_t out;
    const char *why = NULL;
    ck_assert_int_eq(dram_log_parse(blank, &out, &why), 0);
}
END_TEST

START_TEST(damaged_lines_are_refused)
{
    static const char *const bad[] = {
        "5 0 0 0 1 2 3 ACT",
        "5 0 0 0 1 2 3 - ACT 9",
        "5.5 0 0 0 1 2 3 - ACT",
        "-5 0 0 0 1 2 3 - ACT",
        "0x5 0 0 0 1 2 3 - ACT",
        "5 - 0 0 1 2 3 - ACT",
        "5 0 0 0 1 2 99999999999 - ACT",
        "99999999999999999999999 0 0 0 1 2 3 - ACT",
        "5 0 0 0 1 2 3 - act",
        "5 0 0 0 1 2 3 - NOP",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s", bad[i]);
        dram_log_line_t out;
        const char *why = NULL;
        ck_assert_msg(dram_log_parse(line, &out, &why) == -1, "accepted: %s", bad[i]);
        ck_assert_ptr_nonnull(why);
    }
}
END_TEST

/* Judge `text` as a log of an HBM2 channel; returns the class, the first message is in `msg`. */
static int judge(const char *text, char *msg, size_t n, size_t *messages)
{
    dram_param_t p = bin_hbm2();
    diag_t d;
    diag_init(&d);
    FILE *f = text_file(text);
    int cls = dram_check_file(&p, f, "foreign.log", &d);
    snprintf(msg, n, "%s", d.n ? d.msg[0] : "");
    *messages = d.n;
    fclose(f);
    diag_free(&d);
    return cls;
}

START_TEST(a_foreign_log_is_judged)
{
    char msg[512];
    size_t n;
    const char *legal = "# two channels, each in order\n"
                        "10000 0 0 0 1 2 7 - ACT\n"
                        "10000 1 0 0 1 2 7 - ACT\n"
                        "25000 0 0 0 1 2 7 0 RD\n"
                        "\n"
                        "25000 1 0 0 1 2 7 0 RD\n";
    ck_assert_int_eq(judge(legal, msg, sizeof msg, &n), MS_OK);
    ck_assert_uint_eq(n, 0);
    const char *early = "10000 0 0 0 1 2 7 - ACT\n"
                        "24000 0 0 0 1 2 7 0 RD\n";
    ck_assert_int_eq(judge(early, msg, sizeof msg, &n), MS_INTERNAL);
    ck_assert_uint_eq(n, 1);
    ck_assert_msg(strstr(msg, "foreign.log:2: channel 0: tRCDRD") == msg, "%s", msg);
}
END_TEST

START_TEST(a_log_of_another_memory_is_refused)
{
    static const char *const bad[] = {
        "10000 0 2 0 1 2 7 - ACT\n", "10000 0 0 1 1 2 7 - ACT\n",     "10000 0 0 0 4 2 7 - ACT\n",
        "10000 0 0 0 1 4 7 - ACT\n", "10000 0 0 0 1 2 65536 - ACT\n", "10000 0 0 0 1 2 - - ACT\n",
        "10000 0 0 0 1 2 7 - RD\n",  "10000 5000 0 0 1 2 7 - ACT\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char msg[512];
        size_t n;
        ck_assert_msg(judge(bad[i], msg, sizeof msg, &n) == MS_INPUT, "accepted: %s", bad[i]);
        ck_assert_msg(strstr(msg, "foreign.log:1: ") == msg, "%s", msg);
    }
}
END_TEST

START_TEST(a_line_without_end_is_refused)
{
    static char text[2048];
    memset(text, '7', sizeof text - 1);
    char msg[512];
    size_t n;
    ck_assert_int_eq(judge(text, msg, sizeof msg, &n), MS_INPUT);
    ck_assert_ptr_nonnull(strstr(msg, "longer than"));
}
END_TEST

TEST_MAIN("command-log", lines_come_back_as_written, a_full_disk_is_noticed,
          harmless_forms_are_read, damaged_lines_are_refused, a_foreign_log_is_judged,
          a_log_of_another_memory_is_refused, a_line_without_end_is_refused)
