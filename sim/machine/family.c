/* SPDX-License-Identifier: MIT
 * Families: launches of one definition that differ in one number only (decode attention at context 2049, 2050, ...).
 * A few values spread over the range are simulated, the others lie between them. */
#include "machine/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 5           /* simulated values of a family */
#define POINTS_COARSE 3    /* of one that counts for less than */
#define COARSE_WEIGHT 0.03 /* of the run's time */
#define FAMILY_MIN 8       /* fewer distinct values are all simulated */

typedef struct shapes {
    shape_t *v;
    size_t n, mask;
    uint32_t *table; /* index + 1, 0 = free */
    size_t cap;
} shapes_t;

static uint64_t hash_args(uint32_t def, uint32_t n, const int64_t *arg)
{
    uint64_t h = def;
    for (uint32_t i = 0; i < n; i++) h = mix64(h ^ (uint64_t)arg[i]);
    return mix64(h);
}

static void add_shape(run_t *r, shapes_t *s, const wcmd_t *c)
{
    uint64_t i = hash_args(c->def, c->nargs, c->arg) & s->mask;
    for (; s->table[i]; i = (i + 1) & s->mask) {
        shape_t *o = &s->v[s->table[i] - 1];
        if (o->def != c->def || o->nargs != c->nargs) continue;
        if (memcmp(o->arg, c->arg, c->nargs * sizeof *c->arg) != 0) continue;
        o->count++;
        return;
    }
    if (s->n == s->cap) return; /* more distinct launches than are worth looking for families in */
    int64_t *arg = arena_array(r->arena, int64_t, c->nargs ? c->nargs : 1);
    addr_t *base = arena_array(r->arena, addr_t, c->nbases ? c->nbases : 1);
    memcpy(arg, c->arg, c->nargs * sizeof *arg);
    memcpy(base, c->base, c->nbases * sizeof *base);
    s->v[s->n] = (shape_t){.def = c->def,
                           .nargs = c->nargs,
                           .arg = arg,
                           .nbases = c->nbases,
                           .base = base,
                           .count = 1};
    s->table[i] = (uint32_t)++s->n;
}

static bool alike_but(const shape_t *a, const shape_t *b, uint32_t pos)
{
    if (a->def != b->def || a->nargs != b->nargs) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (i != pos && a->arg[i] != b->arg[i]) return false;
    return true;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void try_family(run_t *r, const shapes_t *s, size_t first, uint32_t pos, bool *taken)
{
    const shape_t *like = &s->v[first];
    int64_t *value = arena_array(r->arena, int64_t, s->n);
    size_t n = 0;
    for (size_t i = first; i < s->n; i++)
        if (!taken[i] && alike_but(like, &s->v[i], pos)) value[n++] = s->v[i].arg[pos];
    if (n < FAMILY_MIN) return;
    double weight = 0;
    for (size_t i = first; i < s->n; i++) {
        if (!alike_but(like, &s->v[i], pos)) continue;
        taken[i] = true;
        weight += s->v[i].weight;
    }
    qsort(value, n, sizeof *value, by_value);
    family_t *f = &r->fam[r->n_fam++];
    *f = (family_t){.def = like->def,
                    .nargs = like->nargs,
                    .pos = pos,
                    .like = like->arg,
                    .n_value = n,
                    .value = value};
    f->n_point = weight < COARSE_WEIGHT ? POINTS_COARSE : POINTS;
    f->point = arena_array(r->arena, int64_t, f->n_point);
    for (size_t i = 0; i < f->n_point; i++) f->point[i] = value[i * (n - 1) / (f->n_point - 1)];
}

/* Time a shape takes at best: its bytes at the memory's peak or its operations at the tensor peak. */
static int weigh(run_t *r, shapes_t *s)
{
    double sum = 0, bw = device_peak_dram_bytes_per_s(r->sys->dev),
           fl = device_peak_tensor_flops(r->sys->dev);
    for (size_t i = 0; i < s->n; i++) {
        shape_t *x = &s->v[i];
        wcmd_t c = {.kind = WC_LAUNCH,
                    .def = x->def,
                    .nargs = x->nargs,
                    .arg = x->arg,
                    .nbases = x->nbases,
                    .base = x->base};
        const kernel_t *k;
        int rc = workload_kernel(r->wl, &c, &k, r->diag);
        if (rc) return rc;
        double t =
            fmax((k->useful_read_bytes + k->useful_write_bytes) / bw, fl > 0 ? k->flops / fl : 0);
        x->weight =
            (double)x->count * fmax(t, 1e-6); /* nothing is over in less than a microsecond */
        sum += x->weight;
    }
    for (size_t i = 0; i < s->n; i++) s->v[i].weight /= sum;
    r->shape = s->v;
    r->n_shape = s->n;
    return MS_OK;
}

#define RUN_REL 0.003 /* what one kind of kernel may add to the uncertainty of the whole run */
#define KERNEL_REL_MIN 0.01
#define KERNEL_REL_MAX 0.2

double sample_goal(const run_t *r, const wcmd_t *c)
{
    shape_t x = {.def = c->def, .nargs = c->nargs, .arg = c->arg};
    for (size_t i = 0; i < r->n_shape; i++)
        if (alike_but(&r->shape[i], &x, UINT32_MAX))
            return fmin(fmax(RUN_REL / r->shape[i].weight, KERNEL_REL_MIN), KERNEL_REL_MAX);
    return KERNEL_REL_MIN;
}

int sample_prescan(run_t *r)
{
    if (workload_is_raw(r->wl)) return MS_OK;
    shapes_t s = {.cap = 8192, .mask = 32767};
    s.v = arena_array(r->arena, shape_t, s.cap);
    s.table = arena_array(r->arena, uint32_t, s.mask + 1);
    wcmd_t c;
    for (;;) {
        int rc = workload_next(r->wl, &c, r->diag);
        if (rc) return rc;
        if (c.kind == WC_END) break;
        overlap_add(r->overlap, &c);
        if (c.kind != WC_LAUNCH) continue;
        r->launches_total++;
        add_shape(r, &s, &c);
    }
    if (!workload_rewind(r->wl))
        return diag_add(r->diag, MS_INPUT, "the workload cannot be read twice");
    int rc = weigh(r, &s);
    if (rc) return rc;
    bool *taken = arena_array(r->arena, bool, s.n ? s.n : 1);
    r->fam = arena_array(r->arena, family_t, s.n ? s.n : 1);
    for (size_t i = 0; i < s.n; i++)
        for (uint32_t pos = 0; pos < s.v[i].nargs && !taken[i]; pos++)
            try_family(r, &s, i, pos, taken);
    return MS_OK;
}

const family_t *sample_family(const run_t *r, const wcmd_t *c, bool *simulate)
{
    shape_t x = {.def = c->def, .nargs = c->nargs, .arg = c->arg};
    *simulate = true;
    for (size_t i = 0; i < r->n_fam; i++) {
        const family_t *f = &r->fam[i];
        shape_t like = {.def = f->def, .nargs = f->nargs, .arg = f->like};
        if (!alike_but(&like, &x, f->pos)) continue;
        *simulate = false;
        for (size_t j = 0; j < f->n_point; j++)
            if (f->point[j] == c->arg[f->pos]) *simulate = true;
        return f;
    }
    return NULL;
}

/* Simulated launch of the same family at value `v`; the one that met the same cache state first. */
static const krec_t *point_rec(const run_t *r, const family_t *f, const krec_t *k, int64_t v)
{
    shape_t like = {.def = f->def, .nargs = f->nargs, .arg = f->like};
    const krec_t *best = NULL;
    for (size_t i = 0; i < r->n_rec; i++) {
        const krec_t *o = &r->rec[i];
        shape_t x = {.def = o->def, .nargs = o->nargs, .arg = o->arg};
        if (o->estimated || !o->simulated || o->member_of || !alike_but(&like, &x, f->pos) ||
            o->arg[f->pos] != v)
            continue;
        if (!best || o->cache_class == k->cache_class) best = o;
    }
    return best;
}

static const family_t *family_of(const run_t *r, const krec_t *k)
{
    shape_t x = {.def = k->def, .nargs = k->nargs, .arg = k->arg};
    for (size_t i = 0; i < r->n_fam; i++) {
        shape_t like = {.def = r->fam[i].def, .nargs = r->fam[i].nargs, .arg = r->fam[i].like};
        if (alike_but(&like, &x, r->fam[i].pos)) return &r->fam[i];
    }
    return NULL;
}

#define AGAIN_LINES 5000 /* of a launch that is small */
#define AGAIN_TIMES 3
#define REPEAT_REL 0.02 /* assumed of launches of which one was simulated */
#define AGAIN_REL 0.01  /* a mean of so few is at least so uncertain */

bool sample_again(const krec_t *k)
{
    const sm_stats_t *t = &k->tot.sm;
    const uint64_t lines = t->loads + t->stores + t->atomics + t->tile_lines;
    if (k->estimated) return false;
    if (k->interval <= 0 && lines < AGAIN_LINES) return k->simulated < AGAIN_TIMES;
    /* What stores a good part itself always finds it so. */
    return k->others_dirt && k->simulated < 2 && t->stores < lines / 8 && !t->tile_lines;
}

/* The first of many launches met other caches than the rest. */
static void first_apart(krec_t *k)
{
    const double n = (double)k->simulated, count = (double)k->count;
    if (count <= n || k->member_of || k->group) return;
    if (n < 2) {
        k->interval = fmax(k->interval, REPEAT_REL);
        return;
    }
    const double later = (k->time_ps * n - k->first_ps) / (n - 1);
    k->time_ps = (k->first_ps + (count - 1) * later) / count;
    k->interval = fmax(k->interval, fmax(AGAIN_REL, fabs(k->latest_ps - later) / later));
}

void sample_finish(run_t *r)
{
    for (size_t i = 0; i < r->n_rec; i++)
        if (!r->exact && !r->rec[i].estimated) first_apart(&r->rec[i]);
    for (size_t i = 0; i < r->n_rec; i++) {
        krec_t *k = &r->rec[i];
        if (!k->estimated) continue;
        const family_t *f = family_of(r, k);
        int64_t v = k->arg[f->pos];
        const krec_t *lo = NULL, *hi = NULL;
        for (size_t j = 0; j < f->n_point; j++) {
            const krec_t *p = point_rec(r, f, k, f->point[j]);
            if (!p) continue;
            if (f->point[j] <= v) lo = p;
            if (f->point[j] >= v && !hi) hi = p;
        }
        if (!lo) lo = hi;
        if (!hi) hi = lo;
        if (!lo) continue; /* interrupted before any point was reached */
        double span = (double)(hi->arg[f->pos] - lo->arg[f->pos]);
        double w = span > 0 ? (double)(v - lo->arg[f->pos]) / span : 0;
        const krec_t keep = *k;
        *k = w < 0.5 ? *lo : *hi; /* names, histogram, segments */
        k->arg = keep.arg, k->count = keep.count, k->simulated = 0, k->estimated = true;
        k->cache_class = keep.cache_class, k->phase = keep.phase, k->gap_ps = keep.gap_ps;
        k->time_ps = lo->time_ps * (1 - w) + hi->time_ps * w;
        k->flops = lo->flops * (1 - w) + hi->flops * w;
        k->read_bytes = lo->read_bytes * (1 - w) + hi->read_bytes * w;
        k->write_bytes = lo->write_bytes * (1 - w) + hi->write_bytes * w;
        /* Between two points the curve may bend: allow a quarter of the step between them. */
        double bend = lo->time_ps > 0 ? fabs(hi->time_ps - lo->time_ps) / 4 / lo->time_ps : 0;
        k->interval = fmax(lo->interval, hi->interval) + bend;
        totals_t zero = {0};
        k->tot = zero;
        struct part {
            const stat_table_t *t;
            void *into;
            const void *a, *b;
        } part[] = {{&sm_stat_table, &k->tot.sm, &lo->tot.sm, &hi->tot.sm},
                    {&l1_stat_table, &k->tot.l1, &lo->tot.l1, &hi->tot.l1},
                    {&l2_stat_table, &k->tot.l2, &lo->tot.l2, &hi->tot.l2},
                    {&xbar_stat_table, &k->tot.xbar, &lo->tot.xbar, &hi->tot.xbar},
                    {&dram_stat_table, &k->tot.dram, &lo->tot.dram, &hi->tot.dram}};
        for (size_t j = 0; j < sizeof part / sizeof *part; j++) {
            stat_accumulate_scaled(part[j].t, part[j].into, &zero, part[j].a, 1 - w);
            stat_accumulate_scaled(part[j].t, part[j].into, &zero, part[j].b, w);
        }
    }
}
