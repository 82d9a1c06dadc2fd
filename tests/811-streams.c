/* SPDX-License-Identifier: MIT
 * Kernels of several streams: times against those of the same kernels alone, traffic against hand counts. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 16 SMs; 2,048 threads, 32 blocks, 227 KiB of shared memory each. */
static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                    "l2.size=6400KiB", "xbar.gpcs=4"};
enum { N_SMALL = sizeof small / sizeof *small };
#define GAP_NS 2080.0 /* launch_gap_stream of devices/h100.ini; a test compares */

/* `spin`: takes time and no resource but its place, so blocks are equally long whatever runs beside them.  `look`: reads every byte
 * once; `again`: a thousand times. */
static const char declarations[] = "memsim trace 1\n"
                                   "buffer a size 4 MiB\n"
                                   "buffer b size 4 MiB\n"
                                   "kernel spin(blocks, smem) {\n"
                                   "    grid blocks\n"
                                   "    block 256\n"
                                   "    shared smem\n"
                                   "    for i in 1000 { barrier }\n"
                                   "}\n"
                                   "kernel look(n, in x[n]) {\n"
                                   "    grid n / (4 KiB)\n"
                                   "    block 256\n"
                                   "    load 16 at x + 4 KiB * cta + 512 * warp as v\n"
                                   "    wait v\n"
                                   "}\n"
                                   "kernel again(n, in x[n]) {\n"
                                   "    grid n / (4 KiB)\n"
                                   "    block 256\n"
                                   "    for i in 1000 {\n"
                                   "        load 16 at x + 4 KiB * cta + 512 * warp as v\n"
                                   "        wait v\n"
                                   "    }\n"
                                   "}\n"
                                   "kernel tell(n, out x[n]) {\n"
                                   "    grid n / (4 KiB)\n"
                                   "    block 256\n"
                                   "    store 16 at x + 4 KiB * cta + 512 * warp\n"
                                   "}\n";

typedef struct played {
    sim_t *s;
    const result_t *r;
} played_t;

static bool hop_events; /* judge mode of the tests' runs */

static played_t play(const char *commands, sim_mode_t mode, bool shuffled, const char *set)
{
    char path[] = "/tmp/streams-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "%s%s", declarations, commands);
    fclose(f);
    const char *sets[N_SMALL + 1];
    memcpy(sets, small, sizeof small);
    sets[N_SMALL] = set;
    sim_opt_t o = {.set = sets,
                   .n_set = N_SMALL + (set != NULL),
                   .seed = 1,
                   .mode = mode,
                   .engine = shuffled ? ENGINE_SHUFFLED : ENGINE_WINDOWS,
                   .hop_events = hop_events,
                   .threads = 1};
    played_t p = {NULL, NULL};
    diag_t d;
    diag_init(&d);
    int rc = sim_new(&p.s, "devices/h100.ini", &o, &d);
    if (!rc) rc = sim_run(p.s, path, &p.r, &d);
    unlink(path);
    ck_assert_msg(rc == MS_OK, "%s", d.n ? d.msg[0] : "?");
    diag_free(&d);
    return p;
}

static double time_of(const char *commands, const char *set)
{
    played_t p = play(commands, SIM_EXACT, false, set);
    double t = p.r->time_ns;
    sim_free(p.s);
    return t;
}

static void about(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * want, "%.1f ns, expected %.1f", got, want);
}

static const res_kernel_t *kernel(const result_t *r, const char *name, double read_bytes)
{
    for (size_t i = 0; i < r->n_kernels; i++)
        if (!strcmp(r->kernels[i].name, name) &&
            (read_bytes < 0 || r->kernels[i].read_bytes == read_bytes))
            return &r->kernels[i];
    ck_abort_msg("no kernel %s", name);
    return NULL;
}

START_TEST(two_small_kernels_take_the_time_of_one)
{
    double one = time_of("launch spin(7, 0)\n", NULL);
    about(time_of("launch spin(7, 0)\nlaunch spin(7, 0) on stream 1\n", NULL), one, 0.02);
    about(time_of("launch again(28 KiB, a)\nlaunch again(28 KiB, b) on stream 1\n", NULL),
          time_of("launch again(28 KiB, a)\n", NULL), 0.02);
    /* In one stream, or with an event between them, one comes after the other. */
    about(time_of("launch spin(7, 0)\nlaunch spin(7, 0)\n", NULL), 2 * one + GAP_NS, 0.001);
    about(time_of("launch spin(7, 0)\nrecord 3\nwait 3 on stream 1\n"
                  "launch spin(7, 0) on stream 1\n",
                  NULL),
          2 * one + GAP_NS, 0.001);
}
END_TEST

START_TEST(events_order_streams_inside_a_group)
{
    double one = time_of("launch spin(4, 0)\n", NULL);
    /* Stream 2 keeps a group open around a chain over streams 0 and 1. */
    about(time_of("launch spin(4, 0) on stream 2\n"
                  "launch spin(4, 0)\nrecord 1\nwait 1 on stream 1\nlaunch spin(4, 0) on stream 1\n"
                  "record 2 on stream 1\nwait 2\nlaunch spin(4, 0)\n",
                  NULL),
          3 * one + 2 * GAP_NS, 0.001);
    played_t p = play("launch spin(4, 0) on stream 1\nlaunch spin(4, 0)\nlaunch spin(4, 0)\n"
                      "launch spin(4, 0) on stream 1\n",
                      SIM_EXACT, false, NULL);
    about(p.r->launch_gap_ns, GAP_NS, 0.02); /* both streams wait at the same time */
    about(p.r->busy_ns, 2 * one, 0.02);
    sim_free(p.s);
    /* Each stream has its own launch gap: two chains of two side by side. */
    about(time_of("for i in 2 { launch spin(4, 0)\nlaunch spin(4, 0) on stream 1\n }\n", NULL),
          2 * one + GAP_NS, 0.02);
}
END_TEST

START_TEST(the_next_kernel_fills_the_tail)
{
    /* A block an SM (160 KiB of shared memory), so a wave is 16 blocks, all equally long. */
    double wave = time_of("launch spin(16, 163840)\n", NULL);
    double one_and_a_half = time_of("launch spin(24, 163840)\n", NULL);
    about(one_and_a_half, 2 * wave, 0.05);
    double both = time_of("launch spin(24, 163840)\nlaunch spin(24, 163840) on stream 1\n", NULL);
    about(both, 3 * wave, 0.05);
}
END_TEST

START_TEST(limits_are_counted_over_all_kernels)
{
    double one = time_of("launch spin(16, 122880)\n", NULL);
    /* 120 KiB and 120 KiB do not fit into 227 KiB; 120 and 60 do. */
    double apart = time_of("launch spin(16, 122880)\nlaunch spin(16, 122880) on stream 1\n", NULL);
    double together =
        time_of("launch spin(16, 122880)\nlaunch spin(16, 61440) on stream 1\n", NULL);
    about(apart, 2 * one, 0.05);
    ck_assert_msg(together < 1.2 * one, "%.1f ns, alone %.1f", together, one);
    /* Threads: 8 blocks of 256 fill an SM; the second kernel finds no room. */
    double full = time_of("launch spin(128, 0)\n", NULL);
    about(time_of("launch spin(128, 0)\nlaunch spin(128, 0) on stream 1\n", NULL), 2 * full, 0.05);
}
END_TEST

START_TEST(blocks_of_a_later_kernel_wait_for_those_of_an_earlier)
{
    /* The first needs whole SMs and has blocks left; the second would fit beside it but must not be first. */
    double wave = time_of("launch spin(16, 163840)\n", NULL);
    played_t p =
        play("launch spin(32, 163840)\nlaunch spin(1, 1024) on stream 1\n", SIM_EXACT, false, NULL);
    ck_assert_uint_eq(p.r->n_kernels, 2);
    /* It is launched at once and ends in the second wave. */
    ck_assert_msg(p.r->kernels[1].time_ns > 1.4 * wave, "%.1f ns, a wave %.1f",
                  p.r->kernels[1].time_ns, wave);
    sim_free(p.s);
}
END_TEST

START_TEST(kernels_on_the_device_are_limited)
{
    double one = time_of("launch spin(4, 0)\n", NULL);
    const char *three = "launch spin(4, 0)\nlaunch spin(4, 0) on stream 1\n"
                        "launch spin(4, 0) on stream 2\n";
    about(time_of(three, NULL), one, 0.02);
    about(time_of(three, "gpu.concurrent_kernels=2"), 2 * one + GAP_NS, 0.02);
    about(time_of(three, "gpu.concurrent_kernels=1"), 3 * one + 2 * GAP_NS, 0.02);
}
END_TEST

START_TEST(traffic_belongs_to_its_kernel)
{
    played_t p = play("launch look(1 MiB, a)\nlaunch look(512 KiB, b) on stream 1\n"
                      "launch tell(256 KiB, b) on stream 2\n",
                      SIM_EXACT, false, NULL);
    const res_kernel_t *l = kernel(p.r, "look", 1048576), *m = kernel(p.r, "look", 524288),
                       *t = kernel(p.r, "tell", -1);
    ck_assert_msg(l->l2_bytes == 1048576, "%.0f", l->l2_bytes);
    ck_assert_msg(m->l2_bytes == 524288, "%.0f", m->l2_bytes);
    ck_assert_msg(t->l2_bytes == 262144, "%.0f", t->l2_bytes);
    ck_assert_uint_eq(l->latency.n, 8192); /* 128 B lines */
    ck_assert_uint_eq(m->latency.n, 4096);
    ck_assert_uint_eq(t->latency.n, 0);
    ck_assert(t->read_bytes == 0 && t->write_bytes == 262144);
    /* Every byte is read from memory once, whoever was first where two read the same. */
    ck_assert_msg(l->dram_bytes >= 1048576 && m->dram_bytes >= 262144, "%.0f %.0f", l->dram_bytes,
                  m->dram_bytes);
    const res_level_t *l1 = &p.r->levels[0], *l2 = &p.r->levels[1];
    ck_assert_msg(l1->read_bytes == 1048576 + 524288, "%.0f", l1->read_bytes);
    ck_assert_msg(l2->read_bytes == 1048576 + 524288, "%.0f", l2->read_bytes);
    ck_assert_msg(l2->write_bytes == 262144, "%.0f", l2->write_bytes);
    sim_free(p.s);
}
END_TEST

START_TEST(a_kernel_that_begins_on_an_SM_empties_its_L1)
{
    /* Four SMs: the 7 blocks of `again` leave most room on the last, so `look` goes there and the one block beside it
     * reads its 4 KiB once more.  Of 16 SMs it finds an empty one. */
    played_t alone = play("launch again(28 KiB, a)\n", SIM_EXACT, false, "gpu.sms=4"),
             beside = play("launch again(28 KiB, a)\nlaunch spin(1, 0) on stream 1\n"
                           "launch look(4 KiB, b) on stream 1\n",
                           SIM_EXACT, false, "gpu.sms=4"),
             elsewhere = play("launch again(28 KiB, a)\nlaunch spin(1, 0) on stream 1\n"
                              "launch look(4 KiB, b) on stream 1\n",
                              SIM_EXACT, false, NULL);
    ck_assert(kernel(alone.r, "again", -1)->l2_bytes == 28672);
    ck_assert_msg(kernel(beside.r, "again", -1)->l2_bytes == 28672 + 4096, "%.0f",
                  kernel(beside.r, "again", -1)->l2_bytes);
    ck_assert(kernel(elsewhere.r, "again", -1)->l2_bytes == 28672);
    sim_free(alone.s);
    sim_free(beside.s);
    sim_free(elsewhere.s);
}
END_TEST

START_TEST(partitions_in_any_order_give_the_same_bytes)
{
    const char *work = "for i in 3 {\n"
                       "launch look(1 MiB, a)\nlaunch look(512 KiB, b) on stream 1\n"
                       "launch tell(256 KiB, b) on stream 2\nrecord 1\nwait 1 on stream 2\n"
                       "launch spin(20, 65536) on stream 2\n}\n"
                       "launch look(1 MiB, b)\n";
    played_t a = play(work, SIM_EXACT, false, NULL), b = play(work, SIM_EXACT, true, NULL);
    ck_assert_str_eq(a.r->digest, b.r->digest);
    sim_free(a.s);
    sim_free(b.s);
}
END_TEST

START_TEST(an_event_for_every_hop_takes_as_long)
{
    const char *work = "launch look(2 MiB, a)\nlaunch look(1 MiB, b) on stream 1\n"
                       "launch tell(1 MiB, b + 2 MiB) on stream 2\n";
    hop_events = true;
    double slow = time_of(work, NULL);
    hop_events = false;
    about(time_of(work, NULL), slow, 0.01);
}
END_TEST

START_TEST(the_host_is_not_ahead_for_ever)
{
    /* More commands than it issues at once; stream 1 must not end before stream 0 has come along. */
    double tick = time_of("launch spin(1, 0)\n", "gpu.barrier=1 CK");
    about(time_of("for i in 1500 { launch spin(1, 0)\nlaunch spin(1, 0) on stream 1\n }\n",
                  "gpu.barrier=1 CK"),
          1500 * tick + 1499 * GAP_NS, 0.01);
}
END_TEST

START_TEST(groups_that_are_alike_are_simulated_once)
{
    const char *turns = "for i in 4 {\n"
                        "launch spin(4, 0)\nlaunch spin(4, 0) on stream 1\n"
                        "record 1\nwait 1 on stream 1\nrecord 2 on stream 1\nwait 2\n}\n";
    played_t e = play(turns, SIM_EXACT, false, NULL), a = play(turns, SIM_AUTO, false, NULL);
    ck_assert_uint_eq(e.r->kernels[0].simulated, 8);
    ck_assert_uint_eq(a.r->kernels[0].count, 8);
    ck_assert_uint_eq(a.r->kernels[0].simulated, 2);
    about(a.r->time_ns, e.r->time_ns, 0.001);
    ck_assert_uint_eq(a.r->n_unmodelled, 0);
    double one = time_of("launch spin(4, 0)\n", NULL);
    about(a.r->time_ns, 4 * one + 3 * GAP_NS, 0.02);
    about(a.r->launch_gap_ns, 3 * GAP_NS, 0.001);
    sim_free(e.s);
    sim_free(a.s);
}
END_TEST

START_TEST(a_group_like_one_before_needs_no_budget)
{
    /* Each turn takes more than half of all groups' budget. */
    const char *turns =
        "for i in 3 {\n"
        "for j in 20 { launch look(4 MiB, a)\nlaunch look(4 MiB, b) on stream 1\n }\n"
        "record 1\nwait 1 on stream 1\nrecord 2 on stream 1\nwait 2\n}\n";
    played_t p = play(turns, SIM_AUTO, false, NULL);
    ck_assert_uint_eq(p.r->n_unmodelled, 0);
    ck_assert_uint_eq(p.r->kernels[0].count, 120);
    ck_assert_uint_lt(p.r->kernels[0].simulated, 120);
    sim_free(p.s);
}
END_TEST

START_TEST(beyond_the_budget_says_so)
{
    /* 600 launches of 4 MiB: 20 million lines. */
    const char *work =
        "for i in 300 { launch look(4 MiB, a)\nlaunch look(4 MiB, b) on stream 7\n }\n";
    played_t p = play(work, SIM_AUTO, false, NULL);
    ck_assert_uint_eq(p.r->n_unmodelled, 1);
    ck_assert_str_eq(p.r->unmodelled[0].what, "concurrency of streams 0, 7 (over the budget)");
    ck_assert_uint_eq(p.r->unmodelled[0].count, 600);
    ck_assert_uint_eq(p.r->kernels[0].count, 600);
    sim_free(p.s);
}
END_TEST

TEST_MAIN("streams", two_small_kernels_take_the_time_of_one, events_order_streams_inside_a_group,
          the_next_kernel_fills_the_tail, limits_are_counted_over_all_kernels,
          blocks_of_a_later_kernel_wait_for_those_of_an_earlier, kernels_on_the_device_are_limited,
          traffic_belongs_to_its_kernel, partitions_in_any_order_give_the_same_bytes,
          a_kernel_that_begins_on_an_SM_empties_its_L1, an_event_for_every_hop_takes_as_long,
          the_host_is_not_ahead_for_ever, groups_that_are_alike_are_simulated_once,
          a_group_like_one_before_needs_no_budget, beyond_the_budget_says_so)
