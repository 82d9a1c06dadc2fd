/* SPDX-License-Identifier: MIT
 * Which launches can run side by side, from commands alone: hand-drawn orders of two and three streams. */
#include "machine/overlap.h"
#include "test.h"
#include <stdio.h>
#include <string.h>

/* "L0" a launch on stream 0, "C1" a device-to-device copy on stream 1, "R0e" stream 0 records event e (one letter),
 * "W1e" stream 1 waits for it, "=" a raw access, "H1" a copy from the host. */
static overlap_t *draw(const char *text)
{
    overlap_t *o = overlap_new();
    for (const char *p = text; *p;) {
        if (*p == ' ') {
            p++;
            continue;
        }
        wcmd_t c = {.kind = WC_RAW};
        char kind = *p++;
        if (kind != '=') c.stream = (uint32_t)(*p++ - '0');
        if (kind == 'L') c.kind = WC_LAUNCH;
        if (kind == 'C' || kind == 'H')
            c.kind = WC_COPY, c.bytes = 64, c.text = kind == 'C' ? "d2d" : "h2d";
        if (kind == 'R' || kind == 'W')
            c.kind = kind == 'R' ? WC_RECORD : WC_WAIT, c.event = (uint32_t)*p++;
        overlap_add(o, &c);
    }
    return o;
}

/* The groups as "1-2 4-6". */
static void expect(const char *text, const char *want)
{
    overlap_t *o = draw(text);
    char got[256] = "";
    size_t n;
    const overlap_group_t *g = overlap_groups(o, &n);
    for (size_t i = 0; i < n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u-%u", i ? " " : "", g[i].first,
                 g[i].last);
    ck_assert_msg(!strcmp(got, want), "%s: groups %s, expected %s", text, got, want);
    overlap_free(o);
}

START_TEST(one_stream_has_no_groups)
{
    expect("", "");
    expect("L0 L0 L0", "");
    expect("L5 R5a L5 W5a L5", "");
}
END_TEST

START_TEST(two_streams_without_events_are_one_group)
{
    expect("L0 L1", "1-2");
    expect("L0 L0 L1 L0", "1-4");
    /* A stream that comes late can begin when the run does. */
    expect("L0 L0 L0 L1", "1-4");
    expect("L0 C1", "1-2");
    expect("L0 H1", "");
}
END_TEST

START_TEST(events_order_streams)
{
    expect("L0 R0a W1a L1", "");
    expect("L0 R0a L0 W1a L1", "2-3"); /* the second launch is not waited for */
    expect("L0 W1a R0a L1", "1-2");    /* an event never recorded holds nobody up */
    expect("L0 R0a W1a L1 R1b W0b L0", "");
    expect("L0 R0a L1 W1a L1", "1-2"); /* the wait came after the first of stream 1 */
    expect("L0 R0a W1a W2a L1 L2", "2-3");
    /* Through a third stream that does nothing itself. */
    expect("L0 R0a W2a R2b W1b L1", "");
}
END_TEST

START_TEST(the_latest_record_counts)
{
    expect("L0 R0a L0 R0a W1a L1", "");
    expect("L0 R0a L1 R1a W0a L0", "1-2");
    expect("L0 L1 R1a W2a R0a L2", "1-3"); /* recorded again after the wait: too late for it */
}
END_TEST

START_TEST(fork_and_join_in_a_loop_gives_a_group_a_turn)
{
    const char *turn = "L0 R0a W1a L0 L1 R1b W0b L0 ";
    char text[200] = "";
    for (int i = 0; i < 3; i++) strcat(text, turn);
    expect(text, "2-3 6-7 10-11");
    /* Without the join the turns run into each other. */
    expect("L0 R0a W1a L0 L1 L0 L0 R0a W1a L0 L1 L0", "2-8");
}
END_TEST

START_TEST(raw_accesses_order_everything)
{
    expect("L0 = L1", "");
    expect("L0 L1 = L1 L0", "1-2 3-4");
}
END_TEST

TEST_MAIN("overlap of launches", one_stream_has_no_groups, two_streams_without_events_are_one_group,
          events_order_streams, the_latest_record_counts,
          fork_and_join_in_a_loop_gives_a_group_a_turn, raw_accesses_order_everything)
