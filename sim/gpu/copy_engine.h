/* SPDX-License-Identifier: MIT
 * The copy engine: moves a range of device memory to another, line by line through the L2, past the SMs.  It reads
 * lines in order at a bounded rate, holds a bounded number of them, and writes a line when all its bytes are there.
 * Copies are served one after another.  Its requests go to the lines' home slices; the crossbar costs them its latency,
 * the slices their ports.
 *
 * Owned by the front's partition. */
#ifndef MEMSIM_GPU_COPY_ENGINE_H
#define MEMSIM_GPU_COPY_ENGINE_H
#include "core/access.h"
#include "core/arena.h"
#include "core/engine.h"
#include "core/req.h"
#include "core/server.h"
#include "gpu/coalesce.h"

#define COPY_ENGINE_SM UINT16_MAX /* req_t.sm of its requests */

typedef struct copy_job { /* one copy; the caller's until done */
    struct copy_job *next;
    addr_t from, to;
    uint64_t bytes;
    uint8_t bank;           /* of the counters it is charged to */
    uint32_t seq;           /* kernel number its requests carry */
    uint64_t reads, writes; /* lines of the two ranges, less those passed over */
    uint64_t read, written,
        accepted;     /* lines asked for; sent to be written; of those, taken by the L2 */
    uint64_t low;     /* all lines below are done */
    uint64_t skipped; /* lines passed over by sampling */
    ps_t begin_ps, end_ps;
} copy_job_t;

typedef struct copy_engine {
    engine_t *engine;
    src_t src;
    arena_t *arena;
    ps_t line_ps; /* between two reads */
    bool hop_events;
    uint32_t lines_max, mask; /* held at once; the ring's */
    uint8_t *missing;         /* ring over lines to write: reads they wait for; COPY_DONE */
    server_t rate;
    copy_job_t *head, **tail;
    req_t *pool;
    bool posted; /* an event that goes on reading */
    void *ctx;
    void (*locate)(void *ctx, req_t *r);        /* translate, decode; the near slice is the home */
    void (*send)(void *ctx, req_t *r, ps_t at); /* to the slice */
    void (*done)(void *ctx, copy_job_t *, ps_t t); /* the copy's last line was accepted */
    void *done_ctx;
} copy_engine_t;

/* bytes_per_s: read at most; lines_max: 128 B lines held at once.  ctx, locate and send are the caller's to fill. */
void copy_engine_init(copy_engine_t *c, engine_t *e, unsigned partition, arena_t *a,
                      uint64_t bytes_per_s, uint32_t lines_max, bool hop_events);
/* Begin a copy now (in the engine's partition) or behind those before it.  from, to, bytes > 0, bank, seq are set; the
 * ranges lie in memory and do not overlap. */
void copy_engine_start(copy_engine_t *c, copy_job_t *j, ps_t now);
/* Pass over `lines` lines of the copy under way, fewer than are left to read.  What is in flight goes on, and is written
 * behind the gap: the reads of the `lines` next lines and the writes of the `lines` from j->low on are left out.  Only
 * between two runs of the event engine. */
void copy_engine_skip(copy_job_t *j, uint64_t lines);
/* Event: a slice's reply.  self = copy_engine_t, arg = req_t. */
void copy_engine_reply(void *self, void *arg, ps_t now);
#endif
