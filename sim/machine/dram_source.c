/* SPDX-License-Identifier: MIT
 * Streams of requests into channels. */
#include "machine/dram_source.h"
#include "dram/spec.h"
#include <math.h>

static req_t *new_req(dram_front_t *f)
{
    req_t *r = f->pool;
    if (r)
        f->pool = r->next;
    else
        r = arena_alloc(f->arena, sizeof *r);
    r->next = NULL;
    r->sectors = 1;
    return r;
}

/* ---- taking the next request ---- */
/* Next burst of the trace; false at its end or at a fault. */
static bool next_raw(dram_front_t *f, pattern_access_t *a)
{
    const uint64_t burst = dram_burst_bytes(f->spec);
    if (!f->have_piece) {
        int rc = raw_next(f->raw, &f->piece, f->diag);
        if (rc < 0) f->error = MS_INPUT;
        if (rc <= 0) return false;
        uint64_t end = f->piece.addr + f->piece.bytes;
        f->piece.addr -= f->piece.addr % burst;
        f->piece.bytes = end - f->piece.addr;
        f->have_piece = true;
    }
    *a = (pattern_access_t){f->piece.addr, f->piece.at_ps > 0 ? f->piece.at_ps : 0, f->piece.write};
    f->have_piece = f->piece.bytes > burst;
    if (f->have_piece) {
        f->piece.addr += burst;
        f->piece.bytes -= burst;
    }
    return true;
}

/* The next request into x->held; false at the end. */
static bool take(dram_stream_t *x)
{
    dram_front_t *f = x->front;
    pattern_access_t a;
    if (x->issued == x->total) return false;
    if (!f->raw)
        a = pattern_get(&x->pattern, x->issued);
    else if (!next_raw(f, &a)) {
        x->total = x->issued;
        return false;
    }
    if (f->mean_gap_ps > 0) {
        x->next_ps += -log(1 - rng_unit(x->arrivals)) * f->mean_gap_ps;
        a.at_ps = (ps_t)x->next_ps;
        a.write = rng_below(x->mix, 100) >= f->read_share_pct;
    }
    req_t *r = new_req(f);
    r->addr = a.addr;
    r->kind = a.write ? REQ_WRITE : REQ_READ;
    r->warp = (uint16_t)(x - f->stream);
    dram_decode(f->decode, a.addr, &r->loc);
    if (f->n_stream > 1) r->loc.channel = (uint16_t)x->channel;
    x->held = r;
    x->held_at = a.at_ps;
    x->issued++;
    return true;
}

/* ---- placing it ---- */
/* From the FIFO into the queue, while that has room.  A read served from the write queue of a lone channel is done
 * before dram_submit returns, and calls back: the outermost call does the work. */
static void feed(dram_front_t *f, uint32_t channel, ps_t now)
{
    dram_fifo_t *q = &f->fifo[channel];
    q->again = true;
    if (q->feeding) return;
    q->feeding = true;
    while (q->again) {
        q->again = false;
        while (q->head && dram_can_take(f->chan[channel], q->head->kind == REQ_WRITE)) {
            req_t *r = q->head;
            q->head = r->next;
            if (!q->head) q->tail = &q->head;
            q->n--;
            dram_submit(f->chan[channel], r, now);
        }
    }
    q->feeding = false;
}

static void pump(dram_stream_t *x, ps_t now);

static void pump_event(void *self, void *arg, ps_t now)
{
    dram_stream_t *x = self;
    (void)arg;
    x->posted = false;
    pump(x, now);
    if (x->front->lone) dram_kick(x->front->chan[0], now);
}

static void pump_at(dram_stream_t *x, ps_t at)
{
    if (x->posted) return;
    x->posted = true;
    engine_post(x->front->engine, &x->front->src, 0, at, pump_event, x, NULL);
}

/* Place requests until the stream ends, its time has not come, or the FIFO of the next one's channel is full. */
static void pump(dram_stream_t *x, ps_t now)
{
    dram_front_t *f = x->front;
    const uint32_t depth = f->mean_gap_ps > 0 ? UINT32_MAX : f->spec->p.staging;
    for (;;) {
        if (x->pattern.dependent && x->issued != x->completed) return;
        if (!x->held && !take(x)) return;
        if (x->held_at > now) {
            pump_at(x, x->held_at);
            return;
        }
        req_t *r = x->held;
        dram_fifo_t *q = &f->fifo[r->loc.channel];
        if (q->n >= depth) return;
        x->held = NULL;
        r->stamp[ST_ISSUE] = f->mean_gap_ps > 0 ? x->held_at : now;
        if (!q->head && dram_can_take(f->chan[r->loc.channel], r->kind == REQ_WRITE)) {
            dram_submit(f->chan[r->loc.channel], r, now); /* straight into the queue */
            continue;
        }
        *q->tail = r;
        q->tail = &r->next;
        q->n++;
    }
}

bool dram_front_done(const dram_front_t *f)
{
    for (uint32_t i = 0; i < f->n_stream; i++) {
        const dram_stream_t *x = &f->stream[i];
        if (x->held || x->issued != x->total || x->completed != x->issued) return false;
    }
    return true;
}

void dram_front_finished(void *ctx, req_t *r, ps_t data_ps, ps_t now)
{
    dram_front_t *f = ctx;
    dram_stream_t *x = &f->stream[r->warp];
    uint32_t channel = r->loc.channel;
    x->completed++;
    f->completed++;
    if (data_ps > f->last_ps) f->last_ps = data_ps;
    if (f->completed == 1 || r->stamp[ST_DRAM_CAS] < f->first_ps)
        f->first_ps = r->stamp[ST_DRAM_CAS];
    if (f->mean_gap_ps > 0 && r->kind == REQ_READ)
        hist_add(&f->latency, (uint64_t)(data_ps - r->stamp[ST_ISSUE]));
    r->next = f->pool;
    f->pool = r;
    if (x->completed == x->total && dram_front_done(f))
        engine_stop(f->engine);
    else if (x->pattern.dependent) /* the cycle after the data are back */
        pump_at(x, data_ps + clk_span(f->spec->tick, f->spec->ck));
    else {
        feed(f, channel, now);
        pump(x, now);
    }
}

void dram_front_space(void *ctx, uint32_t channel, ps_t now)
{
    dram_front_t *f = ctx;
    feed(f, channel, now);
    for (uint32_t i = 0; i < f->n_stream; i++)
        if (f->stream[i].held) pump(&f->stream[i], now);
}

void dram_front_init(dram_front_t *f, const pattern_t *pattern, uint64_t total, bool one_each,
                     uint64_t seed)
{
    f->n_stream = one_each ? f->n_chan : 1;
    f->stream = arena_array(f->arena, dram_stream_t, f->n_stream);
    f->fifo = arena_array(f->arena, dram_fifo_t, f->n_chan);
    for (uint32_t c = 0; c < f->n_chan; c++) f->fifo[c].tail = &f->fifo[c].head;
    for (uint32_t i = 0; i < f->n_stream; i++) {
        dram_stream_t *x = &f->stream[i];
        *x = (dram_stream_t){.front = f, .channel = i, .total = total};
        if (pattern) x->pattern = *pattern;
        x->pattern.seed += i;
        if (f->mean_gap_ps <= 0) continue;
        x->arrivals = rng_new(seed, "arrivals", i);
        x->mix = rng_new(seed, "mix", i);
    }
}

void dram_front_start(dram_front_t *f)
{
    for (uint32_t i = 0; i < f->n_stream; i++) pump_at(&f->stream[i], 0);
}

void dram_front_free(dram_front_t *f)
{
    for (uint32_t i = 0; i < f->n_stream && f->mean_gap_ps > 0; i++) {
        rng_free(f->stream[i].arrivals);
        rng_free(f->stream[i].mix);
    }
}
