/* SPDX-License-Identifier: MIT
 * Refresh.  All-bank: every tREFI a rank closes its rows and is away for tRFCab.  Per-bank: every tREFIpb one bank is
 * away for tRFCpb while the others work; each has its turn once a round, those that nobody waits for first.  A refresh
 * that is due freezes its banks: no request may use them until it is done.  One that another command could make late by
 * a whole interval stops everything else, so none is (dram_spec_check refuses values for which a row cycle takes longer
 * than an interval).  An idle channel with all rows closed posts nothing: what fell due is counted when it wakes. */
#include "dram/chan.h"
#include <inttypes.h>

static bool all_bank(const dram_chan_t *c)
{
    return c->s->p.refresh == DRAM_REFRESH_ALL;
}

/* Channels and ranks take turns, so that not the whole memory is away at once; all-bank refresh does without within
 * a channel, whose pseudo channels wait for each other on the command bus anyway. */
static int64_t shift(const dram_chan_t *c, uint32_t u)
{
    const dram_spec_t *s = c->s;
    int64_t period = s->refresh_interval, n = s->p.channels, k = c->id % s->p.channels;
    if (all_bank(c)) return period * k / n;
    return period * (k * s->ranks + u) / (n * s->ranks);
}

static void new_round(dram_chan_t *c, uint32_t u)
{
    for (uint32_t k = 0; k < c->s->turns; k++) mask_put(c->unit[u].left, k, true);
    c->unit[u].turn = c->s->turns - 1;
}

static void next_due(dram_chan_t *c, uint32_t u)
{
    c->unit[u].due = dram_refresh_due(c->s, c->unit[u].done + 1) + shift(c, u);
    c->unit[u].look = c->unit[u].due;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void find_next(dram_chan_t *c)
{
    c->refresh_next = NEVER_TICK;
    c->any_frozen = c->refresh_known = false;
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        const unit_t *x = &c->unit[u];
        if (x->frozen)
            c->any_frozen = true;
        else
            c->refresh_next = earlier_of(c->refresh_next, x->look);
    }
}

void refresh_init(dram_chan_t *c)
{
    c->unit = arena_array(c->env.arena, unit_t, c->s->ranks);
    c->refresh_next = NEVER_TICK;
    if (c->s->p.refresh == DRAM_REFRESH_NONE) return;
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        new_round(c, u);
        next_due(c, u);
    }
    find_next(c);
}

/* ---- the banks of the refresh in turn ---- */
typedef struct span {
    uint32_t first, step, end;
} span_t;

static span_t banks_of(const dram_chan_t *c, uint32_t u)
{
    const dram_spec_t *s = c->s;
    uint32_t first = u * s->banks_per_rank, end = first + s->banks_per_rank;
    if (all_bank(c)) return (span_t){first, 1, end};
    if (s->std->same_bank) return (span_t){first + c->unit[u].turn, s->p.banks_per_group, end};
    return (span_t){first + c->unit[u].turn, s->banks_per_rank, end};
}

/* How much the refresh of these banks would disturb: one is away for its last refresh until after another is due,
 * requests wait for one, a row is open in one. */
static unsigned disturbance(const dram_chan_t *c, uint32_t u)
{
    const int64_t until = c->unit[u].due + c->s->refresh_interval - c->s->refresh_push;
    const bool away = c->unit[u].away > until;
    unsigned worst = 0;
    span_t b = banks_of(c, u);
    for (uint32_t k = b.first; k < b.end; k += b.step) {
        unsigned d = mask_has(c->wanted, k) ? 2 : mask_has(c->open, k);
        if (away && c->bank[k].refreshed > until) d = 3;
        if (d > worst) worst = d;
    }
    return worst;
}

/* Whose turn is it?  The standards leave the order within a round free.  Idle banks are
 * tried downwards: streams go upwards, and what they have just left they will not need soon.  Returns the disturbance. */
static unsigned choose_turn(dram_chan_t *c, uint32_t u)
{
    unit_t *x = &c->unit[u];
    const uint32_t n = c->s->turns, from = x->turn;
    const bool idle_first = c->s->p.refresh_order == DRAM_IDLE_FIRST;
    unsigned least = UINT32_MAX;
    uint32_t best = from;
    for (uint32_t i = 1; i <= n; i++) {
        x->turn = (idle_first ? from + n - i : from + i) % n;
        if (!mask_has(x->left, x->turn)) continue;
        unsigned d = idle_first ? disturbance(c, u) : 0;
        if (d < least) {
            least = d;
            best = x->turn;
        }
    }
    x->turn = best;
    return least;
}

/* A per-bank refresh may wait for a bank without requests: never so long that another falls due. */
static bool put_off(dram_chan_t *c, uint32_t u, int64_t now)
{
    unit_t *x = &c->unit[u];
    const int64_t last = x->due + c->s->refresh_put_off, from = x->turn;
    if (choose_turn(c, u) < 2 || all_bank(c) || now >= last) return false;
    x->look = earlier_of(now + c->s->refresh_interval / 16 + 1, last);
    x->turn = (uint32_t)from;
    return true;
}

void refresh_freeze(dram_chan_t *c, int64_t now)
{
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        unit_t *x = &c->unit[u];
        if (x->frozen || now < x->look || put_off(c, u, now)) continue;
        x->frozen = true;
        span_t b = banks_of(c, u);
        for (uint32_t k = b.first; k < b.end; k += b.step) queue_freeze(c, k, true);
    }
    find_next(c);
    sched_forget(c);
}

/* All open rows of the rank at once. */
static int64_t close_all(const dram_chan_t *c, span_t b, int64_t now)
{
    int64_t ok = 0;
    for (uint32_t k = b.first; k < b.end; k += b.step)
        if (c->bank[k].row >= 0) ok = later(ok, timing_ok(&c->t, DRAM_PRE, k));
    return timing_slot(&c->t, DRAM_PREA, ok, now);
}

/* The next command for the refresh of unit u; *done is when the refresh itself can go, if nothing comes in between. */
static pick_t pick_of(const dram_chan_t *c, uint32_t u, int64_t now, int64_t *done)
{
    const int64_t rp = c->s->rp;
    span_t b = banks_of(c, u);
    pick_t p = {.at = NEVER_TICK, .bank = b.first, .entry = NONE};
    if (all_bank(c)) {
        bool open = c->unit[u].n_open > 0;
        p.cmd = open ? DRAM_PREA : DRAM_REFAB;
        p.at = open ? close_all(c, b, now) : timing_earliest(&c->t, DRAM_REFAB, b.first, now);
        *done = open ? p.at + rp : p.at;
        return p;
    }
    int64_t ok = 0, last = 0;
    for (uint32_t k = b.first; k < b.end; k += b.step) {
        ok = later(ok, timing_ok(&c->t, DRAM_REFPB, k));
        if (c->bank[k].row < 0) continue;
        int64_t at = timing_earliest(&c->t, DRAM_PRE, k, now);
        last = later(last, at);
        if (at < p.at) p = (pick_t){at, 0, k, DRAM_PRE, NONE};
    }
    *done = later(ok, last + rp);
    if (p.at != NEVER_TICK) return p;
    p.cmd = DRAM_REFPB;
    p.at = *done = timing_slot(&c->t, DRAM_REFPB, ok, now);
    return p;
}

pick_t refresh_pick(dram_chan_t *c, int64_t now)
{
    const int64_t first = later(c->t.bus_free[c->s->bus[DRAM_PRE]], now);
    if (c->refresh_known && c->refresh.at >= first) return c->refresh;
    pick_t best = {.at = NEVER_TICK, .entry = NONE};
    c->refresh_urgent = false;
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        const unit_t *x = &c->unit[u];
        if (!x->frozen) continue;
        int64_t done;
        pick_t p = pick_of(c, u, now, &done);
        if (done + c->s->refresh_push >= x->due + c->s->refresh_interval) c->refresh_urgent = true;
        if (p.at < best.at) best = p;
    }
    c->refresh = best;
    c->refresh_known = true;
    return best;
}

/* One more refresh of unit u is done; its banks are away until `end`. */
static void count(dram_chan_t *c, uint32_t u, int64_t end)
{
    unit_t *x = &c->unit[u];
    span_t b = banks_of(c, u);
    for (uint32_t k = b.first; k < b.end; k += b.step) {
        c->bank[k].refreshed = end;
        queue_freeze(c, k, false);
    }
    x->frozen = false;
    x->away = end;
    x->done++;
    mask_put(x->left, x->turn, false);
    bool over = true;
    for (unsigned w = 0; w < MASK_WORDS; w++) over &= !x->left[w];
    if (over) new_round(c, u);
    *(all_bank(c) ? &c->st.ref_ab : &c->st.ref_pb) += 1;
}

void refresh_issued(dram_chan_t *c, uint32_t bank, dram_cmd_t cmd, int64_t at)
{
    uint32_t u = c->s->effects.site[bank].rank;
    count(c, u, at + (cmd == DRAM_REFAB ? c->s->rfc_ab : c->s->rfc_pb));
    next_due(c, u);
    find_next(c);
    sched_forget(c);
}

/* ---- idle ---- */
bool refresh_may_sleep(const dram_chan_t *c)
{
    /* A command log shows every refresh, so with one nothing is skipped. */
    return !c->queued && !c->staged && !c->n_open && !c->any_frozen && !c->env.command_log;
}

/* Unit u was idle: its refreshes happened when they were due.  Only the latest of each bank still matters. */
static void catch_up_unit(dram_chan_t *c, uint32_t u, int64_t now)
{
    const dram_spec_t *s = c->s;
    unit_t *x = &c->unit[u];
    int64_t n = dram_refreshes_due(s, now - shift(c, u)) - x->done;
    if (n <= 0) return;
    dram_cmd_t cmd = all_bank(c) ? DRAM_REFAB : DRAM_REFPB;
    new_round(c, u);
    int64_t skip = n > s->turns ? n - s->turns : 0;
    x->done += skip;
    *(all_bank(c) ? &c->st.ref_ab : &c->st.ref_pb) += (uint64_t)skip;
    int64_t at = 0;
    for (int64_t k = skip; k < n; k++) {
        next_due(c, u);
        at = x->due;
        choose_turn(c, u);
        timing_refreshed(&c->t, cmd, banks_of(c, u).first, at);
        count(c, u, at + (all_bank(c) ? s->rfc_ab : s->rfc_pb));
    }
    new_round(c, u);
    next_due(c, u);
    if (!c->check) return;
    const char *bad =
        dram_check_idle_refresh(c->check, u / s->p.ranks, u % s->p.ranks, dram_tick_ps(s, at));
    if (bad) chan_violation(c, bad);
}

void refresh_catch_up(dram_chan_t *c, int64_t now)
{
    if (now < c->refresh_next) return;
    for (uint32_t u = 0; u < c->s->ranks; u++) catch_up_unit(c, u, now);
    find_next(c);
    sched_forget(c);
}

const char *refresh_miscounted(const dram_chan_t *c, int64_t now, char *buf, size_t n)
{
    if (c->s->p.refresh == DRAM_REFRESH_NONE) return NULL;
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        int64_t want = now > shift(c, u) ? dram_refreshes_due(c->s, now - shift(c, u)) : 0;
        int64_t got = c->unit[u].done;
        if (got <= want + 1 && got + 1 >= want) continue;
        snprintf(buf, n, "rank %u has had %" PRId64 " refreshes, %" PRId64 " were due", u, got,
                 want);
        return buf;
    }
    return NULL;
}
