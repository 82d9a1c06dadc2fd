/* SPDX-License-Identifier: MIT
 * The loss stack: every tick of a pseudo channel's data bus is data or has a reason for being idle.  The reason is
 * found when the next burst comes, by going back from its column command along what it waited for:
 *
 *   column command  <- a slot of its bus  <- gaps after other column commands
 *                                         <- tRCD <- ACT <- a slot of its bus <- gaps after other ACT, a refresh
 *                                                                             <- tRP <- PRE <- a slot <- tRAS, tRTP, tWR
 *
 * The idle ticks in front of the burst are given to the waits on this way, latest first, to each no more than it
 * delayed the burst.  tRP and tRCD delay all bursts alike: they hide behind other banks' data, and get what is left. */
#include "dram/chan.h"

/* `ticks` of what is left of the idle time go to this reason. */
static void charge(dram_chan_t *c, int64_t *left, int64_t ticks, why_t why)
{
    if (ticks > *left) ticks = *left;
    if (ticks <= 0) return;
    c->idle_ticks[why] += ticks;
    *left -= ticks;
}

/* First slot that gaps which end at `ok` leave to a command of a request that came at `accepted`. */
static int64_t first_slot(const dram_chan_t *c, dram_cmd_t cmd, int64_t ok, int64_t accepted)
{
    int64_t at = later(ok - c->s->tail[cmd], accepted);
    return c->s->grid[cmd] == 2 ? at + (at & 1) : at;
}

/* For how long a command that issues at `at`, and could have at `ready`, has found all slots of its bus taken. */
static int64_t bus_wait(const dram_chan_t *c, dram_cmd_t cmd, int64_t ready, int64_t at)
{
    const timing_t *t = &c->t;
    const unsigned bus = c->s->bus[cmd];
    if (t->bus_free[bus] + c->s->grid[cmd] <= at) return 0;
    return at - later(ready, t->bus_busy_from[bus]);
}

/* ---- rows ---- */
static void note_pre(dram_chan_t *c, const pick_t *x)
{
    way_t *w = &c->way[x->bank];
    const int64_t accepted = x->entry == NONE ? 0 : c->e[x->entry].accepted;
    const int64_t ok = timing_ok(&c->t, DRAM_PRE, x->bank);
    w->pre_bus = bus_wait(c, DRAM_PRE, first_slot(c, DRAM_PRE, ok, accepted), x->at);
    w->pre_at = x->at;
}

static void note_act(dram_chan_t *c, const pick_t *x)
{
    const int64_t own = c->bank[x->bank].ok[WAIT_ACT];
    const int64_t all = timing_ok(&c->t, DRAM_ACT, x->bank), came = c->e[x->entry].accepted;
    const int64_t ready = first_slot(c, DRAM_ACT, all, came);
    way_t *w = &c->way[x->bank];
    w->act_bus = bus_wait(c, DRAM_ACT, ready, x->at);
    w->act_late = x->at - w->act_bus - ready;
    bool refreshed = c->bank[x->bank].refreshed >= all;
    w->act_why = refreshed ? WHY_REFRESH : WHY_ACT;
    w->act_held = ready - (refreshed ? came : first_slot(c, DRAM_ACT, own, came));
    /* Is the PRE on the way, or did the bank wait longer for something else than for its tRP? */
    if (refreshed || w->pre_at + c->s->rp != own) w->pre_bus = 0;
}

void loss_row(dram_chan_t *c, const pick_t *x)
{
    if (x->cmd == DRAM_ACT)
        note_act(c, x);
    else if (x->cmd == DRAM_PRE)
        note_pre(c, x);
}

static void charge_row(dram_chan_t *c, const way_t *w, int64_t *left)
{
    charge(c, left, w->act_bus, WHY_BUS);
    charge(c, left, w->act_late, WHY_ROW);
    charge(c, left, w->act_held, w->act_why);
    charge(c, left, w->pre_bus, WHY_BUS);
    charge(c, left, *left, WHY_ROW);
}

/* ---- columns ---- */
/* `left` idle ticks before a column command that issues at `at`. */
static void charge_column(dram_chan_t *c, const entry_t *e, int64_t left, int64_t at)
{
    const dram_cmd_t like = e->dir ? DRAM_WR : DRAM_RD;
    const uint32_t bank = e->bank;
    const bool turn = c->pc[c->s->effects.site[bank].pc].wrote != (e->dir == 1);
    const int64_t all = timing_ok(&c->t, like, bank), ready = first_slot(c, like, all, e->accepted);
    const int64_t open = c->bank[bank].ok[timing_wait(like)];
    const int64_t own = first_slot(c, like, open, e->accepted), bus = bus_wait(c, like, ready, at);
    charge(c, &left, bus, WHY_BUS);
    /* It waited for its turn: a change of direction, or a row that others kept. */
    charge(c, &left, at - bus - ready,
           turn                      ? WHY_TURN
           : c->bank[bank].hits == 0 ? WHY_ROW
                                     : WHY_OTHER);
    charge(c, &left, ready - own, turn ? WHY_TURN : WHY_CCD);
    if (open >= e->accepted)
        charge_row(c, &c->way[bank], &left);
    else /* others were queued, but nothing this one waited for */
        charge(c, &left, left, WHY_EMPTY);
}

void loss_column(dram_chan_t *c, const entry_t *e, int64_t at)
{
    const dram_spec_t *s = c->s;
    pc_state_t *p = &c->pc[c->s->effects.site[e->bank].pc];
    int64_t latency = e->dir ? s->cwl : s->cl, first = at + latency;
    if (first > p->charged) {
        /* In the time of commands: the bus could have been used by a command at `from`. */
        int64_t from = p->charged - latency, left = at - from;
        charge(c, &left, p->work_from - from, WHY_EMPTY);
        charge_column(c, e, left, at);
    }
    c->data_ticks += s->burst;
    p->data_end = p->charged = first + s->burst;
    p->wrote = e->dir == 1;
}

void loss_settle(dram_chan_t *c, int64_t now, bool end)
{
    for (uint32_t k = 0; k < c->s->p.pseudo_channels; k++) {
        pc_state_t *p = &c->pc[k];
        if (now <= p->charged || (p->queued && !end)) continue;
        c->idle_ticks[p->queued ? WHY_OTHER : WHY_EMPTY] += now - p->charged;
        p->charged = now;
    }
}
