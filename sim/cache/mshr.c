/* SPDX-License-Identifier: MIT */
#include "cache/mshr.h"
#include <assert.h>

static uint32_t home(const mshr_t *m, uint32_t line)
{
    return (line * 0x9E3779B1u >> 7) & m->mask;
}

void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges)
{
    uint32_t n = 4;
    while (n < 4 * limit) n *= 2;
    *m = (mshr_t){
        .limit = limit, .mask = n - 1, .merges = merges, .slot = arena_array(a, mshr_entry_t, n)};
    for (uint32_t i = 0; i < n; i++) m->slot[i].line = UINT32_MAX;
}

mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line)
{
    for (uint32_t i = home(m, line); m->slot[i].line != UINT32_MAX; i = (i + 1) & m->mask)
        if (m->slot[i].line == line) return &m->slot[i];
    return NULL;
}

mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group)
{
    if (m->used[group] == m->limit) return NULL;
    uint32_t i = home(m, line);
    while (m->slot[i].line != UINT32_MAX) i = (i + 1) & m->mask;
    m->used[group]++;
    m->slot[i] = (mshr_entry_t){.line = line, .group = (uint8_t)group};
    return &m->slot[i];
}

/* Backward-shift deletion keeps probe sequences unbroken without tombstones. */
void mshr_release(mshr_t *m, mshr_entry_t *e)
{
    assert(!e->head);
    m->used[e->group]--;
    uint32_t hole = (uint32_t)(e - m->slot);
    for (uint32_t i = (hole + 1) & m->mask; m->slot[i].line != UINT32_MAX; i = (i + 1) & m->mask) {
        uint32_t want = home(m, m->slot[i].line);
        if (((i - want) & m->mask) >= ((i - hole) & m->mask)) {
            m->slot[hole] = m->slot[i];
            hole = i;
        }
    }
    m->slot[hole].line = UINT32_MAX;
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
