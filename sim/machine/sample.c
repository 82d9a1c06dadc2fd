/* SPDX-License-Identifier: MIT
 * Sampling inside a kernel.  Once the machine runs in a steady state, the work left in the middle is passed over:
 *
 *   blocks   a grid of many like blocks: after the first wave, measure the rate at which blocks retire in batches;
 *            when its 95 % interval is narrow (or the budget is spent), let the scheduler jump near the end;
 *   steps    few long blocks: measure the rate of outer-loop iterations and add the same number to the counter of
 *            every resident warp.
 *
 * Nothing in flight is touched, so the machine goes on in the state it is in; the start, the end and the last wave
 * are simulated.  The time passed over is work / rate; its counters are those of the measured stretch, scaled.
 * Budgets are counted in simulated requests, never in host time: same input, same bytes. */
#include "machine/run.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define BATCHES 64
#define LONE_BATCH_REL 0.04 /* assumed of a rate that a single wave of blocks gave */
#define STEADY_REL \
    0.04              /* with the budget spent; a rate less certain than this is no steady state */
#define WAVE_REL 0.02 /* the same of some whole waves, at least */
#define UNSTEADY_REL \
    0.1 /* assumed of a rate measured before the blocks of a wave have fallen out of step */
#define UNSTEADY_REL_MAX 0.25 /* a rate less certain than this is none */
#define BATCHES_MIN 3
#define IN_STEP_WAVES 4 /* of a kernel's start, if it has many */
#define LONG_LOOP 16    /* steps of a loop that is worth passing over */

typedef struct stretch { /* a piece of the run whose rate is being measured */
    bool open;
    ps_t t0, t_last;   /* skipped time included */
    double w0, w_last; /* work at its start; at the end of the last batch */
    double unit;       /* work of a batch */
    bool whole;        /* batches are whole waves of blocks */
    totals_t from;
    double rate[BATCHES]; /* work per ps */
    unsigned n;
    uint64_t lines0;
    size_t jump0; /* jumps recorded before it began */
} stretch_t;

struct sampler {
    run_t *r;
    const kernel_t *k;
    bool mixed;        /* the work left is not like what was measured: nothing is passed over */
    bool like_blocks;  /* blocks all do the same */
    bool like_steps;   /* the main loop runs equally often for all */
    uint32_t loop;     /* the main loop: index of the longest one at depth 0 */
    uint64_t resident; /* blocks at once */
    double block_lines,
        lines_at_start; /* line requests of a block; counter at the kernel's start */
    stretch_t blocks, steps;
    bool l2_filled; /* blocks sent or passed over have gone over as many lines as the L2 holds */
    double resume_work; /* blocks retired before the next stretch may begin */
    /* one step of all warps: line requests, and work in the unit of loop_work */
    double step_lines, step_work;
    uint32_t
        step_warps; /* of the wave whose rate (steps per ps) was measured, and how well; 0 before it */
    double step_rate, step_rel;
};

static bool same_for_all(const kernel_t *k, const expr_t *x)
{
    for (unsigned v = V_CTA_X; v <= V_WARP; v++)
        if (expr_uses(x, v)) return false;
    for (unsigned i = 0; i < k->nlets; i++)
        if (expr_uses(x, V_LET0 + i) && !same_for_all(k, &k->let[i])) return false;
    return true;
}

static double sim_lines(const run_t *r)
{
    double n = 0;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) n += r->sys->sms[i].next_id;
    return n;
}

/* Line requests completed: what the memory has delivered, not what waits for it. */
static double lines_done(const run_t *r)
{
    double n = sim_lines(r);
    for (uint32_t i = 0; i < r->sys->n_sms; i++) {
        const sm_t *m = &r->sys->sms[i];
        n -= (double)m->loads + (double)m->stores + (double)m->tiles;
    }
    return n;
}

/* Trip count of a loop for the first warp of the first block. */
static int64_t first_count(const kernel_t *k, const wop_t *loop)
{
    int64_t v[V_COUNT] = {0};
    for (uint32_t j = 0; j < k->nlets; j++) v[V_LET0 + j] = expr_eval(&k->let[j], v);
    return expr_eval(&loop->count, v);
}

sampler_t *sampler_new(run_t *r, const kernel_t *k)
{
    sampler_t *s = arena_alloc(r->arena, sizeof *s);
    s->r = r;
    s->k = k;
    s->like_blocks = true;
    int64_t longest = LONG_LOOP - 1;
    for (uint32_t i = 0; i < k->nops; i++) {
        const wop_t *op = &k->op[i];
        if (op->kind != WOP_LOOP && op->kind != WOP_COMPUTE) continue;
        bool same = same_for_all(k, op->kind == WOP_LOOP ? &op->count : &op->amount);
        if (!same) s->like_blocks = false;
        if (op->kind == WOP_LOOP && op->depth == 0 && first_count(k, op) > longest) {
            longest = first_count(k, op);
            s->loop = i;
            s->like_steps = same;
        }
    }
    s->resident = (uint64_t)r->fk->occ.ctas * r->sys->n_sms;
    if (s->resident > r->fk->total) s->resident = r->fk->total;
    s->lines_at_start = sim_lines(r);
    if (s->like_blocks) s->block_lines = (double)count_block_lines(r, k, r->fk->total / 2);
    if (r->opt->mode == SIM_SAMPLE) /* --sample: this share of the kernel's requests is measured */
        r->budget_lines =
            (uint64_t)(r->opt->sample_pct / 100 * s->block_lines * (double)r->fk->total);
    return s;
}

static double iterations(const run_t *r)
{
    double n = 0;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) n += (double)r->sys->sms[i].iterations;
    return n;
}

/* 95 % relative half-width of the mean of n batches, every `merge` of them taken as one. */
static double half_width(const stretch_t *s, unsigned merge)
{
    unsigned n = s->n / merge;
    double m = 0, q = 0, x[BATCHES];
    for (unsigned i = 0; i < n; i++) {
        x[i] = 0;
        for (unsigned k = 0; k < merge; k++) x[i] += s->rate[i * merge + k] / merge;
        m += x[i] / n;
    }
    for (unsigned i = 0; i < n; i++) q += (x[i] - m) * (x[i] - m);
    if (m <= 0) return 1;
    return gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(q / (n - 1)) / sqrt(n) / m;
}

/* The same for the stretch.  Work is counted in whole steps, so neighbouring batches err in opposite directions:
 * larger batches, as long as there are enough, say more truly how well the mean is known.  Half the drift between
 * the halves of the stretch is added. */
static double relative_error(const stretch_t *s)
{
    if (s->n < 2) return LONE_BATCH_REL;
    double best = half_width(s, 1), half[2] = {0, 0};
    for (unsigned merge = 2; s->n / merge >= 4; merge *= 2) best = fmin(best, half_width(s, merge));
    unsigned h = s->n / 2;
    for (unsigned i = 0; i < s->n; i++) half[i >= s->n - h] += s->rate[i];
    double first = half[0] / (s->n - h), second = half[1] / h;
    best += fabs(second - first) / (first + second) / 2;
    return best;
}

static void open_stretch(stretch_t *s, const run_t *r, ps_t t, double work, double unit)
{
    s->open = true;
    s->t0 = s->t_last = t;
    s->w0 = s->w_last = work;
    s->unit = unit;
    s->n = 0;
    s->lines0 = (uint64_t)sim_lines(r);
    s->jump0 = r->n_jump;
    system_totals(r->sys, &s->from);
}

/* Close a batch if enough work was done.  True when the stretch, ending at a batch's end, says enough. */
static bool measure(stretch_t *s, const run_t *r, ps_t t, double work, double *rel)
{
    if (work - s->w_last < s->unit || t <= s->t_last) return false;
    if (s->n == BATCHES) { /* keep the stretch, halve the number of batches */
        for (size_t i = 0; i < BATCHES / 2; i++)
            s->rate[i] = (s->rate[2 * i] + s->rate[2 * i + 1]) / 2;
        s->n /= 2;
        s->unit *= 2;
    }
    s->rate[s->n++] = (work - s->w_last) / (double)(t - s->t_last);
    s->w_last = work;
    s->t_last = t;
    *rel = relative_error(s);
    bool spent = sim_lines(r) - (double)s->lines0 >= (double)r->budget_lines;
    if (r->opt->mode == SIM_SAMPLE) return spent; /* the user says how much */
    if (s->whole) {                               /* three whole waves at least */
        if (s->n < 3) return false;
        *rel = fmax(half_width(s, 1), WAVE_REL);
        return *rel < (spent ? fmax(r->rel_goal, 2 * STEADY_REL) : r->rel_goal);
    }
    if (s->n < BATCHES_MIN) return false;
    return *rel < (spent ? fmax(r->rel_goal, STEADY_REL) : r->rel_goal);
}

/* What is to be passed over may be of another kind than what was measured: then its misses in the L2, played without
 * time, are as well.  The difference in the share of sectors that come from memory, beyond a tenth, which the order of
 * playing explains.  (Tiles that blocks share are played once, so they say nothing.) */
static bool unlike(const run_t *r, const totals_t *from)
{
    enum { PLAYED_MIN = 2000 };
    const kernel_t *k = r->fk->run.k;
    for (uint32_t i = 0; i < k->nops; i++)
        if (k->op[i].kind == WOP_TILE_LOAD) return false;
    totals_t to;
    system_totals(r->sys, &to);
    const sm_stats_t *a = &from->sm, *b = &to.sm;
    double lines = (double)(b->loads - a->loads) + (double)(b->stores - a->stores) +
                   (double)(b->tile_lines - a->tile_lines) + (double)(b->atomics - a->atomics);
    if (r->played.lines < PLAYED_MIN || lines <= 0) return false;
    double sectors = (double)(to.l2.memory_read_bytes - from->l2.memory_read_bytes) / 32;
    double per_line = LINE_BYTES / 32.0;
    double other = fabs(sectors / lines - r->played.missed_sectors / r->played.lines) / per_line;
    return other > 0.1;
}

/* Note what was skipped: `work`, with the counters of the stretch, at `rate` (work per ps). */
static void record(stretch_t *s, run_t *r, double done, double work, double rate, double rel)
{
    if (r->n_jump == r->cap_jump) {
        size_t cap = r->cap_jump ? 2 * r->cap_jump : 8;
        jump_t *j = arena_array(r->arena, jump_t, cap);
        if (r->n_jump) memcpy(j, r->jump, r->n_jump * sizeof *j);
        r->jump = j;
        r->cap_jump = cap;
    }
    double scale = work / done;
    /* What was skipped inside the stretch belongs to its counters too. */
    for (size_t i = s->jump0; i < r->n_jump; i++) r->jump[i].scale *= 1 + scale;
    jump_t *j = &r->jump[r->n_jump++];
    *j = (jump_t){.scale = scale, .rel = rel, .from = s->from};
    system_totals(r->sys, &j->to);
    j->time_ps = work / rate;
    r->skipped_ps += (ps_t)j->time_ps;
    r->any_sampled = true;
    s->open = false;
}

/* ---- blocks ---- */
/* `done` is the work of the stretch, in the unit of `per_block`. */
static void pass_over_blocks(sampler_t *s, ps_t t, double done, double per_block, uint64_t skip,
                             double rel)
{
    run_t *r = s->r;
    front_kernel_t *fk = r->fk;
    r->played = (played_t){0};
    warm_ctas(r, s->k, fk->sent, fk->sent + skip, (uint16_t)r->sys->n_sms);
    r->l2_touched |= s->mixed = unlike(r, &s->blocks.from);
    if (s->mixed) return;
    fk->sent += skip;
    fk->retired += skip;
    fk->skipped += skip;
    record(&s->blocks, r, done, (double)skip * per_block, done / (double)(t - s->blocks.t0), rel);
}

/* Long blocks start together and end in waves: one whole wave, from the kernel's start, tells the rest. */
static void step_waves(sampler_t *s, ps_t t)
{
    front_kernel_t *fk = s->r->fk;
    double retired = (double)(fk->retired - fk->skipped);
    uint64_t waves = (fk->total - fk->sent) / s->resident;
    if (!s->blocks.open) {
        if (fk->retired == 0 && waves) open_stretch(&s->blocks, s->r, t, 0, (double)s->resident);
        return;
    }
    /* When the first ends the others of its wave are about to: before the next wave is under way, jump. */
    if (!waves || retired < 1) return;
    s->r->watch = false;
    if (s->r->opt->mode == SIM_SAMPLE &&
        sim_lines(s->r) - s->lines_at_start < (double)s->r->budget_lines)
        return;
    pass_over_blocks(s, t, (double)s->resident, 1, waves * s->resident, LONE_BATCH_REL);
}

/* A kernel that writes is faster until the L2 is full of its dirty lines: blocks, from here on, to which the rate at
 * its start belongs; 0: that is over. */
static uint64_t blocks_to_fill(const sampler_t *s)
{
    const front_kernel_t *fk = s->r->fk;
    double n = (double)s->r->sys->dev->l2.size / LINE_BYTES / s->block_lines - (double)fk->sent;
    return s->l2_filled || fk->store_bytes <= 0 || n < 1 ? 0 : (uint64_t)n;
}

/* Short blocks.  They start together and only slowly fall out of step, so their rate is measured over whole waves.
 * Where there are too few waves for that and the kernel hardly counts in the run, the rate of line requests in the
 * first must do, with a wide interval. */
static void step_blocks(sampler_t *s, ps_t t)
{
    run_t *r = s->r;
    front_kernel_t *fk = r->fk;
    uint64_t left = fk->total - fk->sent, tail = s->resident / 8 + 1;
    bool waves = fk->total >= 8 * s->resident;
    if (left <= 2 * tail || s->block_lines <= 0 || (!waves && r->rel_goal < UNSTEADY_REL)) return;
    double work, from, unit, per_block, rel;
    if (waves) {
        work = (double)(fk->retired - fk->skipped);
        /* still in step, and slower */
        double lead = fmin(IN_STEP_WAVES * (double)s->resident, (double)fk->total / 7);
        from = fmax(s->resume_work, fmax(2 * (double)s->resident, lead));
        unit = (double)s->resident;
        per_block = 1;
    } else {
        double wave = s->block_lines * (double)s->resident;
        work = lines_done(r) - s->lines_at_start;
        from = 0.4 * wave;
        unit = fmax(wave / 16, 1000);
        per_block = s->block_lines;
    }
    if (!s->blocks.open) {
        if (work >= from) open_stretch(&s->blocks, r, t, work, unit);
        s->blocks.whole = waves;
        return;
    }
    bool enough = measure(&s->blocks, r, t, work, &rel);
    if (!waves) {
        if (s->blocks.n < BATCHES_MIN + 1) return;
        rel = fmax(relative_error(&s->blocks), UNSTEADY_REL);
        enough = rel < UNSTEADY_REL_MAX;
    }
    if (!enough) return;
    uint64_t skip = left - tail, some = waves ? blocks_to_fill(s) : 0;
    if (some && some + 6 * s->resident < skip) {
        skip = some;
        s->resume_work = work + 2 * (double)s->resident;
    }
    s->l2_filled = true;
    pass_over_blocks(s, t, work - s->blocks.w0, per_block, skip, rel);
}

/* ---- steps of the outer loop ---- */
typedef struct progress_of_steps {
    uint32_t warps;
    int64_t least_done, least_left;
    bool all_in;
} steps_t;

static uint32_t warp_slots(const run_t *r)
{
    const gpu_param_t *g = &r->sys->dev->gpu;
    uint32_t n = g->threads_per_sm / g->warp_size;
    return n < g->ctas_per_sm ? g->ctas_per_sm : n;
}

static steps_t look_at_steps(const sampler_t *s)
{
    steps_t p = {.least_done = INT64_MAX, .least_left = INT64_MAX, .all_in = true};
    const run_t *r = s->r;
    for (uint32_t m = 0; m < r->sys->n_sms; m++)
        for (uint32_t j = 0, n = warp_slots(r); j < n; j++) {
            const warp_t *w = &r->sys->sms[m].warp[j];
            if (w->state == WARP_FREE || !w->cta) continue;
            if (w->pc <= s->loop || w->pc > s->k->op[s->loop].jump) {
                p.all_in = false;
                continue;
            }
            p.warps++;
            int64_t i = w->v[V_I0], left = w->loop_n[0] - i;
            if (i < p.least_done) p.least_done = i;
            if (left < p.least_left) p.least_left = left;
        }
    return p;
}

/* Progress in a loop is counted in line requests done, which says more than whole steps do, if it makes any. */
static double loop_work(const sampler_t *s)
{
    return s->step_lines > 0 ? lines_done(s->r) : iterations(s->r);
}

static void step_loops(sampler_t *s, ps_t t)
{
    enum {
        WARM = 6,
        WARM_LATER = 2,
        TAIL = 2,
        WORTH = 6,
        BATCHES_LEAST = 4,
        LONE_WARP_STEPS = 256
    };
    run_t *r = s->r;
    steps_t p = look_at_steps(s);
    if (!p.all_in || !p.warps || p.least_left < TAIL + WORTH) {
        s->steps.open = false;
        return;
    }
    /* A later wave of as many warps goes like the first: one step is run for the counters, the rate is known. */
    const bool known = s->step_warps == p.warps;
    if (!s->steps.open) {
        if (p.least_done < (known ? WARM_LATER : WARM)) return;
        s->step_lines = (double)count_loop_lines(r, s->loop);
        s->step_work = s->step_lines > 0 ? s->step_lines : p.warps;
        open_stretch(&s->steps, r, t, loop_work(s),
                     s->step_work * (p.warps > 1 ? 1 : LONE_WARP_STEPS));
        return;
    }
    double work = loop_work(s), rel;
    bool enough = measure(&s->steps, r, t, work, &rel) && s->steps.n >= BATCHES_LEAST;
    if (!(known ? s->steps.n >= 1 : enough)) return;
    double done = work - s->steps.w0;
    if (!known) {
        s->step_warps = p.warps;
        s->step_rel = rel;
        s->step_rate = done / (double)(t - s->steps.t0) / s->step_work;
    }
    int64_t skip = p.least_left - TAIL;
    r->played = (played_t){0};
    warm_loops(r, s->loop, 1, skip);
    r->l2_touched |= s->mixed = unlike(r, &s->steps.from);
    if (s->mixed) return;
    for (uint32_t m = 0; m < r->sys->n_sms; m++)
        for (uint32_t j = 0, n = warp_slots(r); j < n; j++) {
            warp_t *w = &r->sys->sms[m].warp[j];
            if (w->state != WARP_FREE && w->cta) w->v[V_I0] += skip;
        }
    record(&s->steps, r, done, (double)skip * s->step_work, s->step_rate * s->step_work,
           s->step_rel);
    r->watch = true;
}

void sampler_step(sampler_t *s, ps_t now)
{
    run_t *r = s->r;
    if (r->sys->front.active != r->fk || r->fk->next) return; /* another kernel runs beside it */
    if (s->mixed) return;
    if (s->like_steps) step_loops(s, now + r->skipped_ps);
    if (s->mixed) return;
    if (!s->like_blocks) return;
    if (s->like_steps)
        step_waves(s, now + r->skipped_ps);
    else
        step_blocks(s, now + r->skipped_ps);
}
