/* SPDX-License-Identifier: MIT
 * Counters of a component kept apart by who caused them.  The component counts in its own struct, as ever; before
 * it serves a request it names the bank the request is charged to.  Another bank's counters are parked meanwhile,
 * so counting costs nothing extra and a run whose kernels never overlap stays in bank 0 throughout. */
#ifndef MEMSIM_CORE_STAT_BANKS_H
#define MEMSIM_CORE_STAT_BANKS_H
#include "core/arena.h"
#include "core/stats.h"

#define STAT_BANKS 256 /* bank 0 and one for each kernel or copy under way */

typedef struct stat_banks {
    arena_t *arena;
    void *st; /* the component's counters: those of bank `now` */
    size_t bytes;
    uint32_t now;
    void **parked; /* [STAT_BANKS], made when first needed; NULL: nothing counted there yet */
} stat_banks_t;

/* `st` (of `bytes`) outlives b and begins as bank 0. */
void stat_banks_init(stat_banks_t *b, arena_t *a, void *st, size_t bytes);
void stat_banks_swap(stat_banks_t *b, unsigned bank); /* use stat_charge */
static inline void stat_charge(stat_banks_t *b, unsigned bank)
{
    if (b->now != bank) stat_banks_swap(b, bank);
}
/* Counters of one bank; NULL: it has counted nothing. */
const void *stat_bank(const stat_banks_t *b, unsigned bank);
/* into += the counters of one bank, or of all. */
void stat_bank_add(const stat_banks_t *b, const stat_table_t *t, unsigned bank, void *into);
void stat_banks_add_all(const stat_banks_t *b, const stat_table_t *t, void *into);
#endif
