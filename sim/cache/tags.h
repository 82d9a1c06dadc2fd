/* SPDX-License-Identifier: MIT
 * Sectored set-associative tags, without time: pure functions on one struct, used by L1 and L2 alike.
 * A line is named by its number (address / 128 B ... the caller's unit); a line carries a valid and a dirty
 * sector mask and a few flags of its owner. */
#ifndef MEMSIM_CACHE_TAGS_H
#define MEMSIM_CACHE_TAGS_H
#include "core/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    REPL_LRU,
    REPL_FIFO,
    REPL_RANDOM
} repl_t; /* order of the choices in cache_param.h */
#define TAGS_NONE UINT32_MAX
#define TAGS_SECTORS 0xfu /* of a line, as a mask */

/* A line is there if it was stamped after the latest clearing. */
typedef struct tag_state {
    uint8_t valid : 4, dirty : 4; /* sector masks */
    uint8_t flag;                 /* owner's flag bits */
    uint16_t stamp;               /* last touch for LRU, fill for FIFO; 0: empty */
} tag_state_t;

typedef struct tags {
    uint32_t sets, ways;
    uint32_t sets_made; /* sets may be lowered and raised again by the owner, who then clears */
    repl_t repl;
    uint32_t tick;    /* the latest stamp */
    uint32_t cleared; /* its value when all was forgotten */
    uint64_t rnd;     /* state of the random choice */
    /* [sets][2][ways], what belongs to a set side by side, 128 bytes for 16 ways: lines (TAGS_NONE = empty), then
     * tag_state_t.  A slot is the index of a line. */
    uint32_t *word;
} tags_t;

typedef struct tags_victim { /* what a fill pushed out */
    uint32_t line;           /* TAGS_NONE: nothing */
    uint8_t valid, dirty, flag;
} tags_victim_t;

void tags_init(tags_t *t, arena_t *a, uint32_t sets, uint32_t ways, repl_t repl, uint64_t seed);
/* Forget all lines.  It costs nothing: a kernel's start does it to every L1. */
static inline void tags_clear(tags_t *t)
{
    t->cleared = t->tick;
}
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
    return set * 2 * t->ways;
}
static inline uint32_t tags_line(const tags_t *t, uint32_t slot)
{
    return t->word[slot];
}
static inline tag_state_t *tags_state(const tags_t *t, uint32_t slot)
{
    return (tag_state_t *)(void *)&t->word[slot + t->ways];
}
typedef uint32_t tags_four_t __attribute__((vector_size(16)));

/* Way of a set whose word is `line`, the first of them; TAGS_NONE.  Four words at a time and without a branch that
 * depends on them: where a line stands is what no processor can foresee. */
static inline uint32_t tags_way(const uint32_t *p, uint32_t ways, uint32_t line)
{
    uint32_t w = 0;
    for (; w + 16 <= ways; w += 16) {
        tags_four_t bit = {1, 2, 4, 8}, found = {0, 0, 0, 0};
        for (uint32_t i = 0; i < 16; i += 4) {
            tags_four_t x;
            memcpy(&x, p + w + i, sizeof x);
            found |= (tags_four_t)(x == line) & bit << i;
        }
        const uint32_t f = found[0] | found[1] | found[2] | found[3];
        if (f) return w + (uint32_t)__builtin_ctz(f);
    }
    for (; w < ways; w++)
        if (p[w] == line) return w;
    return TAGS_NONE;
}
/* Slot holding `line` in `set`, or TAGS_NONE. */
static inline uint32_t tags_find(const tags_t *t, uint32_t set, uint32_t line)
{
    const uint32_t base = tags_slot(t, set), way = tags_way(t->word + base, t->ways, line);
    if (way == TAGS_NONE || tags_state(t, base + way)->stamp <= t->cleared) return TAGS_NONE;
    return base + way;
}
/* Start fetching what tags_find and tags_fill will read of a set. */
static inline void tags_prefetch(const tags_t *t, uint32_t set)
{
    const uint32_t *p = t->word + tags_slot(t, set);
    __builtin_prefetch(p);
    __builtin_prefetch(p + t->ways);
}
/* Stamps are about to run out: keep only their order within each set. */
void tags_renumber(tags_t *t);
static inline uint16_t tags_stamp(tags_t *t)
{
    if (t->tick == UINT16_MAX) tags_renumber(t);
    return (uint16_t)++t->tick;
}
static inline void tags_touch(tags_t *t, uint32_t slot)
{
    if (t->repl == REPL_LRU) tags_state(t, slot)->stamp = tags_stamp(t);
}
/* Make room for `line` in `set` (it must not be there) and return its slot, empty of valid sectors. */
uint32_t tags_fill(tags_t *t, uint32_t set, uint32_t line, tags_victim_t *out);
void tags_drop(tags_t *t, uint32_t slot);
/* Oldest slot of a set with a dirty sector, other than `but`; TAGS_NONE if none.  *n = dirty ways in the set. */
uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n);
/* Dirty sectors in all. */
uint64_t tags_dirty_sectors(const tags_t *t);
#endif
