/* SPDX-License-Identifier: MIT
 * One or two L2 slices with a memory of fixed latency behind them, for tests of the slice alone.
 * Times are ps; the L2 runs at 1 GHz, so a cycle is 1000.  Everything is freed by slice_rig_close. */
#ifndef MEMSIM_TESTS_SLICE_RIG_H
#define MEMSIM_TESTS_SLICE_RIG_H
#include "cache/slice.h"
#include "test.h"

enum {
    HIT_PS = 50000,
    TO_PS = 10000,
    FROM_PS = 20000,
    PEER_PS = 30000,
    MEMORY_PS = 100000,
    HEADER = 8,
    PORT = 64, /* bytes a cycle of the crossbar ports */
    PEER = 32, /* of the partition link */
    REPLIES = 4096
};

typedef struct slice_rig {
    arena_t *arena;
    engine_t *engine;
    src_t src; /* of the rig's own events */
    slice_spec_t spec;
    slice_t slice[2];
    unsigned n_slices;
    bool hold_writes; /* the memory takes no write-back until slice_rig_release */
    req_t *held;
    unsigned memory_reads, memory_writes, memory_read_sectors, memory_write_sectors;
    uint8_t last_read, last_write; /* sectors */
    struct {
        req_t *r;
        ps_t at;
        uint16_t slice;
    } reply[REPLIES];
    unsigned n_replies;
} slice_rig_t;

static inline l2_param_t slice_rig_param(void)
{
    return (l2_param_t){.size = 16384, /* one slice: 128 lines in 32 sets */
                        .clock = 1000000000,
                        .partitions = 1,
                        .slices = 1,
                        .line = 128,
                        .sector = 32,
                        .ways = 4,
                        .fetch_sectors = 1,
                        .replicate = true,
                        .bytes_per_clk = 64,
                        .hit = {HIT_PS, false},
                        .to_memory = {TO_PS, false},
                        .from_memory = {FROM_PS, false},
                        .peer = {PEER_PS, false},
                        .peer_bytes_per_clk = PEER,
                        .mshrs = 64,
                        .merges = 16,
                        .writebacks = 32,
                        .dirty_limit = 1,
                        .atomic = {2000, false}};
}

static inline void slice_rig_reply(void *ctx, slice_t *s, req_t *r, ps_t at)
{
    slice_rig_t *g = ctx;
    ck_assert_uint_lt(g->n_replies, REPLIES);
    g->reply[g->n_replies].r = r;
    g->reply[g->n_replies].slice = s->id;
    g->reply[g->n_replies++].at = at;
}

static inline void slice_rig_done(void *self, void *arg, ps_t now)
{
    slice_rig_t *g = self;
    req_t *r = arg;
    slice_memory_done(&g->slice[r->home], r, now, now);
}

static inline void slice_rig_memory(void *self, req_t *r, ps_t at, ps_t now)
{
    slice_rig_t *g = self;
    (void)at;
    unsigned n = (unsigned)__builtin_popcount(r->sectors);
    if (r->kind == REQ_WRITEBACK) {
        g->memory_writes++;
        g->memory_write_sectors += n;
        g->last_write = r->sectors;
        if (g->hold_writes) {
            r->next = g->held;
            g->held = r;
            return;
        }
    } else {
        g->memory_reads++;
        g->memory_read_sectors += n;
        g->last_read = r->sectors;
    }
    engine_post(g->engine, &g->src, 0, now + MEMORY_PS, slice_rig_done, g, r);
}

static inline void slice_rig_open(slice_rig_t *g, const l2_param_t *p, bool hop_events)
{
    *g = (slice_rig_t){.arena = arena_new(), .n_slices = p->partitions};
    g->engine = engine_new(ENGINE_MERGED, 1, 4, 0, 1);
    engine_register(g->engine, &g->src, 0);
    slice_spec_init(&g->spec, p, PORT, PORT, HEADER, hop_events);
    for (unsigned i = 0; i < g->n_slices; i++) {
        slice_t *s = &g->slice[i];
        slice_init(s, &g->spec, p, g->engine, 0, (uint16_t)i, g->arena, 1 + i);
        s->to_memory = (port_t){slice_rig_memory, g};
        s->reply = slice_rig_reply;
        s->reply_ctx = g;
        if (g->n_slices == 2) s->twin = &g->slice[1 - i];
    }
}

static inline void slice_rig_close(slice_rig_t *g)
{
    engine_free(g->engine);
    arena_free(g->arena);
}

/* A request for sectors of a line whose home is slice `home` arrives at slice `at_slice` at time t. */
static inline req_t *slice_rig_send(slice_rig_t *g, req_kind_t kind, uint32_t line, uint8_t sectors,
                                    uint8_t partial, unsigned at_slice, unsigned home, ps_t t)
{
    req_t *r = arena_alloc(g->arena, sizeof *r);
    *r = (req_t){.kind = (uint8_t)kind,
                 .line = line,
                 .sectors = sectors,
                 .asked = {sectors, 0},
                 .partial = partial,
                 .l2_set = tags_set(&g->slice[0].tags, line),
                 .home = (uint16_t)home};
    engine_post(g->engine, &g->src, 0, t, slice_arrive, &g->slice[at_slice], r);
    return r;
}

/* Run until nothing is left to do; returns the time of the latest reply. */
static inline ps_t slice_rig_run(slice_rig_t *g)
{
    engine_run(g->engine, PS_MAX);
    return g->n_replies ? g->reply[g->n_replies - 1].at : 0;
}

/* One request alone, far from all others: how long until its reply has left the slice. */
static inline ps_t slice_rig_alone(slice_rig_t *g, req_kind_t kind, uint32_t line, uint8_t sectors,
                                   uint8_t partial, unsigned at_slice, unsigned home)
{
    ps_t t = engine_now(g->engine) + 10000000;
    g->n_replies = 0;
    req_t *r = slice_rig_send(g, kind, line, sectors, partial, at_slice, home, t);
    ps_t end = slice_rig_run(g);
    ck_assert_uint_eq(g->n_replies, 1);
    ck_assert_ptr_eq(g->reply[0].r, r);
    ck_assert_uint_eq(g->reply[0].slice, at_slice);
    return end - t;
}

static inline ps_t slice_rig_port_ps(unsigned sectors)
{
    return (HEADER + 32 * (ps_t)sectors) * 1000 / PORT;
}
static inline ps_t slice_rig_link_ps(unsigned sectors)
{
    return (HEADER + 32 * (ps_t)sectors) * 1000 / PEER;
}
#endif
