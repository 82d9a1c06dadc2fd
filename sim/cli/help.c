/* SPDX-License-Identifier: MIT
 * Help, manual page and completions, made from the verbs and options tables. */
#include "cli/cli.h"
#include "core/version.h"
#include "report/fmt.h"
#include <string.h>

#define HELP_COLUMNS 96
#define HELP_INDENT 31

static void option_line(FILE *f, const cli_option_t *o)
{
    char left[64];
    snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->brief ? '-' : ' ',
             o->brief ? o->brief : ' ', o->brief ? "," : " ", o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    int w = fmt_width(left);
    if (w < HELP_INDENT)
        fmt_field(f, HELP_INDENT, left);
    else
        fprintf(f, "%s\n%*s", left, HELP_INDENT, "");
    fmt_wrap(f, o->help, HELP_INDENT, HELP_COLUMNS);
    fputc('\n', f);
}

void cli_help(FILE *f)
{
    fputs("memsim: a simulator of GPU memory hierarchies\n\nusage: memsim DEVICE.ini "
          "WORKLOAD.trace [options]\n",
          f);
    for (int v = 0; v < VERB_COUNT; v++)
        if (cli_verbs[v].available && v != VERB_RUN && v != VERB_HELP)
            fprintf(f, "       memsim %s %s\n", cli_verbs[v].name, cli_verbs[v].operands);
    fputs("       memsim VERB --help\n\noptions\n", f);
    for (size_t i = 0; i < cli_n_options; i++)
        if (!cli_options[i].hidden) option_line(f, &cli_options[i]);
    fputs("\nResults go to standard output, messages to standard error; files are written only "
          "with -o.\n"
          "Exit codes: 0 ok, 1 usage or output folder, 2 bad input file, 3 deadlock, 4 internal "
          "error,\n"
          "5 does not fit in memory, 130 interrupted.\n"
          "Try: memsim devices/h100.ini workloads/gpt.trace\n",
          f);
}

void cli_verb_help(FILE *f, verb_t v)
{
    const cli_verb_t *b = &cli_verbs[v];
    fprintf(f, "usage: memsim %s %s\n\n", b->name, b->operands);
    if (b->about) {
        fmt_wrap(f, b->about, 0, HELP_COLUMNS);
        fputs("\n\n", f);
    }
    if (!b->available) return;
    fputs("options\n", f);
    for (size_t i = 0; i < cli_n_options; i++)
        if (cli_verb_takes(v, &cli_options[i]) &&
            (!cli_options[i].hidden || v == VERB_HELP || v == VERB_SHOW))
            option_line(f, &cli_options[i]);
    if (b->example) fprintf(f, "\nexample: %s\n", b->example);
}

/* roff: a leading dot or quote would be a request, a minus a hyphen. */
static void roff(FILE *f, const char *s)
{
    if (*s == '.' || *s == '\'') fputs("\\&", f);
    for (; *s; s++) {
        if (*s == '-' || *s == '\\') fputc('\\', f);
        fputc(*s, f);
    }
}

void cli_man(FILE *f)
{
    fputs(".\\\" Made by `memsim help --man` from the options table; do not edit.\n"
          ".TH MEMSIM 1 \"\" \"memsim\" \"User commands\"\n.SH NAME\nmemsim \\- simulate GPU "
          "memory hierarchies\n"
          ".SH SYNOPSIS\n",
          f);
    for (int v = 0; v < VERB_COUNT; v++) {
        if (!cli_verbs[v].available) continue;
        fprintf(f, ".B memsim %s\n", v == VERB_RUN ? "[run]" : cli_verbs[v].name);
        roff(f, cli_verbs[v].operands);
        fputs("\n.br\n", f);
    }
    fputs(".SH DESCRIPTION\nmemsim plays a workload on a described device, event by event, and "
          "prints where the time "
          "and the bytes went, and what limits the run.\n.SH VERBS\n",
          f);
    for (int v = 0; v < VERB_COUNT; v++) {
        if (!cli_verbs[v].available) continue;
        fputs(".TP\n.B ", f);
        roff(f, cli_verbs[v].name);
        fputc('\n', f);
        roff(f, cli_verbs[v].about ? cli_verbs[v].about : cli_verbs[v].help);
        fputc('\n', f);
    }
    fputs(".SH OPTIONS\n", f);
    for (size_t i = 0; i < cli_n_options; i++) {
        const cli_option_t *o = &cli_options[i];
        if (o->hidden) continue;
        fputs(".TP\n.B ", f);
        if (o->brief) fprintf(f, "\\-%c, ", o->brief);
        fputs("\\-\\-", f);
        roff(f, o->name);
        if (o->arg) {
            fputc(' ', f);
            roff(f, o->arg);
        }
        fputc('\n', f);
        roff(f, o->help);
        fputc('\n', f);
    }
    fputs(".SH EXIT STATUS\n0 ok; 1 usage, an output folder refused or not writable; 2 bad device, "
          "workload or data "
          "file; 3 deadlock or no progress; 4 internal invariant or illegal DRAM command; 5 "
          "buffers do not fit in "
          "memory; 130 interrupted, with a partial result.\n.SH ENVIRONMENT\n.TP\n.B "
          "MEMSIM_PATH\nfolder with "
          "devices, workloads and plots\n.TP\n.B NO_COLOR\nif set, no bold text on a terminal\n.SH "
          "FILES\nWith "
          "\\-o: config.resolved.ini, result.json, stats.csv, summary.txt, plots/*.gp, *.dat, "
          "*.svg.\n",
          f);
}

void cli_bash_completion(FILE *f)
{
    fputs("# bash completion for memsim; made by `memsim help --bash-completion`\n_memsim() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]}\n    case $cur in\n    -*) COMPREPLY=($(compgen "
          "-W '",
          f);
    bool first = true;
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].hidden) continue;
        if (cli_options[i].brief) fprintf(f, "%s-%c", first ? "" : " ", cli_options[i].brief);
        fprintf(f, "%s--%s", first && !cli_options[i].brief ? "" : " ", cli_options[i].name);
        first = false;
    }
    fputs("' -- \"$cur\")) ;;\n    *) if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '",
          f);
    first = true;
    for (int v = 0; v < VERB_COUNT; v++) {
        if (!cli_verbs[v].available) continue;
        fprintf(f, "%s%s", first ? "" : " ", cli_verbs[v].name);
        first = false;
    }
    fputs("' -- \"$cur\") $(compgen -f -- \"$cur\")); else COMPREPLY=($(compgen -f -- \"$cur\")); "
          "fi ;;\n"
          "    esac\n}\ncomplete -o filenames -F _memsim memsim\n",
          f);
}

void cli_options_markdown(FILE *f)
{
    fputs("| option | meaning | verbs |\n|---|---|---|\n", f);
    for (size_t i = 0; i < cli_n_options; i++) {
        const cli_option_t *o = &cli_options[i];
        if (o->hidden) continue;
        fputs("| `", f);
        if (o->brief) fprintf(f, "-%c`, `", o->brief);
        fprintf(f, "--%s%s%s` | %s |", o->name, o->arg ? " " : "", o->arg ? o->arg : "", o->help);
        if (o->verbs == ~0u) {
            fputs(" all |\n", f);
            continue;
        }
        for (int v = 0; v < VERB_COUNT; v++)
            if (cli_verb_takes((verb_t)v, o)) fprintf(f, " %s", cli_verbs[v].name);
        fputs(" |\n", f);
    }
}
