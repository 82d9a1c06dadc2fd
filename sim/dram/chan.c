/* SPDX-License-Identifier: MIT
 * A channel's life: requests come in, commands go out, and between them it sleeps until something can change.
 *
 *   dram_submit ──► stage ──► queue_insert      wake ──► step ──► sched_plan ──► issue ──► env.done
 */
#include "dram/chan.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

void chan_violation(dram_chan_t *c, const char *text)
{
    if (c->violated) return; /* the first one explains the others */
    c->violated = true;
    snprintf(c->violation, sizeof c->violation, "%s", text);
}

/* ---- commands ---- */
static void report(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, uint32_t row, uint32_t col,
                   int64_t at)
{
    const dram_spec_t *s = c->s;
    unsigned ba = bank % s->p.banks_per_group, bg = bank / s->p.banks_per_group % s->p.bank_groups;
    unsigned rank = bank / s->banks_per_rank % s->p.ranks, pc = c->s->effects.site[bank].pc;
    ps_t when = dram_tick_ps(s, at);
    if (c->env.command_log)
        dram_log_command(c->env.command_log, c->id, (int)cmd, pc, rank, bg, ba, row, col, when);
    if (!c->check) return;
    const char *bad = dram_check_command(c->check, (int)cmd, pc, rank, bg, ba, row, col, when);
    if (bad) chan_violation(c, bad);
}

/* Nobody else does anything before this time: until then the channel goes from command to command without events. */
static void look_around(dram_chan_t *c)
{
    c->others_ps = c->env.lone ? engine_next(c->env.engine) : engine_horizon(c->env.engine);
}

static void completed(dram_chan_t *c, req_t *r, ps_t data_ps, ps_t now)
{
    c->inflight--;
    r->stamp[ST_DRAM_DONE] = data_ps;
    if (!c->env.lone) engine_advance(c->env.engine, now);
    c->env.done(c->env.ctx, r, data_ps, now);
    look_around(c);
}

static void finish_entry(dram_chan_t *c, uint16_t i, int64_t at)
{
    const dram_spec_t *s = c->s;
    entry_t *e = &c->e[i];
    req_t *r = e->r;
    ps_t data = dram_tick_ps(s, at + (e->dir ? s->cwl : s->cl) + s->burst);
    if (e->dir)
        c->st.writes++;
    else {
        ps_t latency = data - e->in_ps;
        c->st.reads++;
        c->st.read_latency_ps += (uint64_t)latency;
        hist_add(&c->latency, (uint64_t)latency);
    }
    uint32_t bank = e->bank;
    r->stamp[ST_DRAM_IN] = e->in_ps;
    r->stamp[ST_DRAM_CAS] = e->cas_ps;
    queue_remove(c, i);
    sched_bank_changed(c, bank, at);
    completed(c, r, data, dram_tick_ps(s, at));
}

static void issue_column(dram_chan_t *c, const pick_t *x)
{
    const uint32_t bank = x->bank;
    const uint16_t i = x->entry;
    const int64_t at = x->at;
    entry_t *e = &c->e[i];
    bank_t *b = &c->bank[bank];
    /* Closed pages: the last request for a row closes it behind itself. */
    const bool closing = c->closed_page && e->left == 1 && !queue_row_wanted(c, i);
    loss_column(c, e, at);
    if (c->check || c->env.command_log)
        report(c, closing ? (e->dir ? DRAM_WRA : DRAM_RDA) : x->cmd, bank, e->row, e->col, at);
    timing_column(&c->t, e->dir, closing, bank, at);
    sched_column_issued(c, bank);
    if (e->opened)
        c->st.row_misses++;
    else
        c->st.row_hits++;
    e->opened = false;
    b->hits++;
    if (e->dir)
        c->st.write_bursts++;
    else
        c->st.read_bursts++;
    if (!e->cas_ps) {
        e->cas_ps = dram_tick_ps(c->s, at);
        req_prefetch(e->r); /* its last burst is near */
    }
    e->col++;
    if (--e->left == 0) {
        if (closing) {
            b->right = NONE;
            queue_row_closed(c, bank);
        }
        finish_entry(c, i, at);
    } else if (c->s->p.row_hit_cap)
        queue_view(c, bank);
}

/* active_buffer: from its ACT on, a request waits elsewhere than in the queue. */
static void leave_queue(dram_chan_t *c, uint16_t i)
{
    entry_t *e = &c->e[i];
    if (!c->s->p.active_buffer || e->outside) return;
    e->outside = true;
    c->count[e->dir]--;
    c->places_freed = c->room = true;
}

static void issue_row(dram_chan_t *c, pick_t x)
{
    if (c->check || c->env.command_log)
        report(c, x.cmd, x.bank, x.entry == NONE ? 0 : c->e[x.entry].row, 0, x.at);
    loss_row(c, &x);
    timing_row(&c->t, x.cmd, x.bank, x.at);
    sched_row_issued(c, x.bank);
    if (x.cmd == DRAM_ACT) {
        c->st.act++;
        queue_row_opened(c, x.bank, x.entry);
        leave_queue(c, x.entry);
        sched_bank_changed(c, x.bank, x.at);
    } else if (x.cmd == DRAM_PRE) {
        c->st.pre++;
        queue_row_closed(c, x.bank);
        sched_bank_changed(c, x.bank, x.at);
    } else if (x.cmd == DRAM_PREA) {
        uint32_t n = c->s->banks_per_rank, first = c->s->effects.site[x.bank].rank * n;
        c->st.prea++;
        for (uint32_t k = first; k < first + n; k++) queue_row_closed(c, k);
        sched_forget(c);
    } else
        refresh_issued(c, x.bank, x.cmd, x.at);
}

/* ---- intake ---- */
bool dram_can_take(const dram_chan_t *c, bool write)
{
    return !c->stage[write].n && c->count[write] < c->limit[write];
}

static void put_on_stage(dram_chan_t *c, const ask_t *x)
{
    staging_t *g = &c->stage[x->dir];
    if (g->n == g->size) { /* what was there goes to the start of twice the room */
        ask_t *at = arena_array(c->env.arena, ask_t, g->size ? 2 * g->size : 16);
        for (uint32_t i = 0; i < g->n; i++) at[i] = g->at[(g->first + i) & (g->size - 1)];
        *g = (staging_t){at, 0, g->n, g->size ? 2 * g->size : 16};
    }
    g->at[(g->first + g->n++) & (g->size - 1)] = *x;
    c->staged++;
}

static void take_staged(dram_chan_t *c, int64_t now)
{
    for (unsigned d = 0; d < 2; d++) {
        staging_t *g = &c->stage[d];
        while (g->n && c->count[d] < c->limit[d]) {
            const ask_t x = g->at[g->first];
            const ps_t now_ps = dram_tick_ps(c->s, now);
            g->first = (g->first + 1) & (g->size - 1);
            g->n--;
            c->staged--;
            c->st.staged_ps += (uint64_t)(now_ps - x.in_ps);
            if (!queue_insert(c, &x, now, now_ps))
                completed(c, x.r, x.r->stamp[ST_DRAM_DONE], now_ps);
        }
    }
}

static bool wants_to_write(const dram_chan_t *c)
{
    if (!c->count[1]) return false;
    if (c->writing) return c->count[1] >= c->low || !c->count[0];
    return c->count[1] > c->high || !c->count[0];
}

static void choose_direction(dram_chan_t *c)
{
    bool write = wants_to_write(c);
    if (write == c->writing) return;
    c->writing = write;
    sched_forget(c);
}

/* ---- time ---- */
static void step(dram_chan_t *c, int64_t now);

static void wake_event(void *self, void *arg, ps_t now)
{
    dram_chan_t *c = self;
    (void)now;
    if ((uintptr_t)arg != c->wakes) return; /* another one was posted for an earlier time */
    const int64_t tick = c->wake;
    c->wake = NEVER_TICK;
    step(c, tick);
}

static void fetch(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i);
}

/* A channel works for a while, then others do: what it will need has left the processor's nearest cache. */
static void wake_prepare(void *self, void *arg)
{
    const dram_chan_t *c = self;
    (void)arg;
    fetch(c, sizeof *c - sizeof c->latency - sizeof c->violation);
    fetch(c->t.words, c->s->effects.words * sizeof *c->t.words);
    fetch(c->pc, c->s->p.pseudo_channels * sizeof *c->pc);
    fetch(c->e, (c->limit[0] + c->limit[1]) * sizeof *c->e);
}

static void sleep_until(dram_chan_t *c, int64_t tick, ps_t when)
{
    if (tick >= c->wake) return;
    c->wake = tick;
    engine_post_wake(c->env.engine, &c->src, when, wake_event, c, (void *)++c->wakes);
}

/* When the channel must look again, given its best command. */
static int64_t next_look(const dram_chan_t *c, int64_t best)
{
    if (c->refresh_next < best && !refresh_may_sleep(c)) return c->refresh_next;
    return best;
}

/* A lone channel runs ahead of the engine by this much at most, so that its owner can look up. */
#define RUN_AHEAD_PS 100000000

static void replan(dram_chan_t *c, int64_t now)
{
    if (c->room) {
        c->room = false;
        if (c->staged) take_staged(c, now);
    }
    choose_direction(c);
    if (now >= c->refresh_next) refresh_freeze(c, now);
    sched_plan(c, now);
}

/* Issue the plan. */
static void issue(dram_chan_t *c)
{
    c->plan_holds = false;
    if (c->plan.cmd == DRAM_RD || c->plan.cmd == DRAM_WR) {
        issue_column(c, &c->plan);
        return;
    }
    issue_row(c, c->plan);
    if (!c->places_freed) return;
    c->places_freed = false;
    if (!c->env.space) return;
    const ps_t now_ps = dram_tick_ps(c->s, c->now);
    if (!c->env.lone) engine_advance(c->env.engine, now_ps);
    c->env.space(c->env.ctx, c->id, now_ps);
    look_around(c);
}

/* Issue what may be issued at `now`, then sleep until something can change. */
static void step(dram_chan_t *c, int64_t now)
{
    if (c->running) return; /* a completion handed over a request: the loop below will see it */
    c->running = true;
    look_around(c);
    const int64_t limit = now + c->run_ahead;
    ps_t reached = 0;
    for (;;) {
        if (now > c->now) c->now = now;
        if (!c->plan_holds || c->plan.at < now || now >= c->refresh_next) replan(c, now);
        int64_t next = next_look(c, c->plan.at);
        if (next == NEVER_TICK) break;
        /* A lone channel whose source has nothing more to give ends here, open rows or not. */
        if (c->env.lone && !c->queued && !c->staged && c->others_ps == PS_MAX) break;
        if (next <= now) {
            issue(c);
            continue;
        }
        const ps_t next_ps = dram_tick_ps(c->s, next);
        if (next > limit || next_ps >= c->others_ps) {
            sleep_until(c, next, next_ps);
            break;
        }
        now = next;
        reached = next_ps;
    }
    if (!c->env.lone) engine_advance(c->env.engine, reached);
    c->running = false;
}

/* Served without a command, but not before the submitter has returned. */
static void served_event(void *self, void *arg, ps_t now)
{
    req_t *r = arg;
    completed(self, r, r->stamp[ST_DRAM_DONE], now);
}

void dram_submit(dram_chan_t *c, req_t *r, ps_t now)
{
    const ask_t x = queue_ask(c->s, r, now);
    c->inflight++;
    if (!dram_can_take(c, x.dir)) {
        put_on_stage(c, &x); /* a completion will take it in */
        return;
    }
    int64_t tick = dram_ps_tick(c->s, now);
    if (tick < c->now) tick = c->now; /* a lone channel runs ahead of its source */
    if (!c->running && refresh_may_sleep(c)) {
        c->plan_holds = false;
        refresh_catch_up(c, tick);
    }
    if (!queue_insert(c, &x, tick, now)) {
        if (c->env.lone)
            completed(c, r, r->stamp[ST_DRAM_DONE], now);
        else
            engine_post(c->env.engine, &c->src, c->src.part, now, served_event, c, r);
        return;
    }
    if (c->running || c->env.lone) return;
    /* Would the channel do something before it wakes? */
    int64_t next = tick;
    if (wants_to_write(c) == c->writing && !c->any_frozen) {
        sched_plan(c, tick);
        next = later(next_look(c, c->plan.at), tick);
    }
    sleep_until(c, next, dram_tick_ps(c->s, next));
}

void dram_kick(dram_chan_t *c, ps_t now)
{
    step(c, later(dram_ps_tick(c->s, now), c->now));
}

/* ---- making and ending ---- */
dram_chan_t *dram_chan_new(const dram_spec_t *s, const dram_env_t *env, uint32_t channel)
{
    arena_t *a = env->arena;
    dram_chan_t *c = arena_alloc(a, sizeof *c);
    c->s = s;
    c->env = *env;
    c->id = channel;
    engine_register(env->engine, &c->src, env->partition);
    engine_prepare(env->engine, wake_event, wake_prepare);
    timing_init(&c->t, s, a);
    c->bank = (bank_t *)(void *)c->t.bank;
    c->way = arena_array(a, way_t, s->banks);
    for (uint32_t b = 0; b < s->banks; b++)
        c->bank[b] = (bank_t){.row = -1,
                              .head = {NONE, NONE},
                              .tail = {NONE, NONE},
                              .hit = {NONE, NONE},
                              .right = NONE,
                              .refreshed = -1};
    c->pc = arena_array(a, pc_state_t, s->p.pseudo_channels);
    for (uint32_t k = 0; k < s->p.pseudo_channels; k++)
        for (unsigned i = 0; i < 2 * OFFERS; i++)
            c->pc[k].offers[i / 2][i % 2].key =
                arena_array(a, offer_key_t, s->banks / s->p.pseudo_channels);
    c->limit[0] = s->p.read_queue;
    c->limit[1] = s->p.write_queue;
    c->high = (uint32_t)(s->p.write_high * s->p.write_queue);
    c->low = (uint32_t)(s->p.write_low * s->p.write_queue);
    /* Every bank may have a request outside its queue, in either direction, that comes back (queue_row_closed). */
    uint32_t n = c->limit[0] + c->limit[1] + (s->p.active_buffer ? 2 * s->banks : 0);
    c->e = arena_array(a, entry_t, n);
    for (uint32_t i = 0; i < n; i++) c->e[i].next = i + 1 < n ? (uint16_t)(i + 1) : NONE;
    c->wake = NEVER_TICK;
    c->run_ahead = dram_ps_tick(s, RUN_AHEAD_PS);
    c->n_pc = s->p.pseudo_channels;
    c->fcfs = s->p.scheduler == DRAM_FCFS;
    c->closed_page = s->p.page == DRAM_PAGE_CLOSED;
    refresh_init(c);
    if (env->check) c->check = dram_check_new(&s->p, a);
    return c;
}

uint32_t dram_inflight(const dram_chan_t *c)
{
    return c->inflight;
}

static void ticks_to_stats(dram_chan_t *c)
{
    uint64_t *const of[WHY_COUNT] = {
        &c->st.idle_empty_ps, &c->st.idle_row_ps,     &c->st.idle_act_ps, &c->st.idle_ccd_ps,
        &c->st.idle_turn_ps,  &c->st.idle_refresh_ps, &c->st.idle_bus_ps, &c->st.idle_other_ps};
    for (unsigned w = 0; w < WHY_COUNT; w++)
        *of[w] = (uint64_t)dram_tick_ps(c->s, c->idle_ticks[w]);
    c->st.data_ps = (uint64_t)dram_tick_ps(c->s, c->data_ticks);
}

const dram_stats_t *dram_chan_stats(dram_chan_t *c)
{
    loss_settle(c, later(c->now, dram_ps_tick(c->s, engine_now(c->env.engine))), false);
    ticks_to_stats(c);
    return &c->st;
}

const hist_t *dram_chan_read_latency(const dram_chan_t *c)
{
    return &c->latency;
}

ps_t dram_chan_now(dram_chan_t *c)
{
    return dram_tick_ps(c->s, c->now);
}

/* Nothing is queued any more: refresh until `tick`, closing rows on the way, or until the rest can be counted. */
static void refresh_until(dram_chan_t *c, int64_t tick)
{
    int64_t now = c->now;
    while (!c->queued && !refresh_may_sleep(c)) {
        if (now >= c->refresh_next) refresh_freeze(c, now);
        pick_t x = refresh_pick(c, now);
        int64_t next = x.at < c->refresh_next ? x.at : c->refresh_next;
        if (next > tick) break;
        now = later(now, next);
        if (x.at <= now) issue_row(c, x);
    }
}

int dram_chan_finish(dram_chan_t *c, ps_t now, diag_t *d)
{
    char text[160];
    int64_t tick = dram_ps_tick(c->s, now);
    refresh_until(c, tick);
    if (refresh_may_sleep(c)) refresh_catch_up(c, tick);
    loss_settle(c, tick, true);
    ticks_to_stats(c);
    const char *bad = c->violated ? c->violation : NULL;
    if (bad) return diag_add(d, MS_INTERNAL, "channel %u: illegal command: %s", c->id, bad);
    bad = refresh_miscounted(c, tick, text, sizeof text);
    if (!bad && c->check) bad = dram_check_finish(c->check, now);
    return bad ? diag_add(d, MS_INTERNAL, "channel %u: %s", c->id, bad) : MS_OK;
}
