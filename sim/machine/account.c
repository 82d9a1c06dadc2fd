/* SPDX-License-Identifier: MIT
 * From counters to findings: one kernel's figures, what limits it, its interval. */
#include "core/words.h"
#include "machine/run.h"
#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

/* Relative error assumed of what sampling takes for granted: that skipped work runs like the measured, and that
 * launches which look alike take as long. */
#define MODEL_REL_SKIPPED 0.01
#define L2_TOUCHED_REL 0.02 /* of a kernel whose L2 held for a moment what it did not have yet */
#define SAMPLED_REL \
    0.005 /* of a kernel of which anything was passed over: its end comes in another step */

void account_add(totals_t *into, const totals_t *a, const totals_t *b, double scale)
{
    stat_accumulate_scaled(&sm_stat_table, &into->sm, &a->sm, &b->sm, scale);
    stat_accumulate_scaled(&l1_stat_table, &into->l1, &a->l1, &b->l1, scale);
    stat_accumulate_scaled(&l2_stat_table, &into->l2, &a->l2, &b->l2, scale);
    stat_accumulate_scaled(&xbar_stat_table, &into->xbar, &a->xbar, &b->xbar, scale);
    stat_accumulate_scaled(&dram_stat_table, &into->dram, &a->dram, &b->dram, scale);
}

/* The unit that did most operations, by the program's text weighted with its amounts at block 0. */
static unit_t main_unit(const kernel_t *k)
{
    double ops[UNIT_COUNT] = {0};
    int64_t v[V_COUNT] = {0};
    for (uint32_t j = 0; j < k->nlets; j++) v[V_LET0 + j] = expr_eval(&k->let[j], v);
    double times[LOOP_DEPTH + 1] = {1};
    unsigned depth = 0;
    for (uint32_t i = 0; i < k->nops; i++) {
        const wop_t *op = &k->op[i];
        if (op->kind == WOP_LOOP && depth < LOOP_DEPTH) {
            times[depth + 1] = times[depth] * (double)expr_eval(&op->count, v);
            depth++;
        } else if (op->kind == WOP_END && depth)
            depth--;
        else if (op->kind == WOP_COMPUTE)
            ops[op->unit] += times[depth] * (double)expr_eval(&op->amount, v);
    }
    unsigned best = 0;
    for (unsigned u = 1; u < UNIT_COUNT; u++)
        if (ops[u] > ops[best]) best = u;
    return ops[best] > 0 ? (unit_t)best : UNIT_COUNT;
}

/* ---- what limits a kernel ---- */
#define TURNOVER 0.6 /* share of a block's place that is a turn: more counts as the limit */

static const char *limit_name(const krec_t *k, size_t limit)
{
    if (limit == LIMIT_MATH && k->main_unit < UNIT_COUNT) return unit_names[k->main_unit];
    return limit_words[limit].name;
}

/* t: what the whole machine counted while it ran, T: for how long. */
static void judge(const run_t *r, krec_t *k, const front_kernel_t *fk, const totals_t *t, double T)
{
    const system_t *s = r->sys;
    double sms = s->n_sms, slices = s->n_slices;
    double peak = dram_peak_bytes_per_s(s->dram) / 1e12; /* bytes per ps */
    double moved = (double)(t->l2.memory_read_bytes + t->l2.memory_write_bytes);
    double data = moved / (peak * T);
    /* A memory that always has something queued is at its limit, whatever it waits for.  One whose queue runs empty
     * is short of choice about as long again: then more in flight would carry more. */
    double starved = (double)t->dram.idle_empty_ps / ((double)s->n_channels * s->pcs * T);
    double dram = fmax(0, 1 - 2 * starved);
    if (dram < data) dram = data;
    const double use[] = {
        [LIMIT_DRAM] = dram,
        [LIMIT_L2] = fmax((double)t->l2.array_busy_ps, (double)t->l2.port_busy_ps) / (slices * T),
        [LIMIT_REPLY_PORTS] = (double)t->xbar.reply_busy_ps / (sms * T),
        [LIMIT_REQUEST_PORTS] = (double)t->xbar.request_busy_ps / (sms * T),
        [LIMIT_LSU] = (double)t->sm.lsu_busy_ps / (sms * T),
        [LIMIT_SHARED] = (double)t->sm.shared_busy_ps / (sms * T),
        [LIMIT_MATH] = (double)t->sm.pipe_busy_ps / (sms * T),
        [LIMIT_LAUNCH] = !fk ? 0 : (double)fk->total * (double)s->front.dispatch_ps / T};
    const size_t n = sizeof use / sizeof *use;
    size_t first = 0, second = 1;
    for (size_t i = 1; i < n; i++)
        if (use[i] > use[first]) first = i;
    second = first == 0;
    for (size_t i = 0; i < n; i++)
        if (i != first && use[i] > use[second]) second = i;
    k->unit_share = use[LIMIT_MATH];
    if (use[first] >= 0.85) {
        k->bound = limit_name(k, first);
        k->bound_share = fmin(use[first], 1);
        k->bound_next = limit_name(k, use[second] >= 0.5 ? second : LIMIT_IN_FLIGHT);
        return;
    }
    /* Nothing is near its peak: the work in flight does not cover the latency. */
    const double places = fk ? (double)fk->occ.ctas * sms : 0;
    bool few = fk && (double)fk->total < 0.75 * places;
    k->bound = limit_name(k, few ? LIMIT_FEW_BLOCKS : LIMIT_IN_FLIGHT);
    k->bound_share = 1 - use[first];
    k->bound_next = limit_name(k, first);
    if (!fk || few) return;
    /* Or the places for blocks stand empty for most of the time, between one block and the next. */
    const ps_t turn =
        s->front.launch_ps + (ps_t)fk->occ.warps * s->sms[0].warp_launch_ps + s->sms[0].retire_ps;
    double empty = (double)fk->total * (double)turn / (places * T);
    if (empty < TURNOVER) return;
    k->bound = limit_name(k, LIMIT_TURNOVER);
    k->bound_share = fmin(empty, 1);
}

static void describe(krec_t *k, const kernel_t *kn)
{
    k->flops = kn->flops > 0 ? kn->flops : (double)k->tot.sm.operations;
    bool stated = kn->useful_read_bytes > 0 || kn->useful_write_bytes > 0;
    k->read_bytes = stated ? kn->useful_read_bytes : (double)k->tot.sm.load_bytes;
    k->write_bytes = stated ? kn->useful_write_bytes : (double)k->tot.sm.store_bytes;
    k->agent = kn->agent;
    k->main_unit = main_unit(kn);
}

void account_mean(krec_t *k, const totals_t *one)
{
    totals_t zero = {0};
    account_add(&k->sum, &zero, one, 1);
    k->tot = zero;
    account_add(&k->tot, &zero, &k->sum, 1 / (double)k->simulated);
}

void account_launched(run_t *r, krec_t *k, const launched_t *l)
{
    double n = (double)k->simulated; /* several simulations of one kind are averaged */
    k->interval = fmax(k->interval, l->interval);
    if (n <= 1) k->first_ps = l->time_ps;
    k->latest_ps = l->time_ps;
    k->time_ps += (l->time_ps - k->time_ps) / n;
    account_mean(k, l->own);
    if (l->k)
        describe(k, l->k);
    else {
        k->read_bytes = k->write_bytes = (double)k->arg[0];
        k->main_unit = UNIT_COUNT;
    }
    if (!k->latency) k->latency = arena_alloc(r->arena, sizeof *k->latency);
    const double each = l->measured ? levels_load_times(l->measured, l->own) : 1;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) {
        sm_latency_t *m = r->sys->sms[i].lat_of[l->bank];
        if (!m) continue;
        if (m->hist.n) hist_merge_times(k->latency, &m->hist, each);
        for (unsigned h = 0; h < ST_COUNT; h++) k->hop_ps[h] += each * (double)m->hop_ps[h];
        k->hop_n += each * (double)m->hop_n;
        if (l->bank && m->hist.n) *m = (sm_latency_t){0};
    }
    if (l->machine)
        judge(r, k, l->fk, l->machine, l->time_ps);
    else
        judge(r, k, l->fk, &k->tot, k->time_ps);
}

void account_kernel(run_t *r, krec_t *k, const kernel_t *kn, ps_t begin, ps_t end)
{
    totals_t now = {0}, one = {0};
    system_totals(r->sys, &now);
    account_add(&one, &r->begin, &now, 1);
    const totals_t measured = one;
    double time = (double)(end - begin) + (double)r->skipped_ps, var = 0;
    for (size_t i = 0; i < r->n_jump; i++) {
        const jump_t *j = &r->jump[i];
        account_add(&one, &j->from, &j->to, j->scale);
        double e = j->rel * j->time_ps;
        var += e * e;
    }
    double rel = sqrt(var) / time + MODEL_REL_SKIPPED * (double)r->skipped_ps / time;
    if (r->n_jump) rel = fmax(rel, SAMPLED_REL);
    if (r->l2_touched) rel = fmax(rel, L2_TOUCHED_REL);
    launched_t l = {
        .k = kn, .fk = r->fk, .time_ps = time, .interval = rel, .own = &one, .measured = &measured};
    account_launched(r, k, &l);
    levels_account(r, k, begin, end, r->skipped_ps, &measured, &one);
    r->requests += now.sm.loads + now.sm.stores + now.sm.atomics + now.sm.prefetches +
                   now.sm.tile_lines -
                   (r->begin.sm.loads + r->begin.sm.stores + r->begin.sm.atomics +
                    r->begin.sm.prefetches + r->begin.sm.tile_lines);
}
