/* SPDX-License-Identifier: MIT
 * More SMs can be slower: where each warp takes a few lines of a row, twice as many warps at once bring twice as many
 * rows to a queue that does not grow, and fewer requests find theirs open. */
#include "small_h100.h"

typedef struct outcome {
    double ns, row_hits;
} outcome_t;

static outcome_t play(const char *sms, const char *step, const char *queue)
{
    char set_sms[32], set_queue[32], define[32];
    snprintf(set_sms, sizeof set_sms, "gpu.sms=%s", sms);
    snprintf(set_queue, sizeof set_queue, "memory.read_queue=%s", queue);
    snprintf(define, sizeof define, "step=%s", step);
    const char *set[] = {set_sms, set_queue};
    const char *defines[] = {define, "lanes=131072"};
    sim_t *s;
    const result_t *r =
        small_h100_play_with(&s, "tests/data/strided.trace", defines, 2, set, 2, SIM_EXACT);
    const res_level_t *dram = &r->levels[r->n_levels - 1];
    ck_assert_str_eq(dram->name, "dram");
    outcome_t out = {r->time_ns, dram->row_hit_rate};
    sim_free(s);
    return out;
}

START_TEST(twice_the_sms_are_slower_where_rows_are_lost)
{
    const outcome_t few = play("16", "256", "64"), many = play("32", "256", "64");
    ck_assert_double_lt(many.row_hits, 0.6 * few.row_hits);
    ck_assert_double_gt(many.ns, 1.1 * few.ns);
    /* A queue that sees more of them finds the rows again. */
    const outcome_t long_queue = play("32", "256", "512");
    ck_assert_double_gt(long_queue.row_hits, few.row_hits);
    ck_assert_double_lt(long_queue.ns, few.ns);
    /* A row for every request: none to lose. */
    const outcome_t far_few = play("16", "4096", "64"), far_many = play("32", "4096", "64");
    ck_assert_double_lt(far_few.row_hits, 0.05);
    ck_assert_double_le(far_many.ns, 1.02 * far_few.ns);
}
END_TEST

TEST_MAIN("more streams than rows", twice_the_sms_are_slower_where_rows_are_lost)
