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

static uint16_t column_entry(const dram_chan_t *c, uint32_t bank, unsigned d)
{
    return mask_has(c->right[d], bank) ? c->bank[bank].right : c->bank[bank].hit[d];
}

/* LPDDR5: the data clock stops tWCK_idle after the last beat; then a CAS must start it tWCK_sync ahead of the column
 * command, and cannot before the request is there. */
static int64_t clock_started(const dram_chan_t *c, uint32_t bank, const entry_t *e, int64_t at)
{
    const dram_spec_t *s = c->s;
    int64_t stop = c->pc[c->s->effects.pc_of[bank]].data_end + s->wck_idle;
    if (at <= stop) return at;
    int64_t started = later(stop, e->accepted) + s->wck_sync, grid = s->grid[DRAM_RD];
    return later(at, (started + grid - 1) / grid * grid);
}

static void offer_column(const dram_chan_t *c, uint32_t bank, unsigned d, int64_t now, pick_t *best)
{
    int64_t at = timing_earliest(&c->t, column_of(d), bank, now);
    if (c->s->wck_sync) at = clock_started(c, bank, &c->e[column_entry(c, bank, d)], at);
    offer(best, at, c->column_age[d][bank], bank, column_of(d));
}

static void offer_row(const dram_chan_t *c, uint32_t bank, int64_t now, pick_t *best)
{
    dram_cmd_t cmd = c->bank[bank].row >= 0 ? DRAM_PRE : DRAM_ACT;
    offer(best, timing_earliest(&c->t, cmd, bank, now), c->row_age[c->writing][bank], bank, cmd);
}

/* ---- scans: the scheduler's longest loops ---- */

typedef enum { OFFERS_COLUMN, OFFERS_RIGHT, OFFERS_ACT, OFFERS_PRE } offers_t;

/* Banks of word w and pseudo channel p that offer this kind of command to requests of direction d. */
static inline uint64_t offering(const dram_chan_t *c, const pc_state_t *p, offers_t kind,
                                unsigned d, unsigned w)
{
    uint64_t m = ~c->frozen[w];
    if (kind == OFFERS_COLUMN)
        m &= c->column[d][w];
    else if (kind == OFFERS_RIGHT)
        m &= c->right[d][w];
    else
        m &= c->row[d][w] & (kind == OFFERS_ACT ? ~c->open[w] : c->open[w]);
    if (!m) return 0;
    uint32_t first = w * 64, end = p->first + p->n;
    if (p->first > first) m &= ~UINT64_C(0) << (p->first - first);
    if (end < first + 64) m &= (UINT64_C(1) << (end - first)) - 1;
    return m;
}

/* What is the same for all banks of a group is put together first. */
static void group_times(const timing_t *t, const pc_state_t *p, dram_cmd_t cmd, int64_t *ok)
{
    const wait_t wait = timing_wait(cmd);
    const uint32_t per_unit = p->n_group / p->n_unit;
    const int64_t pc = timing_pc_ok(t, wait, p->first);
    const int64_t *group = t->group + wait * t->s->groups + p->group;
    for (uint32_t u = 0, g = 0; u < p->n_unit; u++) {
        int64_t unit = later(t->rank[(p->unit + u) * TIMING_LINE + wait], pc);
        for (uint32_t end = g + per_unit; g < end; g++) ok[g] = later(group[g], unit);
    }
}

static void scan_kind(const dram_chan_t *c, const pc_state_t *p, offers_t kind, unsigned d,
                      dram_cmd_t cmd, int64_t now, pick_t *best)
{
    const timing_t *t = &c->t;
    const wait_t wait = timing_wait(cmd);
    const int64_t floor = later(t->bus_free[c->s->bus[cmd]], now);
    const int64_t tail = c->s->tail[cmd], odd = c->s->grid[cmd] - 1;
    const uint64_t *age = kind <= OFFERS_RIGHT ? c->column_age[d] : c->row_age[d];
    int64_t group_ok[DRAM_BANKS_MAX], best_at = best->at;
    uint64_t best_age = best->age;
    uint32_t found = UINT32_MAX;
    bool ready = false;
    for (unsigned w = p->first / 64, end = (p->first + p->n + 63) / 64; w < end; w++) {
        uint64_t m = offering(c, p, kind, d, w);
        if (!m) continue;
        if (!ready) group_times(t, p, cmd, group_ok);
        ready = true;
        do {
            uint32_t b = w * 64 + (uint32_t)__builtin_ctzll(m);
            int64_t at = later(
                later(timing_bank_ok(t, wait, b), group_ok[c->s->effects.group_of[b] - p->group]) -
                    tail,
                floor);
            at += at & odd;
            if (at < best_at || (at == best_at && age[b] < best_age)) {
                best_at = at;
                best_age = age[b];
                found = b;
            }
        } while (m &= m - 1);
    }
    if (found != UINT32_MAX) *best = (pick_t){best_at, best_age, found, cmd, NONE};
}

/* The oldest column offer of a group.  Once none of its banks waits for a row to open it stays what it is until a
 * bank's offers change: the banks share all other waiting. */
static void look_at_group(dram_chan_t *c, uint32_t g, unsigned d, int64_t group_ok, int64_t floor,
                          pick_t *best)
{
    const uint32_t n = c->s->p.banks_per_group, first = g * n, bit = first % 64;
    const int64_t odd = c->s->grid[column_of(d)] - 1;
    const uint64_t *const column = &c->column[d][first / 64], *const frozen =
                                                                  &c->frozen[first / 64];
    uint64_t m = (column[0] & ~frozen[0]) >> bit;
    if (bit + n > 64) m |= (column[1] & ~frozen[1]) << (64 - bit);
    if (n < 64) m &= (UINT64_C(1) << n) - 1;
    bool all_open = true;
    uint64_t oldest = AGE_NONE;
    uint32_t bank = first;
    for (; m; m &= m - 1) {
        uint32_t b = first + (uint32_t)__builtin_ctzll(m);
        uint64_t age = c->column_age[d][b];
        int64_t ok = c->bank[b].ok[WAIT_RD + d];
        if (ok > group_ok)
            all_open = false;
        else
            ok = group_ok;
        if (age < oldest) {
            oldest = age;
            bank = b;
        }
        int64_t at = later(ok, floor);
        at += at & odd;
        if (better(at, age, best)) {
            best->at = at;
            best->age = age;
            best->bank = b;
        }
    }
    if (all_open) {
        c->oldest_age[d][g] = oldest;
        c->oldest_bank[d][g] = (uint16_t)bank;
    }
}

/* The column commands of direction d.  They take one slot, the one that gaps count from: no tail. */
static void scan_groups(dram_chan_t *c, const pc_state_t *p, unsigned d, int64_t now, pick_t *best)
{
    const timing_t *t = &c->t;
    const dram_cmd_t cmd = column_of(d);
    const int64_t odd = c->s->grid[cmd] - 1;
    const int64_t floor =
        later(later(t->bus_free[c->s->bus[cmd]], now), timing_pc_ok(t, timing_wait(cmd), p->first));
    const int64_t *const ok = t->group + (WAIT_RD + d) * c->s->groups + p->group;
    const uint64_t *const age = c->oldest_age[d] + p->group;
    int64_t best_at = NEVER_TICK;
    uint64_t best_age = AGE_NONE;
    best->cmd = cmd;
    for (uint32_t g = 0; g < p->n_group; g++) {
        const uint64_t a = age[g];
        int64_t at = later(ok[g], floor);
        at += at & odd;
        if (at > best_at || (at == best_at && a >= best_age) || a == AGE_NONE) continue;
        best->at = best_at;
        best->age = best_age;
        if (a == AGE_UNKNOWN)
            look_at_group(c, p->group + g, d, ok[g], floor, best);
        else {
            best->at = at;
            best->age = a;
            best->bank = c->oldest_bank[d][p->group + g];
        }
        best_at = best->at;
        best_age = best->age;
    }
}

/* The same where the data clock has a say. */
static void scan_clocked(const dram_chan_t *c, const pc_state_t *p, offers_t kind, unsigned d,
                         int64_t now, pick_t *best)
{
    for (unsigned w = p->first / 64, end = (p->first + p->n + 63) / 64; w < end; w++)
        for (uint64_t m = offering(c, p, kind, d, w); m; m &= m - 1)
            offer_column(c, w * 64 + (uint32_t)__builtin_ctzll(m), d, now, best);
}

/* Requests of the present direction, and those of the other that have the right to their row. */
static void scan_columns(dram_chan_t *c, pc_state_t *p, int64_t now)
{
    const unsigned d = c->writing;
    pick_t best = no_pick;
    if (c->s->wck_sync) {
        scan_clocked(c, p, OFFERS_COLUMN, d, now, &best);
        scan_clocked(c, p, OFFERS_RIGHT, !d, now, &best);
    } else {
        scan_groups(c, p, d, now, &best);
        if (c->n_right[!d]) scan_kind(c, p, OFFERS_RIGHT, !d, column_of(!d), now, &best);
    }
    p->column = best;
    p->column_known = true;
}

static void scan_rows(const dram_chan_t *c, pc_state_t *p, int64_t now)
{
    pick_t best = no_pick;
    scan_kind(c, p, OFFERS_ACT, c->writing, DRAM_ACT, now, &best);
    scan_kind(c, p, OFFERS_PRE, c->writing, DRAM_PRE, now, &best);
    p->row = best;
    p->row_known = true;
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
        for (unsigned k = 0; k < 2; k++)
            if (mask_has(c->right[k], b) && !mask_has(c->frozen, b))
                offer_column(c, b, k, now, column);
    }
    if (oldest == NONE) return;
    uint32_t bank = c->e[oldest].bank;
    if (mask_has(c->frozen, bank) || c->bank[bank].right != NONE) return;
    if (c->bank[bank].hit[d] == oldest) {
        int64_t at = timing_earliest(&c->t, column_of(d), bank, now);
        if (c->s->wck_sync) at = clock_started(c, bank, &c->e[oldest], at);
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
    for (pc_state_t *p = c->pc, *end = p + c->s->p.pseudo_channels; p < end; p++) {
        /* A choice whose slot has passed was made for another set of rivals. */
        if (!p->column_known || p->column.at < first_column) scan_columns(c, p, now);
        if (!p->row_known || p->row.at < first_row) scan_rows(c, p, now);
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

pick_t sched_pick(dram_chan_t *c, int64_t now)
{
    pick_t best = c->s->p.scheduler == DRAM_FCFS ? choose_oldest(c, now) : *choose(c, now);
    if (c->any_frozen) {
        pick_t r = refresh_pick(c, now);
        if (r.at <= best.at || now >= c->refresh_urgent) return r;
    }
    if (best.at != NEVER_TICK)
        best.entry = best.cmd == DRAM_RD || best.cmd == DRAM_WR
                         ? column_entry(c, best.bank, best.cmd == DRAM_WR)
                         : c->bank[best.bank].head[c->writing];
    return best;
}

/* ---- what a change means for the cached choices ---- */

void sched_forget(dram_chan_t *c)
{
    for (uint32_t k = 0; k < c->s->p.pseudo_channels; k++)
        c->pc[k].column_known = c->pc[k].row_known = false;
}

void sched_column_issued(dram_chan_t *c, uint32_t bank)
{
    pc_state_t *p = &c->pc[c->s->effects.pc_of[bank]];
    p->column_known = false;
    if (p->row.bank == bank) p->row_known = false; /* its PRE has moved */
}

void sched_row_issued(dram_chan_t *c, uint32_t bank)
{
    c->refresh_known = false;
    c->pc[c->s->effects.pc_of[bank]].row_known = false;
}

void sched_bank_changed(dram_chan_t *c, uint32_t bank, int64_t now)
{
    const unsigned d = c->writing;
    pc_state_t *p = &c->pc[c->s->effects.pc_of[bank]];
    bool frozen = mask_has(c->frozen, bank);
    if (p->column.bank == bank)
        p->column_known = false;
    else if (p->column_known && !frozen) {
        if (mask_has(c->column[d], bank)) offer_column(c, bank, d, now, &p->column);
        if (mask_has(c->right[!d], bank)) offer_column(c, bank, !d, now, &p->column);
    }
    if (p->row.bank == bank)
        p->row_known = false;
    else if (p->row_known && !frozen && mask_has(c->row[d], bank))
        offer_row(c, bank, now, &p->row);
}
