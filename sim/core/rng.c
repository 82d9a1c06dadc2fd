/* SPDX-License-Identifier: MIT
 * Random streams: GSL's taus2, seeded from a hash of (seed, source, index). */
#include "core/rng.h"
#include "core/arena.h"
#include <assert.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

struct rng {
    gsl_rng *g;
};

rng_t *rng_new(uint64_t seed, const char *source, uint64_t index)
{
    uint64_t h = mix64(seed);
    for (const char *p = source; *p; p++) h = mix64(h ^ (unsigned char)*p);
    h = mix64(h ^ index);
    rng_t *r = mem_resize(NULL, sizeof *r);
    r->g = gsl_rng_alloc(gsl_rng_taus2);
    assert(r->g);
    gsl_rng_set(r->g, (unsigned long)(h & 0xffffffffu)); /* taus2 has 32-bit seeds on every host */
    return r;
}

void rng_free(rng_t *r)
{
    if (!r) return;
    gsl_rng_free(r->g);
    free(r);
}

static uint64_t word(rng_t *r)
{
    uint64_t high = gsl_rng_get(r->g); /* 32 uniform bits each */
    return high << 32 | gsl_rng_get(r->g);
}

uint64_t rng_below(rng_t *r, uint64_t n)
{
    assert(n >= 1);
    /* Values in the last, incomplete run of n are drawn again, so that every result is equally likely. */
    uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n, x;
    do {
        x = word(r);
    } while (x > limit);
    return x % n;
}

double rng_unit(rng_t *r)
{
    return (double)(word(r) >> 11) * 0x1p-53;
}

double rng_gaussian(rng_t *r, double sigma)
{
    return gsl_ran_gaussian(r->g, sigma);
}
