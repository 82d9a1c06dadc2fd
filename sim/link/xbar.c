/* SPDX-License-Identifier: MIT */
#include "link/xbar.h"

#define XBAR_ROW(name, unit, help) STAT_ROW_IN(xbar_stats_t, name, unit, help)
static const stat_row_t xbar_rows[] = {XBAR_STATS(XBAR_ROW)};
const stat_table_t xbar_stat_table = {"xbar", xbar_rows, sizeof xbar_rows / sizeof *xbar_rows,
                                      sizeof(xbar_stats_t)};

void xbar_init(xbar_t *x, const xbar_param_t *p, clk_t clk)
{
    *x = (xbar_t){.clk = clk,
                  .request_bytes_per_clk = p->sm_request_bytes_per_clk,
                  .reply_bytes_per_clk = p->sm_reply_bytes_per_clk,
                  .trunk_bytes_per_clk = p->gpc_bytes_per_clk,
                  .header_bytes = p->header_bytes,
                  .latency_ps = gap_ps(p->latency, clk)};
    for (unsigned s = 0; s <= 8; s++) {
        uint64_t bytes = x->header_bytes + 32u * s;
        x->request_ps[0][s] = port_time(clk, x->header_bytes, x->request_bytes_per_clk);
        x->request_ps[1][s] = port_time(clk, bytes, x->request_bytes_per_clk);
        x->reply_ps[s] = port_time(clk, bytes, x->reply_bytes_per_clk);
        if (x->trunk_bytes_per_clk) x->trunk_ps[s] = port_time(clk, bytes, x->trunk_bytes_per_clk);
    }
}

static bool carries_data(const req_t *r)
{
    return r->kind == REQ_WRITE || r->kind == REQ_ATOMIC;
}

ps_t xbar_up(const xbar_t *x, xbar_port_t *sm, const req_t *r, ps_t at)
{
    stat_charge(&sm->banks, r->bank);
    unsigned n = carries_data(r) ? sector_count(r->sectors) : 0;
    ps_t dur = x->request_ps[n > 0][n];
    ps_t out = server_start(&sm->request, at, dur) + dur;
    sm->st.request_packets++;
    sm->st.request_bytes += x->header_bytes + 32u * n;
    sm->st.request_busy_ps += (uint64_t)dur;
    if (sm->trunk_up) {
        out = server_start(sm->trunk_up, out, x->trunk_ps[n]) + x->trunk_ps[n];
        sm->st.trunk_busy_ps += (uint64_t)x->trunk_ps[n];
    }
    return out + x->latency_ps;
}

ps_t xbar_down(const xbar_t *x, xbar_port_t *sm, const req_t *r, ps_t at)
{
    stat_charge(&sm->banks, r->bank);
    unsigned n = r->kind == REQ_WRITE || r->kind == REQ_PREFETCH ? 0 : sector_count(r->sectors);
    if (sm->trunk_down) {
        at = server_start(sm->trunk_down, at, x->trunk_ps[n]) + x->trunk_ps[n];
        sm->st.trunk_busy_ps += (uint64_t)x->trunk_ps[n];
    }
    ps_t dur = x->reply_ps[n];
    ps_t in = server_start(&sm->reply, at, dur) + dur;
    sm->st.reply_packets++;
    sm->st.reply_bytes += x->header_bytes + 32u * n;
    sm->st.reply_busy_ps += (uint64_t)dur;
    return in;
}
