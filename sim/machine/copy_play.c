/* SPDX-License-Identifier: MIT
 * A copy inside the device that nothing overlaps with.  A long one is sampled at two places, because its writes cost
 * the memory nothing until the L2 holds as many dirty lines as it may: near its begin, whose rate stands for the lines
 * up to there, and near its end, whose rate stands for those behind.  What is passed over is played on the L2's tags as
 * far back as it matters.  Like a kernel's, a rate is measured in work, not in host time. */
#include "machine/run.h"
#include <math.h>
#include <string.h>

#define HELD_TIMES 24      /* lines simulated of a copy, at least, over lines the engine holds */
#define LINES_ENOUGH 60000 /* a copy is as regular as work can be */
#define BATCHES 8          /* of a measured stretch */
#define BATCH_T_95 2.365   /* Student's t, 7 degrees of freedom, two-sided 95 % */
#define LOOK_PS 100000     /* between two looks at the machine */

typedef struct stretch {
    uint64_t from_line, to_line; /* of copy_job_t.accepted */
    ps_t t[BATCHES + 1];
    uint64_t w[BATCHES + 1];
    unsigned n; /* looks so far */
    totals_t from, to;
} stretch_t;

typedef struct copy_play {
    run_t *r;
    copy_job_t job;
    bool sample;
    uint64_t clean_lines; /* lines it can write before the L2 has all the dirty lines it may hold */
    uint64_t skip[2];     /* lines passed over: before that, behind */
    stretch_t at[2];
    jump_t jump[2];
} copy_play_t;

static void begin_event(void *self, void *arg, ps_t now)
{
    copy_engine_start(self, arg, now);
}

static void copy_done(void *ctx, copy_job_t *j, ps_t now)
{
    copy_play_t *p = ctx;
    (void)j;
    p->r->ended = true;
    p->r->end_ps = now;
    engine_stop(p->r->sys->engine);
}

unsigned copy_cache_class(run_t *r, const wcmd_t *c)
{
    const addr_t base[2] = {c->addr, c->addr2};
    const wcmd_t as_launch = {.nbases = 2, .base = base};
    return run_cache_class(r, &as_launch);
}

krec_t *copy_rec(run_t *r, const wcmd_t *c, uint32_t cls, uint32_t member_of)
{
    const int64_t bytes = (int64_t)c->bytes;
    const wcmd_t as_launch = {.def = RUN_COPY_DEF, .nargs = 1, .arg = &bytes};
    krec_t *k = run_rec(r, &as_launch, cls, member_of);
    k->kind = "copy";
    return k;
}

static void warm_line(const system_t *s, addr_t line, bool write)
{
    uint32_t set;
    unsigned written = 0;
    addr_t a = translate_va(s->translate, 0, line);
    slice_t *home = &s->slice[system_locate(s, a, &set)];
    slice_warm(home, home, set, (uint32_t)(a / LINE_BYTES), 0xf, write, &written);
}

/* n lines from read on are read, and as many from write on written, in turn. */
static void warm_lines(const system_t *s, addr_t read, addr_t write, uint64_t n)
{
    uint64_t keep = s->dev->l2.size / LINE_BYTES;
    for (uint64_t i = n > keep ? n - keep : 0; i < n; i++) {
        warm_line(s, (read / LINE_BYTES + i) * LINE_BYTES, false);
        warm_line(s, (write / LINE_BYTES + i) * LINE_BYTES, true);
    }
}

/* A look at the stretch at time t.  True once, when it is complete. */
static bool measure(stretch_t *m, const run_t *r, uint64_t done, ps_t t)
{
    if (m->n > BATCHES || done < m->from_line + (m->to_line - m->from_line) * m->n / BATCHES)
        return false;
    if (m->n && done == m->w[m->n - 1]) return false;
    if (!m->n) system_totals(r->sys, &m->from);
    m->t[m->n] = t;
    m->w[m->n] = done;
    if (m->n++ < BATCHES) return false;
    system_totals(r->sys, &m->to);
    return true;
}

/* Work passed over at the stretch's rate. */
static jump_t repeat(const stretch_t *m, uint64_t lines)
{
    double mean = 0, var = 0, rate[BATCHES];
    for (unsigned i = 0; i < BATCHES; i++) {
        rate[i] = (double)(m->w[i + 1] - m->w[i]) / (double)(m->t[i + 1] - m->t[i]);
        mean += rate[i] / BATCHES;
    }
    for (unsigned i = 0; i < BATCHES; i++) var += (rate[i] - mean) * (rate[i] - mean);
    double scale = (double)lines / (double)(m->w[BATCHES] - m->w[0]);
    return (jump_t){.scale = scale,
                    .rel = BATCH_T_95 * sqrt(var / (BATCHES - 1) / BATCHES) / mean,
                    .time_ps = scale * (double)(m->t[BATCHES] - m->t[0]),
                    .from = m->from,
                    .to = m->to};
}

static void take_jump(copy_play_t *p, unsigned which, ps_t since_begin)
{
    run_t *r = p->r;
    const jump_t *j = &p->jump[r->n_jump];
    p->jump[r->n_jump] = repeat(&p->at[which], p->skip[which]);
    r->jump = p->jump;
    r->n_jump++;
    r->any_sampled = true;
    run_add_segment(r, r->cur, since_begin + r->skipped_ps,
                    since_begin + r->skipped_ps + (ps_t)j->time_ps, &j->from, &j->to, j->scale);
    r->skipped_ps += (ps_t)j->time_ps;
}

/* The begin has been seen: leave out all but `rest` lines. */
static void pass_over(copy_play_t *p, uint64_t rest)
{
    copy_job_t *j = &p->job;
    uint64_t end = j->reads < j->writes ? j->reads : j->writes;
    if (end < j->read + rest + 1) return;
    uint64_t n = end - j->read - rest,
             clean = p->clean_lines > j->low ? p->clean_lines - j->low : 0;
    p->skip[0] = n < clean ? n : clean;
    p->skip[1] = n - p->skip[0];
    warm_lines(p->r->sys, j->from + j->read * LINE_BYTES, j->to + j->low * LINE_BYTES, n);
    copy_engine_skip(j, n);
    /* What was in flight ends first, and the last lines drain. */
    uint64_t held = p->r->sys->copy.lines_max;
    p->at[1].from_line = j->accepted + 2 * held;
    p->at[1].to_line = j->writes - held;
}

/* At time t, everything settled. */
static void look(copy_play_t *p, uint64_t budget, ps_t t, ps_t since_begin)
{
    if (measure(&p->at[0], p->r, p->job.accepted, t)) {
        pass_over(p, budget * 5 / 8);
        if (p->skip[0]) take_jump(p, 0, since_begin);
    } else if (p->skip[1] && measure(&p->at[1], p->r, p->job.accepted, t))
        take_jump(p, 1, since_begin);
}

/* Lines that are simulated; the whole copy if it is less than twice as long.  The engine fills and drains, and between
 * that goes by bursts as the memory turns from reads to writes, so there are many times what it holds. */
static uint64_t plan(copy_play_t *p)
{
    const run_t *r = p->r;
    const system_t *s = r->sys;
    uint64_t lines = p->job.bytes / LINE_BYTES, held = s->copy.lines_max, budget = r->budget_lines;
    if (budget > LINES_ENOUGH) budget = LINES_ENOUGH;
    if (r->opt->mode == SIM_SAMPLE) budget = (uint64_t)(r->opt->sample_pct / 100 * (double)lines);
    if (budget < HELD_TIMES * held) budget = HELD_TIMES * held;
    p->sample = !r->exact && lines > 2 * budget;
    p->at[0].from_line = held;
    p->at[0].to_line = budget * 3 / 8;
    const slice_spec_t *sp = &s->slice_spec;
    /* Half of what comes into the L2 is written. */
    uint64_t dirty = system_dirty_bytes(s) / LINE_BYTES, all = s->dev->l2.size / LINE_BYTES,
             most = all * sp->dirty_ways_max / s->slice[0].tags.ways,
             room = most < all / 2 ? most : all / 2;
    p->clean_lines = sp->write_back && room > dirty ? room - dirty : 0;
    return budget;
}

static int simulate(copy_play_t *p, krec_t *rec, ps_t gap)
{
    run_t *r = p->r;
    system_t *s = r->sys;
    ps_t begin = r->seq++ == 0 ? 0 : r->end_ps + ps_later(gap, run_settle_ps(s));
    engine_run(s->engine, begin);
    const uint64_t budget = plan(p);
    p->job.seq = r->seq;
    s->copy.done = copy_done;
    s->copy.done_ctx = p;
    engine_post(s->engine, &s->copy.src, s->copy.src.part, begin, begin_event, &s->copy, &p->job);
    r->fk = NULL;
    r->cur = rec;
    r->ended = false;
    r->skipped_ps = 0;
    r->n_jump = 0;
    for (uint32_t i = 0; i < s->n_sms; i++) *s->sms[i].lat_of[0] = (sm_latency_t){0};
    levels_reset(r);
    system_totals(s, &r->begin);
    totals_t seen = r->begin, now;
    ps_t t = begin, chunk = RUN_CHUNK_FIRST_PS;
    while (!r->ended) {
        uint64_t before = p->job.accepted;
        ps_t upto = t + (p->sample ? LOOK_PS : chunk), left = engine_run(s->engine, upto);
        if (run_stop_wanted(r)) {
            r->partial = true;
            r->end_ps = ps_later(engine_now(s->engine), begin);
            break;
        }
        if (r->ended) engine_run(s->engine, r->end_ps + run_settle_ps(s));
        ps_t at = r->ended ? r->end_ps : upto;
        system_totals(s, &now);
        run_add_segment(r, rec, t - begin + r->skipped_ps, at - begin + r->skipped_ps, &seen, &now,
                        1);
        seen = now;
        t = at;
        if (r->ended) break;
        if (left == PS_MAX) return run_deadlock(r, "copy d2d");
        chunk = run_chunk(chunk, 2 * (p->job.accepted - before));
        if (p->sample) look(p, budget, t, t - begin);
        run_progress(r, "copy d2d");
    }
    rec->simulated++;
    account_kernel(r, rec, NULL, begin, r->end_ps);
    r->requests += p->job.read + p->job.written;
    return MS_OK;
}

int copy_play(run_t *r, const wcmd_t *c)
{
    size_t before = r->n_rec;
    krec_t *k = copy_rec(r, c, r->exact ? 0 : copy_cache_class(r, c), 0);
    bool known = r->n_rec == before;
    ps_t gap = r->n_inst == 0 ? 0 : r->sys->dev->gpu.launch_gap_stream;
    k->count++;
    k->gap_ps += (double)gap;
    run_add_inst(r, (size_t)(k - r->rec), gap);
    int rc = MS_OK;
    if (!known || r->exact) {
        copy_play_t *p = arena_alloc(r->arena, sizeof *p);
        p->r = r;
        p->job = (copy_job_t){.from = c->addr, .to = c->addr2, .bytes = c->bytes};
        rc = simulate(p, k, gap);
    } else
        levels_repeat(r, k);
    r->traffic += (double)(k->tot.l2.read_bytes + k->tot.l2.write_bytes);
    return rc;
}
