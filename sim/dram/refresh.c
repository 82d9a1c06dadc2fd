/* SPDX-License-Identifier: MIT
 * Refresh.  All-bank: every tREFI a rank closes its rows and is away for tRFCab.  Per-bank: every tREFIpb the next
 * bank in turn is away for tRFCpb while the others work.  A refresh that is due freezes its banks, so it is never
 * later than the longest row cycle.  An idle channel posts nothing: what fell due is counted when it wakes. */
#include "dram/chan.h"

void refresh_init(dram_chan_t *c)
{
    const dram_spec_t *s = c->s;
    c->unit = arena_array(c->env.arena, unit_t, s->ranks);
    int64_t period = s->p.refresh == 2 ? s->refi_pb : s->refi;
    /* Channels take turns, so that not the whole memory is away at once. */
    int64_t shift = period * (int64_t)(c->id % s->p.channels) / (int64_t)s->p.channels;
    for (uint32_t u = 0; u < s->ranks; u++)
        c->unit[u].due = s->p.refresh ? period + shift : NEVER_TICK;
}

static uint32_t turn_bank(const dram_chan_t *c, uint32_t unit)
{
    return unit * c->s->banks_per_rank + c->unit[unit].turn;
}

bool refresh_blocks(const dram_chan_t *c, uint32_t bank, int64_t now)
{
    uint32_t u = c->t.rank_of[bank];
    if (now < c->unit[u].due) return false;
    return c->s->p.refresh == 1 || turn_bank(c, u) == bank;
}

static bool rank_open(const dram_chan_t *c, uint32_t unit, int64_t *pre)
{
    bool any = false;
    uint32_t first = unit * c->s->banks_per_rank;
    for (uint32_t b = first; b < first + c->s->banks_per_rank; b++) {
        if (!mask_has(c->open, b)) continue;
        any = true;
        *pre = later(*pre, timing_earliest(&c->t, DRAM_PRE, b));
    }
    return any;
}

static void consider(choice_t *best, int64_t at, uint32_t bank, dram_cmd_t cmd)
{
    if (at <= best->at) *best = (choice_t){at, best->look, 0, bank, cmd, NONE};
}

void refresh_choose(const dram_chan_t *c, int64_t now, choice_t *best)
{
    const dram_spec_t *s = c->s;
    for (uint32_t u = 0; u < s->ranks; u++) {
        if (now < c->unit[u].due) {
            if (c->unit[u].due < best->look) best->look = c->unit[u].due;
            continue;
        }
        uint32_t bank = s->p.refresh == 1 ? u * s->banks_per_rank : turn_bank(c, u);
        int64_t at = now;
        dram_cmd_t cmd;
        if (s->p.refresh == 1) {
            bool open = rank_open(c, u, &at);
            cmd = open ? DRAM_PREA : DRAM_REFAB;
        } else
            cmd = mask_has(c->open, bank) ? DRAM_PRE : DRAM_REFPB;
        consider(best, later(at, timing_earliest(&c->t, cmd, bank)), bank, cmd);
    }
}

void refresh_issued(dram_chan_t *c, uint32_t bank, dram_cmd_t cmd, int64_t at)
{
    const dram_spec_t *s = c->s;
    uint32_t u = c->t.rank_of[bank];
    c->unit[u].done++;
    if (cmd == DRAM_REFAB) {
        c->unit[u].due += s->refi;
        for (uint32_t b = u * s->banks_per_rank; b < (u + 1) * s->banks_per_rank; b++)
            c->bank[b].refreshed = at + s->rfc_ab;
        c->st.ref_ab++;
    } else {
        c->unit[u].due += s->refi_pb;
        c->unit[u].turn = (c->unit[u].turn + 1) % s->banks_per_rank;
        c->bank[bank].refreshed = at + s->rfc_pb;
        c->st.ref_pb++;
    }
}

/* Long enough after any command for a PREA to be legal. */
static int64_t quiet_time(const dram_spec_t *s)
{
    return dram_ticks(s, s->p.tRC) + s->cwl + s->burst + dram_ticks(s, s->p.tWR) + s->rp +
           4 * s->ck;
}

/* Refreshes that fell due on a channel without work happened on time: rows are closed at the first, all are counted,
 * and the latest of each bank is entered in the timing.  One that fell due right after the last command is left to
 * the ordinary way. */
void refresh_catch_up(dram_chan_t *c, int64_t now)
{
    const dram_spec_t *s = c->s;
    if (!s->p.refresh) return;
    bool all = s->p.refresh == 1;
    int64_t period = all ? s->refi : s->refi_pb, quiet = c->now + quiet_time(s);
    for (uint32_t u = 0; u < s->ranks; u++) {
        unit_t *x = &c->unit[u];
        if (x->due > now || x->due < quiet) continue;
        uint32_t first = u * s->banks_per_rank;
        int64_t pre = 0;
        if (rank_open(c, u, &pre))
            chan_issue(c, DRAM_PREA, first, NONE,
                       later(x->due, timing_earliest(&c->t, DRAM_PREA, first)));
        int64_t n = (now - x->due) / period + 1, enter = all ? 1 : (int64_t)s->banks_per_rank;
        if (enter > n) enter = n;
        for (int64_t k = n - enter; k < n; k++) {
            uint32_t bank =
                all ? first
                    : first + (uint32_t)(((int64_t)x->turn + k) % (int64_t)s->banks_per_rank);
            int64_t at = x->due + k * period + s->rp;
            timing_issue(&c->t, all ? DRAM_REFAB : DRAM_REFPB, bank, at);
            for (uint32_t b = all ? first : bank; b < (all ? first + s->banks_per_rank : bank + 1);
                 b++)
                c->bank[b].refreshed = at + (all ? s->rfc_ab : s->rfc_pb);
        }
        x->due += n * period;
        x->done += (uint64_t)n;
        x->turn = (uint32_t)(((int64_t)x->turn + n) % (int64_t)s->banks_per_rank);
        *(all ? &c->st.ref_ab : &c->st.ref_pb) += (uint64_t)n;
        chan_idle_refreshed(c, u, x->due);
    }
}

/* The number of refreshes is an invariant: one a period, at most one of them late at any time. */
bool refresh_count_right(const dram_chan_t *c, int64_t now, uint32_t unit, uint64_t *want)
{
    const dram_spec_t *s = c->s;
    int64_t period = s->p.refresh == 2 ? s->refi_pb : s->refi;
    int64_t shift = period * (int64_t)(c->id % s->p.channels) / (int64_t)s->p.channels;
    *want = now > shift ? (uint64_t)((now - shift) / period) : 0;
    uint64_t got = c->unit[unit].done;
    return !s->p.refresh || (got <= *want + 1 && got + 1 >= *want);
}
