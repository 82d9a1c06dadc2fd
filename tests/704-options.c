/* SPDX-License-Identifier: MIT
 * The command line: what is understood, what is refused, and with which hint. */
#include "cli/cli.h"
#include "test.h"
#include <string.h>

#define WORDS_MAX 12
static arena_t *a;
static diag_t d;
static cli_t c;

/* Parse the words of a line, split at blanks. */
static int parse(const char *line)
{
    char *words[WORDS_MAX], *copy, *save = NULL;
    int n = 0;
    if (a) {
        arena_free(a);
        diag_free(&d);
    }
    a = arena_new();
    diag_init(&d);
    copy = arena_strdup(a, line);
    for (char *w = strtok_r(copy, " ", &save); w && n < WORDS_MAX; w = strtok_r(NULL, " ", &save))
        words[n++] = w;
    return cli_parse(&c, n, words, a, &d);
}

static void refused(const char *line, const char *hint)
{
    ck_assert_msg(parse(line) == MS_USAGE, "accepted: %s", line);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_msg(strstr(d.msg[0], hint) != NULL, "%s: the message is: %s", line, d.msg[0]);
}

START_TEST(run_is_implied_and_options_mix_with_files)
{
    ck_assert_int_eq(parse("memsim dev.ini -s l2.size=1MiB w.trace --seed 7 -Dbytes=64KiB -s "
                           "dram.tRCD=9ns --json"),
                     MS_OK);
    ck_assert_int_eq(c.verb, VERB_RUN);
    ck_assert_uint_eq(c.n_operand, 2);
    ck_assert_str_eq(c.operand[1], "w.trace");
    ck_assert_uint_eq(c.n_set, 2);
    ck_assert_str_eq(c.set[1], "dram.tRCD=9ns");
    ck_assert_str_eq(c.define[0], "bytes=64KiB");
    ck_assert_uint_eq(c.seed, 7);
    ck_assert(c.json && c.seed_given);
    ck_assert_int_eq(parse("memsim run dev.ini -"), MS_OK);
    ck_assert_str_eq(c.operand[1], "-");
    ck_assert_int_eq(parse("memsim -- dev.ini -x.trace"), MS_OK);
    ck_assert_str_eq(c.operand[1], "-x.trace");
}
END_TEST

START_TEST(defaults_are_the_contracts)
{
    ck_assert_int_eq(parse("memsim dev.ini w.trace"), MS_OK);
    ck_assert_uint_eq(c.seed, 1);
    ck_assert(!c.seed_given && !c.json && !c.exact && !c.out_dir && !c.check);
    ck_assert_uint_eq(c.threads, 1);
}
END_TEST

START_TEST(values_may_follow_after_a_blank_or_an_equals_sign)
{
    ck_assert_int_eq(parse("memsim a.ini b.trace --sample=2.5 --output=dir --threads 4"), MS_OK);
    ck_assert_double_eq_tol(c.sample_pct, 2.5, 1e-12);
    ck_assert_str_eq(c.out_dir, "dir");
    ck_assert_uint_eq(c.threads, 4);
    ck_assert_int_eq(
        parse("memsim dram x.ini rand --requests 1000 --load 10:90:10 --mix=2/1 -qo dir"), MS_OK);
    ck_assert_int_eq(c.verb, VERB_DRAM);
    ck_assert_uint_eq(c.requests, 1000);
    ck_assert_str_eq(c.load, "10:90:10");
    ck_assert_int_eq(c.verbosity, -1);
    ck_assert_str_eq(c.out_dir, "dir");
}
END_TEST

START_TEST(unknown_words_offer_the_nearest_name)
{
    refused("memsim a.ini b.trace --jsno", "--json");
    refused("memsim a.ini b.trace --time-bugdet 3", "--time-budget");
    refused("memsim shwo a.ini", "did you mean show");
    refused("memsim dramm a.ini seq", "did you mean dram");
    refused("memsim a.ini b.trace -Z", "unknown option -Z");
    refused("memsim a.ini b.trace --zzzzzzzzzzzz", "unknown option");
}
END_TEST

START_TEST(bad_values_are_refused_with_what_is_needed)
{
    refused("memsim a.ini b.trace --seed -1", "whole number");
    refused("memsim a.ini b.trace --seed 1x", "whole number");
    refused("memsim a.ini b.trace --seed", "needs N");
    refused("memsim a.ini b.trace --sample 0", "above 0");
    refused("memsim a.ini b.trace --sample 101", "at most 100");
    refused("memsim a.ini b.trace --sample nan", "above 0");
    refused("memsim a.ini b.trace --threads 0", "from 1");
    refused("memsim a.ini b.trace --follow 0", "from 1");
    refused("memsim a.ini b.trace --time-budget inf", "seconds");
    refused("memsim dram a.ini seq --requests 99999999999999999999", "whole number");
    refused("memsim a.ini b.trace -s stream", "SECTION.KEY=VALUE");
    refused("memsim a.ini b.trace -D bytes", "NAME=VALUE");
    refused("memsim a.ini b.trace --json=yes", "takes no value");
}
END_TEST

START_TEST(options_that_make_no_sense_together_are_refused)
{
    refused("memsim a.ini b.trace --exact --sample 3", "exclude");
    refused("memsim a.ini b.trace --force", "-o DIR");
    refused("memsim dram a.ini seq --mix 1/1", "--load");
    refused("memsim a.ini b.trace --load 10", "belongs to memsim dram");
    refused("memsim show a.ini -o dir", "no option of memsim show");
}
END_TEST

START_TEST(help_works_after_any_verb)
{
    for (int v = 0; v < VERB_COUNT; v++) {
        char line[64];
        snprintf(line, sizeof line, "memsim %s --help", cli_verbs[v].name);
        ck_assert_int_eq(parse(line), MS_OK);
        ck_assert(c.help && c.verb_given);
        ck_assert_int_eq((int)c.verb, v);
    }
    ck_assert_int_eq(parse("memsim -h"), MS_OK);
    ck_assert(c.help && !c.verb_given);
}
END_TEST

static char *text_of(void (*print)(FILE *))
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    print(f);
    fclose(f);
    return text;
}

START_TEST(help_man_and_completion_name_every_option)
{
    char *help = text_of(cli_help), *man = text_of(cli_man), *bash = text_of(cli_bash_completion);
    int rows = 0;
    for (char *s = help; *s; s++) rows += *s == '\n';
    ck_assert_int_le(rows, 50); /* one screen */
    ck_assert_uint_ge(cli_n_options, 20);
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].hidden) continue;
        char name[48], roff[96], *o = roff;
        snprintf(name, sizeof name, "--%s", cli_options[i].name);
        for (const char *s = name; *s; s++) {
            if (*s == '-') *o++ = '\\';
            *o++ = *s;
        }
        *o = '\0';
        ck_assert_msg(strstr(help, name) != NULL, "help lacks %s", name);
        ck_assert_msg(strstr(man, roff) != NULL, "the man page lacks %s", name);
        ck_assert_msg(strstr(bash, name) != NULL, "the completion lacks %s", name);
    }
    free(help);
    free(man);
    free(bash);
}
END_TEST

START_TEST(man_page_in_docs_is_the_generated_one)
{
    char *man = text_of(cli_man);
    FILE *f = fopen("docs/memsim.1", "r");
    ck_assert_msg(f != NULL, "docs/memsim.1 cannot be read; tests run in the source folder");
    size_t n = strlen(man);
    char *file = malloc(n + 2);
    size_t got = fread(file, 1, n + 1, f);
    file[got] = '\0';
    fclose(f);
    ck_assert_msg(strcmp(file, man) == 0,
                  "docs/memsim.1 is out of step: memsim help --man > docs/memsim.1");
    free(file);
    free(man);
}
END_TEST

START_TEST(parser_frees_what_it_took)
{
    ck_assert_int_eq(parse("memsim a.ini b.trace"), MS_OK);
    arena_free(a);
    diag_free(&d);
    a = NULL;
}
END_TEST

TEST_MAIN("options", run_is_implied_and_options_mix_with_files, defaults_are_the_contracts,
          values_may_follow_after_a_blank_or_an_equals_sign, unknown_words_offer_the_nearest_name,
          bad_values_are_refused_with_what_is_needed,
          options_that_make_no_sense_together_are_refused, help_works_after_any_verb,
          help_man_and_completion_name_every_option, man_page_in_docs_is_the_generated_one,
          parser_frees_what_it_took)
