/* SPDX-License-Identifier: MIT */
#include "machine/sim.h"
#include "dram/log.h"
#include "machine/outcome.h"
#include "machine/run.h"
#include "machine/system.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BUDGET_LINES 400000 /* line requests measured before a kernel's middle may be passed over */
#define MAX_RUNS 64
#define MIB 1048576.0
#define GIB 1073741824.0

struct sim {
    arena_t *arena;
    arena_t *second[MAX_RUNS]; /* of the result of a run that was made twice, and of the rest */
    device_t dev;
    sim_opt_t opt;
    workload_t
        *wl[MAX_RUNS]; /* names in results point into them: they live as long as the simulator */
    size_t n_wl;
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int sim_new(sim_t **out, const char *device_path, const sim_opt_t *opt, diag_t *d)
{
    *out = NULL;
    arena_t *a = arena_new();
    sim_t *s = arena_alloc(a, sizeof *s);
    s->arena = a;
    s->opt = *opt;
    if (!s->opt.seed) s->opt.seed = 1;
    int rc = device_load(&s->dev, device_path, opt->set, opt->n_set, a, d);
    if (!rc && s->dev.n_memories != 1)
        rc = diag_add(d, MS_INPUT, "%s: %u memories; this version runs on exactly one", device_path,
                      s->dev.n_memories);
    if (rc) {
        arena_free(a);
        return rc;
    }
    *out = s;
    return MS_OK;
}

const device_t *sim_device(const sim_t *s)
{
    return &s->dev;
}

void sim_free(sim_t *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_wl; i++) {
        workload_free(s->wl[i]);
        if (s->second[i]) arena_free(s->second[i]);
    }
    arena_free(s->arena);
}

/* ---- --follow ---- */
static void print_followed(void *ctx, const req_t *r, ps_t done)
{
    system_t *sys = ctx;
    FILE *f = sys->follow_out;
    static const char *const kind[REQ_KINDS] = {"read",       "write", "atomic",    "prefetch",
                                                "write-back", "walk",  "migration", "copy"};
    if (!f) return;
    const addr_t addr = (addr_t)r->line * LINE_BYTES;
    loc_t loc;
    uint32_t set, home = system_locate(sys, addr, &set);
    dram_decode(sys->dram, addr, &loc);
    fprintf(f, "request %u: %s 0x%" PRIx64 ", sectors 0x%x, SM %u, kernel %u\n", r->id,
            kind[r->kind], addr, r->asked[0], r->sm, r->kernel);
    fprintf(f,
            "  slice %u (home %u), channel %u, pseudo channel %u, rank %u, bank group %u, bank %u, "
            "row %u, column %u\n",
            system_near(sys, home, r->sm), home, loc.channel, loc.pc, loc.rank, loc.bank_group,
            loc.bank, loc.row, loc.col);
    ps_t prev = r->stamp[ST_ISSUE];
    for (unsigned i = 0; i < ST_COUNT; i++) {
        ps_t at = i < ST_KEPT ? r->stamp[i] : done;
        if (at < prev) continue;
        fprintf(f, "  %12.3f ns  +%9.3f  %s\n", (double)at / 1e3, (double)(at - prev) / 1e3,
                stage_names[i]);
        prev = at;
    }
}

/* ---- running ---- */
typedef struct play { /* one run of a workload */
    sim_opt_t opt;
    arena_t *arena;
    double deadline_s; /* as in run_t */
    bool late;         /* out: given up at the deadline */
    bool note_costs;
    kernel_cost_t *cost; /* out, in the arena */
    size_t n_cost;
    double wall_s;
} play_t;

static const char *mode_name(const sim_opt_t *o)
{
    static const char *const name[] = {[SIM_AUTO] = "auto",
                                       [SIM_EXACT] = "exact",
                                       [SIM_SAMPLE] = "sampled",
                                       [SIM_TIME_BUDGET] = "time-budget"};
    return name[o->mode];
}

static result_t *new_result(sim_t *s, const play_t *play, const char *workload_path,
                            const workload_t *wl)
{
    arena_t *a = play->arena;
    result_t *res = arena_alloc(a, sizeof *res);
    res->device = s->dev.info.name;
    res->device_file = arena_strdup(a, s->dev.path);
    const char *title = workload_title(wl);
    res->workload = arena_strdup(a, title && *title ? title : workload_path);
    res->workload_file = arena_strdup(a, workload_path);
    size_t n = 0;
    while (workload_param(wl, n)) n++;
    const char **p = arena_array(a, const char *, n ? n : 1);
    for (size_t i = 0; i < n; i++) p[i] = arena_strdup(a, workload_param(wl, i));
    res->workload_params = p;
    res->n_workload_params = n;
    res->seed = s->opt.seed;
    res->mode = mode_name(&s->opt);
    res->reproducible = s->opt.mode != SIM_TIME_BUDGET;
    if (!res->reproducible) res->repeat = arena_printf(a, "--sample=%.3g", play->opt.sample_pct);
    res->peak.tensor_TFLOPs = device_peak_tensor_flops(&s->dev) / 1e12;
    res->peak.fp32_TFLOPs = device_peak_fp32_flops(&s->dev) / 1e12;
    res->peak.dram_GBps = device_peak_dram_bytes_per_s(&s->dev) / 1e9;
    res->peak.l2_GBps = device_peak_l2_bytes_per_s(&s->dev) / 1e9;
    res->peak.sms = s->dev.gpu.sms;
    res->peak.sm_GHz = (double)s->dev.gpu.clock / 1e9;
    res->capacity.bytes_available = (double)device_capacity_bytes(&s->dev);
    return res;
}

/* Conservation: what went in came out. */
static int check_conservation(const run_t *r, const totals_t *t, diag_t *d)
{
    const system_t *s = r->sys;
    if (r->partial) return MS_OK;
    uint64_t in_sm = 0, in_l2 = 0;
    for (uint32_t i = 0; i < s->n_sms; i++)
        in_sm += s->sms[i].loads + s->sms[i].stores + s->sms[i].tiles;
    for (uint32_t i = 0; i < s->n_slices; i++)
        in_l2 += s->slice[i].mshr.used[0] + s->slice[i].mshr.used[1] +
                 (s->slice[i].blocked[0] || s->slice[i].blocked[1]);
    if (in_sm || in_l2)
        return diag_add(d, MS_INTERNAL,
                        "requests issued and never completed: %" PRIu64 " at the SMs, %" PRIu64
                        " in the L2",
                        in_sm, in_l2);
    if (t->l1.hits + t->l1.misses + t->l1.merged != t->l1.loads)
        return diag_add(d, MS_INTERNAL, "L1: hits + merged + misses != loads");
    if (t->l2.hits + t->l2.merged + t->l2.misses != t->l2.reads)
        return diag_add(d, MS_INTERNAL,
                        "L2: hits %" PRIu64 " + merged %" PRIu64 " + misses %" PRIu64
                        " != reads %" PRIu64,
                        t->l2.hits, t->l2.merged, t->l2.misses, t->l2.reads);
    return MS_OK;
}

static int finish(run_t *r, diag_t *d)
{
    system_t *s = r->sys;
    int rc = MS_OK;
    /* Let the memories end their writes: whatever is pending and not a refresh. */
    ps_t now = r->end_ps + 1000000;
    engine_run(s->engine, now);
    now = ps_later(now, engine_now(s->engine));
    levels_drained(r);
    for (uint32_t c = 0; c < s->n_channels; c++) {
        int one = dram_chan_finish(s->chan[c], now, d);
        if (one && !rc) rc = one;
    }
    totals_t t;
    system_totals(s, &t);
    int one = check_conservation(r, &t, d);
    return rc ? rc : one;
}

static void host_figures(const run_t *r, result_t *res, double wall0, double cpu0)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    res->host.wall_s = run_now_s() - wall0;
    res->host.cpu_s = cpu_s() - cpu0;
    res->host.events = engine_count(r->sys->engine);
    res->host.requests_per_s = r->run_wall_s > 0 ? (double)r->requests / r->run_wall_s : 0;
    res->host.peak_rss_bytes = (uint64_t)u.ru_maxrss * 1024;
}

static int run_on(sim_t *s, play_t *p, workload_t *wl, const char *path, const result_t **out,
                  diag_t *d)
{
    double wall0 = run_now_s(), cpu0 = cpu_s();
    arena_t *a = p->arena;
    const sim_opt_t *o = &p->opt;
    result_t *res = new_result(s, p, path, wl);
    res->capacity.bytes_needed = (double)workload_footprint(wl);
    *out = res;
    dram_log_t *log = o->command_trace ? dram_log_new(o->command_trace, a) : NULL;
    system_opt_t so = {.seed = o->seed,
                       .hop_events = o->hop_events,
                       .mode = o->engine,
                       .check = o->check,
                       .command_log = log,
                       .follow_id = o->follow,
                       .followed = print_followed};
    system_t *sys;
    int rc = system_new(&sys, &s->dev, &so, a, d);
    if (rc) return rc;
    sys->follow_out = o->follow_out;
    translate_fit_t fit = translate_fit(sys->translate, workload_footprint(wl));
    if (fit.shortfall_bytes) {
        system_free(sys);
        const double lack = (double)fit.shortfall_bytes;
        const double unit = lack < (double)MIB   ? 1024
                            : lack < (double)GIB ? (double)MIB
                                                 : (double)GIB;
        const char *name = lack < (double)MIB ? "KiB" : lack < (double)GIB ? "MiB" : "GiB";
        return diag_add(d, MS_CAPACITY,
                        "%s needs %.10g %s, %s has %.10g %s: %" PRIu64 " bytes (%.3g %s) too few",
                        path, (double)fit.needed_bytes / unit, name, s->dev.info.name,
                        (double)fit.available_bytes / unit, name, fit.shortfall_bytes,
                        (double)fit.shortfall_bytes / unit, name);
    }
    run_t *r = arena_alloc(a, sizeof *r);
    *r = (run_t){.sys = sys, .wl = wl, .opt = o, .arena = a, .diag = d};
    r->workload_path = path;
    r->exact = o->mode == SIM_EXACT || o->follow || o->command_trace;
    r->budget_lines = BUDGET_LINES;
    r->deadline_s = p->deadline_s;
    r->note_costs = p->note_costs;
    rc = run_workload(r);
    if (!rc) rc = finish(r, d);
    if (!rc && log) rc = dram_log_finish(log, "--trace-commands", d);
    if (!rc || rc == MS_INTERNAL) {
        int rc2 = account_result(r, res);
        if (!rc) rc = rc2;
    }
    if (r->exact) { /* some options ask for that */
        res->mode = "exact";
        res->reproducible = !r->partial;
        res->repeat = NULL;
    }
    p->late = r->partial && !(o->interrupted && *o->interrupted);
    p->cost = r->cost;
    p->n_cost = r->n_cost;
    p->wall_s = run_now_s() - wall0;
    host_figures(r, res, wall0, cpu0);
    if (!rc && r->partial) rc = MS_INTERRUPTED;
    system_free(sys);
    return rc;
}

/* ---- --time-budget ---- */
/* Messages of the run whose result is kept. */
static void hand_over(diag_t *from, diag_t *to)
{
    for (size_t i = 0; i < from->n; i++) diag_add(to, from->worst, "%s", from->msg[i]);
    to->suppressed += from->suppressed;
    diag_free(from);
}

static int run_for(sim_t *s, workload_t *wl, const char *path, const result_t **out, diag_t *d)
{
    const double budget_s = s->opt.time_budget_s;
    play_t first = {.opt = s->opt, .arena = s->arena, .note_costs = true};
    first.opt.mode = SIM_SAMPLE;
    first.opt.sample_pct = TIME_BUDGET_LEAST_PCT;
    diag_t said;
    diag_init(&said);
    const double from_s = run_now_s();
    int rc = run_on(s, &first, wl, path, out, &said);
    double pct = 0;
    if (!rc && !workload_is_raw(wl))
        pct = time_budget_pct(first.cost, first.n_cost, first.wall_s, budget_s - first.wall_s);
    if (pct > 0 && workload_rewind(wl)) {
        arena_t *a = s->second[s->n_wl - 1] = arena_new();
        play_t again = {.opt = first.opt, .arena = a};
        again.opt.sample_pct = pct;
        again.deadline_s = from_s + TIME_BUDGET_OVER * budget_s;
        diag_t more;
        diag_init(&more);
        const result_t *better;
        int rc2 = run_on(s, &again, wl, path, &better, &more);
        if (again.late)
            diag_free(&more);
        else {
            *out = better;
            rc = rc2;
            diag_free(&said);
            said = more;
        }
    } else if (!rc && first.wall_s > budget_s)
        diag_note(&said, "--time-budget %g: the least that can be simulated took %.1f s", budget_s,
                  first.wall_s);
    hand_over(&said, d);
    return rc;
}

int sim_run(sim_t *s, const char *workload_path, const result_t **res, diag_t *d)
{
    *res = NULL;
    workload_t *wl;
    if (s->n_wl == sizeof s->wl / sizeof *s->wl)
        return diag_add(d, MS_USAGE, "a simulator plays at most %zu workloads", s->n_wl);
    workload_opt_t wo = {.define = s->opt.define,
                         .n_define = s->opt.n_define,
                         .warp_lanes = s->dev.gpu.warp_size,
                         .seed = s->opt.seed};
    int rc = workload_open(&wl, workload_path, &wo, d);
    if (rc) return rc;
    s->wl[s->n_wl++] = wl;
    if (s->opt.mode == SIM_TIME_BUDGET) return run_for(s, wl, workload_path, res, d);
    play_t p = {.opt = s->opt, .arena = s->arena};
    return run_on(s, &p, wl, workload_path, res, d);
}
