/* SPDX-License-Identifier: MIT */
#include "cache/tags.h"
#include "core/req.h"
#include <assert.h>
#include <string.h>

void tags_init(tags_t *t, arena_t *a, uint32_t sets, uint32_t ways, repl_t repl, uint64_t seed)
{
    *t = (tags_t){.sets = sets, .ways = ways, .repl = repl, .rnd = seed | 1};
    t->word = arena_array(a, uint32_t, (size_t)sets * 3 * ways);
    tags_clear(t);
}

void tags_clear(tags_t *t)
{
    for (uint32_t s = 0; s < t->sets; s++) {
        uint32_t *p = t->word + tags_slot(t, s);
        memset(p, 0xff, t->ways * sizeof *p);
        memset(p + t->ways, 0, (size_t)2 * t->ways * sizeof *p);
    }
    t->tick = 0;
}

static uint32_t victim(tags_t *t, uint32_t base)
{
    const uint32_t *line = t->word + base, *stamp = line + t->ways;
    uint32_t best = 0;
    for (uint32_t w = 0; w < t->ways; w++) {
        if (line[w] == TAGS_NONE) return w;
        if (stamp[w] < stamp[best]) best = w;
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
        uint32_t *p = t->word + tags_slot(t, s) + t->ways, rank[64];
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
    uint32_t base = tags_slot(t, set), slot = base + victim(t, base);
    tag_state_t *state = tags_state(t, slot);
    *out = (tags_victim_t){t->word[slot], state->valid, state->dirty, state->flag};
    t->word[slot] = line;
    t->word[slot + t->ways] = ++t->tick;
    *state = (tag_state_t){0};
    return slot;
}

void tags_drop(tags_t *t, uint32_t slot)
{
    t->word[slot] = TAGS_NONE;
    t->word[slot + t->ways] = 0;
    *tags_state(t, slot) = (tag_state_t){0};
}

uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n)
{
    uint32_t base = tags_slot(t, set), best = TAGS_NONE;
    const uint32_t *stamp = t->word + t->ways;
    *n = 0;
    for (uint32_t s = base; s < base + t->ways; s++) {
        if (!tags_state(t, s)->dirty) continue;
        ++*n;
        if (s != but && (best == TAGS_NONE || stamp[s] < stamp[best])) best = s;
    }
    return best;
}

uint64_t tags_dirty_sectors(const tags_t *t)
{
    uint64_t n = 0;
    for (uint32_t set = 0; set < t->sets; set++)
        for (uint32_t s = tags_slot(t, set), end = s + t->ways; s < end; s++)
            n += sector_count(tags_state(t, s)->dirty);
    return n;
}
