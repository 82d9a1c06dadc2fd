/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_LINK_XBAR_STATS_H
#define MEMSIM_LINK_XBAR_STATS_H
#include "core/stats.h"

#define XBAR_STATS(S)                                                         \
    S(request_packets, "packets", "packets from SMs to L2 slices")            \
    S(reply_packets, "packets", "packets from L2 slices to SMs")              \
    S(request_bytes, "bytes", "headers and store data towards the L2")        \
    S(reply_bytes, "bytes", "headers and load data towards the SMs")          \
    S(request_busy_ps, "ps", "time the SMs' request ports were busy, summed") \
    S(reply_busy_ps, "ps", "time the SMs' reply ports were busy, summed")     \
    S(trunk_busy_ps, "ps", "time the group trunks were busy, both directions, summed")
typedef struct xbar_stats {
    XBAR_STATS(STAT_FIELD)
} xbar_stats_t;
extern const stat_table_t xbar_stat_table;
#endif
