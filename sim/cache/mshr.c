/* SPDX-License-Identifier: MIT */
#include "cache/mshr.h"
#include <assert.h>

#define NONE UINT16_MAX

static uint32_t home(const mshr_t *m, uint32_t line)
{
    return (line * 0x9E3779B1u >> 7) & m->mask;
}

void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges)
{
    uint32_t n = 4;
    while (n < 4 * limit) n *= 2;
    *m = (mshr_t){.limit = limit, .mask = n - 1, .merges = merges, .n_free = 2 * limit};
    m->table = arena_array(a, uint16_t, n);
    m->free = arena_array(a, uint16_t, m->n_free);
    m->entry = arena_array(a, mshr_entry_t, m->n_free);
    for (uint32_t i = 0; i < n; i++) m->table[i] = NONE;
    for (uint32_t i = 0; i < m->n_free; i++) m->free[i] = (uint16_t)(m->n_free - 1 - i);
}

void mshr_prefetch(const mshr_t *m, uint32_t line)
{
    __builtin_prefetch(&m->table[home(m, line)]);
}

mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line)
{
    for (uint32_t i = home(m, line); m->table[i] != NONE; i = (i + 1) & m->mask)
        if (m->entry[m->table[i]].line == line) return &m->entry[m->table[i]];
    return NULL;
}

mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group)
{
    if (m->used[group] == m->limit) return NULL;
    uint32_t i = home(m, line);
    while (m->table[i] != NONE) i = (i + 1) & m->mask;
    m->used[group]++;
    m->table[i] = m->free[--m->n_free];
    mshr_entry_t *e = &m->entry[m->table[i]];
    *e = (mshr_entry_t){.line = line, .group = (uint8_t)group};
    return e;
}

/* Backward-shift deletion keeps probe sequences unbroken without tombstones. */
void mshr_release(mshr_t *m, mshr_entry_t *e)
{
    assert(!e->head);
    const uint16_t number = (uint16_t)(e - m->entry);
    m->used[e->group]--;
    m->free[m->n_free++] = number;
    uint32_t hole = home(m, e->line);
    while (m->table[hole] != number) hole = (hole + 1) & m->mask;
    for (uint32_t i = (hole + 1) & m->mask; m->table[i] != NONE; i = (i + 1) & m->mask) {
        uint32_t want = home(m, m->entry[m->table[i]].line);
        if (((i - want) & m->mask) >= ((i - hole) & m->mask)) {
            m->table[hole] = m->table[i];
            hole = i;
        }
    }
    m->table[hole] = NONE;
}

bool mshr_wait(mshr_t *m, mshr_entry_t *e, req_t *r)
{
    if (e->waiting >= m->merges) return false;
    r->next = NULL;
    if (e->tail)
        e->tail->next = r;
    else
        e->head = r;
    e->tail = r;
    e->waiting++;
    return true;
}
