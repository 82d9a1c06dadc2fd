/* SPDX-License-Identifier: MIT
 * Blocks whose data comes from the memory.  How much the others will ask of it is found by playing them on the L2
 * without time, so the rate at which it serves tells how long they take; and that is steady long before blocks, which
 * start together, retire evenly.  It is measured after a first wave of blocks has retired: between a block and the
 * next less may be asked for. */
#include "machine/sample.h"
#include <math.h>

#define BUSY_LEAST 0.5   /* of the memory's peak: where less is moved, something else limits */
#define MEMORY_REL 0.015 /* a rate is at least so uncertain */
#define BATCHES_LEAST 6
#define LEAD_LINES 200000 /* line requests before a stretch may begin, after the first wave */
#define LEAD_WAVES 12     /* or so many waves: short ones fall out of step slowly */
#define STRETCH_LINES \
    60000 /* of a stretch, at least, and more as told below, unless the kernel hardly counts in the run */

static memory_done_t memory_done(const run_t *r)
{
    uint64_t reads = 0, writes = 0;
    for (uint32_t i = 0; i < r->sys->n_channels; i++) {
        const dram_stats_t *st = dram_chan_stats(r->sys->chan[i]);
        reads += st->read_bursts;
        writes += st->write_bursts;
    }
    const double per_burst = dram_burst_bytes(r->sys->dram) / (double)SECTOR_BYTES;
    return (memory_done_t){per_burst * (double)(reads + writes), per_burst * (double)writes};
}

/* The kernel's loads completed, in lines. */
static double loads_done(const run_t *r)
{
    totals_t t;
    system_totals(r->sys, &t);
    double n = (double)(t.sm.loads - r->begin.sm.loads);
    for (uint32_t i = 0; i < r->sys->n_sms; i++) n -= (double)r->sys->sms[i].loads;
    return n;
}

void sampler_memory_start(sampler_t *s)
{
    const memory_done_t at = memory_done(s->r);
    s->sectors_read_at_start = at.sectors - at.written;
    s->not_memory = s->block_lines <= 0 || s->r->opt->mode == SIM_SAMPLE;
}

static void begin(sampler_t *s, ps_t t, double lines)
{
    const front_kernel_t *fk = s->r->fk;
    const double wave = s->block_lines * (double)s->resident;
    const double lead = fmin(LEAD_WAVES * wave, s->block_lines * (double)fk->total / 7);
    if (fk->retired < s->resident || lines < fmin(lead, LEAD_LINES)) return;
    s->memory_from = memory_done(s->r);
    s->memory_lines = lines;
    s->memory_retired = (double)fk->retired;
    stretch_open(&s->memory, s->r, t, s->memory_from.sectors, fmax(wave / 8, 4000));
    if (s->stores_matter) s->memory.dirty0 = (double)system_dirty_bytes(s->r->sys);
}

/* Pass over all blocks but the last ones.  `now` and `done`: the memory's work so far, and in the stretch. */
static void pass_over(sampler_t *s, ps_t t, const memory_done_t *now, double done, double rel)
{
    run_t *r = s->r;
    front_kernel_t *fk = r->fk;
    const uint64_t skip = fk->total - fk->sent - (s->resident / 8 + 1);
    const played_t *p = &r->played;
    r->played = (played_t){0};
    warm_ctas(r, s->k, fk->sent, fk->sent + skip, (uint16_t)r->sys->n_sms);
    /* Where less comes from the memory than before, it may be the limit no more; where far more does, what was played
     * is not what went on. */
    const double read = now->sectors - now->written - s->sectors_read_at_start;
    const double fewer = read / fmax(loads_done(r), 1) - p->missed_sectors / fmax(p->loads, 1);
    const double sectors = p->missed_sectors + p->written_sectors;
    s->mixed = sectors <= 0 || p->blocks <= 0 || fewer > 0.1 * LINE_BYTES / (double)SECTOR_BYTES ||
               fewer < -0.2 * LINE_BYTES / (double)SECTOR_BYTES;
    r->l2_touched |= s->mixed;
    if (s->mixed) return;
    /* A mix of reads and writes goes at another rate than each alone. */
    const double written = now->written - s->memory_from.written;
    rel += fabs(written / done - p->written_sectors / sectors) / 2;
    sampler_pass_blocks(s, skip);
    const double work = sectors / p->blocks * (double)skip;
    stretch_record(&s->memory, r, done, work, work / done * (double)(t - s->memory.t0), rel);
    stretch_memory_bytes(r, p->blocks / (double)skip);
}

/* Stores come and go in turns with loads, short waves in turns with each other. */
static double lines_wanted(const sampler_t *s)
{
    if (s->r->rel_goal >= UNSTEADY_REL) return 0;
    if (s->stores_matter) return 4 * STRETCH_LINES;
    return s->block_lines * (double)s->resident < STRETCH_LINES ? 2.5 * STRETCH_LINES
                                                                : STRETCH_LINES;
}

void sampler_memory(sampler_t *s, ps_t t)
{
    run_t *r = s->r;
    front_kernel_t *fk = r->fk;
    stretch_t *m = &s->memory;
    const bool coarse = r->rel_goal >= UNSTEADY_REL;
    const double lines = sampler_lines_done(r) - s->lines_at_start;
    if (!m->open) {
        begin(s, t, lines);
        return;
    }
    const memory_done_t now = memory_done(r);
    double rel;
    stretch_measure(m, r, t, now.sectors, &rel);
    const double done = now.sectors - m->w0, seen = lines - s->memory_lines;
    if (m->n < BATCHES_LEAST || (double)fk->retired - s->memory_retired < (double)s->resident / 4 ||
        seen < lines_wanted(s))
        return;
    const double moved = done * SECTOR_BYTES * 1e12 / (double)(t - m->t0);
    if (moved < BUSY_LEAST * device_peak_dram_bytes_per_s(r->sys->dev) ||
        (!coarse && s->stores_matter && !stretch_dirty_is_steady(m, r))) {
        s->not_memory = true;
        return;
    }
    rel = fmax(stretch_error(m), MEMORY_REL);
    if (rel < fmax(r->rel_goal, STEADY_REL))
        pass_over(s, t, &now, done, fmax(rel, s->stores_matter ? STORES_REL : 0));
    else
        s->not_memory = seen >= (double)r->budget_lines;
}
