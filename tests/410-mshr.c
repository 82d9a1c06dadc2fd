/* SPDX-License-Identifier: MIT
 * Miss status holding registers: lines under way, who waits for them, and how many there may be. */
#include "cache/mshr.h"
#include "test.h"

enum { LIMIT = 5, MERGES = 17 };

START_TEST(a_line_has_one_register_until_it_is_released)
{
    arena_t *a = arena_new();
    mshr_t m;
    mshr_init(&m, a, LIMIT, MERGES);
    ck_assert_ptr_null(mshr_find(&m, 42));
    mshr_entry_t *e = mshr_new(&m, 42, 0);
    ck_assert_ptr_nonnull(e);
    ck_assert_ptr_eq(mshr_find(&m, 42), e);
    ck_assert_uint_eq(e->pending, 0);
    ck_assert_uint_eq(e->waiting, 0);
    ck_assert_ptr_null(mshr_find(&m, 43));
    e->pending = 0x9;
    ck_assert_uint_eq(mshr_find(&m, 42)->pending, 0x9);
    mshr_release(&m, e);
    ck_assert_ptr_null(mshr_find(&m, 42));
    arena_free(a);
}
END_TEST

START_TEST(each_group_has_its_own_share)
{
    arena_t *a = arena_new();
    mshr_t m;
    mshr_init(&m, a, LIMIT, MERGES);
    for (uint32_t i = 0; i < LIMIT; i++) ck_assert_ptr_nonnull(mshr_new(&m, i, 0));
    ck_assert_ptr_null(mshr_new(&m, 100, 0)); /* full */
    ck_assert_ptr_null(mshr_find(&m, 100));   /* and nothing was kept of the attempt */
    for (uint32_t i = 0; i < LIMIT; i++)      /* the other group does not notice */
        ck_assert_ptr_nonnull(mshr_new(&m, 1000 + i, 1));
    ck_assert_ptr_null(mshr_new(&m, 100, 1));
    /* a place is free in the group that gave it back, and only there */
    mshr_release(&m, mshr_find(&m, 1002));
    ck_assert_ptr_null(mshr_new(&m, 100, 0));
    ck_assert_ptr_nonnull(mshr_new(&m, 100, 1));
    ck_assert_ptr_null(mshr_new(&m, 101, 1));
    mshr_release(&m, mshr_find(&m, 3));
    ck_assert_ptr_nonnull(mshr_new(&m, 101, 0));
    arena_free(a);
}
END_TEST

START_TEST(waiters_stand_in_order_and_the_list_is_bounded)
{
    arena_t *a = arena_new();
    mshr_t m;
    req_t r[MERGES + 1] = {{.id = 0}};
    mshr_init(&m, a, LIMIT, MERGES);
    mshr_entry_t *e = mshr_new(&m, 8, 0);
    for (unsigned i = 0; i < MERGES; i++) ck_assert(mshr_wait(&m, e, &r[i]));
    ck_assert(!mshr_wait(&m, e, &r[MERGES]));
    /* another line has a list of its own */
    mshr_entry_t *f = mshr_new(&m, 9, 0);
    ck_assert(mshr_wait(&m, f, &r[MERGES]));
    ck_assert_uint_eq(mshr_find(&m, 8)->waiting, MERGES);
    mshr_queue_t q = mshr_call(f);
    ck_assert_ptr_eq(mshr_next(&m, &q), &r[MERGES]);
    ck_assert_ptr_null(mshr_next(&m, &q));
    q = mshr_call(e);
    for (unsigned i = 0; i < MERGES; i++) {
        ck_assert_ptr_eq(mshr_next(&m, &q), &r[i]);
        if (i % 2) mshr_wait_on(&m, e, &r[i]); /* it goes on waiting while others are called */
    }
    ck_assert_ptr_null(mshr_next(&m, &q));
    q = mshr_call(e);
    for (unsigned i = 1; i < MERGES; i += 2) ck_assert_ptr_eq(mshr_next(&m, &q), &r[i]);
    ck_assert_ptr_null(mshr_next(&m, &q));
    arena_free(a);
}
END_TEST

/* Releases move other registers: whatever the order, everyone is found with what it had. */
START_TEST(random_use_agrees_with_a_plain_table)
{
    enum { N = 48, LINES = 300 };
    arena_t *a = arena_new();
    mshr_t m;
    mshr_init(&m, a, N, 1000);
    req_t *waiter = calloc(LINES, sizeof *waiter);
    struct {
        bool here;
        unsigned group;
        uint8_t pending;
    } t[LINES] = {{false, 0, 0}};
    unsigned used[2] = {0, 0};
    uint64_t x = 3;
    for (unsigned i = 0; i < 200000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t k = (uint32_t)(x >> 33) % LINES, line = k * 2048; /* numbers that share low bits */
        unsigned group = (unsigned)(x >> 63);
        mshr_entry_t *e = mshr_find(&m, line);
        ck_assert_int_eq(e != NULL, t[k].here);
        if (e) {
            ck_assert_uint_eq(e->pending, t[k].pending);
            ck_assert_uint_eq(e->group, t[k].group);
            mshr_queue_t q = mshr_call(e);
            ck_assert_ptr_eq(mshr_next(&m, &q), &waiter[k]);
            ck_assert_ptr_null(mshr_next(&m, &q));
            mshr_release(&m, e);
            t[k].here = false;
            used[t[k].group]--;
            continue;
        }
        e = mshr_new(&m, line, group);
        ck_assert_int_eq(e != NULL, used[group] < N);
        if (!e) continue;
        used[group]++;
        t[k].here = true;
        t[k].group = group;
        t[k].pending = e->pending = (uint8_t)(x >> 50);
        ck_assert(mshr_wait(&m, e, &waiter[k]));
    }
    free(waiter);
    arena_free(a);
}
END_TEST

TEST_MAIN("mshr", a_line_has_one_register_until_it_is_released, each_group_has_its_own_share,
          waiters_stand_in_order_and_the_list_is_bounded, random_use_agrees_with_a_plain_table)
