/* SPDX-License-Identifier: MIT
 * The crossbar between SMs and L2 slices: a request port and a reply port per SM, an optional trunk per group of
 * SMs, a latency.  (The slices' own ports belong to the slices.)  Ports are next-free-time servers; an SM's ports
 * and its trunk live in the SM's partition, so a group of SMs is one partition. */
#ifndef MEMSIM_LINK_XBAR_H
#define MEMSIM_LINK_XBAR_H
#include "core/engine.h"
#include "core/req.h"
#include "core/server.h"
#include "core/stat_banks.h"
#include "link/xbar_param.h"
#include "link/xbar_stats.h"

typedef struct xbar_port { /* one SM's end */
    server_t request, reply;
    server_t *trunk_up, *trunk_down; /* shared by the group; NULL: no trunk limit */
    xbar_stats_t st;
    stat_banks_t banks; /* of st, by kernel */
} xbar_port_t;

typedef struct xbar {
    clk_t clk;
    uint32_t request_bytes_per_clk, reply_bytes_per_clk, trunk_bytes_per_clk, header_bytes;
    ps_t latency_ps;
    ps_t request_ps[2][9], reply_ps[9],
        trunk_ps[9]; /* service time by sectors carried; [1]: stores */
} xbar_t;

void xbar_init(xbar_t *x, const xbar_param_t *p, clk_t clk);
/* An SM's request leaves: it is at the SM's port at `at`.  Returns its arrival at the slice. */
ps_t xbar_up(const xbar_t *x, xbar_port_t *sm, const req_t *r, ps_t at);
/* A reply reaches the SM's side of the crossbar at `at`.  Returns when its last byte is in the SM. */
ps_t xbar_down(const xbar_t *x, xbar_port_t *sm, const req_t *r, ps_t at);
#endif
