/* SPDX-License-Identifier: MIT
 * config.resolved.ini is a device file that gives the same device; the listing names origin and source. */
#include "cli/cli.h"
#include "cli/device_text.h"
#include "core/access.h"
#include "core/words.h"
#include "dram/dram.h"
#include "fake_result.h"
#include "report/keys.h"
#include "report/report.h"
#include "report/screen_words.h"
#include "test.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *ini_of(const device_t *dev)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    device_write_ini(f, dev, "run: again\nwith: two lines");
    fclose(f);
    return text;
}

static void load(device_t *dev, const char *path, const char *const *set, size_t n, arena_t *a)
{
    diag_t d;
    diag_init(&d);
    int rc = device_load(dev, path, set, n, a, &d);
    ck_assert_msg(rc == MS_OK, "%s: %s", path, d.n ? d.msg[0] : "no message");
    diag_free(&d);
}

START_TEST(resolved_file_of_every_device_gives_the_same_device)
{
    DIR *dir = opendir("devices");
    ck_assert_ptr_nonnull(dir);
    const struct dirent *e;
    int devices = 0;
    while ((e = readdir(dir)) != NULL) {
        if (!strstr(e->d_name, ".ini")) continue;
        devices++;
        arena_t *a = arena_new();
        device_t *x = arena_array(a, device_t, 1), *y = arena_array(a, device_t, 1);
        char path[512], flat[] = "/tmp/memsim-flat-XXXXXX";
        snprintf(path, sizeof path, "devices/%s", e->d_name);
        const char *const set[] = {"gpu.sms=16", "l2.hit=123.25ns"};
        load(x, path, set, 2, a);
        char *text = ini_of(x);
        int fd = mkstemp(flat);
        ck_assert_int_ge(fd, 0);
        FILE *f = fdopen(fd, "w");
        fputs(text, f);
        fclose(f);
        load(y, flat, NULL, 0, a);
        unlink(flat);
        char *again = ini_of(y);
        ck_assert_msg(strcmp(text, again) == 0, "%s does not survive", path);
        ck_assert_uint_eq(y->gpu.sms, 16);
        free(text);
        free(again);
        arena_free(a);
    }
    closedir(dir);
    ck_assert_int_ge(devices, 7);
}
END_TEST

START_TEST(listing_shows_units_origin_source_and_peaks)
{
    arena_t *a = arena_new();
    device_t *dev = arena_array(a, device_t, 1);
    const char *const set[] = {"gpu.clock=1.5GHz"};
    load(dev, "devices/h100.ini", set, 1, a);
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    device_write_listing(f, dev, a);
    fclose(f);
    static const char *const must[] = {
        "sms = 132", "devices/h100.ini:", "H100 datasheet", "clock = 1.5 GHz",
        "-s",        "built-in",          "3.35 TB/s",      "80 GiB"};
    for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
        ck_assert_msg(strstr(text, must[i]) != NULL, "the listing lacks: %s", must[i]);
    free(text);
    arena_free(a);
}
END_TEST

static int explain(const char *name)
{
    cli_t c = {.verb = VERB_RUN, .explain = name};
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    int rc = verb_explain(&c, a, &d);
    if (rc) ck_assert_uint_eq(d.n, 1);
    diag_free(&d);
    arena_free(a);
    return rc;
}

START_TEST(every_parameter_and_statistic_can_be_explained)
{
    fflush(stdout);
    int keep = dup(1), null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    size_t n, rows = 0;
    const param_table_t *const *t = device_tables(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i]->n; j++, rows++) {
            char name[96];
            snprintf(name, sizeof name, "%s.%s", t[i]->section, t[i]->rows[j].key);
            ck_assert_msg(explain(name) == MS_OK, "%s", name);
        }
    static const char *const of_result[] = {"hit_rate",
                                            "GBps",
                                            "levels.l2.hit_rate",
                                            "kernels[3].levels.l1.hit_rate",
                                            "memories.hbm.row_hit_rate",
                                            "levels.dram.latency_ns.p99",
                                            "host.wall_s",
                                            "digest"};
    for (size_t i = 0; i < sizeof of_result / sizeof of_result[0]; i++)
        ck_assert_msg(explain(of_result[i]) == MS_OK, "%s", of_result[i]);
    ck_assert_int_eq(explain("host.hit_rate"), MS_USAGE);
    int nothing = explain("no_such_thing_at_all"), typo = explain("l2.mshr");
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    close(null);
    ck_assert_uint_ge(rows, 100);
    ck_assert_int_eq(nothing, MS_USAGE);
    ck_assert_int_eq(typo, MS_USAGE);
}
END_TEST

static void explained(const char *word)
{
    ck_assert_msg(explain(word) == MS_OK, "\"%s\" is not explained", word);
}

/* Labels of the paragraphs: what stands in the first 14 columns of a line, the rest being text. */
static size_t labels_explained(char *screen)
{
    size_t n = 0;
    for (char *line = strtok(screen, "\n"); line; line = strtok(NULL, "\n")) {
        if (strlen(line) < 15 || !isalpha((unsigned char)*line) || line[13] != ' ') continue;
        char label[15];
        snprintf(label, sizeof label, "%.14s", line);
        for (size_t k = 14; k-- && label[k] == ' ';) label[k] = '\0';
        explained(label);
        n++;
    }
    return n;
}

static char *without_table(char *screen)
{
    char *table = strstr(screen, "\nphase "), *chart = strstr(screen, "\xE2\x94\x94");
    ck_assert(table && chart && table < chart);
    memmove(table + 1, chart, strlen(chart) + 1);
    return screen;
}

/* Every word that a result can use, from the tables that results take them from, and every label of a screen. */
START_TEST(every_word_of_a_result_can_be_explained)
{
    static fake_t f;
    fake_make(&f);
    char *text = NULL;
    size_t n = 0, words = 0;
    FILE *out = open_memstream(&text, &n);
    report_env_t e = {"9.9.9", "abcdef", 1, false, true};
    report_text(out, &f.r, &e);
    fclose(out);
    fflush(stdout);
    int keep = dup(1), null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    for (size_t i = 0; i < n_word_lists; i++)
        for (size_t j = 0; j < word_lists[i].n; j++)
            if (word_lists[i].word[j].name) {
                explained(word_lists[i].word[j].name);
                words++;
            }
    for (size_t i = 0; i < UNIT_COUNT; i++) explained(unit_names[i]);
    for (size_t i = 0; i < ST_COUNT; i++) explained(stage_names[i]);
    for (size_t i = 0; i < 8 && dram_energy_names[i]; i++) explained(dram_energy_names[i]);
    for (size_t i = 0; i < report_n_keys; i++)
        if (!*report_keys[i].path) explained(report_keys[i].key);
    static const char *const head[] = {"phase", "kernel",  "count",      "time",
                                       "share", "memory",  "achieved",   "of peak",
                                       "L2hit", "latency", "limited by", "between kernels"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        ck_assert_ptr_nonnull(strstr(text, head[i]));
        explained(head[i]);
    }
    size_t labels = labels_explained(without_table(text));
    const char *operands[] = {"too", "few", "blocks"};
    cli_t three = {.verb = VERB_EXPLAIN, .operand = operands, .n_operand = 3};
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(verb_explain(&three, a, &d), MS_OK);
    arena_free(a);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    close(null);
    free(text);
    ck_assert_uint_ge(words, 45);
    ck_assert_uint_ge(labels, 8);
}
END_TEST

TEST_MAIN("device-text", resolved_file_of_every_device_gives_the_same_device,
          listing_shows_units_origin_source_and_peaks,
          every_parameter_and_statistic_can_be_explained, every_word_of_a_result_can_be_explained)
