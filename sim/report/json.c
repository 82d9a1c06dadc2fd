/* SPDX-License-Identifier: MIT
 * result.json.  Keys keep the order of this file, so that two runs differ only where results do. */
#include "report/report.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number: null for NAN, an integer where it is one (counts, bytes), else a real. */
static json_t *number(double v)
{
    if (!isfinite(v)) return json_null();
    if (v == floor(v) && fabs(v) < 9007199254740992.0) return json_integer((json_int_t)v);
    return json_real(v);
}

static void put(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, number(v));
}

static void put_u64(json_t *o, const char *key, uint64_t v)
{
    json_object_set_new(o, key, json_integer((json_int_t)v));
}

/* Text that came from a user's file may be no UTF-8: then it is null rather than a broken document. */
static void put_text(json_t *o, const char *key, const char *s)
{
    json_t *t = s ? json_string(s) : NULL;
    json_object_set_new(o, key, t ? t : json_null());
}

static json_t *latency(const res_latency_t *l)
{
    json_t *o = json_object();
    put(o, "mean", l->n ? l->mean : (double)NAN);
    put(o, "p50", l->n ? l->p50 : (double)NAN);
    put(o, "p95", l->n ? l->p95 : (double)NAN);
    put(o, "p99", l->n ? l->p99 : (double)NAN);
    put(o, "max", l->n ? l->max : (double)NAN);
    put_u64(o, "samples", l->n);
    return o;
}

static json_t *shares(const res_share_t *s, size_t n)
{
    json_t *o = json_object();
    for (size_t i = 0; i < n; i++) put(o, s[i].name, s[i].value);
    return o;
}

static json_t *level(const res_level_t *l)
{
    json_t *o = json_object();
    put(o, "read_bytes", l->read_bytes);
    put(o, "write_bytes", l->write_bytes);
    put(o, "peak_GBps", l->peak_GBps);
    put(o, "bound_GBps", l->bound_GBps);
    put(o, "achieved_GBps", l->achieved_GBps);
    put(o, "hit_rate", l->hit_rate);
    json_object_set_new(o, "latency_ns", latency(&l->latency));
    if (l->n_commands || l->n_loss || l->n_energy) {
        put(o, "row_hit_rate", l->row_hit_rate);
        json_object_set_new(o, "commands", shares(l->commands, l->n_commands));
        json_object_set_new(o, "loss_stack", shares(l->loss, l->n_loss));
        json_object_set_new(o, "energy_J", shares(l->energy, l->n_energy));
    }
    if (l->capacity_bytes) put_u64(o, "capacity_bytes", l->capacity_bytes);
    return o;
}

static json_t *kernel(const res_kernel_t *k)
{
    json_t *o = json_object();
    put_text(o, "name", k->name);
    put_text(o, "kind", k->kind);
    put_text(o, "phase", k->phase);
    put_u64(o, "count", k->count);
    put_u64(o, "simulated", k->simulated);
    put(o, "time_ns", k->time_ns);
    put(o, "total_ns", k->total_ns);
    put(o, "interval", k->interval);
    put(o, "flops", k->flops);
    put(o, "read_bytes", k->read_bytes);
    put(o, "write_bytes", k->write_bytes);
    put(o, "GBps", k->GBps);
    put(o, "TFLOPs", k->TFLOPs);
    put_text(o, "unit", k->unit ? k->unit : "");
    put(o, "peak_TFLOPs", k->peak_TFLOPs);
    json_object_set_new(o, "latency_ns", latency(&k->latency));
    put_text(o, "bound", k->bound);
    put(o, "bound_share", k->bound_share);
    put_text(o, "bound_next", k->bound_next);
    json_t *levels = json_object(), *l1 = json_object(), *l2 = json_object(), *dram = json_object();
    put(l1, "hit_rate", k->l1_hit_rate);
    put(l2, "bytes", k->l2_bytes);
    put(l2, "hit_rate", k->l2_hit_rate);
    put(dram, "bytes", k->dram_bytes);
    json_object_set_new(levels, "l1", l1);
    json_object_set_new(levels, "l2", l2);
    json_object_set_new(levels, "dram", dram);
    json_object_set_new(o, "levels", levels);
    json_object_set_new(o, "in_summary", json_boolean(k->in_summary));
    return o;
}

static json_t *named_levels(const res_level_t *l, size_t n, const char *prefix)
{
    json_t *o = json_object();
    size_t skip = strlen(prefix);
    for (size_t i = 0; i < n; i++)
        if (strncmp(l[i].name, prefix, skip) == 0)
            json_object_set_new(o, l[i].name + skip, level(&l[i]));
    return o;
}

static json_t *about_run(const result_t *r)
{
    json_t *o = json_object(), *params = json_array();
    for (size_t i = 0; i < r->n_workload_params; i++) {
        json_t *s = json_string(r->workload_params[i]);
        json_array_append_new(params, s ? s : json_null());
    }
    put_text(o, "device_file", r->device_file);
    put_text(o, "workload_file", r->workload_file);
    json_object_set_new(o, "parameters", params);
    return o;
}

static json_t *host(const result_t *r)
{
    json_t *o = json_object();
    put(o, "wall_s", r->host.wall_s);
    put(o, "cpu_s", r->host.cpu_s);
    put_u64(o, "requests", r->host.requests);
    put(o, "requests_per_s", r->host.requests_per_s);
    put_u64(o, "events", r->host.events);
    put_u64(o, "peak_rss_bytes", r->host.peak_rss_bytes);
    return o;
}

static json_t *unmodelled(const result_t *r)
{
    json_t *a = json_array();
    for (size_t i = 0; i < r->n_unmodelled; i++) {
        json_t *o = json_object();
        put_text(o, "what", r->unmodelled[i].what);
        put_u64(o, "count", r->unmodelled[i].count);
        put(o, "bytes", r->unmodelled[i].bytes);
        json_array_append_new(a, o);
    }
    return a;
}

static json_t *load_points(const report_load_point_t *p, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        put(o, "offered_percent", p[i].offered_pct);
        put(o, "achieved_GBps", p[i].achieved_GBps);
        put(o, "mean_ns", p[i].mean_ns);
        put(o, "p50_ns", p[i].p50_ns);
        put(o, "p99_ns", p[i].p99_ns);
        json_array_append_new(a, o);
    }
    return a;
}

char *report_json(const result_t *r, const report_load_point_t *p, size_t n_points,
                  const report_env_t *e)
{
    json_t *o = json_object(), *me = json_object(), *bound = json_object();
    put_text(o, "schema", REPORT_SCHEMA);
    put_text(me, "version", e->version);
    put_text(me, "commit", e->commit);
    json_object_set_new(o, "memsim", me);
    put_text(o, "device", r->device);
    put_text(o, "workload", r->workload);
    json_object_set_new(o, "input", about_run(r));
    put_u64(o, "seed", r->seed);
    put_text(o, "mode", r->mode);
    json_object_set_new(o, "reproducible", json_boolean(r->reproducible));
    put_text(o, "repeat_with", r->repeat);
    json_object_set_new(o, "partial", json_boolean(r->partial));
    put(o, "interval", r->interval);
    put_text(o, "digest", r->digest);
    put(o, "time_ns", r->time_ns);
    put(o, "busy_ns", r->busy_ns);
    put(o, "launch_gap_ns", r->launch_gap_ns);
    put(o, "l2_dirty_bytes", r->l2_dirty_bytes);
    put(o, "tokens", r->tokens > 0 ? r->tokens : (double)NAN);
    put(o, "tokens_per_s",
        r->tokens > 0 && r->time_ns > 0 && !r->partial ? r->tokens / (r->time_ns * 1e-9)
                                                       : (double)NAN);
    put_text(bound, "name", r->bound.name);
    put(bound, "share", r->bound.share);
    put_text(bound, "next", r->bound.next);
    put_text(bound, "sentence", r->bound.sentence);
    json_object_set_new(o, "bound", bound);
    json_t *kernels = json_array();
    for (size_t i = 0; i < r->n_kernels; i++)
        json_array_append_new(kernels, kernel(&r->kernels[i]));
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "levels", named_levels(r->levels, r->n_levels, ""));
    json_object_set_new(o, "latency_stack_ns", shares(r->latency_stack, r->n_latency_stack));
    json_object_set_new(o, "energy_J", shares(r->energy, r->n_energy));
    json_t *cap = json_object(), *peak = json_object();
    put(cap, "bytes_needed", r->capacity.bytes_needed);
    put(cap, "bytes_available", r->capacity.bytes_available);
    json_object_set_new(o, "capacity", cap);
    put(peak, "tensor_TFLOPs", r->peak.tensor_TFLOPs);
    put(peak, "fp32_TFLOPs", r->peak.fp32_TFLOPs);
    put(peak, "dram_GBps", r->peak.dram_GBps);
    put(peak, "l2_GBps", r->peak.l2_GBps);
    json_object_set_new(o, "peak", peak);
    json_object_set_new(o, "links", named_levels(r->levels, r->n_levels, "link."));
    json_t *gpus = json_array();
    for (size_t i = 0; i < r->n_gpus; i++) {
        json_t *g = level(&r->gpus[i]);
        put_text(g, "name", r->gpus[i].name);
        json_array_append_new(gpus, g);
    }
    json_object_set_new(o, "gpus", gpus);
    json_object_set_new(o, "memories", named_levels(r->memories, r->n_memories, ""));
    json_object_set_new(o, "not_modelled", unmodelled(r));
    if (n_points) json_object_set_new(o, "load", load_points(p, n_points));
    json_object_set_new(o, "host", host(r));
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(o);
    if (!text) return NULL;
    size_t n = strlen(text);
    char *out = realloc(text, n + 2);
    if (!out) {
        free(text);
        return NULL;
    }
    memcpy(out + n, "\n", 2);
    return out;
}

const res_level_t *report_level(const result_t *r, const char *name)
{
    for (size_t i = 0; i < r->n_levels; i++)
        if (strcmp(r->levels[i].name, name) == 0) return &r->levels[i];
    return NULL;
}
