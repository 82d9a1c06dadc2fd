/* SPDX-License-Identifier: MIT
 * Sectored set-associative tags, without time: pure functions on one struct, used by L1 and L2 alike.
 * A line is named by its number (address / 128 B ... the caller's unit); a line carries a valid and a dirty
 * sector mask and a few flags of its owner. */
#ifndef MEMSIM_CACHE_TAGS_H
#define MEMSIM_CACHE_TAGS_H
#include "core/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    REPL_LRU,
    REPL_FIFO,
    REPL_RANDOM
} repl_t; /* order of the choices in cache_param.h */
#define TAGS_NONE UINT32_MAX

typedef struct tags {
    uint32_t sets, ways;
    repl_t repl;
    uint32_t tick;                 /* grows with each touch: age for LRU and FIFO */
    uint64_t rnd;                  /* state of the random choice */
    uint32_t *line;                /* [sets * ways], TAGS_NONE = empty */
    uint32_t *stamp;               /* last touch (LRU) or fill (FIFO) */
    uint8_t *valid, *dirty, *flag; /* sector masks; owner's flag bits */
} tags_t;

typedef struct tags_victim { /* what a fill pushed out */
    uint32_t line;           /* TAGS_NONE: nothing */
    uint8_t valid, dirty, flag;
} tags_victim_t;

void tags_init(tags_t *t, arena_t *a, uint32_t sets, uint32_t ways, repl_t repl, uint64_t seed);
void tags_clear(tags_t *t);
/* Set of a line number: consecutive numbers fill all sets evenly, and power-of-two strides rotate over them. */
static inline uint32_t tags_set(const tags_t *t, uint32_t index)
{
    uint32_t q = index / t->sets;
    uint32_t s = index - q * t->sets; /* consecutive lines: one each */
    return (uint32_t)(((uint64_t)s + (uint64_t)q * 7u) % t->sets);
}
/* Way slot (index into the arrays) holding `line` in `set`, or TAGS_NONE. */
static inline uint32_t tags_find(const tags_t *t, uint32_t set, uint32_t line)
{
    const uint32_t base = set * t->ways;
    const uint32_t *p = t->line + base;
    for (uint32_t w = 0; w < t->ways; w++)
        if (p[w] == line) return base + w;
    return TAGS_NONE;
}
static inline void tags_touch(tags_t *t, uint32_t slot)
{
    if (t->repl == REPL_LRU) t->stamp[slot] = ++t->tick;
}
/* Make room for `line` in `set` (it must not be there) and return its slot, empty of valid sectors. */
uint32_t tags_fill(tags_t *t, uint32_t set, uint32_t line, tags_victim_t *out);
void tags_drop(tags_t *t, uint32_t slot);
/* Oldest slot of a set with a dirty sector, other than `but`; TAGS_NONE if none.  *n = dirty ways in the set. */
uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n);
#endif
