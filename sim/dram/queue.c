/* SPDX-License-Identifier: MIT
 * The requests of a channel, by bank and direction, oldest first; and what each bank offers the scheduler. */
#include "dram/chan.h"

static uint32_t bank_of(const dram_spec_t *s, const loc_t *l)
{
    const dram_param_t *p = &s->p;
    uint32_t group = ((uint32_t)l->pc * p->ranks + l->rank) * p->bank_groups + l->bank_group;
    return group * p->banks_per_group + l->bank;
}

ask_t queue_ask(const dram_spec_t *s, req_t *r, ps_t now)
{
    return (ask_t){.r = r,
                   .in_ps = now,
                   .row = r->loc.row,
                   .col = r->loc.col,
                   .bank = (uint16_t)bank_of(s, &r->loc),
                   .dir = r->kind == REQ_WRITE || r->kind == REQ_WRITEBACK,
                   .bursts = s->bursts_of[r->sectors]};
}

static uint16_t first_hit(const dram_chan_t *c, uint16_t i, int64_t row)
{
    while (i != NONE && (int64_t)c->e[i].row != row) i = c->e[i].next;
    return i;
}

/* ---- what a bank offers ---- */
static void drop_offer(offers_t *o, uint32_t bank)
{
    uint32_t i = 0;
    while (offer_bank(o->key[i]) != bank) i++;
    for (o->n--; i < o->n; i++) o->key[i] = o->key[i + 1];
}

/* The bank is in the list already, or not; now its key is this. */
static void put_offer(offers_t *o, offer_key_t key, bool listed)
{
    offer_key_t *const k = o->key;
    uint32_t i = o->n;
    if (listed)
        for (i = 0; offer_bank(k[i]) != offer_bank(key);) i++;
    else
        o->n++;
    for (; i > 0 && k[i - 1] > key; i--) k[i] = k[i - 1];
    for (; i + 1 < o->n && k[i + 1] < key; i++) k[i] = k[i + 1];
    k[i] = key;
}

uint64_t queue_column_age(const dram_chan_t *c, uint32_t bank, unsigned d)
{
    const bank_t *b = &c->bank[bank];
    if (b->right != NONE && c->e[b->right].dir == d) return c->e[b->right].age & ~AGE_ORDINARY;
    return c->e[b->hit[d]].age;
}

/* The lists the bank belongs to now, as in bank_t's `offered`, and the ages it has there. */
static unsigned wanted(const dram_chan_t *c, uint32_t bank, uint64_t age[2 * OFFERS])
{
    const bank_t *b = &c->bank[bank];
    const uint32_t cap = c->s->p.row_hit_cap;
    const bool right = b->right != NONE;
    const unsigned row_list = 2 * (b->row < 0 ? OFFER_ACT : OFFER_PRE);
    unsigned in = 0;
    if (right) {
        const unsigned d = c->e[b->right].dir;
        in |= 1u << (2 * OFFER_COLUMN + d);
        age[2 * OFFER_COLUMN + d] = c->e[b->right].age & ~AGE_ORDINARY;
    }
    for (unsigned d = 0; d < 2; d++) {
        const uint16_t head = b->head[d], hit = b->hit[d];
        if (head == NONE) continue;
        /* Enough hits: the oldest request's other row is next. */
        const bool capped = cap && b->hits >= cap && hit != head && !right;
        const unsigned list = hit != NONE && !capped ? 2 * OFFER_COLUMN + d : row_list + d;
        if (in >> list & 1 || (right && list >= 2 * OFFER_ACT)) continue;
        in |= 1u << list;
        age[list] = c->e[list < 2 * OFFER_ACT ? hit : head].age;
    }
    return in;
}

void queue_view(dram_chan_t *c, uint32_t bank)
{
    uint64_t age[2 * OFFERS];
    bank_t *b = &c->bank[bank];
    const unsigned in = mask_has(c->frozen, bank) ? 0 : wanted(c, bank, age);
    const site_t *at = &c->s->effects.site[bank];
    const offer_key_t low = (offer_key_t)at->group << OFFER_GROUP_SHIFT | bank;
    for (unsigned m = in | b->offered; m; m &= m - 1) {
        const unsigned list = (unsigned)__builtin_ctz(m);
        offers_t *o = &c->pc[at->pc].offers[list / 2][list % 2];
        if (in >> list & 1)
            put_offer(o, age[list] << OFFER_AGE_SHIFT | low, b->offered >> list & 1);
        else
            drop_offer(o, bank);
    }
    b->offered = (uint8_t)in;
}

void queue_freeze(dram_chan_t *c, uint32_t bank, bool on)
{
    mask_put(c->frozen, bank, on);
    queue_view(c, bank);
}

bool queue_row_wanted(const dram_chan_t *c, uint16_t entry)
{
    const entry_t *e = &c->e[entry];
    const bank_t *b = &c->bank[e->bank];
    for (unsigned d = 0; d < 2; d++) {
        uint16_t h = b->hit[d];
        if (h == entry) h = first_hit(c, e->next, b->row);
        if (h != NONE) return true;
    }
    return false;
}

void queue_row_opened(dram_chan_t *c, uint32_t bank, uint16_t entry)
{
    bank_t *b = &c->bank[bank];
    b->row = (int32_t)c->e[entry].row;
    b->hits = 0;
    b->right = entry;
    c->e[entry].opened = true;
    for (unsigned d = 0; d < 2; d++) b->hit[d] = first_hit(c, b->head[d], b->row);
    c->n_open++;
    mask_put(c->open, bank, true);
    c->unit[c->s->effects.site[bank].rank].n_open++;
    queue_view(c, bank);
}

void queue_row_closed(dram_chan_t *c, uint32_t bank)
{
    bank_t *b = &c->bank[bank];
    if (b->row < 0) return;
    b->row = -1;
    b->hit[0] = b->hit[1] = NONE;
    b->hits = 0;
    if (b->right != NONE) { /* a refresh came first: it must have its row opened once more */
        entry_t *e = &c->e[b->right];
        e->opened = false;
        c->count[e->dir] += e->outside;
        e->outside = false;
    }
    b->right = NONE;
    c->n_open--;
    mask_put(c->open, bank, false);
    c->unit[c->s->effects.site[bank].rank].n_open--;
    queue_view(c, bank);
}

/* ---- in and out ---- */
/* A waiting write that covers these columns. */
static bool waiting_write(const dram_chan_t *c, const ask_t *x)
{
    for (uint16_t i = c->bank[x->bank].head[1]; i != NONE; i = c->e[i].next) {
        const entry_t *e = &c->e[i];
        if (e->row == x->row && x->col >= e->col && x->col + x->bursts <= e->col + e->left)
            return true;
    }
    return false;
}

/* Served without a command: a read from the write that waits, a write by taking that one's place. */
static void serve_from_queue(dram_chan_t *c, const ask_t *x, ps_t now_ps)
{
    req_t *r = x->r;
    r->stamp[ST_DRAM_IN] = x->in_ps;
    r->stamp[ST_DRAM_CAS] = now_ps;
    r->stamp[ST_DRAM_DONE] = now_ps;
    if (x->dir) {
        c->st.writes++;
        c->st.coalesced++;
        return;
    }
    r->stamp[ST_DRAM_DONE] += dram_tick_ps(c->s, c->s->forward);
    const ps_t latency = r->stamp[ST_DRAM_DONE] - r->stamp[ST_DRAM_IN];
    c->st.reads++;
    c->st.forwarded++;
    c->st.read_latency_ps += (uint64_t)latency;
    hist_add(&c->latency, (uint64_t)latency);
}

/* True if the bank has more to offer than before: only then the scheduler need be told. */
static bool link_last(dram_chan_t *c, uint16_t i)
{
    entry_t *e = &c->e[i];
    bank_t *b = &c->bank[e->bank];
    bool news = b->head[e->dir] == NONE;
    e->next = NONE;
    e->prev = b->tail[e->dir];
    if (e->prev == NONE)
        b->head[e->dir] = i;
    else
        c->e[e->prev].next = i;
    b->tail[e->dir] = i;
    if (b->hit[e->dir] == NONE && b->row == (int64_t)e->row) {
        b->hit[e->dir] = i;
        news = true;
    }
    return news || (c->s->p.row_hit_cap && b->hits >= c->s->p.row_hit_cap);
}

bool queue_insert(dram_chan_t *c, const ask_t *x, int64_t now, ps_t now_ps)
{
    const uint32_t bank = x->bank;
    if (c->count[1] && waiting_write(c, x)) {
        serve_from_queue(c, x, now_ps);
        return false;
    }
    c->plan_holds = false;
    uint16_t i = c->free_entry;
    entry_t *e = &c->e[i];
    c->free_entry = e->next;
    *e = (entry_t){.r = x->r,
                   .in_ps = x->in_ps,
                   .accepted = now,
                   .age = AGE_ORDINARY | ++c->ages,
                   .row = x->row,
                   .col = x->col,
                   .bank = x->bank,
                   .dir = x->dir,
                   .left = x->bursts};
    c->count[x->dir]++;
    c->queued++;
    mask_put(c->wanted, bank, true);
    pc_state_t *p = &c->pc[c->s->effects.site[bank].pc];
    if (p->queued++ == 0) p->work_from = now;
    if (link_last(c, i)) {
        queue_view(c, bank);
        sched_bank_changed(c, bank, now);
    }
    return true;
}

void queue_remove(dram_chan_t *c, uint16_t i)
{
    entry_t *e = &c->e[i];
    bank_t *b = &c->bank[e->bank];
    if (b->hit[e->dir] == i) b->hit[e->dir] = first_hit(c, e->next, b->row);
    if (e->prev == NONE)
        b->head[e->dir] = e->next;
    else
        c->e[e->prev].next = e->next;
    if (e->next == NONE)
        b->tail[e->dir] = e->prev;
    else
        c->e[e->next].prev = e->prev;
    if (b->right == i) b->right = NONE;
    if (b->head[0] == NONE && b->head[1] == NONE) mask_put(c->wanted, e->bank, false);
    if (!e->outside) c->count[e->dir]--;
    c->room = true;
    c->queued--;
    c->pc[c->s->effects.site[e->bank].pc].queued--;
    e->next = c->free_entry;
    c->free_entry = i;
    queue_view(c, e->bank);
}
