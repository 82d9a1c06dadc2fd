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

typedef struct tag_state {
    uint8_t valid, dirty, flag; /* sector masks; owner's flag bits */
    uint8_t unused;
} tag_state_t;

typedef struct tags {
    uint32_t sets, ways;
    repl_t repl;
    uint32_t tick; /* grows with each touch: age for LRU and FIFO */
    uint64_t rnd;  /* state of the random choice */
    /* [sets][3][ways], what belongs to a set side by side: lines (TAGS_NONE = empty), stamps (last touch for LRU, fill
     * for FIFO), tag_state_t.  A slot is the index of a line. */
    uint32_t *word;
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
/* First slot of a set; its ways follow one another. */
static inline uint32_t tags_slot(const tags_t *t, uint32_t set)
{
    return set * 3 * t->ways;
}
static inline uint32_t tags_line(const tags_t *t, uint32_t slot)
{
    return t->word[slot];
}
static inline tag_state_t *tags_state(const tags_t *t, uint32_t slot)
{
    return (tag_state_t *)(void *)&t->word[slot + 2 * t->ways];
}
/* Slot holding `line` in `set`, or TAGS_NONE. */
static inline uint32_t tags_find(const tags_t *t, uint32_t set, uint32_t line)
{
    const uint32_t base = tags_slot(t, set);
    const uint32_t *p = t->word + base;
    for (uint32_t w = 0; w < t->ways; w++)
        if (p[w] == line) return base + w;
    return TAGS_NONE;
}
/* Start fetching what tags_find and tags_fill will read of a set. */
static inline void tags_prefetch(const tags_t *t, uint32_t set)
{
    const uint32_t *p = t->word + tags_slot(t, set);
    __builtin_prefetch(p);
    __builtin_prefetch(p + t->ways);
    __builtin_prefetch(p + (size_t)2 * t->ways);
}
static inline void tags_touch(tags_t *t, uint32_t slot)
{
    if (t->repl == REPL_LRU) t->word[slot + t->ways] = ++t->tick;
}
/* Make room for `line` in `set` (it must not be there) and return its slot, empty of valid sectors. */
uint32_t tags_fill(tags_t *t, uint32_t set, uint32_t line, tags_victim_t *out);
void tags_drop(tags_t *t, uint32_t slot);
/* Oldest slot of a set with a dirty sector, other than `but`; TAGS_NONE if none.  *n = dirty ways in the set. */
uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n);
/* Dirty sectors in all. */
uint64_t tags_dirty_sectors(const tags_t *t);
#endif
