/* SPDX-License-Identifier: MIT
 * Posting and running: one wheel for everything, or a queue per partition and windows. */
#include "core/agenda.h"
#include "core/rng.h"
#include "core/wheel.h"
#include <assert.h>

#define OUTSIDE UINT32_MAX /* no event is running: set-up, or between two calls of engine_run */
#define SEQ_BITS 36u       /* 6 * 10^10 events a source, 4 million sources */
#define HANDLER_BITS 6u
#define HANDLERS (1u << HANDLER_BITS)
#define SHIFT 58u /* of the reciprocal of the lookahead */
#define LOOKAHEAD_MAX \
    (1 << 26) /* ps of windows, so that the reciprocal is exact for AGENDA_WINDOWS of them */

typedef struct handler {
    event_fn fn;
    event_prepare_fn prepare; /* NULL: nothing to fetch ahead */
} handler_t;

struct engine {
    engine_mode_t mode;
    unsigned partitions;
    uint32_t running; /* partition of the running event */
    uint32_t direct;  /* the same where events go straight into windows, else OUTSIDE */
    bool stop;        /* engine_stop was called */
    ps_t now;
    ps_t lookahead;
    uint64_t per_lookahead; /* 2^SHIFT / lookahead, rounded up */
    uint64_t near_ps;       /* windows that have a slot, together */
    uint64_t done;
    handler_t handler[HANDLERS]; /* by hash of the function */
    unsigned n_handlers;
    uint32_t sources;
    /* ENGINE_MERGED */
    wheel_t *wheel;
    ps_t end; /* of the run */
    /* the others: a queue per partition */
    window_t open;         /* of the running partition */
    int64_t number;        /* of the latest window */
    ps_t begin;            /* its begin */
    agenda_t *part;        /* by partition */
    int64_t *next;         /* number of each one's first window with events */
    ps_t *part_now;        /* how far each one has come */
    unsigned *turn, *busy; /* partitions in their order; those of this window */
    pack_pool_t pool;
    uint64_t posted;
    uint64_t shuffle; /* state of the pseudo-random partition order */
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
    e->running = e->direct = OUTSIDE;
    if (mode == ENGINE_MERGED) {
        e->wheel = wheel_new(bucket_ps_log2);
        return e;
    }
    assert(lookahead < LOOKAHEAD_MAX);
    e->per_lookahead = ((UINT64_C(1) << SHIFT) - 1) / (uint64_t)lookahead + 1;
    e->near_ps = AGENDA_WINDOWS * (uint64_t)lookahead;
    window_init(&e->open, lookahead);
    e->part = mem_resize(NULL, partitions * sizeof *e->part);
    e->next = mem_resize(NULL, partitions * sizeof *e->next);
    e->part_now = mem_resize(NULL, partitions * sizeof *e->part_now);
    e->turn = mem_resize(NULL, partitions * sizeof *e->turn);
    e->busy = mem_resize(NULL, partitions * sizeof *e->busy);
    for (unsigned i = 0; i < partitions; i++) {
        agenda_init(&e->part[i]);
        e->next[i] = AGENDA_NEVER;
        e->part_now[i] = 0;
        e->turn[i] = i;
    }
    return e;
}

void engine_free(engine_t *e)
{
    if (!e) return;
    wheel_free(e->wheel);
    for (unsigned i = 0; e->part && i < e->partitions; i++) free(e->part[i].far);
    window_release(&e->open);
    pack_pool_release(&e->pool);
    free(e->part);
    free(e->next);
    free(e->part_now);
    free(e->turn);
    free(e->busy);
    free(e);
}

void engine_register(engine_t *e, src_t *s, unsigned partition)
{
    assert(partition < e->partitions);
    assert(e->sources < 1u << (64 - SEQ_BITS - HANDLER_BITS));
    s->id = e->sources++;
    s->part = partition;
    s->seq = 0;
}

static inline unsigned handler_place(event_fn fn)
{
    return (unsigned)((uintptr_t)fn >> 4) % HANDLERS;
}

static unsigned handler_of(engine_t *e, event_fn fn)
{
    unsigned h = handler_place(fn);
    while (e->handler[h].fn != fn) {
        if (!e->handler[h].fn) {
            assert(e->n_handlers < HANDLERS - 1);
            e->n_handlers++;
            e->handler[h].fn = fn;
            break;
        }
        h = (h + 1) % HANDLERS;
    }
    return h;
}

void engine_prepare(engine_t *e, event_fn fn, event_prepare_fn prepare)
{
    e->handler[handler_of(e, fn)].prepare = prepare;
}

static inline uint64_t next_order(src_t *from)
{
    return (uint64_t)from->id << SEQ_BITS | from->seq++;
}

/* Window of an event, counted from the present one, of those that have a slot. */
static inline bool near_window(const engine_t *e, ps_t when, int64_t *ahead)
{
    const uint64_t ps = (uint64_t)(when - e->begin);
    *ahead = (int64_t)(ps * e->per_lookahead >> SHIFT);
    return ps < e->near_ps;
}

/* Into a coming window, or far away. */
static void post_ahead(engine_t *e, unsigned to, const item_t *x)
{
    agenda_t *q = &e->part[to];
    int64_t ahead;
    const bool near = near_window(e, x->when, &ahead);
    if (!near) ahead = (x->when - e->begin) / e->lookahead;
    const int64_t number = e->number + ahead;
    *(near ? agenda_place(q, &e->pool, number) : agenda_place_far(q, number)) = *x;
    if (number < e->next[to]) e->next[to] = number;
}

/* Any post. */
__attribute__((noinline)) static void post(engine_t *e, src_t *from, unsigned to, ps_t when,
                                           event_fn fn, void *self, void *arg)
{
    assert(to < e->partitions && when < PS_MAX && from->seq < UINT64_C(1) << SEQ_BITS);
    assert(when >= e->now); /* no event into the past */
    if (e->running != OUTSIDE) {
        assert(from->part == e->running); /* only the owner's events post for a component */
        assert(to == e->running ||
               when - e->now >= e->lookahead); /* a crossing takes the lookahead */
    }
    const uint64_t order = next_order(from);
    if (e->mode == ENGINE_MERGED) {
        event_t *n = wheel_post(e->wheel, when, order);
        n->when = when;
        n->order = order;
        n->fn = fn;
        n->self = self;
        n->arg = arg;
        n->part = to;
        return;
    }
    const item_t x = {when, order << HANDLER_BITS | handler_of(e, fn), self, arg};
    e->posted++;
    if (to == e->running && when < e->open.end)
        window_put(&e->open, x);
    else
        post_ahead(e, to, &x);
}

/* What nearly all posts are, without a call: an event posts where there is room in the open window or in a pack of a
 * coming one.  The rest goes the long way, before anything is changed. */
void engine_post(engine_t *e, src_t *from, unsigned to, ps_t when, event_fn fn, void *self,
                 void *arg)
{
    const unsigned h = handler_place(fn);
    if (from->part != e->direct || e->handler[h].fn != fn) {
        post(e, from, to, when, fn, self, arg);
        return;
    }
    assert(to < e->partitions && from->seq < UINT64_C(1) << SEQ_BITS);
    assert(when - e->now >= (to == from->part ? 0 : e->lookahead));
    const uint64_t key = ((uint64_t)from->id << SEQ_BITS | from->seq) << HANDLER_BITS | h;
    if (to == from->part && when < e->open.end) {
        if (!window_has_room(&e->open)) {
            post(e, from, to, when, fn, self, arg);
            return;
        }
        window_put(&e->open, (item_t){when, key, self, arg});
    } else {
        int64_t ahead;
        const bool near = near_window(e, when, &ahead);
        const int64_t number = e->number + ahead;
        agenda_t *q = &e->part[to];
        if (!near || !agenda_has_room(q, number)) {
            post(e, from, to, when, fn, self, arg);
            return;
        }
        *agenda_room(q, number) = (item_t){when, key, self, arg};
        if (number < e->next[to]) e->next[to] = number;
    }
    from->seq++;
    e->posted++;
}

void engine_post_wake(engine_t *e, src_t *from, ps_t when, event_fn fn, void *self, void *arg)
{
    window_t *w = &e->open;
    if (from->part != e->direct || when >= w->end ||
        (w->wake.when != PS_MAX && w->wake.self != self)) {
        engine_post(e, from, from->part, when, fn, self, arg);
        return;
    }
    assert(when >= e->now && from->seq < UINT64_C(1) << SEQ_BITS);
    if (w->wake.when == PS_MAX) e->posted++;
    w->wake = (item_t){when, next_order(from) << HANDLER_BITS | handler_of(e, fn), self, arg};
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

/* Open the window of partition k.  What its events are about is fetched ahead, then what they will lead to. */
static void open_window(engine_t *e, unsigned k, ps_t end)
{
    agenda_t *q = &e->part[k];
    window_t *w = &e->open;
    if (q->far_first <= e->number) agenda_bring_near(q, &e->pool, e->number, e->lookahead);
    agenda_slot_t due = agenda_take(q, e->number);
    window_open(w, e->begin, end);
    for (pack_t *p = due.pack; p;) {
        for (uint32_t i = due.n; i-- > 0;) { /* the latest first: they find their places soonest */
            const item_t *x = &p->item[i];
            if (x->when < end) {
                window_put(w, *x);
                __builtin_prefetch(x->arg);
            } else /* the window ends early */
                *agenda_place(q, &e->pool, e->number) = *x;
        }
        pack_t *older = p->older[0];
        pack_give(&e->pool, p);
        p = older;
        due.n = PACK_ITEMS;
    }
    for (const item_t *x = w->item, *last = x + w->n; x < last; x++) {
        const handler_t *h = &e->handler[x->key % HANDLERS];
        if (h->prepare) h->prepare(x->self, x->arg);
    }
}

static void run_partition(engine_t *e, unsigned k, ps_t end)
{
    window_t *w = &e->open;
    item_t wake;
    e->now = e->part_now[k];
    e->running = e->direct = k;
    open_window(e, k, end);
    for (;;) {
        const item_t *n = window_pop(w);
        if (!n) {
            if (w->wake.when == PS_MAX) break;
            wake = w->wake;
            w->wake.when = PS_MAX;
            n = &wake;
        }
        e->now = n->when;
        e->done++;
        e->handler[n->key % HANDLERS].fn(n->self, n->arg, n->when);
    }
    e->part_now[k] = e->now; /* it may have run ahead of its last event */
    e->next[k] = agenda_next(&e->part[k], e->number);
}

/* One window: every partition that has something to do, alone. */
static void run_window(engine_t *e, ps_t end)
{
    ps_t latest = e->now;
    unsigned n = 0;
    if (e->mode == ENGINE_SHUFFLED) shuffle(e);
    for (unsigned i = 0; i < e->partitions; i++)
        if (e->next[e->turn[i]] <= e->number) e->busy[n++] = e->turn[i];
    for (unsigned i = 0; i < n; i++) {
        for (unsigned step = 0; step < AGENDA_STEPS; step++) {
            const unsigned later = i + AGENDA_STEPS - step;
            if (later < n) agenda_prefetch(&e->part[e->busy[later]], e->number, step);
        }
        run_partition(e, e->busy[i], end);
        latest = ps_later(latest, e->now);
    }
    e->running = e->direct = OUTSIDE;
    e->now = latest;
}

static int64_t first_window(const engine_t *e)
{
    int64_t number = AGENDA_NEVER;
    for (unsigned i = 0; i < e->partitions; i++)
        if (e->next[i] < number) number = e->next[i];
    return number;
}

ps_t engine_run(engine_t *e, ps_t until)
{
    e->stop = false;
    if (e->mode == ENGINE_MERGED) {
        run_merged(e, until);
        return wheel_next(e->wheel);
    }
    for (;;) {
        const int64_t number = first_window(e);
        const bool whole = number < until / e->lookahead;
        if (e->stop || !whole) {
            const ps_t t = engine_next(e);
            if (e->stop || t >= until) return t;
        }
        e->number = number;
        e->begin = number * e->lookahead;
        run_window(e, whole ? e->begin + e->lookahead : until);
    }
}

ps_t engine_horizon(const engine_t *e)
{
    if (e->running == OUTSIDE) return e->now;
    if (e->mode != ENGINE_MERGED) return window_next(&e->open);
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
    const int64_t number = first_window(e);
    ps_t t = PS_MAX;
    for (unsigned i = 0; i < e->partitions; i++) {
        if (e->next[i] != number || number == AGENDA_NEVER) continue;
        const ps_t first = agenda_first(&e->part[i], number);
        if (first < t) t = first;
    }
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
    return e->posted - e->done;
}
