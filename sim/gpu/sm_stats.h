/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_GPU_SM_STATS_H
#define MEMSIM_GPU_SM_STATS_H
#include "core/stats.h"

#define SM_STATS(S)                                                                             \
    S(ctas, "blocks", "thread blocks run")                                                      \
    S(warps, "warps", "warps (or block agents) run")                                            \
    S(instructions, "instructions", "warp instructions issued, loops and waits excluded")       \
    S(loads, "lines", "line requests of loads")                                                 \
    S(stores, "lines", "line requests of stores")                                               \
    S(atomics, "lines", "line requests of atomics")                                             \
    S(prefetches, "lines", "line requests of prefetches")                                       \
    S(tile_lines, "lines", "line requests of bulk copies")                                      \
    S(load_bytes, "bytes", "bytes lanes asked to load")                                         \
    S(store_bytes, "bytes", "bytes lanes asked to store")                                       \
    S(shared_bytes, "bytes", "bytes through the shared-memory ports")                           \
    S(operations, "operations", "arithmetic operations done, all units")                        \
    S(barriers, "barriers", "block barriers passed")                                            \
    S(load_stalls, "stalls", "times a warp found every load slot of its SM or of itself taken") \
    S(store_stalls, "stalls", "times a warp found every store slot of its SM taken")            \
    S(lsu_busy_ps, "ps", "time the load/store pipes were busy, summed over SMs")                \
    S(pipe_busy_ps, "ps", "time the busiest kind of arithmetic pipe was busy, summed over SMs") \
    S(shared_busy_ps, "ps", "time the shared-memory ports were busy, summed over SMs")          \
    S(loads_in_flight_ps, "lines x ps",                                                         \
      "sum over completed load and bulk-copy requests of their time in flight")                 \
    S(resident_warps_ps, "warps x ps", "sum over warps of their time on an SM")
typedef struct sm_stats {
    SM_STATS(STAT_FIELD)
} sm_stats_t;
extern const stat_table_t sm_stat_table;
#endif
