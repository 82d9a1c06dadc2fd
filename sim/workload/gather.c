/* SPDX-License-Identifier: MIT
 * Index distributions as pure functions of the position. */
#include "workload/gather.h"
#include "core/rng.h"
#include "workload/reader.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uwide_t;

enum { FEISTEL_ROUNDS = 8 }; /* 4 give a pseudo-random permutation; small domains want more */

/* The k-th 64-bit word of a keyed stream. */
static uint64_t word_at(uint64_t key, uint64_t k)
{
    return mix64(key ^ mix64(k));
}

/* A word to [0, n): the high half of a product, whose bias is below n / 2^64. */
static uint64_t scale(uint64_t w, uint64_t n)
{
    return (uint64_t)((uwide_t)w * n >> 64);
}

static double unit(uint64_t w) /* [0, 1) */
{
    return (double)(w >> 11) * 0x1p-53;
}

/* Lanes at positions below 0 are off. */
/* Position of a lane; beyond the last it wraps to a negative one, which has no index. */
static int64_t place_of(int64_t k0, unsigned lane)
{
    return (int64_t)((uint64_t)k0 + lane);
}

static uint64_t lanes_mask(int64_t k0, unsigned lanes)
{
    uint64_t all = lanes >= 64 ? UINT64_MAX : ((uint64_t)1 << lanes) - 1;
    if (k0 >= 0) return all;
    return k0 <= -(int64_t)lanes ? 0 : all & ~(((uint64_t)1 << -k0) - 1);
}

/* ---- uniform ---- */

typedef struct uniform {
    uint64_t n, key;
} uniform_t;

static uint64_t uniform_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const uniform_t *u = ctx;
    for (unsigned i = 0; i < lanes; i++) idx[i] = scale(word_at(u->key, (uint64_t)k0 + i), u->n);
    return lanes_mask(k0, lanes);
}

gather_t gather_uniform(arena_t *a, uint64_t n, uint64_t seed)
{
    assert(n >= 1 && n <= GATHER_N_MAX);
    uniform_t *u = arena_array(a, uniform_t, 1);
    *u = (uniform_t){.n = n, .key = mix64(seed)};
    return (gather_t){uniform_fill, u};
}

/* ---- a permutation ---- */

typedef struct feistel {
    uint64_t n;
    unsigned half; /* bits of one half */
    uint64_t key[FEISTEL_ROUNDS];
} feistel_t;

static feistel_t feistel_new(uint64_t n, uint64_t seed)
{
    feistel_t f = {.n = n, .half = 1};
    while (f.half < 32 && (uint64_t)1 << (2 * f.half) < n) f.half++;
    for (unsigned r = 0; r < FEISTEL_ROUNDS; r++) f.key[r] = word_at(seed, r);
    return f;
}

static uint64_t feistel_map(const feistel_t *f, uint64_t i)
{
    const uint64_t mask = ((uint64_t)1 << f->half) - 1;
    do { /* on average below 4 turns: the domain is less than 4 n */
        uint64_t left = i >> f->half, right = i & mask;
        for (unsigned r = 0; r < FEISTEL_ROUNDS; r++) {
            uint64_t t = left ^ (mix64(f->key[r] ^ right) & mask);
            left = right;
            right = t;
        }
        i = left << f->half | right;
    } while (i >= f->n);
    return i;
}

uint64_t gather_permute(uint64_t i, uint64_t n, uint64_t seed)
{
    assert(i < n && n <= GATHER_N_MAX);
    const feistel_t f = feistel_new(n, seed);
    return feistel_map(&f, i);
}

static uint64_t cycle_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const feistel_t *f = ctx;
    uint64_t k = k0 < 0 ? 0 : (uint64_t)k0 % f->n;
    for (unsigned i = 0; i < lanes; i++) {
        idx[i] = feistel_map(f, k);
        if ((k0 >= 0 || place_of(k0, i) >= 0) && ++k == f->n) k = 0;
    }
    return lanes_mask(k0, lanes);
}

gather_t gather_cycle(arena_t *a, uint64_t n, uint64_t seed)
{
    assert(n >= 1 && n <= GATHER_N_MAX);
    feistel_t *f = arena_array(a, feistel_t, 1);
    *f = feistel_new(n, seed);
    return (gather_t){cycle_fill, f};
}

/* ---- Zipf ---- */

/* Rejection inversion works with H, the integral of the hat x^-alpha, and its inverse: draw u between H(n + 1/2)
 * and H(3/2) - 1, take the integer k nearest to H^-1(u), accept unless u falls in the sliver where hat and
 * histogram differ.  It accepts over 90 % for every n and alpha. */
typedef struct zipf {
    uint64_t n, key;
    double alpha, h_low, h_high, s;
    bool scattered;
    feistel_t place;
} zipf_t;

static double expm1_over(double x) /* (e^x - 1) / x */
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x) /* ln(1 + x) / x */
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

static double zipf_h(double alpha, double x) /* (x^(1 - alpha) - 1) / (1 - alpha), ln x at 1 */
{
    double l = log(x);
    return l * expm1_over((1 - alpha) * l);
}

static double zipf_h_inverse(double alpha, double y)
{
    double t = fmax(y * (1 - alpha), -1); /* rounding must not leave the domain of log1p */
    return exp(y * log1p_over(t));
}

static uint64_t zipf_rank(const zipf_t *z, uint64_t k) /* 1..n */
{
    uint64_t w = word_at(z->key, k);
    for (;; w = mix64(w)) {
        double u = z->h_high + unit(w) * (z->h_low - z->h_high);
        double x = zipf_h_inverse(z->alpha, u);
        double r = fmin(fmax(floor(x + 0.5), 1), (double)z->n);
        if (r - x <= z->s || u >= zipf_h(z->alpha, r + 0.5) - exp(-z->alpha * log(r)))
            return (uint64_t)r;
    }
}

static uint64_t zipf_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const zipf_t *z = ctx;
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t rank = zipf_rank(z, (uint64_t)k0 + i) - 1;
        idx[i] = z->scattered ? feistel_map(&z->place, rank) : rank;
    }
    return lanes_mask(k0, lanes);
}

gather_t gather_zipf(arena_t *a, uint64_t n, double alpha, bool scattered, uint64_t seed)
{
    assert(n >= 1 && n <= GATHER_N_MAX && alpha >= 0);
    zipf_t *z = arena_array(a, zipf_t, 1);
    *z = (zipf_t){.n = n, .key = mix64(seed), .alpha = alpha, .scattered = scattered};
    z->h_low = zipf_h(alpha, 1.5) - 1;
    z->h_high = zipf_h(alpha, (double)n + 0.5);
    z->s = 2 - zipf_h_inverse(alpha, zipf_h(alpha, 2.5) - exp(-alpha * log(2)));
    if (scattered) z->place = feistel_new(n, word_at(seed, 1));
    return (gather_t){zipf_fill, z};
}

/* ---- stride ---- */

typedef struct strided {
    uint64_t n, step; /* step reduced to [0, n) */
} strided_t;

static uint64_t stride_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const strided_t *s = ctx;
    for (unsigned i = 0; i < lanes; i++) {
        int64_t k = place_of(k0, i);
        idx[i] = k < 0 ? 0 : (uint64_t)((uwide_t)k * s->step % s->n);
    }
    return lanes_mask(k0, lanes);
}

gather_t gather_stride(arena_t *a, uint64_t n, int64_t step)
{
    assert(n >= 1 && n <= GATHER_N_MAX);
    strided_t *s = arena_array(a, strided_t, 1);
    int64_t m = step % (int64_t)n;
    *s = (strided_t){.n = n, .step = (uint64_t)(m < 0 ? m + (int64_t)n : m)};
    return (gather_t){stride_fill, s};
}

/* ---- list ---- */

typedef struct listed {
    uint64_t n;
    const uint64_t *index;
} listed_t;

static uint64_t list_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const listed_t *l = ctx;
    for (unsigned i = 0; i < lanes; i++) {
        int64_t k = place_of(k0, i);
        idx[i] = k < 0 ? 0 : l->index[(uint64_t)k % l->n];
    }
    return lanes_mask(k0, lanes);
}

typedef struct growing { /* on the heap while its length is unknown */
    uint64_t *v;
    size_t n, cap;
} growing_t;

static bool grow(growing_t *g, uint64_t v)
{
    if (g->n == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 1024;
        uint64_t *p = realloc(g->v, cap * sizeof *p);
        if (!p) return false;
        g->v = p;
        g->cap = cap;
    }
    g->v[g->n++] = v;
    return true;
}

static int list_line(growing_t *g, char *s, uint64_t limit, const reader_t *r, diag_t *d)
{
    char *hash = strchr(s, '#');
    if (hash) *hash = '\0';
    for (char *rest, *w = strtok_r(s, " \t,", &rest); w; w = strtok_r(NULL, " \t,", &rest)) {
        char *end;
        bool hex = w[0] == '0' && (w[1] == 'x' || w[1] == 'X');
        bool digits = hex ? strspn(w + 2, "0123456789abcdefABCDEF") > 0 : *w >= '0' && *w <= '9';
        uint64_t v = digits ? (uint64_t)strtoull(w, &end, hex ? 16 : 10) : 0;
        if (!digits || *end)
            return diag_at(d, MS_INPUT, reader_name(r), reader_line(r),
                           "expected an index (decimal or 0x...), got \"%.24s\"", w);
        uint64_t most = limit ? limit - 1 : GATHER_N_MAX;
        if (v > most)
            return diag_at(d, MS_INPUT, reader_name(r), reader_line(r),
                           "index %.24s is over the largest, %llu", w, (unsigned long long)most);
        if (!grow(g, v))
            return diag_at(d, MS_INPUT, reader_name(r), reader_line(r),
                           "out of memory for indices");
    }
    return MS_OK;
}

int gather_list(gather_t *out, arena_t *a, const char *path, uint64_t limit, uint64_t *n, diag_t *d)
{
    reader_t *r;
    int rc = reader_open(&r, path, d);
    if (rc != MS_OK) return rc;
    growing_t g = {0};
    char *line;
    size_t len;
    int more = 0;
    while (rc == MS_OK && (more = reader_next(r, &line, &len, d)) == 1)
        rc = list_line(&g, line, limit, r, d);
    if (rc == MS_OK && more < 0) rc = d->worst;
    if (rc == MS_OK && g.n == 0) rc = diag_add(d, MS_INPUT, "%s: holds no index", reader_name(r));
    if (rc == MS_OK && g.v) {
        uint64_t *index = arena_array(a, uint64_t, g.n);
        memcpy(index, g.v, g.n * sizeof *index);
        listed_t *l = arena_array(a, listed_t, 1);
        *l = (listed_t){.n = g.n, .index = index};
        *out = (gather_t){list_fill, l};
        if (n) *n = g.n;
    }
    free(g.v);
    reader_close(r);
    return rc;
}
