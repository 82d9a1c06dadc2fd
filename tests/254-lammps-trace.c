/* SPDX-License-Identifier: MIT
 * lammps.trace moves, byte for byte, what one thread an atom over KOKKOS's full list moves: 4 n + 36 streamed,
 * 28 n gathered, 24 read and written back, with the n of every atom taken from its list. */
#include "test.h"
#include "trace_open.h"
#include "trace_walk.h"
#include "workload/liquid.h"
#include <math.h>

static double listed_pairs(uint64_t atoms, uint64_t seed)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    liquid_t *l;
    ck_assert_int_eq(liquid_new(&l, a, atoms, seed, &d), MS_OK);
    double pairs = 0;
    uint32_t list[LIQUID_NEIGHBORS_MAX];
    for (uint32_t i = 0; i < atoms; i++) pairs += liquid_neighbors(l, i, list);
    arena_free(a);
    return pairs;
}

START_TEST(bytes_are_those_of_the_formula_for_every_atom_of_the_list)
{
    static const struct {
        const char *define;
        unsigned cells;
    } run[] = {{"cells=8", 8},
               {"cells=7", 7},
               {"cells=8 unroll=4", 8}}; /* 7: 1,372 atoms, a ragged last warp */
    for (unsigned r = 0; r < 3; r++) {
        double atoms = 4.0 * run[r].cells * run[r].cells * run[r].cells;
        workload_t *w = open_with("workloads/lammps.trace", run[r].define);
        const kernel_t *k = next_kernel(w);
        ck_assert_str_eq(k->kind, "pair");
        walk_t s = walk_kernel(k, 32);
        double pairs = listed_pairs((uint64_t)atoms, 1);
        ck_assert_double_eq(s.read_bytes, atoms * (36 + 24) + pairs * (4 + 24 + 4));
        ck_assert_double_eq(s.write_bytes, atoms * 24);
        ck_assert_uint_eq(s.outside, 0);
        /* what the kernel states uses the mean number of neighbors */
        ck_assert_double_lt(fabs(k->useful_read_bytes / s.read_bytes - 1), 0.005);
        ck_assert_double_eq(k->useful_write_bytes, s.write_bytes);
        ck_assert_double_lt(fabs(k->flops / (27 * pairs) - 1), 0.005);
        ck_assert_int_eq(next_command(w).kind, WC_END);
        workload_free(w);
    }
}
END_TEST

START_TEST(a_million_atoms_by_default_and_steps_repeat_the_launch)
{
    workload_t *w = open_with("workloads/lammps.trace", "steps=3");
    int launches = 0;
    while (next_command(w).kind == WC_LAUNCH) launches++;
    ck_assert_int_eq(launches, 3);
    const uint64_t n = 1048576, mib2 = 2u << 20;
    uint64_t arrays = 4 * 96 * n + 3 * 4 * n + 2 * 24 * n;
    ck_assert_uint_ge(workload_footprint(w), arrays);
    ck_assert_uint_lt(workload_footprint(w), arrays + 6 * mib2);
    workload_free(w);
}
END_TEST

TEST_MAIN("lammps-trace", bytes_are_those_of_the_formula_for_every_atom_of_the_list,
          a_million_atoms_by_default_and_steps_repeat_the_launch)
