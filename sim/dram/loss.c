/* SPDX-License-Identifier: MIT
 * The loss stack: every tick of a pseudo channel's data bus is data or has a reason for being idle.  The reason is
 * found when the next burst comes: the time before it is cut where the request arrived and where its row was opened,
 * and each piece goes to the constraint that held it back. */
#include "dram/chan.h"

/* What held back a column command that issues at `at`, its row being open. */
static why_t why_column(const dram_chan_t *c, const entry_t *e, dram_cmd_t cmd, int64_t at)
{
    const timing_t *t = &c->t;
    dram_cmd_t like = cmd == DRAM_RDA ? DRAM_RD : cmd == DRAM_WRA ? DRAM_WR : cmd;
    int64_t *const *ok = t->ok[like];
    const uint32_t bank = e->bank, pc = t->pc_of[bank];
    bool turn = c->pc[pc].wrote != (e->dir == 1);
    if (ok[LEVEL_PC][pc] >= at || ok[LEVEL_RANK][t->rank_of[bank]] >= at ||
        ok[LEVEL_GROUP][t->group_of[bank]] >= at)
        return turn ? WHY_TURN : WHY_CCD;
    if (ok[LEVEL_BANK][bank] >= at) return WHY_ROW;
    if (t->bus_free[c->s->bus[cmd]] >= at) return WHY_BUS;
    if (e->accepted >= at)
        return WHY_EMPTY; /* others were queued, but nothing this one waited for */
    /* It waited for its turn: a change of direction, or a row that others kept. */
    return turn ? WHY_TURN : c->bank[bank].hits == 0 ? WHY_ROW : WHY_OTHER;
}

why_t loss_of_act(const dram_chan_t *c, uint32_t bank, int64_t at)
{
    const timing_t *t = &c->t;
    int64_t ref = at + c->s->tail[DRAM_ACT];
    int64_t *const *ok = t->ok[DRAM_ACT];
    if (c->bank[bank].refreshed >= ref) return WHY_REFRESH;
    if (ok[LEVEL_PC][t->pc_of[bank]] >= ref || ok[LEVEL_RANK][t->rank_of[bank]] >= ref ||
        ok[LEVEL_GROUP][t->group_of[bank]] >= ref)
        return WHY_ACT;
    if (ok[LEVEL_BANK][bank] >= ref) return WHY_ROW;
    return t->bus_free[c->s->bus[DRAM_ACT]] >= at ? WHY_BUS : WHY_ROW;
}

static int64_t within(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

void loss_column(dram_chan_t *c, const entry_t *e, dram_cmd_t cmd, int64_t at)
{
    const dram_spec_t *s = c->s;
    const bank_t *b = &c->bank[e->bank];
    pc_state_t *p = &c->pc[c->t.pc_of[e->bank]];
    int64_t latency = e->dir ? s->cwl : s->cl, first = at + latency;
    if (first > p->charged) {
        /* In the time of commands: the bus could have been used by a command at `from`. */
        int64_t from = p->charged - latency;
        int64_t work = within(p->work_from, from, at), open = within(b->act_at, work, at);
        c->idle_ticks[WHY_EMPTY] += work - from;
        c->idle_ticks[b->act_why] += open - work;
        if (at > open) c->idle_ticks[why_column(c, e, cmd, at)] += at - open;
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
