/* SPDX-License-Identifier: MIT
 * Miss status holding registers, without time: which lines are on their way, which sectors, and who waits.
 * Registers are found through a small open-addressing table of their numbers and reused last out, first in, so that
 * few of them are touched; requests wait in a list linked through req->next. */
#ifndef MEMSIM_CACHE_MSHR_H
#define MEMSIM_CACHE_MSHR_H
#include "core/arena.h"
#include "core/req.h"

typedef struct mshr_entry {
    uint32_t line;
    uint8_t pending;    /* sectors asked for and not here yet */
    uint8_t group;      /* whose share of the registers it takes */
    uint16_t waiting;   /* requests in the list */
    req_t *head, *tail; /* the list */
} mshr_entry_t;

typedef struct mshr {
    uint32_t used[2], limit, mask, merges; /* two groups of `limit` registers each */
    uint32_t n_free;
    uint32_t *table; /* by hash: a register, and in the upper half its line's hash; MSHR_NONE */
    uint16_t *free;  /* registers not in use, the last one first */
    mshr_entry_t *entry;
} mshr_t;

#define MSHR_NONE UINT32_MAX

/* limit 1 .. 16383 registers a group. */
void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges);
/* Start fetching where mshr_find will look. */
void mshr_prefetch(const mshr_t *m, uint32_t line);
mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line);
/* New entry for a line that has none, from the share of `group` (0 or 1); NULL if that is used up.  Two shares keep
 * requests that only wait for memory from standing behind requests that wait for each other. */
mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group);
void mshr_release(mshr_t *m, mshr_entry_t *e);
/* Add r at the end of e's list; false if `merges` requests wait already. */
bool mshr_wait(mshr_t *m, mshr_entry_t *e, req_t *r);
#endif
