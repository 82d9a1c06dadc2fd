/* SPDX-License-Identifier: MIT
 * `memsim dram`: the memory of a file, requests from a pattern or trace, and what came of it. */
#include "machine/dram_alone.h"
#include "core/words.h"
#include "dram/log.h"
#include "dram/spec.h"
#include "machine/device.h"
#include "machine/dram_source.h"
#include "machine/outcome.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define DEFAULT_REQUESTS 100000
#define SLICE_PS 100000000 /* between looks at the interrupt flag */

typedef struct alone {
    const dram_alone_opt_t *o;
    arena_t *arena;
    diag_t *diag;
    const dram_spec_t *spec;
    const dram_spec_t *decode; /* spec, or one channel of it where each has a source of its own */
    pattern_t pattern;
    bool is_file;
    raw_stream_t raw;
    uint64_t total;     /* requests of a stream */
    dram_front_t front; /* of the latest run */
    dram_stats_t st;    /* its counters, summed over channels */
    hist_t read_latency;
    uint64_t events;
} alone_t;

static double clock_s(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one run ---- */
static void build(alone_t *x, dram_front_t *f, double mean_gap_ps, uint64_t seed, dram_log_t *log)
{
    arena_t *a = x->arena;
    *f = (dram_front_t){.arena = a,
                        .diag = x->diag,
                        .spec = x->spec,
                        .decode = x->decode,
                        .n_chan = dram_channels(x->spec),
                        .raw = x->is_file ? &x->raw : NULL,
                        .mean_gap_ps = mean_gap_ps,
                        .read_share_pct = x->o->read_share_pct};
    f->lone = f->n_chan == 1;
    f->engine = engine_new(ENGINE_MERGED, 1, 8, 0, 0);
    engine_register(f->engine, &f->src, 0);
    f->chan = arena_array(a, dram_chan_t *, f->n_chan);
    for (uint32_t c = 0; c < f->n_chan; c++) {
        dram_env_t env = {.engine = f->engine,
                          .arena = a,
                          .done = dram_front_finished,
                          .space = dram_front_space,
                          .ctx = f,
                          .seed = x->o->seed,
                          .check = x->o->check,
                          .command_log = log,
                          .lone = f->lone};
        f->chan[c] = dram_chan_new(x->spec, &env, c);
    }
    dram_front_init(f, x->is_file ? NULL : &x->pattern, x->total, x->decode != x->spec, seed);
}

/* Requests placed by all streams. */
static uint64_t issued(const dram_front_t *f)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->n_stream; i++) n += f->stream[i].issued;
    return n;
}

static void take_stats(alone_t *x)
{
    x->st = (dram_stats_t){0};
    memset(&x->read_latency, 0, sizeof x->read_latency);
    for (uint32_t c = 0; c < x->front.n_chan; c++) {
        stat_accumulate(&dram_stat_table, &x->st, dram_chan_stats(x->front.chan[c]));
        hist_merge(&x->read_latency, dram_chan_read_latency(x->front.chan[c]));
    }
    x->events = engine_count(x->front.engine);
}

static int run_once(alone_t *x, double mean_gap_ps, uint64_t seed, dram_log_t *log)
{
    const dram_alone_opt_t *o = x->o;
    dram_front_t *f = &x->front;
    build(x, f, mean_gap_ps, seed, log);
    dram_front_start(f);
    bool cut = false;
    while (!dram_front_done(f) && !cut) {
        ps_t next = engine_next(f->engine);
        if (next == PS_MAX) break;
        engine_run(f->engine, next + SLICE_PS);
        cut = o->interrupted && *o->interrupted;
    }
    int rc = f->error;
    if (!rc && !cut && !dram_front_done(f) && f->completed != issued(f))
        rc =
            diag_add(x->diag, MS_DEADLOCK, "%llu of %llu requests never completed",
                     (unsigned long long)(issued(f) - f->completed), (unsigned long long)issued(f));
    for (uint32_t c = 0; c < f->n_chan && !rc && !cut; c++)
        rc = dram_chan_finish(f->chan[c], f->last_ps, x->diag);
    take_stats(x);
    dram_front_free(f);
    engine_free(f->engine);
    return rc ? rc : cut ? MS_INTERRUPTED : MS_OK;
}

/* As of any level: from the first column command to the last beat.  What comes before belongs to no burst (a trace may
 * begin late), and a run begins with one latency whatever its rate. */
static double span_ns(const dram_front_t *f)
{
    return (double)(f->last_ps - f->first_ps) / 1e3;
}

static void verdict(result_t *r, const res_level_t *l, arena_t *a)
{
    size_t worst = 1;
    for (size_t i = 1; i < l->n_loss; i++)
        if (l->loss[i].value > l->loss[worst].value) worst = i;
    double data = l->n_loss ? l->loss[0].value : 0;
    r->bound.name = data >= 0.9 ? limit_words[LIMIT_DRAM].name : l->loss[worst].name;
    r->bound.share = data >= 0.9 ? data : l->loss[worst].value;
    r->bound.next = data >= 0.9 ? l->loss[worst].name : limit_words[LIMIT_DRAM].name;
    r->bound.sentence = arena_printf(
        a, "The data bus moves data %.1f %% of the time; the largest loss is %s (%.1f %%).",
        100 * data, l->loss[worst].name, 100 * l->loss[worst].value);
}

static void fill_result(alone_t *x, result_t *r, double wall, double cpu)
{
    arena_t *a = x->arena;
    const dram_stats_t *st = &x->st;
    const hist_t *lat = &x->read_latency;
    res_level_t *l = arena_array(a, res_level_t, 2);
    outcome_memory(&l[0], x->spec, st, x->front.last_ps, x->front.n_chan, lat, a);
    l[0].achieved_GBps = x->front.completed
                             ? (l[0].read_bytes + l[0].write_bytes) / span_ns(&x->front)
                             : (double)NAN;
    l[1] = l[0];
    l[1].name = "memory";
    r->levels = l;
    r->n_levels = 1;
    r->memories = l + 1;
    r->n_memories = 1;
    r->time_ns = (double)x->front.last_ps / 1e3;
    r->busy_ns = r->time_ns;
    r->energy = l[0].energy;
    r->n_energy = l[0].n_energy;
    r->load_latency = lat;
    r->peak.dram_GBps = l[0].peak_GBps;
    r->capacity.bytes_available = (double)l[0].capacity_bytes;
    res_stats_t *s = arena_array(a, res_stats_t, 1);
    *s = (res_stats_t){"memory", &dram_stat_table, st};
    r->stats = s;
    r->n_stats = 1;
    if (x->front.completed)
        verdict(r, &l[0], a);
    else {
        r->bound.name = r->bound.next = limit_words[LIMIT_NONE].name;
        r->bound.sentence = "No requests.";
    }
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    r->host.wall_s = wall;
    r->host.cpu_s = cpu;
    r->host.requests = x->front.completed;
    r->host.requests_per_s = wall > 0 ? (double)x->front.completed / wall : 0;
    r->host.events = x->events;
    r->host.peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
    outcome_digest(r);
}

/* ---- set-up ---- */
static int open_source(alone_t *x)
{
    const dram_alone_opt_t *o = x->o;
    if (pattern_parse(&x->pattern, o->pattern, x->decode, o->seed_given ? o->seed : 42, x->diag)) {
        x->total = o->requests ? o->requests : DEFAULT_REQUESTS;
        return x->diag->worst;
    }
    if (strcmp(o->pattern, "-") != 0 && !strpbrk(o->pattern, "./")) {
        static const char *const names[] = {"seq",        "rand",     "rand64",  "triad",
                                            "stride:256", "pingpong", "rowconf", "rw50",
                                            "burst",      "depseq",   "deprand"};
        FILE *f = fopen(o->pattern, "rb");
        if (!f) {
            const char *near = diag_nearest(o->pattern, names, sizeof names / sizeof *names);
            return diag_add(x->diag, MS_USAGE, "%s: neither a pattern (%s) nor a file%s%s",
                            o->pattern, pattern_names, near ? "; did you mean " : "",
                            near ? near : "");
        }
        fclose(f);
    }
    x->decode = x->spec; /* a trace names places in the whole memory */
    int rc = raw_open(&x->raw, o->pattern, x->diag);
    if (rc) return rc;
    x->is_file = true;
    x->raw.parser.default_bytes = dram_burst_bytes(x->spec);
    x->raw.parser.limit_bytes = dram_capacity_bytes(x->spec);
    x->raw.parser.clock = (clk_t){x->spec->tick.hz / (uint64_t)x->spec->ck};
    x->total = o->requests ? o->requests : UINT64_MAX;
    return MS_OK;
}

static int run_loads(alone_t *x, dram_alone_point_t *point)
{
    const dram_alone_opt_t *o = x->o;
    int rc = MS_OK;
    if (x->is_file || x->pattern.dependent)
        return diag_add(x->diag, MS_USAGE, "--load needs a pattern without dependences, not %s",
                        o->pattern);
    for (size_t i = 0; i < o->n_load && !rc; i++) {
        double bytes_per_s = dram_peak_bytes_per_s(x->spec) * o->load_pct[i] / 100;
        double gap = 1e12 * dram_burst_bytes(x->spec) / bytes_per_s;
        if (x->decode != x->spec) gap *= dram_channels(x->spec);
        rc = run_once(x, gap, o->seed + i, NULL);
        const hist_t *h = &x->front.latency;
        point[i] = (dram_alone_point_t){
            o->load_pct[i],
            (double)x->front.completed * dram_burst_bytes(x->spec) / span_ns(&x->front),
            h->n ? (double)h->sum / (double)h->n / 1e3 : (double)NAN,
            h->n ? (double)hist_percentile(h, 0.5) / 1e3 : (double)NAN,
            h->n ? (double)hist_percentile(h, 0.99) / 1e3 : (double)NAN};
    }
    return rc;
}

int dram_alone_run(const dram_alone_opt_t *o, arena_t *a, const result_t **res,
                   const dram_alone_point_t **points, diag_t *d)
{
    *res = NULL;
    *points = NULL;
    alone_t *x = arena_alloc(a, sizeof *x);
    dram_param_t p;
    int rc = device_load_memory(&x->spec, &p, o->dram_path, true, o->set, o->n_set, a, d);
    if (rc) return rc;
    x->o = o;
    x->arena = a;
    x->diag = d;
    x->decode = x->spec;
    if (p.source == 1 && p.channels > 1) {
        p.channels = 1;
        if ((rc = dram_spec_new(&x->decode, &p, a, d))) return rc;
    }
    if ((rc = open_source(x))) return rc;
    double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    dram_log_t *log = o->command_trace ? dram_log_new(o->command_trace, a) : NULL;
    dram_alone_point_t *point = arena_array(a, dram_alone_point_t, o->n_load ? o->n_load : 1);
    if (o->n_load)
        rc = run_loads(x, point);
    else
        rc = run_once(x, 0, 0, log);
    if (x->is_file) raw_close(&x->raw);
    if (log && !rc) rc = dram_log_finish(log, "--trace-commands", d);
    if (rc && rc != MS_INTERRUPTED && rc != MS_INTERNAL) return rc;
    result_t *r = arena_alloc(a, sizeof *r);
    r->l2_dirty_bytes = (double)NAN;
    r->device = r->device_file = o->dram_path;
    r->workload = r->workload_file = o->pattern;
    r->seed = o->seed_given ? o->seed : 42;
    r->mode = "exact";
    r->partial = rc == MS_INTERRUPTED;
    r->reproducible = !r->partial;
    fill_result(x, r, clock_s(CLOCK_MONOTONIC) - wall, clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    *res = r;
    if (o->n_load) *points = point;
    return rc;
}
