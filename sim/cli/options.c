/* SPDX-License-Identifier: MIT
 * The options table and its parser.  Options and operands mix in any order; `--name VALUE` and `--name=VALUE`
 * are the same; `--` ends the options; `-` is an operand. */
#include "cli/cli.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    O_OUT,
    O_FORCE,
    O_SET,
    O_DEFINE,
    O_JSON,
    O_QUIET,
    O_VERBOSE,
    O_HELP,
    O_VERSION,
    O_SEED,
    O_EXACT,
    O_SAMPLE,
    O_BUDGET,
    O_THREADS,
    O_CHECK,
    O_COMMANDS,
    O_FOLLOW,
    O_EXPLAIN,
    O_REQUESTS,
    O_LOAD,
    O_MIX,
    O_PARAMS_MD,
    O_STATS_MD,
    O_MAN,
    O_BASH,
    O_OPTIONS_MD
};

#define B(v) (1u << (v))
#define SIMS (B(VERB_RUN) | B(VERB_DRAM))
#define ALL (~0u)

const cli_option_t cli_options[] = {
    {'o', "output", "DIR", SIMS, false, "write config, JSON, CSV, summary and plots into DIR",
     O_OUT},
    {0, "force", NULL, SIMS, false, "write into DIR even if it holds files", O_FORCE},
    {'s', "set", "SECTION.KEY=VALUE", SIMS | B(VERB_SHOW) | B(VERB_MAP), false,
     "override a device value (dram.tRCD=14ns); repeatable, last wins", O_SET},
    {'D', "define", "NAME=VALUE", B(VERB_RUN) | B(VERB_TRACE), false,
     "override a workload parameter (bytes=64KiB); repeatable", O_DEFINE},
    {0, "json", NULL, SIMS, false, "result as JSON on standard output instead of text", O_JSON},
    {'q', "quiet", NULL, ALL, false, "totals and verdict only; no notes", O_QUIET},
    {'v', "verbose", NULL, ALL, false, "every kernel and every statistic", O_VERBOSE},
    {0, "exact", NULL, B(VERB_RUN), false, "simulate every access", O_EXACT},
    {0, "sample", "PCT", B(VERB_RUN), false, "simulate about PCT per cent of each kernel",
     O_SAMPLE},
    {0, "time-budget", "S", B(VERB_RUN), false,
     "sample for about S seconds of this computer (not reproducible)", O_BUDGET},
    {0, "seed", "N", SIMS | B(VERB_TRACE), false,
     "seed of everything random (default 1; patterns of dram: 42)", O_SEED},
    {0, "threads", "N", SIMS, false, "never changes results; one thread is used in this version",
     O_THREADS},
    {0, "check", NULL, SIMS, false, "verify every DRAM command against the standard's timing",
     O_CHECK},
    {0, "trace-commands", "FILE", SIMS, false, "write every DRAM command to FILE", O_COMMANDS},
    {0, "follow", "ID", B(VERB_RUN), false,
     "print the walk of request number ID through every stage", O_FOLLOW},
    {0, "requests", "N", B(VERB_DRAM), false, "requests of a pattern (default 100000)", O_REQUESTS},
    {0, "load", "LIST", B(VERB_DRAM), false,
     "offered loads in per cent of peak: 10,50,90 or FROM:TO:STEP", O_LOAD},
    {0, "mix", "R/W", B(VERB_DRAM), false,
     "reads and writes of --load, such as 2/1 (default: reads only)", O_MIX},
    {0, "explain", "NAME", ALL, false, "what a parameter, a statistic or a key of the result means",
     O_EXPLAIN},
    {'h', "help", NULL, ALL, false, "this text; after a verb, that verb's", O_HELP},
    {0, "version", NULL, ALL, false, "version and commit", O_VERSION},
    {0, "params-markdown", NULL, B(VERB_SHOW), true, "parameter tables for the documentation",
     O_PARAMS_MD},
    {0, "stats-markdown", NULL, B(VERB_SHOW), true, "statistic tables for the documentation",
     O_STATS_MD},
    {0, "man", NULL, B(VERB_HELP), true, "the manual page, in roff", O_MAN},
    {0, "bash-completion", NULL, B(VERB_HELP), true, "completion script for bash", O_BASH},
    {0, "options-markdown", NULL, B(VERB_HELP), true, "options table for the documentation",
     O_OPTIONS_MD},
};
const size_t cli_n_options = sizeof cli_options / sizeof cli_options[0];

bool cli_verb_takes(verb_t v, const cli_option_t *o)
{
    return (o->verbs & B(v)) != 0;
}

/* Whole number with nothing after it; false if it is none or above `max`. */
static bool parse_u64(const char *s, uint64_t max, uint64_t *out)
{
    if (*s < '0' || *s > '9') return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (errno || *end || v > max) return false;
    *out = v;
    return true;
}

static bool parse_positive(const char *s, double max, double *out)
{
    char *end;
    errno = 0;
    double v = strtod(s, &end);
    if (errno || end == s || *end || !isfinite(v) || v <= 0 || v > max) return false;
    *out = v;
    return true;
}

static int store(cli_t *c, const cli_option_t *o, const char *v, diag_t *d)
{
    uint64_t n;
    switch (o->id) {
    case O_OUT:
        c->out_dir = v;
        return MS_OK;
    case O_FORCE:
        c->force = true;
        return MS_OK;
    case O_SET:
        if (!strchr(v, '='))
            return diag_add(d, MS_USAGE,
                            "-s %s: needs SECTION.KEY=VALUE, such as -s dram.tRCD=14ns", v);
        c->set[c->n_set++] = v;
        return MS_OK;
    case O_DEFINE:
        if (!strchr(v, '='))
            return diag_add(d, MS_USAGE, "-D %s: needs NAME=VALUE, such as -D bytes=64KiB", v);
        c->define[c->n_define++] = v;
        return MS_OK;
    case O_JSON:
        c->json = true;
        return MS_OK;
    case O_QUIET:
        c->verbosity = -1;
        return MS_OK;
    case O_VERBOSE:
        c->verbosity = 1;
        return MS_OK;
    case O_HELP:
        c->help = true;
        return MS_OK;
    case O_VERSION:
        c->version = true;
        return MS_OK;
    case O_EXACT:
        c->exact = true;
        return MS_OK;
    case O_CHECK:
        c->check = true;
        return MS_OK;
    case O_COMMANDS:
        c->command_trace = v;
        return MS_OK;
    case O_EXPLAIN:
        c->explain = v;
        return MS_OK;
    case O_LOAD:
        c->load = v;
        return MS_OK;
    case O_MIX:
        c->mix = v;
        return MS_OK;
    case O_PARAMS_MD:
        c->params_markdown = true;
        return MS_OK;
    case O_STATS_MD:
        c->stats_markdown = true;
        return MS_OK;
    case O_MAN:
        c->man = true;
        return MS_OK;
    case O_BASH:
        c->bash_completion = true;
        return MS_OK;
    case O_OPTIONS_MD:
        c->options_markdown = true;
        return MS_OK;
    case O_SEED:
        if (!parse_u64(v, INT64_MAX, &c->seed)) break;
        c->seed_given = true;
        return MS_OK;
    case O_REQUESTS:
        if (!parse_u64(v, UINT32_MAX * 1000ull, &c->requests) || !c->requests) break;
        c->requests_given = true;
        return MS_OK;
    case O_THREADS:
        if (!parse_u64(v, 4096, &n) || !n) break;
        c->threads = (unsigned)n;
        c->threads_given = true;
        return MS_OK;
    case O_FOLLOW:
        if (!parse_u64(v, UINT32_MAX, &n) || !n) break;
        c->follow = (uint32_t)n;
        return MS_OK;
    case O_SAMPLE:
        if (!parse_positive(v, 100, &c->sample_pct)) break;
        c->sample_given = true;
        return MS_OK;
    case O_BUDGET:
        if (!parse_positive(v, 1e9, &c->time_budget_s)) break;
        c->time_budget_given = true;
        return MS_OK;
    default:
        break;
    }
    static const char *const expected[] = {[O_SEED] = "a whole number from 0 to 2^63 - 1",
                                           [O_REQUESTS] = "a whole number from 1 to 4294967295000",
                                           [O_THREADS] = "a whole number from 1 to 4096",
                                           [O_FOLLOW] = "a request number from 1 to 4294967295",
                                           [O_SAMPLE] = "a share above 0 and at most 100",
                                           [O_BUDGET] = "a number of seconds above 0"};
    return diag_add(d, MS_USAGE, "--%s %s: needs %s", o->name, v, expected[o->id]);
}

static const cli_option_t *by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < cli_n_options; i++)
        if (strlen(cli_options[i].name) == len && memcmp(cli_options[i].name, name, len) == 0)
            return &cli_options[i];
    return NULL;
}

static const cli_option_t *by_brief(char c)
{
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_options[i].brief && cli_options[i].brief == c) return &cli_options[i];
    return NULL;
}

static int unknown_option(const char *name, diag_t *d)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < cli_n_options && n < 64; i++)
        if (!cli_options[i].hidden) names[n++] = cli_options[i].name;
    const char *near = diag_nearest(name, names, n);
    if (near) return diag_add(d, MS_USAGE, "unknown option --%s; did you mean --%s?", name, near);
    return diag_add(d, MS_USAGE, "unknown option --%s; memsim --help lists them", name);
}

typedef struct args { /* the rest of argv, and the options met so far */
    int i, argc;
    char *const *argv;
    const cli_option_t **met;
    size_t n_met;
} args_t;

static int take(cli_t *c, args_t *g, const cli_option_t *o, const char *value, const char *shown,
                diag_t *d)
{
    if (o->arg && !value) {
        if (g->i + 1 >= g->argc) return diag_add(d, MS_USAGE, "%s: needs %s", shown, o->arg);
        value = g->argv[++g->i];
    }
    if (!o->arg && value) return diag_add(d, MS_USAGE, "%s: takes no value", shown);
    g->met[g->n_met++] = o;
    return store(c, o, value ? value : "", d);
}

static int long_option(cli_t *c, args_t *g, arena_t *a, diag_t *d)
{
    const char *name = g->argv[g->i] + 2, *eq = strchr(name, '=');
    size_t len = eq ? (size_t)(eq - name) : strlen(name);
    const cli_option_t *o = by_name(name, len);
    if (!o) return unknown_option(arena_printf(a, "%.*s", (int)len, name), d);
    return take(c, g, o, eq ? eq + 1 : NULL, arena_printf(a, "--%s", o->name), d);
}

static int short_options(cli_t *c, args_t *g, arena_t *a, diag_t *d)
{
    for (const char *s = g->argv[g->i] + 1; *s; s++) {
        const cli_option_t *o = by_brief(*s);
        if (!o) return diag_add(d, MS_USAGE, "unknown option -%c; memsim --help lists them", *s);
        if (o->arg) { /* the rest of the word is its value: -oDIR */
            const char *rest = s[1] == '=' ? s + 2 : s + 1;
            return take(c, g, o, *rest ? rest : NULL, arena_printf(a, "-%c", o->brief), d);
        }
        int rc = take(c, g, o, NULL, "", d);
        if (rc) return rc;
    }
    return MS_OK;
}

static int unknown_verb(const char *word, diag_t *d)
{
    const char *names[VERB_COUNT];
    size_t n = 0;
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (cli_verbs[i].available) names[n++] = cli_verbs[i].name;
    const char *near = diag_nearest(word, names, n);
    if (near) return diag_add(d, MS_USAGE, "unknown verb %s; did you mean %s?", word, near);
    return diag_add(d, MS_USAGE, "unknown verb %s; memsim --help lists them", word);
}

/* The verb is the first operand, if it is one.  A device file needs none: a word that looks like a path, or
 * names an existing file, means `run`. */
static int find_verb(cli_t *c, diag_t *d)
{
    c->verb = VERB_RUN;
    if (!c->n_operand) return MS_OK;
    const char *word = c->operand[0];
    for (int v = 0; v < VERB_COUNT; v++) {
        if (strcmp(cli_verbs[v].name, word) != 0) continue;
        c->verb = (verb_t)v;
        c->verb_given = true;
        c->operand++;
        c->n_operand--;
        return MS_OK;
    }
    bool path =
        strchr(word, '.') || strchr(word, '/') || strcmp(word, "-") == 0 || access(word, F_OK) == 0;
    return path ? MS_OK : unknown_verb(word, d);
}

static int check_combination(const cli_t *c, const args_t *g, diag_t *d)
{
    for (size_t i = 0; i < g->n_met; i++) {
        const cli_option_t *o = g->met[i];
        if (cli_verb_takes(c->verb, o)) continue;
        const char *where = "another verb";
        for (int v = 0; v < VERB_COUNT; v++)
            if (cli_verb_takes((verb_t)v, o)) {
                where = cli_verbs[v].name;
                break;
            }
        return diag_add(d, MS_USAGE, "--%s: is no option of memsim %s (it belongs to memsim %s)",
                        o->name, cli_verbs[c->verb].name, where);
    }
    if (c->exact + c->sample_given + c->time_budget_given > 1)
        return diag_add(d, MS_USAGE, "--exact, --sample and --time-budget exclude each other");
    if (c->force && !c->out_dir)
        return diag_add(d, MS_USAGE, "--force: only has a meaning with -o DIR");
    if (c->command_trace && strcmp(c->command_trace, "-") == 0)
        return diag_add(d, MS_USAGE,
                        "--trace-commands -: standard output has the result; name a file");
    if (c->mix && !c->load) return diag_add(d, MS_USAGE, "--mix: only has a meaning with --load");
    return MS_OK;
}

int cli_parse(cli_t *c, int argc, char *const *argv, arena_t *a, diag_t *d)
{
    memset(c, 0, sizeof *c);
    size_t n = (size_t)argc + 1;
    args_t g = {1, argc, argv, NULL, 0};
    size_t letters = 0; /* -qqqv: one entry a letter */
    for (int i = 1; i < argc; i++) letters += strlen(argv[i]);
    g.met = arena_alloc(a, (n + letters) * sizeof *g.met);
    c->program = argc ? argv[0] : "memsim";
    c->operand = arena_array(a, const char *, n);
    c->set = arena_array(a, const char *, n);
    c->define = arena_array(a, const char *, n);
    c->seed = 1;
    c->threads = 1;
    bool options = true;
    for (; g.i < argc; g.i++) {
        const char *w = argv[g.i];
        int rc = MS_OK;
        if (options && strcmp(w, "--") == 0)
            options = false;
        else if (options && w[0] == '-' && w[1] == '-')
            rc = long_option(c, &g, a, d);
        else if (options && w[0] == '-' && w[1])
            rc = short_options(c, &g, a, d);
        else
            c->operand[c->n_operand++] = w;
        if (rc) return rc;
    }
    int rc = find_verb(c, d);
    if (rc || c->help || c->version) return rc;
    return check_combination(c, &g, d);
}
