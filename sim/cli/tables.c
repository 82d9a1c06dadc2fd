/* SPDX-License-Identifier: MIT
 * Parameter and statistic tables as Markdown, for docs/device-format.md. */
#include "machine/tables.h"
#include "cli/cli.h"
#include "machine/device.h"
#include <string.h>

/* A table cell: a bar would end it. */
static void cell(FILE *f, const char *s)
{
    for (; s && *s; s++) {
        if (*s == '|') fputc('\\', f);
        fputc(*s, f);
    }
}

static const char *type_text(const param_row_t *r)
{
    switch (r->type) {
    case PT_PS:
        return "time";
    case PT_GAP:
        return "time or clocks";
    case PT_BYTES:
        return "bytes";
    case PT_HZ:
        return "frequency";
    case PT_RATE:
        return "bit rate a pin";
    case PT_BW:
        return "bandwidth";
    case PT_PJ:
        return "energy";
    case PT_WATT:
        return "power";
    case PT_COUNT:
        return "count";
    case PT_REAL:
        return "number or per cent";
    case PT_BOOL:
        return "yes or no";
    case PT_ENUM:
        return "choice";
    case PT_TEXT:
        return "text";
    default:
        return "";
    }
}

static const char *effect_text(const char *effect)
{
    switch (*effect) {
    case '-':
        return "slower";
    case '+':
        return "not slower";
    case '~':
        return "changes";
    default:
        return "informational";
    }
}

void cli_params_markdown(FILE *f)
{
    size_t n;
    const param_table_t *const *t = device_tables(&n);
    for (size_t i = 0; i < n; i++) {
        fprintf(f,
                "\n### `[%s]`\n\n| key | type | default | range | doubled | meaning "
                "|\n|---|---|---|---|---|---|\n",
                t[i]->section);
        for (size_t j = 0; j < t[i]->n; j++) {
            const param_row_t *r = &t[i]->rows[j];
            fprintf(f, "| `%s` | %s | ", r->key, type_text(r));
            cell(f, !r->dflt ? "required" : *r->dflt ? r->dflt : "empty");
            fputs(" | ", f);
            cell(f, r->min ? r->min : "");
            if (r->max) {
                fputs(" to ", f);
                cell(f, r->max);
            }
            fprintf(f, " | %s | ", effect_text(r->effect));
            cell(f, r->help);
            fputs(" |\n", f);
        }
    }
}

void cli_stats_markdown(FILE *f)
{
    size_t n;
    const stat_table_t *const *t = machine_stat_tables(&n);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "\n### %s\n\n| statistic | unit | meaning |\n|---|---|---|\n", t[i]->component);
        for (size_t j = 0; j < t[i]->n; j++) {
            fprintf(f, "| `%s` | %s | ", t[i]->rows[j].name, t[i]->rows[j].unit);
            cell(f, t[i]->rows[j].help);
            fputs(" |\n", f);
        }
    }
}
