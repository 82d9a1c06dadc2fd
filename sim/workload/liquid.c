/* SPDX-License-Identifier: MIT
 * A liquid from a jittered lattice, its neighbours through a cell grid.  A coordinate is a fraction of the box in
 * 32 bits: the difference of two, read as signed, is the nearest image, and all distances are exact integers. */
#include "workload/liquid.h"
#include "core/rng.h"
#include <assert.h>
#include <math.h>

#define DENSITY \
    0.8442 /* atoms per sigma^3: the Lennard-Jones melt of the LAMMPS benchmarks (bench/in.lj) */
#define CUTOFF 2.8  /* sigma: 2.5 and a skin of 0.3 */
#define JITTER 0.26 /* sigma, largest displacement along an axis */

enum {
    BLOCK_ATOMS = 32, /* one warp's atoms */
    BLOCKS = 8192,    /* cached at a time; a window of consecutive warps this long never collides */
    CACHE_SLOTS = 96, /* mean + 8 standard deviations; longer lists are found anew each time */
    RANGES_MAX =
        18 /* 27 cells are 9 rows of 3 along x, each in two pieces at the border of the box */
};

typedef struct block {
    uint32_t number; /* of the 32-atom block held, plus 1; 0: none */
    uint8_t count[BLOCK_ATOMS];
    uint32_t neighbor[CACHE_SLOTS][BLOCK_ATOMS];
} block_t;

struct liquid {
    arena_t *arena;
    uint32_t atoms, cells; /* cells a side */
    double box;            /* sigma */
    uint64_t cut2;         /* squared cutoff, in units of (box / 2^32)^2 */
    uint32_t (*pos)[3];
    uint32_t *cell_start; /* cells^3 + 1 */
    block_t **block;      /* allocated when first needed */
};

typedef struct ranges { /* atoms [first, last), ascending */
    uint32_t first[RANGES_MAX], last[RANGES_MAX];
    unsigned n;
} ranges_t;

static uint32_t coordinate_cell(const liquid_t *l, uint32_t x)
{
    return (uint32_t)((uint64_t)x * l->cells >> 32);
}

static uint32_t cell_of(const liquid_t *l, const uint32_t p[3])
{
    return coordinate_cell(l, p[0]) +
           l->cells * (coordinate_cell(l, p[1]) + l->cells * coordinate_cell(l, p[2]));
}

/* Site s of the lattice: basis s mod 4, then x, y, z; displaced by three hashed numbers. */
static void site_position(uint64_t s, uint32_t side, uint64_t jitter, uint64_t seed, uint32_t p[3])
{
    static const uint8_t basis[4][3] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    uint64_t cell = s / 4;
    const uint64_t at[3] = {cell % side, cell / side % side, cell / side / side};
    uint64_t w = mix64(mix64(seed) ^ s);
    for (unsigned c = 0; c < 3; c++) {
        uint64_t lattice = ((2 * at[c] + basis[s % 4][c]) << 32) / (2 * (uint64_t)side);
        uint64_t moved = (w >> (21 * c) & 0x1FFFFF) * (2 * jitter) >> 21;
        p[c] = (uint32_t)(lattice + moved - jitter);
    }
}

/* Counting sort of all sites by cell; sites of a cell stay in lattice order. */
static void place_atoms(liquid_t *l, uint32_t side, uint64_t jitter, uint64_t seed)
{
    uint32_t cells = l->cells * l->cells * l->cells;
    uint32_t p[3];
    for (uint32_t s = 0; s < l->atoms; s++) {
        site_position(s, side, jitter, seed, p);
        l->cell_start[cell_of(l, p) + 1]++;
    }
    for (uint32_t c = 0; c < cells; c++) l->cell_start[c + 1] += l->cell_start[c];
    for (uint32_t s = l->atoms;
         s-- > 0;) { /* backwards, so that cell_start[c + 1] walks down to its start */
        site_position(s, side, jitter, seed, p);
        uint32_t i = --l->cell_start[cell_of(l, p) + 1];
        for (unsigned c = 0; c < 3; c++) l->pos[i][c] = p[c];
    }
    for (uint32_t c = 0; c < cells; c++) l->cell_start[c] = l->cell_start[c + 1];
    l->cell_start[cells] = l->atoms;
}

int liquid_new(liquid_t **out, arena_t *a, uint64_t atoms, uint64_t seed, diag_t *d)
{
    *out = NULL;
    double want = cbrt((double)atoms / 4);
    uint64_t side = (uint64_t)fmin(fmax(floor(want + 0.5), 6), 256);
    unsigned long long nearest = 4 * side * side * side;
    if (nearest != atoms)
        return diag_add(
            d, MS_INPUT,
            "a liquid has 4 m^3 atoms, m from 6 to 256: %llu is not one, the nearest is %llu",
            (unsigned long long)atoms, nearest);
    liquid_t *l = arena_array(a, liquid_t, 1);
    l->arena = a;
    l->atoms = (uint32_t)atoms;
    l->box = cbrt((double)atoms / DENSITY);
    const double unit = 0x1p32 / l->box; /* coordinate steps a sigma */
    uint64_t cut = (uint64_t)(CUTOFF * unit);
    l->cut2 = cut * cut;
    l->cells = (uint32_t)(((uint64_t)1 << 32) / cut); /* a cell is at least a cutoff wide */
    assert(l->cells >= 3);
    l->pos = arena_alloc(a, atoms * sizeof *l->pos);
    l->cell_start = arena_array(a, uint32_t, (size_t)l->cells * l->cells * l->cells + 1);
    l->block = arena_array(a, block_t *, BLOCKS);
    place_atoms(l, (uint32_t)side, (uint64_t)(JITTER * unit), seed);
    *out = l;
    return MS_OK;
}

uint32_t liquid_atoms(const liquid_t *l)
{
    return l->atoms;
}

typedef struct point { /* by value: a pointer would be read again after every store of a neighbor */
    uint32_t x, y, z;
} point_t;

static point_t point_of(const liquid_t *l, uint32_t i)
{
    return (point_t){l->pos[i][0], l->pos[i][1], l->pos[i][2]};
}

static uint64_t distance2(point_t p, const uint32_t q[3])
{
    int64_t x = (int32_t)(p.x - q[0]), y = (int32_t)(p.y - q[1]), z = (int32_t)(p.z - q[2]);
    return (uint64_t)(x * x) + (uint64_t)(y * y) + (uint64_t)(z * z);
}

double liquid_distance(const liquid_t *l, uint32_t i, uint32_t j)
{
    return sqrt((double)distance2(point_of(l, i), l->pos[j])) * l->box * 0x1p-32;
}

/* The three cells around x along one axis, ascending. */
static void around(uint32_t x, uint32_t cells, uint32_t three[3])
{
    uint32_t first = x == 0 ? 0 : x == cells - 1 ? cells - 3 : x - 1;
    for (uint32_t i = 0; i < 3; i++) three[i] = first + i;
    if (x == 0) three[2] = cells - 1;
    if (x == cells - 1) three[0] = 0;
}

/* Atoms of the 27 cells around a point. */
static void candidate_ranges(const liquid_t *l, const uint32_t p[3], ranges_t *r)
{
    uint32_t xs[3], ys[3], zs[3];
    const uint32_t n = l->cells;
    around(coordinate_cell(l, p[0]), n, xs);
    around(coordinate_cell(l, p[1]), n, ys);
    around(coordinate_cell(l, p[2]), n, zs);
    r->n = 0;
    for (unsigned z = 0; z < 3; z++)
        for (unsigned y = 0; y < 3; y++) {
            const uint32_t *row = l->cell_start + (size_t)n * (ys[y] + (size_t)n * zs[z]);
            unsigned x = 0;
            while (x < 3) {
                unsigned end = x;
                while (end < 2 && xs[end + 1] == xs[end] + 1) end++;
                r->first[r->n] = row[xs[x]];
                r->last[r->n++] = row[xs[end] + 1];
                x = end + 1;
            }
        }
}

unsigned liquid_neighbors(liquid_t *l, uint32_t i, uint32_t *list)
{
    const point_t p = point_of(l, i);
    ranges_t r;
    candidate_ranges(l, l->pos[i], &r);
    unsigned n = 0;
    uint32_t found[LIQUID_NEIGHBORS_MAX + 2]; /* + 2: the atom itself, and the slot written ahead */
    const uint64_t cut2 = l->cut2;
    for (unsigned k = 0; k < r.n; k++) {
        for (uint32_t j = r.first[k]; j < r.last[k]; j++) {
            found[n] = j; /* no branch on the distance: one in eight is near, at random */
            n += distance2(p, l->pos[j]) <= cut2;
        }
        assert(n <= LIQUID_NEIGHBORS_MAX + 1);
    }
    unsigned out = 0;
    for (unsigned k = 0; k < n; k++)
        if (found[k] != i) list[out++] = found[k];
    return out;
}

/* The cached lists of the block of atom i, found now if they are not there. */
static const block_t *block_of(liquid_t *l, uint32_t i)
{
    uint32_t number = i / BLOCK_ATOMS;
    block_t **slot = &l->block[number % BLOCKS];
    if (!*slot) *slot = arena_array(l->arena, block_t, 1);
    block_t *b = *slot;
    if (b->number == number + 1) return b;
    b->number = number + 1;
    uint32_t list[LIQUID_NEIGHBORS_MAX];
    for (uint32_t a = 0; a < BLOCK_ATOMS && number * BLOCK_ATOMS + a < l->atoms; a++) {
        unsigned n = liquid_neighbors(l, number * BLOCK_ATOMS + a, list);
        b->count[a] = (uint8_t)n;
        for (unsigned s = 0; s < n && s < CACHE_SLOTS; s++) b->neighbor[s][a] = list[s];
    }
    return b;
}

/* Neighbour `slot` of atom i, whose block is b and whose list is long enough. */
static uint32_t neighbor_at(liquid_t *l, const block_t *b, uint32_t i, uint64_t slot)
{
    if (slot < CACHE_SLOTS) return b->neighbor[slot][i % BLOCK_ATOMS];
    uint32_t list[LIQUID_NEIGHBORS_MAX];
    liquid_neighbors(l, i, list);
    assert(slot < LIQUID_NEIGHBORS_MAX);
    // cppcheck-suppress arrayIndexOutOfBoundsCond ; takes CACHE_SLOTS for the length of `list`
    return list[slot];
}

typedef struct list_view { /* what a gather's context points at; the liquid behind it caches */
    liquid_t *liquid;
} list_view_t;

static uint64_t fill(liquid_t *l, int64_t k0, unsigned lanes, uint64_t *idx, bool positions)
{
    uint64_t mask = 0;
    unsigned lane = 0;
    for (; lane < lanes && k0 + (int64_t)lane < 0; lane++) idx[lane] = 0;
    if (lane == lanes) return 0;
    uint64_t k = (uint64_t)(k0 + (int64_t)lane);
    uint64_t slot = k / l->atoms;
    uint32_t i = (uint32_t)(k % l->atoms);
    const block_t *b = block_of(l, i);
    for (; lane < lanes; lane++, k++) {
        idx[lane] = 0;
        if (slot < b->count[i % BLOCK_ATOMS]) {
            idx[lane] = positions ? k : neighbor_at(l, b, i, slot);
            mask |= (uint64_t)1 << lane;
        }
        if (++i == l->atoms) {
            i = 0;
            slot++;
        }
        if (i % BLOCK_ATOMS == 0 && lane + 1 < lanes) b = block_of(l, i);
    }
    return mask;
}

static uint64_t neighbor_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const list_view_t *v = ctx;
    return fill(v->liquid, k0, lanes, idx, false);
}

static uint64_t entry_fill(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    const list_view_t *v = ctx;
    return fill(v->liquid, k0, lanes, idx, true);
}

static gather_t view(liquid_t *l, gather_fn fn)
{
    list_view_t *v = arena_array(l->arena, list_view_t, 1);
    v->liquid = l;
    return (gather_t){fn, v};
}

gather_t liquid_gather(liquid_t *l)
{
    return view(l, neighbor_fill);
}

gather_t liquid_entries(liquid_t *l)
{
    return view(l, entry_fill);
}
