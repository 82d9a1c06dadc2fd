/* SPDX-License-Identifier: MIT
 * Every example of docs/trace-format.md is read and played to its end, and every word of its tables is a word of
 * the language. */
#include "test.h"
#include "trace_open.h"
#include "trace_walk.h"

static char *document(void)
{
    FILE *f = fopen("docs/trace-format.md", "r");
    if (!f) ck_abort_msg("docs/trace-format.md is missing");
    static char text[65536];
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    ck_assert_uint_lt(n, sizeof text - 1);
    text[n] = 0;
    return text;
}

/* Play `text`; returns the number of commands. */
static unsigned played(const char *text)
{
    workload_t *w = open_good(text);
    unsigned n = 0;
    for (wcmd_t c = next_command(w); c.kind != WC_END; c = next_command(w), n++) {
        if (c.kind != WC_LAUNCH) continue;
        const kernel_t *k = kernel_of(w, &c);
        walk_t s = {0};
        int64_t v[V_COUNT] = {
            0}; /* one warp is enough to see that the program runs and stays inside */
        walk_warp(k, v, 32, &s);
        ck_assert_uint_gt(s.steps, 0);
        ck_assert_uint_eq(s.outside, 0);
    }
    workload_free(w);
    return n;
}

static unsigned examples(const char *fence, unsigned *commands)
{
    unsigned n = 0;
    char *at = document();
    while ((at = strstr(at, fence))) {
        at += strlen(fence);
        char *end = strstr(at, "```");
        ck_assert_ptr_nonnull(end);
        *end = 0;
        *commands += played(at);
        at = end + 1;
        n++;
    }
    return n;
}

START_TEST(every_example_plays)
{
    unsigned commands = 0;
    ck_assert_uint_eq(examples("```trace\n", &commands), 3);
    /* 1 launch; 2 launches; copy, mark, 3 x (graph, 4 launches, end, record or collective), wait, copy, 2 accesses */
    ck_assert_uint_eq(commands, 1 + 2 + 2 + 3 * 7 + 4);
}
END_TEST

START_TEST(raw_example_plays)
{
    unsigned commands = 0;
    ck_assert_uint_eq(examples("```raw\n", &commands), 1);
    ck_assert_uint_eq(commands, 3);
}
END_TEST

START_TEST(units_of_the_language_are_the_units_of_the_machine)
{
    const char *doc = document();
    for (int i = 0; i < UNIT_COUNT; i++)
        ck_assert_msg(strstr(doc, unit_names[i]) != NULL, "%s is not documented", unit_names[i]);
}
END_TEST

TEST_MAIN("trace documentation", every_example_plays, raw_example_plays,
          units_of_the_language_are_the_units_of_the_machine)
