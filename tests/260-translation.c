/* SPDX-License-Identifier: MIT
 * The translation stage: the identity, and what it says about ranges that do not exist. */
#include "memory/translate.h"
#include "test.h"

START_TEST(every_address_of_the_memory_maps_to_itself)
{
    arena_t *a = arena_new();
    const uint64_t sizes[] = {1, TRANSLATE_PAGE_BYTES, (uint64_t)80 << 30};
    for (unsigned s = 0; s < 3; s++) {
        translate_t *t = translate_new(a, sizes[s]);
        for (addr_t va = 0; va < sizes[s]; va = va * 3 + 1)
            ck_assert_uint_eq(translate_va(t, 7, va), va);
        ck_assert_uint_eq(translate_va(t, 0, sizes[s] - 1), sizes[s] - 1);
    }
    arena_free(a);
}
END_TEST

START_TEST(ranges_are_checked_to_the_byte_and_do_not_wrap)
{
    arena_t *a = arena_new();
    translate_t *t = translate_new(a, 4096);
    ck_assert(translate_mapped(t, 0, 0, 4096));
    ck_assert(translate_mapped(t, 0, 4095, 1));
    ck_assert(!translate_mapped(t, 0, 4095, 2));
    ck_assert(!translate_mapped(t, 0, 4096, 1));
    ck_assert(!translate_mapped(t, 0, UINT64_MAX, 2));
    ck_assert(!translate_mapped(t, 0, 1, UINT64_MAX));
    arena_free(a);
}
END_TEST

START_TEST(a_footprint_fits_or_says_how_much_is_missing)
{
    arena_t *a = arena_new();
    translate_t *t = translate_new(a, (uint64_t)80 << 30);
    translate_fit_t f = translate_fit(t, (uint64_t)80 << 30);
    ck_assert_uint_eq(f.shortfall_bytes, 0);
    f = translate_fit(t, ((uint64_t)80 << 30) + 5);
    ck_assert_uint_eq(f.shortfall_bytes, 5);
    ck_assert_uint_eq(f.available_bytes, (uint64_t)80 << 30);
    ck_assert_uint_eq(f.needed_bytes, ((uint64_t)80 << 30) + 5);
    arena_free(a);
}
END_TEST

TEST_MAIN("translation", every_address_of_the_memory_maps_to_itself,
          ranges_are_checked_to_the_byte_and_do_not_wrap,
          a_footprint_fits_or_says_how_much_is_missing)
