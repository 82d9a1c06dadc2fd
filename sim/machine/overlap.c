/* SPDX-License-Identifier: MIT
 * Vector clocks over streams (Mattern, "Virtual time and global states of distributed systems", 1989): what each
 * stream knows to be done of every other when its next command begins.  Work that begins without knowing of earlier
 * work can overlap with it; such pairs span ranges, and ranges that touch are one group. */
#include "machine/overlap.h"
#include "core/arena.h"
#include <stdlib.h>
#include <string.h>

typedef struct lane { /* a stream */
    uint32_t stream;
    uint32_t *work; /* its work, by number, ascending */
    size_t n, cap;
    uint32_t *
        knows; /* [lanes] latest work of each lane that is done before the next here; shorter: 0 beyond */
    size_t n_knows;
} lane_t;

typedef struct event { /* recorded: what is done when it comes */
    uint32_t number;
    uint32_t *knows;
    size_t n_knows;
} event_t;

struct overlap {
    lane_t *lane;
    event_t *event;
    overlap_group_t *group;
    size_t n_lane, cap_lane, n_event, cap_event, n_group, cap_group;
    uint32_t *event_at; /* hash table over event numbers: index + 1 */
    size_t table;
    uint32_t n_work, barrier; /* work up to `barrier` is known to all */
};

overlap_t *overlap_new(void)
{
    overlap_t *o = mem_resize(NULL, sizeof *o);
    *o = (overlap_t){.table = 64};
    o->event_at = mem_resize(NULL, o->table * sizeof *o->event_at);
    memset(o->event_at, 0, o->table * sizeof *o->event_at);
    return o;
}

void overlap_free(overlap_t *o)
{
    if (!o) return;
    for (size_t i = 0; i < o->n_lane; i++) {
        free(o->lane[i].work);
        free(o->lane[i].knows);
    }
    for (size_t i = 0; i < o->n_event; i++) free(o->event[i].knows);
    free(o->lane);
    free(o->event);
    free(o->group);
    free(o->event_at);
    free(o);
}

bool overlap_is_work(const wcmd_t *c)
{
    return c->kind == WC_LAUNCH ||
           (c->kind == WC_COPY && c->bytes && c->text && !strcmp(c->text, "d2d"));
}

static void *room(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) return p;
    *cap = *cap ? 2 * *cap : 16;
    return mem_resize(p, *cap * size);
}

static lane_t *lane_of(overlap_t *o, uint32_t stream)
{
    for (size_t i = 0; i < o->n_lane; i++)
        if (o->lane[i].stream == stream) return &o->lane[i];
    o->lane = room(o->lane, o->n_lane, &o->cap_lane, sizeof *o->lane);
    o->lane[o->n_lane] = (lane_t){.stream = stream};
    return &o->lane[o->n_lane++];
}

static uint32_t *known(uint32_t *knows, size_t *n, size_t want)
{
    if (*n >= want) return knows;
    knows = mem_resize(knows, want * sizeof *knows);
    memset(knows + *n, 0, (want - *n) * sizeof *knows);
    *n = want;
    return knows;
}

/* First work of the lane numbered above `after`; UINT32_MAX: none. */
static uint32_t first_after(const lane_t *l, uint32_t after)
{
    size_t lo = 0, hi = l->n;
    if (!hi || l->work[hi - 1] <= after) return UINT32_MAX;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (l->work[mid] > after)
            hi = mid;
        else
            lo = mid + 1;
    }
    return l->work[lo];
}

static void add_range(overlap_t *o, uint32_t first, uint32_t last)
{
    while (o->n_group && o->group[o->n_group - 1].last >= first) {
        if (o->group[o->n_group - 1].first < first) first = o->group[o->n_group - 1].first;
        o->n_group--;
    }
    o->group = room(o->group, o->n_group, &o->cap_group, sizeof *o->group);
    o->group[o->n_group++] = (overlap_group_t){first, last};
}

static void work(overlap_t *o, uint32_t stream)
{
    lane_t *l = lane_of(o, stream);
    uint32_t at = ++o->n_work, first = UINT32_MAX;
    for (size_t i = 0; i < o->n_lane; i++) {
        if (&o->lane[i] == l) continue;
        uint32_t done = i < l->n_knows ? l->knows[i] : 0;
        uint32_t f = first_after(&o->lane[i], done > o->barrier ? done : o->barrier);
        if (f < first) first = f;
    }
    l->work = room(l->work, l->n, &l->cap, sizeof *l->work);
    l->work[l->n++] = at;
    if (first != UINT32_MAX) add_range(o, first, at);
}

static size_t slot_of(const overlap_t *o, uint32_t number)
{
    size_t i = number * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (o->table - 1);
    while (o->event_at[i] && o->event[o->event_at[i] - 1].number != number)
        i = (i + 1) & (o->table - 1);
    return i;
}

static void record(overlap_t *o, uint32_t stream, uint32_t number)
{
    lane_t *l = lane_of(o, stream);
    size_t i = slot_of(o, number);
    if (!o->event_at[i]) {
        o->event = room(o->event, o->n_event, &o->cap_event, sizeof *o->event);
        o->event[o->n_event++] = (event_t){.number = number};
        o->event_at[i] = (uint32_t)o->n_event;
        if (2 * o->n_event > o->table) { /* a larger table, filled again */
            o->table *= 2;
            o->event_at = mem_resize(o->event_at, o->table * sizeof *o->event_at);
            memset(o->event_at, 0, o->table * sizeof *o->event_at);
            for (size_t k = 0; k < o->n_event; k++)
                o->event_at[slot_of(o, o->event[k].number)] = (uint32_t)k + 1;
            i = slot_of(o, number);
        }
    }
    event_t *e = &o->event[o->event_at[i] - 1];
    e->knows = known(e->knows, &e->n_knows, o->n_lane);
    memset(e->knows, 0, e->n_knows * sizeof *e->knows);
    if (l->n_knows) memcpy(e->knows, l->knows, l->n_knows * sizeof *e->knows);
    if (l->n) e->knows[l - o->lane] = l->work[l->n - 1];
}

static void wait(overlap_t *o, uint32_t stream, uint32_t number)
{
    lane_t *l = lane_of(o, stream);
    size_t i = slot_of(o, number);
    if (!o->event_at[i]) return; /* never recorded: nothing to wait for */
    const event_t *e = &o->event[o->event_at[i] - 1];
    l->knows = known(l->knows, &l->n_knows, e->n_knows);
    for (size_t k = 0; k < e->n_knows; k++)
        if (e->knows[k] > l->knows[k]) l->knows[k] = e->knows[k];
}

void overlap_add(overlap_t *o, const wcmd_t *c)
{
    if (overlap_is_work(c))
        work(o, c->stream);
    else if (c->kind == WC_RECORD)
        record(o, c->stream, c->event);
    else if (c->kind == WC_WAIT)
        wait(o, c->stream, c->event);
    else if (c->kind == WC_RAW)
        o->barrier = o->n_work;
}

const overlap_group_t *overlap_groups(const overlap_t *o, size_t *n)
{
    *n = o->n_group;
    return o->group;
}
