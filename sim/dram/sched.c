/* SPDX-License-Identifier: MIT
 * Which command next.  Every bank with work offers one: the oldest request of its open row, else a PRE, else an ACT
 * for its oldest request.  The earliest legal wins, among equals the oldest (FR-FCFS); a request whose ACT has been
 * issued goes before all others, in either direction; a due refresh goes before everything on its banks. */
#include "dram/chan.h"

static bool better(int64_t at, uint64_t age, const choice_t *than)
{
    return at < than->at || (at == than->at && age < than->age);
}

static void offer(choice_t *best, int64_t at, uint64_t age, uint32_t bank, dram_cmd_t cmd,
                  uint16_t entry)
{
    if (better(at, age, best)) *best = (choice_t){at, best->look, age, bank, cmd, entry};
}

/* LPDDR5: after a pause the data clock must be started again. */
static int64_t clock_start(const dram_chan_t *c, uint32_t bank, int64_t at)
{
    const dram_spec_t *s = c->s;
    if (!s->wck_sync) return at;
    return at > c->pc[c->t.pc_of[bank]].data_end + s->wck_idle ? at + s->wck_sync : at;
}

static void offer_column(const dram_chan_t *c, uint32_t bank, uint16_t entry, int64_t now,
                         bool first, choice_t *best)
{
    const entry_t *e = &c->e[entry];
    dram_cmd_t cmd = e->dir ? DRAM_WR : DRAM_RD;
    int64_t at = clock_start(c, bank, later(timing_earliest(&c->t, cmd, bank), now));
    offer(best, at, first ? 0 : e->age, bank, cmd, entry);
}

static void offer_bank(const dram_chan_t *c, uint32_t bank, int64_t now, choice_t *best)
{
    const bank_t *b = &c->bank[bank];
    if (refresh_blocks(c, bank, now)) return;
    if (b->right != NONE && b->row >= 0) {
        offer_column(c, bank, b->right, now, true, best);
        return;
    }
    unsigned d = c->writing;
    uint16_t head = b->head[d], hit = b->hit[d];
    if (head == NONE) return;
    const uint32_t cap = c->s->p.row_hit_cap;
    if (hit != NONE && !(cap && b->hits >= cap && head != hit)) {
        offer_column(c, bank, hit, now, false, best);
        return;
    }
    dram_cmd_t cmd = b->row >= 0 ? DRAM_PRE : DRAM_ACT;
    offer(best, later(timing_earliest(&c->t, cmd, bank), now), c->e[head].age, bank, cmd, head);
}

/* Closed page: a row that nobody queued wants is closed as soon as it may be. */
static void offer_closing(const dram_chan_t *c, int64_t now, choice_t *best)
{
    for (unsigned w = 0; w < MASK_WORDS; w++)
        for (uint64_t m = c->open[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            const bank_t *b = &c->bank[bank];
            if (b->hit[0] != NONE || b->hit[1] != NONE || refresh_blocks(c, bank, now)) continue;
            offer(best, later(timing_earliest(&c->t, DRAM_PRE, bank), now), UINT64_MAX - 1, bank,
                  DRAM_PRE, NONE);
        }
}

/* FCFS: only the oldest request of the present direction moves. */
static void offer_oldest(const dram_chan_t *c, int64_t now, choice_t *best)
{
    uint16_t oldest = NONE;
    for (unsigned w = 0; w < MASK_WORDS; w++)
        for (uint64_t m = c->busy[w]; m; m &= m - 1) {
            const bank_t *b = &c->bank[w * 64 + (uint32_t)__builtin_ctzll(m)];
            uint16_t h = b->head[c->writing];
            if (h != NONE && (oldest == NONE || c->e[h].age < c->e[oldest].age)) oldest = h;
        }
    if (oldest != NONE) offer_bank(c, c->e[oldest].bank, now, best);
}

choice_t sched_choose(const dram_chan_t *c, int64_t now)
{
    choice_t best = {.at = NEVER_TICK, .look = NEVER_TICK, .age = UINT64_MAX, .entry = NONE};
    if (c->s->p.scheduler == 1)
        offer_oldest(c, now, &best);
    else
        for (unsigned w = 0; w < MASK_WORDS; w++)
            for (uint64_t m = c->busy[w]; m; m &= m - 1)
                offer_bank(c, w * 64 + (uint32_t)__builtin_ctzll(m), now, &best);
    if (c->s->p.page == 1) offer_closing(c, now, &best);
    if (c->s->p.refresh) refresh_choose(c, now, &best);
    return best;
}
