/* SPDX-License-Identifier: MIT
 * One channel on an engine, driven request by request. */
#ifndef MEMSIM_TESTS_DRAM_RIG_H
#define MEMSIM_TESTS_DRAM_RIG_H
#include "dram/dram.h"
#include "dram_run.h"

#define RIG_REQUESTS 4096

typedef struct rig {
    arena_t *arena;
    diag_t diag;
    engine_t *engine;
    dram_param_t p;
    const dram_spec_t *spec;
    dram_chan_t *chan;
    src_t src;
    req_t req[RIG_REQUESTS];
    ps_t data[RIG_REQUESTS]; /* when it was done; -1: not yet */
    size_t n, done;
    bool lone;
} rig_t;

static inline void rig_done(void *ctx, req_t *r, ps_t data_ps, ps_t now)
{
    rig_t *g = ctx;
    ck_assert(data_ps >= now);
    ck_assert_int_eq(g->data[r->id], -1); /* once only */
    g->data[r->id] = data_ps;
    g->done++;
}

/* lone: the channel may run ahead of the engine. */
static inline rig_t *rig_new_as(bool lone, const char *path, const char *const *set, size_t n_set)
{
    rig_t *g = calloc(1, sizeof *g);
    ck_assert_ptr_nonnull(g);
    g->lone = lone;
    g->arena = arena_new();
    diag_init(&g->diag);
    ini_section_t *s;
    ck_assert_msg(device_load_dram(&g->p, &s, path, set, n_set, g->arena, &g->diag) == MS_OK,
                  "%s: %s", path, g->diag.n ? g->diag.msg[0] : "");
    ck_assert_msg(dram_spec_new(&g->spec, &g->p, g->arena, &g->diag) == MS_OK, "%s: %s", path,
                  g->diag.n ? g->diag.msg[0] : "");
    g->engine = engine_new(ENGINE_MERGED, 1, 8, 0, 1);
    engine_register(g->engine, &g->src, 0);
    dram_env_t env = {.engine = g->engine,
                      .arena = g->arena,
                      .done = rig_done,
                      .ctx = g,
                      .seed = 1,
                      .check = true,
                      .lone = lone};
    g->chan = dram_chan_new(g->spec, &env, 0);
    return g;
}

static inline rig_t *rig_new(const char *path, const char *const *set, size_t n_set)
{
    return rig_new_as(false, path, set, n_set);
}

static inline void rig_submit_now(void *self, void *arg, ps_t now)
{
    rig_t *g = self;
    dram_submit(g->chan, arg, now);
    if (g->lone) dram_kick(g->chan, now);
}

static inline uint8_t rig_sectors(const rig_t *g)
{
    uint32_t n = dram_burst_bytes(g->spec) / 32;
    return (uint8_t)((1u << (n ? n : 1)) - 1);
}

/* One burst at a place, handed over at `at`; returns its number. */
static inline size_t rig_add(rig_t *g, bool write, loc_t loc, ps_t at)
{
    size_t i = g->n++;
    ck_assert_uint_lt(i, RIG_REQUESTS);
    g->data[i] = -1;
    g->req[i] = (req_t){.kind = write ? REQ_WRITE : REQ_READ,
                        .sectors = rig_sectors(g),
                        .id = (uint32_t)i,
                        .loc = loc};
    g->req[i].addr = dram_encode(g->spec, &loc);
    engine_post(g->engine, &g->src, 0, at, rig_submit_now, g, &g->req[i]);
    return i;
}

/* Run to the end of all requests, close the books at `until`. */
static inline void rig_run(rig_t *g, ps_t until)
{
    engine_run(g->engine, until);
    ck_assert_uint_eq(g->done, g->n);
    ck_assert_uint_eq(dram_inflight(g->chan), 0);
    int rc = dram_chan_finish(g->chan, until, &g->diag);
    ck_assert_msg(rc == MS_OK, "%s", g->diag.n ? g->diag.msg[0] : "");
}

static inline void rig_free(rig_t *g)
{
    engine_free(g->engine);
    diag_free(&g->diag);
    arena_free(g->arena);
    free(g);
}
#endif
