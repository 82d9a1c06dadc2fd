/* SPDX-License-Identifier: MIT
 * The identity mapping. */
#include "memory/translate.h"
#include <assert.h>

struct translate {
    uint64_t capacity_bytes;
};

translate_t *translate_new(arena_t *a, uint64_t capacity_bytes)
{
    translate_t *t = arena_array(a, translate_t, 1);
    t->capacity_bytes = capacity_bytes;
    return t;
}

bool translate_mapped(const translate_t *t, uint16_t asid, addr_t va, uint64_t bytes)
{
    (void)asid; /* every address space sees the same pages */
    return va <= t->capacity_bytes && bytes <= t->capacity_bytes - va;
}

addr_t translate_va(const translate_t *t, uint16_t asid, addr_t va)
{
    assert(translate_mapped(t, asid, va, 1));
    (void)t;
    (void)asid;
    return va;
}

translate_fit_t translate_fit(const translate_t *t, uint64_t footprint_bytes)
{
    translate_fit_t f = {.needed_bytes = footprint_bytes, .available_bytes = t->capacity_bytes};
    if (footprint_bytes > t->capacity_bytes)
        f.shortfall_bytes = footprint_bytes - t->capacity_bytes;
    return f;
}
