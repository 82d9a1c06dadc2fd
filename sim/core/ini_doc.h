/* SPDX-License-Identifier: MIT
 * Inside of a parsed device file, shared by its reader (ini.c), the -s assignments (ini_set.c) and param.c. */
#ifndef MEMSIM_CORE_INI_DOC_H
#define MEMSIM_CORE_INI_DOC_H
#include "core/param.h"

#define INI_LINE_MAX 199 /* bytes of a line; libinih 55 cuts longer ones silently */

struct ini_doc {
    arena_t *arena;
    const char *path;
    ini_section_t **section; /* in order of appearance */
    size_t n, cap;
};

/* A new, empty section at the end of the document. */
ini_section_t *ini_doc_append(ini_doc_t *doc, const char *kind, const char *name, const char *file,
                              int line);
/* Section with this kind and name, NULL if there is none. */
ini_section_t *ini_doc_find(const ini_doc_t *doc, const char *kind, const char *name);
ini_entry_t *ini_section_find(const ini_section_t *s, const char *key);
/* Replace the entry with e's key, or append it. */
void ini_section_set(ini_section_t *s, ini_entry_t e, arena_t *a);
/* "[memory hbm]" for messages. */
const char *ini_section_title(const ini_section_t *s, arena_t *a);
/* ", did you mean X?" or "". */
const char *ini_did_you_mean(const char *given, const char *const *names, size_t n, arena_t *a);
/* Names of all keys of a table. */
const char *const *param_keys(const param_table_t *t, arena_t *a);
#endif
