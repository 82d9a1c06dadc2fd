/* SPDX-License-Identifier: MIT
 * The open window of the partition that runs: its events in 64 buckets, each a list in order, found through a bitmap.
 * One is enough for all partitions, and it is small, so it stays in the processor's nearest cache. */
#ifndef MEMSIM_CORE_WINDOW_H
#define MEMSIM_CORE_WINDOW_H
#include "core/arena.h"
#include "core/event.h"
#include <stdlib.h>
#include <string.h>

#define WINDOW_BUCKETS 64u

typedef struct item { /* an event, half a cache line */
    ps_t when;
    uint64_t key; /* its order, and in the low bits what handles it */
    void *self, *arg;
} item_t;

typedef struct window {
    ps_t begin, end;
    uint64_t mask;    /* buckets that hold events */
    unsigned shift;   /* a bucket is 2^shift ps */
    uint32_t n, free; /* places that were ever used; list of those not in use */
    uint32_t cap;
    item_t *item;
    uint32_t *next; /* by item: list link */
    uint32_t head[WINDOW_BUCKETS];
    item_t wake; /* apart from the others: engine_post_wake; when = PS_MAX: none */
} window_t;

static inline bool item_before(const item_t *a, const item_t *b)
{
    return a->when < b->when || (a->when == b->when && a->key < b->key);
}

/* Windows are at most `length` ps long. */
static inline void window_init(window_t *w, ps_t length)
{
    memset(w, 0, sizeof *w);
    w->free = EVENT_NIL;
    w->wake.when = PS_MAX;
    while (length >> w->shift >= WINDOW_BUCKETS) w->shift++;
    for (unsigned b = 0; b < WINDOW_BUCKETS; b++) w->head[b] = EVENT_NIL;
}

static inline void window_release(window_t *w)
{
    free(w->item);
    free(w->next);
}

static inline void window_open(window_t *w, ps_t begin, ps_t end)
{
    w->begin = begin;
    w->end = end;
    w->n = 0;
    w->free = EVENT_NIL;
}

__attribute__((noinline, cold)) static void window_grow(window_t *w)
{
    w->cap = w->cap ? 2 * w->cap : 64;
    w->item = mem_resize(w->item, w->cap * sizeof *w->item);
    w->next = mem_resize(w->next, w->cap * sizeof *w->next);
}

static inline bool window_has_room(const window_t *w)
{
    return w->free != EVENT_NIL || w->n < w->cap;
}

/* A place for an event. */
static inline uint32_t window_take(window_t *w)
{
    const uint32_t i = w->free;
    if (i != EVENT_NIL) {
        w->free = w->next[i];
        return i;
    }
    if (w->n == w->cap) window_grow(w);
    return w->n++;
}

static inline void window_put(window_t *w, item_t x)
{
    const uint32_t i = window_take(w), b = (uint32_t)((x.when - w->begin) >> w->shift);
    uint32_t *at = &w->head[b];
    w->item[i] = x;
    w->mask |= UINT64_C(1) << b;
    while (*at != EVENT_NIL && !item_before(&x, &w->item[*at])) at = &w->next[*at];
    w->next[i] = *at;
    *at = i;
}

/* Take the earliest event, NULL if none is left or the wake goes first.  It is valid until the next post. */
static inline const item_t *window_pop(window_t *w)
{
    if (!w->mask) return NULL;
    const uint32_t b = (uint32_t)__builtin_ctzll(w->mask), i = w->head[b];
    if (item_before(&w->wake, &w->item[i])) return NULL;
    const uint32_t next = w->next[i];
    w->head[b] = next;
    if (next == EVENT_NIL) w->mask &= w->mask - 1;
    w->next[i] = w->free;
    w->free = i;
    return &w->item[i];
}

/* Time of the earliest event, the window's end if there is none. */
static inline ps_t window_next(const window_t *w)
{
    const ps_t next = w->mask ? w->item[w->head[__builtin_ctzll(w->mask)]].when : w->end;
    return w->wake.when < next ? w->wake.when : next;
}
#endif
