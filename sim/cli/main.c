/* SPDX-License-Identifier: MIT
 * memsim: parse, choose the verb, run it, say how it ended. */
#include "cli/cli.h"
#include "core/version.h"
#include <errno.h>
#include <signal.h>
#include <string.h>

static int help(const cli_t *c, diag_t *d)
{
    if (c->man)
        cli_man(stdout);
    else if (c->bash_completion)
        cli_bash_completion(stdout);
    else if (c->options_markdown)
        cli_options_markdown(stdout);
    else if (!c->n_operand)
        cli_help(stdout);
    for (size_t i = 0; i < c->n_operand; i++) {
        int v = 0;
        while (v < VERB_COUNT && strcmp(cli_verbs[v].name, c->operand[i]) != 0) v++;
        if (v == VERB_COUNT) return diag_add(d, MS_USAGE, "unknown verb %s", c->operand[i]);
        cli_verb_help(stdout, (verb_t)v);
    }
    return MS_OK;
}

static int dispatch(const cli_t *c, int argc, arena_t *a, diag_t *d)
{
    const cli_verb_t *verb = &cli_verbs[c->verb];
    if (c->version) {
        printf("memsim %s (%s)\n", memsim_version, memsim_commit);
        return MS_OK;
    }
    if (c->help) {
        if (!c->verb_given)
            cli_help(stdout);
        else
            cli_verb_help(stdout, c->verb);
        return MS_OK;
    }
    if (c->explain || c->verb == VERB_EXPLAIN) return verb_explain(c, a, d);
    if (c->verb == VERB_HELP) return help(c, d);
    if (!verb->available)
        return diag_add(d, MS_USAGE, "%s: not available yet in this version", verb->name);
    if (argc < 2) {
        cli_help(stderr);
        return MS_USAGE;
    }
    return verb->run(c, a, d);
}

int main(int argc, char **argv)
{
    signal(
        SIGPIPE,
        SIG_DFL); /* `memsim ... | head` ends quietly, also where the parent ignored the signal */
    cli_t c;
    diag_t d;
    arena_t *a = arena_new();
    diag_init(&d);
    int rc = cli_parse(&c, argc, argv, a, &d);
    if (!rc) rc = dispatch(&c, argc, a, &d);
    cli_flush_diag(&d, c.verbosity < 0);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "memsim: cannot write to standard output: %s\n", strerror(errno));
        if (rc == MS_OK) rc = MS_USAGE;
    }
    diag_free(&d);
    arena_free(a);
    return rc;
}
