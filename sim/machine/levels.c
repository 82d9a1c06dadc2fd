/* SPDX-License-Identifier: MIT
 * How the levels of the memory hierarchy were crossed: from when until when, and how long a read took.
 *
 *   level   crossed from                              until                                  latency of a read
 *   l1      its turn in the load/store pipe           data in the register; a store: turn    issue -> data in the
 *           (bulk copies, atomics go past it)         in the pipe over                       register or shared memory
 *   l2      its turn in the slice's data array        last byte out of the reply port;       request in by the slice's
 *                                                     a store: turn in the array over        port -> last byte out of
 *                                                                                            its reply port
 *   dram    its first column command                  last beat                              handed over by the L2 ->
 *                                                                                          last beat
 *
 * The stretch that is counted begins no later and ends no earlier than all that the level's peak limits, so bytes over
 * time never pass the peak.  In sampled kernels each measured read stands for as many as were passed over. */
#include "machine/streams.h"
#include <math.h>
#include <string.h>

void levels_reset(run_t *r)
{
    system_t *s = r->sys;
    for (uint32_t i = 0; i < s->n_sms; i++) s->sms[i].crossed = (span_t){0, 0};
    for (uint32_t i = 0; i < s->n_slices; i++) {
        slice_t *l = &s->slice[i];
        l->crossed = l->memory_crossed = (span_t){0, 0};
        if (l->latency.n) memset(&l->latency, 0, sizeof l->latency);
    }
}

static double times(uint64_t measured, uint64_t whole)
{
    return measured ? (double)whole / (double)measured : 1;
}

double levels_load_times(const totals_t *measured, const totals_t *whole)
{
    const sm_stats_t *m = &measured->sm, *w = &whole->sm;
    return times(m->loads + m->atomics + m->tile_lines, w->loads + w->atomics + w->tile_lines);
}

static void join(span_t *into, const span_t *s)
{
    if (s->last) span_note(into, s->first, s->last);
}

static hist_t *latency_at(run_t *r, level_use_t *u)
{
    if (!u->latency) u->latency = arena_alloc(r->arena, sizeof *u->latency);
    return u->latency;
}

/* Channels only add to their histograms: what came since they were last looked at. */
static void account_memory_latency(run_t *r, krec_t *k, double each)
{
    const system_t *s = r->sys;
    uint64_t n = 0;
    if (!r->memory_seen) r->memory_seen = arena_alloc(r->arena, 3 * sizeof *r->memory_seen);
    hist_t *seen = r->memory_seen, *now = seen + 1, *since = seen + 2;
    for (uint32_t c = 0; c < s->n_channels; c++) n += dram_chan_read_latency(s->chan[c])->n;
    if (n == seen->n) return;
    memset(now, 0, sizeof *now);
    for (uint32_t c = 0; c < s->n_channels; c++)
        hist_merge(now, dram_chan_read_latency(s->chan[c]));
    hist_since(since, now, seen);
    hist_merge_times(latency_at(r, &k->use[DRAM_LEVEL]), since, each);
    *seen = *now;
}

static void note(moment_t *first, moment_t *last, size_t inst, double from_ps, double upto_ps)
{
    if (!first->any) *first = (moment_t){true, inst, from_ps};
    *last = (moment_t){true, inst, upto_ps};
}

/* A launch of k that took time_ps begins where the run's clock is. */
static void advance(run_t *r, const krec_t *k, double time_ps)
{
    for (unsigned i = 0; i < LEVELS; i++) {
        const level_use_t *u = &k->use[i];
        if (u->crossed)
            note(&r->first[i], &r->last[i], r->n_inst - 1, r->played_ps + u->lead_ps,
                 r->played_ps + time_ps - u->tail_ps);
    }
    r->played_ps += time_ps;
}

void levels_account(run_t *r, krec_t *k, ps_t begin, ps_t end, ps_t skipped_ps,
                    const totals_t *measured, const totals_t *whole)
{
    const system_t *s = r->sys;
    span_t at[LEVELS] = {{0, 0}};
    double reads = times(measured->l2.read_bytes, whole->l2.read_bytes);
    for (uint32_t i = 0; i < s->n_sms; i++) join(&at[L1_LEVEL], &s->sms[i].crossed);
    for (uint32_t i = 0; i < s->n_slices; i++) {
        const slice_t *l = &s->slice[i];
        join(&at[L2_LEVEL], &l->crossed);
        join(&at[DRAM_LEVEL], &l->memory_crossed);
        if (l->latency.n) hist_merge_times(latency_at(r, &k->use[L2_LEVEL]), &l->latency, reads);
    }
    account_memory_latency(r, k, times(measured->dram.read_bursts, whole->dram.read_bursts));
    for (unsigned i = 0; i < LEVELS; i++) {
        level_use_t *u = &k->use[i];
        u->crossed = at[i].last > 0;
        u->lead_ps = (double)(at[i].first - begin);
        u->tail_ps = (double)(end - at[i].last);
    }
    advance(r, k, (double)(end - begin + skipped_ps));
}

void levels_drained(run_t *r)
{
    const system_t *s = r->sys;
    moment_t *last = &r->last[DRAM_LEVEL];
    span_t at = {0, 0};
    if (!r->n_inst || !last->any || last->inst != r->n_inst - 1) return;
    for (uint32_t i = 0; i < s->n_slices; i++) join(&at, &s->slice[i].memory_crossed);
    if (at.last > r->end_ps)
        last->ps = fmax(last->ps, r->played_ps + (double)(at.last - r->end_ps));
}

void levels_repeat(run_t *r, const krec_t *k)
{
    if (k->estimated) /* its time and its crossings are not known yet */
        note(&r->first_estimated, &r->last_estimated, r->n_inst - 1, r->played_ps, r->played_ps);
    else
        advance(r, k, k->time_ps + (k->group ? k->group->idle_ps : 0));
}

const hist_t *levels_latency(const run_t *r, unsigned level)
{
    hist_t *h = arena_alloc(r->arena, sizeof *h);
    for (size_t i = 0; i < r->n_rec; i++) {
        const krec_t *k = &r->rec[i];
        const hist_t *one = level == L1_LEVEL ? k->latency : k->use[level].latency;
        if (one)
            hist_merge_times(h, one, (double)k->count / (double)(k->simulated ? k->simulated : 1));
    }
    return h;
}

/* The same with the time of the estimated launches before it. */
static double on_clock(const run_t *r, const moment_t *m)
{
    double t = m->ps;
    for (size_t i = 0; i < m->inst; i++)
        if (r->rec[r->inst[i]].estimated) t += r->rec[r->inst[i]].time_ps;
    return t;
}

double levels_span_ps(const run_t *r, unsigned level)
{
    moment_t first = r->first[level], last = r->last[level];
    if (r->first_estimated.any) { /* may be the first or the last to cross */
        moment_t a = r->first_estimated, b = r->last_estimated;
        const krec_t *ka = &r->rec[r->inst[a.inst]], *kb = &r->rec[r->inst[b.inst]];
        a.ps += ka->use[level].lead_ps;
        b.ps += kb->time_ps - kb->use[level].tail_ps;
        if (ka->use[level].crossed && (!first.any || a.inst < first.inst)) first = a;
        if (kb->use[level].crossed && (!last.any || b.inst > last.inst)) last = b;
    }
    return first.any && last.any ? on_clock(r, &last) - on_clock(r, &first) : 0;
}
