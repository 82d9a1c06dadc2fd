/* SPDX-License-Identifier: MIT
 * -s section.key=value: put a value over the one of the file. */
#include "core/ini_doc.h"
#include <string.h>

static const param_table_t *table_of(const char *kind, const param_table_t *const *tables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(tables[i]->section, kind)) return tables[i];
    return NULL;
}

/* Sections that `spec` names: "kind", "kind name" or "name".  Returns how many, the first in *out. */
static size_t matching(const ini_doc_t *doc, const char *spec, ini_section_t **out)
{
    size_t n = 0;
    for (size_t i = 0; i < doc->n; i++) {
        ini_section_t *s = doc->section[i];
        size_t k = strlen(s->kind);
        bool hit = !strcmp(spec, s->kind) || (*s->name && !strcmp(spec, s->name)) ||
                   (!strncmp(spec, s->kind, k) && spec[k] == ' ' && !strcmp(spec + k + 1, s->name));
        if (hit && n++ == 0) *out = s;
    }
    return n;
}

static int unknown_section(const ini_doc_t *doc, const char *given, const char *spec,
                           const param_table_t *const *tables, size_t n_tables, diag_t *d)
{
    arena_t *a = doc->arena;
    const char **names = arena_array(a, const char *, 2 * doc->n + n_tables + 1);
    size_t n = 0;
    for (size_t i = 0; i < doc->n; i++) {
        names[n++] = doc->section[i]->kind;
        if (*doc->section[i]->name) names[n++] = doc->section[i]->name;
    }
    for (size_t i = 0; i < n_tables; i++) names[n++] = tables[i]->section;
    return diag_add(d, MS_INPUT, "-s %s: unknown section %s%s", given, spec,
                    ini_did_you_mean(spec, names, n, a));
}

static char *trimmed(arena_t *a, const char *from, size_t n)
{
    while (n && (*from == ' ' || *from == '\t')) from++, n--;
    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t')) n--;
    return arena_printf(a, "%.*s", (int)n, from);
}

/* A value must survive being written to a device file and read back. */
static bool writable(const char *key, const char *value)
{
    for (const char *p = value; *p; p++)
        if ((unsigned char)*p < ' ' || (*p == ';' && (p == value || p[-1] == ' '))) return false;
    return strlen(key) + 3 + strlen(value) <= INI_LINE_MAX;
}

int ini_doc_override(ini_doc_t *doc, const char *assignment, const param_table_t *const *tables,
                     size_t n_tables, diag_t *d)
{
    arena_t *a = doc->arena;
    const char *equals = strchr(assignment, '=');
    const char *dot = equals;
    while (dot && dot > assignment && *dot != '.') dot--;
    if (!dot || dot == assignment || dot + 1 == equals)
        return diag_add(d, MS_INPUT, "-s %s: expected section.key=value", assignment);
    const char *spec = trimmed(a, assignment, (size_t)(dot - assignment));
    const char *key = trimmed(a, dot + 1, (size_t)(equals - dot - 1));
    const char *value = trimmed(a, equals + 1, strlen(equals + 1));
    if (!strcmp(spec, "dram")) spec = "memory";
    if (!strncmp(spec, "dram ", 5)) spec = arena_printf(a, "memory %s", spec + 5);

    ini_section_t *s = NULL;
    size_t hits = matching(doc, spec, &s);
    if (hits > 1)
        return diag_add(d, MS_INPUT, "-s %s: %zu sections match; name one, as in \"%s.%s=%s\"",
                        assignment, hits, *s->name ? s->name : s->kind, key, value);
    const param_table_t *t = table_of(s ? s->kind : spec, tables, n_tables);
    if (!t) return unknown_section(doc, assignment, spec, tables, n_tables, d);
    const param_row_t *row = NULL;
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->rows[i].key, key)) row = &t->rows[i];
    if (!row)
        return diag_add(d, MS_INPUT, "-s %s: [%s] has no %s%s", assignment, t->section, key,
                        ini_did_you_mean(key, param_keys(t, a), t->n, a));
    if (!writable(key, value))
        return diag_add(d, MS_INPUT, "-s %s: value cannot be written in a device file", assignment);
    if (!s) s = ini_doc_append(doc, t->section, "", "-s", 0);
    ini_entry_t e = {
        .key = row->key, .value = value, .file = "-s", .given = arena_strdup(a, assignment)};
    ini_section_set(s, e, a);
    return MS_OK;
}
