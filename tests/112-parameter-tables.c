/* SPDX-License-Identifier: MIT
 * Every parameter table of the device file: its rows read their own texts, defaults lie in their ranges, and what
 * is printed reads back. */
#include "machine/device.h"
#include "test.h"
#include <string.h>

static const char *const effects[] = {"-", "+", "~", "i"};

START_TEST(every_row_is_complete_and_reads_its_own_texts)
{
    size_t n, rows = 0;
    const param_table_t *const *t = device_tables(&n);
    ck_assert_uint_ge(n, 6);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_ge(t[i]->n, 2);
        for (size_t k = 0; k < t[i]->n; k++, rows++) {
            const param_row_t *r = &t[i]->rows[k];
            const char *why = "", *texts[] = {r->dflt, r->min, r->max};
            union {
                gap_t g;
                double d;
                uint64_t u;
                const char *s;
            } v;
            bool known = false;
            for (size_t e = 0; e < 4; e++) known |= !strcmp(r->effect, effects[e]);
            ck_assert_msg(known, "[%s] %s: effect %s", t[i]->section, r->key, r->effect);
            ck_assert_msg(*r->help && *r->acts, "[%s] %s: no text", t[i]->section, r->key);
            for (size_t j = 0; j < 3; j++) {
                if (!texts[j] || r->type == PT_ENUM) continue;
                ck_assert_msg(text_parse(r->type, texts[j], &v, &why), "[%s] %s: \"%s\" %s",
                              t[i]->section, r->key, texts[j], why);
            }
            if (r->type == PT_ENUM) ck_assert_ptr_nonnull(strstr(r->min, r->dflt ? r->dflt : ""));
            for (size_t j = 0; j < k; j++)
                ck_assert_msg(strcmp(t[i]->rows[j].key, r->key) != 0, "[%s] %s twice",
                              t[i]->section, r->key);
        }
    }
    ck_assert_uint_ge(rows, 80);
}
END_TEST

/* A section that gives every key its default, or its minimum where it has none. */
static ini_section_t *full_section(const param_table_t *t, arena_t *a)
{
    ini_section_t *s = arena_alloc(a, sizeof *s);
    *s = (ini_section_t){.kind = t->section, .name = "", .file = "x.ini", .line = 1};
    s->entry = arena_array(a, ini_entry_t, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const param_row_t *r = &t->rows[i];
        const char *text = r->dflt ? r->dflt : r->min ? r->min : "";
        if (r->type == PT_ENUM && !r->dflt)
            text = arena_printf(a, "%.*s", (int)strcspn(r->min, "|"), r->min);
        s->entry[s->n++] =
            (ini_entry_t){.key = r->key, .value = text, .file = "x.ini", .line = 2 + (int)i};
    }
    return s;
}

START_TEST(what_is_printed_reads_back_to_the_same_struct)
{
    size_t n;
    const param_table_t *const *t = device_tables(&n);
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    for (size_t i = 0; i < n; i++) {
        enum { BYTES = 4096 };
        char *one = arena_alloc(a, BYTES), *two = arena_alloc(a, BYTES), line[300], again[300];
        ini_section_t *s = full_section(t[i], a);
        ck_assert_msg(param_fill(t[i], one, s, a, &d) == MS_OK, "%s", d.n ? d.msg[0] : "?");
        for (size_t k = 0; k < t[i]->n; k++) {
            param_format(&t[i]->rows[k], one, line, sizeof line);
            char *equals = strstr(line, " = ");
            ck_assert_ptr_nonnull(equals);
            s->entry[k].value = arena_strdup(a, equals + 3);
            ck_assert(s->entry[k].used);
        }
        ck_assert_msg(param_fill(t[i], two, s, a, &d) == MS_OK, "%s", d.n ? d.msg[0] : "?");
        for (size_t k = 0; k < t[i]->n; k++) {
            param_format(&t[i]->rows[k], one, line, sizeof line);
            param_format(&t[i]->rows[k], two, again, sizeof again);
            ck_assert_str_eq(line, again);
        }
    }
    diag_free(&d);
    arena_free(a);
}
END_TEST

START_TEST(a_required_key_that_is_missing_is_named)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    ini_section_t s = {.kind = "xbar", .name = "", .file = "x.ini", .line = 9};
    xbar_param_t x;
    ck_assert_int_eq(param_fill(&xbar_param_table, &x, &s, a, &d), MS_INPUT);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_str_eq(d.msg[0], "x.ini:9: [xbar] needs latency (one way, port to port, unloaded)");
    ck_assert_uint_eq(x.header_bytes, 8); /* the others have their defaults */
    diag_free(&d);
    arena_free(a);
}
END_TEST

TEST_MAIN("parameter tables", every_row_is_complete_and_reads_its_own_texts,
          what_is_printed_reads_back_to_the_same_struct, a_required_key_that_is_missing_is_named)
