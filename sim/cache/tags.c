/* SPDX-License-Identifier: MIT */
#include "cache/tags.h"
#include "core/req.h"
#include <assert.h>
#include <string.h>

#define WAYS_MAX 64u

void tags_init(tags_t *t, arena_t *a, uint32_t sets, uint32_t ways, repl_t repl, uint64_t seed)
{
    assert(ways >= 1 && ways <= WAYS_MAX);
    *t = (tags_t){.sets = sets, .sets_made = sets, .ways = ways, .repl = repl, .rnd = seed | 1};
    t->word = arena_array(a, uint32_t, (size_t)sets * 2 * ways);
    for (uint32_t s = 0; s < sets; s++)
        memset(t->word + tags_slot(t, s), 0xff, ways * sizeof *t->word);
}

static uint32_t first_empty(const tags_t *t, const tag_state_t *state)
{
    uint32_t w = 0;
    while (state[w].stamp > t->cleared) w++;
    return w;
}

/* A way of the set to be filled: the first that is empty, else the one with the oldest stamp, or any. */
static uint32_t victim(tags_t *t, const tag_state_t *state)
{
    if (state[t->ways - 1].stamp <= t->cleared) return first_empty(t, state);
    uint32_t best = 0, oldest = state[0].stamp;
    for (uint32_t w = 1; w < t->ways; w++) {
        const uint32_t stamp = state[w].stamp;
        best = stamp < oldest ? w : best;
        oldest = stamp < oldest ? stamp : oldest;
    }
    if (oldest <= t->cleared) return first_empty(t, state);
    if (t->repl != REPL_RANDOM) return best;
    t->rnd ^= t->rnd << 13, t->rnd ^= t->rnd >> 7,
        t->rnd ^= t->rnd << 17; /* xorshift64 (Marsaglia 2003) */
    return (uint32_t)(t->rnd % t->ways);
}

static void drop(uint32_t *line, tag_state_t *state)
{
    *line = TAGS_NONE;
    *state = (tag_state_t){0};
}

static void renumber_set(tags_t *t, uint32_t set)
{
    uint32_t *line = t->word + tags_slot(t, set);
    tag_state_t *state = tags_state(t, tags_slot(t, set));
    uint8_t order[WAYS_MAX];
    uint32_t n = 0;
    for (uint32_t w = 0; w < t->ways; w++) {
        if (state[w].stamp <= t->cleared) {
            drop(&line[w], &state[w]);
            continue;
        }
        uint32_t at = n++;
        for (; at && state[order[at - 1]].stamp > state[w].stamp; at--) order[at] = order[at - 1];
        order[at] = (uint8_t)w;
    }
    for (uint32_t i = 0; i < n; i++) state[order[i]].stamp = (uint16_t)(i + 1);
}

void tags_renumber(tags_t *t)
{
    for (uint32_t set = 0; set < t->sets_made; set++) renumber_set(t, set);
    t->tick = t->ways;
    t->cleared = 0;
}

uint32_t tags_fill(tags_t *t, uint32_t set, uint32_t line, tags_victim_t *out)
{
    const uint16_t stamp = tags_stamp(t);
    const uint32_t base = tags_slot(t, set), slot = base + victim(t, tags_state(t, base));
    tag_state_t *state = tags_state(t, slot);
    *out = (tags_victim_t){TAGS_NONE, 0, 0, 0};
    if (state->stamp > t->cleared)
        *out = (tags_victim_t){t->word[slot], state->valid, state->dirty, state->flag};
    t->word[slot] = line;
    *state = (tag_state_t){.stamp = stamp};
    return slot;
}

void tags_drop(tags_t *t, uint32_t slot)
{
    drop(&t->word[slot], tags_state(t, slot));
}

uint32_t tags_oldest_dirty(const tags_t *t, uint32_t set, uint32_t but, uint32_t *n)
{
    const uint32_t base = tags_slot(t, set);
    uint32_t best = TAGS_NONE, oldest = UINT32_MAX;
    *n = 0;
    for (uint32_t s = base; s < base + t->ways; s++) {
        const tag_state_t *state = tags_state(t, s);
        if (!state->dirty || state->stamp <= t->cleared) continue;
        ++*n;
        if (s == but || state->stamp >= oldest) continue;
        oldest = state->stamp;
        best = s;
    }
    return best;
}

uint64_t tags_dirty_sectors(const tags_t *t)
{
    uint64_t n = 0;
    for (uint32_t set = 0; set < t->sets; set++)
        for (uint32_t s = tags_slot(t, set), end = s + t->ways; s < end; s++)
            if (tags_state(t, s)->dirty && tags_state(t, s)->stamp > t->cleared)
                n += sector_count(tags_state(t, s)->dirty);
    return n;
}
