/* SPDX-License-Identifier: MIT
 * The SM's memory side: warp accesses to line requests, the bulk-copy engine, replies. */
#include "gpu/sm.h"
#include <assert.h>

unsigned wop_lines(const wop_t *op, const int64_t *v, unsigned warp_size, line_access_t *out,
                   uint64_t *bytes)
{
    int64_t n = expr_eval(&op->count, v);
    unsigned lanes = n <= 0 ? 0 : n > (int64_t)warp_size ? warp_size : (unsigned)n;
    addr_t addr = (addr_t)expr_eval(&op->addr, v);
    if (!op->gather) {
        *bytes = (uint64_t)lanes * op->elem_bytes;
        return coalesce_strided(addr, op->stride, op->elem_bytes, lanes, out);
    }
    uint64_t idx[WARP_LANES_MAX];
    uint64_t mask = lanes ? op->gather(op->gather_ctx, expr_eval(&op->amount, v), lanes, idx) : 0;
    *bytes = (uint64_t)__builtin_popcountll(mask) * op->elem_bytes;
    return coalesce_gather(addr, op->stride, op->elem_bytes, mask, idx, lanes, out);
}

/* ---- requests ---- */
static req_t *new_req(sm_t *s, const kernel_run_t *run, req_kind_t kind, const line_access_t *l,
                      ps_t issue_ps)
{
    req_t *r = req_take(s->env->requests);
    r->next = NULL;
    r->line = (uint32_t)(s->env->translate(s->env->ctx, l->line) / LINE_BYTES);
    r->kind = (uint8_t)kind;
    r->sectors = r->asked[0] = l->sectors;
    r->partial = l->partial;
    r->token = 0;
    r->level = r->bulk = r->at_memory = 0;
    r->sm = s->id;
    r->bank = run->bank;
    r->owner = NULL;
    r->tracked = ++s->next_id == s->env->follow_id && s->id == 0;
    if (r->tracked) {
        r->id = s->next_id;
        r->kernel = run->seq;
        for (unsigned i = 0; i < ST_KEPT; i++) r->stamp[i] = 0;
    }
    r->stamp[ST_ISSUE] = issue_ps;
    r->stamp[ST_L1_OUT] = r->stamp[ST_L2_IN] = 0;
    return r;
}

static void store_sent(sm_t *s, const req_t *r)
{
    s->stores++;
    s->drain[r->bank].stores++;
}

static void free_req(sm_t *s, req_t *r, ps_t done)
{
    if (r->tracked) s->env->followed(s->env->ctx, r, done);
    req_give(s->env->requests, r);
}

/* Begins the line where no buffer is? */
static bool outside(const sm_env_t *e, addr_t line)
{
    uint64_t page = line >> e->page_shift;
    if (page >= e->pages) return true;
    if (e->page_whole[page >> 6] >> (page & 63) & 1) return false;
    return (line & ((UINT64_C(1) << e->page_shift) - 1)) >= e->page_used[page];
}

/* A request was made. */
static void note_outside(sm_t *s, const line_access_t *l, uint32_t line)
{
    if (s->env->page_used && line && outside(s->env, l->line) && !s->outside.lines++) {
        s->outside.trace_line = line;
        s->outside.addr = l->line;
    }
}

static bool past_memory(sm_t *s, const line_access_t *l, uint32_t line)
{
    if (l->line < s->env->limit) return false;
    sm_fault(s, FAULT_ADDRESS, line, l->line, 0);
    return true; /* the access is dropped; the run is refused */
}

/* ---- warps that found no slot ---- */
static void wait_slot(sm_t *s, warp_t *w, bool store)
{
    w->state = WARP_SLOTS;
    if (store)
        s->st.store_stalls++;
    else
        s->st.load_stalls++;
    if (s->resuming == w) { /* it keeps its place */
        w->next = s->slot_wait;
        s->slot_wait = w;
        if (!w->next) s->slot_tail = &w->next;
    } else {
        w->next = NULL;
        *s->slot_tail = w;
        s->slot_tail = &w->next;
    }
}

static void resume_waiting(sm_t *s, ps_t now)
{
    while (s->slot_wait) {
        warp_t *w = s->slot_wait;
        s->slot_wait = w->next;
        if (!s->slot_wait) s->slot_tail = &s->slot_wait;
        s->resuming = w;
        sm_warp_run(s, w, now);
        s->resuming = NULL;
        if (w->state == WARP_SLOTS) return; /* at the head again: nothing more fits now */
    }
}

bool sm_memory_op(sm_t *s, warp_t *w, const wop_t *op, ps_t t, ps_t now)
{
    const gpu_param_t *g = s->env->gpu;
    line_access_t line[COALESCE_MAX];
    uint64_t bytes;
    unsigned n = wop_lines(op, w->v, g->warp_size, line, &bytes);
    bool store = op->kind == WOP_STORE || op->kind == WOP_PREFETCH;
    if (!w->sub) {
        if (op->kind == WOP_STORE)
            s->st.store_bytes += bytes, w->cta->store_bytes += bytes;
        else if (op->kind != WOP_PREFETCH)
            s->st.load_bytes += bytes, w->cta->load_bytes += bytes;
        if (s->slot_wait && s->resuming != w && n) { /* the load/store pipe is in order */
            wait_slot(s, w, store);
            return false;
        }
    }
    for (; w->sub < n; w->sub++) {
        const line_access_t *l = &line[w->sub];
        if (past_memory(s, l, op->line)) continue;
        if (store ? s->stores >= g->stores_per_sm : s->loads >= g->loads_per_sm) {
            wait_slot(s, w, store);
            return false;
        }
        if (!store && w->in_flight >= g->loads_per_warp) {
            s->st.load_stalls++;
            w->state = WARP_OWN;
            return false;
        }
        req_kind_t kind = op->kind == WOP_LOAD     ? REQ_READ
                          : op->kind == WOP_STORE  ? REQ_WRITE
                          : op->kind == WOP_ATOMIC ? REQ_ATOMIC
                                                   : REQ_PREFETCH;
        req_t *r = new_req(s, w->cta->run, kind, l, t);
        r->warp = (uint16_t)w->slot;
        r->token = op->token & 0xfu;
        ps_t tl = ps_later(t, s->lsu.free_ps);
        if (kind == REQ_READ) {
            int res = s->env->l1_load(s->env->ctx, s, r, tl, now);
            if (res == 2) {
                s->next_id--;
                r->tracked = 0;
                free_req(s, r, t);
                wait_slot(s, w, false);
                return false;
            }
            s->st.loads++;
            if (res == 0) {
                ps_t done = tl + s->env->l1_hit_ps;
                w->ready_ps[op->token] = ps_later(w->ready_ps[op->token], done);
                hist_add(&s->lat->hist, (uint64_t)(done - t));
                span_note(&s->crossed, tl, done);
                free_req(s, r, done);
            } else {
                s->loads++;
                w->in_flight++;
                w->out[op->token]++;
            }
        } else if (kind == REQ_ATOMIC) {
            s->st.atomics++;
            s->loads++;
            w->in_flight++;
            w->out[op->token]++;
            r->stamp[ST_L1_OUT] = tl + s->env->l1_miss_ps;
            s->env->send(s->env->ctx, s, r, tl + s->env->l1_miss_ps, now);
        } else {
            store_sent(s, r);
            if (kind == REQ_WRITE) {
                s->st.stores++;
                s->env->l1_store(s->env->ctx, s, r, tl, now);
            } else {
                s->st.prefetches++;
                r->stamp[ST_L1_OUT] = tl + s->env->l1_miss_ps;
                s->env->send(s->env->ctx, s, r, tl + s->env->l1_miss_ps, now);
            }
        }
        note_outside(s, l, op->line);
        server_start(&s->lsu, t, s->lsu_ps);
        if (kind == REQ_READ || kind == REQ_WRITE) span_note(&s->crossed, tl, tl + s->lsu_ps);
        s->st.lsu_busy_ps += (uint64_t)s->lsu_ps;
    }
    w->sub = 0;
    return true;
}

/* ---- the bulk-copy engine ---- */
static void tile_run(sm_t *s, ps_t now);

static void tile_event(void *self, void *arg, ps_t now)
{
    sm_t *s = self;
    (void)arg;
    s->tile_event = false;
    tile_run(s, now);
}

/* Send lines of the waiting copies until a limit or the look-ahead of a few cycles is reached. */
static void tile_run(sm_t *s, ps_t now)
{
    const gpu_param_t *g = s->env->gpu;
    ps_t ahead = s->env->hop_events ? 0 : 16 * s->tile_ps;
    if (s->tile_event) return;
    while (s->tile_head) {
        tile_job_t *j = s->tile_head;
        sm_charge(s, j->run->bank);
        if (j->store ? s->stores >= g->stores_per_sm : s->tiles >= g->tile_lines_in_flight)
            return; /* a reply resumes */
        if (s->tile.free_ps > now + ahead) {
            s->tile_event = true;
            engine_post(s->env->engine, &s->src, s->src.part, s->tile.free_ps, tile_event, s, NULL);
            return;
        }
        line_access_t l;
        addr_t row = j->addr + (addr_t)(j->pitch * (int64_t)j->row);
        if (coalesce_range(row, j->row_bytes, j->line, 1, &l)) {
            j->line++;
            ps_t t = server_start(&s->tile, now, s->tile_ps);
            if (!past_memory(s, &l, j->trace_line)) {
                req_t *r = new_req(s, j->run, j->store ? REQ_WRITE : REQ_READ, &l, t);
                r->bulk = 1;
                r->owner = j->cta;
                r->warp = (uint16_t)(j->group % GROUPS);
                s->st.tile_lines++;
                note_outside(s, &l, j->trace_line);
                if (j->store)
                    store_sent(s, r);
                else
                    s->tiles++;
                r->stamp[ST_L1_OUT] = t + s->env->l1_miss_ps;
                s->env->send(s->env->ctx, s, r, t + s->env->l1_miss_ps, now);
            } else if (!j->store) {
                j->cta->group_out[j->group % GROUPS]--;
                j->cta->bulk_out--;
            }
            continue;
        }
        j->line = 0;
        if (++j->row < j->rows) continue;
        s->tile_head = j->next;
        if (!s->tile_head) s->tile_tail = &s->tile_head;
        if (j->store) j->cta->bulk_out--; /* the block stays until its stores are on their way */
        cta_t *c = j->cta;
        bool store = j->store;
        j->next = s->tile_free;
        s->tile_free = j;
        if (store) sm_cta_check_end(s, c, ps_later(now, s->tile.free_ps));
    }
}

void sm_tile_op(sm_t *s, warp_t *w, const wop_t *op, ps_t now)
{
    cta_t *c = w->cta;
    int64_t rows = expr_eval(&op->count, w->v), row_bytes = expr_eval(&op->amount, w->v);
    if (rows <= 0 || row_bytes <= 0) return;
    if (!tile_fits(rows, row_bytes)) {
        sm_fault(s, FAULT_TILE, op->line, (uint64_t)rows, (uint64_t)row_bytes);
        return;
    }
    tile_job_t *j = s->tile_free;
    if (j)
        s->tile_free = j->next;
    else
        j = arena_alloc(s->env->arena, sizeof *j);
    *j = (tile_job_t){.cta = c,
                      .run = c->run,
                      .addr = (addr_t)expr_eval(&op->addr, w->v),
                      .pitch = op->stride,
                      .row_bytes = (uint64_t)row_bytes,
                      .rows = (uint32_t)rows,
                      .group = c->open_group,
                      .trace_line = op->line,
                      .store = op->kind == WOP_TILE_STORE};
    uint64_t bytes = (uint64_t)row_bytes * (uint64_t)rows;
    if (j->store) {
        s->st.store_bytes += bytes;
        c->store_bytes += bytes;
        c->bulk_out++;
    } else {
        uint64_t lines = 0;
        if (j->pitch % (int64_t)LINE_BYTES == 0)
            lines = range_lines(j->addr, j->row_bytes) * j->rows;
        else
            for (uint32_t i = 0; i < j->rows; i++)
                lines += range_lines(j->addr + (addr_t)(j->pitch * (int64_t)i), j->row_bytes);
        s->st.load_bytes += bytes;
        c->load_bytes += bytes;
        c->group_out[j->group % GROUPS] += (uint32_t)lines;
        c->bulk_out += (uint32_t)lines;
    }
    *s->tile_tail = j;
    s->tile_tail = &j->next;
    tile_run(s, now);
    sm_charge(s, c->run->bank); /* the copies before it may be another kernel's */
}

/* ---- replies ---- */
/* A stage that was skipped takes no time. */
static ps_t record_stage(sm_latency_t *l, stage_t stage, ps_t at, ps_t prev)
{
    if (at < prev) return prev;
    l->hop_ps[stage] += (uint64_t)(at - prev);
    return at;
}

/* l2_out: as a stamp, of a request that was at the L2. */
static void record(sm_t *s, const req_t *r, ps_t l2_out, ps_t done)
{
    ps_t lat = done - r->stamp[ST_ISSUE];
    sm_charge(s, r->bank);
    sm_latency_t *l = s->lat;
    hist_add(&l->hist, (uint64_t)lat);
    s->st.loads_in_flight_ps += (uint64_t)lat;
    ps_t prev = r->stamp[ST_ISSUE];
    for (unsigned i = ST_L1_OUT; i <= ST_L2_IN; i++) prev = record_stage(l, i, r->stamp[i], prev);
    if (r->at_memory)
        for (unsigned i = ST_DRAM_IN; i <= ST_DRAM_DONE; i++)
            prev = record_stage(l, i, r->stamp[i], prev);
    if (r->stamp[ST_L2_IN]) prev = record_stage(l, ST_L2_OUT, l2_out, prev);
    l->hop_ps[ST_DONE] += (uint64_t)(done - prev);
    l->hop_n++;
}

static void load_done(sm_t *s, req_t *r, ps_t l2_out, ps_t done, ps_t now)
{
    warp_t *w = &s->warp[r->warp];
    record(s, r, l2_out, done);
    if (r->kind == REQ_READ) span_note(&s->crossed, done, done);
    s->loads--;
    w->in_flight--;
    w->out[r->token]--;
    w->ready_ps[r->token] = ps_later(w->ready_ps[r->token], done);
    if (w->state == WARP_TOKEN && w->token == r->token && !w->out[r->token])
        sm_wake(s, w, w->ready_ps[r->token]);
    else if (w->state == WARP_OWN)
        sm_wake(s, w, ps_later(now, done));
    else if (w->state == WARP_DRAIN && !w->in_flight)
        sm_wake(s, w, done);
    free_req(s, r, done);
}

static void bulk_done(sm_t *s, req_t *r, ps_t l2_out, ps_t done)
{
    cta_t *c = r->owner;
    uint32_t g = r->warp;
    record(s, r, l2_out, done);
    s->tiles--;
    c->bulk_out--;
    c->group_ready_ps[g] = ps_later(c->group_ready_ps[g], done);
    free_req(s, r, done);
    if (!--c->group_out[g]) sm_groups_advance(s, c);
    if (!c->live) sm_cta_check_end(s, c, done);
}

static void drain_check(sm_t *s, sm_drain_t *d, ps_t now)
{
    if (d->stores || !d->owed) return;
    d->owed = false;
    engine_post(s->env->engine, &s->src, s->env->front_part, now + s->retire_ps, s->env->drained,
                s->env->front, d);
}

/* The last byte of the reply is in the SM at t; it left the slice at l2_out. */
static void reply_in(sm_t *s, req_t *r, ps_t l2_out, ps_t t)
{
    ps_t now = engine_now(s->env->engine);
    if (r->kind == REQ_WRITE || r->kind == REQ_PREFETCH) {
        sm_drain_t *d = &s->drain[r->bank];
        s->stores--;
        d->stores--;
        free_req(s, r, t);
        drain_check(s, d, now);
    } else if (r->bulk)
        bulk_done(s, r, l2_out, t + s->env->l1_fill_ps);
    else if (r->kind == REQ_ATOMIC)
        load_done(s, r, l2_out, t + s->env->l1_fill_ps, now);
    else {
        if (r->l1_left & ~r->sectors) r->stamp[ST_L2_OUT] = l2_out; /* it may have to wait on */
        for (req_t *d = s->env->l1_reply(s->env->ctx, s, r), *next; d; d = next) {
            next = d->next;
            load_done(s, d, d == r ? l2_out : d->stamp[ST_L2_OUT], t + s->env->l1_fill_ps, now);
        }
    }
    if (s->slot_wait) resume_waiting(s, now);
    if (s->tile_head) tile_run(s, now);
}

static void reply_in_now(void *self, void *arg, ps_t now)
{
    req_t *r = arg;
    reply_in(self, r, r->stamp[ST_L2_OUT], now);
}

void sm_reply_arrive(void *self, void *arg, ps_t now)
{
    sm_t *s = self;
    req_t *r = arg;
    const ps_t l2_out = now - s->env->reply_ps, t = s->env->receive(s->env->ctx, s, r, now);
    if (r->tracked || s->env->hop_events) r->stamp[ST_L2_OUT] = l2_out;
    if (s->env->hop_events && t > now)
        engine_post(s->env->engine, &s->src, s->src.part, t, reply_in_now, s, r);
    else
        reply_in(s, r, l2_out, t);
}
