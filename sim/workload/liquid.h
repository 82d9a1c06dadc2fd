/* SPDX-License-Identifier: MIT
 * Full neighbour lists of a Lennard-Jones melt, as a molecular-dynamics code reads them: density 0.8442, cutoff
 * 2.5 + skin 0.3 (sigma units), periodic cube, atoms stored in cell order (cells of one cutoff, x fastest).
 *
 * Positions are an fcc lattice of that density with a hashed jitter: not an equilibrium liquid, but its density,
 * its neighbour count (mean 75..78, spread 3..5 %; LAMMPS prints 75.2 for its melt benchmark) and its locality,
 * which is all that memory traffic sees.  Coordinates are 32-bit fractions of the box, so distances wrap by
 * themselves and are the same on every machine.
 *
 * Nothing is listed ahead: an atom's neighbours are found through the cell grid when first asked for and kept
 * in a bounded cache, which changes time but never a value.  A liquid is used by one thread at a time. */
#ifndef MEMSIM_WORKLOAD_LIQUID_H
#define MEMSIM_WORKLOAD_LIQUID_H
#include "core/arena.h"
#include "core/diag.h"
#include "workload/gather.h"

typedef struct liquid liquid_t;

#define LIQUID_ATOMS_MIN 864u /* 6 lattice cells a side: three cells of one cutoff */
#define LIQUID_ATOMS_MAX (4u * 256 * 256 * 256)
#define LIQUID_NEIGHBORS_MAX 176u /* lattice sites that jitter could bring inside the cutoff */

/* `atoms` must be 4 m^3, an fcc lattice of m >= 6 cells a side; else MS_INPUT, naming the nearest such number.
 * Lives in the arena: 12 B an atom, 4 B a cell, and up to 100 MB of cache as it is used. */
int liquid_new(liquid_t **out, arena_t *a, uint64_t atoms, uint64_t seed, diag_t *d);
uint32_t liquid_atoms(const liquid_t *l);
/* Neighbours of atom i in ascending order into list[LIQUID_NEIGHBORS_MAX]; returns their number. */
unsigned liquid_neighbors(liquid_t *l, uint32_t i, uint32_t *list);
/* Distance of two atoms, in sigma. */
double liquid_distance(const liquid_t *l, uint32_t i, uint32_t j);

/* Gathers over the list in KOKKOS layout, entry (atom i, slot s) at position k = i + s * atoms:
 * the neighbour's index, no lane where the atom has no slot s.  The caller leaves out lanes of atoms that do not
 * exist, whose positions are those of the next slot. */
gather_t liquid_gather(liquid_t *l);
/* The entry's own position k under the same mask: the read of the list itself. */
gather_t liquid_entries(liquid_t *l);
#endif
