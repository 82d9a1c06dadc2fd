/* SPDX-License-Identifier: MIT
 * Copies inside the device: their bytes by hand, their time against rates, measurements and kernels beside them. */
#include "machine/sim.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const small[] = {"gpu.sms=16", "memory.channels=10", "l2.slices=10",
                                    "l2.size=6400KiB", "xbar.gpcs=4"};
enum { N_SMALL = sizeof small / sizeof *small };
#define GAP_NS 2080.0 /* launch_gap_stream of devices/h100.ini */

static const char declarations[] = "memsim trace 1\n"
                                   "buffer a size 1 GiB\n"
                                   "buffer b size 1 GiB\n"
                                   "kernel spin(blocks) {\n"
                                   "    grid blocks\n"
                                   "    block 256\n"
                                   "    for i in 1000 { barrier }\n"
                                   "}\n"
                                   "kernel look(n, in x[n]) {\n"
                                   "    grid n / (4 KiB)\n"
                                   "    block 256\n"
                                   "    load 16 at x + 4 KiB * cta + 512 * warp as v\n"
                                   "    wait v\n"
                                   "}\n";

typedef struct played {
    sim_t *s;
    const result_t *r;
} played_t;

static played_t play_on(const char *device, const char *commands, sim_opt_t o)
{
    char path[] = "/tmp/copies-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "%s%s", declarations, commands);
    fclose(f);
    played_t p = {NULL, NULL};
    diag_t d;
    diag_init(&d);
    o.seed = 1;
    o.threads = 1;
    int rc = sim_new(&p.s, device, &o, &d);
    if (!rc) rc = sim_run(p.s, path, &p.r, &d);
    unlink(path);
    ck_assert_msg(rc == MS_OK, "%s", d.n ? d.msg[0] : "?");
    diag_free(&d);
    return p;
}

static played_t play(const char *commands, sim_mode_t mode, engine_mode_t engine, const char *set)
{
    const char *sets[N_SMALL + 1];
    memcpy(sets, small, sizeof small);
    sets[N_SMALL] = set;
    return play_on(
        "devices/h100.ini", commands,
        (sim_opt_t){.set = sets, .n_set = N_SMALL + (set != NULL), .mode = mode, .engine = engine});
}

static double time_of(const char *commands, const char *set)
{
    played_t p = play(commands, SIM_EXACT, ENGINE_WINDOWS, set);
    double t = p.r->time_ns;
    sim_free(p.s);
    return t;
}

static void about(double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got - want) <= tolerance * want, "%.1f, expected %.1f", got, want);
}

static void expect_bytes(const char *copy, double bytes, double read, double written)
{
    played_t p = play(copy, SIM_EXACT, ENGINE_WINDOWS, NULL);
    ck_assert_uint_eq(p.r->n_kernels, 1);
    const res_kernel_t *k = &p.r->kernels[0];
    ck_assert_str_eq(k->kind, "copy");
    ck_assert_uint_eq(k->count, 1);
    ck_assert_msg(k->read_bytes == bytes && k->write_bytes == bytes, "%.0f", k->read_bytes);
    const res_level_t *l2 = &p.r->levels[1];
    ck_assert_msg(l2->read_bytes == read && l2->write_bytes == written, "%s: %.0f and %.0f", copy,
                  l2->read_bytes, l2->write_bytes);
    ck_assert_uint_eq(p.r->n_unmodelled, 0);
    sim_free(p.s);
}

START_TEST(bytes_by_hand)
{
    expect_bytes("copy d2d from a to b size 1 MiB\n", 1048576, 1048576, 1048576);
    expect_bytes("copy d2d from a to b size 1\n", 1, 32, 32);
    /* Sectors of 32 B: 100 .. 1099 of the source (3 to 34), 64 .. 1063 of the destination (2 to 33). */
    expect_bytes("copy d2d from a + 100 to b + 64 size 1000\n", 1000, 32 * 32, 32 * 32);
    expect_bytes("copy d2d from a + 127 to b size 130\n", 130, 6 * 32, 5 * 32);
    expect_bytes("copy d2d from a to b + 127 size 130\n", 130, 5 * 32, 6 * 32);
    expect_bytes("copy d2d from a + 36 to b + 100 size 300001\n", 300001, 32 * 9376, 32 * 9376);
}
END_TEST

START_TEST(nothing_is_copied_in_no_time)
{
    played_t p =
        play("copy d2d from a to b size 0\nlaunch spin(1)\n", SIM_EXACT, ENGINE_WINDOWS, NULL);
    ck_assert_uint_eq(p.r->n_kernels, 1);
    ck_assert_msg(p.r->launch_gap_ns == 0, "%.1f", p.r->launch_gap_ns);
    sim_free(p.s);
}
END_TEST

START_TEST(its_bandwidth_bounds_a_copy)
{
    const char *copy = "copy d2d from a to b size 1 MiB\n";
    about(time_of(copy, "gpu.copy_bandwidth=10 GB/s"), 1048576 / 10.0, 0.02);
    about(time_of(copy, "gpu.copy_bandwidth=20 GB/s"), 1048576 / 20.0, 0.03);
}
END_TEST

START_TEST(lines_in_flight_bound_a_copy)
{
    /* Two at a time, each with a read and a write behind it: half as many turns as lines. */
    double few = time_of("copy d2d from a to b size 64 KiB\n", "gpu.copy_lines_in_flight=2"),
           twice = time_of("copy d2d from a to b size 64 KiB\n", "gpu.copy_lines_in_flight=4");
    ck_assert_msg(few / twice > 1.7 && few / twice < 2.1, "%.1f and %.1f ns", few, twice);
    /* A single line is there and back twice, at the least. */
    double one = time_of("copy d2d from a to b size 128\n", NULL);
    about(few, 256 * one, 0.25);
}
END_TEST

START_TEST(measured_copies)
{
    /* cudaMemcpy from device to device, bytes read and written a second: reference values of
     * eth-cscs/cscs-reframe-tests (2f813557), checks/microbenchmarks/gpu/memory_bandwidth. */
    static const struct {
        const char *device;
        double GBps;
    } list[] = {{"devices/v100.ini", 777}, {"devices/a100-40.ini", 1322.5}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        played_t p = play_on(list[i].device, "copy d2d from a to b size 1 GiB\n",
                             (sim_opt_t){.mode = SIM_AUTO});
        about(p.r->kernels[0].GBps, list[i].GBps, 0.15);
        ck_assert_str_eq(p.r->kernels[0].bound, "dram bandwidth");
        sim_free(p.s);
    }
}
END_TEST

START_TEST(copies_and_kernels_share_the_device)
{
    const char *copy = "copy d2d from a to b size 256 KiB on stream 1\n";
    double c = time_of(copy, "gpu.copy_bandwidth=20 GB/s"), k = time_of("launch spin(8)\n", NULL);
    char text[200];
    snprintf(text, sizeof text, "launch spin(8)\n%s", copy);
    about(time_of(text, "gpu.copy_bandwidth=20 GB/s"), c > k ? c : k, 0.02);
    snprintf(text, sizeof text, "launch spin(8)\nrecord 1\nwait 1 on stream 1\n%s", copy);
    about(time_of(text, "gpu.copy_bandwidth=20 GB/s"), c + k + GAP_NS, 0.02);
    snprintf(text, sizeof text, "launch spin(8)\n%slaunch spin(8)\n", copy);
    about(time_of(text, "gpu.copy_bandwidth=1 TB/s"), 2 * k + GAP_NS, 0.02);
    /* One engine: copies of two streams come one after the other. */
    snprintf(text, sizeof text, "copy d2d from b to a size 256 KiB\n%s", copy);
    about(time_of(text, "gpu.copy_bandwidth=20 GB/s"), 2 * c, 0.05);
}
END_TEST

START_TEST(traffic_of_a_copy_is_its_own)
{
    played_t p =
        play("copy d2d from a to b size 512 KiB\nlaunch look(1 MiB, a + 2 MiB) on stream 1\n",
             SIM_EXACT, ENGINE_WINDOWS, NULL);
    ck_assert_uint_eq(p.r->n_kernels, 2);
    for (size_t i = 0; i < 2; i++) {
        const res_kernel_t *k = &p.r->kernels[i];
        bool copy = !strcmp(k->kind, "copy");
        ck_assert_msg(k->l2_bytes == 1048576, "%s: %.0f", k->name, k->l2_bytes);
        ck_assert_uint_eq(k->latency.n, copy ? 0 : 8192);
    }
    sim_free(p.s);
}
END_TEST

static const char mixed[] = "copy d2d from a to b + 32 size 300000\n"
                            "launch look(1 MiB, a)\n"
                            "launch look(1 MiB, b) on stream 1\n"
                            "copy d2d from b to a size 1 MiB on stream 2\n"
                            "record 4\nwait 4 on stream 2\n"
                            "copy d2d from b + 8 to a size 100001 on stream 2\n";

START_TEST(partitions_in_any_order_give_the_same_bytes)
{
    played_t a = play(mixed, SIM_EXACT, ENGINE_WINDOWS, NULL),
             b = play(mixed, SIM_EXACT, ENGINE_SHUFFLED, NULL),
             c = play(mixed, SIM_EXACT, ENGINE_MERGED, NULL);
    ck_assert_str_eq(a.r->digest, b.r->digest);
    ck_assert_str_eq(a.r->digest, c.r->digest);
    sim_free(a.s);
    sim_free(b.s);
    sim_free(c.s);
}
END_TEST

START_TEST(a_sampled_copy_takes_as_long)
{
    const char *copy = "copy d2d from a to b size 48 MiB\n", *set = "gpu.copy_lines_in_flight=1024";
    played_t e = play(copy, SIM_EXACT, ENGINE_WINDOWS, set),
             s = play(copy, SIM_AUTO, ENGINE_WINDOWS, set);
    ck_assert_msg(s.r->interval > 0 && s.r->interval < 0.15, "%.3f", s.r->interval);
    about(s.r->time_ns, e.r->time_ns, s.r->interval);
    about(s.r->kernels[0].dram_bytes, e.r->kernels[0].dram_bytes, 0.05);
    about(s.r->kernels[0].l2_bytes, e.r->kernels[0].l2_bytes, 0.05);
    ck_assert_uint_lt(s.r->host.requests, e.r->host.requests / 3);
    sim_free(e.s);
    sim_free(s.s);
}
END_TEST

START_TEST(copies_of_the_host_are_counted)
{
    played_t p = play("copy h2d to a size 1 MiB\ncopy d2h from b size 3 MiB on stream 1\n"
                      "launch spin(1)\n",
                      SIM_AUTO, ENGINE_WINDOWS, NULL);
    ck_assert_uint_eq(p.r->n_unmodelled, 1);
    ck_assert_str_eq(p.r->unmodelled[0].what, "copies to and from the host");
    ck_assert_uint_eq(p.r->unmodelled[0].count, 2);
    ck_assert(p.r->unmodelled[0].bytes == 4194304);
    sim_free(p.s);
}
END_TEST

TEST_MAIN("copies", bytes_by_hand, nothing_is_copied_in_no_time, its_bandwidth_bounds_a_copy,
          lines_in_flight_bound_a_copy, measured_copies, copies_and_kernels_share_the_device,
          traffic_of_a_copy_is_its_own, partitions_in_any_order_give_the_same_bytes,
          a_sampled_copy_takes_as_long, copies_of_the_host_are_counted)
