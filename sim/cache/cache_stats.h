/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_CACHE_CACHE_STATS_H
#define MEMSIM_CACHE_CACHE_STATS_H
#include "core/stats.h"

#define L1_STATS(S)                                                                        \
    S(loads, "lines", "line lookups for loads")                                            \
    S(hits, "lines", "lookups whose sectors were all present")                             \
    S(merged, "lines", "lookups that joined a miss under way and needed no new request")   \
    S(misses, "lines", "lookups that sent a request to the L2")                            \
    S(mshr_full, "lines",                                                                  \
      "lookups turned away because every MSHR or merge slot was taken; tried again later") \
    S(stores, "lines", "line stores passed to the L2")                                     \
    S(read_bytes, "bytes", "sectors delivered to registers")                               \
    S(write_bytes, "bytes", "sectors of stores passed to the L2")                          \
    S(fill_bytes, "bytes", "sectors filled from the L2")                                   \
    S(evictions, "lines", "valid lines pushed out by a fill")

#define L2_STATS(S)                                                                             \
    S(reads, "requests", "reads that reached the slice an SM addressed")                        \
    S(hits, "requests", "of those, all sectors present")                                        \
    S(merged, "requests", "of those, joined a miss under way")                                  \
    S(misses, "requests", "of those, asked memory or the home slice")                           \
    S(far_reads, "requests", "reads that crossed to the home slice in the other partition")     \
    S(far_hits, "requests", "of those, found there")                                            \
    S(writes, "requests", "stores accepted by their home slice")                                \
    S(atomics, "requests", "atomic operations done")                                            \
    S(stalls, "requests", "requests that waited because every MSHR or merge slot was taken")    \
    S(read_bytes, "bytes", "sectors sent to SMs")                                               \
    S(write_bytes, "bytes", "sectors stored by SMs")                                            \
    S(memory_read_bytes, "bytes", "sectors asked from memory")                                  \
    S(memory_write_bytes, "bytes", "sectors written to memory (write-backs and write-through)") \
    S(peer_bytes, "bytes", "sectors that crossed between partitions")                           \
    S(evictions, "lines", "valid lines pushed out by a fill")                                   \
    S(writebacks, "lines", "dirty lines written to memory")                                     \
    S(early_writebacks, "lines", "of those, because the set had too many dirty ways")           \
    S(invalidations, "lines", "copies in the other partition dropped because of a store")       \
    S(array_busy_ps, "ps", "time the data arrays of the slices were busy, summed")              \
    S(port_busy_ps, "ps", "time the reply ports of the slices were busy, summed")

typedef struct l1_stats {
    L1_STATS(STAT_FIELD)
} l1_stats_t;
typedef struct l2_stats {
    L2_STATS(STAT_FIELD)
} l2_stats_t;
extern const stat_table_t l1_stat_table, l2_stat_table;
#endif
