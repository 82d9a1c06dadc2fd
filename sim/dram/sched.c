/* SPDX-License-Identifier: MIT
 * Which command next.  A bank offers the oldest request of its open row; failing that a PRE, or an ACT, for its
 * oldest request.  The earliest legal offer wins, among equals the oldest (FR-FCFS).  A request whose ACT has been
 * issued goes before all others, in either direction; a refresh that is due before everything.
 *
 * The best column command and the best row command of each pseudo channel are chosen apart and kept until something
 * they depend on changes.  Pseudo channels share nothing but their command buses: a choice stands as long as its
 * slot is not before the first free one. */
#include "dram/chan.h"

static const pick_t no_pick = {.at = NEVER_TICK, .age = AGE_NONE, .entry = NONE};

static inline bool better(int64_t at, uint64_t age, const pick_t *than)
{
    return at < than->at || (at == than->at && age < than->age);
}

static void offer(pick_t *best, int64_t at, uint64_t age, uint32_t bank, dram_cmd_t cmd)
{
    if (better(at, age, best)) *best = (pick_t){at, age, bank, cmd, NONE};
}

static dram_cmd_t column_of(unsigned d)
{
    return d ? DRAM_WR : DRAM_RD;
}

static uint16_t column_entry(const dram_chan_t *c, uint32_t bank, unsigned d, uint64_t age)
{
    return age & AGE_ORDINARY ? c->bank[bank].hit[d] : c->bank[bank].right;
}

/* LPDDR5: the data clock stops tWCK_idle after the last beat; then a CAS must start it tWCK_sync ahead of the column
 * command, and cannot before the request is there. */
static int64_t clock_started(const dram_chan_t *c, const entry_t *e, int64_t at)
{
    const dram_spec_t *s = c->s;
    int64_t stop = c->pc[s->effects.site[e->bank].pc].data_end + s->wck_idle;
    if (at <= stop) return at;
    int64_t started = later(stop, e->accepted) + s->wck_sync, grid = s->grid[DRAM_RD];
    return later(at, (started + grid - 1) / grid * grid);
}

static void offer_column(const dram_chan_t *c, uint32_t bank, unsigned d, int64_t now, pick_t *best)
{
    const uint64_t age = queue_column_age(c, bank, d);
    int64_t at = timing_earliest(&c->t, column_of(d), bank, now);
    if (c->s->wck_sync) at = clock_started(c, &c->e[column_entry(c, bank, d, age)], at);
    offer(best, at, age, bank, column_of(d));
}

static void offer_row(const dram_chan_t *c, uint32_t bank, int64_t now, pick_t *best)
{
    const bank_t *b = &c->bank[bank];
    dram_cmd_t cmd = b->row >= 0 ? DRAM_PRE : DRAM_ACT;
    offer(best, timing_earliest(&c->t, cmd, bank, now), c->e[b->head[c->writing]].age, bank, cmd);
}

/* ---- scans: the scheduler's longest loops.  From the oldest request on, to one that need not wait for its own bank:
 * no younger one goes before it. ---- */

/* Earliest column command among these offers, the oldest at its time: they take one slot, the one gaps count from. */
static int64_t scan_column(const timing_t *t, wait_t w, const offer_key_t *k, uint32_t n,
                           int64_t floor, offer_key_t *best_key)
{
    const int64_t odd = t->s->grid[DRAM_RD] - 1, *const bank_ok = t->bank + w,
                  *const group_ok = t->group + (size_t)w * t->s->groups;
    int64_t best = NEVER_TICK;
    for (const offer_key_t *const end = k + n; k < end; k++) {
        int64_t at = later(
            later(bank_ok[(size_t)offer_bank(*k) * TIMING_LINE], group_ok[offer_group(*k)]), floor);
        at += at & odd;
        if (at >= best) continue;
        best = at;
        *best_key = *k;
        if (at == floor) break;
    }
    return best;
}

/* The same where the data clock has a say. */
static int64_t scan_clocked(const dram_chan_t *c, unsigned d, const offer_key_t *k, uint32_t n,
                            int64_t now, offer_key_t *best_key)
{
    int64_t best = NEVER_TICK;
    for (const offer_key_t *const end = k + n; k < end; k++) {
        const uint32_t bank = offer_bank(*k);
        const uint16_t entry = column_entry(c, bank, d, *k >> OFFER_AGE_SHIFT);
        const int64_t at =
            clock_started(c, &c->e[entry], timing_earliest(&c->t, column_of(d), bank, now));
        if (at >= best) continue;
        best = at;
        *best_key = *k;
    }
    return best;
}

/* The first n offers of a column command to requests of direction d. */
static pick_t scan_columns_of(const dram_chan_t *c, uint32_t pc, unsigned d, uint32_t n,
                              int64_t now)
{
    const timing_t *t = &c->t;
    const dram_cmd_t cmd = column_of(d);
    const wait_t w = d ? WAIT_WR : WAIT_RD;
    const offer_key_t *k = c->pc[pc].offers[OFFER_COLUMN][d].key;
    int64_t floor = later(later(t->bus_free[c->s->bus[cmd]], now), t->pc[pc * TIMING_LINE + w]);
    offer_key_t key = 0;
    floor += floor & (c->s->grid[cmd] - 1);
    const int64_t at =
        c->s->wck_sync ? scan_clocked(c, d, k, n, now, &key) : scan_column(t, w, k, n, floor, &key);
    return (pick_t){at, key >> OFFER_AGE_SHIFT, offer_bank(key), cmd, NONE};
}

/* Requests of the present direction, and those of the other that have the right to their row. */
static void scan_columns(dram_chan_t *c, uint32_t pc, int64_t now)
{
    pc_state_t *p = &c->pc[pc];
    const unsigned d = c->writing;
    const offers_t *own = &p->offers[OFFER_COLUMN][d], *other = &p->offers[OFFER_COLUMN][!d];
    p->column_known = true;
    p->column = own->n ? scan_columns_of(c, pc, d, own->n, now) : no_pick;
    if (!other->n || other->key[0] >= OFFER_ORDINARY) return;
    uint32_t rights = 1;
    while (rights < other->n && other->key[rights] < OFFER_ORDINARY) rights++;
    const pick_t x = scan_columns_of(c, pc, !d, rights, now);
    if (better(x.at, x.age, &p->column)) p->column = x;
}

static void scan_row(const dram_chan_t *c, uint32_t pc, offer_t kind, dram_cmd_t cmd, int64_t now,
                     pick_t *best)
{
    const dram_spec_t *s = c->s;
    const timing_t *t = &c->t;
    const wait_t w = timing_wait(cmd);
    const offers_t *o = &c->pc[pc].offers[kind][c->writing];
    if (!o->n) return;
    const int64_t tail = s->tail[cmd], odd = s->grid[cmd] - 1;
    int64_t floor = later(later(t->bus_free[s->bus[cmd]], now), t->pc[pc * TIMING_LINE + w] - tail);
    floor += floor & odd;
    for (const offer_key_t *k = o->key, *end = k + o->n; k < end; k++) {
        const uint32_t bank = offer_bank(*k);
        int64_t ok = later(timing_group_ok(t, w, bank), timing_rank_ok(t, w, bank));
        int64_t at = later(later(c->bank[bank].ok[w], ok) - tail, floor);
        at += at & odd;
        offer(best, at, *k >> OFFER_AGE_SHIFT, bank, cmd);
        if (at == floor) return;
    }
}

static void scan_rows(dram_chan_t *c, uint32_t pc, int64_t now)
{
    pc_state_t *p = &c->pc[pc];
    p->row = no_pick;
    p->row_known = true;
    scan_row(c, pc, OFFER_ACT, DRAM_ACT, now, &p->row);
    scan_row(c, pc, OFFER_PRE, DRAM_PRE, now, &p->row);
}

/* ---- choosing ---- */

/* FCFS: only the oldest request of the present direction moves, and those that have the right to their row. */
static void scan_oldest(const dram_chan_t *c, int64_t now, pick_t *column, pick_t *row)
{
    const unsigned d = c->writing;
    uint16_t oldest = NONE;
    for (uint32_t b = 0; b < c->s->banks; b++) {
        uint16_t h = c->bank[b].head[d];
        if (h != NONE && (oldest == NONE || c->e[h].age < c->e[oldest].age)) oldest = h;
        uint16_t right = c->bank[b].right;
        if (right != NONE && !mask_has(c->frozen, b))
            offer_column(c, b, c->e[right].dir, now, column);
    }
    if (oldest == NONE) return;
    uint32_t bank = c->e[oldest].bank;
    if (mask_has(c->frozen, bank) || c->bank[bank].right != NONE) return;
    if (c->bank[bank].hit[d] == oldest) {
        int64_t at = timing_earliest(&c->t, column_of(d), bank, now);
        if (c->s->wck_sync) at = clock_started(c, &c->e[oldest], at);
        offer(column, at, c->e[oldest].age, bank, column_of(d));
    } else {
        dram_cmd_t cmd = c->bank[bank].row >= 0 ? DRAM_PRE : DRAM_ACT;
        offer(row, timing_earliest(&c->t, cmd, bank, now), c->e[oldest].age, bank, cmd);
    }
}

static const pick_t *choose(dram_chan_t *c, int64_t now)
{
    const int64_t first_column = later(c->t.bus_free[c->s->bus[DRAM_RD]], now);
    const int64_t first_row = later(c->t.bus_free[c->s->bus[DRAM_ACT]], now);
    const pick_t *column = &no_pick, *row = &no_pick;
    for (uint32_t k = 0; k < c->n_pc; k++) {
        const pc_state_t *p = &c->pc[k];
        /* A choice whose slot has passed was made for another set of rivals. */
        if (!p->column_known || p->column.at < first_column) scan_columns(c, k, now);
        if (!p->row_known || p->row.at < first_row) scan_rows(c, k, now);
        if (better(p->column.at, p->column.age, column)) column = &p->column;
        if (better(p->row.at, p->row.age, row)) row = &p->row;
    }
    return column->at <= row->at ? column : row;
}

static pick_t choose_oldest(const dram_chan_t *c, int64_t now)
{
    pick_t column = no_pick, row = no_pick;
    scan_oldest(c, now, &column, &row);
    return column.at <= row.at ? column : row;
}

void sched_plan(dram_chan_t *c, int64_t now)
{
    c->plan = c->fcfs ? choose_oldest(c, now) : *choose(c, now);
    c->plan_holds = true;
    if (c->any_frozen) {
        pick_t r = refresh_pick(c, now);
        if (r.at <= c->plan.at || c->refresh_urgent) {
            c->plan = r;
            return;
        }
    }
    const bank_t *b = &c->bank[c->plan.bank];
    if (c->plan.cmd == DRAM_RD || c->plan.cmd == DRAM_WR)
        c->plan.entry = c->plan.age & AGE_ORDINARY ? b->hit[c->plan.cmd == DRAM_WR] : b->right;
    else
        c->plan.entry = b->head[c->writing];
}

/* ---- what a change means for the cached choices ---- */

void sched_forget(dram_chan_t *c)
{
    for (uint32_t k = 0; k < c->s->p.pseudo_channels; k++)
        c->pc[k].column_known = c->pc[k].row_known = false;
}

void sched_column_issued(dram_chan_t *c, uint32_t bank)
{
    pc_state_t *p = &c->pc[c->s->effects.site[bank].pc];
    p->column_known = false;
    if (p->row.bank == bank) p->row_known = false; /* its PRE has moved */
}

void sched_row_issued(dram_chan_t *c, uint32_t bank)
{
    c->refresh_known = false;
    c->pc[c->s->effects.site[bank].pc].row_known = false;
}

static bool offered(const bank_t *b, offer_t kind, unsigned d)
{
    return b->offered >> (2 * kind + d) & 1;
}

void sched_bank_changed(dram_chan_t *c, uint32_t bank, int64_t now)
{
    const unsigned d = c->writing;
    const bank_t *b = &c->bank[bank];
    pc_state_t *p = &c->pc[c->s->effects.site[bank].pc];
    if (p->column.bank == bank)
        p->column_known = false;
    else if (p->column_known) {
        if (offered(b, OFFER_COLUMN, d)) offer_column(c, bank, d, now, &p->column);
        if (offered(b, OFFER_COLUMN, !d) && b->right != NONE && c->e[b->right].dir != d)
            offer_column(c, bank, !d, now, &p->column);
    }
    if (p->row.bank == bank)
        p->row_known = false;
    else if (p->row_known && (offered(b, OFFER_ACT, d) || offered(b, OFFER_PRE, d)))
        offer_row(c, bank, now, &p->row);
}
