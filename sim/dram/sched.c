/* SPDX-License-Identifier: MIT
 * Which command next.  A bank offers the oldest request of its open row; failing that a PRE, or an ACT, for its
 * oldest request.  The earliest legal offer wins, among equals the oldest (FR-FCFS).  A request whose ACT has been
 * issued goes before all others, in either direction; a refresh that is due before everything.
 *
 * The best column command and the best row command are chosen apart and kept until something they depend on
 * changes: a column command changes the timing of column commands only, but for the bank it went to. */
#include "dram/chan.h"

static const pick_t no_pick = {.at = NEVER_TICK, .age = AGE_NONE, .entry = NONE};

static void offer(pick_t *best, int64_t at, uint64_t age, uint32_t bank, dram_cmd_t cmd,
                  uint16_t entry)
{
    if (at < best->at || (at == best->at && age < best->age))
        *best = (pick_t){at, age, bank, cmd, entry};
}

/* LPDDR5: the data clock stops tWCK_idle after the last beat; then a CAS must start it tWCK_sync ahead of the column
 * command, and cannot before the request is there. */
static int64_t clock_started(const dram_chan_t *c, uint32_t bank, const entry_t *e, int64_t at)
{
    const dram_spec_t *s = c->s;
    int64_t stop = c->pc[c->t.pc_of[bank]].data_end + s->wck_idle;
    return at <= stop ? at : later(at, later(stop, e->accepted) + s->wck_sync);
}

static void offer_column(const dram_chan_t *c, uint32_t bank, uint16_t entry, uint64_t age,
                         int64_t now, pick_t *best)
{
    const entry_t *e = &c->e[entry];
    dram_cmd_t cmd = e->dir ? DRAM_WR : DRAM_RD;
    int64_t at = timing_earliest(&c->t, cmd, bank, now);
    if (c->s->wck_sync) at = clock_started(c, bank, e, at);
    offer(best, at, age, bank, cmd, entry);
}

static void offer_columns(const dram_chan_t *c, uint32_t bank, int64_t now, pick_t *best)
{
    const bank_t *b = &c->bank[bank];
    const unsigned d = c->writing;
    if (mask_has(c->right, bank))
        offer_column(c, bank, b->right, c->e[b->right].age & ~(UINT64_C(1) << 63), now, best);
    if (mask_has(c->column[d], bank))
        offer_column(c, bank, b->hit[d], c->column_age[d][bank], now, best);
}

static void offer_row(const dram_chan_t *c, uint32_t bank, int64_t now, pick_t *best)
{
    const bank_t *b = &c->bank[bank];
    const unsigned d = c->writing;
    dram_cmd_t cmd = b->row >= 0 ? DRAM_PRE : DRAM_ACT;
    offer(best, timing_earliest(&c->t, cmd, bank, now), c->row_age[d][bank], bank, cmd, b->head[d]);
}

/* The scans are the scheduler's longest loops: what is the same for all banks of a rank is put together first. */
typedef struct scan {
    const uint64_t *age;
    int64_t unit_ok[DRAM_BANKS_MAX];
    int64_t at;
    uint64_t best_age;
    uint32_t bank;
    dram_cmd_t cmd;
} scan_t;

static void scan_begin(scan_t *x, const uint64_t *age)
{
    x->age = age;
    x->at = NEVER_TICK;
    x->best_age = AGE_NONE;
}

static void scan_word(const dram_chan_t *c, dram_cmd_t cmd, uint64_t banks, uint32_t first,
                      int64_t floor, scan_t *x)
{
    const timing_t *t = &c->t;
    const int64_t tail = c->s->tail[cmd], odd = c->s->grid[cmd] - 1;
    const int64_t *bank_ok = t->ok[cmd][LEVEL_BANK], *group_ok = t->ok[cmd][LEVEL_GROUP];
    for (uint64_t m = banks; m; m &= m - 1) {
        uint32_t b = first + (uint32_t)__builtin_ctzll(m);
        int64_t ok = later(later(bank_ok[b], group_ok[t->group_of[b]]), x->unit_ok[t->rank_of[b]]);
        int64_t at = later(ok - tail, floor);
        at += at & odd;
        if (at > x->at || (at == x->at && x->age[b] >= x->best_age)) continue;
        x->at = at;
        x->best_age = x->age[b];
        x->bank = b;
        x->cmd = cmd;
    }
}

typedef enum { OFFERS_COLUMN, OFFERS_ACT, OFFERS_PRE } offers_t;

/* Banks of word w that offer this kind of command to requests of the present direction. */
static uint64_t offering(const dram_chan_t *c, offers_t kind, unsigned w)
{
    const unsigned d = c->writing;
    uint64_t free = ~c->frozen[w];
    if (kind == OFFERS_COLUMN) return c->column[d][w] & free;
    return c->row[d][w] & free & (kind == OFFERS_ACT ? ~c->open[w] : c->open[w]);
}

static void scan_kind(const dram_chan_t *c, offers_t kind, dram_cmd_t cmd, int64_t now, scan_t *x)
{
    const timing_t *t = &c->t;
    bool ready = false;
    int64_t floor = later(t->bus_free[c->s->bus[cmd]], now);
    for (unsigned w = 0; w < c->words; w++) {
        uint64_t m = offering(c, kind, w);
        if (!m) continue;
        for (uint32_t u = 0; u < c->s->ranks && !ready; u++)
            x->unit_ok[u] =
                later(t->ok[cmd][LEVEL_RANK][u], t->ok[cmd][LEVEL_PC][c->pc_of_unit[u]]);
        ready = true;
        scan_word(c, cmd, m, w * 64, floor, x);
    }
}

static void scan_columns(dram_chan_t *c, int64_t now)
{
    const unsigned d = c->writing;
    const bool clock = c->s->wck_sync > 0;
    scan_t x;
    scan_begin(&x, c->column_age[d]);
    c->best_column = no_pick;
    if (!clock) scan_kind(c, OFFERS_COLUMN, d ? DRAM_WR : DRAM_RD, now, &x);
    if (x.at != NEVER_TICK)
        c->best_column = (pick_t){x.at, x.best_age, x.bank, x.cmd, c->bank[x.bank].hit[d]};
    for (unsigned w = 0; w < c->words; w++)
        for (uint64_t m = (c->right[w] | (clock ? c->column[d][w] : 0)) & ~c->frozen[w]; m;
             m &= m - 1)
            offer_columns(c, w * 64 + (uint32_t)__builtin_ctzll(m), now, &c->best_column);
    c->column_known = true;
}

static void scan_rows(dram_chan_t *c, int64_t now)
{
    const unsigned d = c->writing;
    scan_t x;
    scan_begin(&x, c->row_age[d]);
    scan_kind(c, OFFERS_ACT, DRAM_ACT, now, &x);
    scan_kind(c, OFFERS_PRE, DRAM_PRE, now, &x);
    c->best_row = no_pick;
    if (x.at != NEVER_TICK)
        c->best_row = (pick_t){x.at, x.best_age, x.bank, x.cmd, c->bank[x.bank].head[d]};
    c->row_known = true;
}

/* FCFS: only the oldest request of the present direction moves, and those that have the right to their row. */
static void scan_oldest(dram_chan_t *c, int64_t now)
{
    const unsigned d = c->writing;
    uint16_t oldest = NONE;
    c->best_column = c->best_row = no_pick;
    for (uint32_t b = 0; b < c->s->banks; b++) {
        uint16_t h = c->bank[b].head[d];
        if (h != NONE && (oldest == NONE || c->e[h].age < c->e[oldest].age)) oldest = h;
        if (mask_has(c->right, b) && !mask_has(c->frozen, b))
            offer_columns(c, b, now, &c->best_column);
    }
    if (oldest == NONE) return;
    uint32_t bank = c->e[oldest].bank;
    if (mask_has(c->frozen, bank) || mask_has(c->right, bank)) return;
    if (c->bank[bank].hit[d] == oldest)
        offer_column(c, bank, oldest, c->e[oldest].age, now, &c->best_column);
    else {
        dram_cmd_t cmd = c->bank[bank].row >= 0 ? DRAM_PRE : DRAM_ACT;
        offer(&c->best_row, timing_earliest(&c->t, cmd, bank, now), c->e[oldest].age, bank, cmd,
              oldest);
    }
}

void sched_forget(dram_chan_t *c)
{
    c->column_known = c->row_known = false;
}

void sched_bank_changed(dram_chan_t *c, uint32_t bank, int64_t now)
{
    const unsigned d = c->writing;
    if (c->s->p.scheduler == DRAM_FCFS) {
        sched_forget(c);
        return;
    }
    bool frozen = mask_has(c->frozen, bank);
    if (c->best_column.bank == bank)
        c->column_known = false;
    else if (c->column_known && !frozen)
        offer_columns(c, bank, now, &c->best_column);
    if (c->best_row.bank == bank)
        c->row_known = false;
    else if (c->row_known && !frozen && mask_has(c->row[d], bank))
        offer_row(c, bank, now, &c->best_row);
}

pick_t sched_pick(dram_chan_t *c, int64_t now)
{
    if (c->s->p.scheduler == DRAM_FCFS)
        scan_oldest(c, now);
    else {
        /* A choice whose slot has passed was made for another set of rivals. */
        if (!c->column_known || c->best_column.at < now) scan_columns(c, now);
        if (!c->row_known || c->best_row.at < now) scan_rows(c, now);
    }
    pick_t best = c->best_column.at <= c->best_row.at ? c->best_column : c->best_row;
    if (c->any_frozen) {
        pick_t r = refresh_pick(c, now);
        if (r.at <= best.at) best = r;
    }
    return best;
}
