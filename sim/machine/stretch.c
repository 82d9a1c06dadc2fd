/* SPDX-License-Identifier: MIT
 * A stretch of a kernel whose rate is measured, batch by batch, so that work like it can be passed over. */
#include "machine/sample.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

#define LONE_BATCH_REL 0.04 /* assumed of a rate that a single batch gave */

double sampler_lines_sent(const run_t *r)
{
    double n = 0;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) n += r->sys->sms[i].next_id;
    return n;
}

double sampler_sm_lines_done(const run_t *r, uint32_t sm)
{
    const sm_t *m = &r->sys->sms[sm];
    return (double)m->next_id - (double)m->loads - (double)m->stores - (double)m->tiles;
}

double sampler_lines_done(const run_t *r)
{
    double n = 0;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) n += sampler_sm_lines_done(r, i);
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

/* Half the relative drift between the halves of the stretch. */
static double half_drift(const stretch_t *s)
{
    const unsigned h = s->n / 2;
    double half[2] = {0, 0};
    for (unsigned i = 0; i < s->n; i++) half[i >= s->n - h] += s->rate[i];
    const double first = half[0] / (s->n - h), second = half[1] / h;
    return fabs(second - first) / (first + second) / 2;
}

/* Work is counted in whole steps, so neighbouring batches err in opposite directions: larger batches, as long as
 * there are enough, say more truly how well the mean is known.  The drift is added. */
double stretch_error(const stretch_t *s)
{
    if (s->n < 2) return LONE_BATCH_REL;
    double best = half_width(s, 1);
    for (unsigned merge = 2; s->n / merge >= 4; merge *= 2) best = fmin(best, half_width(s, merge));
    return best + half_drift(s);
}

void stretch_open(stretch_t *s, const run_t *r, ps_t t, double work, double unit)
{
    s->open = true;
    s->t0 = s->t_last = t;
    s->w0 = s->w_last = work;
    s->unit = unit;
    s->n = 0;
    s->lines0 = (uint64_t)sampler_lines_sent(r);
    s->jump0 = r->n_jump;
    system_totals(r->sys, &s->from);
}

bool stretch_measure(stretch_t *s, const run_t *r, ps_t t, double work, double *rel)
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
    *rel = stretch_error(s);
    bool spent = sampler_lines_sent(r) - (double)s->lines0 >= (double)r->budget_lines;
    if (r->opt->mode == SIM_SAMPLE) return spent; /* the user says how much */
    if (s->whole) {                               /* three whole waves at least */
        if (s->n < 3) return false;
        *rel = fmax(half_width(s, 1) + half_drift(s), WAVE_REL);
        return *rel < (spent ? fmax(r->rel_goal, 2 * STEADY_REL) : r->rel_goal);
    }
    if (s->n < BATCHES_MIN) return false;
    return *rel < (spent ? fmax(r->rel_goal, STEADY_REL) : r->rel_goal);
}

/* What is to be passed over may be of another kind than what was measured: then its misses in the L2, played without
 * time, are as well.  The difference in the share of sectors that come from memory, beyond a tenth, which the order of
 * playing explains.  (Tiles that blocks share are played once, so they say nothing.) */
bool sampler_unlike(const run_t *r, const totals_t *from)
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
    double sectors = (double)(to.l2.memory_read_bytes - from->l2.memory_read_bytes) / SECTOR_BYTES;
    double per_line = LINE_BYTES / (double)SECTOR_BYTES;
    double other = fabs(sectors / lines - r->played.missed_sectors / r->played.lines) / per_line;
    return other > 0.1;
}

bool stretch_dirty_is_steady(const stretch_t *s, const run_t *r)
{
    totals_t t;
    system_totals(r->sys, &t);
    const double stored = (double)(t.l2.write_bytes - s->from.l2.write_bytes);
    const double read = (double)(t.l2.read_bytes - s->from.l2.read_bytes);
    if (stored < read / 8) return true;
    return fabs((double)system_dirty_bytes(r->sys) - s->dirty0) < stored / 10;
}

void stretch_record(stretch_t *s, run_t *r, double done, double work, double time_ps, double rel)
{
    r->jump = run_grow(r, r->jump, r->n_jump, &r->cap_jump, sizeof *r->jump);
    double scale = work / done;
    /* What was skipped inside the stretch belongs to its counters too. */
    for (size_t i = s->jump0; i < r->n_jump; i++) r->jump[i].scale *= 1 + scale;
    jump_t *j = &r->jump[r->n_jump++];
    *j = (jump_t){.scale = scale, .rel = rel, .from = s->from};
    system_totals(r->sys, &j->to);
    j->time_ps = time_ps;
    r->skipped_ps += (ps_t)time_ps;
    r->any_sampled = true;
    s->open = false;
}

void stretch_memory_bytes(run_t *r, double share)
{
    jump_t *j = &r->jump[r->n_jump - 1];
    const double per_sector = SECTOR_BYTES / share / j->scale;
    j->to.l2.memory_read_bytes =
        j->from.l2.memory_read_bytes + (uint64_t)(per_sector * r->played.missed_sectors);
    j->to.l2.memory_write_bytes =
        j->from.l2.memory_write_bytes + (uint64_t)(per_sector * r->played.written_sectors);
}
