/* SPDX-License-Identifier: MIT
 * [xbar]: the crossbar between SMs and L2 slices.  CK means cycles of [l2] clock. */
#ifndef MEMSIM_LINK_XBAR_PARAM_H
#define MEMSIM_LINK_XBAR_PARAM_H
#include "core/param.h"

#define XBAR_PARAMS(P)                                                                             \
    P(latency, GAP, NULL, "1 ns", "10 us", "-", "one way, port to port, unloaded", "link/xbar.h")  \
    P(sm_request_bytes_per_clk, COUNT, "64", "1", "4096", "+", "SM -> crossbar port",              \
      "link/xbar.h")                                                                               \
    P(sm_reply_bytes_per_clk, COUNT, "64", "1", "4096", "+", "crossbar -> SM port", "link/xbar.h") \
    P(slice_request_bytes_per_clk, COUNT, "64", "1", "4096", "+", "crossbar -> slice port",        \
      "link/xbar.h")                                                                               \
    P(slice_reply_bytes_per_clk, COUNT, "64", "1", "4096", "+", "slice -> crossbar port",          \
      "link/xbar.h")                                                                               \
    P(header_bytes, COUNT, "8", "0", "256", "-", "address and control bytes a packet carries",     \
      "link/xbar.h")                                                                               \
    P(gpcs, COUNT, "1", "1", "256", "~", "groups of SMs that share a reply and a request trunk",   \
      "link/xbar.h")                                                                               \
    P(gpc_bytes_per_clk, COUNT, "0", "0", "65536", "~",                                            \
      "trunk of a group per direction; 0: no trunk limit", "link/xbar.h")                          \
    P(pj_per_byte, PJ, "0 pJ", "0 pJ", "1000 pJ", "i",                                             \
      "energy of moving a byte (energy report only)", "machine/energy.c")
typedef struct xbar_param {
    XBAR_PARAMS(PARAM_FIELD)
} xbar_param_t;
extern const param_table_t xbar_param_table; /* section "xbar" */
#endif
