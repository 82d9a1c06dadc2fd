/* SPDX-License-Identifier: MIT
 * An L2 of two partitions: what crosses the link, what is kept on the near side, and what a store does to the
 * copies.  Slice 0 is home; requests arrive at it (near) or at its twin (far). */
#include "slice_rig.h"

enum { HOME = 0, AWAY = 1 };

static ps_t alone(slice_rig_t *g, req_kind_t kind, uint32_t line, uint8_t sectors, unsigned at)
{
    return slice_rig_alone(g, kind, line, sectors, 0, at, HOME);
}

static l2_param_t two(void)
{
    l2_param_t p = slice_rig_param();
    p.partitions = p.slices = 2;
    p.size *= 2;
    return p;
}

static unsigned count(uint8_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static ps_t hit_ps(uint8_t s)
{
    return slice_rig_port_ps(0) + HIT_PS + slice_rig_port_ps(count(s));
}
static ps_t miss_ps(uint8_t s)
{
    return hit_ps(s) - HIT_PS + TO_PS + MEMORY_PS + FROM_PS;
}
/* What the way over the link and back adds: an address there, the sectors back. */
static ps_t link_ps(uint8_t s)
{
    return 2 * PEER_PS + slice_rig_link_ps(0) + slice_rig_link_ps(count(s));
}

START_TEST(a_far_access_adds_the_link_both_ways)
{
    static const uint8_t masks[] = {0x1, 0x3, 0xf};
    for (unsigned i = 0; i < 3; i++) {
        uint8_t m = masks[i];
        slice_rig_t g;
        l2_param_t p = two();
        slice_rig_open(&g, &p, true);
        ck_assert_int_eq(alone(&g, REQ_READ, 5, m, AWAY), miss_ps(m) + link_ps(m)); /* far miss */
        ck_assert_int_eq(alone(&g, REQ_READ, 5, m, AWAY), hit_ps(m)); /* kept on the near side */
        ck_assert_int_eq(alone(&g, REQ_READ, 5, m, HOME), hit_ps(m)); /* and at home */
        ck_assert_int_eq(alone(&g, REQ_READ, 6, m, HOME), miss_ps(m));
        ck_assert_int_eq(alone(&g, REQ_READ, 6, m, AWAY), hit_ps(m) + link_ps(m)); /* far hit */
        ck_assert_uint_eq(g.memory_reads, 2);
        ck_assert_uint_eq(g.slice[HOME].st.far_reads, 2);
        ck_assert_uint_eq(g.slice[HOME].st.far_hits, 1);
        ck_assert_uint_eq(g.slice[AWAY].st.reads, 3);
        ck_assert_uint_eq(g.slice[AWAY].st.hits, 1);
        ck_assert_uint_eq(g.slice[AWAY].st.misses, 2);
        ck_assert_uint_eq(g.slice[HOME].st.peer_bytes, 2 * 32 * count(m));
        slice_rig_close(&g);
    }
}
END_TEST

START_TEST(without_copies_every_far_read_crosses)
{
    slice_rig_t g;
    l2_param_t p = two();
    p.replicate = false;
    slice_rig_open(&g, &p, true);
    ck_assert_int_eq(alone(&g, REQ_READ, 5, 0x3, AWAY), miss_ps(0x3) + link_ps(0x3));
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(alone(&g, REQ_READ, 5, 0x3, AWAY), hit_ps(0x3) + link_ps(0x3));
    ck_assert_uint_eq(g.slice[HOME].st.far_reads, 4);
    ck_assert_uint_eq(g.slice[HOME].st.far_hits, 3);
    slice_rig_close(&g);
}
END_TEST

START_TEST(only_missing_sectors_cross)
{
    slice_rig_t g;
    l2_param_t p = two();
    slice_rig_open(&g, &p, true);
    alone(&g, REQ_READ, 5, 0x3, AWAY);
    alone(&g, REQ_READ, 5, 0xf, HOME);
    ck_assert_uint_eq(g.last_read, 0xc);
    uint64_t before = g.slice[HOME].st.peer_bytes;
    alone(&g, REQ_READ, 5, 0xf, AWAY); /* sectors 2 and 3 are there now, at home */
    ck_assert_uint_eq(g.slice[HOME].st.peer_bytes - before, 64);
    ck_assert_uint_eq(g.memory_reads, 2);
    slice_rig_close(&g);
}
END_TEST

START_TEST(a_store_goes_home_and_drops_the_copy_it_passes)
{
    slice_rig_t g;
    l2_param_t p = two();
    slice_rig_open(&g, &p, true);
    alone(&g, REQ_READ, 5, 0xf, AWAY);
    ps_t t = alone(&g, REQ_WRITE, 5, 0x3, AWAY);
    /* in with its data, over the link with it, a word back */
    ck_assert_int_eq(t, slice_rig_port_ps(2) + slice_rig_link_ps(2) + slice_rig_link_ps(0) +
                            2 * PEER_PS + slice_rig_port_ps(0));
    ck_assert_uint_eq(g.slice[AWAY].st.invalidations, 1);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[AWAY]), 0);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[HOME]), 64);
    ck_assert_int_eq(alone(&g, REQ_READ, 5, 0xf, AWAY), hit_ps(0xf) + link_ps(0xf));
    ck_assert_uint_eq(g.memory_reads, 1);
    slice_rig_close(&g);
}
END_TEST

START_TEST(a_store_at_home_drops_the_copy_beyond_the_link)
{
    slice_rig_t g;
    l2_param_t p = two();
    slice_rig_open(&g, &p, true);
    alone(&g, REQ_READ, 5, 0xf, AWAY);
    ck_assert_int_eq(alone(&g, REQ_READ, 5, 0xf, AWAY), hit_ps(0xf));
    alone(&g, REQ_WRITE, 5, 0x1, HOME);
    ck_assert_uint_eq(g.slice[AWAY].st.invalidations, 1);
    ck_assert_int_eq(alone(&g, REQ_READ, 5, 0xf, AWAY), hit_ps(0xf) + link_ps(0xf));
    alone(&g, REQ_WRITE, 6, 0x1, HOME); /* nobody has a copy of this one */
    ck_assert_uint_eq(g.slice[AWAY].st.invalidations, 1);
    slice_rig_close(&g);
}
END_TEST

START_TEST(atomics_are_done_at_home)
{
    slice_rig_t g;
    l2_param_t p = two();
    slice_rig_open(&g, &p, true);
    alone(&g, REQ_READ, 5, 0x1, AWAY);
    ps_t t = alone(&g, REQ_ATOMIC, 5, 0x1, AWAY);
    ck_assert_int_eq(t, slice_rig_port_ps(1) + slice_rig_link_ps(1) + PEER_PS + HIT_PS + 2000 +
                            slice_rig_link_ps(1) + PEER_PS + slice_rig_port_ps(1));
    ck_assert_uint_eq(g.slice[HOME].st.atomics, 1);
    ck_assert_uint_eq(g.slice[AWAY].st.atomics, 0);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[HOME]), 32);
    ck_assert_uint_eq(g.slice[AWAY].st.invalidations, 1);
    slice_rig_close(&g);
}
END_TEST

/* Each side full of requests that wait for the other's answers: shares by group keep them from waiting for ever. */
START_TEST(two_sides_that_miss_in_each_other_go_on)
{
    slice_rig_t g;
    l2_param_t p = two();
    p.mshrs = 1;
    slice_rig_open(&g, &p, true);
    enum { N = 40 };
    for (uint32_t i = 0; i < N; i++) {
        slice_rig_send(&g, REQ_READ, 2 * i, 0x1, 0, AWAY, HOME, 0);
        slice_rig_send(&g, REQ_READ, 2 * i + 1, 0x1, 0, HOME, AWAY, 0);
    }
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, 2 * N);
    ck_assert_uint_eq(g.memory_reads, 2 * N);
    slice_rig_close(&g);
}
END_TEST

/* Random reads, stores and atomics from both sides, with few registers: everything asked is answered once, and the
 * counters agree with what the memory saw. */
START_TEST(nothing_is_lost_between_the_partitions)
{
    slice_rig_t g;
    l2_param_t p = two();
    p.size = 2 * 128 * 4 * 2; /* two sets a slice */
    p.mshrs = 3;
    p.merges = 2;
    p.writebacks = 2;
    slice_rig_open(&g, &p, true);
    enum { N = 4000, LINES = 40 };
    uint64_t x = 17;
    unsigned stores = 0, reads = 0;
    for (unsigned i = 0; i < N; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t line = (uint32_t)(x >> 33) % LINES;
        unsigned what = (unsigned)(x >> 60) % 4;
        req_kind_t kind = what == 0 ? REQ_WRITE : what == 1 ? REQ_ATOMIC : REQ_READ;
        slice_rig_send(&g, kind, line, (uint8_t)(1 + (x >> 50) % 15), 0, (unsigned)(x >> 63),
                       line % 2, (ps_t)i * 3000);
        stores += kind == REQ_WRITE;
        reads += kind == REQ_READ;
    }
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, N);
    l2_stats_t t = {0};
    for (unsigned i = 0; i < 2; i++) stat_accumulate(&l2_stat_table, &t, &g.slice[i].st);
    ck_assert_uint_eq(t.writes, stores);
    ck_assert_uint_eq(t.reads, reads);
    ck_assert_uint_eq(t.reads, t.hits + t.misses + t.merged);
    ck_assert_uint_eq(t.atomics, N - stores - reads);
    ck_assert_uint_eq(t.memory_read_bytes, 32 * (uint64_t)g.memory_read_sectors);
    ck_assert_uint_eq(t.memory_write_bytes, 32 * (uint64_t)g.memory_write_sectors);
    ck_assert_uint_gt(t.invalidations, 0);
    slice_rig_close(&g);
}
END_TEST

/* The link carries answers of far hits, whose data come a hit's time later, and requests that can go at once: the
 * second do not stand behind the first.  Nor do answers from afar behind near hits at the reply port. */
START_TEST(what_can_go_does_not_wait_for_data_to_come)
{
    for (unsigned hop = 0; hop < 2; hop++) {
        slice_rig_t g;
        l2_param_t p = two();
        slice_rig_open(&g, &p, hop);
        alone(&g, REQ_READ, 4, 0xf, HOME);
        ps_t t = engine_now(g.engine) + 1000000;
        g.n_replies = 0;
        /* slice 0 answers its twin, and 6 ns later (its answer takes the link 4.25) misses in a line whose home is the twin */
        slice_rig_send(&g, REQ_READ, 4, 0xf, 0, AWAY, HOME, t);
        req_t *r = slice_rig_send(&g, REQ_READ, 5, 0x1, 0, HOME, AWAY, t + PEER_PS + 6000);
        slice_rig_run(&g);
        ps_t want = t + PEER_PS + 6000 + miss_ps(0x1) + link_ps(0x1), got = 0;
        for (unsigned i = 0; i < g.n_replies; i++)
            if (g.reply[i].r == r) got = g.reply[i].at;
        ck_assert_msg(got <= want && got >= want - slice_rig_port_ps(0), "%lld ps, not %lld",
                      (long long)(got - t), (long long)(want - t));
        slice_rig_close(&g);
    }
}
END_TEST

TEST_MAIN("L2 partitions", a_far_access_adds_the_link_both_ways,
          without_copies_every_far_read_crosses, only_missing_sectors_cross,
          a_store_goes_home_and_drops_the_copy_it_passes,
          a_store_at_home_drops_the_copy_beyond_the_link, atomics_are_done_at_home,
          two_sides_that_miss_in_each_other_go_on, nothing_is_lost_between_the_partitions,
          what_can_go_does_not_wait_for_data_to_come)
