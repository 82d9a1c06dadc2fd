/* SPDX-License-Identifier: MIT */
#include "cache/tags.h"
#include <assert.h>
#include <string.h>

void tags_init(tags_t *t, arena_t *a, uint32_t sets, uint32_t ways, repl_t repl, uint64_t seed)
{
    size_t n = (size_t)sets * ways;
    *t = (tags_t){.sets = sets, .ways = ways, .repl = repl, .rnd = seed | 1};
    t->line = arena_array(a, uint32_t, n);
    t->stamp = arena_array(a, uint32_t, n);
    t->valid = arena_array(a, uint8_t, n);
    t->dirty = arena_array(a, uint8_t, n);
    t->flag = arena_array(a, uint8_t, n);
    tags_clear(t);
}

void tags_clear(tags_t *t)
{
    size_t n = (size_t)t->sets * t->ways;
    memset(t->line, 0xff, n * sizeof *t->line);
    memset(t->stamp, 0, n * sizeof *t->stamp);
    memset(t->valid, 0, n);
    memset(t->dirty, 0, n);
    memset(t->flag, 0, n);
    t->tick = 0;
}

static uint32_t victim(tags_t *t, uint32_t base)
{
    uint32_t best = 0;
    for (uint32_t w = 0; w < t->ways; w++) {
        if (t->line[base + w] == TAGS_NONE) return w;
        if (t->stamp[base + w] < t->stamp[base + best]) best = w;
    }
    if (t->repl != REPL_RANDOM) return best;
    t->rnd ^= t->rnd << 13, t->rnd ^= t->rnd >> 7,
        t->rnd ^= t->rnd << 17; /* xorshift64 (Marsaglia 2003) */
    assert(t->ways);
    return (uint32_t)(t->rnd % t->ways);
}

/* Stamps are 32 bits wide; before they wrap, keep only their order within each set. */
static void renumber(tags_t *t)
{
    for (uint32_t s = 0; s < t->sets; s++) {
        uint32_t *p = t->stamp + (size_t)s * t->ways, rank[64];
        for (uint32_t i = 0; i < t->ways; i++) {
            rank[i] = 0;
            for (uint32_t j = 0; j < t->ways; j++) rank[i] += p[j] < p[i];
        }
        memcpy(p, rank, t->ways * sizeof *p);
    }
    t->tick = t->ways;
}

uint32_t tags_fill(tags_t *t, uint32_t set, uint32_t line, tags_victim_t *out)
{
    if (t->tick > UINT32_MAX - 2) renumber(t);
    uint32_t base = set * t->ways, slot = base + victim(t, base);
    *out = (tags_victim_t){t->line[slot], t->valid[slot], t->dirty[slot], t->flag[slot]};
    t->line[slot] = line;
    t->valid[slot] = t->dirty[slot] = t->flag[slot] = 0;
    t->stamp[slot] = ++t->tick;
    return slot;
}

void tags_drop(tags_t *t, uint32_t slot)
{
    t->line[slot] = TAGS_NONE;
    t->valid[slot] = t->dirty[slot] = t->flag[slot] = 0;
    t->stamp[slot] = 0;
}

uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n)
{
    uint32_t base = set * t->ways, best = TAGS_NONE;
    *n = 0;
    for (uint32_t s = base; s < base + t->ways; s++) {
        if (!t->dirty[s]) continue;
        ++*n;
        if (s != but && (best == TAGS_NONE || t->stamp[s] < t->stamp[best])) best = s;
    }
    return best;
}
