/* SPDX-License-Identifier: MIT */
#include "core/stat_banks.h"
#include <assert.h>
#include <string.h>

void stat_banks_init(stat_banks_t *b, arena_t *a, void *st, size_t bytes)
{
    *b = (stat_banks_t){.arena = a, .st = st, .bytes = bytes};
}

void stat_banks_swap(stat_banks_t *b, unsigned bank)
{
    assert(bank < STAT_BANKS && b->arena);
    if (!b->parked) b->parked = arena_array(b->arena, void *, STAT_BANKS);
    void **from = &b->parked[b->now], **to = &b->parked[bank];
    if (!*from) *from = arena_alloc(b->arena, b->bytes);
    if (!*to) *to = arena_alloc(b->arena, b->bytes);
    memcpy(*from, b->st, b->bytes);
    memcpy(b->st, *to, b->bytes);
    b->now = bank;
}

const void *stat_bank(const stat_banks_t *b, unsigned bank)
{
    if (b->now == bank) return b->st;
    return b->parked ? b->parked[bank] : NULL;
}

void stat_bank_add(const stat_banks_t *b, const stat_table_t *t, unsigned bank, void *into)
{
    const void *from = stat_bank(b, bank);
    if (from) stat_accumulate(t, into, from);
}

void stat_banks_add_all(const stat_banks_t *b, const stat_table_t *t, void *into)
{
    stat_accumulate(t, into, b->st);
    for (unsigned i = 0; b->parked && i < STAT_BANKS; i++)
        if (i != b->now && b->parked[i]) stat_accumulate(t, into, b->parked[i]);
}
