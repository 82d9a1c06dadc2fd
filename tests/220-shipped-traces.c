/* SPDX-License-Identifier: MIT
 * The shipped traces do what their formulas say: bytes and operations summed over every block, warp and
 * operation of their kernels equal the closed forms. */
#include "test.h"
#include "trace_open.h"
#include "trace_walk.h"

START_TEST(stream_kernels_move_each_array_once)
{
    static const struct {
        const char *name;
        double reads, writes, flops;
    } want[] = {{"read", 1, 0, 1},    {"write", 0, 1, 0},   {"copy", 1, 1, 0},
                {"scale", 1, 1, 1},   {"add", 2, 1, 1},     {"triad", 2, 1, 2},
                {"read16", 1, 0, 1},  {"write16", 0, 1, 0}, {"copy16", 1, 1, 0},
                {"scale16", 1, 1, 1}, {"add16", 2, 1, 1},   {"triad16", 2, 1, 2}};
    const double n = 4 << 20;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char defines[64];
        snprintf(defines, sizeof defines, "bytes=4MiB kernel=%s", want[i].name);
        workload_t *w = open_with("workloads/stream.trace", defines);
        const kernel_t *k = next_kernel(w);
        ck_assert_str_eq(k->name, want[i].name);
        walk_t s = walk_kernel(k, 32);
        ck_assert_double_eq(s.read_bytes, want[i].reads * n);
        ck_assert_double_eq(s.write_bytes, want[i].writes * n);
        ck_assert_double_eq(k->useful_read_bytes, want[i].reads * n);
        ck_assert_double_eq(k->useful_write_bytes, want[i].writes * n);
        ck_assert_double_eq(k->flops, want[i].flops * n / 8);
        ck_assert_double_eq(s.ops[UNIT_FP64], k->flops);
        ck_assert_uint_eq(s.outside, 0);
        ck_assert_int_eq(next_command(w).kind, WC_END);
        workload_free(w);
    }
}
END_TEST

START_TEST(stream_runs_all_twelve_by_default_on_256_MiB_arrays)
{
    workload_t *w = open_with("workloads/stream.trace", "");
    int launches = 0;
    while (next_command(w).kind == WC_LAUNCH) launches++;
    ck_assert_int_eq(launches, 12);
    ck_assert_uint_eq(workload_footprint(w), 3u * 256 << 20);
    ck_assert_str_eq(workload_param(w, 0), "bytes = 256 MiB");
    workload_free(w);
}
END_TEST

START_TEST(chase_visits_every_node_once_a_lap_and_warms_the_same_nodes)
{
    workload_t *w = open_with("workloads/chase.trace", "bytes=1MiB");
    const kernel_t *warm = next_kernel(w);
    walk_t s = walk_kernel(warm, 32);
    ck_assert_double_eq(s.read_bytes, 8 * 8192); /* 8 B of each of 8,192 nodes */
    ck_assert_uint_eq(s.outside, 0);
    const kernel_t *k = next_kernel(w);
    ck_assert_str_eq(k->name, "chase");
    ck_assert_uint_eq(k->grid[0] * k->block, 1);
    s = walk_kernel(k, 32);
    ck_assert_double_eq(s.read_bytes, 8 * 65536); /* eight laps */
    ck_assert_uint_eq(s.outside, 0);
    const wop_t *load = &k->op[1];
    ck_assert_int_eq(load->kind, WOP_LOAD);
    ck_assert_int_eq(k->op[2].kind, WOP_WAIT);
    ck_assert_int_eq(load->token, k->op[2].token);
    static bool seen[8192];
    memset(seen, 0, sizeof seen);
    for (int64_t i = 0; i < 8192; i++) {
        uint64_t idx;
        ck_assert_uint_eq(load->gather(load->gather_ctx, i, 1, &idx), 1);
        ck_assert_msg(idx < 8192 && !seen[idx], "node %llu twice", (unsigned long long)idx);
        seen[idx] = true;
    }
    workload_free(w);
}
END_TEST

/* L2 -> shared memory bytes of a tiled GEMM: every tile loads its rows of A and of B along all of k. */
static void gemm_counts(const char *defines, double m, double n, double k, double e, unit_t unit)
{
    workload_t *w = open_with("workloads/gemm.trace", defines);
    const kernel_t *kernel = next_kernel(w);
    walk_t s = walk_kernel(kernel, 32);
    double tiles_m = (double)(((int64_t)m + 127) / 128),
           tiles_n = (double)(((int64_t)n + 255) / 256);
    double steps = (double)(((int64_t)(k * e) + 127) / 128);
    ck_assert_double_eq(s.tile_read_bytes, k * e * (tiles_n * m + tiles_m * n));
    ck_assert_double_eq(s.tile_write_bytes, e * m * n);
    ck_assert_double_eq(kernel->flops, 2 * m * n * k);
    ck_assert_double_eq(s.ops[unit], tiles_m * tiles_n * steps * 2 * 128 * 256 * (128 / e));
    ck_assert_double_eq(kernel->useful_read_bytes, e * (m * k + n * k));
    ck_assert_uint_eq(s.outside, 0);
    workload_free(w);
}

START_TEST(gemm_moves_the_tiles_of_its_formula)
{
    gemm_counts("m=2048 n=4608 k=1024", 2048, 4608, 1024, 2, UNIT_TENSOR_FP16);
    gemm_counts("m=512 n=512 k=512 dtype=fp8", 512, 512, 512, 1, UNIT_TENSOR_FP8);
    gemm_counts("m=256 n=256 k=64 dtype=tf32", 256, 256, 64, 4, UNIT_TENSOR_TF32);
    gemm_counts("m=100 n=2300 k=328", 100, 2300, 328, 2, UNIT_TENSOR_FP16); /* every edge ragged */
    gemm_counts("m=1 n=1 k=8", 1, 1, 8, 2, UNIT_TENSOR_FP16);
}
END_TEST

START_TEST(gemm_strips_go_down_the_rows)
{
    workload_t *w = open_with("workloads/gemm.trace", "m=1024 n=4096 k=64");
    const kernel_t *k = next_kernel(w);
    ck_assert_uint_eq(k->grid[0], 8u << 3); /* 8 tile rows, strips of 8 tile columns */
    ck_assert_uint_eq(k->grid[1], 2);
    workload_free(w);
}
END_TEST

static void attention_counts(const char *defines, double heads, double kv, int64_t nq, int64_t nk,
                             double d, bool causal, int64_t bm, int64_t bn)
{
    workload_t *w = open_with("workloads/attention.trace", defines);
    const kernel_t *k = next_kernel(w);
    walk_t s = walk_kernel(k, 32);
    double keys = 0, tiles = 0, pairs = 0;
    for (int64_t t = 0; t * bm < nq; t++) {
        int64_t seen = causal ? (t * bm + bm + nk - nq + bn - 1) / bn : (nk + bn - 1) / bn;
        if (seen > (nk + bn - 1) / bn) seen = (nk + bn - 1) / bn;
        tiles += (double)seen;
        keys += (double)(seen * bn < nk ? seen * bn : nk);
    }
    for (int64_t i = 0; i < nq; i++) pairs += (double)(causal ? i + 1 + nk - nq : nk);
    ck_assert_double_eq(s.tile_read_bytes, heads * (2 * d * (double)nq + 2 * 2 * d * keys));
    ck_assert_double_eq(s.tile_write_bytes, heads * (double)nq * (2 * d + 4));
    ck_assert_double_eq(s.ops[UNIT_TENSOR_FP16], heads * tiles * 4 * (double)(bm * bn) * d);
    ck_assert_double_eq(k->flops, 4 * d * heads * pairs);
    ck_assert_double_eq(k->useful_read_bytes, 2 * d * (heads * (double)nq + 2 * kv * (double)nk));
    ck_assert_uint_eq(s.outside, 0);
    workload_free(w);
}

START_TEST(attention_reads_the_tiles_its_mask_leaves)
{
    attention_counts("heads=4 nq=1024", 4, 4, 1024, 1024, 128, true, 128, 128);
    attention_counts("heads=4 nq=1024 causal=0", 4, 4, 1024, 1024, 128, false, 128, 176);
    attention_counts("heads=8 kv=2 nq=300 nk=1000 tiles=fa2", 8, 2, 300, 1000, 128, true, 128, 64);
    attention_counts("heads=2 nq=500 d=64", 2, 2, 500, 500, 64, true, 192, 128);
    attention_counts("heads=1 nq=1 nk=1", 1, 1, 1, 1, 128, true, 128, 128);
}
END_TEST

TEST_MAIN("shipped traces", stream_kernels_move_each_array_once,
          stream_runs_all_twelve_by_default_on_256_MiB_arrays,
          chase_visits_every_node_once_a_lap_and_warms_the_same_nodes,
          gemm_moves_the_tiles_of_its_formula, gemm_strips_go_down_the_rows,
          attention_reads_the_tiles_its_mask_leaves)
