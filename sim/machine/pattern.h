/* SPDX-License-Identifier: MIT
 * Request patterns of `memsim dram`: request i is a pure function of (pattern, i, geometry, seed), so that other
 * simulators can be fed the same stream.
 *
 *   seq       i * access                     rand     uniform over 4 GiB         rand64  64 B pieces, uniform
 *   triad     a, b read, c written, 128 B each in turn
 *   stride:N  every N bytes, then the next access beside the first
 *   pingpong  two rows of a bank in turn     rowconf  a new row of one bank every time
 *   rw50      uniform, half writes           burst    64 accesses in sequence at a random 4 KiB page every 400 ns
 *   depseq, deprand  seq, rand with one request outstanding */
#ifndef MEMSIM_MACHINE_PATTERN_H
#define MEMSIM_MACHINE_PATTERN_H
#include "core/diag.h"
#include "core/units.h"
#include "dram/dram.h"

typedef enum {
    PAT_SEQ,
    PAT_RAND,
    PAT_RAND64,
    PAT_TRIAD,
    PAT_STRIDE,
    PAT_PINGPONG,
    PAT_ROWCONF,
    PAT_RW50,
    PAT_BURST
} pattern_kind_t;
typedef struct pattern {
    pattern_kind_t kind;
    bool dependent;
    uint64_t access, row_stride, col_stride, cols, rows, footprint, stride, seed;
} pattern_t;
typedef struct pattern_access {
    addr_t addr;
    ps_t at_ps; /* earliest time, 0: at once */
    bool write;
} pattern_access_t;

/* False if `name` is no pattern's name; then it may be a file.  MS_INPUT faults (stride:0) go to d. */
bool pattern_parse(pattern_t *p, const char *name, const dram_spec_t *s, uint64_t seed, diag_t *d);
pattern_access_t pattern_get(const pattern_t *p, uint64_t i);
extern const char *const pattern_names; /* for messages */
#endif
