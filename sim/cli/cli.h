/* SPDX-License-Identifier: MIT
 * The command line, parsed: one options table, one verbs table, one struct that holds what was asked. */
#ifndef MEMSIM_CLI_CLI_H
#define MEMSIM_CLI_CLI_H
#include "core/arena.h"
#include "core/diag.h"
#include "report/report.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    VERB_RUN,
    VERB_DRAM,
    VERB_TRACE,
    VERB_SHOW,
    VERB_MAP,
    VERB_EXPLAIN,
    VERB_HELP,
    /* named by the contract, not in this version */
    VERB_SWEEP,
    VERB_VALIDATE,
    VERB_CALIBRATE,
    VERB_SIZE,
    VERB_COMPARE,
    VERB_REPORT,
    VERB_COUNT
} verb_t;

typedef struct cli {
    verb_t verb;
    bool verb_given;     /* by name, not implied by a file */
    const char *program; /* argv[0] */
    const char **operand;
    size_t n_operand; /* without the verb */
    const char **set;
    size_t n_set; /* -s */
    const char **define;
    size_t n_define; /* -D */
    const char *out_dir, *command_trace, *explain, *load, *mix;
    bool force, json, help, version, exact, check;
    bool params_markdown, stats_markdown, man, bash_completion,
        options_markdown; /* texts for the docs */
    int verbosity;
    bool seed_given, threads_given, sample_given, time_budget_given, requests_given;
    uint64_t seed, requests;
    double sample_pct, time_budget_s;
    uint32_t follow;
    unsigned threads;
} cli_t;

typedef struct cli_verb {
    const char *name, *operands, *help;
    const char *about; /* paragraph of the verb's own help */
    const char *example;
    bool available;
    int (*run)(const cli_t *c, arena_t *a, diag_t *d);
} cli_verb_t;
extern const cli_verb_t cli_verbs[VERB_COUNT]; /* cli/verbs.c */

typedef struct cli_option {
    char brief; /* 0: none */
    const char *name;
    const char *arg; /* NULL: takes none */
    unsigned verbs;  /* bit per verb that understands it */
    bool hidden;     /* used by the build, not on the help screen */
    const char *help;
    int id; /* in cli/options.c */
} cli_option_t;
extern const cli_option_t cli_options[];
extern const size_t cli_n_options;

/* Parse argv into *c (arrays in the arena; argument texts are argv's own).  MS_USAGE with a message, that offers
 * the nearest name, on anything unknown. */
int cli_parse(cli_t *c, int argc, char *const *argv, arena_t *a, diag_t *d);
bool cli_verb_takes(verb_t v, const cli_option_t *o);

/* Texts made from the tables (cli/help.c). */
void cli_help(FILE *f);
void cli_verb_help(FILE *f, verb_t v);
void cli_man(FILE *f);
void cli_bash_completion(FILE *f);
void cli_options_markdown(FILE *f);
void cli_params_markdown(FILE *f); /* cli/tables.c */
void cli_stats_markdown(FILE *f);

/* Verbs (cli/verb_*.c). */
int verb_run(const cli_t *c, arena_t *a, diag_t *d);
int verb_dram(const cli_t *c, arena_t *a, diag_t *d);
int verb_show(const cli_t *c, arena_t *a, diag_t *d);
int verb_map(const cli_t *c, arena_t *a, diag_t *d);
int verb_trace(const cli_t *c, arena_t *a, diag_t *d);
int verb_explain(const cli_t *c, arena_t *a, diag_t *d);

/* Shared by the verbs (cli/output.c). */
report_env_t cli_report_env(const cli_t *c, FILE *f);
/* Folder with the plot scripts: $MEMSIM_PATH/plots, beside the program, the installed share folder, ./plots;
 * NULL if there is none. */
const char *cli_script_dir(const cli_t *c, arena_t *a);
/* Nonzero once the user pressed Ctrl-C; the handler is installed by cli_catch_interrupt, and a second Ctrl-C
 * ends the program at once. */
extern volatile int cli_interrupted;
void cli_catch_interrupt(void);
/* Print and empty the messages gathered so far, errors and notes alike, on stderr. */
void cli_flush_diag(diag_t *d, bool quiet);
#endif
