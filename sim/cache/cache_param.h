/* SPDX-License-Identifier: MIT
 * [l1] and [l2].  CK means cycles of the cache's clock (L1: the SM clock). */
#ifndef MEMSIM_CACHE_CACHE_PARAM_H
#define MEMSIM_CACHE_CACHE_PARAM_H
#include "core/param.h"

#define L1_PARAMS(P)                                                                              \
    P(size, BYTES, NULL, "0 B", "16 MiB", "+",                                                    \
      "bytes of an SM's unified array that can be L1 (maximum carve-out)", "cache/tags.c")        \
    P(shared_carveout, BYTES, "0 B", "0 B", "16 MiB", "i",                                        \
      "shared memory kept back even if no block asks for it", "cache/tags.c")                     \
    P(line, BYTES, "128 B", "32 B", "256 B", "~", "line", "cache/tags.c")                         \
    P(sector, BYTES, "32 B", "32 B", "256 B", "~", "sector, the unit of a fill", "cache/tags.c")  \
    P(ways, COUNT, "4", "1", "64", "~", "associativity", "cache/tags.c")                          \
    P(replacement, ENUM, "lru", "lru|fifo|random", NULL, "~", "victim choice", "cache/tags.c")    \
    P(write, ENUM, "through", "through|through_allocate", NULL, "~",                              \
      "stores go to L2; allocate: they also fill the line", "cache/tags.c")                       \
    P(hit, GAP, NULL, "0 ns", "1 us", "-", "load issue -> data in register on a hit", "gpu/sm.c") \
    P(miss, GAP, NULL, "0 ns", "1 us", "-", "load issue -> request at the crossbar port",         \
      "gpu/sm.c")                                                                                 \
    P(fill, GAP, "10 CK", "0 ns", "1 us", "-", "reply at the SM -> data in register", "gpu/sm.c") \
    P(mshrs, COUNT, "512", "1", "16383", "+", "lines with misses outstanding", "cache/mshr.c")    \
    P(merges, COUNT, "32", "1", "1024", "+", "loads that may wait on one line", "cache/mshr.c")   \
    P(pj_per_sector, PJ, "0 pJ", "0 pJ", "10000 pJ", "i",                                         \
      "energy of reading or writing a sector (energy report only)", "machine/energy.c")

#define L2_PARAMS(P)                                                                               \
    P(size, BYTES, NULL, "4 KiB", "4 GiB", "+", "capacity of all slices together", "cache/tags.c") \
    P(clock, HZ, NULL, "1 MHz", "20 GHz", "+", "L2 and crossbar clock", "cache/slice.c")           \
    P(partitions, COUNT, "1", "1", "2", "~", "halves of the L2, each near one half of the SMs",    \
      "cache/slice.c")                                                                             \
    P(slices, COUNT, NULL, "1", "4096", "+",                                                       \
      "slices in all partitions together; a multiple of the memory channels, or the reverse",      \
      "cache/slice.c")                                                                             \
    P(line, BYTES, "128 B", "32 B", "256 B", "~", "line", "cache/tags.c")                          \
    P(sector, BYTES, "32 B", "32 B", "256 B", "~", "sector", "cache/tags.c")                       \
    P(ways, COUNT, "16", "1", "64", "~", "associativity", "cache/tags.c")                          \
    P(replacement, ENUM, "lru", "lru|fifo|random", NULL, "~", "victim choice", "cache/tags.c")     \
    P(write, ENUM, "back", "back|through", NULL, "~", "write-back or write-through",               \
      "cache/slice.c")                                                                             \
    P(partial_write, ENUM, "mask", "mask|fetch", NULL, "~",                                        \
      "a store that covers part of a sector: keep a byte mask until eviction, or fetch the "       \
      "sector",                                                                                    \
      "cache/slice.c")                                                                             \
    P(fetch_sectors, COUNT, "1", "1", "8", "~", "sectors fetched on a miss, aligned (2 = 64 B)",   \
      "cache/slice.c")                                                                             \
    P(replicate, BOOL, "yes", NULL, NULL, "~", "a far line is also kept in the near partition",    \
      "cache/slice.c")                                                                             \
    P(bytes_per_clk, COUNT, "64", "1", "4096", "+", "data a slice reads or writes per cycle",      \
      "cache/slice.c")                                                                             \
    P(hit, GAP, NULL, "0 ns", "1 us", "-", "request at the slice -> data at its output port, hit", \
      "cache/slice.c")                                                                             \
    P(to_memory, GAP, "0 ns", "0 ns", "1 us", "-",                                                 \
      "miss known -> request in the memory controller's queue", "cache/slice.c")                   \
    P(from_memory, GAP, "0 ns", "0 ns", "1 us", "-",                                               \
      "last beat from memory -> data at the slice's output port", "cache/slice.c")                 \
    P(peer, GAP, "0 ns", "0 ns", "1 us", "-", "one way between partitions", "cache/slice.c")       \
    P(peer_bytes_per_clk, COUNT, "32", "1", "4096", "+",                                           \
      "partition link of a slice, bytes per cycle and direction", "cache/slice.c")                 \
    P(mshrs, COUNT, "256", "1", "16383", "+", "lines of a slice with misses outstanding",          \
      "cache/mshr.c")                                                                              \
    P(merges, COUNT, "64", "1", "1024", "+", "requests that may wait on one line", "cache/mshr.c") \
    P(writebacks, COUNT, "32", "1", "65536", "+",                                                  \
      "dirty lines of a slice on their way to memory before misses stall", "cache/slice.c")        \
    P(dirty_limit, REAL, "100 %", "0 %", "100 %", "~",                                             \
      "share of a set's ways, rounded to whole ones, that may be dirty before the oldest dirty "   \
      "line is written back early",                                                                \
      "cache/slice.c")                                                                             \
    P(atomic, GAP, "2 CK", "0 ns", "1 us", "-", "time a slice's atomic unit takes a sector",       \
      "cache/slice.c")                                                                             \
    P(pj_per_sector, PJ, "0 pJ", "0 pJ", "10000 pJ", "i",                                          \
      "energy of reading or writing a sector (energy report only)", "machine/energy.c")

typedef struct l1_param {
    L1_PARAMS(PARAM_FIELD)
} l1_param_t;
typedef struct l2_param {
    L2_PARAMS(PARAM_FIELD)
} l2_param_t;
extern const param_table_t l1_param_table, l2_param_table; /* sections "l1", "l2" */
#endif
