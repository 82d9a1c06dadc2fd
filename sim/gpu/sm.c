/* SPDX-License-Identifier: MIT
 * The SM: blocks, warps, the program interpreter.  Memory operations are in sm_mem.c. */
#include "gpu/sm.h"
#include <assert.h>
#include <string.h>

#define SM_ROW(name, unit, help) STAT_ROW_IN(sm_stats_t, name, unit, help)
static const stat_row_t sm_rows[] = {SM_STATS(SM_ROW)};
const stat_table_t sm_stat_table = {"sm", sm_rows, sizeof sm_rows / sizeof *sm_rows,
                                    sizeof(sm_stats_t)};

/* Loops are free, but not for ever: so many turns without anything that takes time take their branches' issue
 * slots, so that the run goes on, can be interrupted, and is found out if that is all that happens. */
#define TURNS_MAX 65536

static ps_t rate_ps(clk_t clk, double per_clk)
{
    return (ps_t)(1e12 / ((double)clk.hz * per_clk) + 0.999);
}

void sm_init(sm_t *s, const sm_env_t *env, uint16_t id, unsigned partition)
{
    const gpu_param_t *g = env->gpu;
    clk_t clk = {g->clock};
    *s = (sm_t){.env = env, .id = id, .clk = clk};
    engine_register(env->engine, &s->src, partition);
    stat_banks_init(&s->banks, env->arena, &s->st, sizeof s->st);
    s->lat_of = arena_array(env->arena, sm_latency_t *, STAT_BANKS);
    s->lat = s->lat_of[0] = arena_alloc(env->arena, sizeof *s->lat);
    s->drain = arena_array(env->arena, sm_drain_t, STAT_BANKS);
    for (unsigned i = 0; i < STAT_BANKS; i++) s->drain[i].sm = id;
    s->clk_ps = clk_span(clk, 1);
    s->lsu_ps = rate_ps(clk, g->lsu_lines_per_clk);
    s->tile_ps = rate_ps(clk, g->tile_lines_per_clk);
    s->issue_ps = rate_ps(clk, g->issue_per_clk);
    s->retire_ps = gap_ps(g->cta_retire, clk);
    s->warp_launch_ps = gap_ps(g->warp_launch, clk);
    s->barrier_ps = gap_ps(g->barrier, clk);
    s->alu_ps = gap_ps(g->alu, clk);
    s->mma_latency_ps = gap_ps(g->mma_latency, clk);
    s->slack_ps = env->hop_events ? 0 : 4 * s->clk_ps;
    const uint32_t rate[UNIT_COUNT] = {[UNIT_FP32] = g->fp32_per_clk,
                                       [UNIT_FP64] = g->fp64_per_clk,
                                       [UNIT_FP16] = g->fp16_per_clk,
                                       [UNIT_TENSOR_FP16] = g->tensor_fp16_per_clk,
                                       [UNIT_TENSOR_FP8] = g->tensor_fp8_per_clk,
                                       [UNIT_TENSOR_TF32] = g->tensor_tf32_per_clk,
                                       [UNIT_INT] = g->int_per_clk,
                                       [UNIT_SFU] = g->sfu_per_clk};
    memcpy(s->rate, rate, sizeof rate);
    uint32_t n = g->threads_per_sm / g->warp_size;
    if (n < g->ctas_per_sm) n = g->ctas_per_sm;
    s->warp = arena_array(env->arena, warp_t, n);
    for (uint32_t i = n; i-- > 0;) {
        s->warp[i].slot = i;
        s->warp[i].next = s->free_warp;
        s->free_warp = &s->warp[i];
    }
    s->slot_tail = &s->slot_wait;
    s->tile_tail = &s->tile_head;
}

void sm_charge_other(sm_t *s, unsigned bank)
{
    stat_charge(&s->banks, bank);
    if (!s->lat_of[bank]) s->lat_of[bank] = arena_alloc(s->env->arena, sizeof *s->lat);
    s->lat = s->lat_of[bank];
}

/* ---- waking and ending ---- */
static void wake_event(void *self, void *arg, ps_t now)
{
    sm_warp_run(self, arg, now);
}

void sm_wake(sm_t *s, warp_t *w, ps_t at)
{
    w->state = WARP_TIME;
    engine_post(s->env->engine, &s->src, s->src.part, at, wake_event, s, w);
}

void sm_cta_check_end(sm_t *s, cta_t *c, ps_t at)
{
    if (c->live || c->bulk_out) return;
    s->resident--;
    s->st.ctas++;
    sm_drain_t *d = &s->drain[c->run->bank];
    d->run = c->run;
    d->owed = d->stores > 0;
    c->stores_left = d->stores;
    engine_post(s->env->engine, &s->src, s->env->front_part, at + s->retire_ps, s->env->retired,
                s->env->front, c);
}

static void release_barrier(sm_t *s, cta_t *c, ps_t at)
{
    if (!c->barrier_list || c->at_barrier < c->live) return;
    warp_t *list = c->barrier_list;
    c->barrier_list = NULL;
    c->at_barrier = 0;
    s->st.barriers++;
    for (warp_t *w = list, *next; w; w = next) {
        next = w->next;
        sm_wake(s, w, at + s->barrier_ps);
    }
}

static void warp_end(sm_t *s, warp_t *w, ps_t t)
{
    cta_t *c = w->cta;
    s->st.warps++;
    s->st.resident_warps_ps += (uint64_t)(t - w->start_ps);
    w->state = WARP_FREE;
    w->next = s->free_warp;
    s->free_warp = w;
    c->live--;
    release_barrier(s, c, t);
    sm_cta_check_end(s, c, t);
}

/* ---- groups of bulk copies ---- */
void sm_groups_advance(sm_t *s, cta_t *c)
{
    while (c->done_group < c->open_group && !c->group_out[c->done_group % GROUPS]) c->done_group++;
    for (warp_t **p = &c->group_list; *p;) {
        warp_t *w = *p;
        if (w->want_group > c->done_group) {
            p = &w->next;
            continue;
        }
        *p = w->next;
        ps_t at = engine_now(s->env->engine);
        if (w->want_group) at = ps_later(at, c->group_ready_ps[(w->want_group - 1) % GROUPS]);
        sm_wake(s, w, at);
    }
}

/* False: the warp must wait for a group (it is in the list). */
static bool wait_group(warp_t *w, uint32_t n, ps_t *t)
{
    cta_t *c = w->cta;
    w->want_group = c->open_group > n ? c->open_group - n : 0;
    if (w->want_group <= c->done_group) {
        if (w->want_group) *t = ps_later(*t, c->group_ready_ps[(w->want_group - 1) % GROUPS]);
        return true;
    }
    w->state = WARP_GROUP;
    w->next = c->group_list;
    c->group_list = w;
    return false;
}

void sm_fault(sm_t *s, sm_fault_kind_t kind, uint32_t line, uint64_t a, uint64_t b)
{
    if (!s->fault.kind) s->fault = (sm_fault_t){kind, line, a, b};
}

/* ---- arithmetic ---- */
/* A pipe's time for `amount` at per_clk from t on; false: more than there may be, a fault. */
static bool pipe_time(sm_t *s, const wop_t *op, const server_t *pipe, uint32_t per_clk,
                      int64_t amount, ps_t t, ps_t *dur)
{
    if (amount > WOP_AMOUNT_MAX) {
        sm_fault(s, FAULT_AMOUNT, op->line, (uint64_t)amount, 0);
        return false;
    }
    *dur = port_time(s->clk, (uint64_t)amount, per_clk);
    if (*dur <= PS_END - ps_later(t, pipe->free_ps)) return true;
    sm_fault(s, FAULT_TIME, op->line, 0, 0);
    return false;
}

static ps_t last_pipe_done(const warp_t *w)
{
    return w->pipe_done_ps[(w->pipe_head + 7) % 8];
}

/* Time the warp may put one more operation into a pipe: when the one `in_flight` back has left it. */
static ps_t pipe_slot(const sm_t *s, const warp_t *w)
{
    unsigned m = s->env->gpu->mma_in_flight < 8 ? s->env->gpu->mma_in_flight : 8;
    return w->pipe_done_ps[(w->pipe_head + 8 - m) % 8];
}

static void pipe_push(warp_t *w, ps_t done, ps_t latency)
{
    w->result_ps = ps_later(w->result_ps, done + latency);
    w->pipe_done_ps[w->pipe_head] = ps_later(done, last_pipe_done(w));
    w->pipe_head = (uint8_t)((w->pipe_head + 1) % 8);
}

static void compute(sm_t *s, warp_t *w, const wop_t *op, ps_t t)
{
    int64_t n = expr_eval(&op->amount, w->v);
    ps_t dur;
    if (n <= 0 || !pipe_time(s, op, &s->pipe[op->unit], s->rate[op->unit], n, t, &dur)) return;
    ps_t start = server_start(&s->pipe[op->unit], t, dur);
    s->st.operations += (uint64_t)n;
    w->cta->operations += (uint64_t)n;
    bool tensor =
        op->unit == UNIT_TENSOR_FP16 || op->unit == UNIT_TENSOR_FP8 || op->unit == UNIT_TENSOR_TF32;
    pipe_push(w, start + dur, tensor ? s->mma_latency_ps : s->alu_ps);
}

static void shared(sm_t *s, warp_t *w, const wop_t *op, ps_t t)
{
    int64_t n = expr_eval(&op->amount, w->v);
    ps_t dur;
    if (n <= 0 || !pipe_time(s, op, &s->shared, s->env->gpu->shared_bytes_per_clk, n, t, &dur))
        return;
    ps_t start = server_start(&s->shared, t, dur);
    s->st.shared_bytes += (uint64_t)n;
    s->st.shared_busy_ps += (uint64_t)dur;
    pipe_push(w, start + dur, s->alu_ps);
}

/* When the results of all arithmetic so far can be used. */
static ps_t result_ready(const warp_t *w, ps_t t)
{
    return ps_later(t, w->result_ps);
}

/* ---- the interpreter ---- */
static ps_t issue(sm_t *s, ps_t t)
{
    s->st.instructions++;
    return server_start(&s->issue, t, s->issue_ps);
}

void sm_warp_run(sm_t *s, warp_t *w, ps_t now)
{
    const kernel_t *k = w->cta->run->k;
    ps_t t = now;
    uint32_t turns = 0;
    sm_charge(s, w->cta->run->bank);
    w->state = WARP_RUN;
    for (;;) {
        if (t > now + s->slack_ps) {
            sm_wake(s, w, t);
            return;
        }
        if (w->pc >= k->nops) break;
        const wop_t *op = &k->op[w->pc];
        unsigned d = op->depth;
        switch (op->kind) {
        case WOP_STORE:
            if (!w->sub && result_ready(w, t) > t) {
                t = result_ready(w, t);
                continue;
            }
            __attribute__((fallthrough));
        case WOP_LOAD:
        case WOP_ATOMIC:
        case WOP_PREFETCH:
            if (!w->sub) t = issue(s, t);
            if (!sm_memory_op(s, w, op, t, now)) return;
            w->pc++;
            break;
        case WOP_TILE_STORE:
            if (result_ready(w, t) > t) {
                t = result_ready(w, t);
                continue;
            }
            __attribute__((fallthrough));
        case WOP_TILE_LOAD:
            t = issue(s, t);
            sm_tile_op(s, w, op, t);
            w->pc++;
            break;
        case WOP_COMMIT:
            if (!wait_group(w, GROUPS - 2, &t))
                return; /* the ring of groups is finite, as in hardware */
            w->cta->open_group++;
            sm_groups_advance(s, w->cta);
            w->cta->group_out[w->cta->open_group % GROUPS] = 0;
            w->cta->group_ready_ps[w->cta->open_group % GROUPS] = 0;
            w->pc++;
            break;
        case WOP_WAIT:
            if (w->out[op->token]) {
                w->state = WARP_TOKEN;
                w->token = op->token;
                return;
            }
            t = ps_later(t, w->ready_ps[op->token]);
            w->pc++;
            break;
        case WOP_WAIT_GROUP: {
            int64_t n = expr_eval(&op->count, w->v);
            w->pc++; /* before it may be woken */
            if (!wait_group(w, n > 0 ? (uint32_t)n : 0, &t)) return;
            break;
        }
        case WOP_COMPUTE:
        case WOP_SHARED:
            if (pipe_slot(s, w) > t) {
                t = pipe_slot(s, w);
                continue;
            }
            t = issue(s, t);
            if (op->kind == WOP_COMPUTE)
                compute(s, w, op, t);
            else
                shared(s, w, op, t);
            w->pc++;
            break;
        case WOP_BARRIER: {
            cta_t *c = w->cta;
            w->pc++;
            w->state = WARP_BARRIER;
            w->next = c->barrier_list;
            c->barrier_list = w;
            c->at_barrier++;
            release_barrier(s, c, t);
            return;
        }
        case WOP_LOOP:
            w->loop_n[d] = expr_eval(&op->count, w->v);
            w->v[V_I0 + d] = 0;
            w->pc = w->loop_n[d] > 0 ? (uint16_t)(w->pc + 1) : (uint16_t)(op->jump + 1);
            break;
        case WOP_END:
            if (!d) s->iterations++;
            if (++w->v[V_I0 + d] < w->loop_n[d])
                w->pc = (uint16_t)(op->jump + 1);
            else
                w->pc++;
            if (++turns == TURNS_MAX) {
                sm_wake(s, w, t + TURNS_MAX * s->issue_ps);
                return;
            }
            break;
        case WOP_SKIP_UNLESS:
            w->pc = expr_eval(&op->count, w->v) ? (uint16_t)(w->pc + 1) : op->jump;
            break;
        case WOP_EXIT:
            w->pc = (uint16_t)k->nops;
            break;
        }
    }
    if (result_ready(w, t) > t) {
        sm_wake(s, w, result_ready(w, t));
        return;
    }
    if (w->in_flight) {
        w->state = WARP_DRAIN;
        return;
    }
    warp_end(s, w, t);
}

/* ---- blocks ---- */
static void warp_begin(void *self, void *arg, ps_t now)
{
    sm_t *s = self;
    warp_t *w = arg;
    const kernel_t *k = w->cta->run->k;
    w->start_ps = now;
    for (uint32_t i = 0; i < k->nlets; i++) w->v[V_LET0 + i] = expr_eval(&k->let[i], w->v);
    sm_warp_run(s, w, now);
}

void sm_cta_arrive(void *self, void *arg, ps_t now)
{
    sm_t *s = self;
    cta_t *c = arg;
    const kernel_t *k = c->run->k;
    if (c->run->seq > s->l1_seq) { /* an SM's L1 is invalidated when a kernel begins on it */
        s->l1_seq = c->run->seq;
        /* Beside blocks of another kernel the split that leaves less to the L1 stays in force. */
        if (!s->resident || c->run->l1_bytes < s->l1_bytes) s->l1_bytes = c->run->l1_bytes;
        s->env->l1_reset(s->env->ctx, s, s->l1_bytes);
    }
    s->resident++;
    c->live = c->n_warps;
    c->at_barrier = c->open_group = c->done_group = c->bulk_out = 0;
    c->load_bytes = c->store_bytes = c->operations = 0;
    c->barrier_list = c->group_list = NULL;
    memset(c->group_out, 0, sizeof c->group_out);
    memset(c->group_ready_ps, 0, sizeof c->group_ready_ps);
    for (uint32_t i = 0; i < c->n_warps; i++) {
        warp_t *w = s->free_warp;
        assert(w && "the block scheduler counts warps");
        s->free_warp = w->next;
        uint32_t slot = w->slot;
        memset(w, 0, sizeof *w);
        w->slot = slot;
        w->cta = c;
        c->warp[i] = w;
        w->v[V_CTA_X] = c->id % k->grid[0];
        w->v[V_CTA_Y] = c->id / k->grid[0] % k->grid[1];
        w->v[V_CTA_Z] = c->id / k->grid[0] / k->grid[1];
        w->v[V_WARP] = i;
        ps_t at = server_start(&s->setup, now, s->warp_launch_ps) + s->warp_launch_ps;
        engine_post(s->env->engine, &s->src, s->src.part, at, warp_begin, s, w);
    }
}
