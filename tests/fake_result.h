/* SPDX-License-Identifier: MIT
 * A small made-up result for the report tests: numbers are round so that printed figures can be checked by eye. */
#ifndef MEMSIM_TESTS_FAKE_RESULT_H
#define MEMSIM_TESTS_FAKE_RESULT_H
#include "core/result.h"
#include <math.h>
#include <string.h>

typedef struct fake {
    result_t r;
    hist_t hist;
    double l2_GBps[100], dram_GBps[100];
    res_series_t series[2];
    res_share_t loss[6], commands[4], energy[4], stack[5];
    res_level_t levels[3], memory;
    res_kernel_t kernels[24];
    res_unmodelled_t unmodelled[1];
    uint64_t counters[2];
    stat_row_t rows[2];
    stat_table_t table;
    res_stats_t stats;
    const char *params[2];
} fake_t;

static inline res_latency_t fake_latency(double mean)
{
    return (res_latency_t){mean, mean * 0.9, mean * 1.5, mean * 2, mean * 3, 1000};
}

static inline void fake_kernel(fake_t *f, const char *phase, const char *name, const char *kind,
                               double ms, double flops, double dram_bytes, const char *bound)
{
    f->kernels[f->r.n_kernels++] = (res_kernel_t){.name = name,
                                                  .kind = kind,
                                                  .phase = phase,
                                                  .count = 96,
                                                  .simulated = 1,
                                                  .time_ns = ms * 1e6 / 96,
                                                  .total_ns = ms * 1e6,
                                                  .interval = 0.01,
                                                  .flops = flops / 96,
                                                  .read_bytes = dram_bytes / 96,
                                                  .write_bytes = 1e6,
                                                  .GBps = dram_bytes / (ms * 1e6),
                                                  .TFLOPs = flops / (ms * 1e9),
                                                  .peak_TFLOPs = 989,
                                                  .dram_bytes = dram_bytes / 96,
                                                  .l2_bytes = dram_bytes / 48,
                                                  .l1_hit_rate = 0.1,
                                                  .l2_hit_rate = 0.5,
                                                  .latency = fake_latency(800),
                                                  .bound = bound,
                                                  .bound_share = 0.8,
                                                  .bound_next = "l2 bandwidth",
                                                  .in_summary = true};
}

/* Fills *f; pointers inside lead into *f itself. */
static inline void fake_make(fake_t *f)
{
    memset(f, 0, sizeof *f);
    result_t *r = &f->r;
    r->device = "Test GPU 80 GB";
    r->device_file = "devices/test.ini";
    r->workload = "Test inference";
    r->workload_file = "workloads/test.trace";
    f->params[0] = "batch = 1";
    f->params[1] = "prompt = 2048";
    r->workload_params = f->params;
    r->n_workload_params = 2;
    r->seed = 1;
    r->mode = "auto";
    r->reproducible = true;
    r->interval = 0.012;
    r->time_ns = 2.0e9;
    r->busy_ns = 1.9e9;
    r->launch_gap_ns = 1e8;
    r->tokens = 128;
    r->bound.name = "dram bandwidth";
    r->bound.share = 0.9;
    r->bound.next = "l2 bandwidth";
    r->bound.sentence =
        "Memory bandwidth limits 90 % of the time; with more of it, the L2 would be next.";
    r->kernels = f->kernels;
    fake_kernel(f, "prefill", "qkv_gemm", "gemm", 80, 7e13, 6e9, "tensor");
    fake_kernel(f, "prefill", "flash", "attention", 20, 4e12, 1e9, "tensor");
    fake_kernel(f, "decode", "mlp_gemv", "gemm", 1700, 1.1e13, 5.3e12, "dram bandwidth");
    fake_kernel(f, "decode", "kv_read", "attention", 100, 1e11, 1e11, "bytes in flight");
    for (int i = 0; i < 100; i++) {
        f->l2_GBps[i] = 3000 + 200 * sin(i * 0.3);
        f->dram_GBps[i] = i < 5 ? 900 : 2800 + 150 * sin(i * 0.3 + 1);
    }
    f->series[0] = (res_series_t){"l2", 2e7, f->l2_GBps, 100};
    f->series[1] = (res_series_t){"dram", 2e7, f->dram_GBps, 100};
    r->series = f->series;
    r->n_series = 2;
    f->loss[0] = (res_share_t){"data", 0.85};
    f->loss[1] = (res_share_t){"refresh", 0.04};
    f->loss[2] = (res_share_t){"turnaround", 0.05};
    f->loss[3] = (res_share_t){"row miss", 0.03};
    f->loss[4] = (res_share_t){"tFAW", 0.0};
    f->loss[5] = (res_share_t){"not enough in flight", 0.03};
    f->commands[0] = (res_share_t){"ACT", 12345678};
    f->commands[1] = (res_share_t){"PRE", 12345670};
    f->commands[2] = (res_share_t){"RD", 98765432};
    f->commands[3] = (res_share_t){"REFpb", 4321};
    f->energy[0] = (res_share_t){"dram", 200};
    f->energy[1] = (res_share_t){"l2", 50};
    f->energy[2] = (res_share_t){"sm", 350};
    f->energy[3] = (res_share_t){"total", 600};
    f->stack[0] = (res_share_t){"SM", 30};
    f->stack[1] = (res_share_t){"crossbar", 120};
    f->stack[2] = (res_share_t){"L2", 150};
    f->stack[3] = (res_share_t){"memory queue", 350};
    f->stack[4] = (res_share_t){"DRAM", 150};
    r->latency_stack = f->stack;
    r->n_latency_stack = 5;
    r->energy = f->energy;
    r->n_energy = 4;
    double nan = (double)NAN;
    f->levels[0] = (res_level_t){"l1", 6e12, 2e11, 30000, nan, 3300, 0.1, fake_latency(800),
                                 nan,  NULL, 0,    NULL,  0,   NULL, 0,   33792 * 1024};
    f->levels[1] = (res_level_t){"l2", 5.8e12, 2e11, 5500, nan, 3100, 0.5, fake_latency(700),
                                 nan,  NULL,   0,    NULL, 0,   NULL, 0,   50u << 20};
    f->memory =
        (res_level_t){"hbm", 5.3e12,      1e11, 3352,    3200, 2850,      nan, fake_latency(400),
                      0.8,   f->commands, 4,    f->loss, 6,    f->energy, 4,   80ull << 30};
    f->levels[2] = f->memory;
    f->levels[2].name = "dram";
    r->levels = f->levels;
    r->n_levels = 3;
    r->memories = &f->memory;
    r->n_memories = 1;
    r->gpus = f->levels + 1;
    r->n_gpus = 0;
    for (int i = 0; i < 20000; i++) {
        double u = (i + 0.5) / 20000;
        hist_add(&f->hist, (uint64_t)(30000 + (i % 10 == 0 ? 0 : 400000 - 250000 * log(1 - u))));
    }
    r->load_latency = &f->hist;
    f->rows[0] = (stat_row_t){"hits", "requests", "reads whose sectors were all present", 0};
    f->rows[1] = (stat_row_t){"misses", "requests", "reads that went on", 8};
    f->table = (stat_table_t){"l2", f->rows, 2, 16};
    f->counters[0] = 700;
    f->counters[1] = 300;
    f->stats = (res_stats_t){"l2", &f->table, f->counters};
    r->stats = &f->stats;
    r->n_stats = 1;
    f->unmodelled[0] = (res_unmodelled_t){"all-reduce", 24768, 1.2e10};
    r->unmodelled = f->unmodelled;
    r->n_unmodelled = 1;
    r->capacity.bytes_needed = 44e9;
    r->capacity.bytes_available = 80.0 * 1073741824;
    r->peak.tensor_TFLOPs = 989;
    r->peak.fp32_TFLOPs = 66.9;
    r->peak.dram_GBps = 3352;
    r->peak.l2_GBps = 5500;
    r->peak.sms = 132;
    r->peak.sm_GHz = 1.755;
    memcpy(r->digest, "0123456789abcdef0123456789abcdef", 33);
    r->host.wall_s = 3.25;
    r->host.cpu_s = 3.2;
    r->host.requests = 4100000;
    r->host.requests_per_s = 1.3e6;
    r->host.events = 12000000;
    r->host.peak_rss_bytes = 123u << 20;
}
#endif
