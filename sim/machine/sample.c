/* SPDX-License-Identifier: MIT
 * Sampling inside a kernel.  Once the machine runs in a steady state, the work left in the middle is passed over:
 *
 *   blocks   a grid of many like blocks: once it is known how fast they are done, the scheduler jumps near the end.
 *            What the memory feeds goes at the memory's rate (sample_memory.c); of others the rate at which blocks
 *            retire is measured, wave by wave, until its 95 % interval is narrow or the budget is spent;
 *   steps    few long blocks: the rate of outer-loop iterations is measured and the counters of the resident warps
 *            are raised (sample_steps.c).
 *
 * Nothing in flight is touched, so the machine goes on in the state it is in; the start, the end and the last wave
 * are simulated.  The time passed over is work / rate; its counters are those of the measured stretch, scaled.
 * Budgets are counted in simulated requests, never in host time: same input, same bytes. */
#include "machine/sample.h"
#include <math.h>

#define LONE_WAVE_REL \
    0.06               /* assumed of the time of the first wave of blocks, for that of the others */
#define PHASES_REL 0.1 /* the same of blocks with several loops, which come to overlap */
#define UNSTEADY_REL_MAX 0.25 /* a rate less certain than this is none */
#define LONG_LOOP 16          /* steps of a loop that is worth passing over */
#define IN_STEP_WAVES 4       /* of a kernel's start, if it has many */

static bool same_for_all(const kernel_t *k, const expr_t *x)
{
    for (unsigned v = V_CTA_X; v <= V_WARP; v++)
        if (expr_uses(x, v)) return false;
    for (unsigned i = 0; i < k->nlets; i++)
        if (expr_uses(x, V_LET0 + i) && !same_for_all(k, &k->let[i])) return false;
    return true;
}

/* Trip count of a loop for the first warp of the first block. */
static int64_t first_count(const kernel_t *k, const wop_t *loop)
{
    int64_t v[V_COUNT] = {0};
    for (uint32_t j = 0; j < k->nlets; j++) v[V_LET0 + j] = expr_eval(&k->let[j], v);
    return expr_eval(&loop->count, v);
}

/* Lines of a block: of short ones the mean of some all over the grid, for not all may take the same branches. */
static void look_at_blocks(sampler_t *s)
{
    enum { LOOKS = 8, SHORT = 5000 };
    const uint64_t total = s->r->fk->total;
    const block_count_t middle = count_block(s->r, s->k, total / 2);
    double lines = (double)middle.lines, stores = (double)middle.stores;
    if (middle.lines && middle.lines + middle.steps < SHORT) {
        double half[2] = {0, 0};
        stores = 0;
        for (uint64_t i = 0; i < LOOKS; i++) {
            const uint64_t block = ((2 * i + 1) * total / (UINT64_C(2) * LOOKS) + i) % total;
            const block_count_t n = count_block(s->r, s->k, block);
            half[i >= LOOKS / 2] += (double)n.lines / LOOKS;
            stores += (double)n.stores / LOOKS;
        }
        lines = half[0] + half[1];
        /* Those at the grid's end do not do what those at its start do. */
        if (fabs(half[0] - half[1]) > 0.15 * lines) s->like_blocks = false;
    }
    s->block_lines = lines;
    s->stores_matter = stores > lines / 8;
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
        if (op->kind != WOP_LOOP || op->depth) continue;
        s->long_loops += first_count(k, op) >= LONG_LOOP;
        if (first_count(k, op) > longest) {
            longest = first_count(k, op);
            s->loop = i;
            s->like_steps = same;
        }
    }
    s->resident = (uint64_t)r->fk->occ.ctas * r->sys->n_sms;
    if (s->resident > r->fk->total) s->resident = r->fk->total;
    s->lines_at_start = sampler_lines_sent(r);
    if (s->like_blocks) look_at_blocks(s);
    if (r->opt->mode == SIM_SAMPLE) /* --sample: this share of the kernel's requests is measured */
        r->budget_lines =
            (uint64_t)(r->opt->sample_pct / 100 * s->block_lines * (double)r->fk->total);
    sampler_memory_start(s);
    if (s->like_steps) sampler_steps_start(s);
    return s;
}

/* ---- blocks ---- */
void sampler_pass_blocks(sampler_t *s, uint64_t skip)
{
    front_kernel_t *fk = s->r->fk;
    fk->sent += skip;
    fk->retired += skip;
    fk->skipped += skip;
}

/* `done` is the work of the stretch, in the unit of `per_block`. */
static void pass_over_blocks(sampler_t *s, ps_t t, double done, double per_block, uint64_t skip,
                             double rel)
{
    run_t *r = s->r;
    front_kernel_t *fk = r->fk;
    r->played = (played_t){0};
    warm_ctas(r, s->k, fk->sent, fk->sent + skip, (uint16_t)r->sys->n_sms);
    r->l2_touched |= s->mixed = sampler_unlike(r, &s->blocks.from);
    if (s->mixed) return;
    sampler_pass_blocks(s, skip);
    const double work = (double)skip * per_block;
    stretch_record(&s->blocks, r, done, work, work / done * (double)(t - s->blocks.t0), rel);
}

/* Long blocks start together and end in waves: one whole wave, from the kernel's start, tells the rest. */
static void step_waves(sampler_t *s, ps_t t)
{
    front_kernel_t *fk = s->r->fk;
    double retired = (double)(fk->retired - fk->skipped);
    uint64_t waves = (fk->total - fk->sent) / s->resident;
    if (!s->blocks.open) {
        if (fk->retired == 0 && waves) stretch_open(&s->blocks, s->r, t, 0, (double)s->resident);
        return;
    }
    /* Few warps an SM go in step: when the first block ends the others of its wave are about to; before the next wave
     * is under way, jump.  Many drift apart: half of them tell. */
    const uint64_t warps = (uint64_t)fk->occ.ctas * (s->k->agent ? 1 : fk->occ.warps);
    if (!waves || retired < (warps < MANY_WARPS ? 1 : (double)(s->resident + 1) / 2)) return;
    s->r->watch = false;
    if (s->r->opt->mode == SIM_SAMPLE &&
        sampler_lines_sent(s->r) - s->lines_at_start < (double)s->r->budget_lines)
        return;
    pass_over_blocks(s, t, (double)s->resident, 1, waves * s->resident,
                     s->long_loops > 1 ? PHASES_REL : LONE_WAVE_REL);
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
    if (left <= 2 * tail) return;
    if (!s->not_memory) {
        sampler_memory(s, t);
        if (!s->not_memory) return;
    }
    if (s->block_lines <= 0 || (!waves && r->rel_goal < UNSTEADY_REL)) return;
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
        work = sampler_lines_done(r) - s->lines_at_start;
        from = 0.4 * wave;
        unit = fmax(wave / 16, 1000);
        per_block = s->block_lines;
    }
    if (!s->blocks.open) {
        if (work >= from) stretch_open(&s->blocks, r, t, work, unit);
        s->blocks.whole = waves;
        return;
    }
    bool enough = stretch_measure(&s->blocks, r, t, work, &rel);
    if (!waves) {
        if (s->blocks.n < BATCHES_MIN + 1) return;
        rel = fmax(stretch_error(&s->blocks), UNSTEADY_REL);
        enough = rel < UNSTEADY_REL_MAX;
    }
    if (!enough) return;
    uint64_t skip = left - tail, some = waves ? blocks_to_fill(s) : 0;
    if (some && some + 6 * s->resident < skip) {
        skip = some;
        s->resume_work = work + 2 * (double)s->resident;
    }
    s->l2_filled = true;
    if (waves && s->stores_matter) rel = fmax(rel, STORES_REL);
    pass_over_blocks(s, t, work - s->blocks.w0, per_block, skip, rel);
}

void sampler_step(sampler_t *s, ps_t now)
{
    run_t *r = s->r;
    if (r->sys->front.active != r->fk || r->fk->next) return; /* another kernel runs beside it */
    if (s->mixed) return;
    if (s->like_steps) sampler_steps(s, now + r->skipped_ps);
    if (s->mixed) return;
    if (!s->like_blocks) return;
    if (s->like_steps)
        step_waves(s, now + r->skipped_ps);
    else
        step_blocks(s, now + r->skipped_ps);
}
