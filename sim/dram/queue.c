/* SPDX-License-Identifier: MIT
 * The requests of a channel, by bank and direction, oldest first; and what each bank offers the scheduler. */
#include "dram/chan.h"

static uint32_t bank_of(const dram_spec_t *s, const loc_t *l)
{
    const dram_param_t *p = &s->p;
    uint32_t group = ((uint32_t)l->pc * p->ranks + l->rank) * p->bank_groups + l->bank_group;
    return group * p->banks_per_group + l->bank;
}

static bool is_write(const req_t *r)
{
    return r->kind == REQ_WRITE || r->kind == REQ_WRITEBACK;
}

static uint16_t first_hit(const dram_chan_t *c, uint16_t i, int64_t row)
{
    while (i != NONE && (int64_t)c->e[i].row != row) i = c->e[i].next;
    return i;
}

/* ---- what a bank offers ---- */
void queue_view(dram_chan_t *c, uint32_t bank)
{
    bank_t *b = &c->bank[bank];
    const uint32_t cap = c->s->p.row_hit_cap;
    const bool right = b->right != NONE;
    const unsigned right_dir = right ? c->e[b->right].dir : 2;
    for (unsigned d = 0; d < 2; d++) {
        uint16_t head = b->head[d], hit = b->hit[d];
        /* Enough hits: the oldest request's other row is next. */
        bool capped = cap && b->hits >= cap && hit != NONE && hit != head && !right;
        bool own = d == right_dir, column = own || (hit != NONE && !capped);
        bool row = head != NONE && (hit == NONE || capped) && !right;
        c->n_right[d] += own - (unsigned)mask_has(c->right[d], bank);
        mask_put(c->right[d], bank, own);
        mask_put(c->column[d], bank, column);
        mask_put(c->row[d], bank, row);
        c->column_age[d][bank] = own      ? c->e[b->right].age & ~AGE_ORDINARY
                                 : column ? c->e[hit].age
                                          : AGE_NONE;
        c->row_age[d][bank] = row ? c->e[head].age : AGE_NONE;
        c->oldest_age[d][c->s->effects.group_of[bank]] = AGE_UNKNOWN;
    }
}

void queue_freeze(dram_chan_t *c, uint32_t bank, bool on)
{
    mask_put(c->frozen, bank, on);
    for (unsigned d = 0; d < 2; d++) c->oldest_age[d][c->s->effects.group_of[bank]] = AGE_UNKNOWN;
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
    c->unit[c->s->effects.rank_of[bank]].n_open++;
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
    c->unit[c->s->effects.rank_of[bank]].n_open--;
    queue_view(c, bank);
}

/* ---- in and out ---- */
/* A waiting write that covers these columns. */
static const entry_t *waiting_write(const dram_chan_t *c, uint32_t bank, const loc_t *l,
                                    unsigned bursts)
{
    for (uint16_t i = c->bank[bank].head[1]; i != NONE; i = c->e[i].next) {
        const entry_t *e = &c->e[i];
        if (e->row == l->row && l->col >= e->col && l->col + bursts <= e->col + e->left) return e;
    }
    return NULL;
}

/* Served without a command: a read from the write that waits, a write by taking that one's place. */
static void serve_from_queue(dram_chan_t *c, req_t *r, bool write, ps_t now_ps)
{
    r->stamp[ST_DRAM_CAS] = now_ps;
    r->stamp[ST_DRAM_DONE] = now_ps;
    if (write) {
        c->st.writes++;
        c->st.coalesced++;
        return;
    }
    ps_t latency = dram_tick_ps(c->s, c->s->forward);
    r->stamp[ST_DRAM_DONE] += latency;
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

bool queue_insert(dram_chan_t *c, req_t *r, int64_t now, ps_t now_ps)
{
    const dram_spec_t *s = c->s;
    unsigned dir = is_write(r), bursts = s->bursts_of[r->sectors];
    uint32_t bank = bank_of(s, &r->loc);
    if (c->count[1] && waiting_write(c, bank, &r->loc, bursts)) {
        serve_from_queue(c, r, dir, now_ps);
        return false;
    }
    c->plan_holds = false;
    uint16_t i = c->free_entry;
    entry_t *e = &c->e[i];
    c->free_entry = e->next;
    *e = (entry_t){.r = r,
                   .age = AGE_ORDINARY | ++c->ages,
                   .accepted_ps = now_ps,
                   .accepted = now,
                   .row = r->loc.row,
                   .col = r->loc.col,
                   .bank = (uint16_t)bank,
                   .dir = (uint8_t)dir,
                   .left = (uint8_t)bursts};
    c->count[dir]++;
    c->queued++;
    pc_state_t *p = &c->pc[c->s->effects.pc_of[bank]];
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
    if (!e->outside) c->count[e->dir]--;
    c->queued--;
    c->pc[c->s->effects.pc_of[e->bank]].queued--;
    e->next = c->free_entry;
    c->free_entry = i;
    queue_view(c, e->bank);
}
