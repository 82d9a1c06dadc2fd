/* SPDX-License-Identifier: MIT */
#include "dram/chan.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- ticks and ps: exact, 64-bit arithmetic around a base that moves along ---- */
#define BASE_SPAN 4000000 /* ticks from the base that a product with 10^12 may not leave */

static void rebase(dram_chan_t *c, int64_t tick)
{
    wide_t n = (wide_t)tick * 1000000000000;
    c->tick0 = tick;
    c->ps0 = (ps_t)(n / (wide_t)c->s->tick.hz);
    c->frac0 = (uint64_t)(n % (wide_t)c->s->tick.hz);
}

static ps_t tick_ps(dram_chan_t *c, int64_t tick)
{
    int64_t dn = tick - c->tick0;
    if (dn < 0 || dn > BASE_SPAN) {
        if (dn < -BASE_SPAN || dn > BASE_SPAN)
            rebase(c, tick);
        else
            return clk_edge(c->s->tick, tick);
        dn = 0;
    }
    return c->ps0 + (ps_t)(((uint64_t)dn * 1000000000000u + c->frac0) / c->s->tick.hz);
}

static int64_t ps_tick(dram_chan_t *c, ps_t ps) /* first edge at or after */
{
    ps_t d = ps - c->ps0;
    if (d < 0 || d > 1000000) {
        if (d > 1000000) rebase(c, clk_ceil(c->s->tick, ps));
        return clk_ceil(c->s->tick, ps);
    }
    int64_t n = c->tick0 + (int64_t)((uint64_t)d * (c->s->tick.hz / 1000) / 1000000000u);
    while (tick_ps(c, n) < ps) n++;
    return n;
}

/* ---- the loss stack: every tick of a data bus is data or has a reason ---- */
static uint64_t *why_counter(dram_chan_t *c, why_t why)
{
    uint64_t *const of[WHY_COUNT] = {
        &c->st.idle_empty_ps, &c->st.idle_row_ps,     &c->st.idle_act_ps, &c->st.idle_ccd_ps,
        &c->st.idle_turn_ps,  &c->st.idle_refresh_ps, &c->st.idle_bus_ps, &c->st.idle_other_ps};
    return of[why];
}

/* Which constraint made this column command wait until `at`. */
static why_t why_column(const dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    const timing_t *t = &c->t;
    if (c->s->wck_sync && timing_earliest(t, cmd, bank) < at) return WHY_OTHER;
    if (t->bank[cmd][bank] >= at) return c->bank[bank].why;
    int64_t turn = t->pc[cmd][t->pc_of[bank]];
    if (turn >= at) return WHY_TURN;
    int64_t g = t->group[cmd][t->group_of[bank]], r = t->rank[cmd][t->rank_of[bank]];
    const pc_state_t *p = &c->pc[t->pc_of[bank]];
    if (g >= at || r >= at)
        return at - p->last_cas > dram_ticks(c->s, c->s->p.tCCD_L) + c->s->burst ? WHY_TURN
                                                                                 : WHY_CCD;
    if (t->col_bus >= at || (!c->s->std->two_buses && t->row_bus >= at)) return WHY_BUS;
    return c->bank[bank].hits == 0 ? c->bank[bank].why : WHY_OTHER;
}

static why_t why_act(const dram_chan_t *c, uint32_t bank, int64_t at)
{
    const timing_t *t = &c->t;
    int64_t eff = at + c->s->act_shift;
    if (c->bank[bank].refreshed >= eff) return WHY_REFRESH;
    if (t->rank[DRAM_ACT][t->rank_of[bank]] >= eff || t->pc[DRAM_ACT][t->pc_of[bank]] >= eff ||
        t->group[DRAM_ACT][t->group_of[bank]] >= eff)
        return WHY_ACT;
    return WHY_ROW;
}

static void account_column(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, int64_t at)
{
    pc_state_t *p = &c->pc[c->t.pc_of[bank]];
    const int64_t burst = c->s->burst;
    int64_t first = at + (cmd == DRAM_WR ? c->s->cwl : c->s->cl), gap = first - p->data_end;
    if (gap > 0) {
        int64_t empty = p->empty < gap ? p->empty : gap;
        ps_t whole = tick_ps(c, first) - tick_ps(c, p->data_end),
             part = empty == gap ? whole : clk_span(c->s->tick, empty);
        *why_counter(c, WHY_EMPTY) += (uint64_t)part;
        if (gap > empty) *why_counter(c, why_column(c, cmd, bank, at)) += (uint64_t)(whole - part);
    }
    c->st.data_ps += (uint64_t)(tick_ps(c, first + burst) - tick_ps(c, first));
    p->data_end = first + burst;
    p->last_cas = at;
    p->empty = 0;
}

/* ---- queue entries ---- */
static void link_entry(dram_chan_t *c, uint16_t i)
{
    entry_t *e = &c->e[i];
    bank_t *b = &c->bank[e->bank];
    e->next = NONE;
    e->prev = b->tail[e->dir];
    if (e->prev == NONE)
        b->head[e->dir] = i;
    else
        c->e[e->prev].next = i;
    b->tail[e->dir] = i;
    if (b->row == (int64_t)e->row && b->hit[e->dir] == NONE) b->hit[e->dir] = i;
    mask_set(c->busy, e->bank);
}

static uint16_t first_hit(const dram_chan_t *c, uint16_t i, int64_t row)
{
    while (i != NONE && (int64_t)c->e[i].row != row) i = c->e[i].next;
    return i;
}

static void unlink_entry(dram_chan_t *c, uint16_t i)
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
    if (b->head[0] == NONE && b->head[1] == NONE) mask_clear(c->busy, e->bank);
    if (!e->outside) c->count[e->dir]--;
    c->queued--;
    e->next = c->free_entry;
    c->free_entry = i;
}

static void done(dram_chan_t *c, req_t *r, ps_t data_ps, ps_t now)
{
    c->inflight--;
    r->stamp[ST_DRAM_DONE] = data_ps;
    c->env.done(c->env.ctx, r, data_ps, now);
}

/* A waiting write to the same place, if there is one: its entry. */
static uint16_t waiting_write(const dram_chan_t *c, uint32_t bank, uint32_t row, uint32_t col,
                              unsigned bursts)
{
    for (uint16_t i = c->bank[bank].head[1]; i != NONE; i = c->e[i].next) {
        const entry_t *e = &c->e[i];
        if (e->row == row && col >= e->col && col + bursts <= e->col + e->left) return i;
    }
    return NONE;
}

static bool is_write(const req_t *r)
{
    return r->kind == REQ_WRITE || r->kind == REQ_WRITEBACK;
}

static uint32_t bank_of(const dram_spec_t *s, const loc_t *l)
{
    return (((uint32_t)l->pc * s->p.ranks + l->rank) * s->p.bank_groups + l->bank_group) *
               s->p.banks_per_group +
           l->bank;
}

static unsigned bursts_of(const dram_spec_t *s, const req_t *r)
{
    unsigned bytes = 32u * (unsigned)__builtin_popcount(r->sectors);
    return (bytes + s->burst_bytes - 1) / s->burst_bytes;
}

/* Take one staged request into the queues; it is counted there from tick `now`. */
static void accept(dram_chan_t *c, req_t *r, int64_t now)
{
    const dram_spec_t *s = c->s;
    unsigned dir = is_write(r);
    uint32_t bank = bank_of(s, &r->loc);
    unsigned bursts = bursts_of(s, r);
    if (c->count[1]) {
        uint16_t w = waiting_write(c, bank, r->loc.row, r->loc.col, bursts);
        if (w != NONE) { /* reads are served from it; a write replaces it */
            ps_t t = tick_ps(c, now), data = dir ? t : tick_ps(c, now + s->forward);
            if (dir)
                c->st.writes++, c->st.coalesced++;
            else {
                c->st.reads++, c->st.forwarded++;
                c->st.read_latency_ps += (uint64_t)(data - t);
                hist_add(&c->latency, (uint64_t)(data - t));
            }
            r->stamp[ST_DRAM_CAS] = t;
            done(c, r, data, t);
            return;
        }
    }
    uint16_t i = c->free_entry;
    entry_t *e = &c->e[i];
    c->free_entry = e->next;
    *e = (entry_t){.r = r,
                   .age = ++c->ages,
                   .accepted = now,
                   .row = r->loc.row,
                   .col = r->loc.col,
                   .bank = (uint16_t)bank,
                   .dir = (uint8_t)dir,
                   .left = (uint8_t)bursts};
    c->count[dir]++;
    c->queued++;
    pc_state_t *p = &c->pc[c->t.pc_of[bank]];
    if (p->queued++ == 0) {
        int64_t from = later(p->empty_from, p->last_cas + s->burst);
        if (now > from) p->empty += now - from;
    }
    link_entry(c, i);
}

static void take_staged(dram_chan_t *c, int64_t now)
{
    for (unsigned d = 0; d < 2; d++)
        while (c->stage[d] && c->count[d] < c->limit[d]) {
            req_t *r = c->stage[d];
            c->stage[d] = r->next;
            if (!r->next) c->stage_tail[d] = &c->stage[d];
            c->staged--;
            c->st.staged_ps += (uint64_t)(tick_ps(c, now) - r->stamp[ST_DRAM_IN]);
            accept(c, r, now);
        }
}

static void choose_direction(dram_chan_t *c)
{
    if (!c->writing) {
        if (c->count[1] > c->high || !c->count[0]) c->writing = c->count[1] > 0;
    } else if (!c->count[1] || (c->count[1] < c->low && c->count[0]))
        c->writing = false;
}

/* ---- commands ---- */
static void report(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, uint32_t row, uint32_t col,
                   int64_t at)
{
    const dram_spec_t *s = c->s;
    unsigned ba = bank % s->p.banks_per_group, bg = bank / s->p.banks_per_group % s->p.bank_groups;
    unsigned rank = bank / s->banks_per_rank % s->p.ranks, pc = c->t.pc_of[bank];
    ps_t when = tick_ps(c, at);
    if (c->env.command_log)
        dram_log_command(c->env.command_log, c->id, cmd, pc, rank, bg, ba, row, col, when);
    if (!c->check) return;
    const char *bad = dram_check_command(c->check, cmd, pc, rank, bg, ba, row, col, when);
    if (bad && !c->violation) {
        strncpy(c->violation_text, bad, sizeof c->violation_text - 1);
        c->violation = c->violation_text;
    }
}

void chan_idle_refreshed(dram_chan_t *c, uint32_t unit, int64_t until)
{
    if (!c->check) return;
    const char *bad = dram_check_idle_refresh(c->check, unit / c->s->p.ranks, unit % c->s->p.ranks,
                                              tick_ps(c, until));
    if (bad && !c->violation) {
        strncpy(c->violation_text, bad, sizeof c->violation_text - 1);
        c->violation = c->violation_text;
    }
}

static void close_row(dram_chan_t *c, uint32_t bank)
{
    bank_t *b = &c->bank[bank];
    b->row = -1;
    b->hit[0] = b->hit[1] = NONE;
    b->hits = 0;
    if (b->right != NONE) {
        c->e[b->right].opened = false;
        b->right = NONE;
    }
    mask_clear(c->open, bank);
}

static void column(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, uint16_t i, int64_t at)
{
    const dram_spec_t *s = c->s;
    entry_t *e = &c->e[i];
    bank_t *b = &c->bank[bank];
    account_column(c, cmd, bank, at);
    if (e->opened || b->hits == 0)
        c->st.row_misses++;
    else
        c->st.row_hits++;
    e->opened = false;
    b->hits++;
    if (cmd == DRAM_WR)
        c->st.write_bursts++;
    else
        c->st.read_bursts++;
    ps_t now = tick_ps(c, at);
    req_t *r = e->r;
    if (!r->stamp[ST_DRAM_CAS]) r->stamp[ST_DRAM_CAS] = now;
    e->col++;
    if (--e->left) return;
    ps_t data = tick_ps(c, at + (cmd == DRAM_WR ? s->cwl : s->cl) + s->burst);
    if (cmd == DRAM_WR)
        c->st.writes++;
    else {
        ps_t lat = data - tick_ps(c, e->accepted);
        c->st.reads++;
        c->st.read_latency_ps += (uint64_t)lat;
        hist_add(&c->latency, (uint64_t)lat);
    }
    pc_state_t *p = &c->pc[c->t.pc_of[bank]];
    if (--p->queued == 0) p->empty_from = at;
    unlink_entry(c, i);
    done(c, r, data, now);
}

/* active_buffer: from its ACT on, a request waits elsewhere than in the queue. */
static void leave_queue(dram_chan_t *c, uint16_t i)
{
    if (!c->s->p.active_buffer || c->e[i].outside) return;
    c->e[i].outside = true;
    c->count[c->e[i].dir]--;
    c->places_freed = true;
}

void chan_issue(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, uint16_t entry, int64_t at)
{
    bank_t *b = &c->bank[bank];
    const uint32_t per_rank = c->s->banks_per_rank, rank = c->t.rank_of[bank];
    report(c, cmd, bank, entry == NONE ? 0 : c->e[entry].row, entry == NONE ? 0 : c->e[entry].col,
           at);
    switch (cmd) {
    case DRAM_ACT:
        c->st.act++;
        b->why = why_act(c, bank, at);
        b->row = c->e[entry].row;
        b->hits = 0;
        b->right = entry;
        c->e[entry].opened = true;
        leave_queue(c, entry);
        b->hit[0] = first_hit(c, b->head[0], b->row);
        b->hit[1] = first_hit(c, b->head[1], b->row);
        mask_set(c->open, bank);
        break;
    case DRAM_PRE:
        c->st.pre++;
        close_row(c, bank);
        break;
    case DRAM_PREA:
        c->st.prea++;
        for (uint32_t k = rank * per_rank; k < (rank + 1) * per_rank; k++)
            if (mask_has(c->open, k)) close_row(c, k);
        break;
    case DRAM_RD:
    case DRAM_WR:
    case DRAM_RDA:
    case DRAM_WRA:
        timing_issue(&c->t, cmd, bank, at);
        column(c, cmd, bank, entry, at);
        return;
    case DRAM_REFAB:
    case DRAM_REFPB:
        refresh_issued(c, bank, cmd, at);
        break;
    case DRAM_CMDS:
        break;
    }
    timing_issue(&c->t, cmd, bank, at);
}

/* ---- events ---- */
static void step(dram_chan_t *c, int64_t now);

static void wake_event(void *self, void *arg, ps_t now)
{
    dram_chan_t *c = self;
    (void)arg;
    if (c->wake == NEVER_TICK) return;
    int64_t tick = ps_tick(c, now);
    if (tick < c->wake) return; /* an earlier wake did the work and posted anew */
    c->wake = NEVER_TICK;
    step(c, tick);
}

static void sleep_until(dram_chan_t *c, int64_t tick)
{
    if (tick >= c->wake) return;
    c->wake = tick;
    engine_post(c->env.engine, &c->src, c->src.part, tick_ps(c, tick), wake_event, c, NULL);
}

/* Issue what may be issued at `now`, then sleep until something can change. */
static void step(dram_chan_t *c, int64_t now)
{
    if (c->running) return; /* a completion handed us a new request: the loop below will see it */
    c->running = true;
    for (;;) {
        if (now > c->now) c->now = now;
        if (c->staged) take_staged(c, now);
        choose_direction(c);
        choice_t x = sched_choose(c, now);
        if (x.at == NEVER_TICK) break;
        int64_t next = x.at < x.look ? x.at : x.look;
        if (next > now) {
            if (!c->lone || tick_ps(c, next) >= engine_next(c->env.engine)) {
                sleep_until(c, next);
                break;
            }
            now = next; /* nothing can come before: go there at once */
            continue;
        }
        chan_issue(c, x.cmd, x.bank, x.entry, x.at);
        if (c->places_freed) {
            c->places_freed = false;
            if (c->env.space) c->env.space(c->env.ctx, tick_ps(c, now));
        }
    }
    c->running = false;
}

void dram_submit(dram_chan_t *c, req_t *r, ps_t now)
{
    int64_t tick = ps_tick(c, now);
    unsigned d = is_write(r);
    if (tick < c->now) tick = c->now; /* a channel alone runs ahead of its source */
    if (!c->queued && !c->staged && !c->running) refresh_catch_up(c, tick);
    r->stamp[ST_DRAM_IN] = now;
    r->stamp[ST_DRAM_CAS] = 0;
    c->inflight++;
    if (dram_can_take(c, d)) accept(c, r, tick);
    else { /* a completion will take it in */
        r->next = NULL;
        *c->stage_tail[d] = r;
        c->stage_tail[d] = &r->next;
        c->staged++;
        return;
    }
    if (!c->lone) step(c, tick);
}

void dram_kick(dram_chan_t *c, ps_t now)
{
    int64_t tick = ps_tick(c, now);
    step(c, tick < c->now ? c->now : tick);
}

/* ---- making and ending ---- */
dram_chan_t *dram_chan_new(const dram_spec_t *s, const dram_env_t *env, uint32_t channel)
{
    arena_t *a = env->arena;
    dram_chan_t *c = arena_alloc(a, sizeof *c);
    c->s = s;
    c->env = *env;
    c->id = channel;
    c->lone = env->lone;
    engine_register(env->engine, &c->src, env->partition);
    timing_init(&c->t, s, a);
    c->bank = arena_array(a, bank_t, s->banks);
    for (uint32_t b = 0; b < s->banks; b++)
        c->bank[b] = (bank_t){.row = -1,
                              .head = {NONE, NONE},
                              .tail = {NONE, NONE},
                              .hit = {NONE, NONE},
                              .right = NONE,
                              .why = WHY_ROW,
                              .refreshed = -1};
    c->pc = arena_array(a, pc_state_t, s->p.pseudo_channels);
    c->limit[0] = s->p.read_queue;
    c->limit[1] = s->p.write_queue;
    c->high = (uint32_t)(s->p.write_high * s->p.write_queue);
    c->low = (uint32_t)(s->p.write_low * s->p.write_queue);
    uint32_t n = c->limit[0] + c->limit[1] + s->banks;
    c->e = arena_array(a, entry_t, n);
    for (uint32_t i = 0; i < n; i++) c->e[i].next = i + 1 < n ? (uint16_t)(i + 1) : NONE;
    c->wake = NEVER_TICK;
    for (unsigned d = 0; d < 2; d++) c->stage_tail[d] = &c->stage[d];
    refresh_init(c);
    if (env->check) c->check = dram_check_new(&s->p, a);
    return c;
}

bool dram_can_take(const dram_chan_t *c, bool write)
{
    return !c->stage[write] && c->count[write] < c->limit[write];
}
uint32_t dram_inflight(const dram_chan_t *c)
{
    return c->inflight;
}
const dram_stats_t *dram_chan_stats(const dram_chan_t *c)
{
    return &c->st;
}
const hist_t *dram_chan_read_latency(const dram_chan_t *c)
{
    return &c->latency;
}
ps_t dram_chan_now(dram_chan_t *c)
{
    return tick_ps(c, c->now);
}

int dram_chan_finish(dram_chan_t *c, ps_t now, diag_t *d)
{
    int64_t tick = ps_tick(c, now);
    if (!c->queued && !c->staged) refresh_catch_up(c, tick);
    for (uint32_t p = 0; p < c->s->p.pseudo_channels; p++) { /* the bus is empty to the end */
        ps_t left = now - tick_ps(c, c->pc[p].data_end);
        if (left > 0) {
            c->st.idle_empty_ps += (uint64_t)left;
            c->pc[p].data_end = tick;
        }
    }
    if (c->violation)
        return diag_add(d, MS_INTERNAL, "channel %u: illegal command: %s", c->id, c->violation);
    for (uint32_t u = 0; u < c->s->ranks; u++) {
        uint64_t want;
        if (!refresh_count_right(c, tick, u, &want))
            return diag_add(d, MS_INTERNAL,
                            "channel %u, rank %u: %" PRIu64 " refreshes in %.3f us, %" PRIu64
                            " are due",
                            c->id, u, c->unit[u].done, (double)now / 1e6, want);
    }
    if (c->check) {
        const char *bad = dram_check_finish(c->check, now);
        if (bad) return diag_add(d, MS_INTERNAL, "channel %u: %s", c->id, bad);
    }
    return MS_OK;
}
