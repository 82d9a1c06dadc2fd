/* SPDX-License-Identifier: MIT
 * The command loop: launches in order, each either simulated or known from a launch like it. */
#include "machine/run.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OTHERS_DIRT 0.05 /* of the L2: writing it back may slow a kernel */
#define CHUNK_MIN_PS 250000
#define WORK_FEW 1000 /* requests and instructions in a stretch between two looks at the machine */
#define WORK_MANY 16000

double run_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *run_grow(run_t *r, void *old, size_t n, size_t *cap, size_t size)
{
    if (n < *cap) return old;
    size_t want = *cap ? 2 * *cap : 64;
    void *p = arena_alloc(r->arena, want * size); /* the old block stays with the arena */
    if (n) memcpy(p, old, n * size);
    *cap = want;
    return p;
}

/* ---- cache-state classes ---- */
/* How long ago (in bytes of traffic) a buffer was last used, in three classes: it can still be in the L2, it may
 * in part, it cannot. */
static unsigned touch_class(run_t *r, addr_t base, double l2_bytes)
{
    size_t i = (size_t)(mix64(base) & (r->cap_touch - 1));
    while (r->touch[i].at >= 0 && r->touch[i].base != base) i = (i + 1) & (r->cap_touch - 1);
    double ago = r->touch[i].at < 0 ? (double)INFINITY : r->traffic - r->touch[i].at;
    if (r->touch[i].at < 0 && r->n_touch < r->cap_touch / 2) r->n_touch++;
    r->touch[i].base = base;
    r->touch[i].at = r->traffic;
    return ago < l2_bytes / 2 ? 0 : ago < 2 * l2_bytes ? 1 : 2;
}

unsigned run_cache_class(run_t *r, const wcmd_t *c)
{
    unsigned cls = 0;
    double l2 = (double)r->sys->dev->l2.size;
    if (r->n_touch >= r->cap_touch / 2) { /* forget, rather than grow without bound */
        for (size_t i = 0; i < r->cap_touch; i++) r->touch[i].at = -1;
        r->n_touch = 0;
    }
    for (uint32_t i = 0; i < c->nbases; i++) cls = cls * 3 + touch_class(r, c->base[i], l2);
    return cls;
}

/* ---- launches that are alike ---- */
static krec_t *find_rec(run_t *r, const wcmd_t *c, uint32_t cls, uint32_t member_of)
{
    for (size_t i = 0; i < r->n_rec; i++) {
        krec_t *k = &r->rec[i];
        if (k->def == c->def && k->nargs == c->nargs && k->cache_class == cls &&
            k->phase == r->phase && k->member_of == member_of &&
            !memcmp(k->arg, c->arg, c->nargs * sizeof *c->arg))
            return k;
    }
    return NULL;
}

size_t run_new_rec(run_t *r, const krec_t *k)
{
    if (r->n_rec == r->cap_rec) r->rec = run_grow(r, r->rec, r->n_rec, &r->cap_rec, sizeof *r->rec);
    r->rec[r->n_rec] = *k;
    r->rec[r->n_rec].phase = r->phase;
    return r->n_rec++;
}

krec_t *run_rec(run_t *r, const wcmd_t *c, uint32_t cls, uint32_t member_of)
{
    krec_t *k = find_rec(r, c, cls, member_of);
    if (k) return k;
    int64_t *arg = arena_array(r->arena, int64_t, c->nargs ? c->nargs : 1);
    memcpy(arg, c->arg, c->nargs * sizeof *arg);
    krec_t made = {.def = c->def,
                   .nargs = c->nargs,
                   .arg = arg,
                   .cache_class = cls,
                   .member_of = member_of,
                   .name =
                       c->def == RUN_COPY_DEF ? "copy d2d" : workload_kernel_name(r->wl, c->def)};
    size_t i = run_new_rec(r, &made);
    return &r->rec[i];
}

void run_add_inst(run_t *r, size_t rec, ps_t gap_ps)
{
    if (r->n_inst == r->cap_inst)
        r->inst = run_grow(r, r->inst, r->n_inst, &r->cap_inst, sizeof *r->inst);
    r->inst[r->n_inst++] = (uint32_t)rec;
    r->played_ps += (double)gap_ps;
}

/* ---- one kernel ---- */
static void launch_event(void *self, void *arg, ps_t now)
{
    front_launch(self, arg, now);
}

static void kernel_done(void *ctx, front_kernel_t *fk, ps_t now)
{
    run_t *r = ctx;
    (void)fk;
    r->ended = true;
    r->end_ps = now;
    engine_stop(r->sys->engine);
}

static int check_kernel(run_t *r, const kernel_t *k, const occupancy_t *o)
{
    if (!o->ctas)
        return diag_at(r->diag, MS_INPUT, r->workload_path, r->line,
                       "kernel %s: a block of %u threads, %u registers a thread, %u B of shared "
                       "memory does not fit on an SM (%s)",
                       k->name, k->block, k->regs_per_thread, k->shared_bytes,
                       occupancy_names[o->limit]);
    if (o->warps > 64)
        return diag_at(r->diag, MS_INPUT, r->workload_path, r->line,
                       "kernel %s: %u warps a block, at most 64 are possible", k->name, o->warps);
    for (uint32_t i = 0; i < k->nops; i++)
        if (k->op[i].kind == WOP_COMPUTE && !r->sys->sms[0].rate[k->op[i].unit])
            return diag_at(r->diag, MS_INPUT, r->workload_path, (int)k->op[i].line,
                           "kernel %s: the device has no %s units ([gpu] %s_per_clk = 0)", k->name,
                           unit_names[k->op[i].unit], unit_names[k->op[i].unit]);
    return MS_OK;
}

static uint64_t l1_bytes(const run_t *r, const occupancy_t *o)
{
    const l1_param_t *p = &r->sys->dev->l1;
    uint64_t kept = (uint64_t)o->ctas * o->shared;
    if (kept < p->shared_carveout) kept = p->shared_carveout;
    return kept < p->size ? p->size - kept : 0;
}

uint64_t run_work_done(const run_t *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->sys->n_sms; i++)
        n += r->sys->sms[i].next_id + r->sys->sms[i].st.instructions;
    return n;
}

void run_add_segment(run_t *r, krec_t *k, ps_t begin, ps_t end, const totals_t *a,
                     const totals_t *b, double scale)
{
    if (end <= begin) return;
    if (k->n_seg == k->cap_seg) k->seg = run_grow(r, k->seg, k->n_seg, &k->cap_seg, sizeof *k->seg);
    k->seg[k->n_seg++] =
        (segment_t){begin, end, scale * (double)(b->l1.read_bytes - a->l1.read_bytes),
                    scale * (double)(b->l2.read_bytes + b->l2.write_bytes - a->l2.read_bytes -
                                     a->l2.write_bytes),
                    scale * dram_burst_bytes(r->sys->dram) *
                        (double)(b->dram.read_bursts + b->dram.write_bursts - a->dram.read_bursts -
                                 a->dram.write_bursts)};
}

void run_progress(run_t *r, const char *what)
{
    if (!r->opt->progress) return;
    double now = run_now_s();
    if (now < r->next_progress_s) return;
    r->next_progress_s = now + 0.1;
    sim_progress_t p = {.what = what, .sim_ns = (double)engine_now(r->sys->engine) / 1e3};
    p.done = r->launches_total > 0 ? (double)(r->n_inst + r->n_grouped) / r->launches_total : 0;
    double spent = now - r->start_wall_s;
    p.requests_per_s = spent > 0 ? (double)engine_count(r->sys->engine) / 4 / spent : 0;
    r->opt->progress(r->opt->progress_ctx, &p);
}

bool run_stop_wanted(const run_t *r)
{
    if (r->opt->interrupted && *r->opt->interrupted) return true;
    return r->deadline_s > 0 && run_now_s() > r->deadline_s;
}

int run_deadlock(run_t *r, const char *what)
{
    const system_t *s = r->sys;
    uint64_t loads = 0, stores = 0, tiles = 0, mem = 0, blocked = 0, resident = 0;
    for (uint32_t i = 0; i < s->n_sms; i++) {
        loads += s->sms[i].loads, stores += s->sms[i].stores, tiles += s->sms[i].tiles;
        resident += s->sms[i].resident;
    }
    for (uint32_t i = 0; i < s->n_slices; i++) {
        mem += s->slice[i].inflight_memory;
        for (unsigned lv = 0; lv < 2; lv++)
            for (const req_t *q = s->slice[i].blocked[lv]; q; q = q->next) blocked++;
    }
    diag_add(r->diag, MS_DEADLOCK,
             "%s: no progress at %.3f us: %" PRIu64 " blocks resident wait for %" PRIu64
             " loads, %" PRIu64 " stores, %" PRIu64 " bulk-copy lines; %" PRIu64
             " requests are in memory, %" PRIu64 " wait for an L2 MSHR",
             what, (double)engine_now(s->engine) / 1e6, resident, loads, stores, tiles, mem,
             blocked);
    for (uint32_t i = 0; i < s->n_sms; i++)
        for (uint32_t j = 0; j < s->dev->gpu.threads_per_sm / s->dev->gpu.warp_size; j++) {
            const warp_t *w = &s->sms[i].warp[j];
            if (w->state != WARP_BARRIER && w->state != WARP_GROUP && w->state != WARP_TOKEN)
                continue;
            static const char *const state[] = {[WARP_TOKEN] = "a load",
                                                [WARP_GROUP] = "a copy group",
                                                [WARP_BARRIER] = "a barrier"};
            return diag_add(r->diag, MS_DEADLOCK, "SM %u, block %u, warp %" PRId64 " waits for %s",
                            i, w->cta->id, w->v[V_WARP], state[w->state]);
        }
    return MS_DEADLOCK;
}

/* After a kernel's end the other partitions are brought to one time before their counters are read: how far they
 * had come when it ended depends on the order they ran in. */
ps_t run_settle_ps(const system_t *s)
{
    return s->lookahead + 1;
}

ps_t run_chunk(ps_t chunk, uint64_t work)
{
    if (work < WORK_FEW && chunk < (ps_t)1 << 40) return chunk * 2;
    if (work > WORK_MANY && chunk > CHUNK_MIN_PS) return chunk / 2;
    return chunk;
}

static int time_is_up(run_t *r, uint32_t line)
{
    return diag_at(r->diag, MS_INPUT, r->workload_path, (int)line,
                   "simulated time passes %d days; make the work smaller",
                   (int)(PS_END / 1000000000000 / 86400));
}

int run_fault(run_t *r)
{
    const sm_fault_t *f = system_fault(r->sys);
    if (!f) return MS_OK;
    const uint32_t line = f->line ? f->line : (uint32_t)r->line; /* raw accesses have one command */
    const char *file = r->workload_path;
    switch (f->kind) {
    case FAULT_TILE:
        return diag_at(r->diag, MS_INPUT, file, (int)line,
                       "a tile of %" PRIu64 " rows of %" PRIu64
                       " bytes; a tile lies in shared memory: at most 2^24 bytes",
                       f->a, f->b);
    case FAULT_AMOUNT:
        return diag_at(r->diag, MS_INPUT, file, (int)line,
                       "%" PRIu64 " operations or bytes in one statement; at most 2^40", f->a);
    case FAULT_TIME:
        return time_is_up(r, line);
    case FAULT_ADDRESS:
    case FAULT_NONE:
        break;
    }
    return diag_at(r->diag, MS_INPUT, file, (int)line,
                   "address 0x%" PRIx64 " is beyond the memory's %" PRIu64 " bytes", f->a,
                   (uint64_t)r->sys->env.limit);
}

int run_front_kernel(run_t *r, const kernel_t *k, front_kernel_t *fk)
{
    occupancy_t o = occupancy_of(&r->sys->dev->gpu, k);
    int rc = check_kernel(r, k, &o);
    if (rc) return rc;
    *fk = (front_kernel_t){.occ = o};
    fk->run = (kernel_run_t){.k = k, .seq = ++r->seq, .l1_bytes = l1_bytes(r, &o)};
    fk->total = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    return MS_OK;
}

/* sampled_lines: what --sample's share of the kernel came to; 0: its requests cannot be told before */
static void note_cost(run_t *r, double sampled_lines, double simulated, double host_s)
{
    if (r->n_cost == r->cap_cost)
        r->cost = run_grow(r, r->cost, r->n_cost, &r->cap_cost, sizeof *r->cost);
    r->cost[r->n_cost++] =
        (kernel_cost_t){sampled_lines * 100 / r->opt->sample_pct, simulated, host_s};
}

static bool skipped_too_much(const run_t *r)
{
    double ps = 0;
    for (size_t i = 0; i < r->n_jump; i++) ps += r->jump[i].time_ps;
    return ps > (double)PS_END;
}

/* Does a warp only wait for time to pass, for arithmetic to end? */
static bool time_goes_on(const run_t *r)
{
    const gpu_param_t *g = &r->sys->dev->gpu;
    for (uint32_t i = 0; i < r->sys->n_sms; i++)
        for (uint32_t j = 0; j < g->threads_per_sm / g->warp_size; j++)
            if (r->sys->sms[i].warp[j].state == WARP_TIME) return true;
    return false;
}

int run_simulate(run_t *r, const kernel_t *k, krec_t *rec, ps_t gap)
{
    system_t *s = r->sys;
    const double from_s = run_now_s();
    const uint64_t requests = r->requests;
    front_kernel_t *fk = arena_alloc(r->arena, sizeof *fk);
    int rc = run_front_kernel(r, k, fk);
    if (rc) return rc;
    ps_t begin = r->seq == 1 ? 0 : r->end_ps + ps_later(gap, run_settle_ps(s));
    engine_run(s->engine, begin);
    engine_post(s->engine, &s->front.src, 0, begin, launch_event, &s->front, fk);
    for (uint32_t i = 0; i < s->n_sms; i++) {
        sm_charge(&s->sms[i], 0);
        *s->sms[i].lat = (sm_latency_t){0};
    }
    levels_reset(r);
    s->front.done = kernel_done;
    s->front.ctx = r;
    r->fk = fk;
    r->cur = rec;
    r->ended = false;
    r->skipped_ps = 0;
    r->watch = r->l2_touched = false;
    r->n_jump = 0;
    system_totals(s, &r->begin);
    const double dirty = r->exact || rec->simulated ? 0 : (double)system_dirty_bytes(s);
    sampler_t *sampler = r->exact ? NULL : sampler_new(r, k);
    totals_t seen = r->begin, now_tot;
    ps_t t = begin, chunk = RUN_CHUNK_FIRST_PS, last_work_ps = begin;
    uint64_t work = run_work_done(r);
    while (!r->ended) {
        ps_t upto = t + (r->watch ? CHUNK_MIN_PS : chunk), left = engine_run(s->engine, upto);
        if (run_stop_wanted(r)) {
            r->partial = true;
            r->end_ps = ps_later(engine_now(s->engine), begin);
            break;
        }
        if (r->ended) engine_run(s->engine, r->end_ps + run_settle_ps(s));
        ps_t at = r->ended ? r->end_ps : upto;
        system_totals(s, &now_tot);
        run_add_segment(r, r->cur, t - begin + r->skipped_ps, at - begin + r->skipped_ps, &seen,
                        &now_tot, 1);
        seen = now_tot;
        t = at;
        if (r->ended) break;
        uint64_t before = work;
        work = run_work_done(r);
        if (work != before || (t - last_work_ps > RUN_STUCK_PS && time_goes_on(r)))
            last_work_ps = t;
        else if (left == PS_MAX || t - last_work_ps > RUN_STUCK_PS) {
            if (left == PS_MAX || !engine_pending(s->engine) || t - last_work_ps > RUN_STUCK_PS)
                return run_deadlock(r, arena_printf(r->arena, "kernel %s", k->name));
        }
        chunk = run_chunk(chunk, work - before);
        if (system_fault(s)) break;
        if (sampler) {
            size_t jumps = r->n_jump;
            sampler_step(sampler, t);
            if (r->n_jump > jumps) chunk = CHUNK_MIN_PS; /* other work begins */
            if (skipped_too_much(r)) return time_is_up(r, (uint32_t)r->line);
            for (; jumps < r->n_jump; jumps++) {
                const jump_t *j = &r->jump[jumps];
                run_add_segment(r, r->cur, t - begin + r->skipped_ps - (ps_t)j->time_ps,
                                t - begin + r->skipped_ps, &j->from, &j->to, j->scale);
            }
        }
        run_progress(r, k->name);
    }
    if ((rc = run_fault(r))) return rc;
    outside_report(r);
    rec->simulated++;
    if (rec->simulated == 1) rec->others_dirt = dirty > OTHERS_DIRT * (double)s->dev->l2.size;
    account_kernel(r, rec, k, begin, r->end_ps);
    if (r->note_costs)
        note_cost(r, sampler ? (double)r->budget_lines : 0, (double)(r->requests - requests),
                  run_now_s() - from_s);
    return MS_OK;
}

/* The record of raw accesses: one for all batches, launched once more. */
krec_t *run_raw_rec(run_t *r)
{
    static const int64_t none = 0;
    const krec_t raw = {.def = UINT32_MAX, .arg = &none, .name = "raw", .kind = "raw accesses"};
    size_t i = 0;
    while (i < r->n_rec && r->rec[i].def != UINT32_MAX) i++;
    if (i == r->n_rec) i = run_new_rec(r, &raw);
    r->rec[i].count++;
    run_add_inst(r, i, 0);
    return &r->rec[i];
}

/* ---- commands ---- */
int run_launch(run_t *r, const wcmd_t *c)
{
    unsigned cls = r->exact ? 0 : run_cache_class(r, c);
    bool simulate_it = true;
    const family_t *fam = r->exact ? NULL : sample_family(r, c, &simulate_it);
    size_t before = r->n_rec;
    krec_t *k = run_rec(r, c, cls, 0);
    bool known = r->n_rec == before;
    const gpu_param_t *g = &r->sys->dev->gpu;
    ps_t gap = r->n_inst == 0 ? 0 : c->graph ? g->launch_gap_graph : g->launch_gap_stream;
    k->count++;
    k->gap_ps += (double)gap;
    run_add_inst(r, (size_t)(k - r->rec), gap);
    int rc = MS_OK;
    const bool again = known && !r->exact && sample_again(k);
    if (!known || r->exact || again) {
        if (fam && !simulate_it) {
            k->estimated = true;
            levels_repeat(r, k);
        } else {
            const kernel_t *kn = NULL;
            rc = passed_play(r);
            if (!rc) rc = workload_kernel(r->wl, c, &kn, r->diag);
            if (!rc && kn) {
                k->kind = kn->kind && *kn->kind ? kn->kind : kn->name;
                r->rel_goal = r->exact ? 0 : sample_goal(r, c);
                rc = run_simulate(r, kn, k, gap);
            }
        }
    } else
        levels_repeat(r, k);
    const double bytes = (double)(k->tot.l2.read_bytes + k->tot.l2.write_bytes);
    if ((known && !r->exact && !again) || k->estimated) passed_note(r, c, bytes);
    r->traffic += bytes;
    return rc;
}

int run_command(run_t *r, const wcmd_t *c)
{
    r->line = c->line;
    switch (c->kind) {
    case WC_LAUNCH:
        return run_launch(r, c);
    case WC_COLLECTIVE:
        r->coll_count++;
        r->coll_bytes += (double)c->bytes;
        break;
    case WC_COPY:
        if (overlap_is_work(c)) return copy_play(r, c);
        r->copy_count++;
        r->copy_bytes += (double)c->bytes;
        break;
    case WC_MARK:
        r->phase = c->text;
        break;
    case WC_RAW:
        return raw_add(r, c);
    case WC_RECORD: /* outside a group every event is past when it is waited for */
    case WC_WAIT:
    case WC_GRAPH_BEGIN:
    case WC_GRAPH_END:
    case WC_END:
        break;
    }
    return MS_OK;
}

int run_workload(run_t *r)
{
    r->start_wall_s = run_now_s();
    r->cap_touch = 4096;
    r->touch = arena_alloc(r->arena, r->cap_touch * sizeof *r->touch);
    for (size_t i = 0; i < r->cap_touch; i++) r->touch[i].at = -1;
    r->phase = "";
    outside_watch(r);
    streams_open(r);
    int rc = r->exact ? streams_prescan(r) : sample_prescan(r);
    streams_found(r);
    wcmd_t c;
    while (!rc && !r->partial) {
        rc = streams_next(r, &c);
        if (!rc && c.kind != WC_RAW) rc = raw_flush(r);
        if (rc || c.kind == WC_END) break;
        rc = streams_begins(r, &c) ? streams_play(r, &c) : run_command(r, &c);
    }
    if (rc == MS_INTERRUPTED && r->n_inst) { /* while it waited for more of the workload */
        r->partial = true;
        rc = MS_OK;
    }
    if (!rc) sample_finish(r);
    streams_free(r);
    r->run_wall_s = run_now_s() - r->start_wall_s;
    return rc;
}
