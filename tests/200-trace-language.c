/* SPDX-License-Identifier: MIT
 * The trace language means what its documentation says: values, units, loops, buffers, events, and warp programs
 * whose expressions are the same number whether folded at the launch or computed in the warp. */
#include "core/rng.h"
#include "test.h"
#include "trace_open.h"
#include "trace_walk.h"
#include <inttypes.h>

#define HEAD "memsim trace 1\n"

/* Value of an expression at the launch, carried out by the size of a collective. */
static int64_t value(const char *expr)
{
    char text[512];
    snprintf(text, sizeof text, HEAD "let bias = 1000000\ncollective \"x\" size bias + (%s)\n",
             expr);
    workload_t *w = open_good(text);
    wcmd_t c = next_command(w);
    ck_assert_int_eq(c.kind, WC_COLLECTIVE);
    int64_t v = (int64_t)c.bytes - 1000000;
    workload_free(w);
    return v;
}

START_TEST(arithmetic)
{
    static const struct {
        const char *expr;
        int64_t want;
    } cases[] = {
        {"2 + 3 * 4", 14},      {"(2 + 3) * 4", 20},
        {"10 - 4 - 3", 3},      {"7 / 2", 3},
        {"(0 - 7) / 2", -4},    {"7 // 2", 4},
        {"(0-7) // 2", -3},     {"(0 - 7) % 4", 1},
        {"7 % (0 - 4)", -1},    {"1 << 10", 1024},
        {"1024 >> 3", 128},     {"6 ^ 3", 5},
        {"6 & 3", 2},           {"1 + 1 << 2", 8},
        {"3 < 4", 1},           {"4 <= 3", 0},
        {"3 > 4", 0},           {"4 >= 4", 1},
        {"3 == 3", 1},          {"3 != 3", 0},
        {"1 && 2", 1},          {"0 && 1 / 0", 0},
        {"0 || 3", 1},          {"1 || 1 / 0", 1},
        {"!0 + !5", 1},         {"-3 + 5", 2},
        {"min(3, 1, 2)", 1},    {"max(3, 1, 2)", 3},
        {"1 ? 5 : 1 / 0", 5},   {"0 ? 1 : 0 ? 2 : 3", 3},
        {"0x1F", 31},           {"1_000", 1000},
        {"1 KiB", 1024},        {"1.5 KiB", 1536},
        {"2MB", 2000000},       {"0.5 kB", 500},
        {"\"a\" == \"a\"", 1},  {"\"a\" == \"b\"", 0},
        {"tensor_fp16", 3},     {"warp_size", 32},
        {"1 +\n 2", 3},         {"mix(5, 1)", 0},
        {"2 * 3 == 6 && 1", 1}, {"--4", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(value(cases[i].expr) == cases[i].want, "%s is %" PRId64 ", not %" PRId64,
                      cases[i].expr, value(cases[i].expr), cases[i].want);
}
END_TEST

/* A random expression over the names given, at most `depth` deep, no divisor that could be 0 at the launch. */
static void random_expr(FILE *f, uint64_t *seed, unsigned depth, const char *const *names)
{
    static const char *const ops[] = {"+",  "-",  "*",  "/", "//", "%",  "<",
                                      "<=", "==", "!=", "&", "^",  "&&", "||"};
    uint64_t r = *seed = mix64(*seed);
    if (!depth || r % 5 == 0) {
        fputs(r & 128 ? names[r / 256 % 3] : r & 1 ? "3" : "16", f);
        return;
    }
    const char *op = ops[r / 8 % (sizeof ops / sizeof *ops)];
    bool divides = *op == '/' || *op == '%', least = r % 7 == 1, choice = r % 7 == 2;
    fputs(least ? "min(" : "(", f);
    random_expr(f, seed, depth - 1, names);
    fprintf(f, " %s ", least ? "," : choice ? "?" : op);
    if (divides && !least && !choice) fputs("(1 + (7 & ", f);
    random_expr(f, seed, depth - 1, names);
    if (divides && !least && !choice) fputs("))", f);
    fputs(choice ? " : 7)" : ")", f);
}

static void random_text(char *s, size_t n, uint64_t seed, const char *const *names)
{
    FILE *f = fmemopen(s, n, "w");
    ck_assert_ptr_nonnull(f);
    random_expr(f, &seed, 3, names);
    ck_assert_int_lt(ftell(f), (long)n - 1);
    fclose(f);
}

START_TEST(a_warp_computes_what_the_launch_would)
{
    static const char *const in_warp[] = {"cta", "warp", "i"}, *const at_launch[] = {"p", "q", "r"};
    unsigned programs = 0;
    for (uint64_t k = 0; k < 150; k++) {
        char warp_text[1000], launch_text[1000], text[4000];
        random_text(warp_text, sizeof warp_text, k, in_warp);
        random_text(launch_text, sizeof launch_text, k, at_launch);
        snprintf(text, sizeof text,
                 HEAD "kernel k(p, q, r) {\n grid 8\n block 128\n let x = cta + 0 * warp\n for i "
                      "in 5 {\n load 4 at 0 lanes %s\n load 4 at 0 lanes %s\n }\n}\n"
                      "for p in 3 { for q in 4 { for r in 5 { launch k(p * 3, q, r) } } }\n",
                 warp_text, launch_text);
        workload_t *w = open_good(text);
        for (wcmd_t c = next_command(w); c.kind != WC_END; c = next_command(w)) {
            const kernel_t *kernel = kernel_of(w, &c);
            int64_t v[V_COUNT] = {[V_CTA_X] = c.arg[0], [V_WARP] = c.arg[1], [V_I0] = c.arg[2]};
            const wop_t *in = &kernel->op[1], *at = &kernel->op[2];
            ck_assert_int_eq(in->kind, WOP_LOAD);
            ck_assert_int_eq(at->kind, WOP_LOAD);
            ck_assert(expr_is_const(&at->count));
            programs += in->count.ncode > 0;
            ck_assert_msg(expr_eval(&in->count, v) == at->count.c0,
                          "%s is %" PRId64 " in the warp, %" PRId64 " at the launch", warp_text,
                          expr_eval(&in->count, v), at->count.c0);
        }
        workload_free(w);
    }
    ck_assert_uint_gt(programs, 500); /* the stack programs were exercised, not only affine sums */
}
END_TEST

START_TEST(affine_addresses_stay_affine)
{
    workload_t *w =
        open_good(HEAD "buffer a size 1 MiB\nkernel k(n, in p[n]) {\n grid 4\n block 64\n let i = "
                       "8 * (64 * cta + 32 * warp)\n"
                       " for u in 4 {\n  load 8 at p + i + 4096 * u step 16 lanes 8 as x\n }\n"
                       " load 4 at p + (i << 2) / 8 + i % 8\n}\nlaunch k(1 MiB, a)\n");
    const kernel_t *k = next_kernel(w);
    ck_assert_uint_eq(k->nlets, 0);
    const wop_t *load = &k->op[1];
    int64_t v[V_COUNT] = {[V_CTA_X] = 3, [V_WARP] = 1, [V_I0] = 2};
    ck_assert_uint_eq(load->addr.ncode, 0);
    ck_assert_int_eq(expr_eval(&load->addr, v), 8 * (64 * 3 + 32) + 2 * 4096);
    ck_assert_int_eq(load->stride, 16);
    ck_assert_int_eq(load->count.c0, 8);
    ck_assert_uint_eq(load->elem_bytes, 8);
    ck_assert_uint_eq(k->op[3].addr.ncode, 0);
    ck_assert_int_eq(expr_eval(&k->op[3].addr, v), 4 * (64 * 3 + 32));
    workload_free(w);
}
END_TEST

START_TEST(lets_that_are_programs_are_computed_once_a_warp)
{
    workload_t *w =
        open_good(HEAD "buffer a size 1 MiB\nkernel k(in p[1 MiB]) {\n let row = mix(cta, 100)\n "
                       "grid 4\n block 32\n"
                       " for u in 4 { load 8 at p + 8 * row + 1024 * u }\n}\nlaunch k(a)\n");
    const kernel_t *k = next_kernel(w);
    ck_assert_uint_eq(k->nlets, 1);
    ck_assert_uint_eq(k->op[1].addr.ncode, 0);
    ck_assert_uint_eq(k->op[1].addr.n, 2);
    workload_free(w);
}
END_TEST

START_TEST(loops_have_places_and_depths)
{
    workload_t *w = open_good(
        HEAD "kernel k(n) {\n grid 1\n block 32\n for a in n {\n  for b in 2 .. 5 {\n   compute a "
             "* 100 + b on int\n  }\n }\n"
             " repeat 0 { barrier }\n repeat 1 { barrier }\n if n > 1 { barrier } else { exit }\n"
             " if warp { compute 1 on fp32 }\n else { compute 2 on fp32 }\n}\nlaunch k(3)\nlaunch "
             "k(1)\n");
    const kernel_t *k = next_kernel(w);
    walk_t s = walk_kernel(k, 32);
    ck_assert_double_eq(s.ops[UNIT_INT], 3 * (2 + 3 + 4) + 100 * 3 * (0 + 1 + 2));
    ck_assert_double_eq(s.ops[UNIT_FP32], 2);
    ck_assert_int_eq(k->op[0].kind, WOP_LOOP);
    ck_assert_int_eq(k->op[k->op[0].jump].kind, WOP_END);
    ck_assert_uint_eq(k->op[1].depth, 1);
    ck_assert_int_eq(k->op[5].kind, WOP_BARRIER);
    ck_assert_int_eq(k->op[6].kind, WOP_BARRIER);
    s = walk_kernel(next_kernel(w), 32); /* n = 1: the outer loop is gone, the else part stays */
    ck_assert_double_eq(s.ops[UNIT_INT], 2 + 3 + 4);
    ck_assert_double_eq(s.ops[UNIT_FP32], 0);
    workload_free(w);
}
END_TEST

START_TEST(a_partial_last_warp_has_fewer_lanes)
{
    workload_t *w = open_good(HEAD "buffer a size 1 KiB\nkernel k(in p[400]) {\n grid 1\n block "
                                   "50\n load 8 at p + 256 * warp\n}\nlaunch k(a)\n");
    walk_t s = walk_kernel(next_kernel(w), 32);
    ck_assert_double_eq(s.read_bytes, 400);
    ck_assert_uint_eq(s.outside, 0);
    workload_free(w);
}
END_TEST

START_TEST(commands_in_order_with_streams_and_events)
{
    workload_t *w = open_good(
        HEAD "buffer a[2] size 1000\nbuffer b size 5 MiB role kv\nmark \"one\"\n"
             "copy h2d to a[1] size 100 on stream 2\nrecord 7 on stream 2\nwait 7\n"
             "copy d2d from a to b size 10\ncollective \"all-gather\" size 3 KiB on stream 1\n"
             "for i in 2 .. 4 { let j = 2 * i\n record j }\nif 1 == 2 { record 1 } else if 1 == 1 "
             "{ record 2 }\n");
    const buffer_info_t *info;
    ck_assert_uint_eq(workload_buffers(w, &info), 2);
    ck_assert_uint_eq(info[0].bytes, 1024 + 1000);
    ck_assert_uint_eq(info[1].base, 2 << 20);
    ck_assert_str_eq(info[1].role, "kv");
    ck_assert_uint_eq(workload_footprint(w), 7 << 20);
    for (int pass = 0; pass < 2; pass++) {
        wcmd_t c = next_command(w);
        ck_assert_int_eq(c.kind, WC_MARK);
        ck_assert_str_eq(c.text, "one");
        c = next_command(w);
        ck_assert_int_eq(c.kind, WC_COPY);
        ck_assert_str_eq(c.text, "h2d");
        ck_assert_uint_eq(c.addr2, 1024);
        ck_assert_uint_eq(c.bytes, 100);
        ck_assert_uint_eq(c.stream, 2);
        c = next_command(w);
        ck_assert_int_eq(c.kind, WC_RECORD);
        ck_assert_uint_eq(c.event, 7);
        ck_assert_uint_eq(c.stream, 2);
        ck_assert_int_eq(next_command(w).kind, WC_WAIT);
        c = next_command(w);
        ck_assert_uint_eq(c.addr, 0);
        ck_assert_uint_eq(c.addr2, 2 << 20);
        c = next_command(w);
        ck_assert_int_eq(c.kind, WC_COLLECTIVE);
        ck_assert_str_eq(c.text, "all-gather");
        ck_assert_uint_eq(c.bytes, 3072);
        ck_assert_uint_eq(next_command(w).event, 4);
        ck_assert_uint_eq(next_command(w).event, 6);
        ck_assert_uint_eq(next_command(w).event, 2);
        ck_assert_int_eq(next_command(w).kind, WC_END);
        ck_assert_int_eq(next_command(w).kind, WC_END);
        ck_assert(workload_rewind(w));
    }
    workload_free(w);
}
END_TEST

START_TEST(named_arguments_and_hidden_names)
{
    workload_t *w = open_good(HEAD "let n = 5\nlet i = 6\nbuffer a size 64\nkernel k(n, m, in "
                                   "p[n]) {\n grid n\n block m\n for i in n + m { barrier }\n}\n"
                                   "launch k(p = a, m = 2, n = 3)\nlaunch k(n, i, a)\n");
    const kernel_t *k = next_kernel(w);
    ck_assert_uint_eq(k->grid[0], 3);
    ck_assert_uint_eq(k->block, 2);
    ck_assert_int_eq(k->op[0].count.c0, 5);
    k = next_kernel(w);
    ck_assert_uint_eq(k->grid[0], 5);
    ck_assert_uint_eq(k->block, 6);
    workload_free(w);
}
END_TEST

START_TEST(a_raw_file_streams_and_an_empty_one_has_no_work)
{
    workload_t *w = open_good("# nothing\n\nR 0x100 64\nW 0x200 32\n");
    ck_assert(workload_is_raw(w));
    for (int pass = 0; pass < 2; pass++) {
        wcmd_t c = next_command(w);
        ck_assert_int_eq(c.kind, WC_RAW);
        ck_assert_uint_eq(c.addr, 0x100);
        ck_assert(!c.write);
        ck_assert_int_eq(c.at_ps, -1);
        c = next_command(w);
        ck_assert(c.write);
        ck_assert_uint_eq(c.bytes, 32);
        ck_assert_int_eq(next_command(w).kind, WC_END);
        ck_assert(workload_rewind(w));
    }
    workload_free(w);
    w = open_good("");
    ck_assert_int_eq(next_command(w).kind, WC_END);
    workload_free(w);
    w = open_good("\xEF\xBB\xBFmemsim trace 1\r\nlet a = 1\r\n");
    ck_assert(!workload_is_raw(w));
    ck_assert_int_eq(next_command(w).kind, WC_END);
    workload_free(w);
}
END_TEST

TEST_MAIN("trace language", arithmetic, a_warp_computes_what_the_launch_would,
          affine_addresses_stay_affine, lets_that_are_programs_are_computed_once_a_warp,
          loops_have_places_and_depths, a_partial_last_warp_has_fewer_lanes,
          commands_in_order_with_streams_and_events, named_arguments_and_hidden_names,
          a_raw_file_streams_and_an_empty_one_has_no_work)
