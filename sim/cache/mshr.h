/* SPDX-License-Identifier: MIT
 * Miss status holding registers, without time: which lines are on their way, which sectors, and who waits.
 * A small open-addressing table; requests wait in a list linked through req->next. */
#ifndef MEMSIM_CACHE_MSHR_H
#define MEMSIM_CACHE_MSHR_H
#include "core/arena.h"
#include "core/req.h"

typedef struct mshr_entry {
    uint32_t line;    /* UINT32_MAX: free */
    uint8_t pending;  /* sectors asked for and not here yet */
    uint8_t group;    /* whose share of the registers it takes */
    uint16_t waiting; /* requests in the list */
    req_t *head, *tail;
} mshr_entry_t;

typedef struct mshr {
    uint32_t used[2], limit, mask, merges; /* two groups of `limit` registers each */
    mshr_entry_t *slot;
} mshr_t;

void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges);
mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line);
/* New entry for a line that has none, from the share of `group` (0 or 1); NULL if that is used up.  Two shares keep
 * requests that only wait for memory from standing behind requests that wait for each other. */
mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group);
void mshr_release(mshr_t *m, mshr_entry_t *e); /* may move other entries: pointers to them die */
/* Add r at the end of e's list; false if `merges` requests wait already. */
bool mshr_wait(mshr_t *m, mshr_entry_t *e, req_t *r);
#endif
