/* SPDX-License-Identifier: MIT */
#include "cache/mshr.h"
#include <assert.h>

/* In the table. */
static uint32_t place(const mshr_t *m, uint32_t line)
{
    return (line * 0x9E3779B1u >> 7) & m->mask;
}

void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges)
{
    uint32_t n = 4;
    while (n < 2 * limit) n *= 2;
    assert(2 * limit < MSHR_NONE);
    *m = (mshr_t){.limit = limit, .mask = n - 1, .merges = merges, .n_free = 2 * limit, .arena = a};
    m->table = arena_array(a, uint16_t, n);
    m->free = arena_array(a, uint16_t, m->n_free);
    m->entry = arena_array(a, mshr_entry_t, m->n_free);
    for (uint32_t i = 0; i < n; i++) m->table[i] = MSHR_NONE;
    for (uint32_t i = 0; i < m->n_free; i++) m->free[i] = (uint16_t)(m->n_free - 1 - i);
}

void mshr_prefetch(const mshr_t *m, uint32_t line)
{
    __builtin_prefetch(&m->table[place(m, line)]);
}

mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line)
{
    for (uint16_t i = m->table[place(m, line)]; i != MSHR_NONE; i = m->entry[i].next)
        if (m->entry[i].line == line) return &m->entry[i];
    return NULL;
}

mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group)
{
    if (m->used[group] == m->limit) return NULL;
    m->used[group]++;
    const uint16_t i = m->free[--m->n_free];
    uint16_t *first = &m->table[place(m, line)];
    mshr_entry_t *e = &m->entry[i];
    *e = (mshr_entry_t){.line = line, .group = (uint8_t)group, .next = *first};
    *first = i;
    return e;
}

void mshr_release(mshr_t *m, mshr_entry_t *e)
{
    assert(!e->waiting);
    const uint16_t i = (uint16_t)(e - m->entry);
    m->used[e->group]--;
    m->free[m->n_free++] = i;
    uint16_t *at = &m->table[place(m, e->line)];
    while (*at != i) at = &m->entry[*at].next;
    *at = e->next;
}

void mshr_wait_on(mshr_t *m, mshr_entry_t *e, req_t *r)
{
    const uint32_t at = e->waiting++ % WAITERS;
    if (!at) {
        waiters_t *fresh = m->pool;
        if (fresh)
            m->pool = fresh->next;
        else
            fresh = arena_alloc(m->arena, sizeof *fresh);
        fresh->next = NULL;
        if (e->waiting == 1)
            e->first = fresh;
        else
            e->last->next = fresh;
        e->last = fresh;
    }
    e->last->r[at] = r;
}

bool mshr_wait(mshr_t *m, mshr_entry_t *e, req_t *r)
{
    if (e->waiting >= m->merges) return false;
    mshr_wait_on(m, e, r);
    return true;
}

mshr_queue_t mshr_call(mshr_entry_t *e)
{
    const mshr_queue_t q = {e->first, e->waiting, 0};
    const waiters_t *w = q.first;
    for (uint32_t i = 0; i < q.n; i++) {
        __builtin_prefetch(w->r[i % WAITERS]);
        if (i % WAITERS == WAITERS - 1) w = w->next;
    }
    e->waiting = 0;
    return q;
}

req_t *mshr_next(mshr_t *m, mshr_queue_t *q)
{
    if (!q->n) return NULL;
    waiters_t *w = q->first;
    req_t *r = w->r[q->at++];
    if (!--q->n || q->at == WAITERS) {
        q->first = w->next;
        q->at = 0;
        w->next = m->pool;
        m->pool = w;
    }
    return r;
}
