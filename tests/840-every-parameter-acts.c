/* SPDX-License-Identifier: MIT
 * No dead parameters: each row of each table, doubled (or switched, or set where it was 0), changes a result, and
 * does so in the direction its row states; or the row says that it is informational.  Where a rule between
 * parameters forbids the doubled value, half of it is taken, and the direction turned round. */
#include "machine/device.h"
#include "reference.h"
#include "test.h"

/* A run may come out this much on the wrong side: the order of two events changes, a queue breathes differently. */
#define SLACK 0.01

typedef struct other { /* another value for a row */
    char text[160];
    int sense; /* +1: larger than before, -1: smaller, 0: neither */
} other_t;

static const void *struct_of(const device_t *dev, const char *section)
{
    if (!strcmp(section, "gpu")) return &dev->gpu;
    if (!strcmp(section, "l1")) return &dev->l1;
    if (!strcmp(section, "l2")) return &dev->l2;
    if (!strcmp(section, "xbar")) return &dev->xbar;
    return NULL;
}

/* Other values for "key = 14 ns": the double, the half; for 0 something, for a choice each of the others. */
static size_t others(const param_row_t *r, const void *strukt, other_t *o, size_t max)
{
    char now[256];
    param_format(r, strukt, now, sizeof now);
    const char *value = strstr(now, " = ") + 3;
    size_t n = 0;
    if (r->type == PT_BOOL) {
        bool on =
            strcmp(value, "yes") == 0 || strcmp(value, "true") == 0 || strcmp(value, "on") == 0;
        snprintf(o[n++].text, sizeof o->text, "%s", on ? "no" : "yes");
        return n;
    }
    if (r->type == PT_ENUM) {
        for (const char *c = r->min; c && *c && n < max;) {
            size_t len = strcspn(c, "|");
            if (len != strlen(value) || strncmp(c, value, len) != 0)
                snprintf(o[n++].text, sizeof o->text, "%.*s", (int)len, c);
            c += len + (c[len] == '|');
        }
        return n;
    }
    if (r->type == PT_TEXT) return 0;
    char *unit;
    double v = strtod(value, &unit);
    if (v == 0) {
        static const char *const something[] = {"16",     "30 ns",   "30 CK", "64 KiB", "1 GHz",
                                                "1 Gbps", "10 GB/s", "1",     "2",      "0.5"};
        for (size_t i = 0; i < sizeof something / sizeof *something && n < max; i++) {
            snprintf(o[n].text, sizeof o->text, "%s", something[i]);
            o[n++].sense = 0; /* 0 may mean "no limit" */
        }
        return n;
    }
    static const struct {
        double factor;
        int sense;
    } step[] = {{2, 1}, {0.5, -1}, {1.5, 1}, {4, 1}, {0.25, -1}};
    for (size_t i = 0; i < sizeof step / sizeof *step && n < max; i++) {
        double w = v * step[i].factor;
        if (r->type == PT_COUNT && w != (double)(uint64_t)w) continue;
        snprintf(o[n].text, sizeof o->text, "%.10g%s", w, unit);
        o[n++].sense = step[i].sense;
    }
    return n;
}

/* Did b, got with more (sense 1) or less (-1) of r, go the way the row says? */
static bool right_way(const param_row_t *r, int sense, const reference_t *a, const reference_t *b)
{
    if (*r->effect == '~' || sense == 0) return true;
    bool faster_wanted = (*r->effect == '+') == (sense > 0);
    return faster_wanted ? b->time_ns <= a->time_ns * (1 + SLACK)
                         : b->time_ns >= a->time_ns * (1 - SLACK);
}

static void complain(const char *section, const param_row_t *r, const char *what, int *bad)
{
    fprintf(stderr, "%s.%s (effect '%s'): %s\n", section, r->key, r->effect, what);
    ++*bad;
}

START_TEST(every_parameter_of_the_gpu_and_its_caches_acts)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    device_t dev;
    ck_assert_int_eq(device_load(&dev, REFERENCE_DEVICE, reference_set, REFERENCE_SET, a, &d),
                     MS_OK);
    const reference_t base = reference_gpu(NULL, NULL, NULL);
    ck_assert_int_eq(base.rc, MS_OK);
    size_t n_tables, tried = 0;
    int bad = 0;
    const param_table_t *const *t = device_tables(&n_tables);
    for (size_t i = 0; i < n_tables; i++) {
        const void *strukt = struct_of(&dev, t[i]->section);
        for (size_t k = 0; strukt && k < t[i]->n; k++) {
            const param_row_t *r = &t[i]->rows[k];
            if (*r->effect == 'i') continue;
            other_t o[12] = {{{0}, 0}};
            size_t n = others(r, strukt, o, 12);
            bool moved = false, ran = false;
            tried++;
            for (size_t j = 0; j < n && !moved; j++) {
                char set[256];
                snprintf(set, sizeof set, "%s.%s=%.100s", t[i]->section, r->key, o[j].text);
                reference_t now = reference_gpu(set, NULL, NULL);
                if (now.rc == MS_INPUT) continue; /* a rule forbids this value */
                ck_assert_msg(now.rc == MS_OK, "%s: exit class %d", set, now.rc);
                ran = true;
                moved = strcmp(now.digest, base.digest) != 0;
                if (!right_way(r, o[j].sense, &base, &now)) {
                    char text[400];
                    snprintf(text, sizeof text, "wrong direction: %s takes %.1f ns, before %.1f",
                             set, now.time_ns, base.time_ns);
                    complain(t[i]->section, r, text, &bad);
                }
            }
            if (ran && !moved) complain(t[i]->section, r, "changes nothing", &bad);
        }
    }
    ck_assert_int_ge((int)tried, 40);
    ck_assert_int_eq(bad, 0);
    diag_free(&d);
    arena_free(a);
}
END_TEST

START_TEST(every_parameter_of_the_memory_acts)
{
    static reference_t base[REFERENCE_DRAM][REFERENCE_PATTERNS];
    dram_param_t param[REFERENCE_DRAM];
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    for (size_t f = 0; f < REFERENCE_DRAM; f++) {
        ini_section_t *section;
        ck_assert_int_eq(
            device_load_dram(&param[f], &section, reference_dram[f].path, NULL, 0, a, &d), MS_OK);
        for (size_t p = 0; p < REFERENCE_PATTERNS; p++) {
            base[f][p] = reference_alone(f, p, NULL, NULL, NULL);
            ck_assert_int_eq(base[f][p].rc, MS_OK);
        }
    }
    int bad = 0;
    for (size_t k = 0; k < dram_param_table.n; k++) {
        const param_row_t *r = &dram_param_table.rows[k];
        if (*r->effect == 'i') continue;
        bool moved = false, ran = false;
        for (size_t f = 0; f < REFERENCE_DRAM && !moved; f++) {
            other_t o[12] = {{{0}, 0}};
            size_t n = others(r, &param[f], o, 12);
            for (size_t j = 0; j < n && !moved; j++) {
                char set[256];
                snprintf(set, sizeof set, "dram.%s=%.100s", r->key, o[j].text);
                for (size_t p = 0; p < REFERENCE_PATTERNS && !moved; p++) {
                    reference_t now = reference_alone(f, p, set, NULL, NULL);
                    if (now.rc == MS_INPUT) break;
                    ck_assert_msg(now.rc == MS_OK, "%s %s: exit class %d", reference_dram[f].path,
                                  set, now.rc);
                    ran = true;
                    moved = strcmp(now.digest, base[f][p].digest) != 0;
                    if (!right_way(r, o[j].sense, &base[f][p], &now)) {
                        char text[400];
                        snprintf(text, sizeof text,
                                 "wrong direction: %s %s %s takes %.1f ns, before %.1f",
                                 reference_dram[f].path, reference_pattern[p], set, now.time_ns,
                                 base[f][p].time_ns);
                        complain("memory", r, text, &bad);
                    }
                }
            }
        }
        if (ran && !moved) complain("memory", r, "changes nothing", &bad);
    }
    ck_assert_int_ge((int)dram_param_table.n, 40);
    ck_assert_int_eq(bad, 0);
    diag_free(&d);
    arena_free(a);
}
END_TEST

TEST_MAIN("every parameter acts", every_parameter_of_the_gpu_and_its_caches_acts,
          every_parameter_of_the_memory_acts)
