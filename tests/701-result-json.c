/* SPDX-License-Identifier: MIT
 * result.json carries the contract's keys, null where there is no number, and the same bytes but for `host`. */
#include "fake_result.h"
#include "report/keys.h"
#include "report/report.h"
#include "test.h"
#include <jansson.h>

static const report_env_t env = {"9.9.9", "abcdef", 0, false, true};

static json_t *parsed(const result_t *r)
{
    char *text = report_json(r, NULL, 0, &env);
    ck_assert_ptr_nonnull(text);
    json_error_t e;
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &e);
    ck_assert_msg(o != NULL, "line %d: %s", e.line, e.text);
    free(text);
    return o;
}

static json_t *at(json_t *o, const char *a, const char *b, const char *c)
{
    o = json_object_get(o, a);
    if (b) o = json_object_get(o, b);
    if (c) o = json_object_get(o, c);
    ck_assert_msg(o != NULL, "%s %s %s is missing", a, b ? b : "", c ? c : "");
    return o;
}

START_TEST(json_has_every_key_of_the_contract)
{
    static fake_t f;
    fake_make(&f);
    json_t *o = parsed(&f.r);
    static const char *const top[] = {
        "schema",   "memsim", "device",   "workload", "seed",          "mode",   "reproducible",
        "interval", "digest", "time_ns",  "bound",    "kernels",       "levels", "capacity",
        "links",    "gpus",   "memories", "host",     "l2_dirty_bytes"};
    for (size_t i = 0; i < sizeof top / sizeof top[0]; i++) at(o, top[i], NULL, NULL);
    static const char *const host[] = {"wall_s",         "cpu_s",  "requests",
                                       "requests_per_s", "events", "peak_rss_bytes"};
    for (size_t i = 0; i < sizeof host / sizeof host[0]; i++) at(o, "host", host[i], NULL);
    static const char *const level[] = {"read_bytes", "write_bytes", "peak_GBps", "achieved_GBps",
                                        "latency_ns"};
    static const char *const names[] = {"l1", "l2", "dram"};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 5; j++) at(o, "levels", names[i], level[j]);
    static const char *const dram[] = {"row_hit_rate", "commands", "loss_stack", "energy_J"};
    for (size_t i = 0; i < 4; i++) {
        at(o, "levels", "dram", dram[i]);
        at(o, "memories", "hbm", dram[i]);
    }
    static const char *const lat[] = {"mean", "p50", "p95", "p99", "max"};
    for (size_t i = 0; i < 5; i++)
        json_decref(json_incref(at(at(o, "levels", "dram", "latency_ns"), lat[i], NULL, NULL)));
    at(o, "memsim", "version", NULL);
    at(o, "memsim", "commit", NULL);
    at(o, "bound", "name", NULL);
    at(o, "bound", "share", NULL);
    at(o, "bound", "next", NULL);
    json_decref(o);
}
END_TEST

START_TEST(json_values_are_those_of_the_result)
{
    static fake_t f;
    fake_make(&f);
    json_t *o = parsed(&f.r);
    ck_assert_str_eq(json_string_value(at(o, "device", NULL, NULL)), "Test GPU 80 GB");
    ck_assert_double_eq_tol(json_number_value(at(o, "time_ns", NULL, NULL)), 2e9, 1e-3);
    ck_assert_double_eq_tol(json_number_value(at(o, "tokens_per_s", NULL, NULL)), 64, 1e-9);
    ck_assert_double_eq_tol(json_number_value(at(o, "levels", "l2", "hit_rate")), 0.5, 1e-12);
    ck_assert_int_eq(json_integer_value(at(at(o, "levels", "dram", "commands"), "ACT", NULL, NULL)),
                     12345678);
    json_t *k = json_array_get(at(o, "kernels", NULL, NULL), 2);
    ck_assert_str_eq(json_string_value(at(k, "name", NULL, NULL)), "mlp_gemv");
    ck_assert_int_eq(json_integer_value(at(k, "count", NULL, NULL)), 96);
    ck_assert_uint_eq(json_array_size(at(o, "kernels", NULL, NULL)), 4);
    json_decref(o);
}
END_TEST

START_TEST(json_writes_null_where_nothing_happened)
{
    static fake_t f;
    fake_make(&f);
    f.r.n_kernels = 0;
    f.r.tokens = 0;
    f.levels[0].hit_rate = (double)NAN;
    f.levels[0].latency.n = 0;
    f.r.time_ns = 0;
    f.r.bound.name = NULL;
    json_t *o = parsed(&f.r);
    ck_assert(json_is_null(at(o, "levels", "l1", "hit_rate")));
    ck_assert(json_is_null(at(at(o, "levels", "l1", "latency_ns"), "mean", NULL, NULL)));
    ck_assert(json_is_null(at(o, "tokens_per_s", NULL, NULL)));
    ck_assert(json_is_null(at(o, "bound", "name", NULL)));
    ck_assert_uint_eq(json_array_size(at(o, "kernels", NULL, NULL)), 0);
    json_decref(o);
}
END_TEST

static bool known[256]; /* keys of the list that were met */

/* Objects whose keys are names of things, not of values. */
static bool holds_names(const char *path)
{
    static const char *const of[] = {"commands", "loss_stack", "energy_J", "latency_stack_ns"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        size_t n = strlen(path), k = strlen(of[i]);
        if (n >= k && strcmp(path + n - k, of[i]) == 0) return true;
    }
    return false;
}

/* The path under which a list of keys has an object that stands in several places. */
static const char *listed(const char *path, bool *of_levels)
{
    static const char *const levels[] = {"levels", "memories", "links"};
    *of_levels = false;
    if (strstr(path, "latency_ns")) return "latency_ns";
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(path, levels[i]) == 0) *of_levels = true; /* its keys are names of levels */
        if (strncmp(path, levels[i], strlen(levels[i])) == 0) return "levels";
    }
    return path;
}

static void all_known(json_t *o, const char *path)
{
    const char *key;
    json_t *v;
    if (json_is_array(o)) all_known(json_array_get(o, 0), path);
    if (!json_is_object(o) || holds_names(path)) return;
    json_object_foreach(o, key, v)
    {
        bool names;
        const char *where = listed(path, &names);
        bool found = names, level = strcmp(path, "gpus") == 0;
        for (size_t i = 0; i < report_n_keys && !names; i++) {
            const report_key_t *k = &report_keys[i];
            if (strcmp(k->key, key) != 0) continue;
            if (strcmp(k->path, where) != 0 && !(level && !strcmp(k->path, "levels"))) continue;
            found = known[i] = true;
        }
        ck_assert_msg(found, "\"%s\" in \"%s\" is not explained", key, path);
        char inner[128];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", key);
        all_known(v, inner);
    }
}

START_TEST(json_and_the_list_of_its_keys_agree)
{
    static fake_t f;
    fake_make(&f);
    f.r.gpus = &f.memory;
    f.r.n_gpus = 1;
    static const report_load_point_t point = {50, 100, 80, 78, 120};
    char *text = report_json(&f.r, &point, 1, &env);
    json_error_t e;
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &e);
    ck_assert_uint_le(report_n_keys, sizeof known / sizeof *known);
    all_known(o, "");
    for (size_t i = 0; i < report_n_keys; i++)
        ck_assert_msg(known[i], "\"%s\" in \"%s\" is not in the document", report_keys[i].key,
                      report_keys[i].path);
    json_decref(o);
    free(text);
}
END_TEST

START_TEST(json_differs_only_in_host_when_only_host_differs)
{
    static fake_t f, g;
    fake_make(&f);
    fake_make(&g);
    g.r.host.wall_s = 99;
    char *a = report_json(&f.r, NULL, 0, &env), *b = report_json(&g.r, NULL, 0, &env);
    ck_assert_str_ne(a, b);
    char *ha = strstr(a, "\"host\""), *hb = strstr(b, "\"host\"");
    ck_assert_ptr_nonnull(ha);
    ck_assert_int_eq(ha - a, hb - b);
    ck_assert_int_eq(strncmp(a, b, (size_t)(ha - a)), 0);
    free(a);
    free(b);
}
END_TEST

START_TEST(json_survives_a_name_that_is_no_utf8)
{
    static fake_t f;
    fake_make(&f);
    f.r.device = "caf\xe9";
    json_t *o = parsed(&f.r);
    ck_assert(json_is_null(at(o, "device", NULL, NULL)));
    json_decref(o);
}
END_TEST

TEST_MAIN("result-json", json_has_every_key_of_the_contract, json_values_are_those_of_the_result,
          json_writes_null_where_nothing_happened, json_and_the_list_of_its_keys_agree,
          json_differs_only_in_host_when_only_host_differs, json_survives_a_name_that_is_no_utf8)
