/* SPDX-License-Identifier: MIT
 * From the kernels' figures to the result of the run: totals, levels, stacks, series, verdict, digest. */
#include "machine/outcome.h"
#include "core/words.h"
#include "machine/streams.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_BINS 400

static void add_totals(totals_t *into, const totals_t *one, double times)
{
    static const totals_t zero;
    stat_accumulate_scaled(&sm_stat_table, &into->sm, &zero, &one->sm, times);
    stat_accumulate_scaled(&l1_stat_table, &into->l1, &zero, &one->l1, times);
    stat_accumulate_scaled(&l2_stat_table, &into->l2, &zero, &one->l2, times);
    stat_accumulate_scaled(&xbar_stat_table, &into->xbar, &zero, &one->xbar, times);
    stat_accumulate_scaled(&dram_stat_table, &into->dram, &zero, &one->dram, times);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static res_latency_t latency_of(const hist_t *h)
{
    res_latency_t l = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    if (!h || !h->n) return l;
    l.n = h->n;
    l.mean = (double)h->sum / (double)h->n / 1e3;
    l.p50 = (double)hist_percentile(h, 0.50) / 1e3;
    l.p95 = (double)hist_percentile(h, 0.95) / 1e3;
    l.p99 = (double)hist_percentile(h, 0.99) / 1e3;
    l.max = (double)h->max / 1e3;
    return l;
}

static double l1_rate(const totals_t *t)
{
    return ratio((double)t->l1.hits, (double)t->l1.loads);
}
static double l2_rate(const totals_t *t)
{
    return ratio((double)(t->l2.hits + t->l2.merged), (double)t->l2.reads);
}

/* ---- kernels ---- */
static double unit_peak_TFLOPs(const run_t *r, unit_t u)
{
    if (u == UNIT_COUNT) return (double)NAN;
    const sm_t *m = &r->sys->sms[0];
    return (double)m->rate[u] * r->sys->n_sms * (double)m->clk.hz / 1e12;
}

/* Was this kernel cut off by an interrupt?  Then its formulas promise more than it did. */
static bool cut_off(const run_t *r, const krec_t *k)
{
    return r->partial && r->n_inst && k == &r->rec[r->inst[r->n_inst - 1]];
}

static void fill_kernel(const run_t *r, const krec_t *k, res_kernel_t *o)
{
    bool cut = cut_off(r, k);
    double flops = cut ? fmin(k->flops, (double)k->tot.sm.operations) : k->flops,
           read = cut ? fmin(k->read_bytes, (double)k->tot.sm.load_bytes) : k->read_bytes,
           write = cut ? fmin(k->write_bytes, (double)k->tot.sm.store_bytes) : k->write_bytes;
    *o = (res_kernel_t){
        .name = k->name,
        .kind = k->kind ? k->kind : k->name,
        .phase = k->phase,
        .count = k->count,
        .simulated = k->simulated,
        .time_ns = k->time_ps / 1e3,
        .total_ns = k->time_ps / 1e3 * (double)k->count,
        .interval = k->interval,
        .flops = flops,
        .read_bytes = read,
        .write_bytes = write,
        .GBps = ratio(read + write, k->time_ps / 1e3),
        .TFLOPs = ratio(flops, k->time_ps),
        .unit = k->main_unit < UNIT_COUNT ? unit_names[k->main_unit] : "",
        .peak_TFLOPs = unit_peak_TFLOPs(r, k->main_unit),
        .dram_bytes = (double)(k->tot.l2.memory_read_bytes + k->tot.l2.memory_write_bytes),
        .l2_bytes = (double)(k->tot.l2.read_bytes + k->tot.l2.write_bytes),
        .l1_hit_rate = l1_rate(&k->tot),
        .l2_hit_rate = l2_rate(&k->tot),
        .latency = latency_of(k->latency),
        .bound = k->bound ? k->bound : limit_words[LIMIT_UNKNOWN].name,
        .bound_share = k->bound_share,
        .bound_next = k->bound_next ? k->bound_next : limit_words[LIMIT_UNKNOWN].name,
        .in_summary = true};
}

/* One entry for launches of one name, phase and numbers; those that differ only in their predecessor or in the
 * cache state they meet are averaged by count. */
static bool same_row(const krec_t *a, const krec_t *b)
{
    return a->def == b->def && a->phase == b->phase && a->nargs == b->nargs &&
           !memcmp(a->arg, b->arg, a->nargs * sizeof *a->arg);
}

static res_kernel_t *make_kernels(const run_t *r, size_t *n)
{
    res_kernel_t *list = arena_array(r->arena, res_kernel_t, r->n_rec ? r->n_rec : 1);
    bool *done = arena_array(r->arena, bool, r->n_rec ? r->n_rec : 1);
    *n = 0;
    for (size_t i = 0; i < r->n_rec; i++) {
        if (done[i] || r->rec[i].group) continue;
        res_kernel_t *o = &list[(*n)++];
        const krec_t *a = &r->rec[i];
        fill_kernel(r, a, o);
        double dram = o->dram_bytes * (double)a->count, l2 = o->l2_bytes * (double)a->count;
        double hits1 = (double)a->tot.l1.hits * (double)a->count,
               n1 = (double)a->tot.l1.loads * (double)a->count;
        double hits2 = (double)(a->tot.l2.hits + a->tot.l2.merged) * (double)a->count,
               n2 = (double)a->tot.l2.reads * (double)a->count;
        const krec_t *biggest = a;
        for (size_t j = i + 1; j < r->n_rec; j++) {
            const krec_t *b = &r->rec[j];
            if (done[j] || !same_row(a, b)) continue;
            done[j] = true;
            double c = (double)b->count;
            o->count += b->count;
            o->simulated += b->simulated;
            o->total_ns += b->time_ps / 1e3 * c;
            if (b->interval > o->interval) o->interval = b->interval;
            dram += c * (double)(b->tot.l2.memory_read_bytes + b->tot.l2.memory_write_bytes);
            l2 += c * (double)(b->tot.l2.read_bytes + b->tot.l2.write_bytes);
            hits1 += c * (double)b->tot.l1.hits, n1 += c * (double)b->tot.l1.loads;
            hits2 += c * (double)(b->tot.l2.hits + b->tot.l2.merged),
                n2 += c * (double)b->tot.l2.reads;
            if (b->count > biggest->count) biggest = b;
        }
        double c = (double)o->count;
        o->time_ns = o->total_ns / c;
        o->dram_bytes = dram / c;
        o->l2_bytes = l2 / c;
        o->l1_hit_rate = ratio(hits1, n1);
        o->l2_hit_rate = ratio(hits2, n2);
        o->GBps = ratio(o->read_bytes + o->write_bytes, o->time_ns);
        o->TFLOPs = ratio(o->flops, o->time_ns * 1e3);
        o->latency = latency_of(biggest->latency);
        if (biggest->bound)
            o->bound = biggest->bound, o->bound_share = biggest->bound_share,
            o->bound_next = biggest->bound_next;
    }
    return list;
}

/* ---- stacks ---- */
static res_share_t *latency_stack(const run_t *r, size_t *n)
{
    double hop[ST_COUNT] = {0}, cnt = 0;
    for (size_t i = 0; i < r->n_rec; i++) {
        const krec_t *k = &r->rec[i];
        if (!k->simulated || k->group) continue;
        double w = (double)k->count / (double)k->simulated;
        for (unsigned h = 1; h < ST_COUNT; h++) hop[h] += w * k->hop_ps[h];
        cnt += w * k->hop_n;
    }
    res_share_t *s = arena_array(r->arena, res_share_t, ST_COUNT);
    *n = 0;
    if (cnt <= 0) return s;
    for (unsigned h = 1; h < ST_COUNT; h++)
        s[(*n)++] = (res_share_t){hop_words[h].name, hop[h] / cnt / 1e3};
    return s;
}

/* ---- bandwidth over time ---- */
static void spread(double *bin, double bin_ps, double t0, double t1, double bytes)
{
    if (t1 <= t0) return;
    double per_ps = bytes / (t1 - t0);
    size_t i = (size_t)(t0 / bin_ps);
    for (; i < SERIES_BINS && (double)i * bin_ps < t1; i++) {
        double lo = fmax(t0, (double)i * bin_ps), hi = fmin(t1, ((double)i + 1) * bin_ps);
        if (hi > lo) bin[i] += per_ps * (hi - lo);
    }
}

static res_series_t *make_series(const run_t *r, double total_ps, size_t *n)
{
    res_series_t *s = arena_array(r->arena, res_series_t, 3);
    *n = 0;
    if (total_ps <= 0) return s;
    double bin_ps = total_ps / SERIES_BINS * (1 + 1e-12), t = 0, *v[3];
    for (unsigned i = 0; i < 3; i++) v[i] = arena_array(r->arena, double, SERIES_BINS);
    for (size_t i = 0; i < r->n_inst; i++) {
        const krec_t *k = &r->rec[r->inst[i]];
        t += k->gap_ps / (double)k->count;
        if (k->time_ps < bin_ps || !k->n_seg) { /* too short to show its course */
            const totals_t *c = k->group ? &k->group->all : &k->tot;
            double l2 = (double)(c->l2.read_bytes + c->l2.write_bytes);
            double dram = (double)(c->l2.memory_read_bytes + c->l2.memory_write_bytes);
            spread(v[0], bin_ps, t, t + k->time_ps, (double)c->l1.read_bytes);
            spread(v[1], bin_ps, t, t + k->time_ps, l2);
            spread(v[2], bin_ps, t, t + k->time_ps, dram);
        } else {
            double f = k->time_ps / (double)k->seg[k->n_seg - 1].end_ps;
            for (size_t j = 0; j < k->n_seg; j++) {
                const segment_t *g = &k->seg[j];
                double a = t + f * (double)g->begin_ps, b = t + f * (double)g->end_ps;
                spread(v[0], bin_ps, a, b, g->l1);
                spread(v[1], bin_ps, a, b, g->l2);
                spread(v[2], bin_ps, a, b, g->dram);
            }
        }
        t += k->time_ps;
    }
    static const char *const level[3] = {"l1", "l2", "dram"};
    for (unsigned i = 0; i < 3; i++) {
        for (size_t j = 0; j < SERIES_BINS; j++) v[i][j] = v[i][j] / (bin_ps / 1e3);
        s[i] = (res_series_t){level[i], bin_ps / 1e3, v[i], SERIES_BINS};
    }
    *n = 3;
    return s;
}

/* ---- energy ---- */
/* Joules of `units` at `each` picojoules; NAN where the device gives no figure: it is not modelled, not free. */
static double joules(double units, double each)
{
    return each > 0 ? units * each * 1e-12 : (double)NAN;
}

static res_share_t *energy(const run_t *r, const totals_t *t, double time_ps,
                           const res_level_t *dram, double flops, size_t *n)
{
    const device_t *d = r->sys->dev;
    const double part[ENERGY_TOTAL] = {
        [ENERGY_MEMORY] = dram->n_energy ? dram->energy[dram->n_energy - 1].value : (double)NAN,
        [ENERGY_L2] =
            joules((double)(t->l2.read_bytes + t->l2.write_bytes) / 32, d->l2.pj_per_sector),
        [ENERGY_L1] =
            joules((double)(t->l1.read_bytes + t->l1.fill_bytes) / 32, d->l1.pj_per_sector),
        [ENERGY_CROSSBAR] =
            joules((double)(t->xbar.request_bytes + t->xbar.reply_bytes), d->xbar.pj_per_byte),
        [ENERGY_MATH] = joules(flops, d->gpu.pj_per_flop),
        [ENERGY_IDLE] = joules(time_ps, d->gpu.sm_idle_power * d->gpu.sms), /* W x ps = pJ */
    };
    res_share_t *e = arena_array(r->arena, res_share_t, ENERGY_COUNT);
    double sum = 0;
    for (size_t i = 0; i < ENERGY_TOTAL; i++) {
        e[i] = (res_share_t){energy_words[i].name, part[i]};
        if (!isnan(part[i])) sum += part[i];
    }
    e[ENERGY_TOTAL] = (res_share_t){energy_words[ENERGY_TOTAL].name, sum};
    *n = ENERGY_COUNT;
    return e;
}

/* ---- the whole ---- */
static void set_bound(const run_t *r, result_t *res)
{
    /* Time-weighted vote of the kernels. */
    struct {
        const char *name;
        double ns;
        const char *next;
        double next_ns;
    } v[32];
    size_t n = 0;
    double all = 0;
    for (size_t i = 0; i < res->n_kernels; i++) {
        const res_kernel_t *k = &res->kernels[i];
        all += k->total_ns;
        size_t j = 0;
        while (j < n && strcmp(v[j].name, k->bound) != 0) j++;
        if (j == n) {
            if (n == 32) continue;
            v[n].name = k->bound, v[n].ns = 0, v[n].next = k->bound_next, v[n++].next_ns = 0;
        }
        v[j].ns += k->total_ns;
        if (k->total_ns > v[j].next_ns) v[j].next = k->bound_next, v[j].next_ns = k->total_ns;
    }
    res->bound.name = res->bound.next = limit_words[LIMIT_NONE].name;
    res->bound.sentence = "Nothing ran.";
    if (!n || all <= 0) return;
    size_t first = 0;
    for (size_t j = 1; j < n; j++)
        if (v[j].ns > v[first].ns) first = j;
    const res_kernel_t *top = NULL;
    for (size_t i = 0; i < res->n_kernels; i++)
        if (!strcmp(res->kernels[i].bound, v[first].name) &&
            (!top || res->kernels[i].total_ns > top->total_ns))
            top = &res->kernels[i];
    if (!top) return;
    res->bound.name = v[first].name;
    /* Where kernels overlap their times add up to more than the run's. */
    res->bound.share = v[first].ns / res->time_ns * fmin(1, res->busy_ns / all);
    res->bound.next = v[first].next;
    res->bound.sentence =
        arena_printf(r->arena,
                     "%.0f %% of the time is spent in kernels limited by %s "
                     "(largest: %s); next would be %s.",
                     100 * v[first].ns / all, v[first].name, top->name, v[first].next);
}

/* "concurrency of streams 0, 1 (over the budget)" */
static const char *serialized_streams(const run_t *r)
{
    const char *list = "";
    uint32_t max = sizeof r->serialized_streams / sizeof *r->serialized_streams;
    for (uint32_t i = 0; i < r->n_serialized_streams && i < max; i++)
        list = arena_printf(r->arena, "%s%s%u", list, i ? ", " : "", r->serialized_streams[i]);
    return arena_printf(r->arena, "concurrency of streams %s%s (over the budget)", list,
                        r->n_serialized_streams > max ? ", ..." : "");
}

static res_level_t *levels(const run_t *r, const totals_t *t, ps_t busy_ps, const hist_t *loads)
{
    const system_t *s = r->sys;
    const gpu_param_t *g = &s->dev->gpu;
    res_level_t *l = arena_array(r->arena, res_level_t, LEVELS);
    l[L1_LEVEL] = (res_level_t){.name = "l1",
                                .read_bytes = (double)t->l1.read_bytes,
                                .write_bytes = (double)t->l1.write_bytes,
                                .peak_GBps = g->lsu_lines_per_clk * LINE_BYTES * s->n_sms *
                                             (double)g->clock / 1e9,
                                .bound_GBps = (double)NAN,
                                .hit_rate = l1_rate(t),
                                .latency = latency_of(loads),
                                .row_hit_rate = (double)NAN,
                                .capacity_bytes = s->dev->l1.size * s->n_sms};
    l[L2_LEVEL] = (res_level_t){.name = "l2",
                                .read_bytes = (double)t->l2.read_bytes,
                                .write_bytes = (double)t->l2.write_bytes,
                                .peak_GBps = device_peak_l2_bytes_per_s(s->dev) / 1e9,
                                .bound_GBps = (double)NAN,
                                .hit_rate = l2_rate(t),
                                .latency = latency_of(levels_latency(r, L2_LEVEL)),
                                .row_hit_rate = (double)NAN,
                                .capacity_bytes = s->dev->l2.size};
    outcome_memory(&l[DRAM_LEVEL], s->dram, &t->dram, busy_ps, s->n_channels,
                   levels_latency(r, DRAM_LEVEL), r->arena);
    l[DRAM_LEVEL].name = "dram";
    /* As of the kernels, what the L2 handed to the memory: some of it is written after the kernel's end. */
    l[DRAM_LEVEL].read_bytes = (double)t->l2.memory_read_bytes;
    l[DRAM_LEVEL].write_bytes = (double)t->l2.memory_write_bytes;
    for (unsigned i = 0; i < LEVELS; i++)
        l[i].achieved_GBps = ratio(l[i].read_bytes + l[i].write_bytes, levels_span_ps(r, i) / 1e3);
    return l;
}

int account_result(run_t *r, result_t *res)
{
    const system_t *s = r->sys;
    double total = 0, gap = 0, unsure = 0, flops = 0;
    totals_t *t = arena_alloc(r->arena, sizeof *t);
    for (size_t i = 0; i < r->n_rec; i++) {
        const krec_t *k = &r->rec[i];
        double n = (double)k->count;
        if (k->simulated) /* the mean is rounded */
            add_totals(t, &k->sum, n / (double)k->simulated);
        else
            add_totals(t, &k->tot, n);
        flops += k->flops * n;
        if (k->member_of) continue; /* its time is part of its group's */
        total += k->time_ps * n;
        gap += k->gap_ps;
        /* Kernels are sampled in the same way, so their errors may well go in one direction: they add up. */
        unsure += k->interval * k->time_ps * n;
    }
    double time_ps = total + gap;
    res->time_ns = r->n_inst ? time_ps / 1e3 : 0;
    res->busy_ns = total / 1e3;
    res->launch_gap_ns = gap / 1e3;
    res->interval = time_ps > 0 ? unsure / time_ps : 0;
    res->kernels = make_kernels(r, &res->n_kernels);
    const hist_t *lat = levels_latency(r, L1_LEVEL);
    res->load_latency = lat;
    res->latency_stack = latency_stack(r, &res->n_latency_stack);
    res->series = make_series(r, time_ps, &res->n_series);

    res_level_t *l = levels(r, t, (ps_t)total, lat);
    res->levels = l;
    res->n_levels = LEVELS;
    res_level_t *m = arena_array(r->arena, res_level_t, 1);
    *m = l[DRAM_LEVEL];
    m->name = s->dev->memory[0].name && *s->dev->memory[0].name ? s->dev->memory[0].name : "memory";
    res->memories = m;
    res->n_memories = 1;
    res_level_t *g = arena_array(r->arena, res_level_t, 1);
    *g = l[L1_LEVEL];
    g->name = "gpu0";
    res->gpus = g;
    res->n_gpus = 1;
    res->energy = energy(r, t, time_ps, &l[DRAM_LEVEL], flops, &res->n_energy);

    res_stats_t *st = arena_array(r->arena, res_stats_t, 5);
    st[0] = (res_stats_t){"sm", &sm_stat_table, &t->sm};
    st[1] = (res_stats_t){"l1", &l1_stat_table, &t->l1};
    st[2] = (res_stats_t){"xbar", &xbar_stat_table, &t->xbar};
    st[3] = (res_stats_t){"l2", &l2_stat_table, &t->l2};
    st[4] = (res_stats_t){arena_printf(r->arena, "memory.%s", m->name), &dram_stat_table, &t->dram};
    res->stats = st;
    res->n_stats = 5;

    res_unmodelled_t *u = arena_array(r->arena, res_unmodelled_t, 3);
    if (r->coll_count)
        u[res->n_unmodelled++] = (res_unmodelled_t){"collectives", r->coll_count, r->coll_bytes};
    if (r->copy_count)
        u[res->n_unmodelled++] =
            (res_unmodelled_t){"copies to and from the host", r->copy_count, r->copy_bytes};
    if (r->serialized)
        u[res->n_unmodelled++] = (res_unmodelled_t){serialized_streams(r), r->serialized, 0};
    res->unmodelled = u;
    res->l2_dirty_bytes = (double)system_dirty_bytes(s);
    res->tokens = workload_tokens(r->wl);
    res->partial = r->partial;
    if (r->partial) res->reproducible = false; /* it stopped at a moment of the computer's clock */
    set_bound(r, res);
    outcome_digest(res);
    res->host.requests = r->requests;
    return MS_OK;
}
