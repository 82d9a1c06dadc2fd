/* SPDX-License-Identifier: MIT
 * One L2 slice by itself, in front of a memory of fixed latency: times against closed forms, traffic against hand
 * counts. */
#include "slice_rig.h"

#define READ(g, line, sectors) slice_rig_alone(g, REQ_READ, line, sectors, 0, 0, 0)
#define WRITE(g, line, sectors, partial) slice_rig_alone(g, REQ_WRITE, line, sectors, partial, 0, 0)

static unsigned count(uint8_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* How long a read or a store takes that meets nobody. */
static ps_t hit_ps(uint8_t sectors)
{
    return slice_rig_port_ps(0) + HIT_PS + slice_rig_port_ps(count(sectors));
}
static ps_t miss_ps(uint8_t sectors)
{
    return slice_rig_port_ps(0) + TO_PS + MEMORY_PS + FROM_PS + slice_rig_port_ps(count(sectors));
}
static ps_t store_ps(uint8_t sectors)
{
    return slice_rig_port_ps(count(sectors)) + slice_rig_port_ps(0);
}

START_TEST(lone_requests_take_the_sum_of_their_stages)
{
    for (uint8_t mask = 1; mask < 16; mask++) {
        slice_rig_t g;
        l2_param_t p = slice_rig_param();
        slice_rig_open(&g, &p, true);
        ck_assert_int_eq(READ(&g, 5, mask), miss_ps(mask));
        ck_assert_uint_eq(g.last_read, mask); /* what is asked for, and no more */
        ck_assert_int_eq(READ(&g, 5, mask), hit_ps(mask));
        ck_assert_int_eq(WRITE(&g, 5, mask, 0), store_ps(mask));
        ck_assert_int_eq(WRITE(&g, 6, mask, 0), store_ps(mask)); /* a store needs no line */
        ck_assert_int_eq(READ(&g, 6, mask), hit_ps(mask));       /* and leaves its sectors */
        ck_assert_uint_eq(g.memory_reads, 1);
        /* latency counts reads, from when the request is in */
        const hist_t *h = &g.slice[0].latency;
        ck_assert_uint_eq(h->n, 3);
        ck_assert_uint_eq(h->max, (uint64_t)(miss_ps(mask) - slice_rig_port_ps(0)));
        ck_assert_uint_eq(h->min, (uint64_t)(hit_ps(mask) - slice_rig_port_ps(0)));
        slice_rig_close(&g);
    }
}
END_TEST

/* The fast mode hands a miss on at the event that brought it: by the port's service time early, never late. */
START_TEST(arithmetic_instead_of_events_moves_a_lone_miss_by_its_port_time)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    slice_rig_open(&g, &p, false);
    for (uint8_t mask = 1; mask < 16; mask++) {
        ps_t t = READ(&g, mask, mask);
        ck_assert_int_ge(t, miss_ps(mask) - slice_rig_port_ps(0));
        ck_assert_int_le(t, miss_ps(mask));
        ck_assert_int_eq(READ(&g, mask, mask), hit_ps(mask));
        ck_assert_int_eq(WRITE(&g, mask, mask, 0), store_ps(mask));
    }
    slice_rig_close(&g);
}
END_TEST

/* n hits that arrive at one time: the slowest of tag array, data array and reply port sets the pace. */
static void stream_of_hits(bool hop_events, uint8_t mask, uint32_t bytes_per_clk)
{
    enum { N = 200 };
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.bytes_per_clk = bytes_per_clk;
    slice_rig_open(&g, &p, hop_events);
    READ(&g, 5, mask);
    g.n_replies = 0;
    ps_t t = engine_now(g.engine) + 1000000;
    for (unsigned i = 0; i < N; i++) slice_rig_send(&g, REQ_READ, 5, mask, 0, 0, 0, t);
    ps_t last = slice_rig_run(&g) - t, n = count(mask);
    ps_t array = ps_later(1000, n * 32 * 1000 / bytes_per_clk),
         port = slice_rig_port_ps((unsigned)n);
    ps_t pace = ps_later(array, port);
    /* the first after a hit's time; the last leaves one service later than it starts */
    ps_t want = slice_rig_port_ps(0) + HIT_PS + (N - 1) * pace + port;
    ck_assert_uint_eq(g.n_replies, N);
    ck_assert_msg(last == want, "%u sectors at %u B: %lld ps, not %lld", (unsigned)n, bytes_per_clk,
                  (long long)last, (long long)want);
    slice_rig_close(&g);
}

START_TEST(hits_stream_at_the_pace_of_the_narrowest_part)
{
    for (unsigned hop = 0; hop < 2; hop++) {
        stream_of_hits(hop, 0xf, 64);  /* 136 B through the reply port: 2.125 cycles */
        stream_of_hits(hop, 0xf, 32);  /* 128 B through the array: 4 cycles */
        stream_of_hits(hop, 0x1, 64);  /* a tag lookup a cycle */
        stream_of_hits(hop, 0x3, 128); /* 72 B through the port: 1.125 cycles */
    }
}
END_TEST

START_TEST(reads_of_a_line_under_way_join_it)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    slice_rig_open(&g, &p, true);
    req_t *r[5];
    for (unsigned i = 0; i < 5; i++) r[i] = slice_rig_send(&g, REQ_READ, 9, 0x3, 0, 0, 0, 1000 * i);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.memory_reads, 1);
    ck_assert_uint_eq(g.n_replies, 5);
    for (unsigned i = 0; i < 5; i++) { /* in order of arrival, through the port one by one */
        ck_assert_ptr_eq(g.reply[i].r, r[i]);
        ck_assert_int_eq(g.reply[i].at, miss_ps(0x3) + (ps_t)i * slice_rig_port_ps(2));
    }
    ck_assert_uint_eq(g.slice[0].st.misses, 1);
    ck_assert_uint_eq(g.slice[0].st.merged, 4);
    ck_assert_uint_eq(g.slice[0].st.read_bytes, 5 * 64);
    ck_assert_uint_eq(g.slice[0].st.memory_read_bytes, 64);
    slice_rig_close(&g);
}
END_TEST

START_TEST(a_read_that_overlaps_one_under_way_asks_for_the_rest)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    slice_rig_open(&g, &p, true);
    slice_rig_send(&g, REQ_READ, 9, 0x3, 0, 0, 0, 0);
    req_t *b = slice_rig_send(&g, REQ_READ, 9, 0x6, 0, 0, 0, 30000);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.memory_reads, 2);
    ck_assert_uint_eq(g.memory_read_sectors, 3);
    ck_assert_uint_eq(g.last_read, 0x4);
    ck_assert_ptr_eq(g.reply[1].r, b);
    ck_assert_uint_eq(b->sectors, 0x6); /* the reply carries what was asked for */
    ck_assert_int_eq(g.reply[1].at, 30000 + miss_ps(0x6));
    slice_rig_close(&g);
}
END_TEST

START_TEST(misses_fetch_whole_aligned_units)
{
    static const struct {
        uint32_t unit;
        uint8_t ask, fetch;
    } c[] = {{1, 0x2, 0x2}, {2, 0x2, 0x3}, {2, 0x8, 0xc}, {2, 0x6, 0xf}, {4, 0x4, 0xf}};
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        slice_rig_t g;
        l2_param_t p = slice_rig_param();
        p.fetch_sectors = c[i].unit;
        slice_rig_open(&g, &p, true);
        READ(&g, 1, c[i].ask);
        ck_assert_uint_eq(g.last_read, c[i].fetch);
        READ(&g, 1, c[i].fetch); /* all there now */
        ck_assert_uint_eq(g.memory_reads, 1);
        slice_rig_close(&g);
    }
    /* what is there already is not fetched again */
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.fetch_sectors = 4;
    slice_rig_open(&g, &p, true);
    WRITE(&g, 1, 0x3, 0);
    READ(&g, 1, 0x8);
    ck_assert_uint_eq(g.last_read, 0xc);
    slice_rig_close(&g);
}
END_TEST

START_TEST(registers_bound_the_misses_under_way)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.mshrs = 2;
    slice_rig_open(&g, &p, true);
    for (uint32_t i = 0; i < 6; i++) slice_rig_send(&g, REQ_READ, i, 0x1, 0, 0, 0, 0);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, 6);
    ck_assert_uint_eq(g.memory_reads, 6);
    ck_assert_uint_ge(g.slice[0].st.stalls, 4);
    /* Pairs, each as long as a miss: the first at its stages' sum; a fill lets the next in, which is at the memory
     * `to` later and back `from` after that. */
    ps_t round = TO_PS + MEMORY_PS + FROM_PS;
    for (unsigned i = 0; i < 6; i++) {
        ps_t turn = (ps_t)(i / 2), want = slice_rig_port_ps(0) + (turn + 1) * round +
                                          (ps_t)(i % 2) * 1000 + slice_rig_port_ps(1);
        ck_assert_msg(g.reply[i].at == want, "reply %u at %lld, not %lld", i,
                      (long long)g.reply[i].at, (long long)want);
    }
    slice_rig_close(&g);
}
END_TEST

START_TEST(merges_bound_the_reads_that_wait_on_a_line)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.merges = 2;
    slice_rig_open(&g, &p, true);
    for (uint32_t i = 0; i < 5; i++) slice_rig_send(&g, REQ_READ, 3, 0x1, 0, 0, 0, 0);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, 5);
    ck_assert_uint_eq(g.memory_reads, 1);
    ck_assert_uint_eq(g.slice[0].st.misses, 1);
    ck_assert_uint_eq(g.slice[0].st.merged, 2);
    ck_assert_uint_eq(g.slice[0].st.hits, 2); /* they waited outside and found the line there */
    slice_rig_close(&g);
}
END_TEST

/* ---- writes ---- */
START_TEST(dirty_sectors_are_written_once_when_pushed_out)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.size = 128 * 4; /* one set */
    slice_rig_open(&g, &p, true);
    WRITE(&g, 0, 0x5, 0);
    WRITE(&g, 0, 0x4, 0); /* again: still one dirty sector there */
    READ(&g, 1, 0xf);
    READ(&g, 2, 0xf);
    READ(&g, 3, 0xf);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 64);
    ck_assert_uint_eq(g.memory_writes, 0);
    READ(&g, 4, 0xf); /* pushes out line 0, the oldest */
    ck_assert_uint_eq(g.memory_writes, 1);
    ck_assert_uint_eq(g.last_write, 0x5);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 0);
    READ(&g, 5, 0xf); /* pushes out line 1, which is clean */
    ck_assert_uint_eq(g.memory_writes, 1);
    ck_assert_uint_eq(g.slice[0].st.evictions, 2);
    ck_assert_uint_eq(g.slice[0].st.writebacks, 1);
    ck_assert_uint_eq(g.slice[0].st.memory_write_bytes, 64);
    slice_rig_close(&g);
}
END_TEST

START_TEST(write_through_leaves_nothing_dirty)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.write = 1;
    slice_rig_open(&g, &p, true);
    for (unsigned i = 0; i < 3; i++) WRITE(&g, 0, 0x6, 0);
    ck_assert_uint_eq(g.memory_writes, 3);
    ck_assert_uint_eq(g.memory_write_sectors, 6);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 0);
    ck_assert_int_eq(READ(&g, 0, 0x6), hit_ps(0x6));
    slice_rig_close(&g);
}
END_TEST

START_TEST(a_store_to_part_of_a_sector_keeps_a_mask_or_fetches)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    slice_rig_open(&g, &p, true); /* mask */
    WRITE(&g, 0, 0x3, 0x1);
    ck_assert_uint_eq(g.memory_reads, 0);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 64);
    ck_assert_int_eq(READ(&g, 0, 0x2), hit_ps(0x2));
    ck_assert_int_eq(READ(&g, 0, 0x3), miss_ps(0x3)); /* the rest of sector 0 is not here */
    ck_assert_uint_eq(g.last_read, 0x1);
    slice_rig_close(&g);

    p.partial_write = 1; /* fetch */
    slice_rig_open(&g, &p, true);
    ck_assert_int_eq(WRITE(&g, 0, 0x3, 0x1), store_ps(0x3)); /* the store does not wait for it */
    ck_assert_uint_eq(g.memory_reads, 1);
    ck_assert_uint_eq(g.last_read, 0x1);
    ck_assert_int_eq(READ(&g, 0, 0x3), hit_ps(0x3));
    WRITE(&g, 0, 0x1, 0x1); /* the sector is whole now: nothing to fetch */
    WRITE(&g, 1, 0xf, 0);
    ck_assert_uint_eq(g.memory_reads, 1);
    slice_rig_close(&g);
}
END_TEST

static void release(void *self, void *arg, ps_t now)
{
    slice_rig_t *g = self;
    (void)arg;
    req_t *r = g->held;
    g->held = r->next;
    slice_memory_done(&g->slice[r->home], r, now, now);
}

START_TEST(dirty_lines_that_the_memory_does_not_take_stop_new_lines)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.size = 128 * 4; /* one set of four ways */
    p.writebacks = 2;
    slice_rig_open(&g, &p, false); /* counted when the memory has them: with events, `to` later */
    for (uint32_t i = 0; i < 4; i++) WRITE(&g, i, 0xf, 0);
    g.hold_writes = true;
    g.n_replies = 0;
    ps_t t = engine_now(g.engine) + 1000000;
    for (uint32_t i = 4; i < 7; i++) slice_rig_send(&g, REQ_WRITE, i, 0xf, 0, 0, 0, t);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, 2); /* two pushed a dirty line out; the third may not */
    ck_assert_uint_eq(g.memory_writes, 2);
    ck_assert_uint_eq(g.slice[0].st.stalls, 1);
    engine_post(g.engine, &g.src, 0, t + 500000, release, &g, NULL);
    slice_rig_run(&g);
    ck_assert_uint_eq(g.n_replies, 3);
    ck_assert_uint_eq(g.memory_writes, 3);
    ck_assert_int_eq(g.reply[2].at, t + 500000 + slice_rig_port_ps(0));
    slice_rig_close(&g);
}
END_TEST

START_TEST(too_many_dirty_ways_are_cleaned_early)
{
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    p.size = 128 * 4;
    p.dirty_limit = 0.5; /* two of four */
    slice_rig_open(&g, &p, true);
    WRITE(&g, 0, 0x3, 0);
    WRITE(&g, 1, 0xf, 0);
    ck_assert_uint_eq(g.memory_writes, 0);
    WRITE(&g, 2, 0xf, 0); /* the third: line 0 is cleaned, and stays */
    ck_assert_uint_eq(g.memory_writes, 1);
    ck_assert_uint_eq(g.last_write, 0x3);
    ck_assert_uint_eq(g.slice[0].st.early_writebacks, 1);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 2 * 128);
    ck_assert_int_eq(READ(&g, 0, 0x3), hit_ps(0x3));
    WRITE(&g, 2, 0xf, 0); /* dirty before: nothing new */
    ck_assert_uint_eq(g.memory_writes, 1);
    slice_rig_close(&g);
}
END_TEST

START_TEST(atomics_of_a_line_are_done_one_after_another)
{
    enum { N = 50 };
    slice_rig_t g;
    l2_param_t p = slice_rig_param();
    slice_rig_open(&g, &p, true);
    /* alone: a store's way in, a hit, 2 cycles in the atomic unit, the old value back */
    ps_t once = slice_rig_port_ps(1) + HIT_PS + 2000 + slice_rig_port_ps(1);
    READ(&g, 7, 0x1);
    ck_assert_int_eq(slice_rig_alone(&g, REQ_ATOMIC, 7, 0x1, 0x1, 0, 0), once);
    ck_assert_uint_eq(slice_dirty_bytes(&g.slice[0]), 32);
    g.n_replies = 0;
    ps_t t = engine_now(g.engine) + 1000000;
    for (unsigned i = 0; i < N; i++) slice_rig_send(&g, REQ_ATOMIC, 7, 0x1, 0x1, 0, 0, t);
    ck_assert_int_eq(slice_rig_run(&g), t + once + (N - 1) * 2000);
    ck_assert_uint_eq(g.slice[0].st.atomics, N + 1);
    slice_rig_close(&g);
}
END_TEST

/* ---- warming without time leaves what running leaves ---- */
static void play_both(const l2_param_t *p)
{
    slice_rig_t timed, warm;
    slice_rig_open(&timed, p, true);
    slice_rig_open(&warm, p, true);
    uint64_t x = 11;
    unsigned read = 0, written = 0;
    for (unsigned i = 0; i < 3000; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t line = (uint32_t)(x >> 33) % 60;
        uint8_t mask = (uint8_t)(1 + (x >> 50) % 15);
        bool store = x >> 63;
        unsigned near = (unsigned)(x >> 60) % p->partitions, home = line % p->partitions;
        slice_rig_alone(&timed, store ? REQ_WRITE : REQ_READ, line, mask, 0, near, home);
        uint32_t set = tags_set(&warm.slice[0].tags, line);
        read += slice_warm(&warm.slice[near], &warm.slice[home], set, line, mask, store, &written);
        ck_assert_uint_eq(timed.memory_read_sectors, read);
        ck_assert_uint_eq(timed.memory_write_sectors, written);
        for (unsigned k = 0; k < p->partitions; k++)
            ck_assert_uint_eq(slice_dirty_bytes(&timed.slice[k]),
                              slice_dirty_bytes(&warm.slice[k]));
    }
    ck_assert_uint_gt(written, 0);
    slice_rig_close(&timed);
    slice_rig_close(&warm);
}

START_TEST(functional_accesses_leave_the_same_state)
{
    static const double limits[] = {1, 0.5, 0.25, 0};
    for (unsigned write = 0; write < 2; write++) /* back, through */
        for (unsigned k = 0; k < 4; k++)
            for (uint32_t partitions = 1; partitions <= 2; partitions++) {
                l2_param_t p = slice_rig_param();
                p.partitions = p.slices = partitions;
                p.size = 128 * 4 * 8 * partitions;
                p.write = (int)write;
                p.dirty_limit = limits[k];
                play_both(&p);
            }
}
END_TEST

TEST_MAIN("L2 slice", lone_requests_take_the_sum_of_their_stages,
          arithmetic_instead_of_events_moves_a_lone_miss_by_its_port_time,
          hits_stream_at_the_pace_of_the_narrowest_part, reads_of_a_line_under_way_join_it,
          a_read_that_overlaps_one_under_way_asks_for_the_rest, misses_fetch_whole_aligned_units,
          registers_bound_the_misses_under_way, merges_bound_the_reads_that_wait_on_a_line,
          dirty_sectors_are_written_once_when_pushed_out, write_through_leaves_nothing_dirty,
          a_store_to_part_of_a_sector_keeps_a_mask_or_fetches,
          dirty_lines_that_the_memory_does_not_take_stop_new_lines,
          too_many_dirty_ways_are_cleaned_early, atomics_of_a_line_are_done_one_after_another,
          functional_accesses_leave_the_same_state)
