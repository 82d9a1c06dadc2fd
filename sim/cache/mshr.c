/* SPDX-License-Identifier: MIT */
#include "cache/mshr.h"
#include <assert.h>

static uint32_t home(const mshr_t *m, uint32_t line)
{
    return (line * 0x9E3779B1u >> 7) & m->mask;
}

static uint32_t number(uint32_t cell)
{
    return cell & 0xffff;
}

void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges)
{
    uint32_t n = 4;
    while (n < 4 * limit) n *= 2;
    assert(n <= 0x10000);
    *m = (mshr_t){.limit = limit, .mask = n - 1, .merges = merges, .n_free = 2 * limit};
    m->table = arena_array(a, uint32_t, n);
    m->free = arena_array(a, uint16_t, m->n_free);
    m->entry = arena_array(a, mshr_entry_t, m->n_free);
    for (uint32_t i = 0; i < n; i++) m->table[i] = MSHR_NONE;
    for (uint32_t i = 0; i < m->n_free; i++) m->free[i] = (uint16_t)(m->n_free - 1 - i);
}

void mshr_prefetch(const mshr_t *m, uint32_t line)
{
    __builtin_prefetch(&m->table[home(m, line)]);
}

mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line)
{
    const uint32_t want = home(m, line);
    for (uint32_t i = want; m->table[i] != MSHR_NONE; i = (i + 1) & m->mask) {
        if (m->table[i] >> 16 != want) continue;
        mshr_entry_t *e = &m->entry[number(m->table[i])];
        if (e->line == line) return e;
    }
    return NULL;
}

mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group)
{
    if (m->used[group] == m->limit) return NULL;
    const uint32_t want = home(m, line);
    uint32_t i = want;
    while (m->table[i] != MSHR_NONE) i = (i + 1) & m->mask;
    m->used[group]++;
    uint32_t free = m->free[--m->n_free];
    m->table[i] = want << 16 | free;
    mshr_entry_t *e = &m->entry[free];
    *e = (mshr_entry_t){.line = line, .group = (uint8_t)group};
    return e;
}

/* Backward-shift deletion keeps probe sequences unbroken without tombstones. */
void mshr_release(mshr_t *m, mshr_entry_t *e)
{
    assert(!e->head);
    const uint32_t own = (uint32_t)(e - m->entry);
    m->used[e->group]--;
    m->free[m->n_free++] = (uint16_t)own;
    uint32_t hole = home(m, e->line);
    while (number(m->table[hole]) != own) hole = (hole + 1) & m->mask;
    for (uint32_t i = (hole + 1) & m->mask; m->table[i] != MSHR_NONE; i = (i + 1) & m->mask) {
        uint32_t want = m->table[i] >> 16;
        if (((i - want) & m->mask) >= ((i - hole) & m->mask)) {
            m->table[hole] = m->table[i];
            hole = i;
        }
    }
    m->table[hole] = MSHR_NONE;
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
