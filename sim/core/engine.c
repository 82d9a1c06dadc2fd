/* SPDX-License-Identifier: MIT
 * The event queue: a timing wheel for the near future, a heap for the far one.
 *
 *      open[]  the bucket being worked off, sorted, latest first (the next event is popped from its end)
 *      wheel   buckets of 2^shift ps each: unsorted lists in a pool, found through a 3-level bitmap
 *      heap    everything further away than the wheel reaches; moves into the wheel as the wheel turns
 *      solo    the only pending event, if there is just one: a lone pointer chase needs no wheel
 *
 * All wheel buckets lie in (cur, cur + wheel), the heap beyond, and whatever is posted at or before bucket cur
 * goes into open[] at its place.  So the earliest event is the last of open[], or in the first bucket of the
 * bitmap, or on top of the heap, in that order. */
#include "core/engine.h"
#include "core/arena.h"
#include "core/rng.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define WHEEL_ALL 65536u /* buckets of the one queue; a power of two, at most 64^3 */
#define WHEEL_PART 128u  /* of a partition's queue: small, so that it stays in the cache */
#define NIL UINT32_MAX
#define OUTSIDE UINT32_MAX /* no event is running: set-up, or between two calls of engine_run */
#define SEQ_BITS 40u       /* 10^12 events a source, 16 million sources */

typedef struct event {
    ps_t when;
    uint64_t order; /* source id, then the source's sequence number */
    event_fn fn;
    void *self, *arg;
    uint32_t part; /* partition that runs it */
    uint32_t next; /* list link while it lies in a wheel bucket */
} event_t;

typedef struct queue {
    unsigned shift;
    uint64_t cur;   /* number of the open bucket: time >> shift */
    uint64_t first; /* number of the first non-empty wheel bucket, if n_wheel */
    ps_t now;
    uint64_t pending;
    event_t *open;
    size_t n_open, cap_open;
    event_t *heap;
    size_t n_heap, cap_heap;
    event_t solo;
    bool has_solo;
    uint32_t n_wheel;
    event_t *pool;
    uint32_t n_pool, cap_pool, free_head;
    uint32_t wheel;                 /* buckets, a power of two */
    uint32_t *head;                 /* first event of each bucket */
    uint64_t *bits0, *bits1, bits2; /* non-empty buckets, words, words of words */
} queue_t;

struct engine {
    engine_mode_t mode;
    unsigned partitions, queues;
    ps_t lookahead;
    uint64_t shuffle; /* state of the pseudo-random partition order */
    uint64_t done;
    uint32_t sources;
    uint32_t running; /* partition of the running event */
    ps_t now;
    ps_t end;       /* of the present window, or of the run */
    bool stop;      /* engine_stop was called */
    queue_t *q;     /* one, or one per partition */
    ps_t *next;     /* per queue: not later than its earliest event, exact between windows */
    unsigned *turn; /* partitions in the order of this window */
};

/* ---- order ---- */

static inline bool earlier(ps_t when, uint64_t order, const event_t *than)
{
    return when != than->when ? when < than->when : order < than->order;
}

static inline bool before(const event_t *a, const event_t *b)
{
    return earlier(a->when, a->order, b);
}

static int latest_first(const void *a, const void *b)
{
    return before(a, b) ? 1 : -1; /* no two events are equal */
}

/* The functions that take an event in make room for one of (when, order) and return the place; the caller
 * writes the event there, once.  (Building it elsewhere and copying it costs a stall of the processor's store
 * buffer, as much as all the rest.) */

/* ---- far future: a binary heap ---- */

static event_t *heap_place(queue_t *q, ps_t when, uint64_t order)
{
    if (q->n_heap == q->cap_heap) {
        q->cap_heap = q->cap_heap ? 2 * q->cap_heap : 256;
        q->heap = mem_resize(q->heap, q->cap_heap * sizeof *q->heap);
    }
    size_t i = q->n_heap++;
    while (i) {
        size_t up = (i - 1) / 2;
        if (!earlier(when, order, &q->heap[up])) break;
        q->heap[i] = q->heap[up];
        i = up;
    }
    return &q->heap[i];
}

static void heap_drop_top(queue_t *q)
{
    event_t last = q->heap[--q->n_heap];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= q->n_heap) break;
        if (child + 1 < q->n_heap && before(&q->heap[child + 1], &q->heap[child])) child++;
        if (before(&last, &q->heap[child])) break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    if (q->n_heap) q->heap[i] = last;
}

/* ---- near future: the wheel ---- */

static event_t *wheel_place(queue_t *q, uint64_t bucket)
{
    uint32_t i = q->free_head;
    if (i != NIL) {
        q->free_head = q->pool[i].next;
    } else {
        if (q->n_pool == q->cap_pool) {
            q->cap_pool = q->cap_pool ? 2 * q->cap_pool : 1024;
            q->pool = mem_resize(q->pool, q->cap_pool * sizeof *q->pool);
        }
        i = q->n_pool++;
    }
    uint32_t b = (uint32_t)bucket & (q->wheel - 1);
    q->pool[i].next = q->head[b];
    q->head[b] = i;
    q->bits0[b >> 6] |= UINT64_C(1) << (b & 63);
    q->bits1[b >> 12] |= UINT64_C(1) << (b >> 6 & 63);
    q->bits2 |= UINT64_C(1) << (b >> 12);
    if (q->n_wheel++ == 0 || bucket < q->first) q->first = bucket;
    return &q->pool[i];
}

static void wheel_empty_bucket(queue_t *q, uint32_t b)
{
    q->head[b] = NIL;
    if (!(q->bits0[b >> 6] &= ~(UINT64_C(1) << (b & 63))))
        if (!(q->bits1[b >> 12] &= ~(UINT64_C(1) << (b >> 6 & 63))))
            q->bits2 &= ~(UINT64_C(1) << (b >> 12));
}

static inline uint64_t above(uint64_t word, uint32_t bit) /* bits > bit */
{
    return bit == 63 ? 0 : word & (~UINT64_C(0) << (bit + 1));
}

static inline uint32_t lowest(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

/* First non-empty slot after `from` going round the wheel; the wheel must not be empty. */
static uint32_t wheel_find(const queue_t *q, uint32_t from)
{
    uint64_t w = above(q->bits0[from >> 6], from & 63);
    if (w) return (from & ~63u) | lowest(w);
    uint32_t hi = from >> 6;
    w = above(q->bits1[hi >> 6], hi & 63);
    if (!w) {
        uint64_t top = above(q->bits2, hi >> 6);
        uint32_t group = lowest(top ? top : q->bits2); /* nothing above: start again at slot 0 */
        w = q->bits1[group];
        hi = group << 6;
    }
    hi = (hi & ~63u) | lowest(w);
    return hi << 6 | lowest(q->bits0[hi]);
}

/* Look up the first non-empty bucket after cur, and start fetching what its events are about: they run soon. */
static inline void wheel_advance(queue_t *q)
{
    uint32_t at = (uint32_t)q->cur & (q->wheel - 1);
    uint32_t b = wheel_find(q, at);
    q->first = q->cur + ((b - at) & (q->wheel - 1));
    for (uint32_t i = q->head[b]; i != NIL; i = q->pool[i].next) {
        uintptr_t arg = (uintptr_t)q->pool[i].arg;
        __builtin_prefetch((const void *)arg);
        __builtin_prefetch((const void *)(arg + 64));
    }
}

/* ---- the open bucket ---- */

static void open_reserve(queue_t *q)
{
    if (q->n_open < q->cap_open) return;
    q->cap_open = q->cap_open ? 2 * q->cap_open : 64;
    q->open = mem_resize(q->open, q->cap_open * sizeof *q->open);
}

static event_t *open_place(queue_t *q, ps_t when, uint64_t order)
{
    open_reserve(q);
    size_t lo = 0, hi = q->n_open; /* the place: what lies before it is later */
    if (hi && earlier(when, order, &q->open[hi - 1])) lo = hi; /* mostly it is the next to run */
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (earlier(when, order, &q->open[mid]))
            lo = mid + 1;
        else
            hi = mid;
    }
    memmove(&q->open[lo + 1], &q->open[lo], (q->n_open - lo) * sizeof *q->open);
    q->n_open++;
    return &q->open[lo];
}

/* Lists are last in, first out, and sources mostly post in rising order, so what comes off a list is nearly
 * latest first already. */
static void open_sort(queue_t *q)
{
    event_t *v = q->open;
    size_t n = q->n_open;
    if (n > 32) {
        size_t i = 1;
        while (i < n && before(&v[i], &v[i - 1])) i++;
        if (i < n) qsort(v, n, sizeof *v, latest_first);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        if (before(&v[i], &v[i - 1])) continue;
        event_t x = v[i];
        size_t j = i;
        for (; j && before(&v[j - 1], &x); j--) v[j] = v[j - 1];
        v[j] = x;
    }
}

/* Copy all but the list link, which belongs to the place. */
static inline void event_put(event_t *to, const event_t *from)
{
    uint32_t next = to->next;
    *to = *from;
    to->next = next;
}

static inline event_t *place(queue_t *q, ps_t when, uint64_t order)
{
    uint64_t bucket = (uint64_t)when >> q->shift;
    if (bucket <= q->cur) return open_place(q, when, order);
    if (bucket < q->cur + q->wheel) return wheel_place(q, bucket);
    return heap_place(q, when, order);
}

/* As the wheel turns, the events that come into its reach leave the heap. */
static void heap_to_wheel(queue_t *q)
{
    while (q->n_heap) {
        uint64_t bucket = (uint64_t)q->heap[0].when >> q->shift;
        if (bucket >= q->cur + q->wheel) break;
        event_t e = q->heap[0];
        heap_drop_top(q);
        event_put(place(q, e.when, e.order), &e);
    }
}

static inline event_t *queue_place(queue_t *q, ps_t when, uint64_t order)
{
    if (q->pending++ == 0) {
        q->has_solo = true;
        return &q->solo;
    }
    if (q->has_solo) {
        q->has_solo = false;
        event_put(place(q, q->solo.when, q->solo.order), &q->solo);
    }
    return place(q, when, order);
}

/* Turn to the first bucket that is not empty, unless it begins at or after `until`; its events go to open[]. */
static void open_next(queue_t *q, ps_t until)
{
    uint64_t bucket;
    if (q->n_wheel)
        bucket = q->first;
    else if (q->n_heap)
        bucket = (uint64_t)q->heap[0].when >> q->shift;
    else
        return;
    if ((ps_t)(bucket << q->shift) >= until) return;
    q->cur = bucket;
    if (q->n_wheel) {
        uint32_t b = (uint32_t)bucket & (q->wheel - 1);
        uint32_t first = q->head[b], last, i = first;
        do {
            open_reserve(q);
            q->open[q->n_open++] = q->pool[i];
            q->n_wheel--;
            last = i;
            i = q->pool[i].next;
        } while (i != NIL);
        q->pool[last].next = q->free_head;
        q->free_head = first;
        wheel_empty_bucket(q, b);
        if (q->n_wheel) wheel_advance(q);
        if (q->n_open > 1) open_sort(q);
    }
    if (q->n_heap) heap_to_wheel(q);
}

/* Take the earliest event if it lies before `until`.  *out is valid until the next post. */
static inline const event_t *queue_pop(queue_t *q, ps_t until)
{
    const event_t *out;
    if (q->has_solo) {
        out = &q->solo;
        if (out->when >= until) return NULL;
        q->has_solo = false;
        q->cur = (uint64_t)out->when >> q->shift; /* all else is empty */
    } else {
        if (!q->n_open) open_next(q, until);
        if (!q->n_open) return NULL;
        out = &q->open[q->n_open - 1];
        if (out->when >= until) return NULL;
        q->n_open--;
    }
    q->pending--;
    return out;
}

static ps_t queue_next(const queue_t *q)
{
    if (q->has_solo) return q->solo.when;
    if (q->n_open) return q->open[q->n_open - 1].when;
    if (q->n_wheel) {
        ps_t t = PS_MAX;
        for (uint32_t i = q->head[q->first & (q->wheel - 1)]; i != NIL; i = q->pool[i].next)
            if (q->pool[i].when < t) t = q->pool[i].when;
        return t;
    }
    return q->n_heap ? q->heap[0].when : PS_MAX;
}

/* ---- the engine ---- */

engine_t *engine_new(engine_mode_t mode, unsigned partitions, unsigned bucket_ps_log2,
                     ps_t lookahead, uint64_t shuffle_seed)
{
    assert(partitions >= 1 && bucket_ps_log2 <= 32 && lookahead >= 0);
    assert(mode == ENGINE_MERGED || lookahead > 0);
    const uint32_t wheel = mode == ENGINE_MERGED ? WHEEL_ALL : WHEEL_PART;
    engine_t *e = mem_resize(NULL, sizeof *e);
    memset(e, 0, sizeof *e);
    e->mode = mode;
    e->partitions = partitions;
    e->queues = mode == ENGINE_MERGED ? 1 : partitions;
    e->lookahead = lookahead;
    e->shuffle = shuffle_seed;
    e->running = OUTSIDE;
    e->next = mem_resize(NULL, e->queues * sizeof *e->next);
    e->q = mem_resize(NULL, e->queues * sizeof *e->q);
    memset(e->q, 0, e->queues * sizeof *e->q);
    for (unsigned i = 0; i < e->queues; i++) {
        queue_t *q = &e->q[i];
        q->shift = bucket_ps_log2;
        q->free_head = NIL;
        q->wheel = wheel;
        q->head = mem_resize(NULL, wheel * sizeof *q->head);
        for (uint32_t b = 0; b < wheel; b++) q->head[b] = NIL;
        size_t n0 = wheel / 64, n1 = (n0 + 63) / 64;
        q->bits0 = mem_resize(NULL, (n0 + n1) * sizeof *q->bits0);
        memset(q->bits0, 0, (n0 + n1) * sizeof *q->bits0);
        q->bits1 = q->bits0 + n0;
        e->next[i] = PS_MAX;
    }
    e->turn = mem_resize(NULL, partitions * sizeof *e->turn);
    for (unsigned i = 0; i < partitions; i++) e->turn[i] = i;
    return e;
}

void engine_free(engine_t *e)
{
    if (!e) return;
    for (unsigned i = 0; i < e->queues; i++) {
        free(e->q[i].open);
        free(e->q[i].heap);
        free(e->q[i].pool);
        free(e->q[i].head);
        free(e->q[i].bits0);
    }
    free(e->q);
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
    unsigned at = e->mode == ENGINE_MERGED ? 0 : to;
    if (when < e->next[at]) e->next[at] = when;
    event_t *n = queue_place(&e->q[at], when, order);
    n->when = when;
    n->order = order;
    n->fn = fn;
    n->self = self;
    n->arg = arg;
    n->part = to;
}

static void run_queue(engine_t *e, queue_t *q, ps_t until)
{
    const event_t *n;
    e->end = until;
    while ((n = queue_pop(q, until))) {
        e->now = q->now = n->when;
        e->running = n->part;
        e->done++;
        n->fn(n->self, n->arg, n->when);
        q->now = e->now; /* it may have run ahead */
        if (e->stop && e->mode == ENGINE_MERGED) break;
    }
    e->running = OUTSIDE;
    e->next[q - e->q] = queue_next(q);
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

/* One window: every partition that has something to do, alone. */
static void run_window(engine_t *e, ps_t end)
{
    ps_t latest = e->now;
    if (e->mode == ENGINE_SHUFFLED) shuffle(e);
    for (unsigned i = 0; i < e->partitions; i++) {
        unsigned k = e->turn[i];
        if (e->next[k] >= end) continue;
        e->now = e->q[k].now;
        run_queue(e, &e->q[k], end);
        latest = ps_later(latest, e->q[k].now);
    }
    e->now = latest;
}

ps_t engine_run(engine_t *e, ps_t until)
{
    e->stop = false;
    if (e->mode == ENGINE_MERGED) {
        run_queue(e, &e->q[0], until);
        return e->next[0];
    }
    for (;;) {
        ps_t t = engine_next(e);
        if (t >= until || e->stop) return t;
        ps_t end = until - t > e->lookahead ? t + e->lookahead : until;
        run_window(e, end);
    }
}

ps_t engine_horizon(const engine_t *e)
{
    if (e->running == OUTSIDE) return e->now;
    ps_t t = queue_next(&e->q[e->mode == ENGINE_MERGED ? 0 : e->running]);
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
    if (e->mode == ENGINE_MERGED) return queue_next(&e->q[0]);
    ps_t t = PS_MAX;
    for (unsigned i = 0; i < e->queues; i++)
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
    uint64_t n = 0;
    for (unsigned i = 0; i < e->queues; i++) n += e->q[i].pending;
    return n;
}
