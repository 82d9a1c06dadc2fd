/* SPDX-License-Identifier: MIT
 * Neighbour lists of the generated liquid: right by brute force, symmetric, of the size a molecular-dynamics code
 * measures, and in the layout its kernels read. */
#include "test.h"
#include "workload/liquid.h"
#include <math.h>
#include <string.h>

static arena_t *arena;

static liquid_t *melt(uint64_t atoms, uint64_t seed)
{
    diag_t d;
    liquid_t *l;
    diag_init(&d);
    int rc = liquid_new(&l, arena, atoms, seed, &d);
    ck_assert_msg(rc == MS_OK, "%s", d.n ? d.msg[0] : "");
    diag_free(&d);
    return l;
}

START_TEST(every_pair_within_the_cutoff_is_listed_and_no_other)
{
    arena = arena_new();
    const uint32_t sizes[] = {864, 1372, 2048, 4000}; /* boxes of 3 cells a side, and of more */
    for (unsigned s = 0; s < 4; s++) {
        liquid_t *l = melt(sizes[s], s);
        for (uint32_t i = 0; i < sizes[s]; i++) {
            uint32_t list[LIQUID_NEIGHBORS_MAX];
            unsigned n = liquid_neighbors(l, i, list), at = 0;
            for (uint32_t j = 0; j < sizes[s]; j++) {
                double r = liquid_distance(l, i, j);
                if (fabs(r - 2.8) < 1e-6 || j == i) {
                    at +=
                        at < n && list[at] == j && j != i; /* too close to call in floating point */
                    continue;
                }
                if ((r < 2.8) != (at < n && list[at] == j))
                    ck_abort_msg("atoms %u, %u at %.9f", i, j, r);
                at += r < 2.8;
            }
            if (at != n) ck_abort_msg("atom %u: %u of %u", i, at, n);
        }
    }
    arena_free(arena);
}
END_TEST

START_TEST(lists_are_symmetric)
{
    arena = arena_new();
    enum { N = 4 * 12 * 12 * 12 };
    liquid_t *l = melt(N, 5);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t mine[LIQUID_NEIGHBORS_MAX], theirs[LIQUID_NEIGHBORS_MAX];
        unsigned n = liquid_neighbors(l, i, mine);
        for (unsigned k = 0; k < n; k++) {
            unsigned m = liquid_neighbors(l, mine[k], theirs), found = 0;
            for (unsigned q = 0; q < m; q++) found += theirs[q] == i;
            if (found != 1) ck_abort_msg("%u lists %u, which lists it %u times", i, mine[k], found);
        }
        if (i >= 600) i += 97; /* a block of atoms in full, the rest here and there */
    }
    arena_free(arena);
}
END_TEST

START_TEST(counts_are_those_of_the_lennard_jones_melt)
{
    arena = arena_new();
    enum { N = 32000 }; /* the size of LAMMPS's benchmark, which prints 75.18 for its full list */
    for (uint64_t seed = 1; seed <= 2; seed++) {
        liquid_t *l = melt(N, seed);
        double sum = 0, square = 0;
        unsigned most = 0;
        for (uint32_t i = 0; i < N; i++) {
            uint32_t list[LIQUID_NEIGHBORS_MAX];
            unsigned n = liquid_neighbors(l, i, list);
            sum += n, square += (double)n * n;
            if (n > most) most = n;
        }
        double mean = sum / N, sd = sqrt(square / N - mean * mean);
        ck_assert_double_gt(mean, 75);
        ck_assert_double_lt(mean, 78);
        ck_assert_double_gt(sd / mean, 0.03);
        ck_assert_double_lt(sd / mean, 0.05);
        ck_assert_uint_lt(most, 96);
    }
    arena_free(arena);
}
END_TEST

START_TEST(seeds_differ_and_repeat)
{
    arena = arena_new();
    liquid_t *a = melt(2048, 1), *b = melt(2048, 1), *c = melt(2048, 2);
    unsigned same = 0;
    for (uint32_t i = 0; i < 2048; i++) {
        uint32_t p[LIQUID_NEIGHBORS_MAX], q[LIQUID_NEIGHBORS_MAX], r[LIQUID_NEIGHBORS_MAX];
        unsigned n = liquid_neighbors(a, i, p), m = liquid_neighbors(b, i, q),
                 o = liquid_neighbors(c, i, r);
        if (n != m || memcmp(p, q, n * sizeof *p) != 0) ck_abort_msg("atom %u", i);
        same += n == o && memcmp(p, r, n * sizeof *p) == 0;
    }
    ck_assert_uint_lt(same, 20);
    arena_free(arena);
}
END_TEST

START_TEST(atoms_lie_in_cell_order)
{
    arena = arena_new();
    enum { N = 32000 };
    liquid_t *l = melt(N, 1);
    double near = 0;
    for (uint32_t i = 0; i + 1 < N; i++) near += liquid_distance(l, i, i + 1);
    ck_assert_double_lt(near / N, 2.5); /* unordered: 0.48 of the box side of 33.6 */
    arena_free(arena);
}
END_TEST

/* Position k = i + slot * atoms; lanes off where a list has ended; blocks leave and re-enter the cache. */
START_TEST(gathers_serve_the_list_in_kokkos_layout)
{
    arena = arena_new();
    enum { N = 4 * 17 * 17 * 17, STEP = 997 }; /* not a multiple of 32 */
    liquid_t *l = melt(N, 3);
    gather_t g = liquid_gather(l), e = liquid_entries(l);
    for (uint32_t first = 0; first + 32 <= N; first += STEP) {
        unsigned total = 0, served = 0;
        uint32_t list[32][LIQUID_NEIGHBORS_MAX];
        unsigned n[32];
        for (unsigned i = 0; i < 32; i++) total += n[i] = liquid_neighbors(l, first + i, list[i]);
        for (uint32_t slot = 0; slot < 100; slot++) {
            int64_t k = (int64_t)first + (int64_t)slot * N;
            uint64_t j[32], at[32];
            uint64_t mask = g.fn(g.ctx, k, 32, j);
            if (mask != e.fn(e.ctx, k, 32, at)) ck_abort_msg("masks differ at %u, %u", first, slot);
            for (unsigned i = 0; i < 32; i++) {
                bool on = mask >> i & 1;
                if (on != (slot < n[i])) ck_abort_msg("atom %u slot %u", first + i, slot);
                if (on && (j[i] != list[i][slot] || at[i] != (uint64_t)k + i))
                    ck_abort_msg("atom %u slot %u: neighbour %lu", first + i, slot,
                                 (unsigned long)j[i]);
                served += on;
            }
        }
        ck_assert_uint_eq(served, total);
    }
    uint64_t j[4], whole[2];
    ck_assert_uint_eq(g.fn(g.ctx, -2, 4, j) & 3, 0); /* before the list: no lane */
    g.fn(g.ctx, 0, 2, whole);
    ck_assert(j[2] == whole[0] && j[3] == whole[1]);
    arena_free(arena);
}
END_TEST

START_TEST(sizes_that_are_no_lattice_are_refused_with_the_nearest)
{
    arena = arena_new();
    static const struct {
        uint64_t atoms;
        const char *nearest;
    } bad[] = {{0, "864"},       {1, "864"},           {500, "864"},
               {32001, "32000"}, {1000000, "1000188"}, {UINT64_MAX, "67108864"}};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        diag_t d;
        liquid_t *l;
        diag_init(&d);
        ck_assert_int_eq(liquid_new(&l, arena, bad[i].atoms, 1, &d), MS_INPUT);
        ck_assert_ptr_null(l);
        ck_assert_msg(strstr(d.msg[0], bad[i].nearest), "%s", d.msg[0]);
        diag_free(&d);
    }
    ck_assert_uint_eq(liquid_atoms(melt(LIQUID_ATOMS_MIN, 1)), 864);
    arena_free(arena);
}
END_TEST

TEST_MAIN("neighbor-list", every_pair_within_the_cutoff_is_listed_and_no_other, lists_are_symmetric,
          counts_are_those_of_the_lennard_jones_melt, seeds_differ_and_repeat,
          atoms_lie_in_cell_order, gathers_serve_the_list_in_kokkos_layout,
          sizes_that_are_no_lattice_are_refused_with_the_nearest)
