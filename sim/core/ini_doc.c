/* SPDX-License-Identifier: MIT
 * Sections and entries of a parsed device file. */
#include "core/ini_doc.h"
#include <string.h>

ini_section_t *ini_doc_append(ini_doc_t *doc, const char *kind, const char *name, const char *file,
                              int line)
{
    if (doc->n == doc->cap) {
        size_t cap = doc->cap ? 2 * doc->cap : 16;
        ini_section_t **grown = arena_array(doc->arena, ini_section_t *, cap);
        if (doc->n) memcpy(grown, doc->section, doc->n * sizeof *grown);
        doc->section = grown;
        doc->cap = cap;
    }
    ini_section_t *s = arena_alloc(doc->arena, sizeof *s);
    *s = (ini_section_t){.kind = kind, .name = name, .file = file, .line = line};
    doc->section[doc->n++] = s;
    return s;
}

ini_section_t *ini_doc_find(const ini_doc_t *doc, const char *kind, const char *name)
{
    for (size_t i = 0; i < doc->n; i++)
        if (!strcmp(doc->section[i]->kind, kind) && !strcmp(doc->section[i]->name, name))
            return doc->section[i];
    return NULL;
}

ini_entry_t *ini_section_find(const ini_section_t *s, const char *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->entry[i].key, key)) return &s->entry[i];
    return NULL;
}

void ini_section_set(ini_section_t *s, ini_entry_t e, arena_t *a)
{
    ini_entry_t *old = ini_section_find(s, e.key);
    if (old) {
        *old = e;
        return;
    }
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 32;
        ini_entry_t *grown = arena_array(a, ini_entry_t, cap);
        if (s->n) memcpy(grown, s->entry, s->n * sizeof *grown);
        s->entry = grown;
        s->cap = cap;
    }
    s->entry[s->n++] = e;
}

const char *ini_section_title(const ini_section_t *s, arena_t *a)
{
    return *s->name ? arena_printf(a, "[%s %s]", s->kind, s->name)
                    : arena_printf(a, "[%s]", s->kind);
}

const char *ini_did_you_mean(const char *given, const char *const *names, size_t n, arena_t *a)
{
    const char *near = diag_nearest(given, names, n);
    return near ? arena_printf(a, ", did you mean %s?", near) : "";
}

size_t ini_doc_count(const ini_doc_t *doc, const char *kind)
{
    size_t n = 0;
    for (size_t i = 0; i < doc->n; i++) n += !strcmp(doc->section[i]->kind, kind);
    return n;
}

ini_section_t *ini_doc_section(ini_doc_t *doc, const char *kind, size_t i)
{
    for (size_t k = 0; k < doc->n; k++)
        if (!strcmp(doc->section[k]->kind, kind) && i-- == 0) return doc->section[k];
    return NULL;
}

static const char *const *table_kinds(const param_table_t *const *tables, size_t n, arena_t *a)
{
    const char **names = arena_array(a, const char *, n);
    for (size_t i = 0; i < n; i++) names[i] = tables[i]->section;
    return names;
}

static bool any_used(const ini_section_t *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->entry[i].used) return true;
    return s->n == 0;
}

int ini_doc_check_unused(ini_doc_t *doc, const param_table_t *const *tables, size_t n_tables,
                         diag_t *d)
{
    arena_t *a = doc->arena;
    const char *const *kinds = table_kinds(tables, n_tables, a);
    int rc = MS_OK;
    for (size_t i = 0; i < doc->n; i++) {
        ini_section_t *s = doc->section[i];
        bool known = false;
        for (size_t t = 0; t < n_tables; t++) known |= !strcmp(kinds[t], s->kind);
        if (!known) {
            rc = diag_at(d, MS_INPUT, s->file, s->line, "unknown section %s%s",
                         ini_section_title(s, a), ini_did_you_mean(s->kind, kinds, n_tables, a));
        } else if (!any_used(s)) {
            rc =
                diag_at(d, MS_INPUT, s->file, s->line, "section %s is not used: one [%s] is enough",
                        ini_section_title(s, a), s->kind);
        } else {
            for (size_t k = 0; k < s->n; k++) {
                const ini_entry_t *e = &s->entry[k];
                if (!e->used) rc = diag_at(d, MS_INPUT, e->file, e->line, "%s is not used", e->key);
            }
        }
    }
    return rc;
}
