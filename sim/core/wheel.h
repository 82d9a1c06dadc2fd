/* SPDX-License-Identifier: MIT
 * The one queue of ENGINE_MERGED: a timing wheel for the near future, a heap for the far one.
 *
 *      open[]  the bucket being worked off, sorted, latest first (the next event is popped from its end)
 *      wheel   WHEEL buckets of 2^shift ps each: unsorted lists in a pool, found through a 3-level bitmap
 *      heap    everything further away than the wheel reaches; moves into the wheel as the wheel turns
 *      solo    the only pending event, if there is just one: a lone pointer chase needs no wheel
 *
 * All wheel buckets lie in (cur, cur + WHEEL), the heap beyond, and whatever is posted at or before bucket cur
 * goes into open[] at its place.  So the earliest event is the last of open[], or in the first bucket of the
 * bitmap, or on top of the heap, in that order. */
#ifndef MEMSIM_CORE_WHEEL_H
#define MEMSIM_CORE_WHEEL_H
#include "core/arena.h"
#include "core/event.h"
#include <stdlib.h>
#include <string.h>

#define WHEEL 65536u /* buckets, a power of two, at most 64^3 */

typedef struct wheel {
    unsigned shift;
    uint64_t cur;   /* number of the open bucket: time >> shift */
    uint64_t first; /* number of the first non-empty wheel bucket, if n_wheel */
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
    uint32_t *head; /* [WHEEL] first event of each bucket */
    uint64_t bits0[WHEEL / 64], bits1[WHEEL / 4096],
        bits2; /* non-empty buckets, words, words of words */
} wheel_t;

static inline bool before(const event_t *a, const event_t *b)
{
    return earlier(a->when, a->order, b);
}

static inline int latest_first(const void *a, const void *b)
{
    return before(a, b) ? 1 : -1; /* no two events are equal */
}

/* The functions that take an event in make room for one of (when, order) and return the place; the caller
 * writes the event there, once.  (Building it elsewhere and copying it costs a stall of the processor's store
 * buffer, as much as all the rest.) */

/* ---- far future: a binary heap ---- */

static inline event_t *heap_place(wheel_t *q, ps_t when, uint64_t order)
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

static inline void heap_drop_top(wheel_t *q)
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

static inline event_t *wheel_place(wheel_t *q, uint64_t bucket)
{
    uint32_t i = q->free_head;
    if (i != EVENT_NIL) {
        q->free_head = q->pool[i].next;
    } else {
        if (q->n_pool == q->cap_pool) {
            q->cap_pool = q->cap_pool ? 2 * q->cap_pool : 1024;
            q->pool = mem_resize(q->pool, q->cap_pool * sizeof *q->pool);
        }
        i = q->n_pool++;
    }
    uint32_t b = (uint32_t)bucket & (WHEEL - 1);
    q->pool[i].next = q->head[b];
    q->head[b] = i;
    q->bits0[b >> 6] |= UINT64_C(1) << (b & 63);
    q->bits1[b >> 12] |= UINT64_C(1) << (b >> 6 & 63);
    q->bits2 |= UINT64_C(1) << (b >> 12);
    if (q->n_wheel++ == 0 || bucket < q->first) q->first = bucket;
    return &q->pool[i];
}

static inline void wheel_empty_bucket(wheel_t *q, uint32_t b)
{
    q->head[b] = EVENT_NIL;
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
static inline uint32_t wheel_find(const wheel_t *q, uint32_t from)
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
static inline void wheel_advance(wheel_t *q)
{
    uint32_t at = (uint32_t)q->cur & (WHEEL - 1);
    uint32_t b = wheel_find(q, at);
    q->first = q->cur + ((b - at) & (WHEEL - 1));
    for (uint32_t i = q->head[b]; i != EVENT_NIL; i = q->pool[i].next) {
        uintptr_t arg = (uintptr_t)q->pool[i].arg;
        __builtin_prefetch((const void *)arg);
        __builtin_prefetch((const void *)(arg + 64));
    }
}

/* ---- the open bucket ---- */

static inline void open_reserve(wheel_t *q)
{
    if (q->n_open < q->cap_open) return;
    q->cap_open = q->cap_open ? 2 * q->cap_open : 64;
    q->open = mem_resize(q->open, q->cap_open * sizeof *q->open);
}

static inline event_t *open_place(wheel_t *q, ps_t when, uint64_t order)
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
static inline void open_sort(wheel_t *q)
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

static inline event_t *place(wheel_t *q, ps_t when, uint64_t order)
{
    uint64_t bucket = (uint64_t)when >> q->shift;
    if (bucket <= q->cur) return open_place(q, when, order);
    if (bucket < q->cur + WHEEL) return wheel_place(q, bucket);
    return heap_place(q, when, order);
}

/* As the wheel turns, the events that come into its reach leave the heap. */
static inline void heap_to_wheel(wheel_t *q)
{
    while (q->n_heap) {
        uint64_t bucket = (uint64_t)q->heap[0].when >> q->shift;
        if (bucket >= q->cur + WHEEL) break;
        event_t e = q->heap[0];
        heap_drop_top(q);
        event_put(place(q, e.when, e.order), &e);
    }
}

static inline event_t *wheel_post(wheel_t *q, ps_t when, uint64_t order)
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
static inline void open_next(wheel_t *q, ps_t until)
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
        uint32_t b = (uint32_t)bucket & (WHEEL - 1);
        uint32_t first = q->head[b], last, i = first;
        do {
            open_reserve(q);
            q->open[q->n_open++] = q->pool[i];
            q->n_wheel--;
            last = i;
            i = q->pool[i].next;
        } while (i != EVENT_NIL);
        q->pool[last].next = q->free_head;
        q->free_head = first;
        wheel_empty_bucket(q, b);
        if (q->n_wheel) wheel_advance(q);
        if (q->n_open > 1) open_sort(q);
    }
    if (q->n_heap) heap_to_wheel(q);
}

/* Take the earliest event if it lies before `until`.  *out is valid until the next post. */
static inline const event_t *wheel_pop(wheel_t *q, ps_t until)
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

static inline ps_t wheel_next(const wheel_t *q)
{
    if (q->has_solo) return q->solo.when;
    if (q->n_open) return q->open[q->n_open - 1].when;
    if (q->n_wheel) {
        ps_t t = PS_MAX;
        for (uint32_t i = q->head[q->first & (WHEEL - 1)]; i != EVENT_NIL; i = q->pool[i].next)
            if (q->pool[i].when < t) t = q->pool[i].when;
        return t;
    }
    return q->n_heap ? q->heap[0].when : PS_MAX;
}

static inline wheel_t *wheel_new(unsigned shift)
{
    wheel_t *q = mem_resize(NULL, sizeof *q);
    memset(q, 0, sizeof *q);
    q->shift = shift;
    q->free_head = EVENT_NIL;
    q->head = mem_resize(NULL, WHEEL * sizeof *q->head);
    for (uint32_t b = 0; b < WHEEL; b++) q->head[b] = EVENT_NIL;
    return q;
}

static inline void wheel_free(wheel_t *q)
{
    if (!q) return;
    free(q->open);
    free(q->heap);
    free(q->pool);
    free(q->head);
    free(q);
}
#endif
