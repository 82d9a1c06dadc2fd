/* SPDX-License-Identifier: MIT
 * From table rows to a filled struct, and back to text. */
#include "core/ini_doc.h"
#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* Any parameter's value. */
typedef union value {
    ps_t ps;
    gap_t gap;
    uint64_t u64;
    double real;
    uint32_t count;
    bool flag;
    int choice;
    const char *text;
} value_t;

static size_t value_bytes(param_type_t pt)
{
    switch (pt) {
    case PT_PS:
        return sizeof(PARAM_C_PS);
    case PT_GAP:
        return sizeof(PARAM_C_GAP);
    case PT_BYTES:
    case PT_HZ:
    case PT_RATE:
    case PT_BW:
        return sizeof(uint64_t);
    case PT_PJ:
    case PT_WATT:
    case PT_REAL:
        return sizeof(double);
    case PT_COUNT:
        return sizeof(PARAM_C_COUNT);
    case PT_BOOL:
        return sizeof(PARAM_C_BOOL);
    case PT_ENUM:
        return sizeof(PARAM_C_ENUM);
    case PT_TEXT:
        return sizeof(PARAM_C_TEXT);
    }
    return 0;
}

const char *const *param_keys(const param_table_t *t, arena_t *a)
{
    const char **names = arena_array(a, const char *, t->n);
    for (size_t i = 0; i < t->n; i++) names[i] = t->rows[i].key;
    return names;
}

/* ---- choices "a|b|c" ---- */

static const char *choice_at(const char *choices, size_t i, size_t *n)
{
    const char *p = choices;
    for (; p; i--) {
        size_t len = strcspn(p, "|");
        if (i == 0) {
            *n = len;
            return p;
        }
        p = p[len] ? p + len + 1 : NULL;
    }
    return NULL;
}

static int choice_index(const char *choices, const char *text)
{
    const char *p;
    size_t n;
    for (int i = 0; (p = choice_at(choices, (size_t)i, &n)); i++)
        if (strlen(text) == n && !strncmp(p, text, n)) return i;
    return -1;
}

static const char *choice_help(const param_row_t *r, const char *given, arena_t *a)
{
    const char *names[32], *p;
    size_t n = 0, len;
    for (; n < 32 && (p = choice_at(r->min, n, &len)); n++)
        names[n] = arena_printf(a, "%.*s", (int)len, p);
    return arena_printf(a, "must be one of %s%s", r->min, ini_did_you_mean(given, names, n, a));
}

/* ---- ranges ---- */

/* -1, 0, 1 as a is below, equal to or above b; equal where they cannot be compared (CK against ns). */
static int compare(param_type_t pt, const value_t *a, const value_t *b)
{
    switch (pt) {
    case PT_PS:
        return (a->ps > b->ps) - (a->ps < b->ps);
    case PT_GAP:
        if (a->gap.in_clocks != b->gap.in_clocks) {
            /* Only the sign is known without the clock; the device check does the rest. */
            return a->gap.v < 0 && b->gap.v >= 0 ? -1 : 0;
        }
        return (a->gap.v > b->gap.v) - (a->gap.v < b->gap.v);
    case PT_BYTES:
    case PT_HZ:
    case PT_RATE:
    case PT_BW:
        return (a->u64 > b->u64) - (a->u64 < b->u64);
    case PT_PJ:
    case PT_WATT:
    case PT_REAL:
        return (a->real > b->real) - (a->real < b->real);
    case PT_COUNT:
        return (a->count > b->count) - (a->count < b->count);
    case PT_BOOL:
    case PT_ENUM:
    case PT_TEXT:
        break;
    }
    return 0;
}

/* NULL if v lies in the row's range, else what is wrong. */
static const char *out_of_range(const param_row_t *r, const value_t *v, arena_t *a)
{
    const char *why;
    value_t edge;
    if (r->type == PT_ENUM) return NULL;
    if (r->min) {
        bool ok = text_parse(r->type, r->min, &edge, &why);
        assert(ok); /* a row's own texts are right: a test reads them all */
        if (ok && compare(r->type, v, &edge) < 0)
            return arena_printf(a, "is below the minimum, %s", r->min);
    }
    if (r->max) {
        bool ok = text_parse(r->type, r->max, &edge, &why);
        assert(ok);
        if (ok && compare(r->type, v, &edge) > 0)
            return arena_printf(a, "is above the maximum, %s", r->max);
    }
    return NULL;
}

/* ---- filling ---- */

/* Text to value; NULL if fine, else what is wrong. */
static const char *read_value(const param_row_t *r, const char *text, value_t *v, arena_t *a)
{
    const char *why = NULL;
    if (r->type == PT_ENUM) {
        v->choice = choice_index(r->min, text);
        return v->choice < 0 ? choice_help(r, text, a) : NULL;
    }
    if (!text_parse(r->type, text, v, &why)) return why;
    return out_of_range(r, v, a);
}

static void store(const param_row_t *r, void *strukt, const value_t *v)
{
    memcpy((char *)strukt + r->offset, v, value_bytes(r->type));
}

static int fault(diag_t *d, const ini_entry_t *e, const char *what)
{
    if (e->line > 0)
        return diag_at(d, MS_INPUT, e->file, e->line, "%s = %s: %s", e->key, e->value, what);
    return diag_add(d, MS_INPUT, "-s %s: %s", e->given, what);
}

static int unknown_keys(const param_table_t *t, ini_section_t *s, arena_t *a, diag_t *d)
{
    int rc = MS_OK;
    for (size_t k = 0; k < s->n; k++) {
        ini_entry_t *e = &s->entry[k];
        if (e->used) continue;
        e->used = true; /* reported here, not a second time as unused */
        rc = diag_at(d, MS_INPUT, e->file, e->line, "unknown key %s in [%s]%s", e->key, t->section,
                     ini_did_you_mean(e->key, param_keys(t, a), t->n, a));
    }
    return rc;
}

int param_fill(const param_table_t *t, void *strukt, ini_section_t *s, arena_t *a, diag_t *d)
{
    int rc = MS_OK;
    for (size_t i = 0; i < t->n; i++) {
        const param_row_t *r = &t->rows[i];
        ini_entry_t *e = s ? ini_section_find(s, r->key) : NULL;
        value_t v = {0};
        if (e) {
            e->used = true;
            const char *what = read_value(r, e->value, &v, a);
            if (what) rc = fault(d, e, what);
        } else if (r->dflt) {
            const char *what = read_value(r, r->dflt, &v, a);
            assert(!what); /* as above */
            (void)what;
        } else if (s && s->incomplete) {
            rc = MS_INPUT;
        } else if (s && s->line > 0) {
            rc = diag_at(d, MS_INPUT, s->file, s->line, "%s needs %s (%s)", ini_section_title(s, a),
                         r->key, r->help);
        } else {
            rc = diag_add(d, MS_INPUT, "[%s] needs %s (%s)", t->section, r->key, r->help);
        }
        store(r, strukt, &v);
    }
    if (s) {
        int unknown = unknown_keys(t, s, a, d);
        if (unknown != MS_OK) rc = unknown;
    }
    return rc;
}

/* ---- back to text ---- */

int param_format(const param_row_t *r, const void *strukt, char *buf, size_t n)
{
    char text[256];
    const void *at = (const char *)strukt + r->offset;
    if (r->type == PT_ENUM) {
        size_t len = 0;
        const char *p = choice_at(r->min, (size_t) * (const int *)at, &len);
        return snprintf(buf, n, "%s = %.*s", r->key, (int)len, p ? p : "");
    }
    text_format(r->type, at, text, sizeof text);
    return snprintf(buf, n, "%s = %s", r->key, text);
}

const char *param_place(const param_table_t *t, const char *key, const void *strukt,
                        const ini_section_t *s, arena_t *a)
{
    const ini_entry_t *e = s ? ini_section_find(s, key) : NULL;
    if (e && e->line > 0) return arena_printf(a, "%s:%d: %s = %s", e->file, e->line, key, e->value);
    if (e) return arena_printf(a, "-s %s", e->given);
    char line[512] = "";
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->rows[i].key, key)) param_format(&t->rows[i], strukt, line, sizeof line);
    return arena_printf(a, "%s", line);
}

const char *param_origin(const param_row_t *r, const ini_section_t *s, arena_t *a)
{
    const ini_entry_t *e = s ? ini_section_find(s, r->key) : NULL;
    if (!e) return "built-in";
    return e->line > 0 ? arena_printf(a, "%s:%d", e->file, e->line) : "-s";
}
