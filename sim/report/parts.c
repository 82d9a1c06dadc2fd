/* SPDX-License-Identifier: MIT
 * Paragraphs and stacks of the text reports. */
#include "report/parts.h"
#include "report/fmt.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 14 /* columns of the label in front of a paragraph */

void part_heading(FILE *f, const char *text, const report_env_t *e)
{
    fprintf(f, "%s%s%s\n", e->color ? "\033[1m" : "", text, e->color ? "\033[0m" : "");
}

void part_paragraph(FILE *f, const char *label, const char *text)
{
    fmt_field(f, LABEL, label);
    fmt_wrap(f, text, LABEL, REPORT_COLUMNS);
    fputc('\n', f);
}

/* Append an entry whose blanks become no-break spaces (C2 A0), so that fmt_wrap keeps it on one line. */
static void append_glued(char *out, size_t n, const char *separator, const char *entry)
{
    size_t o = strlen(out);
    if (o)
        for (; *separator && o + 1 < n; separator++) out[o++] = *separator;
    for (; *entry && o + 3 < n; entry++) {
        if (*entry == ' ') out[o++] = (char)0xC2;
        out[o++] = (char)(*entry == ' ' ? 0xA0 : *entry);
    }
    out[o] = '\0';
}

void part_stack(FILE *f, const char *label, const res_share_t *s, size_t n, char unit, double least)
{
    char text[2048] = "";
    for (size_t i = 0; i < n; i++) {
        if (!(s[i].value >= least)) continue;
        fmt_txt_t v = unit == '%'   ? fmt_pct(s[i].value)
                      : unit == 'n' ? fmt_ns(s[i].value)
                                    : fmt_si(s[i].value, "J");
        char entry[128];
        snprintf(entry, sizeof entry, "%s %s", s[i].name, v.s);
        append_glued(text, sizeof text, " \xC2\xB7 ", entry);
    }
    part_paragraph(f, label, *text ? text : "-");
}

static char letter(size_t i)
{
    return (char)(i == 0 ? '#' : 'a' + (int)((i - 1) % 26));
}

void part_bar(FILE *f, const res_share_t *s, size_t n, int width)
{
    double sum = 0, edge = 0;
    for (size_t i = 0; i < n; i++)
        if (s[i].value > 0) sum += s[i].value;
    if (!(sum > 0)) return;
    char text[2048] = "";
    int drawn = 0;
    fprintf(f, "%*s[", LABEL, "");
    for (size_t i = 0; i < n; i++) {
        if (!(s[i].value > 0)) continue;
        edge += s[i].value / sum * width;
        for (; drawn < (int)lround(edge); drawn++) fputc(letter(i), f);
        if (s[i].value < 0.0005) continue;
        char entry[128];
        snprintf(entry, sizeof entry, "%c %s %s", letter(i), s[i].name, fmt_pct(s[i].value).s);
        append_glued(text, sizeof text, "  ", entry);
    }
    fputs("]\n", f);
    part_paragraph(f, "", text);
}

void part_host(FILE *f, const result_t *r)
{
    char text[240];
    int n =
        snprintf(text, sizeof text, "%s requests, %s events in %s", fmt_count(r->host.requests).s,
                 fmt_count(r->host.events).s, fmt_ns(r->host.wall_s * 1e9).s);
    if (r->host.requests_per_s > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " = %s",
                      fmt_si(r->host.requests_per_s, "req/s").s);
    if (r->host.peak_rss_bytes)
        snprintf(text + n, sizeof text - (size_t)n, ", %s of memory",
                 fmt_bytes((double)r->host.peak_rss_bytes).s);
    part_paragraph(f, "simulator", text);
}
