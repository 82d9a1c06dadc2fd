/* SPDX-License-Identifier: MIT */
#include "cache/l1.h"
#include <assert.h>

#define LINE_SHIFT 7
#define SECTOR_BYTES 32u

void l1_init(l1_t *c, arena_t *a, const l1_param_t *p, clk_t clk, port_t out, uint64_t seed)
{
    *c = (l1_t){.write_allocate = p->write == 1, .out = out};
    c->hit_ps = gap_ps(p->hit, clk);
    c->miss_ps = gap_ps(p->miss, clk);
    c->fill_ps = gap_ps(p->fill, clk);
    uint32_t sets = (uint32_t)(p->size / p->line / p->ways);
    tags_init(&c->tags, a, sets ? sets : 1, p->ways, (repl_t)p->replacement, seed);
    mshr_init(&c->mshr, a, p->mshrs, p->merges);
    stat_banks_init(&c->banks, a, &c->st, sizeof c->st);
    if (!sets) c->tags.sets = 0;
}

void l1_invalidate(l1_t *c, uint64_t cache_bytes)
{
    if (c->tags.sets) tags_clear(&c->tags);
    c->tags.sets = (uint32_t)(cache_bytes >> LINE_SHIFT) / c->tags.ways;
}

l1_result_t l1_load(l1_t *c, req_t *r, ps_t t, ps_t now)
{
    stat_charge(&c->banks, r->bank);
    uint32_t line = r->line, slot = TAGS_NONE;
    uint8_t have = 0;
    if (c->tags.sets) {
        slot = tags_find(&c->tags, tags_set(&c->tags, line), line);
        if (slot != TAGS_NONE) have = tags_state(&c->tags, slot)->valid;
    }
    uint8_t need = (uint8_t)(r->sectors & ~have);
    uint64_t bytes = (uint64_t)SECTOR_BYTES * sector_count(r->sectors);
    if (!need) {
        c->st.loads++;
        c->st.hits++;
        c->st.read_bytes += bytes;
        tags_touch(&c->tags, slot);
        return L1_HIT;
    }
    mshr_entry_t *e = mshr_find(&c->mshr, line);
    uint8_t fetch = (uint8_t)(need & ~(e ? e->pending : 0));
    if (!e && !(e = mshr_new(&c->mshr, line, 0))) {
        c->st.mshr_full++;
        return L1_FULL;
    }
    r->l1_left = need;
    if (!fetch) {
        if (!mshr_wait(&c->mshr, e, r)) {
            c->st.mshr_full++;
            return L1_FULL;
        }
        c->st.merged++;
    } else {
        e->pending |= fetch;
        r->sectors = r->asked[0] = fetch; /* only these are on their way with it */
        r->owner = e;
        c->st.misses++;
        r->stamp[ST_L1_OUT] = t + c->miss_ps;
        port_send(&c->out, r, t + c->miss_ps, now);
    }
    c->st.loads++;
    c->st.read_bytes += bytes;
    if (slot != TAGS_NONE) tags_touch(&c->tags, slot);
    return L1_MISS;
}

void l1_store(l1_t *c, req_t *r, ps_t t, ps_t now)
{
    stat_charge(&c->banks, r->bank);
    uint32_t line = r->line;
    c->st.stores++;
    c->st.write_bytes += (uint64_t)SECTOR_BYTES * sector_count(r->sectors);
    if (c->tags.sets) {
        uint32_t set = tags_set(&c->tags, line), slot = tags_find(&c->tags, set, line);
        uint8_t full = (uint8_t)(r->sectors & ~r->partial);
        if (slot == TAGS_NONE && c->write_allocate && full) {
            tags_victim_t v;
            slot = tags_fill(&c->tags, set, line, &v);
            c->st.evictions += v.line != TAGS_NONE;
        }
        if (slot != TAGS_NONE) tags_state(&c->tags, slot)->valid |= full & TAGS_SECTORS;
    }
    r->stamp[ST_L1_OUT] = t + c->miss_ps;
    port_send(&c->out, r, t + c->miss_ps, now);
}

void l1_prefetch(const l1_t *c, const req_t *r)
{
    __builtin_prefetch(r->owner); /* the MSHR */
    if (c->tags.sets) tags_prefetch(&c->tags, tags_set(&c->tags, r->line));
}

req_t *l1_reply(l1_t *c, req_t *r)
{
    uint32_t line = r->line;
    uint8_t mask = r->sectors;
    mshr_entry_t *e = r->owner;
    assert(e && e->line == line && "reply without a miss");
    stat_charge(&c->banks, r->bank);
    c->st.fill_bytes += (uint64_t)SECTOR_BYTES * sector_count(mask);
    if (c->tags.sets) {
        uint32_t set = tags_set(&c->tags, line), slot = tags_find(&c->tags, set, line);
        if (slot == TAGS_NONE) {
            tags_victim_t v;
            slot = tags_fill(&c->tags, set, line, &v);
            c->st.evictions += v.line != TAGS_NONE;
        }
        tags_state(&c->tags, slot)->valid |= mask & TAGS_SECTORS;
    }
    e->pending = (uint8_t)(e->pending & ~mask);
    req_t *done = NULL, **tail = &done;
    mshr_queue_t queue = mshr_call(e);
    for (req_t *w = r; w; w = mshr_next(&c->mshr, &queue)) { /* the carrier is the oldest */
        w->l1_left = (uint8_t)(w->l1_left & e->pending);     /* what came meanwhile counts too */
        w->next = NULL;
        if (w->l1_left)
            mshr_wait_on(&c->mshr, e, w); /* the carrier even where all places are taken */
        else {
            *tail = w;
            tail = &w->next;
        }
    }
    if (!e->pending && !e->waiting) mshr_release(&c->mshr, e);
    return done;
}
