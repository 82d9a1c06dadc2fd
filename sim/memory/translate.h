/* SPDX-License-Identifier: MIT
 * Address spaces.  Every access passes here once, between the coalescer and the decoding of its place: virtual
 * address in, physical address out.  Today's only mapping is the identity on one memory in pages of 2 MiB (what
 * the CUDA driver maps large allocations with), free of time.
 *
 * Buffers are laid out from address 0 upwards, each from a page of its own, so the end of the last one is what a
 * workload needs. */
#ifndef MEMSIM_MEMORY_TRANSLATE_H
#define MEMSIM_MEMORY_TRANSLATE_H
#include "core/arena.h"
#include "core/units.h"

#define TRANSLATE_PAGE_BYTES ((uint64_t)2 << 20)

typedef struct translate translate_t;
/* An identity mapping of [0, capacity_bytes) for every address space.  Lives in the arena. */
translate_t *translate_new(arena_t *a, uint64_t capacity_bytes);
/* Physical address of va in address space asid.  va must be mapped. */
addr_t translate_va(const translate_t *t, uint16_t asid, addr_t va);
/* Is every byte of [va, va + bytes) backed?  False also where the range wraps. */
bool translate_mapped(const translate_t *t, uint16_t asid, addr_t va, uint64_t bytes);

typedef struct translate_fit {
    uint64_t needed_bytes;    /* the footprint */
    uint64_t available_bytes; /* the memory */
    uint64_t shortfall_bytes; /* 0: fits */
} translate_fit_t;
/* Does a footprint (end of the last buffer) fit? */
translate_fit_t translate_fit(const translate_t *t, uint64_t footprint_bytes);
#endif
