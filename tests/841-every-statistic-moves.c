/* SPDX-License-Identifier: MIT
 * No dead statistics: over the reference runs every counter of every table moves, or it counts something that
 * must never happen and its table has no business in the output. */
#include "reference.h"
#include "test.h"

#define TABLES_MAX 64
#define ROWS_MAX 128
typedef struct seen {
    const stat_table_t *table[TABLES_MAX];
    bool moved[TABLES_MAX][ROWS_MAX];
    size_t n;
} seen_t;

static void look(void *ctx, const stat_table_t *t, const void *values)
{
    seen_t *s = ctx;
    size_t i = 0;
    while (i < s->n && s->table[i] != t) i++;
    ck_assert_uint_lt(i, TABLES_MAX);
    ck_assert_uint_le(t->n, ROWS_MAX);
    if (i == s->n) s->table[s->n++] = t;
    for (size_t k = 0; k < t->n; k++) s->moved[i][k] |= stat_get(&t->rows[k], values) != 0;
}

START_TEST(every_statistic_moves_in_some_run)
{
    static seen_t seen;
    /* One more -s each: rarely used ways of doing things. */
    static const char *const variant[] = {NULL,
                                          "l2.replicate=no",
                                          "l2.write=through",
                                          "l2.partial_write=fetch",
                                          "l1.write=through_allocate",
                                          "l2.mshrs=4",
                                          "l2.merges=1",
                                          "gpu.loads_per_sm=4",
                                          "gpu.stores_per_sm=2",
                                          "xbar.gpc_bytes_per_clk=64"};
    for (size_t i = 0; i < sizeof variant / sizeof *variant; i++)
        ck_assert_msg(reference_gpu(variant[i], look, &seen).rc == MS_OK, "%s",
                      variant[i] ? variant[i] : "reference");
    for (size_t f = 0; f < REFERENCE_DRAM; f++)
        for (size_t p = 0; p < REFERENCE_PATTERNS; p++)
            ck_assert_int_eq(reference_alone(f, p, NULL, look, &seen).rc, MS_OK);
    ck_assert_uint_ge(seen.n, 4);
    int dead = 0;
    size_t rows = 0;
    for (size_t i = 0; i < seen.n; i++)
        for (size_t k = 0; k < seen.table[i]->n; k++) {
            rows++;
            if (seen.moved[i][k]) continue;
            fprintf(stderr, "%s.%s never moves\n", seen.table[i]->component,
                    seen.table[i]->rows[k].name);
            dead++;
        }
    ck_assert_uint_ge(rows, 30);
    ck_assert_int_eq(dead, 0);
}
END_TEST

TEST_MAIN("every statistic moves", every_statistic_moves_in_some_run)
