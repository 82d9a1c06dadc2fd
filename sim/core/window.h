/* SPDX-License-Identifier: MIT
 * The queue of one partition, worked off window by window: small enough to stay in the processor's cache.
 *
 *      head[]  the open window in 64 buckets, each a list in order, found through a bitmap
 *      far[]   everything behind it, in no order; looked through when the next window opens */
#ifndef MEMSIM_CORE_WINDOW_H
#define MEMSIM_CORE_WINDOW_H
#include "core/arena.h"
#include "core/event.h"
#include <stdlib.h>
#include <string.h>

#define WINDOW_BUCKETS 64u
#define WINDOW_CLOSED INT64_MIN

typedef struct window {
    ps_t begin, end; /* of the open window; end = WINDOW_CLOSED: none is */
    uint64_t mask;   /* buckets that hold events */
    unsigned shift;  /* a bucket is 2^shift ps */
    uint32_t n_far, cap_far;
    uint32_t n_pool, cap_pool, n_free;
    ps_t now;       /* of the partition */
    ps_t far_first; /* earliest time in far[], PS_MAX if none */
    event_t *pool;
    uint32_t *free; /* places in the pool, the last used last */
    uint32_t *far;  /* events in the pool */
    uint32_t *due;  /* those of the window that was opened last */
    ps_t *far_when; /* their times */
    uint32_t head[WINDOW_BUCKETS];
} window_t;

/* Windows are at most `length` ps long. */
static inline void window_init(window_t *q, ps_t length)
{
    memset(q, 0, sizeof *q);
    q->end = WINDOW_CLOSED;
    q->far_first = PS_MAX;
    while (length >> q->shift >= WINDOW_BUCKETS) q->shift++;
}

static inline void window_free(window_t *q)
{
    free(q->pool);
    free(q->free);
    free(q->far);
    free(q->due);
    free(q->far_when);
}

static inline uint32_t window_take(window_t *q)
{
    if (q->n_free) return q->free[--q->n_free];
    if (q->n_pool == q->cap_pool) {
        q->cap_pool = q->cap_pool ? 2 * q->cap_pool : 32;
        q->pool = mem_resize(q->pool, q->cap_pool * sizeof *q->pool);
        q->free = mem_resize(q->free, q->cap_pool * sizeof *q->free);
    }
    return q->n_pool++;
}

/* Put event i, at (when, order), into its bucket. */
static inline void window_link(window_t *q, uint32_t i, ps_t when, uint64_t order)
{
    const uint32_t b = (uint32_t)((when - q->begin) >> q->shift);
    const uint64_t bit = UINT64_C(1) << b;
    uint32_t *at = &q->head[b];
    if (!(q->mask & bit)) {
        q->mask |= bit;
        *at = EVENT_NIL;
    }
    while (*at != EVENT_NIL && !earlier(when, order, &q->pool[*at])) at = &q->pool[*at].next;
    q->pool[i].next = *at;
    *at = i;
}

/* The place of an event at (when, order); the caller writes it there, but for the list link. */
static inline event_t *window_post(window_t *q, ps_t when, uint64_t order)
{
    uint32_t i = window_take(q);
    if (when < q->end) {
        window_link(q, i, when, order);
        return &q->pool[i];
    }
    if (q->n_far == q->cap_far) {
        q->cap_far = q->cap_far ? 2 * q->cap_far : 32;
        q->far = mem_resize(q->far, q->cap_far * sizeof *q->far);
        q->due = mem_resize(q->due, q->cap_far * sizeof *q->due);
        q->far_when = mem_resize(q->far_when, q->cap_far * sizeof *q->far_when);
    }
    if (when < q->far_first) q->far_first = when;
    q->far_when[q->n_far] = when;
    q->far[q->n_far++] = i;
    return &q->pool[i];
}

/* Start on the events before `end`; none is before `begin`.  They, and what they are about, are fetched ahead.
 * Returns how many there are: q->due[]. */
static inline uint32_t window_open(window_t *q, ps_t begin, ps_t end)
{
    ps_t first = PS_MAX;
    uint32_t n = 0, left = 0;
    q->begin = begin;
    q->end = end;
    for (uint32_t i = 0; i < q->n_far; i++) {
        const uint32_t e = q->far[i];
        const ps_t when = q->far_when[i];
        if (when < end) {
            __builtin_prefetch(&q->pool[e]);
            q->due[n++] = e;
        } else {
            if (when < first) first = when;
            q->far[left] = e;
            q->far_when[left++] = when;
        }
    }
    q->n_far = left;
    q->far_first = first;
    for (uint32_t i = 0; i < n; i++) {
        const event_t *e = &q->pool[q->due[i]];
        __builtin_prefetch(e->arg);
        __builtin_prefetch((const void *)((uintptr_t)e->arg + 64));
        window_link(q, q->due[i], e->when, e->order);
    }
    return n;
}

/* Take the earliest event of the window, NULL if none is left.  It is valid until the next post. */
static inline const event_t *window_pop(window_t *q)
{
    if (!q->mask) return NULL;
    uint32_t b = (uint32_t)__builtin_ctzll(q->mask), i = q->head[b];
    event_t *e = &q->pool[i];
    q->head[b] = e->next;
    if (e->next == EVENT_NIL) q->mask &= q->mask - 1;
    q->free[q->n_free++] = i;
    return e;
}

/* Time of the earliest event in the open window, its end if there is none. */
static inline ps_t window_next(const window_t *q)
{
    return q->mask ? q->pool[q->head[__builtin_ctzll(q->mask)]].when : q->end;
}

static inline uint64_t window_pending(const window_t *q)
{
    uint64_t n = q->n_far;
    for (uint64_t m = q->mask; m; m &= m - 1)
        for (uint32_t i = q->head[__builtin_ctzll(m)]; i != EVENT_NIL; i = q->pool[i].next) n++;
    return n;
}
#endif
