/* SPDX-License-Identifier: MIT
 * Random streams on GSL (gsl_rng_taus2), one sub-stream per named source: adding a source does not shift the
 * others.  Also the stateless mix used where the n-th value must be a pure function of n. */
#ifndef MEMSIM_CORE_RNG_H
#define MEMSIM_CORE_RNG_H
#include <stdint.h>

typedef struct rng rng_t;
/* Stream for (seed, source name, index); free with rng_free. */
rng_t *rng_new(uint64_t seed, const char *source, uint64_t index);
void rng_free(rng_t *r);
uint64_t rng_below(rng_t *r, uint64_t n); /* uniform in [0, n), n >= 1 */
double rng_unit(rng_t *r);                /* uniform in [0, 1) */
double rng_gaussian(rng_t *r, double sigma);

static inline uint64_t mix64(uint64_t z) /* splitmix64's finaliser: a bijection of 64-bit words */
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
#endif
