/* SPDX-License-Identifier: MIT
 * One L2 slice: tags, MSHRs, a data array, a reply port, a way to memory, and, where the L2 has two partitions,
 * a link to its twin in the other one.
 *
 * Where a request goes.  An SM asks the slice in its own partition .  If that is the line's home
 * (r->home: the side of its memory channel), a miss goes to memory.  If not, a miss crosses the partition
 * link to the home slice; what comes back is kept in the near slice too (replicate = yes).  Stores and atomics
 * are done at home: on their way they drop the near copy, and at home a copy known to lie beyond the link.
 * This gives the measured staircase: near hit up to half the L2, then a mix of near misses and far hits up to
 * the whole, then memory (NVIDIA A100 whitepaper 2020: each partition caches data for the SMs connected to it). */
#ifndef MEMSIM_CACHE_SLICE_H
#define MEMSIM_CACHE_SLICE_H
#include "cache/cache_param.h"
#include "cache/cache_stats.h"
#include "cache/mshr.h"
#include "cache/tags.h"
#include "core/engine.h"
#include "core/hist.h"
#include "core/port.h"
#include "core/server.h"
#include "core/span.h"
#include "core/stat_banks.h"

typedef struct slice_spec { /* shared, read-only */
    clk_t clk;
    ps_t hit_ps, to_memory_ps, from_memory_ps, peer_ps, atomic_ps, clk_ps, slack_ps;
    ps_t array_ps[9], reply_ps[9], request_ps[9], peer_move_ps[9]; /* by sectors moved */
    uint8_t fetch_sectors, line_sectors;
    bool write_back, partial_fetch, replicate, hop_events;
    uint32_t dirty_ways_max, writebacks_max;
} slice_spec_t;

typedef struct slice slice_t;
struct slice {
    const slice_spec_t *spec;
    engine_t *engine;
    src_t src;
    uint16_t id;
    tags_t tags;
    mshr_t mshr;
    server_t in, array, out, peer_out, atomic;
    slice_t *twin;    /* NULL: one partition */
    port_t to_memory; /* memory channel of this slice (same partition) */
    void (*reply)(void *ctx, slice_t *s, req_t *r,
                  ps_t at); /* packet leaves the reply port at `at` */
    void *reply_ctx;
    req_t *blocked[2], **blocked_tail[2]; /* by level, in order, behind a full MSHR share */
    req_t *pool;                          /* free write-back requests */
    arena_t *arena;
    uint64_t inflight_memory; /* requests at the memory and not back */
    uint32_t writebacks;      /* of those, write-backs */
    /* Since they were last set to zero: */
    span_t
        crossed; /* the first access's turn in the data array .. last data out of the reply port */
    span_t memory_crossed; /* first column command .. last beat, of this slice's requests */
    hist_t latency; /* of reads, ps: request in by the port -> last byte out of the reply port */
    l2_stats_t st;
    stat_banks_t
        banks; /* of st, by kernel; a write-back is charged to the kernel that pushes it out */
};

/* reply_bytes_per_clk etc. of the slice's crossbar ports; header_bytes of a packet. */
void slice_spec_init(slice_spec_t *sp, const l2_param_t *p, uint32_t request_bytes_per_clk,
                     uint32_t reply_bytes_per_clk, uint32_t header_bytes, bool hop_events);
void slice_init(slice_t *s, const slice_spec_t *sp, const l2_param_t *p, engine_t *e,
                unsigned partition, uint16_t id, arena_t *a, uint64_t seed);
/* Event: a request arrives at the slice's port.  self = slice_t, arg = req_t. */
void slice_arrive(void *self, void *arg, ps_t now);
/* Tell the engine what to fetch ahead for the events of slices. */
void slice_prepare_all(engine_t *e);
/* Memory finished r (read: data at data_ps; write: taken); called in the slice's partition. */
void slice_memory_done(slice_t *s, req_t *r, ps_t data_ps, ps_t now);
/* Functional access without time, to bring the tags where a skipped part of a run would have left them.
 * `near` is the slice an SM would address, home the line's home.  Returns sectors that memory would have moved
 * (read), and adds sectors written back to *written. */
unsigned slice_warm(slice_t *near, slice_t *home, uint32_t l2_set, uint32_t line, uint8_t sectors,
                    bool write, unsigned *written);
/* Dirty bytes held now. */
uint64_t slice_dirty_bytes(const slice_t *s);
#endif
