/* SPDX-License-Identifier: MIT
 * Steps of a kernel's main loop passed over: the loop counters of all resident warps are raised.  Each SM by as many as
 * its rate in the stretch tells, so that the slow ones end late; where it has few warps, by the rate of all SMs with
 * as many. */
#include "machine/sample.h"
#include <math.h>

#define PLAYED_SHARE 0.5 /* of what is passed over: enough to tell what it has of the memory */
#define LOOSE_REL \
    0.05 /* assumed of warps of one SM that do not wait for each other: they drift apart, and the last ends their block */

enum {
    WARM = 6, /* steps before the stretch: the loop's pipeline fills */
    WARM_COARSE = 5,
    WARM_LATER = 2,
    TAIL = 2, /* steps that are left to be simulated */
    TAIL_COARSE = 1,
    WORTH = 6,
    BATCHES_LEAST = 4,
    LONE_WARP_STEPS = 256,
    PACES = sizeof((run_t *)0)->pace / sizeof(pace_t)
};

typedef struct warps { /* those in the loop */
    uint32_t n, most;  /* of an SM, at most */
    bool all_in, even; /* no warp is outside; SMs that have any have equally many */
    int64_t least_done, least_left;
    uint32_t *of_sm;
    int64_t *left; /* least of an SM */
} warps_t;

static uint32_t warp_slots(const run_t *r)
{
    const gpu_param_t *g = &r->sys->dev->gpu;
    uint32_t n = g->threads_per_sm / g->warp_size;
    return n < g->ctas_per_sm ? g->ctas_per_sm : n;
}

static void look_at_sm(const sampler_t *s, uint32_t m, warps_t *p)
{
    p->of_sm[m] = 0;
    p->left[m] = INT64_MAX;
    for (uint32_t j = 0, n = warp_slots(s->r); j < n; j++) {
        const warp_t *w = &s->r->sys->sms[m].warp[j];
        if (w->state == WARP_FREE || !w->cta) continue;
        if (w->pc <= s->loop || w->pc > s->k->op[s->loop].jump) {
            p->all_in = false;
            continue;
        }
        p->of_sm[m]++;
        int64_t i = w->v[V_I0], left = w->loop_n[0] - i;
        if (i < p->least_done) p->least_done = i;
        if (left < p->left[m]) p->left[m] = left;
    }
}

static warps_t look(const sampler_t *s)
{
    warps_t p = {.least_done = INT64_MAX,
                 .least_left = INT64_MAX,
                 .all_in = true,
                 .even = true,
                 .of_sm = s->warps_of_sm,
                 .left = s->left_of_sm};
    for (uint32_t m = 0; m < s->r->sys->n_sms; m++) {
        look_at_sm(s, m, &p);
        const uint32_t n = p.of_sm[m];
        if (!n) continue;
        p.n += n;
        if (p.most && n != p.most) p.even = false;
        if (n > p.most) p.most = n;
        if (p.left[m] < p.least_left) p.least_left = p.left[m];
    }
    return p;
}

/* Progress of an SM in the loop is counted in line requests done, which says more than whole steps do, if it makes
 * any. */
static double sm_work(const sampler_t *s, uint32_t m)
{
    return s->step_lines > 0 ? sampler_sm_lines_done(s->r, m)
                             : (double)s->r->sys->sms[m].iterations;
}

static double all_work(const sampler_t *s)
{
    double n = 0;
    for (uint32_t m = 0; m < s->r->sys->n_sms; m++) n += sm_work(s, m);
    return n;
}

static double lines_of_step(sampler_t *s)
{
    for (uint32_t m = 0; m < s->r->sys->n_sms; m++) s->ahead[m] = 1;
    return (double)count_loop_lines(s->r, s->loop, s->ahead);
}

static void begin(sampler_t *s, const warps_t *p, ps_t t)
{
    run_t *r = s->r;
    s->step_lines = lines_of_step(s);
    s->step_work = s->step_lines > 0 ? s->step_lines : p->n;
    for (uint32_t m = 0; m < r->sys->n_sms; m++) s->sm_work[m] = sm_work(s, m);
    const double unit = p->n == 1 ? LONE_WARP_STEPS : r->rel_goal >= UNSTEADY_REL ? 0.5 : 1;
    stretch_open(&s->steps, r, t, all_work(s), s->step_work * unit);
    if (s->loop_stores) s->steps.dirty0 = (double)system_dirty_bytes(r->sys);
}

/* Steps per ps of SM m in the stretch until t: its own, if it has warps enough to tell, else that of all SMs with as
 * many. */
static double rate_of(const sampler_t *s, const warps_t *p, uint32_t m, ps_t t)
{
    const uint32_t warps = p->of_sm[m];
    double work = 0, n = 0;
    for (uint32_t k = 0; k < s->r->sys->n_sms; k++) {
        if (warps >= MANY_WARPS ? k != m : p->of_sm[k] != warps) continue;
        work += sm_work(s, k) - s->sm_work[k];
        n += warps;
    }
    return work / n / (s->step_work / p->n) / (double)(t - s->steps.t0);
}

/* How many steps each SM can be passed over, s->skip[], until the first comes near its end; returns the time that
 * takes, 0: it is not worth it. */
static double plan(sampler_t *s, const warps_t *p, ps_t t)
{
    const int64_t tail = s->r->rel_goal >= UNSTEADY_REL ? TAIL_COARSE : TAIL;
    const uint32_t n = s->r->sys->n_sms;
    const bool common = p->even && p->most < MANY_WARPS;
    double time_ps = 0;
    for (uint32_t m = 0; m < n; m++) {
        if (!p->of_sm[m]) continue;
        s->sm_rate[m] = common ? s->step_rate : rate_of(s, p, m, t);
        if (s->sm_rate[m] <= 0) continue;
        const double ends = (double)(p->left[m] - tail) / s->sm_rate[m];
        if (time_ps <= 0 || ends < time_ps) time_ps = ends;
    }
    int64_t most = 0;
    for (uint32_t m = 0; m < n; m++) {
        s->skip[m] = p->of_sm[m] ? (int64_t)(time_ps * s->sm_rate[m] + 1e-6) : 0;
        if (s->skip[m] > most) most = s->skip[m];
    }
    return most < WORTH ? 0 : time_ps;
}

/* Work in the steps planned.  Not all steps ask for the same number of lines: some lanes may be done. */
static double work_ahead(sampler_t *s, const warps_t *p)
{
    enum { LOOKS = 8 };
    const uint32_t n = s->r->sys->n_sms;
    double steps = 0;
    for (uint32_t m = 0; m < n; m++) steps += (double)s->skip[m] * p->of_sm[m];
    if (s->step_lines <= 0) return steps;
    double lines = 0;
    for (int64_t i = 0; i < LOOKS; i++) {
        for (uint32_t m = 0; m < n; m++)
            s->ahead[m] = 1 + (2 * i + 1) * (s->skip[m] - 1) / ((int64_t)2 * LOOKS);
        lines += (double)count_loop_lines(s->r, s->loop, s->ahead) / LOOKS;
    }
    return lines / p->n * steps;
}

static void pass_over(sampler_t *s, const warps_t *p, double done, double time_ps)
{
    run_t *r = s->r;
    const double work = work_ahead(s, p);
    double as_measured = 0; /* work, had all steps been like those of the stretch */
    for (uint32_t m = 0; m < r->sys->n_sms; m++)
        as_measured += (double)s->skip[m] * p->of_sm[m] * s->step_work / p->n;
    r->played = (played_t){0};
    const double share = warm_loops(r, s->loop, s->skip);
    s->mixed = sampler_unlike(r, &s->steps.from);
    /* More than the memory can move in that time: what was measured was no steady state. */
    const double bytes = SECTOR_BYTES * (r->played.missed_sectors + r->played.written_sectors);
    const double peak_per_ps = device_peak_dram_bytes_per_s(r->sys->dev) / 1e12;
    if (share > 0 && bytes / share > peak_per_ps * time_ps * work / as_measured) s->mixed = true;
    r->l2_touched |= s->mixed;
    if (s->mixed) return;
    for (uint32_t m = 0; m < r->sys->n_sms; m++)
        for (uint32_t j = 0, n = warp_slots(r); j < n; j++) {
            warp_t *w = &r->sys->sms[m].warp[j];
            if (w->state != WARP_FREE && w->cta) w->v[V_I0] += s->skip[m];
        }
    stretch_record(&s->steps, r, done, work, time_ps * work / as_measured, s->step_rel);
    if (s->step_lines > 0 && share >= PLAYED_SHARE) stretch_memory_bytes(r, share);
}

/* A kernel that hardly counts takes the pace of an earlier launch of its definition, whose loop asked for as much. */
static void take_pace(sampler_t *s, const warps_t *p)
{
    const run_t *r = s->r;
    if (s->pace_warps == p->n || s->step_warps == p->n) return;
    s->pace_warps = p->n;
    const double lines = lines_of_step(s);
    for (size_t i = 0; i < r->n_pace && i < PACES; i++) {
        const pace_t *a = &r->pace[i];
        if (a->def != r->cur->def || a->warps != p->n || a->step_lines != lines) continue;
        s->step_warps = p->n;
        s->step_rate = a->rate;
        s->step_rel = UNSTEADY_REL;
    }
}

static void keep_pace(const sampler_t *s, const warps_t *p)
{
    run_t *r = s->r;
    r->pace[r->n_pace++ % PACES] = (pace_t){r->cur->def, p->n, s->step_lines, s->step_rate};
}

/* Not while the L2 still takes stores in, nor while SMs whose warps are done still have theirs under way and so take
 * a part of the memory's rate. */
static bool is_steady(const sampler_t *s, const warps_t *p, double done)
{
    double outside = 0;
    for (uint32_t m = 0; m < s->r->sys->n_sms; m++)
        if (!p->of_sm[m]) outside += sm_work(s, m) - s->sm_work[m];
    if (outside > 0.05 * done) return false;
    return !s->loop_stores || stretch_dirty_is_steady(&s->steps, s->r);
}

void sampler_steps(sampler_t *s, ps_t t)
{
    run_t *r = s->r;
    const warps_t p = look(s);
    const bool coarse = r->rel_goal >= UNSTEADY_REL;
    if (!p.all_in || !p.n || p.least_left < TAIL + 1 || (p.even && p.least_left < TAIL + WORTH)) {
        s->steps.open = false;
        return;
    }
    r->watch = true;
    if (coarse && p.even && p.most < MANY_WARPS) take_pace(s, &p);
    /* A later wave of as many warps goes like the first: one step is run for the counters, the rate is known. */
    const bool known = p.even && p.most < MANY_WARPS && s->step_warps == p.n;
    if (!s->steps.open) {
        if (p.least_done >= (known ? WARM_LATER : coarse ? WARM_COARSE : WARM)) begin(s, &p, t);
        return;
    }
    const double work = all_work(s), done = work - s->steps.w0;
    double rel;
    bool enough = stretch_measure(&s->steps, r, t, work, &rel) && s->steps.n >= BATCHES_LEAST;
    if (!(known ? s->steps.n >= 1 : enough)) return;
    if (!known && !is_steady(s, &p, done)) {
        s->steps.open = false;
        return;
    }
    if (!known) {
        s->step_warps = p.even ? p.n : 0;
        s->step_rel = fmax(rel, !p.even                ? UNSTEADY_REL
                                : p.most > 1 || coarse ? LOOSE_REL
                                                       : WAVE_REL);
        s->step_rate = done / (double)(t - s->steps.t0) / s->step_work;
        if (p.even && s->step_lines > 0) keep_pace(s, &p);
    }
    const double time_ps = plan(s, &p, t);
    if (time_ps > 0)
        pass_over(s, &p, done, time_ps);
    else
        s->steps.open = false;
}

void sampler_steps_start(sampler_t *s)
{
    const uint32_t n = s->r->sys->n_sms;
    arena_t *a = s->r->arena;
    s->sm_work = arena_array(a, double, n);
    s->sm_rate = arena_array(a, double, n);
    s->warps_of_sm = arena_array(a, uint32_t, n);
    s->left_of_sm = arena_array(a, int64_t, n);
    s->skip = arena_array(a, int64_t, n);
    s->ahead = arena_array(a, int64_t, n);
    for (uint32_t i = s->loop; i < s->k->op[s->loop].jump; i++) {
        const wop_kind_t kind = s->k->op[i].kind;
        s->loop_stores |= kind == WOP_STORE || kind == WOP_TILE_STORE || kind == WOP_ATOMIC;
    }
}
