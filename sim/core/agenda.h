/* SPDX-License-Identifier: MIT
 * What lies before a partition: the events of its coming windows, and behind those, in no order, the far ones.
 *
 *      slot[]  window number modulo AGENDA_WINDOWS: packs of events in the order of posting, the newest pack first
 *      far[]   events of later windows; looked through when the first of them is due
 *
 * Windows are numbered from time 0 on and all of one length.  Packs come from one pool, the last freed first: posts
 * of a partition go to the packs that it has just worked off, which are still in the processor's cache. */
#ifndef MEMSIM_CORE_AGENDA_H
#define MEMSIM_CORE_AGENDA_H
#include "core/window.h"

#define AGENDA_WINDOWS 32u
#define AGENDA_NEVER INT64_MAX
#define PACK_ITEMS 15u
#define PACK_OLDER 4u /* packs that one knows, so that they can be fetched side by side */
#define AGENDA_STEPS 3u
#define PACK_BLOCK 64u /* packs allocated at a time */

typedef struct pack {
    _Alignas(64) item_t item[PACK_ITEMS];
    struct pack *older[PACK_OLDER]; /* those before it; NULL: no more */
} pack_t;

typedef struct pack_block {
    pack_t pack[PACK_BLOCK];
    struct pack_block *next;
} pack_block_t;

typedef struct pack_pool {
    pack_t *free;
    pack_block_t *block;
} pack_pool_t;

typedef struct agenda_slot {
    pack_t *pack; /* NULL: no events */
    uint32_t n; /* items of the newest pack, PACK_ITEMS if there is none; the older ones are full */
} agenda_slot_t;

typedef struct agenda {
    uint32_t mask; /* slots that hold events */
    uint32_t n_far, cap_far;
    int64_t far_first; /* window of the earliest in far[], AGENDA_NEVER */
    item_t *far;
    agenda_slot_t slot[AGENDA_WINDOWS];
} agenda_t;

static inline void agenda_init(agenda_t *q)
{
    memset(q, 0, sizeof *q);
    q->far_first = AGENDA_NEVER;
    for (uint32_t i = 0; i < AGENDA_WINDOWS; i++) q->slot[i].n = PACK_ITEMS;
}

static inline void pack_give(pack_pool_t *p, pack_t *k)
{
    k->older[0] = p->free;
    p->free = k;
}

static inline void pack_pool_grow(pack_pool_t *p)
{
    pack_block_t *b = mem_aligned(sizeof *b);
    b->next = p->block;
    p->block = b;
    for (unsigned i = PACK_BLOCK; i-- > 0;) {
        pack_give(p, &b->pack[i]);
    }
}

static inline void pack_pool_release(pack_pool_t *p)
{
    for (pack_block_t *b = p->block, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

/* A fresh pack for slot i. */
__attribute__((noinline)) static void agenda_open_pack(agenda_t *q, pack_pool_t *p, uint32_t i)
{
    agenda_slot_t *s = &q->slot[i];
    if (!p->free) pack_pool_grow(p);
    pack_t *fresh = p->free;
    p->free = fresh->older[0];
    fresh->older[0] = s->pack;
    for (unsigned k = 1; k < PACK_OLDER; k++)
        fresh->older[k] = s->pack ? s->pack->older[k - 1] : NULL;
    s->pack = fresh;
    s->n = 0;
    q->mask |= UINT32_C(1) << i;
}

/* Is there a place in the newest pack of window `number`?  It is the next agenda_room. */
static inline bool agenda_has_room(const agenda_t *q, int64_t number)
{
    return q->slot[(uint32_t)number % AGENDA_WINDOWS].n < PACK_ITEMS;
}

static inline item_t *agenda_room(agenda_t *q, int64_t number)
{
    agenda_slot_t *s = &q->slot[(uint32_t)number % AGENDA_WINDOWS];
    return &s->pack->item[s->n++];
}

/* A place for an event of window `number`, which is less than AGENDA_WINDOWS windows away. */
static inline item_t *agenda_place(agenda_t *q, pack_pool_t *p, int64_t number)
{
    if (!agenda_has_room(q, number)) agenda_open_pack(q, p, (uint32_t)number % AGENDA_WINDOWS);
    return agenda_room(q, number);
}

/* Empty the slot of window `number`; what it held is returned. */
static inline agenda_slot_t agenda_take(agenda_t *q, int64_t number)
{
    const uint32_t i = (uint32_t)number % AGENDA_WINDOWS;
    const agenda_slot_t s = q->slot[i];
    q->slot[i] = (agenda_slot_t){NULL, PACK_ITEMS};
    q->mask &= ~(UINT32_C(1) << i);
    return s;
}

static inline item_t *agenda_place_far(agenda_t *q, int64_t number)
{
    if (q->n_far == q->cap_far) {
        q->cap_far = q->cap_far ? 2 * q->cap_far : 8;
        q->far = mem_resize(q->far, q->cap_far * sizeof *q->far);
    }
    if (number < q->far_first) q->far_first = number;
    return &q->far[q->n_far++];
}

/* Bring near the far events of the windows from `number` on that have a slot; windows are `length` ps long. */
static inline void agenda_bring_near(agenda_t *q, pack_pool_t *p, int64_t number, ps_t length)
{
    uint32_t left = 0;
    q->far_first = AGENDA_NEVER;
    for (uint32_t i = 0; i < q->n_far; i++) {
        const item_t x = q->far[i];
        const int64_t n = x.when / length;
        if (n - number < AGENDA_WINDOWS) {
            *agenda_place(q, p, n) = x;
        } else {
            if (n < q->far_first) q->far_first = n;
            q->far[left++] = x;
        }
    }
    q->n_far = left;
}

/* Number of the first window with events, at or after window `number`, AGENDA_NEVER if there is none. */
static inline int64_t agenda_next(const agenda_t *q, int64_t number)
{
    if (!q->mask) return q->far_first;
    const uint32_t r = (uint32_t)number % AGENDA_WINDOWS;
    const uint32_t turned = q->mask >> r | q->mask << (AGENDA_WINDOWS - r) % AGENDA_WINDOWS;
    const int64_t near = number + __builtin_ctz(turned);
    return near < q->far_first ? near : q->far_first;
}

static inline void pack_prefetch(const pack_t *p)
{
    for (unsigned i = 0; p && i < sizeof *p; i += 64) __builtin_prefetch((const char *)p + i);
}

/* Start fetching the events of window `number`, in three steps that each need what the one before has fetched. */
static inline void agenda_prefetch(const agenda_t *q, int64_t number, unsigned step)
{
    const agenda_slot_t *s = &q->slot[(uint32_t)number % AGENDA_WINDOWS];
    if (step == 0) {
        __builtin_prefetch(q);
        __builtin_prefetch(s);
    } else if (step == 1)
        pack_prefetch(s->pack);
    else if (s->pack)
        for (unsigned i = 0; i < PACK_OLDER; i++) pack_prefetch(s->pack->older[i]);
}

/* Earliest time of an event, window `number` being the first that has any. */
static inline ps_t agenda_first(const agenda_t *q, int64_t number)
{
    ps_t first = PS_MAX;
    const agenda_slot_t *s = &q->slot[(uint32_t)number % AGENDA_WINDOWS];
    uint32_t n = s->n;
    for (const pack_t *k = s->pack; k; k = k->older[0], n = PACK_ITEMS)
        for (uint32_t i = 0; i < n; i++)
            if (k->item[i].when < first) first = k->item[i].when;
    for (uint32_t i = 0; i < q->n_far; i++)
        if (q->far[i].when < first) first = q->far[i].when;
    return first;
}
#endif
