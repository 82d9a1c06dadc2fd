/* SPDX-License-Identifier: MIT
 * A FIFO resource without choice (a port, a link direction, a pipeline) as a next-free-time server: arrival and
 * service time in, departure out, no event.  Passes must be made in order of arrival, by the owner's events. */
#ifndef MEMSIM_CORE_SERVER_H
#define MEMSIM_CORE_SERVER_H
#include "core/units.h"

typedef struct server {
    ps_t free_ps; /* when the next arrival can start */
    ps_t busy_ps; /* service given so far */
} server_t;

/* Serve `service_ps` for an arrival at `at`; returns the start of service. */
static inline ps_t server_start(server_t *s, ps_t at, ps_t service_ps)
{
    ps_t start = at > s->free_ps ? at : s->free_ps;
    s->free_ps = start + service_ps;
    s->busy_ps += service_ps;
    return start;
}

/* Time to move `bytes` through a port of `bytes_per_clk`, rounded up so that no port beats its peak. */
static inline ps_t port_time(clk_t clk, uint64_t bytes, uint32_t bytes_per_clk)
{
    wide_t num = (wide_t)bytes * 1000000000000;
    wide_t den = (wide_t)bytes_per_clk * (wide_t)clk.hz;
    return (ps_t)((num + den - 1) / den);
}
#endif
