/* SPDX-License-Identifier: MIT
 * Index distributions of gathers.  Each is a pure function of the position k: the same k gives the same index,
 * in any order, so that a warp can be simulated, skipped or repeated without state.  Contexts live in the arena.
 * Positions below 0 give no active lane. */
#ifndef MEMSIM_WORKLOAD_GATHER_H
#define MEMSIM_WORKLOAD_GATHER_H
#include "core/access.h"
#include "core/arena.h"
#include "core/diag.h"

typedef struct gather {
    gather_fn fn;
    const void *ctx;
} gather_t;

#define GATHER_N_MAX ((uint64_t)1 << 40)

/* Every index of [0, n) equally likely, with replacement.  1 <= n <= GATHER_N_MAX for all distributions. */
gather_t gather_uniform(arena_t *a, uint64_t n, uint64_t seed);
/* P(rank r) proportional to 1 / (r + 1)^alpha, alpha >= 0 (0: uniform), by rejection inversion (Hormann and
 * Derflinger 1996, ACM TOMACS 6(3)).  The hottest rank is index 0; `scattered` permutes ranks over [0, n), as
 * the hot rows of an embedding table lie anywhere in it. */
gather_t gather_zipf(arena_t *a, uint64_t n, double alpha, bool scattered, uint64_t seed);
/* A random cycle through all of [0, n): position k is its (k mod n)-th node, no index twice in a lap.  A pointer
 * chase is this order walked with one access in flight. */
gather_t gather_cycle(arena_t *a, uint64_t n, uint64_t seed);
/* (k * step) mod n; step may be negative. */
gather_t gather_stride(arena_t *a, uint64_t n, int64_t step);
/* The indices of a text file (any number a line, separated by blanks or commas; decimal or 0x; # comments;
 * compressed or not), repeated for ever.  Every index must be below `limit` (0: any).  *n gets their number
 * if not NULL. */
int gather_list(gather_t *out, arena_t *a, const char *path, uint64_t limit, uint64_t *n,
                diag_t *d);

/* The bijection behind gather_cycle: a keyed permutation of [0, n) by a balanced Feistel network on the next
 * even power of two, walked until it lands inside (Black and Rogaway 2002, "Ciphers with arbitrary finite
 * domains").  i < n. */
uint64_t gather_permute(uint64_t i, uint64_t n, uint64_t seed);
#endif
