/* SPDX-License-Identifier: MIT */
#include "machine/dram_alone.h"
#include "core/rng.h"
#include "dram/log.h"
#include "dram/spec.h"
#include "machine/device.h"
#include "machine/outcome.h"
#include "machine/pattern.h"
#include "workload/raw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define DEFAULT_REQUESTS 100000

typedef struct fifo { /* requests of the source in front of one channel */
    req_t *head, **tail;
    uint32_t n;
} fifo_t;

typedef struct alone {
    const dram_alone_opt_t *o;
    arena_t *arena;
    diag_t *diag;
    const dram_spec_t *spec;
    engine_t *engine;
    src_t src;
    dram_chan_t **chan;
    uint32_t n_chan;
    fifo_t *fifo;
    pattern_t pattern;
    bool is_file, ideal;
    raw_stream_t raw;
    raw_access_t piece; /* the rest of a raw access larger than a burst */
    bool have_piece;
    int error;
    req_t *pool, *held; /* free; taken from the source and not placed yet */
    ps_t held_at;
    uint64_t issued, total, completed;
    ps_t last_ps;
    /* open loop */
    double mean_gap_ps;
    rng_t *arrivals, *mix;
    double next_ps;
    hist_t latency; /* arrival -> data */
    bool pump_posted, serving, again, lone;
} alone_t;

static double clock_s(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static req_t *new_req(alone_t *x)
{
    req_t *r = x->pool;
    if (r)
        x->pool = r->next;
    else
        r = arena_alloc(x->arena, sizeof *r);
    r->next = NULL;
    r->sectors = 1;
    return r;
}

/* ---- the source ---- */
static bool next_raw(alone_t *x, pattern_access_t *a)
{
    const uint64_t burst = dram_burst_bytes(x->spec);
    if (!x->have_piece) {
        int rc = raw_next(&x->raw, &x->piece, x->diag);
        if (rc < 0) x->error = MS_INPUT;
        if (rc <= 0) return false;
        uint64_t end = x->piece.addr + x->piece.bytes;
        x->piece.addr -= x->piece.addr % burst;
        x->piece.bytes = end - x->piece.addr;
        x->have_piece = true;
    }
    *a = (pattern_access_t){x->piece.addr, x->piece.at_ps > 0 ? x->piece.at_ps : 0, x->piece.write};
    if (x->piece.bytes <= burst)
        x->have_piece = false;
    else
        x->piece.addr += burst, x->piece.bytes -= burst;
    return true;
}

/* The next request into x->held; false at the end. */
static bool take(alone_t *x)
{
    pattern_access_t a;
    if (x->issued == x->total) return false;
    if (x->is_file) {
        if (!next_raw(x, &a)) {
            x->total = x->issued;
            return false;
        }
    } else
        a = pattern_get(&x->pattern, x->issued);
    if (x->mean_gap_ps > 0) {
        x->next_ps += -log(1 - rng_unit(x->arrivals)) * x->mean_gap_ps;
        a.at_ps = (ps_t)x->next_ps;
        a.write = rng_below(x->mix, 100) >= x->o->read_share_pct;
    }
    req_t *r = new_req(x);
    r->addr = a.addr;
    r->kind = a.write ? REQ_WRITE : REQ_READ;
    dram_decode(x->spec, a.addr, &r->loc);
    x->held = r;
    x->held_at = a.at_ps;
    x->issued++;
    return true;
}

static void service(alone_t *x, ps_t now);

static void pump_event(void *self, void *arg, ps_t now)
{
    alone_t *x = self;
    (void)arg;
    x->pump_posted = false;
    service(x, now);
    if (x->lone) dram_kick(x->chan[0], now);
}

static void pump_at(alone_t *x, ps_t at)
{
    if (x->pump_posted) return;
    x->pump_posted = true;
    engine_post(x->engine, &x->src, 0, at, pump_event, x, NULL);
}

static void feed(alone_t *x, uint32_t c, ps_t now)
{
    fifo_t *f = &x->fifo[c];
    while (f->head && dram_can_take(x->chan[c], f->head->kind == REQ_WRITE)) {
        req_t *r = f->head;
        f->head = r->next;
        if (!f->head) f->tail = &f->head;
        f->n--;
        dram_submit(x->chan[c], r, now);
    }
}

/* Place requests until the source ends, its time has not come, or the FIFO of the next one's channel is full. */
static void pump(alone_t *x, ps_t now)
{
    const uint32_t depth = x->mean_gap_ps > 0 ? UINT32_MAX : x->spec->p.staging;
    for (;;) {
        if (x->pattern.dependent && x->issued != x->completed) return;
        if (!x->held && !take(x)) return;
        if (x->held_at > now) {
            pump_at(x, x->held_at);
            return;
        }
        req_t *r = x->held;
        fifo_t *f = &x->fifo[r->loc.channel];
        if (f->n >= depth) return;
        x->held = NULL;
        r->stamp[ST_ISSUE] = x->mean_gap_ps > 0 ? x->held_at : now;
        *f->tail = r;
        f->tail = &r->next;
        f->n++;
        feed(x, r->loc.channel, now);
    }
}

/* A request may be done at once (a read served from the write queue) and so call back from within: the outermost
 * call does the work, in a loop. */
static void service(alone_t *x, ps_t now)
{
    x->again = true;
    if (x->serving) return;
    x->serving = true;
    while (x->again) {
        x->again = false;
        for (uint32_t c = 0; c < x->n_chan; c++)
            if (x->fifo[c].head) feed(x, c, now);
        pump(x, now);
    }
    x->serving = false;
}

static void finished(void *ctx, req_t *r, ps_t data_ps, ps_t now)
{
    alone_t *x = ctx;
    x->completed++;
    if (data_ps > x->last_ps) x->last_ps = data_ps;
    if (r->kind == REQ_READ) hist_add(&x->latency, (uint64_t)(data_ps - r->stamp[ST_ISSUE]));
    r->next = x->pool;
    x->pool = r;
    if (x->pattern.dependent) { /* the cycle after the data are back */
        pump_at(x, data_ps + clk_span(x->spec->tick, x->spec->ck));
        return;
    }
    service(x, now);
}

static void space_again(void *ctx, ps_t now)
{
    service(ctx, now);
}

/* ---- one run ---- */
static int run_once(alone_t *x, dram_log_t *log)
{
    const dram_alone_opt_t *o = x->o;
    x->n_chan = dram_channels(x->spec);
    x->lone = x->n_chan == 1;
    x->engine = engine_new(ENGINE_MERGED, 1, 8, 0, 0);
    engine_register(x->engine, &x->src, 0);
    x->chan = arena_array(x->arena, dram_chan_t *, x->n_chan);
    x->fifo = arena_array(x->arena, fifo_t, x->n_chan);
    for (uint32_t c = 0; c < x->n_chan; c++) {
        dram_env_t env = {.engine = x->engine,
                          .arena = x->arena,
                          .partition = 0,
                          .done = finished,
                          .space = space_again,
                          .ctx = x,
                          .seed = o->seed,
                          .check = o->check,
                          .command_log = log,
                          .lone = x->lone};
        x->chan[c] = dram_chan_new(x->spec, &env, c);
        x->fifo[c].tail = &x->fifo[c].head;
    }
    x->issued = x->completed = 0;
    x->last_ps = 0;
    pump_at(x, 0);
    while (engine_run(x->engine,
                      engine_next(x->engine) == PS_MAX ? 0 : engine_next(x->engine) + 100000000) !=
           PS_MAX)
        if (o->interrupted && *o->interrupted) break;
    bool cut = o->interrupted && *o->interrupted;
    ps_t end = x->last_ps;
    for (uint32_t c = 0; c < x->n_chan; c++) end = ps_later(end, dram_chan_now(x->chan[c]));
    int rc = x->error;
    if (!rc && !cut && x->completed != x->issued)
        rc =
            diag_add(x->diag, MS_DEADLOCK, "%llu of %llu requests never completed",
                     (unsigned long long)(x->issued - x->completed), (unsigned long long)x->issued);
    for (uint32_t c = 0; c < x->n_chan && !rc && !cut; c++)
        rc = dram_chan_finish(x->chan[c], end, x->diag);
    engine_free(x->engine);
    x->engine = NULL;
    return rc ? rc : cut ? MS_INTERRUPTED : MS_OK;
}

static void memory_stats(const alone_t *x, dram_stats_t *st, hist_t *lat)
{
    *st = (dram_stats_t){0};
    memset(lat, 0, sizeof *lat);
    for (uint32_t c = 0; c < x->n_chan; c++) {
        stat_accumulate(&dram_stat_table, st, dram_chan_stats(x->chan[c]));
        hist_merge(lat, dram_chan_read_latency(x->chan[c]));
    }
}

static void verdict(result_t *r, const res_level_t *l, arena_t *a)
{
    size_t worst = 1;
    for (size_t i = 1; i < l->n_loss; i++)
        if (l->loss[i].value > l->loss[worst].value) worst = i;
    double data = l->n_loss ? l->loss[0].value : 0;
    r->bound.name = data >= 0.9 ? "dram bandwidth" : l->loss[worst].name;
    r->bound.share = data >= 0.9 ? data : l->loss[worst].value;
    r->bound.next = data >= 0.9 ? l->loss[worst].name : "dram bandwidth";
    r->bound.sentence = arena_printf(
        a, "The data bus moves data %.1f %% of the time; the largest loss is %s (%.1f %%).",
        100 * data, l->loss[worst].name, 100 * l->loss[worst].value);
}

static void fill_result(alone_t *x, result_t *r, double wall, double cpu)
{
    arena_t *a = x->arena;
    dram_stats_t *st = arena_alloc(a, sizeof *st);
    hist_t *lat = arena_alloc(a, sizeof *lat);
    memory_stats(x, st, lat);
    res_level_t *l = arena_array(a, res_level_t, 2);
    outcome_memory(&l[0], x->spec, st, x->last_ps, x->n_chan, lat, a);
    l[1] = l[0];
    l[1].name = "memory";
    r->levels = l;
    r->n_levels = 1;
    r->memories = l + 1;
    r->n_memories = 1;
    r->time_ns = (double)x->last_ps / 1e3;
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
    if (x->issued)
        verdict(r, &l[0], a);
    else {
        r->bound.name = r->bound.next = "none";
        r->bound.sentence = "No requests.";
    }
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    r->host.wall_s = wall;
    r->host.cpu_s = cpu;
    r->host.requests = x->completed;
    r->host.requests_per_s = wall > 0 ? (double)x->completed / wall : 0;
    r->host.peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
    outcome_digest(r);
}

/* ---- set-up ---- */
static bool sets_channels(const dram_alone_opt_t *o)
{
    for (size_t i = 0; i < o->n_set; i++) {
        const char *k = strstr(o->set[i], "channels=");
        if (k && (k == o->set[i] || k[-1] == '.')) return true;
    }
    return false;
}

static int open_source(alone_t *x)
{
    const dram_alone_opt_t *o = x->o;
    if (pattern_parse(&x->pattern, o->pattern, x->spec, o->seed_given ? o->seed : 42, x->diag)) {
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
        x->mean_gap_ps = 1e12 * dram_burst_bytes(x->spec) / bytes_per_s;
        x->arrivals = rng_new(o->seed, "arrivals", i);
        x->mix = rng_new(o->seed, "mix", i);
        x->next_ps = 0;
        memset(&x->latency, 0, sizeof x->latency);
        rc = run_once(x, NULL);
        const hist_t *h = &x->latency;
        point[i] = (dram_alone_point_t){
            o->load_pct[i],
            (double)x->completed * dram_burst_bytes(x->spec) / ((double)x->last_ps / 1e3),
            h->n ? (double)h->sum / (double)h->n / 1e3 : (double)NAN,
            h->n ? (double)hist_percentile(h, 0.5) / 1e3 : (double)NAN,
            h->n ? (double)hist_percentile(h, 0.99) / 1e3 : (double)NAN};
        rng_free(x->arrivals);
        rng_free(x->mix);
    }
    return rc;
}

int dram_alone_run(const dram_alone_opt_t *o, arena_t *a, const result_t **res,
                   const dram_alone_point_t **points, diag_t *d)
{
    *res = NULL;
    *points = NULL;
    dram_param_t p;
    ini_section_t *section;
    int rc = device_load_dram(&p, &section, o->dram_path, o->set, o->n_set, a, d);
    if (rc) return rc;
    if (!sets_channels(o)) p.channels = 1;
    alone_t *x = arena_alloc(a, sizeof *x);
    x->o = o;
    x->arena = a;
    x->diag = d;
    if ((rc = dram_spec_new(&x->spec, &p, a, d))) return rc;
    if ((rc = open_source(x))) return rc;
    double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    dram_log_t *log = o->command_trace ? dram_log_new(o->command_trace, a) : NULL;
    dram_alone_point_t *point = arena_array(a, dram_alone_point_t, o->n_load ? o->n_load : 1);
    if (o->n_load)
        rc = run_loads(x, point);
    else
        rc = run_once(x, log);
    if (x->is_file) raw_close(&x->raw);
    if (log && !rc) rc = dram_log_finish(log, "--trace-commands", d);
    if (rc && rc != MS_INTERRUPTED && rc != MS_INTERNAL) return rc;
    result_t *r = arena_alloc(a, sizeof *r);
    r->device = r->device_file = o->dram_path;
    r->workload = r->workload_file = o->pattern;
    r->seed = o->seed_given ? o->seed : 42;
    r->mode = "exact";
    r->reproducible = true;
    r->partial = rc == MS_INTERRUPTED;
    fill_result(x, r, clock_s(CLOCK_MONOTONIC) - wall, clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    *res = r;
    if (o->n_load) *points = point;
    return rc;
}
