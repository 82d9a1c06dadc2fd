/* SPDX-License-Identifier: MIT
 * A group of launches and copies that overlap, played in full.
 *
 * The host issues its commands in the order of the file; each stream is a queue.  What a stream begins next is decided
 * in the event that ends something (in the front's partition), so a launch gap may be as short as it likes; what the
 * ended one counted is read a little later, when all partitions have come as far. */
#include "machine/kernel_copy.h"
#include "machine/streams.h"
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HOST_AHEAD 1024 /* commands issued and not done */
#define COPIES_MAX 64   /* at the copy engine at once; the next waits in its stream */

typedef struct mark { /* a recorded event */
    uint32_t number, refs;
    bool done;
    struct mark *next; /* of those not done */
} mark_t;

typedef struct node { /* a command issued and not begun */
    struct node *next;
    wcmd_t c;
    uint32_t rec; /* launches: of this record */
    mark_t *mark; /* record, wait */
} node_t;

typedef struct lane { /* a stream */
    uint32_t stream;
    bool busy;
    node_t *head, **tail;
} lane_t;

typedef struct live { /* a launch under way */
    front_kernel_t fk;
    kernel_copy_t copy;
    copy_job_t job; /* a copy; else bytes = 0 */
    struct live *next;
    size_t lane;
    uint32_t rec;
    unsigned bank;
    ps_t begin_ps, end_ps;
    totals_t machine; /* when it began */
} live_t;

typedef struct
    look { /* a launch that began or ended, to be looked at when the partitions have settled */
    ps_t at_ps;
    live_t *l;
    bool end;
} look_t;

typedef struct play {
    run_t *r;
    size_t rec; /* the group's */
    uint32_t last;
    lane_t *lane;
    size_t n_lane, cap_lane;
    node_t *free_node;
    mark_t *marks;
    live_t *free_live, *all_live[STAT_BANKS];
    size_t n_live;
    uint32_t unfinished;      /* issued */
    uint32_t running, copies; /* kernels, copies begun or about to */
    uint32_t active;          /* of both, past their launch gap */
    ps_t idle_ps, idle_from;  /* time in which nothing was */
    bool taken[STAT_BANKS];
    look_t *look; /* in order of time; the first `looked` are past */
    size_t n_look, looked, cap_look;
    bool first, stopped;
    ps_t begin_ps, end_ps;
    totals_t own; /* of all members so far */
    int rc;
} play_t;

/* ---- issuing ---- */
static size_t lane_of(play_t *p, uint32_t stream)
{
    for (size_t i = 0; i < p->n_lane; i++)
        if (p->lane[i].stream == stream) return i;
    if (p->n_lane == p->cap_lane) {
        p->cap_lane = p->cap_lane ? 2 * p->cap_lane : 8;
        p->lane = mem_resize(p->lane, p->cap_lane * sizeof *p->lane);
        for (size_t i = 0; i < p->n_lane; i++) /* the ends of empty queues have moved */
            if (!p->lane[i].head) p->lane[i].tail = &p->lane[i].head;
    }
    p->lane[p->n_lane] = (lane_t){.stream = stream};
    p->lane[p->n_lane].tail = &p->lane[p->n_lane].head;
    return p->n_lane++;
}

static node_t *issue(play_t *p, const wcmd_t *c)
{
    size_t lane = lane_of(p, c->stream); /* may move the lanes */
    lane_t *l = &p->lane[lane];
    node_t *n = p->free_node;
    if (n)
        p->free_node = n->next;
    else
        n = arena_alloc(p->r->arena, sizeof *n);
    *n = (node_t){.c = *c};
    *l->tail = n;
    l->tail = &n->next;
    p->unfinished++;
    return n;
}

static mark_t **pending(play_t *p, uint32_t number)
{
    mark_t **m = &p->marks;
    while (*m && (*m)->number != number) m = &(*m)->next;
    return m;
}

static void let_go(mark_t *m)
{
    if (!--m->refs) free(m);
}

static void issue_record(play_t *p, const wcmd_t *c)
{
    mark_t **old = pending(p, c->event), *m = *old;
    if (m) { /* who waits from now on waits for the later record */
        *old = m->next;
        let_go(m);
    }
    m = mem_resize(NULL, sizeof *m);
    *m = (mark_t){.number = c->event, .refs = 2, .next = p->marks};
    p->marks = m;
    issue(p, c)->mark = m;
}

static void issue_wait(play_t *p, const wcmd_t *c)
{
    mark_t *m = *pending(p, c->event);
    if (!m) return; /* past, or never recorded */
    m->refs++;
    issue(p, c)->mark = m;
}

static void count_member(play_t *p, uint32_t rec)
{
    struct group *g = p->r->rec[p->rec].group;
    for (size_t i = 0; i < g->n_member; i++)
        if (g->member[i].rec == rec) {
            g->member[i].n++;
            return;
        }
    if (g->n_member == g->cap_member) {
        size_t cap = g->cap_member ? 2 * g->cap_member : 8;
        struct member *m = arena_alloc(p->r->arena, cap * sizeof *m);
        if (g->n_member) memcpy(m, g->member, g->n_member * sizeof *m);
        g->member = m;
        g->cap_member = cap;
    }
    g->member[g->n_member++] = (struct member){rec, 1};
}

/* The host goes on until it is far enough ahead, or at the group's end. */
static void issue_more(play_t *p)
{
    run_t *r = p->r;
    while (!p->rc && r->n_work < p->last && p->unfinished < HOST_AHEAD) {
        wcmd_t c;
        uint32_t cls = 0;
        if (!ahead_take(r, &c, &cls) && (p->rc = workload_next(r->wl, &c, r->diag))) return;
        r->n_work += overlap_is_work(&c);
        if (overlap_is_work(&c)) {
            node_t *n = issue(p, &c);
            uint32_t member = (uint32_t)p->rec + 1;
            const krec_t *k =
                c.kind == WC_COPY ? copy_rec(r, &c, cls, member) : run_rec(r, &c, cls, member);
            n->rec = (uint32_t)(k - r->rec);
            r->rec[p->rec].group->launches++;
            r->n_grouped++;
            count_member(p, n->rec);
        } else if (c.kind == WC_RECORD)
            issue_record(p, &c);
        else if (c.kind == WC_WAIT)
            issue_wait(p, &c);
        else
            p->rc = run_command(r, &c);
    }
}

/* ---- beginning ---- */
static void look_later(play_t *p, live_t *l, ps_t now, bool end)
{
    if (p->looked == p->n_look) p->looked = p->n_look = 0;
    if (p->n_look == p->cap_look) {
        p->cap_look = p->cap_look ? 2 * p->cap_look : 16;
        p->look = mem_resize(p->look, p->cap_look * sizeof *p->look);
    }
    p->look[p->n_look++] = (look_t){now + run_settle_ps(p->r->sys), l, end};
    p->stopped = true;
    engine_stop(p->r->sys->engine);
}

static void becomes_active(play_t *p, live_t *l, ps_t now)
{
    if (!p->active++ && now > p->begin_ps) p->idle_ps += now - p->idle_from;
    look_later(p, l, now, false);
}

static void launch_event(void *self, void *arg, ps_t now)
{
    play_t *p = self;
    live_t *l = arg;
    l->begin_ps = now;
    front_launch(&p->r->sys->front, &l->fk, now);
    becomes_active(p, l, now);
}

static void copy_event(void *self, void *arg, ps_t now)
{
    play_t *p = self;
    live_t *l = arg;
    copy_engine_start(&p->r->sys->copy, &l->job, now);
    becomes_active(p, l, now);
}

static live_t *new_live(play_t *p)
{
    live_t *l = p->free_live;
    if (l) {
        p->free_live = l->next;
        return l;
    }
    assert(p->n_live < STAT_BANKS);
    return p->all_live[p->n_live++] = arena_alloc(p->r->arena, sizeof *l);
}

static void begin(play_t *p, size_t lane, const node_t *n, ps_t now)
{
    run_t *r = p->r;
    const gpu_param_t *g = &r->sys->dev->gpu;
    bool begins_run = r->seq == 0 || (p->first && now == 0), copy = n->c.kind == WC_COPY;
    krec_t *rec = &r->rec[n->rec];
    live_t *l = new_live(p);
    if (copy)
        l->job =
            (copy_job_t){.from = n->c.addr, .to = n->c.addr2, .bytes = n->c.bytes, .seq = ++r->seq};
    else {
        const kernel_t *k;
        if ((p->rc = workload_kernel(r->wl, &n->c, &k, r->diag))) return;
        rec->kind = k->kind && *k->kind ? k->kind : k->name;
        l->job.bytes = 0;
        kernel_copy_take(&l->copy, k);
        if ((p->rc = run_front_kernel(r, &l->copy.k, &l->fk))) return;
    }
    rec->count++;
    l->lane = lane;
    l->rec = n->rec;
    l->bank = 1;
    while (p->taken[l->bank]) l->bank++; /* as many as lives, so there is one */
    p->taken[l->bank] = true;
    l->fk.run.bank = l->job.bank = (uint8_t)l->bank;
    ps_t gap = n->c.graph ? g->launch_gap_graph : g->launch_gap_stream;
    ps_t at = begins_run ? 0 : now + gap;
    if (p->first) { /* what went before has settled */
        if (!begins_run) at = now + ps_later(gap, run_settle_ps(r->sys));
        if (at < p->begin_ps) p->begin_ps = at;
    }
    p->lane[lane].busy = true;
    *(copy ? &p->copies : &p->running) += 1;
    engine_post(r->sys->engine, &r->sys->front.src, 0, at, copy ? copy_event : launch_event, p, l);
}

/* Begin what can begin on a stream; true if an event came. */
static bool step(play_t *p, size_t lane, ps_t now)
{
    bool event = false;
    for (node_t *n; (n = p->lane[lane].head) && !p->lane[lane].busy && !p->rc;) {
        if (n->c.kind == WC_WAIT && !n->mark->done) break;
        if (n->c.kind == WC_LAUNCH && p->running == p->r->sys->dev->gpu.concurrent_kernels) break;
        if (n->c.kind == WC_COPY && p->copies == COPIES_MAX) break;
        p->lane[lane].head = n->next;
        if (!n->next) p->lane[lane].tail = &p->lane[lane].head;
        if (n->c.kind == WC_LAUNCH || n->c.kind == WC_COPY)
            begin(p, lane, n, now);
        else {
            p->unfinished--;
            if (n->c.kind == WC_RECORD) {
                mark_t **m = pending(p, n->mark->number);
                n->mark->done = event = true;
                if (*m == n->mark) {
                    *m = n->mark->next;
                    n->mark->refs--; /* the node's own is left */
                }
            }
            let_go(n->mark);
        }
        n->next = p->free_node;
        p->free_node = n;
    }
    return event;
}

static void step_all(play_t *p, ps_t now)
{
    for (bool again = true; again && !p->rc;) {
        issue_more(p);
        uint32_t before = p->unfinished;
        again = false;
        for (size_t i = 0; i < p->n_lane; i++) again |= step(p, i, now);
        again |= p->unfinished < before; /* the host may go on */
    }
}

static void work_done(play_t *p, live_t *l, ps_t now)
{
    l->end_ps = p->end_ps = now;
    if (!--p->active) p->idle_from = now;
    p->lane[l->lane].busy = false;
    p->unfinished--;
    look_later(p, l, now, true);
    step_all(p, now);
}

static void kernel_done(void *ctx, front_kernel_t *fk, ps_t now)
{
    play_t *p = ctx;
    p->running--;
    work_done(p, (live_t *)(void *)((char *)fk - offsetof(live_t, fk)), now);
}

static void copy_done(void *ctx, copy_job_t *j, ps_t now)
{
    play_t *p = ctx;
    live_t *l = (live_t *)(void *)((char *)j - offsetof(live_t, job));
    p->copies--;
    l->begin_ps = j->begin_ps; /* it may have stood behind others */
    work_done(p, l, now);
}

/* ---- accounting ---- */
static void account_end(play_t *p, live_t *l)
{
    run_t *r = p->r;
    unsigned bank = l->bank;
    totals_t now, bank_now, own = {0}, machine = {0};
    system_totals(r->sys, &now);
    system_bank(r->sys, bank, &bank_now);
    account_add(&own, &r->bank_base[bank], &bank_now, 1);
    account_add(&machine, &l->machine, &now, 1);
    r->bank_base[bank] = bank_now;
    stat_accumulate(&sm_stat_table, &p->own.sm, &own.sm);
    stat_accumulate(&l1_stat_table, &p->own.l1, &own.l1);
    stat_accumulate(&l2_stat_table, &p->own.l2, &own.l2);
    stat_accumulate(&xbar_stat_table, &p->own.xbar, &own.xbar);
    r->requests +=
        own.sm.loads + own.sm.stores + own.sm.atomics + own.sm.prefetches + own.sm.tile_lines;
    if (l->job.bytes) r->requests += l->job.reads + l->job.writes;
    krec_t *k = &r->rec[l->rec];
    k->simulated++;
    launched_t done = {.k = l->job.bytes ? NULL : &l->copy.k,
                       .fk = l->job.bytes ? NULL : &l->fk,
                       .time_ps = (double)(l->end_ps - l->begin_ps),
                       .own = &own,
                       .machine = &machine,
                       .bank = bank};
    account_launched(r, k, &done);
    p->taken[bank] = false;
    l->next = p->free_live;
    p->free_live = l;
}

static void look_now(play_t *p, ps_t t)
{
    for (; p->looked < p->n_look && p->look[p->looked].at_ps <= t; p->looked++) {
        look_t *k = &p->look[p->looked];
        if (k->end)
            account_end(p, k->l);
        else
            system_totals(p->r->sys, &k->l->machine);
    }
}

/* The group as one entry: mean over the times it was simulated. */
static void account_group(play_t *p, const totals_t *from)
{
    run_t *r = p->r;
    krec_t *k = &r->rec[p->rec];
    totals_t now, all = {0}, rest = {0}, zero = {0}, mean_all = {0};
    system_totals(r->sys, &now);
    account_add(&all, from, &now, 1);
    account_add(&rest, &p->own, &all, 1);
    levels_account(r, k, p->begin_ps, p->end_ps, 0, &all, &all);
    double n = (double)++k->simulated;
    account_mean(k, &rest);
    account_add(&mean_all, &zero, &k->group->all, (n - 1) / n);
    account_add(&mean_all, &zero, &all, 1 / n);
    k->group->all = mean_all;
    k->time_ps += ((double)(p->end_ps - p->begin_ps - p->idle_ps) - k->time_ps) / n;
    k->group->idle_ps += ((double)p->idle_ps - k->group->idle_ps) / n;
    k->gap_ps += (double)p->idle_ps;
}

/* ---- playing ---- */
static bool over(const play_t *p)
{
    return p->rc ||
           (!p->running && p->looked == p->n_look && !p->unfinished && p->r->n_work == p->last);
}

static int simulate(play_t *p)
{
    run_t *r = p->r;
    system_t *s = r->sys;
    totals_t from, seen, now;
    ps_t t = r->seq ? r->end_ps : 0, settled = r->seq ? t + run_settle_ps(s) : 0;
    engine_run(s->engine, settled);
    levels_reset(r);
    system_totals(s, &from);
    s->front.done = kernel_done;
    s->front.ctx = p;
    s->copy.done = copy_done;
    s->copy.done_ctx = p;
    p->first = true;
    p->begin_ps = PS_MAX;
    step_all(p, t);
    p->first = false;
    t = settled;
    seen = from;
    ps_t chunk = RUN_CHUNK_FIRST_PS, seen_ps = p->begin_ps, last_work_ps = t;
    uint64_t work = run_work_done(r);
    while (!over(p)) {
        ps_t upto = t + chunk;
        if (p->looked < p->n_look && p->look[p->looked].at_ps < upto)
            upto = p->look[p->looked].at_ps;
        p->stopped = false;
        ps_t left = engine_run(s->engine, upto);
        if (run_stop_wanted(r)) {
            r->partial = true;
            p->end_ps = ps_later(engine_now(s->engine), p->begin_ps);
            break;
        }
        if (p->stopped) continue; /* something began or ended: perhaps before the next look */
        t = upto;
        look_now(p, t);
        uint64_t before = work;
        work = run_work_done(r);
        if (work != before)
            last_work_ps = t;
        else if (p->looked == p->n_look && !over(p) &&
                 (left == PS_MAX || t - last_work_ps > RUN_STUCK_PS))
            return run_deadlock(r, "several streams");
        chunk = run_chunk(chunk, work - before);
        if ((p->rc = run_fault(r))) break;
        system_totals(s, &now);
        ps_t upto_ps = over(p) ? p->end_ps : t;
        run_add_segment(r, &r->rec[p->rec], seen_ps - p->begin_ps, upto_ps - p->begin_ps, &seen,
                        &now, 1);
        if (upto_ps > seen_ps) seen_ps = upto_ps, seen = now;
        run_progress(r, "several streams");
    }
    r->end_ps = p->end_ps;
    outside_report(r);
    if (!p->rc) account_group(p, &from);
    return p->rc;
}

static void release(play_t *p)
{
    for (size_t i = 0; i < p->n_live; i++) kernel_copy_free(&p->all_live[i]->copy);
    for (size_t i = 0; i < p->n_lane; i++)
        for (node_t *n = p->lane[i].head; n; n = n->next)
            if (n->mark) let_go(n->mark);
    for (mark_t *m = p->marks, *next; m; m = next) {
        next = m->next;
        let_go(m);
    }
    free(p->lane);
    free(p->look);
}

int streams_simulate(run_t *r, size_t rec, uint32_t last)
{
    if (!r->bank_base) r->bank_base = arena_array(r->arena, totals_t, STAT_BANKS);
    play_t *p = arena_alloc(r->arena, sizeof *p);
    p->r = r;
    p->rec = rec;
    p->last = last;
    int rc = simulate(p);
    release(p);
    return rc;
}
