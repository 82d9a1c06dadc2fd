/* SPDX-License-Identifier: MIT
 * --explain NAME: parameters, statistics, latency stages, keys of the JSON result, found with or without their section,
 * and the words that results use. */
#include "cli/cli.h"
#include "core/access.h"
#include "core/words.h"
#include "machine/device.h"
#include "machine/tables.h"
#include "report/keys.h"
#include "report/screen_words.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What each stamp of a request marks; in the order of stage_t. */
static const char *const stage_help[ST_COUNT] = {
    "the warp instruction leaves the SM's load/store queue",
    "the request missed the L1 and leaves for the crossbar",
    "tag lookup begins at the L2 slice",
    "the memory controller accepts the request into its queue",
    "the first column command of the request issues on the DRAM's command bus",
    "the last beat of data is on the DRAM's pins",
    "the reply enters the crossbar",
    "the data is in the register or in shared memory"};

static bool matches(const char *wanted, const char *section, const char *key)
{
    const char *dot = strrchr(wanted, '.');
    if (strcasecmp(wanted, key) == 0) return true;
    if (!dot || strcasecmp(dot + 1, key) != 0) return false;
    size_t len = (size_t)(dot - wanted);
    /* "dram" is how -s and the statistics call the memory; "memory hbm" and "memory.hbm" are its names */
    if (strcmp(section, "memory") == 0 && len == 4 && strncasecmp(wanted, "dram", 4) == 0)
        return true;
    size_t own = strlen(section);
    return len >= own && strncasecmp(wanted, section, own) == 0 &&
           (len == own || wanted[own] == '.' || wanted[own] == ' ');
}

/* "levels.l2.hit_rate", "kernels[3].levels.l1.hit_rate", "memories.hbm.latency_ns.p99", "hit_rate". */
static bool matches_key(const char *wanted, const report_key_t *k)
{
    char plain[128];
    size_t n = 0;
    for (const char *p = wanted; *p && n + 1 < sizeof plain; p++) {
        if (*p == '[') p += strcspn(p, "]");
        if (*p && *p != ']') plain[n++] = *p;
    }
    plain[n] = '\0';
    const char *levels = strcmp(k->path, "levels") == 0 ? "memories" : k->path;
    if (matches(plain, k->path, k->key) || matches(plain, levels, k->key)) return true;
    char tail[128];
    int len = snprintf(tail, sizeof tail, ".%s.%s", k->path, k->key);
    return *k->path && n >= (size_t)len && strcasecmp(plain + n - (size_t)len, tail) == 0;
}

/* A word as it is printed, or with other separators: too_few_blocks. */
static bool matches_word(const char *wanted, const char *word)
{
    for (; *wanted && *word; wanted++, word++) {
        bool apart = *wanted == '_' || *wanted == '-';
        if (tolower((unsigned char)*wanted) != tolower((unsigned char)*word) &&
            !(apart && *word == ' '))
            return false;
    }
    return !*wanted && !*word;
}

static size_t explain_word(const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < n_word_lists; i++)
        for (size_t j = 0; j < word_lists[i].n; j++) {
            const word_t *w = &word_lists[i].word[j];
            if (!w->name || !matches_word(name, w->name)) continue;
            printf("%s: %s\n  %s\n", w->name, w->help, word_lists[i].of);
            found++;
        }
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (matches_word(name, unit_names[i])) {
            printf("%s: arithmetic unit of the SMs, gpu.%s_per_clk operations a cycle each\n  as a "
                   "limit of a kernel: its pipes are busy\n",
                   unit_names[i], unit_names[i]);
            found++;
        }
    for (size_t i = 0; i < report_n_screen_words; i++)
        if (matches_word(name, report_screen_words[i].name)) {
            printf("%s: %s\n  on the screen\n", report_screen_words[i].name,
                   report_screen_words[i].help);
            found++;
        }
    return found;
}

static void print_key(const report_key_t *k)
{
    printf("%s%s%s: %s\n  key of the JSON result", k->path, *k->path ? "." : "", k->key, k->help);
    printf(*k->unit ? ", in %s\n" : "\n", k->unit);
}

static void print_param(const param_table_t *t, const param_row_t *r)
{
    const char *units = text_units(r->type);
    printf("%s.%s: %s\n  parameter of [%s]", t->section, r->key, r->help, t->section);
    if (units && *units && r->type != PT_ENUM && r->type != PT_COUNT && r->type != PT_TEXT)
        printf(" in %s", units);
    printf("; default %s",
           r->dflt ? (*r->dflt ? r->dflt : "empty") : "none: every device must give it");
    if (r->type == PT_ENUM)
        printf("; one of %s", r->min);
    else if (r->min && r->max)
        printf("; from %s to %s", r->min, r->max);
    printf("\n  acts in sim/%s; doubled: %s\n", r->acts,
           *r->effect == '-'   ? "slower"
           : *r->effect == '+' ? "faster or not slower"
           : *r->effect == '~' ? "changes some result"
                               : "no change of time, informational");
}

static size_t explain_one(const char *name)
{
    size_t found = 0, n;
    const param_table_t *const *p = device_tables(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p[i]->n; j++)
            if (matches(name, p[i]->section, p[i]->rows[j].key)) {
                print_param(p[i], &p[i]->rows[j]);
                found++;
            }
    const stat_table_t *const *s = machine_stat_tables(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < s[i]->n; j++)
            if (matches(name, s[i]->component, s[i]->rows[j].name)) {
                printf("%s.%s: %s\n  statistic, in %s\n", s[i]->component, s[i]->rows[j].name,
                       s[i]->rows[j].help, s[i]->rows[j].unit);
                found++;
            }
    for (int i = 0; i < ST_COUNT; i++)
        if (matches(name, "stage", stage_names[i])) {
            printf("%s: %s\n  stage of a request's walk\n", stage_names[i], stage_help[i]);
            found++;
        }
    for (size_t i = 0; i < report_n_keys; i++)
        if (matches_key(name, &report_keys[i])) {
            print_key(&report_keys[i]);
            found++;
        }
    return found + explain_word(name);
}

static int not_found(const char *name, arena_t *a, diag_t *d)
{
    size_t n, total = ST_COUNT + UNIT_COUNT + report_n_keys + report_n_screen_words, k = 0;
    const param_table_t *const *p = device_tables(&n);
    for (size_t i = 0; i < n; i++) total += p[i]->n;
    size_t ns;
    const stat_table_t *const *s = machine_stat_tables(&ns);
    for (size_t i = 0; i < ns; i++) total += s[i]->n;
    for (size_t i = 0; i < n_word_lists; i++) total += word_lists[i].n;
    const char **names = arena_array(a, const char *, total);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p[i]->n; j++) names[k++] = p[i]->rows[j].key;
    for (size_t i = 0; i < ns; i++)
        for (size_t j = 0; j < s[i]->n; j++) names[k++] = s[i]->rows[j].name;
    for (int i = 0; i < ST_COUNT; i++) names[k++] = stage_names[i];
    for (size_t i = 0; i < report_n_keys; i++) names[k++] = report_keys[i].key;
    for (size_t i = 0; i < n_word_lists; i++)
        for (size_t j = 0; j < word_lists[i].n; j++)
            if (word_lists[i].word[j].name) names[k++] = word_lists[i].word[j].name;
    for (size_t i = 0; i < UNIT_COUNT; i++) names[k++] = unit_names[i];
    for (size_t i = 0; i < report_n_screen_words; i++) names[k++] = report_screen_words[i].name;
    const char *dot = strrchr(name, '.'), *near = diag_nearest(dot ? dot + 1 : name, names, k);
    if (near) return diag_add(d, MS_USAGE, "nothing is called %s; did you mean %s?", name, near);
    return diag_add(d, MS_USAGE, "nothing is called %s; memsim show DEVICE.ini lists parameters",
                    name);
}

/* "explain too few blocks", without quotes. */
static bool explain_together(const cli_t *c, arena_t *a)
{
    const char *all = c->n_operand ? c->operand[0] : "";
    for (size_t i = 1; i < c->n_operand; i++) all = arena_printf(a, "%s %s", all, c->operand[i]);
    return c->n_operand > 1 && explain_word(all);
}

int verb_explain(const cli_t *c, arena_t *a, diag_t *d)
{
    int rc = MS_OK;
    size_t asked = c->explain != NULL;
    if (c->explain && !explain_one(c->explain)) rc = not_found(c->explain, a, d);
    if (c->verb == VERB_EXPLAIN) {
        if (explain_together(c, a)) return rc;
        for (size_t i = 0; i < c->n_operand; i++, asked++)
            if (!explain_one(c->operand[i])) rc = not_found(c->operand[i], a, d);
    }
    if (!asked) return diag_add(d, MS_USAGE, "explain: needs a NAME");
    return rc;
}
