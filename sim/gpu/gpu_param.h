/* SPDX-License-Identifier: MIT
 * [gpu]: the SMs and the front end that feeds them.  CK means cycles of [gpu] clock. */
#ifndef MEMSIM_GPU_GPU_PARAM_H
#define MEMSIM_GPU_GPU_PARAM_H
#include "core/param.h"

#define GPU_PARAMS(P)                                                                              \
    P(sms, COUNT, NULL, "1", "4096", "+", "streaming multiprocessors", "gpu/front.c")              \
    P(clock, HZ, NULL, "1 MHz", "20 GHz", "+", "SM clock", "gpu/sm.c")                             \
    P(warp_size, COUNT, "32", "1", "64", "~", "lanes of a warp", "gpu/coalesce.c")                 \
    P(threads_per_sm, COUNT, NULL, "32", "8192", "+", "resident threads an SM holds",              \
      "gpu/occupancy.c")                                                                           \
    P(ctas_per_sm, COUNT, NULL, "1", "128", "+", "resident thread blocks an SM holds",             \
      "gpu/occupancy.c")                                                                           \
    P(regs_per_sm, COUNT, "65536", "1024", "16777216", "+", "32-bit registers an SM holds",        \
      "gpu/occupancy.c")                                                                           \
    P(shared_per_sm, BYTES, NULL, "1 KiB", "16 MiB", "+", "shared memory blocks can use on an SM", \
      "gpu/occupancy.c")                                                                           \
    P(shared_reserved, BYTES, "1 KiB", "0 B", "1 MiB", "-",                                        \
      "shared memory the system keeps of each block that uses any", "gpu/occupancy.c")             \
    P(issue_per_clk, COUNT, "4", "1", "16", "+", "warp instructions issued per cycle and SM",      \
      "gpu/sm.c")                                                                                  \
    P(lsu_lines_per_clk, REAL, "1", "0.03125", "16", "+",                                          \
      "128 B lines (tag lookups) per cycle and SM", "gpu/sm.c")                                    \
    P(loads_per_sm, COUNT, NULL, "1", "65536", "+", "L1-missing line requests in flight per SM",   \
      "gpu/sm.c")                                                                                  \
    P(loads_per_warp, COUNT, "64", "1", "1024", "+", "line requests in flight per warp",           \
      "gpu/sm.c")                                                                                  \
    P(stores_per_sm, COUNT, "1024", "1", "65536", "+", "line stores in flight per SM", "gpu/sm.c") \
    P(tile_lines_per_clk, REAL, "1", "0.03125", "16", "+",                                         \
      "lines the bulk-copy engine of an SM requests per cycle", "gpu/sm.c")                        \
    P(tile_lines_in_flight, COUNT, "1024", "1", "65536", "+",                                      \
      "lines of bulk copies in flight per SM", "gpu/sm.c")                                         \
    P(shared_bytes_per_clk, COUNT, "128", "1", "4096", "+",                                        \
      "shared-memory port, bytes per cycle and SM", "gpu/sm.c")                                    \
    P(barrier, GAP, "20 CK", "0 ns", "10 us", "-", "block barrier: last arrival to release",       \
      "gpu/sm.c")                                                                                  \
    P(alu, GAP, "4 CK", "0 ns", "10 us", "-",                                                      \
      "dependent-issue latency of an arithmetic instruction", "gpu/sm.c")                          \
    P(fp32_per_clk, COUNT, "0", "0", "1048576", "+", "fp32 operations (FMA = 2) per cycle and SM", \
      "gpu/sm.c")                                                                                  \
    P(fp64_per_clk, COUNT, "0", "0", "1048576", "+", "fp64 operations per cycle and SM",           \
      "gpu/sm.c")                                                                                  \
    P(fp16_per_clk, COUNT, "0", "0", "1048576", "+", "fp16 vector operations per cycle and SM",    \
      "gpu/sm.c")                                                                                  \
    P(tensor_fp16_per_clk, COUNT, "0", "0", "1048576", "+",                                        \
      "dense fp16/bf16 tensor operations per cycle and SM", "gpu/sm.c")                            \
    P(tensor_fp8_per_clk, COUNT, "0", "0", "1048576", "+",                                         \
      "dense fp8/int8 tensor operations per cycle and SM", "gpu/sm.c")                             \
    P(tensor_tf32_per_clk, COUNT, "0", "0", "1048576", "+",                                        \
      "dense tf32 tensor operations per cycle and SM", "gpu/sm.c")                                 \
    P(int_per_clk, COUNT, "64", "0", "1048576", "+", "32-bit integer operations per cycle and SM", \
      "gpu/sm.c")                                                                                  \
    P(sfu_per_clk, COUNT, "16", "0", "1048576", "+",                                               \
      "special-function operations per cycle and SM", "gpu/sm.c")                                  \
    P(mma_in_flight, COUNT, "2", "1", "64", "+",                                                   \
      "compute operations an agent or warp may have in a pipe", "gpu/sm.c")                        \
    P(mma_latency, GAP, "32 CK", "0 ns", "10 us", "-", "depth of the tensor pipe", "gpu/sm.c")     \
    P(cta_dispatch, GAP, "2 CK", "0 ns", "1 ms", "-",                                              \
      "time between two blocks sent by the GPU's block scheduler", "gpu/front.c")                  \
    P(cta_launch, GAP, "300 CK", "0 ns", "1 ms", "-",                                              \
      "block sent by the scheduler -> its first instruction", "gpu/front.c")                       \
    P(cta_retire, GAP, "100 CK", "0 ns", "1 ms", "-",                                              \
      "last warp ends -> the scheduler knows the slot is free", "gpu/front.c")                     \
    P(warp_launch, GAP, "4 CK", "0 ns", "1 ms", "-",                                               \
      "time an SM takes to set up one warp of a new block", "gpu/sm.c")                            \
    P(launch_gap_stream, PS, "2 us", "0 ns", "1 s", "-",                                           \
      "end of a kernel -> first block of the next in its stream", "machine/run.c")                 \
    P(launch_gap_graph, PS, "1 us", "0 ns", "1 s", "-", "the same inside a graph",                 \
      "machine/run.c")                                                                             \
    P(concurrent_kernels, COUNT, "128", "1", "128", "+",                                           \
      "kernels that can be on the device at once (CUDA C++ Programming Guide, resident grids)",    \
      "machine/streams.c")                                                                         \
    P(copy_bandwidth, BW, "0 B/s", "0 B/s", "1000 TB/s", "~",                                      \
      "bytes the copy engine reads per second; 0: what the memory's pins carry",                   \
      "gpu/copy_engine.c")                                                                         \
    P(copy_lines_in_flight, COUNT, "16384", "1", "1048576", "+",                                   \
      "128 B lines the copy engine has read and not yet written, or asked for",                    \
      "gpu/copy_engine.c")                                                                         \
    P(page, BYTES, "2 MiB", "4 KiB", "1 TiB", "i", "page of the identity mapping",                 \
      "memory/translate.c")                                                                        \
    P(sm_idle_power, WATT, "0 W", "0 W", "100 W", "i",                                             \
      "leakage and clock power of an SM (energy report only)", "machine/energy.c")                 \
    P(pj_per_flop, PJ, "0 pJ", "0 pJ", "1000 pJ", "i",                                             \
      "energy of a tensor or vector operation (energy report only)", "machine/energy.c")           \
    P(tdp, WATT, "0 W", "0 W", "100000 W", "i", "board power limit, as sold", "report")

typedef struct gpu_param {
    GPU_PARAMS(PARAM_FIELD)
} gpu_param_t;
extern const param_table_t gpu_param_table; /* section "gpu" */
#endif
