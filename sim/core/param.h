/* SPDX-License-Identifier: MIT
 * A parameter is declared once, as a row of an X-macro list in the model that uses it.  From the row come the
 * struct field, parsing with units, range checks, `memsim show`, --explain, docs/device-format.md, and the
 * dead-parameter test.
 *
 *   #define L2_PARAMS(P)                                                                             \
 *       P(size, BYTES, "50 MiB", "1 KiB", "64 GiB", "+", "capacity of all slices", "cache/tags.c")  ...
 *   typedef struct l2_param { L2_PARAMS(PARAM_FIELD) } l2_param_t;
 *   #define L2_ROW(...) PARAM_ROW_IN(l2_param_t, __VA_ARGS__)
 *   static const param_row_t l2_rows[] = { L2_PARAMS(L2_ROW) };
 *
 * Columns: field (= INI key), type, default as text (NULL = required), minimum, maximum (text, with units;
 * for ENUM the minimum column holds the choices "a|b|c" and the maximum is NULL), effect of doubling
 * ("-" slower, "+" faster or not slower, "~" changes some result, "i" informational), meaning, where it acts. */
#ifndef MEMSIM_CORE_PARAM_H
#define MEMSIM_CORE_PARAM_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include <stdio.h>

typedef enum {
    PT_PS,    /* duration: ps ns us ms s        -> ps_t */
    PT_GAP,   /* duration, or clocks: "14 ns", "20 CK" -> gap_t */
    PT_BYTES, /* B KiB MiB GiB TiB, kB MB GB TB -> uint64_t bytes */
    PT_HZ,    /* Hz kHz MHz GHz                 -> uint64_t Hz */
    PT_RATE,  /* bit/s per pin: Mbps Gbps       -> uint64_t bit/s */
    PT_BW,    /* B/s MB/s GB/s TB/s             -> uint64_t byte/s */
    PT_PJ,    /* fJ pJ nJ                       -> double pJ */
    PT_WATT,  /* mW W                           -> double W */
    PT_COUNT, /* whole number, no unit          -> uint32_t */
    PT_REAL,  /* plain number or "25 %"         -> double */
    PT_BOOL,  /* yes no true false on off       -> bool */
    PT_ENUM,  /* one of the choices             -> int, index of the choice */
    PT_TEXT   /*                                -> const char * (arena) */
} param_type_t;

typedef struct gap {
    int64_t v; /* ps, or clocks if in_clocks */
    bool in_clocks;
} gap_t;

/* A gap in ps, its clocks being those of clk. */
static inline ps_t gap_ps(gap_t g, clk_t clk)
{
    return g.in_clocks ? clk_span(clk, g.v) : g.v;
}

#define PARAM_C_PS ps_t
#define PARAM_C_GAP gap_t
#define PARAM_C_BYTES uint64_t
#define PARAM_C_HZ uint64_t
#define PARAM_C_RATE uint64_t
#define PARAM_C_BW uint64_t
#define PARAM_C_PJ double
#define PARAM_C_WATT double
#define PARAM_C_COUNT uint32_t
#define PARAM_C_REAL double
#define PARAM_C_BOOL bool
#define PARAM_C_ENUM int
#define PARAM_C_TEXT const char *

typedef struct param_row {
    const char *key;
    param_type_t type;
    size_t offset;
    const char *dflt, *min, *max, *effect, *help, *acts;
} param_row_t;

#define PARAM_FIELD(field, type, dflt, min, max, effect, help, acts) PARAM_C_##type field;
#define PARAM_ROW_IN(strukt, field, type, dflt, min, max, effect, help, acts) \
    {#field, PT_##type, offsetof(strukt, field), dflt, min, max, effect, help, acts},

typedef struct param_table {
    const char *section; /* INI section kind: "gpu", "l1", "l2", "xbar", "memory", ... */
    const param_row_t *rows;
    size_t n;
} param_table_t;

/* ---- the device file, parsed but not interpreted (core/ini.c) ---- */
typedef struct ini_entry {
    const char *key, *value;
    const char *file;  /* origin: file name, or "-s" */
    int line;          /* 0 for -s */
    const char *given; /* the assignment as -s was given it; NULL from a file */
    const char *
        source; /* text of the `; src:` or `# src:` comment lines above this key or above the unbroken
                           run of keys (no blank or comment line) it stands in; NULL if none */
    bool used;
} ini_entry_t;
typedef struct ini_section {
    const char *kind, *name; /* "[memory hbm]" -> "memory", "hbm"; name "" if absent */
    const char *file;
    int line;
    ini_entry_t *entry;
    size_t n, cap;
    bool
        incomplete; /* a file it uses could not be read (reported): missing keys are no further faults */
} ini_section_t;
typedef struct ini_doc ini_doc_t;

/* Load a device file: inih on our own line reader (counts lines, refuses lines over 199 bytes, CRLF and BOM
 * accepted), `use = file.ini` inside a section pulls in the keys of that file's section of the same kind, or of
 * its only section, as a base that the section's own keys override (paths are relative to the including file);
 * several `use` lines apply in order; cycles are refused.  A `use` before any section includes whole sections.
 * Duplicate key or section in one file is an error.  Every fault of the file is reported before MS_INPUT is
 * returned; *out then holds what could be read, so that a caller can go on checking, or NULL if the file could
 * not be read at all.  A section [dram] is read as [memory].  *out is freed with the arena. */
int ini_doc_load(ini_doc_t **out, const char *path, arena_t *a, diag_t *d);
/* Apply "section.key=value" (or "section name.key=value", "name.key=value"; "dram." names the only memory
 * section).  The key must exist in `tables`; unknown names are refused with the nearest one. */
int ini_doc_override(ini_doc_t *doc, const char *assignment, const param_table_t *const *tables,
                     size_t n_tables, diag_t *d);
size_t ini_doc_count(const ini_doc_t *doc, const char *kind);
/* i-th section of a kind, NULL if there is none. */
ini_section_t *ini_doc_section(ini_doc_t *doc, const char *kind, size_t i);
/* Report sections whose kind is in no table, and keys no param_fill consumed, with the nearest valid name. */
int ini_doc_check_unused(ini_doc_t *doc, const param_table_t *const *tables, size_t n_tables,
                         diag_t *d);

/* Fill a struct from defaults, then from section s (may be NULL: defaults only), checking units and ranges.
 * Marks used keys; unknown keys are reported here with the nearest valid one.  All faults are reported. */
int param_fill(const param_table_t *t, void *strukt, ini_section_t *s, arena_t *a, diag_t *d);
/* "key = value" with canonical unit, as `show` and config.resolved.ini print it; returns bytes written as snprintf. */
int param_format(const param_row_t *r, const void *strukt, char *buf, size_t n);
/* Where and what for a message about key: "file:12: tRP = 3 ns", "-s dram.tRP=3ns" as the user wrote it, or, where it
 * has its built-in value or s is NULL, "tRP = 3 ns".  Lives in the arena. */
const char *param_place(const param_table_t *t, const char *key, const void *strukt,
                        const ini_section_t *s, arena_t *a);
/* Origin of a key in s: "built-in", "file:line", "-s". */
const char *param_origin(const param_row_t *r, const ini_section_t *s, arena_t *a);

/* ---- numbers with units, exact where the result is an integer (core/text.c) ---- */
/* Parse `text` as type `pt` into *out (the C type of the table above).  On failure returns false and points
 * *why at a static explanation such as "needs a unit (ps, ns, us, ms or s)". */
bool text_parse(param_type_t pt, const char *text, void *out, const char **why);
/* Human form: 53687091200 -> "50 GiB"; 13750 ps -> "13.75 ns"; 3.352e12 -> "3.352 TB/s". */
int text_format(param_type_t pt, const void *value, char *buf, size_t n);
const char *text_units(param_type_t pt); /* "ps, ns, us, ms or s" */
#endif
