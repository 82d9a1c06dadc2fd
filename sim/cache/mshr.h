/* SPDX-License-Identifier: MIT
 * Miss status holding registers, without time: which lines are on their way, which sectors, and who waits.
 * Registers are found through short lists behind a small table of their numbers and reused last out, first in, so that
 * few of them are touched.  Who waits stands in blocks of pointers: nobody touches the requests themselves, which have
 * left the processor's cache, before it is their turn, and then all are fetched side by side. */
#ifndef MEMSIM_CACHE_MSHR_H
#define MEMSIM_CACHE_MSHR_H
#include "core/arena.h"
#include "core/req.h"

#define WAITERS 7u
typedef struct waiters { /* some of those who wait on a line, a cache line of pointers */
    req_t *r[WAITERS];
    struct waiters *next;
} waiters_t;

typedef struct mshr_entry {
    uint32_t line;
    uint8_t pending;         /* sectors asked for and not here yet */
    uint8_t group;           /* whose share of the registers it takes */
    uint16_t waiting;        /* requests that wait */
    uint16_t next;           /* register of the same place in the table, MSHR_NONE */
    waiters_t *first, *last; /* they, the oldest first; if there are any */
} mshr_entry_t;

typedef struct mshr {
    uint32_t used[2], limit, mask, merges; /* two groups of `limit` registers each */
    uint32_t n_free;
    uint16_t *table; /* by hash of the line: the first register, MSHR_NONE */
    uint16_t *free;  /* registers not in use, the last one first */
    mshr_entry_t *entry;
    waiters_t *pool;
    arena_t *arena;
} mshr_t;

typedef struct mshr_queue { /* requests that waited on a line */
    waiters_t *first;
    uint32_t n, at;
} mshr_queue_t;

#define MSHR_NONE UINT16_MAX

/* limit 1 .. 16383 registers a group. */
void mshr_init(mshr_t *m, arena_t *a, uint32_t limit, uint32_t merges);
/* Start fetching where mshr_find will look. */
void mshr_prefetch(const mshr_t *m, uint32_t line);
mshr_entry_t *mshr_find(const mshr_t *m, uint32_t line);
/* New entry for a line that has none, from the share of `group` (0 or 1); NULL if that is used up.  Two shares keep
 * requests that only wait for memory from standing behind requests that wait for each other. */
mshr_entry_t *mshr_new(mshr_t *m, uint32_t line, unsigned group);
void mshr_release(mshr_t *m, mshr_entry_t *e);
/* Add r behind those who wait on e; false if `merges` requests do already. */
bool mshr_wait(mshr_t *m, mshr_entry_t *e, req_t *r);
/* The same for one who has a right to a place. */
void mshr_wait_on(mshr_t *m, mshr_entry_t *e, req_t *r);
/* All who wait on e leave it, and begin to be fetched. */
mshr_queue_t mshr_call(mshr_entry_t *e);
/* The next of them, the oldest first; NULL: no more. */
req_t *mshr_next(mshr_t *m, mshr_queue_t *q);
#endif
