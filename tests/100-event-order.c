/* SPDX-License-Identifier: MIT
 * The event engine against an obvious queue: a random program of posts (ties, zero delays, the edge of the wheel,
 * the far future, jumps of seconds) runs on both and must happen in the same order. */
#include "core/engine.h"
#include "core/rng.h"
#include "test.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARTS 5
#define SOURCES 15
#define LOOKAHEAD 700

typedef struct program program_t;
typedef struct item { /* what an event carries */
    program_t *prog;
    uint64_t value;
    unsigned generation, src;
} item_t;

typedef struct pending { /* the obvious queue: an unsorted list */
    ps_t when;
    uint64_t seq;
    item_t *item;
} pending_t;

struct program {
    engine_t *engine; /* NULL: the obvious queue */
    src_t src[SOURCES];
    unsigned generations;
    unsigned spread; /* mask of delay classes */
    pending_t *list;
    size_t n, cap;
    uint64_t log[PARTS], all; /* hashes of what happened, in order: by partition, together */
    uint64_t events;
};

static void happen(void *self, void *arg, ps_t now);

static unsigned part_of(unsigned src)
{
    return src % PARTS;
}

static void post(program_t *p, unsigned from, unsigned src, ps_t when, uint64_t value,
                 unsigned generation)
{
    item_t *it = malloc(sizeof *it);
    ck_assert_ptr_nonnull(it);
    *it = (item_t){p, value, generation, src};
    if (p->engine) {
        engine_post(p->engine, &p->src[from], part_of(src), when, happen, p, it);
        return;
    }
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->list = realloc(p->list, p->cap * sizeof *p->list);
        ck_assert_ptr_nonnull(p->list);
    }
    p->list[p->n++] = (pending_t){when, (uint64_t)from << 40 | p->src[from].seq++, it};
}

static ps_t delay_of(const program_t *p, uint64_t h)
{
    const ps_t wheel = (ps_t)65536 << 4;
    switch (h >> 8 & p->spread) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return (ps_t)(h >> 16 & 31);
    case 3:
        return (ps_t)(h >> 16 & 4095);
    case 4:
        return wheel - 32 + (ps_t)(h >> 16 & 63); /* the edge of the wheel */
    case 5:
        return (ps_t)(h >> 16 & 0xffffff); /* far and near */
    case 6:
        return 16;
    default:
        return (h >> 16 & 255) ? 600 : (ps_t)1000000000000;
    }
}

static void happen(void *self, void *arg, ps_t now)
{
    program_t *p = self;
    item_t it = *(item_t *)arg;
    free(arg);
    p->events++;
    uint64_t h = mix64(it.value), mark = mix64(it.value ^ (uint64_t)now);
    p->log[part_of(it.src)] = mix64(p->log[part_of(it.src)] ^ mark);
    p->all = mix64(p->all ^ mark);
    if (it.generation >= p->generations) return;
    unsigned children = (h & 15) == 0 ? 0 : (h & 15) == 1 ? 2 : 1;
    for (unsigned c = 0; c < children; c++) {
        uint64_t v = mix64(h + c);
        unsigned to = (unsigned)(v >> 32) % SOURCES;
        ps_t delay = delay_of(p, v);
        if (part_of(to) != part_of(it.src)) delay += LOOKAHEAD;
        post(p, it.src, to, now + delay, v, it.generation + 1);
    }
}

static void seed_events(program_t *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) post(p, i % SOURCES, i % SOURCES, (ps_t)(i / 3), mix64(i), 0);
}

static void run_reference(program_t *p)
{
    while (p->n) {
        size_t best = 0;
        for (size_t i = 1; i < p->n; i++)
            if (p->list[i].when < p->list[best].when ||
                (p->list[i].when == p->list[best].when && p->list[i].seq < p->list[best].seq))
                best = i;
        pending_t e = p->list[best];
        p->list[best] = p->list[--p->n];
        happen(p, e.item, e.when);
    }
    free(p->list);
    p->list = NULL;
    p->cap = 0;
}

static void start(program_t *p, engine_t *e, unsigned seeds, unsigned generations, unsigned spread)
{
    *p = (program_t){.engine = e, .generations = generations, .spread = spread};
    if (e)
        for (unsigned i = 0; i < SOURCES; i++) engine_register(e, &p->src[i], part_of(i));
    seed_events(p, seeds);
}

static void compare(unsigned shift, unsigned seeds, unsigned generations, unsigned spread)
{
    program_t ref, got;
    start(&ref, NULL, seeds, generations, spread);
    run_reference(&ref);
    ck_assert_uint_gt(ref.events, 10 * seeds);

    engine_t *e = engine_new(ENGINE_MERGED, PARTS, shift, LOOKAHEAD, 0);
    start(&got, e, seeds, generations, spread);
    ck_assert_uint_eq(engine_pending(e), seeds);
    ck_assert_int_eq(engine_run(e, PS_MAX), PS_MAX);
    ck_assert_uint_eq(engine_count(e), ref.events);
    ck_assert_uint_eq(engine_pending(e), 0);
    ck_assert_uint_eq(got.all, ref.all);
    engine_free(e);

    for (uint64_t seed = 0; seed <= 3; seed++) {
        e = engine_new(seed ? ENGINE_SHUFFLED : ENGINE_WINDOWS, PARTS, shift, LOOKAHEAD, seed);
        start(&got, e, seeds, generations, spread);
        engine_run(e, PS_MAX);
        ck_assert_uint_eq(engine_count(e), ref.events);
        for (unsigned i = 0; i < PARTS; i++) ck_assert_uint_eq(got.log[i], ref.log[i]);
        ck_assert_uint_ne(got.all, ref.all); /* partitions did run in another order */
        engine_free(e);
    }
}

START_TEST(a_random_program_happens_in_the_order_of_an_obvious_queue)
{
    compare(4, 97, 200, 7);
    compare(0, 31, 200, 7);
    compare(8, 97, 200, 7);
    compare(4, 500, 40, 3); /* crowded buckets */
    compare(12, 300, 40, 2);
}
END_TEST

START_TEST(stopping_and_going_on_changes_nothing)
{
    program_t whole, parts;
    engine_t *a = engine_new(ENGINE_MERGED, PARTS, 4, LOOKAHEAD, 0);
    start(&whole, a, 50, 100, 7);
    engine_run(a, PS_MAX);
    engine_t *b = engine_new(ENGINE_MERGED, PARTS, 4, LOOKAHEAD, 0);
    start(&parts, b, 50, 100, 7);
    ps_t t = 0, next;
    while ((next = engine_run(b, t)) != PS_MAX) {
        ck_assert_int_ge(next, t);
        ck_assert_int_eq(next, engine_next(b));
        ck_assert_int_lt(engine_now(b), ps_later(t, 1));
        t = next + 1 + (ps_t)(mix64((uint64_t)next) % 997);
    }
    ck_assert_uint_eq(parts.all, whole.all);
    ck_assert_int_eq(engine_now(a), engine_now(b));
    engine_free(a);
    engine_free(b);
}
END_TEST

typedef struct trail {
    char text[64];
    size_t n;
} trail_t;

static void note(void *self, void *arg, ps_t now)
{
    trail_t *t = self;
    (void)now;
    t->text[t->n++] = *(const char *)arg;
}

START_TEST(ties_go_by_source_then_by_order_of_posting)
{
    static char c[] = "abcdef";
    engine_t *e = engine_new(ENGINE_MERGED, 1, 4, 0, 0);
    src_t one, two;
    engine_register(e, &one, 0);
    engine_register(e, &two, 0);
    ck_assert_uint_eq(one.id, 0);
    ck_assert_uint_eq(two.id, 1);
    trail_t t = {{0}, 0};
    engine_post(e, &two, 0, 1000, note, &t, &c[2]);
    engine_post(e, &one, 0, 1000, note, &t, &c[0]);
    engine_post(e, &two, 0, 1000, note, &t, &c[3]);
    engine_post(e, &one, 0, 1000, note, &t, &c[1]);
    engine_post(e, &one, 0, 1001, note, &t, &c[4]);
    engine_post(e, &two, 0, (ps_t)5 * 1000000000, note, &t, &c[5]);
    engine_run(e, PS_MAX);
    ck_assert_str_eq(t.text, "abcdef");
    engine_free(e);
}
END_TEST

/* Two sleepers in one partition, each woken by the latest of its wakes only. */
typedef struct sleeper {
    engine_t *engine;
    src_t src;
    uintptr_t wakes;
    trail_t *trail;
    char *mark;
    ps_t again; /* when it wakes next */
} sleeper_t;

static void sleep_until(sleeper_t *s, ps_t when);

static void wake(void *self, void *arg, ps_t now)
{
    sleeper_t *s = self;
    if ((uintptr_t)arg != s->wakes) return;
    note(s->trail, s->mark, now);
    if (s->again > now) sleep_until(s, s->again);
}

static void sleep_until(sleeper_t *s, ps_t when)
{
    engine_post_wake(s->engine, &s->src, when, wake, s, (void *)++s->wakes);
}

static void begin_sleep(void *self, void *arg, ps_t now)
{
    sleeper_t *s = self;
    sleep_until(s, now + 400);
    sleep_until(arg, now + 450);
    sleep_until(s, now + 200);
}

static void wake_sooner(void *self, void *arg, ps_t now)
{
    (void)arg;
    sleep_until(self, now + 300);
}

START_TEST(a_wake_takes_the_place_of_those_before_it)
{
    static char c[] = "acefWV";
    for (engine_mode_t mode = ENGINE_WINDOWS; mode <= ENGINE_SHUFFLED; mode++) {
        trail_t t = {{0}, 0};
        engine_t *e = engine_new(mode, 1, 4, LOOKAHEAD, 1);
        src_t low, high;
        sleeper_t w = {.engine = e, .trail = &t, .mark = &c[4], .again = 900}, v = w;
        v.mark = &c[5];
        v.again = 0;
        engine_register(e, &low, 0);
        engine_register(e, &w.src, 0);
        engine_register(e, &v.src, 0);
        engine_register(e, &high, 0);
        engine_post(e, &low, 0, 100, begin_sleep, &w, &v);
        engine_post(e, &low, 0, 300, note, &t, &c[0]);
        engine_post(e, &high, 0, 300, note, &t, &c[1]);
        engine_post(e, &high, 0, 301, wake_sooner, &w, NULL); /* at 601, not at 900 */
        engine_post(e, &high, 0, 602, note, &t, &c[2]);
        engine_post(e, &low, 0, 901, note, &t, &c[3]);
        engine_run(e, PS_MAX);
        ck_assert_str_eq(t.text, "aWcVWeWf");
        ck_assert_uint_eq(engine_pending(e), 0);
        engine_free(e);
    }
}
END_TEST

START_TEST(until_is_exclusive_and_a_later_call_may_be_served_earlier_posts)
{
    static char c[] = "abc";
    engine_t *e = engine_new(ENGINE_MERGED, 1, 4, 0, 0);
    src_t s;
    engine_register(e, &s, 0);
    trail_t t = {{0}, 0};
    engine_post(e, &s, 0, 100, note, &t, &c[0]);
    engine_post(e, &s, 0, 5000000, note, &t, &c[2]);
    ck_assert_int_eq(engine_run(e, 100), 100);
    ck_assert_uint_eq(t.n, 0);
    ck_assert_int_eq(engine_run(e, 101), 5000000);
    ck_assert_int_eq(engine_now(e), 100);
    ck_assert_int_eq(engine_run(e, 5000000),
                     5000000); /* the queue has looked ahead as far as it may */
    engine_post(e, &s, 0, 200, note, &t, &c[1]);
    ck_assert_int_eq(engine_next(e), 200);
    engine_run(e, PS_MAX);
    ck_assert_str_eq(t.text, "abc");
    engine_free(e);
}
END_TEST

static void hop_a_second(void *self, void *arg, ps_t now)
{
    if (now < (ps_t)1000 * 1000000000000)
        engine_post(self, arg, 0, now + 1000000000000, hop_a_second, self, arg);
}

/* 1000 gaps of a simulated second, each 10^12 ps: a queue that turned its wheel through them would need hours. */
START_TEST(idle_gaps_cost_nothing)
{
    for (engine_mode_t mode = ENGINE_WINDOWS; mode <= ENGINE_SHUFFLED; mode++) {
        engine_t *e = engine_new(mode, 2, 4, 500, 1);
        src_t s, t;
        engine_register(e, &s, 0);
        engine_register(e, &t, 0);
        engine_post(e, &s, 0, 0, hop_a_second, e, &s);
        engine_post(e, &t, 0, 7, hop_a_second, e, &t);
        engine_run(e, PS_MAX);
        ck_assert_uint_eq(engine_count(e), 2002);
        engine_free(e);
    }
}
END_TEST

static void cross_too_soon(void *self, void *arg, ps_t now)
{
    engine_post(self, arg, 1, now + 499, cross_too_soon, self, arg);
}

static void post_for_another(void *self, void *arg, ps_t now)
{
    engine_post(self, arg, 1, now + 500, post_for_another, self, arg);
}

static void post_into_the_past(void *self, void *arg, ps_t now)
{
    engine_post(self, arg, 0, now - 1, post_into_the_past, self, arg);
}

/* True if a run whose only event is fn ends in an assertion. */
static bool dies(engine_mode_t mode, event_fn fn, unsigned owner)
{
    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        engine_t *e = engine_new(mode, 2, 4, 500, 1);
        src_t s, own;
        engine_register(e, &s, owner);
        engine_register(e, &own, 0);
        engine_post(e, &own, 0, 100, fn, e, &s);
        engine_run(e, 200);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#ifdef NDEBUG
#define GUARDED false
#else
#define GUARDED true
#endif
START_TEST(broken_ownership_is_caught)
{
    for (engine_mode_t m = ENGINE_WINDOWS; m <= ENGINE_SHUFFLED; m++) {
        ck_assert(dies(m, cross_too_soon, 0) == GUARDED);
        ck_assert(dies(m, post_into_the_past, 0) == GUARDED);
        ck_assert(dies(m, post_for_another, 1) == GUARDED);
        ck_assert(!dies(m, post_for_another, 0)); /* exactly the lookahead is allowed */
    }
}
END_TEST

TEST_MAIN("event order", a_random_program_happens_in_the_order_of_an_obvious_queue,
          stopping_and_going_on_changes_nothing, ties_go_by_source_then_by_order_of_posting,
          a_wake_takes_the_place_of_those_before_it,
          until_is_exclusive_and_a_later_call_may_be_served_earlier_posts, idle_gaps_cost_nothing,
          broken_ownership_is_caught)
