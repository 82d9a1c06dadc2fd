/* SPDX-License-Identifier: MIT
 * Sectored tags: what is found, what is pushed out and with which sectors.  Right answers are hand counts; random
 * sequences are judged by a second model that keeps lists. */
#include "cache/tags.h"
#include "test.h"

enum { SETS = 4, WAYS = 3 };

static tags_t make(arena_t *a, uint32_t sets, uint32_t ways, repl_t repl)
{
    tags_t t;
    tags_init(&t, a, sets, ways, repl, 7);
    return t;
}

/* Fill `line` into `set`; the victim must be `want` (TAGS_NONE: an empty way). */
static uint32_t fill(tags_t *t, uint32_t set, uint32_t line, uint32_t want)
{
    tags_victim_t v;
    uint32_t slot = tags_fill(t, set, line, &v);
    ck_assert_msg(v.line == want, "line %u pushed out %u, not %u", line, v.line, want);
    ck_assert_uint_eq(tags_find(t, set, line), slot);
    return slot;
}

START_TEST(an_empty_cache_finds_nothing)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    for (uint32_t set = 0; set < SETS; set++)
        for (uint32_t line = 0; line < 100; line++)
            ck_assert_uint_eq(tags_find(&t, set, line), TAGS_NONE);
    arena_free(a);
}
END_TEST

START_TEST(a_new_line_has_no_sectors)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    uint32_t s = fill(&t, 1, 10, TAGS_NONE);
    ck_assert_uint_eq(tags_state(&t, s)->valid, 0);
    ck_assert_uint_eq(tags_state(&t, s)->dirty, 0);
    tags_state(&t, s)->valid = 0x5; /* sectors come one by one */
    tags_state(&t, s)->valid |= 0x2;
    ck_assert_uint_eq(tags_state(&t, tags_find(&t, 1, 10))->valid, 0x7);
    ck_assert_uint_eq(tags_find(&t, 0, 10), TAGS_NONE); /* another set does not have it */
    arena_free(a);
}
END_TEST

START_TEST(the_line_longest_untouched_goes_first)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    fill(&t, 2, 10, TAGS_NONE);
    fill(&t, 2, 20, TAGS_NONE);
    fill(&t, 2, 30, TAGS_NONE);
    fill(&t, 3, 40, TAGS_NONE); /* the other sets keep their room */
    tags_touch(&t, tags_find(&t, 2, 10));
    fill(&t, 2, 50, 20);
    tags_touch(&t, tags_find(&t, 2, 30));
    fill(&t, 2, 60, 10);
    fill(&t, 2, 70, 50);
    fill(&t, 2, 80, 30);
    arena_free(a);
}
END_TEST

START_TEST(first_in_first_out_does_not_care_for_touches)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_FIFO);
    fill(&t, 0, 1, TAGS_NONE);
    fill(&t, 0, 2, TAGS_NONE);
    fill(&t, 0, 3, TAGS_NONE);
    for (unsigned i = 0; i < 5; i++) tags_touch(&t, tags_find(&t, 0, 1));
    fill(&t, 0, 4, 1);
    fill(&t, 0, 5, 2);
    fill(&t, 0, 6, 3);
    fill(&t, 0, 7, 4);
    arena_free(a);
}
END_TEST

START_TEST(random_choice_fills_empty_ways_first_and_then_hits_all)
{
    arena_t *a = arena_new();
    enum { N = 8, ROUNDS = 8000 };
    tags_t t = make(a, 1, N, REPL_RANDOM);
    uint32_t slot_of[N + ROUNDS], count[N] = {0}, last = 0, neighbours = 0;
    for (uint32_t i = 0; i < N; i++) slot_of[i] = fill(&t, 0, i, TAGS_NONE);
    for (uint32_t i = N; i < N + ROUNDS; i++) {
        tags_victim_t v;
        slot_of[i] = tags_fill(&t, 0, i, &v);
        ck_assert_uint_eq(slot_of[v.line], slot_of[i]); /* the victim was there */
        count[slot_of[i] % N]++;
        neighbours += slot_of[i] == (last + 1) % N;
        last = slot_of[i];
    }
    /* 1000 each; the standard deviation of a binomial is 30.  As often the next way follows, in no order. */
    ck_assert_msg(neighbours > 850 && neighbours < 1150, "the next way followed %u times",
                  neighbours);
    for (unsigned w = 0; w < N; w++)
        ck_assert_msg(count[w] > 850 && count[w] < 1150, "way %u was chosen %u times of %u", w,
                      count[w], ROUNDS);
    arena_free(a);
}
END_TEST

START_TEST(a_victim_says_which_of_its_sectors_are_dirty)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, 1, REPL_LRU);
    uint32_t s = fill(&t, 1, 5, TAGS_NONE);
    tags_state(&t, s)->valid = 0xb;
    tags_state(&t, s)->dirty = 0x2;
    tags_state(&t, s)->flag = 1;
    tags_victim_t v;
    s = tags_fill(&t, 1, 9, &v);
    ck_assert_uint_eq(v.line, 5);
    ck_assert_uint_eq(v.valid, 0xb);
    ck_assert_uint_eq(v.dirty, 0x2);
    ck_assert_uint_eq(v.flag, 1);
    ck_assert_uint_eq(tags_state(&t, s)->valid | tags_state(&t, s)->dirty | tags_state(&t, s)->flag,
                      0); /* nothing is inherited */
    arena_free(a);
}
END_TEST

START_TEST(a_dropped_line_is_gone_and_its_way_is_used_next)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    fill(&t, 0, 1, TAGS_NONE);
    uint32_t two = fill(&t, 0, 2, TAGS_NONE);
    fill(&t, 0, 3, TAGS_NONE);
    tags_state(&t, two)->dirty = 0xf;
    tags_drop(&t, two);
    ck_assert_uint_eq(tags_find(&t, 0, 2), TAGS_NONE);
    ck_assert_uint_eq(fill(&t, 0, 4, TAGS_NONE), two);
    fill(&t, 0, 5, 1);
    tags_clear(&t);
    for (uint32_t line = 0; line < 6; line++) ck_assert_uint_eq(tags_find(&t, 0, line), TAGS_NONE);
    fill(&t, 0, 1, TAGS_NONE);
    arena_free(a);
}
END_TEST

START_TEST(what_was_forgotten_stays_so_after_any_number_of_touches)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    for (uint32_t set = 0; set < SETS; set++) fill(&t, set, 100 + set, TAGS_NONE);
    tags_clear(&t);
    t.sets = 1; /* as an L1 whose array becomes shared memory */
    uint32_t slot = fill(&t, 0, 1, TAGS_NONE);
    for (unsigned i = 0; i < 200000; i++) tags_touch(&t, slot);
    tags_clear(&t);
    t.sets = SETS;
    for (uint32_t set = 0; set < SETS; set++) {
        ck_assert_uint_eq(tags_find(&t, set, 100 + set), TAGS_NONE);
        fill(&t, set, 200 + set, TAGS_NONE);
    }
    arena_free(a);
}
END_TEST

START_TEST(oldest_dirty_way_of_a_set_but_one)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, REPL_LRU);
    uint32_t n, s[3];
    for (uint32_t i = 0; i < 3; i++) s[i] = fill(&t, 1, 10 + i, TAGS_NONE);
    ck_assert_uint_eq(tags_oldest_dirty(&t, 1, TAGS_NONE, &n), TAGS_NONE);
    ck_assert_uint_eq(n, 0);
    tags_state(&t, s[1])->dirty = 0x1;
    tags_state(&t, s[2])->dirty = 0x8;
    ck_assert_uint_eq(tags_oldest_dirty(&t, 1, TAGS_NONE, &n), s[1]);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(tags_oldest_dirty(&t, 1, s[1], &n), s[2]); /* it counts, but is not given */
    ck_assert_uint_eq(n, 2);
    tags_touch(&t, s[1]);
    ck_assert_uint_eq(tags_oldest_dirty(&t, 1, TAGS_NONE, &n), s[2]);
    ck_assert_uint_eq(tags_oldest_dirty(&t, 0, TAGS_NONE, &n), TAGS_NONE); /* another set */
    ck_assert_uint_eq(n, 0);
    arena_free(a);
}
END_TEST

START_TEST(consecutive_lines_fill_all_sets_evenly)
{
    static const uint32_t sets[] = {1, 2, 5, 64, 100, 128, 1000};
    arena_t *a = arena_new();
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        tags_t t = make(a, sets[i], 1, REPL_LRU);
        for (uint32_t start = 0; start < 5 * sets[i]; start += sets[i]) { /* any turn of them */
            bool seen[1000] = {false};
            for (uint32_t k = 0; k < sets[i]; k++) {
                uint32_t s = tags_set(&t, start + k);
                ck_assert_uint_lt(s, sets[i]);
                ck_assert(!seen[s]);
                seen[s] = true;
            }
        }
    }
    arena_free(a);
}
END_TEST

START_TEST(strides_of_a_power_of_two_use_all_sets)
{
    arena_t *a = arena_new();
    enum { N = 64 };
    tags_t t = make(a, N, 1, REPL_LRU);
    /* every N-th line: the sets rotate by 7, which is prime to N, so N of them are all different */
    for (uint32_t stride = N; stride <= 4 * N; stride *= 2) {
        unsigned count[N] = {0}, used = 0;
        for (uint32_t k = 0; k < N; k++) used += !count[tags_set(&t, k * stride)]++;
        ck_assert_uint_eq(used, N / (stride / N));
    }
    /* the largest line numbers stay inside */
    for (uint32_t k = 0; k < 1000; k++) ck_assert_uint_lt(tags_set(&t, UINT32_MAX - k), N);
    arena_free(a);
}
END_TEST

/* ---- a second model: a list of lines a set, the next victim in front ---- */
typedef struct list {
    uint32_t line[WAYS];
    uint8_t dirty[WAYS];
    unsigned n;
} list_t;

static unsigned place(const list_t *l, uint32_t line)
{
    unsigned i = 0;
    while (i < l->n && l->line[i] != line) i++;
    return i;
}

static void to_end(list_t *l, unsigned i)
{
    uint32_t line = l->line[i];
    uint8_t dirty = l->dirty[i];
    for (; i + 1 < l->n; i++) l->line[i] = l->line[i + 1], l->dirty[i] = l->dirty[i + 1];
    l->line[i] = line;
    l->dirty[i] = dirty;
}

static void against_lists(repl_t repl)
{
    arena_t *a = arena_new();
    tags_t t = make(a, SETS, WAYS, repl);
    list_t l[SETS] = {{{0}, {0}, 0}};
    uint64_t x = 99;
    for (unsigned i = 0; i < 100000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t line = (uint32_t)(x >> 40) % 40, set = tags_set(&t, line);
        uint8_t mark = (uint8_t)(x >> 60);
        list_t *m = &l[set];
        if ((x >> 20) % 3000 == 0) { /* all are forgotten; what they were is not there any more */
            tags_clear(&t);
            for (unsigned k = 0; k < SETS; k++) l[k].n = 0;
        }
        unsigned at = place(m, line);
        uint32_t slot = tags_find(&t, set, line);
        ck_assert_int_eq(slot != TAGS_NONE, at < m->n);
        if (at < m->n) {
            ck_assert_uint_eq(tags_state(&t, slot)->dirty, m->dirty[at]);
            tags_touch(&t, slot);
            m->dirty[at] |= mark;
            tags_state(&t, slot)->dirty |= mark & TAGS_SECTORS;
            if (repl == REPL_LRU) to_end(m, at);
            continue;
        }
        uint32_t want = m->n == WAYS ? m->line[0] : TAGS_NONE;
        uint8_t want_dirty = m->n == WAYS ? m->dirty[0] : 0;
        tags_victim_t v;
        slot = tags_fill(&t, set, line, &v);
        ck_assert_uint_eq(v.line, want);
        ck_assert_uint_eq(v.dirty, want_dirty);
        if (m->n == WAYS)
            to_end(m, 0);
        else
            m->n++;
        m->line[m->n - 1] = line;
        m->dirty[m->n - 1] = mark;
        tags_state(&t, slot)->dirty = mark & TAGS_SECTORS;
    }
    arena_free(a);
}

START_TEST(random_sequences_agree_with_lists)
{
    against_lists(REPL_LRU);
    against_lists(REPL_FIFO);
}
END_TEST

TEST_MAIN("tags", an_empty_cache_finds_nothing, a_new_line_has_no_sectors,
          the_line_longest_untouched_goes_first, first_in_first_out_does_not_care_for_touches,
          random_choice_fills_empty_ways_first_and_then_hits_all,
          a_victim_says_which_of_its_sectors_are_dirty,
          a_dropped_line_is_gone_and_its_way_is_used_next,
          what_was_forgotten_stays_so_after_any_number_of_touches,
          oldest_dirty_way_of_a_set_but_one, consecutive_lines_fill_all_sets_evenly,
          strides_of_a_power_of_two_use_all_sets, random_sequences_agree_with_lists)
