/* SPDX-License-Identifier: MIT
 * gpt.trace is GPT-3 175B: parameter count, floating-point operations, launches, collectives, and every byte of a
 * decode step against closed forms. */
#include "test.h"
#include "trace_open.h"
#include "trace_walk.h"

#define H 12288.0

START_TEST(weights_are_an_eighth_of_175_billion_parameters)
{
    workload_t *w = open_with("workloads/gpt.trace", "");
    const buffer_info_t *b;
    size_t n = workload_buffers(w, &b);
    double weights = 0, kv = 0, table = 0;
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(b[i].role, "weights")) weights += (double)b[i].bytes;
        if (!strcmp(b[i].role, "kv")) kv += (double)b[i].bytes;
        if (!strcmp(b[i].name, "embedding")) table = (double)b[i].bytes;
    }
    double matrices = 12 * H * H * 96 / 8 * 2;
    ck_assert_double_eq(table, 6283 * H * 2); /* 50257 padded to 50264 */
    ck_assert_double_ge(weights, matrices + table);
    ck_assert_double_le(weights, 43.65e9 * 1.002);
    ck_assert_double_ge(weights, 43.65e9 * 0.998);
    ck_assert_double_eq(kv, 96 * 2 * 2176.0 * (H / 8) * 2);
    ck_assert_double_eq(workload_tokens(w), 128);
    workload_free(w);
}
END_TEST

START_TEST(whole_run_launches_and_all_reduces)
{
    workload_t *w = open_with("workloads/gpt.trace", "");
    uint64_t launches = 0, collectives = 0, graphs = 0, marks = 0, outside_graph = 0;
    double bytes = 0, gemm_flops = 0;
    for (wcmd_t c = next_command(w); c.kind != WC_END; c = next_command(w)) {
        launches += c.kind == WC_LAUNCH;
        graphs += c.kind == WC_GRAPH_BEGIN;
        marks += c.kind == WC_MARK;
        outside_graph += c.kind == WC_LAUNCH && !c.graph;
        if (c.kind == WC_COLLECTIVE) {
            ck_assert_str_eq(c.text, "all-reduce");
            collectives++;
            bytes += (double)c.bytes;
        }
        if (c.kind == WC_LAUNCH && !strcmp(workload_kernel_name(w, c.def), "gemm"))
            gemm_flops += kernel_of(w, &c)->flops;
    }
    ck_assert_uint_eq(launches, 96 * 11 + 3 + 128 * (96 * 10 + 3));
    ck_assert_uint_eq(collectives, 129 * 96 * 2);
    ck_assert_double_eq(bytes, 96 * 2 * (2048 + 128) * H * 2);
    ck_assert_uint_eq(graphs, 129);
    ck_assert_uint_eq(marks, 2);
    ck_assert_uint_eq(outside_graph, 0);
    ck_assert_double_eq_tol(gemm_flops, 2 * 2048.0 * (12 * H * H * 96 + 50264 * H) / 8, 1e6);
    ck_assert_double_eq_tol(gemm_flops, 89.4e12, 0.05e12);
    workload_free(w);
}
END_TEST

START_TEST(layers_differ_only_in_addresses)
{
    workload_t *w = open_with("workloads/gpt.trace", "layers=3 out=1");
    const int64_t *arg[3] = {NULL, NULL, NULL};
    const addr_t *base[3] = {NULL, NULL, NULL};
    unsigned n = 0, gemms = 0;
    for (wcmd_t c = next_command(w); c.kind != WC_MARK || strcmp(c.text, "decode") != 0;
         c = next_command(w)) {
        if (c.kind != WC_LAUNCH || strcmp(workload_kernel_name(w, c.def), "gemm") != 0 ||
            gemms++ % 4 || n == 3)
            continue;
        arg[n] = c.arg; /* the QKV product of each layer */
        base[n++] = c.base;
    }
    ck_assert_uint_eq(n, 3);
    ck_assert_ptr_eq(arg[0], arg[1]);
    ck_assert_ptr_eq(arg[0], arg[2]);
    ck_assert_ptr_ne(base[0], base[1]);
    ck_assert_uint_eq(base[1][0], base[0][0]); /* same activations */
    ck_assert_uint_gt(base[1][1], base[0][1]); /* other weights */
    ck_assert_uint_eq(base[2][1] - base[1][1], base[1][1] - base[0][1]);
    workload_free(w);
}
END_TEST

/* Matrix-vector product: W once, X once for each of a block's rows, of which a warp takes 3 KiB at least. */
static void check_gemv(const kernel_t *k, double n, double x_bytes, bool biased)
{
    walk_t s = walk_kernel(k, 32);
    double weights = n * x_bytes;
    const double rows = x_bytes >= 24576 ? 1 : x_bytes >= 12288 ? 2 : x_bytes >= 6144 ? 4 : 8;
    ck_assert_uint_eq(k->grid[0], (uint32_t)ceil(n / rows));
    ck_assert_double_eq(s.read_bytes, weights + x_bytes * rows * k->grid[0] + (biased ? 2 * n : 0));
    ck_assert_double_eq(s.write_bytes, 2 * n);
    ck_assert_double_eq(k->flops, n * x_bytes); /* 2 n k, k = x_bytes / 2 */
    ck_assert_double_eq(k->useful_read_bytes, weights + x_bytes + (biased ? 2 * n : 0));
    ck_assert_uint_eq(s.outside, 0);
}

START_TEST(decode_step_byte_for_byte)
{
    workload_t *w = open_with("workloads/gpt.trace", "layers=1 prompt=200 out=1");
    for (wcmd_t c = next_command(w); c.kind != WC_MARK || strcmp(c.text, "decode") != 0;)
        c = next_command(w);
    const kernel_t *k = next_kernel(w);
    walk_t s = walk_kernel(k, 32);
    ck_assert_str_eq(k->name, "embed");
    ck_assert_double_eq(s.read_bytes, 2 * H * 2);
    ck_assert_double_eq(s.write_bytes, H * 2);
    k = next_kernel(w);
    s = walk_kernel(k, 32);
    ck_assert_str_eq(k->name, "layernorm");
    ck_assert_double_eq(s.read_bytes, 3 * H * 2);
    ck_assert_double_eq(s.write_bytes, H * 2);
    check_gemv(next_kernel(w), 4608, H * 2, true);
    k = next_kernel(w);
    s = walk_kernel(k, 32);
    ck_assert_str_eq(k->name, "attention_decode");
    /* 201 keys: 200 in the cache; two blocks of four warps a head */
    double heads = 12, row = 256;
    ck_assert_double_eq(s.read_bytes,
                        heads * (2 * 200 * row + 2 * 4 * row + 2 * row + 2 * 512 + 4 * 2));
    ck_assert_double_eq(s.write_bytes, heads * (2 * row + 2 * (512 + 4) + row));
    ck_assert_uint_eq(s.outside, 0);
    ck_assert_double_eq(k->flops, 4 * 128 * 12 * 201);
    check_gemv(next_kernel(w), 12288, 1536 * 2, true);
    k = next_kernel(w);
    s = walk_kernel(k, 32);
    ck_assert_str_eq(k->name, "residual");
    ck_assert_double_eq(s.read_bytes, 2 * H * 2);
    ck_assert_double_eq(s.write_bytes, H * 2);
    next_kernel(w); /* layernorm */
    check_gemv(next_kernel(w), 6144, H * 2, true);
    k = next_kernel(w);
    s = walk_kernel(k, 32);
    ck_assert_str_eq(k->name, "gelu");
    ck_assert_double_eq(s.read_bytes, 6144 * 2);
    ck_assert_double_eq(s.write_bytes, 6144 * 2);
    check_gemv(next_kernel(w), 12288, 6144 * 2, true);
    next_kernel(w); /* residual */
    next_kernel(w); /* layernorm */
    check_gemv(next_kernel(w), 6283, H * 2, false);
    workload_free(w);
}
END_TEST

START_TEST(no_kernel_leaves_its_buffers)
{
    static const char *const defines[] = {
        "layers=2 out=2 prompt=300",           "layers=1 out=1 prompt=1",
        "layers=1 out=1 prompt=130 tensor=96", "layers=1 out=2 prompt=129 batch=3 dtype=fp8",
        "layers=1 out=1 prompt=17 batch=9",    "layers=1 out=1 prompt=20 batch=2 tensor=3",
    };
    for (size_t i = 0; i < sizeof defines / sizeof *defines; i++) {
        workload_t *w = open_with("workloads/gpt.trace", defines[i]);
        double read = 0;
        for (wcmd_t c = next_command(w); c.kind != WC_END; c = next_command(w)) {
            if (c.kind != WC_LAUNCH) continue;
            const kernel_t *k = kernel_of(w, &c);
            walk_t s = walk_kernel(k, 32);
            ck_assert_msg(!s.outside, "%s: %s in line %d: %llu accesses outside", defines[i],
                          k->name, c.line, (unsigned long long)s.outside);
            ck_assert_msg(s.read_bytes + s.tile_read_bytes >= k->useful_read_bytes * 0.999,
                          "%s: %s reads %g of the %g bytes it counts", defines[i], k->name,
                          s.read_bytes + s.tile_read_bytes, k->useful_read_bytes);
            ck_assert_msg(s.write_bytes + s.tile_write_bytes >= k->useful_write_bytes,
                          "%s: %s writes %g of %g", defines[i], k->name,
                          s.write_bytes + s.tile_write_bytes, k->useful_write_bytes);
            read += s.read_bytes + s.tile_read_bytes;
        }
        ck_assert_double_gt(read, 0);
        workload_free(w);
    }
}
END_TEST

START_TEST(tensor_must_divide_the_heads)
{
    const char *define[] = {"tensor=7"};
    workload_opt_t o = {.define = define, .n_define = 1, .warp_lanes = 32};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    ck_assert_int_eq(workload_open(&w, "workloads/gpt.trace", &o, &d), MS_INPUT);
    ck_assert_ptr_null(w);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "tensor must divide the 96 heads"));
    diag_free(&d);
}
END_TEST

TEST_MAIN("gpt trace", weights_are_an_eighth_of_175_billion_parameters,
          whole_run_launches_and_all_reduces, layers_differ_only_in_addresses,
          decode_step_byte_for_byte, no_kernel_leaves_its_buffers, tensor_must_divide_the_heads)
