/* SPDX-License-Identifier: MIT
 * Posting and running: one wheel for everything, or a queue per partition and windows. */
#include "core/engine.h"
#include "core/rng.h"
#include "core/wheel.h"
#include "core/window.h"
#include <assert.h>

#define OUTSIDE UINT32_MAX /* no event is running: set-up, or between two calls of engine_run */
#define SEQ_BITS 40u       /* 10^12 events a source, 16 million sources */

#define PREPARE_SLOTS 64u

typedef struct prepare {
    event_fn fn;
    event_prepare_fn prepare;
} prepare_t;

struct engine {
    engine_mode_t mode;
    unsigned partitions;
    ps_t lookahead;
    uint64_t shuffle; /* state of the pseudo-random partition order */
    uint64_t done;
    uint32_t sources;
    uint32_t running; /* partition of the running event */
    ps_t now;
    ps_t end;                         /* of the run (ENGINE_MERGED) */
    bool stop;                        /* engine_stop was called */
    wheel_t *wheel;                   /* ENGINE_MERGED */
    window_t *part;                   /* the others: a queue per partition */
    ps_t *next;                       /* time of each one's earliest event, outside of its window */
    unsigned *turn;                   /* partitions in the order of this window */
    prepare_t prepare[PREPARE_SLOTS]; /* by function */
};

engine_t *engine_new(engine_mode_t mode, unsigned partitions, unsigned bucket_ps_log2,
                     ps_t lookahead, uint64_t shuffle_seed)
{
    assert(partitions >= 1 && bucket_ps_log2 <= 32 && lookahead >= 0);
    assert(mode == ENGINE_MERGED || lookahead > 0);
    engine_t *e = mem_resize(NULL, sizeof *e);
    memset(e, 0, sizeof *e);
    e->mode = mode;
    e->partitions = partitions;
    e->lookahead = lookahead;
    e->shuffle = shuffle_seed;
    e->running = OUTSIDE;
    if (mode == ENGINE_MERGED) {
        e->wheel = wheel_new(bucket_ps_log2);
        return e;
    }
    e->part = mem_resize(NULL, partitions * sizeof *e->part);
    e->next = mem_resize(NULL, partitions * sizeof *e->next);
    e->turn = mem_resize(NULL, partitions * sizeof *e->turn);
    for (unsigned i = 0; i < partitions; i++) {
        window_init(&e->part[i], lookahead);
        e->next[i] = PS_MAX;
        e->turn[i] = i;
    }
    return e;
}

void engine_free(engine_t *e)
{
    if (!e) return;
    wheel_free(e->wheel);
    for (unsigned i = 0; e->part && i < e->partitions; i++) window_free(&e->part[i]);
    free(e->part);
    free(e->next);
    free(e->turn);
    free(e);
}

void engine_register(engine_t *e, src_t *s, unsigned partition)
{
    assert(partition < e->partitions);
    assert(e->sources < 1u << (64 - SEQ_BITS));
    s->id = e->sources++;
    s->part = partition;
    s->seq = 0;
}

void engine_post(engine_t *e, src_t *from, unsigned to, ps_t when, event_fn fn, void *self,
                 void *arg)
{
    assert(to < e->partitions && when < PS_MAX && from->seq < UINT64_C(1) << SEQ_BITS);
    assert(when >= e->now); /* no event into the past */
    if (e->running != OUTSIDE) {
        assert(from->part == e->running); /* only the owner's events post for a component */
        assert(to == e->running ||
               when - e->now >= e->lookahead); /* a crossing takes the lookahead */
    }
    uint64_t order = (uint64_t)from->id << SEQ_BITS | from->seq++;
    event_t *n;
    if (e->mode == ENGINE_MERGED)
        n = wheel_post(e->wheel, when, order);
    else {
        n = window_post(&e->part[to], when, order);
        if (when < e->next[to]) e->next[to] = when;
    }
    n->when = when;
    n->order = order;
    n->fn = fn;
    n->self = self;
    n->arg = arg;
    n->part = to;
}

static inline prepare_t *prepare_slot(engine_t *e, event_fn fn)
{
    return &e->prepare[((uintptr_t)fn >> 4) % PREPARE_SLOTS];
}

/* Two functions may share a place: then the second goes without. */
void engine_prepare(engine_t *e, event_fn fn, event_prepare_fn prepare)
{
    prepare_t *p = prepare_slot(e, fn);
    if (!p->fn) *p = (prepare_t){fn, prepare};
}

/* What the events of the window just opened are about has been asked for; now what they will lead to. */
static void prepare_window(engine_t *e, const window_t *q, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const event_t *x = &q->pool[q->due[i]];
        const prepare_t *p = prepare_slot(e, x->fn);
        if (p->fn == x->fn) p->prepare(x->self, x->arg);
    }
}

static void run_merged(engine_t *e, ps_t until)
{
    const event_t *n;
    e->end = until;
    while ((n = wheel_pop(e->wheel, until))) {
        e->now = n->when;
        e->running = n->part;
        e->done++;
        n->fn(n->self, n->arg, n->when);
        if (e->stop) break;
    }
    e->running = OUTSIDE;
}

static void shuffle(engine_t *e)
{
    for (unsigned i = e->partitions; i > 1; i--) {
        e->shuffle = mix64(e->shuffle);
        unsigned j = (unsigned)(e->shuffle % i), t = e->turn[j];
        e->turn[j] = e->turn[i - 1];
        e->turn[i - 1] = t;
    }
}

static void run_partition(engine_t *e, unsigned k, ps_t begin, ps_t end)
{
    window_t *q = &e->part[k];
    const event_t *n;
    e->now = q->now;
    e->running = k;
    prepare_window(e, q, window_open(q, begin, end));
    while ((n = window_pop(q))) {
        e->now = n->when;
        e->done++;
        n->fn(n->self, n->arg, n->when);
    }
    q->end = WINDOW_CLOSED;
    q->now = e->now; /* it may have run ahead of its last event */
    e->next[k] = q->far_first;
}

/* One window: every partition that has something to do, alone. */
static void run_window(engine_t *e, ps_t begin, ps_t end)
{
    ps_t latest = e->now;
    if (e->mode == ENGINE_SHUFFLED) shuffle(e);
    for (unsigned i = 0; i < e->partitions; i++) {
        unsigned k = e->turn[i];
        if (e->next[k] >= end) continue;
        run_partition(e, k, begin, end);
        latest = ps_later(latest, e->now);
    }
    e->running = OUTSIDE;
    e->now = latest;
}

ps_t engine_run(engine_t *e, ps_t until)
{
    e->stop = false;
    if (e->mode == ENGINE_MERGED) {
        run_merged(e, until);
        return wheel_next(e->wheel);
    }
    for (;;) {
        ps_t t = engine_next(e);
        if (t >= until || e->stop) return t;
        run_window(e, t, until - t > e->lookahead ? t + e->lookahead : until);
    }
}

ps_t engine_horizon(const engine_t *e)
{
    if (e->running == OUTSIDE) return e->now;
    if (e->mode != ENGINE_MERGED) return window_next(&e->part[e->running]);
    ps_t t = wheel_next(e->wheel);
    return t < e->end ? t : e->end;
}

void engine_advance(engine_t *e, ps_t now)
{
    e->now = ps_later(e->now, now);
}

void engine_stop(engine_t *e)
{
    e->stop = true;
}

ps_t engine_next(const engine_t *e)
{
    if (e->mode == ENGINE_MERGED) return wheel_next(e->wheel);
    ps_t t = PS_MAX;
    for (unsigned i = 0; i < e->partitions; i++)
        if (e->next[i] < t) t = e->next[i];
    return t;
}

ps_t engine_now(const engine_t *e)
{
    return e->now;
}

uint64_t engine_count(const engine_t *e)
{
    return e->done;
}

uint64_t engine_pending(const engine_t *e)
{
    if (e->mode == ENGINE_MERGED) return e->wheel->pending;
    uint64_t n = 0;
    for (unsigned i = 0; i < e->partitions; i++) n += window_pending(&e->part[i]);
    return n;
}
