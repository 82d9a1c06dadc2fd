/* SPDX-License-Identifier: MIT
 * An SM's L1: sectored tags, MSHRs, write-through.  It lives in the SM's partition and is called by it; it sends
 * misses on through `out`. */
#ifndef MEMSIM_CACHE_L1_H
#define MEMSIM_CACHE_L1_H
#include "cache/cache_param.h"
#include "cache/cache_stats.h"
#include "cache/mshr.h"
#include "cache/tags.h"
#include "core/port.h"
#include "core/stat_banks.h"

typedef struct l1 {
    tags_t tags;
    mshr_t mshr;
    bool write_allocate;
    ps_t hit_ps, miss_ps, fill_ps;
    port_t out; /* towards the crossbar */
    l1_stats_t st;
    stat_banks_t banks; /* of st, by kernel */
} l1_t;

typedef enum { L1_HIT, L1_MISS, L1_FULL } l1_result_t;

/* clk: the SM clock.  cache_bytes: carve-out in force (0: every load misses). */
void l1_init(l1_t *c, arena_t *a, const l1_param_t *p, clk_t clk, port_t out, uint64_t seed);
/* Forget everything (start of a kernel) and use `cache_bytes` of the array as cache. */
void l1_invalidate(l1_t *c, uint64_t cache_bytes);
/* Load r's sectors at time t.  L1_HIT: r stays the caller's, data at t + hit_ps.  L1_MISS: r is taken and comes
 * back through l1_reply.  L1_FULL: nothing changed, try again after the next reply. */
l1_result_t l1_load(l1_t *c, req_t *r, ps_t t, ps_t now);
/* Store r: updates a present line and passes r on. */
void l1_store(l1_t *c, req_t *r, ps_t t, ps_t now);
/* Start fetching what the reply to r will need. */
void l1_prefetch(const l1_t *c, const req_t *r);
/* A reply came: fill, and return the list (linked by next) of requests that are complete. */
req_t *l1_reply(l1_t *c, req_t *r);
#endif
