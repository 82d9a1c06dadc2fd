/* SPDX-License-Identifier: MIT
 * The L1 by itself: what hits, what is asked for, who comes back with which reply, what a store does.  Times and
 * counts are worked by hand. */
#include "cache/l1.h"
#include "test.h"

#define NS 1000
enum { HIT_NS = 30, MISS_NS = 20, SENT = 64 };

typedef struct rig {
    arena_t *arena;
    l1_t l1;
    req_t *sent[SENT]; /* what left towards the crossbar */
    ps_t at[SENT];
    unsigned n;
} rig_t;

static void take(void *self, req_t *r, ps_t at, ps_t now)
{
    rig_t *g = self;
    (void)now;
    ck_assert_uint_lt(g->n, SENT);
    g->sent[g->n] = r;
    g->at[g->n++] = at;
}

static l1_param_t param(void)
{
    return (l1_param_t){.size = 4096, /* 32 lines in 8 sets */
                        .line = 128,
                        .sector = 32,
                        .ways = 4,
                        .hit = {HIT_NS * NS, false},
                        .miss = {MISS_NS * NS, false},
                        .fill = {10 * NS, false},
                        .mshrs = 8,
                        .merges = 4};
}

static void open_rig(rig_t *g, const l1_param_t *p)
{
    *g = (rig_t){.arena = arena_new()};
    l1_init(&g->l1, g->arena, p, (clk_t){1000000000}, (port_t){take, g}, 1);
    l1_invalidate(&g->l1, p->size);
}

static req_t read_of(uint32_t line, uint8_t sectors)
{
    return (req_t){.kind = REQ_READ, .line = line, .sectors = sectors, .asked = {sectors, 0}};
}

static req_t store_of(uint32_t line, uint8_t sectors, uint8_t partial)
{
    req_t r = read_of(line, sectors);
    r.kind = REQ_WRITE;
    r.partial = partial;
    return r;
}

/* Load that must miss, and its reply. */
static void bring(rig_t *g, uint32_t line, uint8_t sectors)
{
    req_t r = read_of(line, sectors);
    ck_assert_int_eq(l1_load(&g->l1, &r, 0, 0), L1_MISS);
    ck_assert_ptr_eq(l1_reply(&g->l1, &r), &r);
    g->n = 0;
}

static bool hits(rig_t *g, uint32_t line, uint8_t sectors)
{
    req_t *r = arena_alloc(g->arena, sizeof *r);
    *r = read_of(line, sectors);
    l1_result_t res = l1_load(&g->l1, r, 0, 0);
    ck_assert_int_ne(res, L1_FULL);
    if (res == L1_MISS) l1_reply(&g->l1, r);
    g->n = 0;
    return res == L1_HIT;
}

START_TEST(a_miss_leaves_after_the_miss_time_and_hits_once_filled)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    req_t a = read_of(7, 0x3), b = read_of(7, 0x3), c = read_of(7, 0x1);
    ck_assert_int_eq(l1_load(&g.l1, &a, 5000, 4000), L1_MISS);
    ck_assert_uint_eq(g.n, 1);
    ck_assert_ptr_eq(g.sent[0], &a);
    ck_assert_int_eq(g.at[0], 5000 + MISS_NS * NS);
    ck_assert_int_eq(a.stamp[ST_L1_OUT], 5000 + MISS_NS * NS);
    ck_assert_uint_eq(a.sectors, 0x3);
    ck_assert_ptr_eq(l1_reply(&g.l1, &a), &a);
    ck_assert_ptr_null(a.next);
    ck_assert_int_eq(l1_load(&g.l1, &b, 90000, 90000), L1_HIT);
    ck_assert_int_eq(l1_load(&g.l1, &c, 90000, 90000), L1_HIT);
    ck_assert_int_eq(g.l1.hit_ps, HIT_NS * NS);
    ck_assert_uint_eq(g.n, 1);
    ck_assert_uint_eq(g.l1.st.loads, 3);
    ck_assert_uint_eq(g.l1.st.hits, 2);
    ck_assert_uint_eq(g.l1.st.misses, 1);
    ck_assert_uint_eq(g.l1.st.read_bytes, (2 + 2 + 1) * 32);
    ck_assert_uint_eq(g.l1.st.fill_bytes, 2 * 32);
    arena_free(g.arena);
}
END_TEST

START_TEST(only_missing_sectors_are_asked_for)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    bring(&g, 3, 0x6);
    req_t r = read_of(3, 0xf);
    ck_assert_int_eq(l1_load(&g.l1, &r, 0, 0), L1_MISS);
    ck_assert_uint_eq(g.sent[0]->sectors, 0x9);
    l1_reply(&g.l1, &r);
    ck_assert(hits(&g, 3, 0xf));
    ck_assert_uint_eq(g.l1.st.fill_bytes, 4 * 32); /* every sector once */
    arena_free(g.arena);
}
END_TEST

START_TEST(loads_of_a_line_under_way_wait_and_come_back_in_order)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    req_t r[4];
    for (unsigned i = 0; i < 4; i++) {
        r[i] = read_of(9, 0x4);
        ck_assert_int_eq(l1_load(&g.l1, &r[i], 0, 0), L1_MISS);
    }
    ck_assert_uint_eq(g.n, 1); /* one request for all */
    req_t *q = l1_reply(&g.l1, &r[0]);
    for (unsigned i = 0; i < 4; i++, q = q->next) ck_assert_ptr_eq(q, &r[i]);
    ck_assert_ptr_null(q);
    ck_assert_uint_eq(g.l1.st.misses, 1);
    ck_assert_uint_eq(g.l1.st.merged, 3);
    arena_free(g.arena);
}
END_TEST

START_TEST(a_load_that_needs_two_replies_waits_for_both)
{
    for (unsigned order = 0; order < 2; order++) {
        rig_t g;
        l1_param_t p = param();
        open_rig(&g, &p);
        req_t a = read_of(9, 0x1), b = read_of(9, 0x3);
        ck_assert_int_eq(l1_load(&g.l1, &a, 0, 0), L1_MISS);
        ck_assert_int_eq(l1_load(&g.l1, &b, 0, 0), L1_MISS);
        ck_assert_uint_eq(g.n, 2);
        ck_assert_uint_eq(b.sectors, 0x2); /* the other is on its way already */
        if (order == 0) {
            ck_assert_ptr_eq(l1_reply(&g.l1, &a), &a);
            ck_assert_ptr_null(a.next);
            ck_assert_ptr_eq(l1_reply(&g.l1, &b), &b);
            ck_assert_ptr_null(b.next);
        } else {
            ck_assert_ptr_null(l1_reply(&g.l1, &b));
            ck_assert_ptr_eq(l1_reply(&g.l1, &a), &a);
            ck_assert_ptr_eq(a.next, &b);
            ck_assert_ptr_null(b.next);
        }
        ck_assert(hits(&g, 9, 0x3));
        arena_free(g.arena);
    }
}
END_TEST

START_TEST(without_a_register_a_load_is_turned_away_unchanged)
{
    rig_t g;
    l1_param_t p = param();
    p.mshrs = 2;
    open_rig(&g, &p);
    req_t a = read_of(1, 0xf), b = read_of(2, 0xf), c = read_of(3, 0xf);
    l1_load(&g.l1, &a, 0, 0);
    l1_load(&g.l1, &b, 0, 0);
    l1_stats_t before = g.l1.st;
    ck_assert_int_eq(l1_load(&g.l1, &c, 0, 0), L1_FULL);
    ck_assert_uint_eq(g.n, 2);
    ck_assert_uint_eq(c.sectors, 0xf);
    ck_assert_uint_eq(g.l1.st.loads, before.loads);
    ck_assert_uint_eq(g.l1.st.read_bytes, before.read_bytes);
    ck_assert_uint_eq(g.l1.st.mshr_full, before.mshr_full + 1);
    l1_reply(&g.l1, &a);
    ck_assert_int_eq(l1_load(&g.l1, &c, 0, 0), L1_MISS);
    ck_assert_uint_eq(g.n, 3);
    arena_free(g.arena);
}
END_TEST

START_TEST(no_more_loads_wait_on_a_line_than_merges_says)
{
    rig_t g;
    l1_param_t p = param();
    p.merges = 2;
    open_rig(&g, &p);
    req_t r[4];
    for (unsigned i = 0; i < 4; i++) r[i] = read_of(5, 0x1);
    for (unsigned i = 0; i < 3; i++) /* the carrier and two that wait */
        ck_assert_int_eq(l1_load(&g.l1, &r[i], 0, 0), L1_MISS);
    ck_assert_int_eq(l1_load(&g.l1, &r[3], 0, 0), L1_FULL);
    req_t *q = l1_reply(&g.l1, &r[0]);
    for (unsigned i = 0; i < 3; i++, q = q->next) ck_assert_ptr_eq(q, &r[i]);
    ck_assert_ptr_null(q);
    ck_assert_int_eq(l1_load(&g.l1, &r[3], 0, 0), L1_HIT);
    arena_free(g.arena);
}
END_TEST

START_TEST(stores_go_through_and_update_only_what_is_there)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    req_t s = store_of(4, 0xf, 0);
    l1_store(&g.l1, &s, 1000, 1000);
    ck_assert_uint_eq(g.n, 1);
    ck_assert_ptr_eq(g.sent[0], &s);
    ck_assert_int_eq(g.at[0], 1000 + MISS_NS * NS);
    ck_assert(!hits(&g, 4, 0x1)); /* no line was made for it */
    /* the line is there with sector 0: whole sectors become valid, pieces do not */
    req_t t = store_of(4, 0x6, 0x4);
    l1_store(&g.l1, &t, 0, 0);
    ck_assert(hits(&g, 4, 0x3));
    ck_assert(!hits(&g, 4, 0x4));
    ck_assert_uint_eq(g.l1.st.stores, 2);
    arena_free(g.arena);
}
END_TEST

START_TEST(stores_that_allocate_make_a_line)
{
    rig_t g;
    l1_param_t p = param();
    p.write = 1; /* through_allocate */
    open_rig(&g, &p);
    req_t s = store_of(4, 0x3, 0x1), t = store_of(5, 0x8, 0x8);
    l1_store(&g.l1, &s, 0, 0);
    l1_store(&g.l1, &t, 0, 0);
    ck_assert_uint_eq(g.n, 2); /* both still go through */
    ck_assert(hits(&g, 4, 0x2));
    ck_assert(!hits(&g, 4, 0x1));
    ck_assert(!hits(&g, 5, 0x8));
    arena_free(g.arena);
}
END_TEST

static unsigned hits_of_a_pass(rig_t *g, uint32_t lines)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < lines; i++) n += hits(g, i, 0xf);
    return n;
}

START_TEST(capacity_is_the_carve_out)
{
    static const uint32_t bytes[] = {512, 1024, 2048, 4096};
    for (unsigned i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        rig_t g;
        l1_param_t p = param();
        open_rig(&g, &p);
        l1_invalidate(&g.l1, bytes[i]);
        uint32_t lines = bytes[i] / 128;
        ck_assert_uint_eq(hits_of_a_pass(&g, lines), 0);
        ck_assert_uint_eq(hits_of_a_pass(&g, lines), lines);
        ck_assert_uint_eq(g.l1.st.evictions, 0);
        /* one line more is, under LRU in order, the end of its set: ways + 1 lines go around in `ways` places */
        l1_invalidate(&g.l1, bytes[i]);
        hits_of_a_pass(&g, lines + 1);
        ck_assert_uint_eq(hits_of_a_pass(&g, lines + 1), lines + 1 - (p.ways + 1));
        arena_free(g.arena);
    }
}
END_TEST

START_TEST(without_capacity_every_load_misses)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    l1_invalidate(&g.l1, 0);
    for (unsigned i = 0; i < 5; i++) ck_assert(!hits(&g, 1, 0x1));
    req_t s = store_of(1, 0xf, 0);
    l1_store(&g.l1, &s, 0, 0);
    ck_assert(!hits(&g, 1, 0x1));
    ck_assert_uint_eq(g.l1.st.misses, 6);
    l1_invalidate(&g.l1, p.size); /* and it comes back */
    ck_assert(!hits(&g, 1, 0x1));
    ck_assert(hits(&g, 1, 0x1));
    arena_free(g.arena);
}
END_TEST

START_TEST(a_device_without_an_l1_is_possible)
{
    rig_t g;
    l1_param_t p = param();
    p.size = 0;
    open_rig(&g, &p);
    ck_assert(!hits(&g, 1, 0x1));
    ck_assert(!hits(&g, 1, 0x1));
    arena_free(g.arena);
}
END_TEST

START_TEST(invalidation_forgets_everything)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    hits_of_a_pass(&g, 32);
    l1_invalidate(&g.l1, p.size);
    ck_assert_uint_eq(hits_of_a_pass(&g, 32), 0);
    arena_free(g.arena);
}
END_TEST

START_TEST(every_load_is_a_hit_a_miss_or_merged)
{
    rig_t g;
    l1_param_t p = param();
    open_rig(&g, &p);
    enum { N = 20000 };
    req_t *r = calloc(N, sizeof *r), *flying[SENT];
    unsigned n_flying = 0, back = 0, taken = 0;
    uint64_t x = 5;
    for (unsigned i = 0; i < N; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        r[i] = read_of((uint32_t)(x >> 33) % 60, (uint8_t)(1 + (x >> 60) % 15));
        g.n = 0;
        l1_result_t res = l1_load(&g.l1, &r[i], 0, 0);
        taken += res == L1_MISS;
        for (unsigned k = 0; k < g.n; k++) flying[n_flying++] = g.sent[k];
        while (n_flying &&
               (res == L1_FULL || n_flying > 20 || i == N - 1)) { /* any of them comes back next */
            unsigned k = (unsigned)(x >> 20) % n_flying;
            req_t *q = l1_reply(&g.l1, flying[k]);
            flying[k] = flying[--n_flying];
            for (; q; q = q->next) back++;
            if (i < N - 1) break;
        }
    }
    const l1_stats_t *s = &g.l1.st;
    ck_assert_uint_eq(back, taken);
    ck_assert_uint_eq(s->loads, s->hits + s->misses + s->merged);
    ck_assert_uint_eq(s->misses + s->merged, taken);
    ck_assert_uint_eq(s->loads + s->mshr_full, N);
    ck_assert_uint_gt(s->hits, 0);
    ck_assert_uint_gt(s->merged, 0);
    ck_assert_uint_gt(s->mshr_full, 0);
    free(r);
    arena_free(g.arena);
}
END_TEST

TEST_MAIN("l1", a_miss_leaves_after_the_miss_time_and_hits_once_filled,
          only_missing_sectors_are_asked_for, loads_of_a_line_under_way_wait_and_come_back_in_order,
          a_load_that_needs_two_replies_waits_for_both,
          without_a_register_a_load_is_turned_away_unchanged,
          no_more_loads_wait_on_a_line_than_merges_says,
          stores_go_through_and_update_only_what_is_there, stores_that_allocate_make_a_line,
          capacity_is_the_carve_out, without_capacity_every_load_misses,
          a_device_without_an_l1_is_possible, invalidation_forgets_everything,
          every_load_is_a_hit_a_miss_or_merged)
