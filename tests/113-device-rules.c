/* SPDX-License-Identifier: MIT
 * Rules between the sections of a device file, tried on the H100 with one value changed. */
#include "machine/device.h"
#include "test.h"
#include <string.h>

#define H100 "devices/h100.ini"

static arena_t *arena;
static diag_t diag;
static device_t dev;

static int load_with(const char *const *set, size_t n)
{
    arena = arena_new();
    diag_init(&diag);
    return device_load(&dev, H100, set, n, arena, &diag);
}

static void done(void)
{
    diag_free(&diag);
    arena_free(arena);
}

static void accepts(const char *set)
{
    int rc = load_with(&set, 1);
    ck_assert_msg(rc == MS_OK, "-s %s: %s", set, diag.n ? diag.msg[0] : "?");
    done();
}

static void refuses(const char *set, const char *want)
{
    ck_assert_msg(load_with(&set, 1) == MS_INPUT, "-s %s was accepted", set);
    ck_assert_uint_eq(diag.n, 1);
    ck_assert_msg(strstr(diag.msg[0], want) != NULL, "-s %s: %s", set, diag.msg[0]);
    ck_assert_msg(strstr(diag.msg[0], strchr(set, '.')) != NULL, "-s %s: %s", set, diag.msg[0]);
    done();
}

START_TEST(the_file_as_shipped_is_good)
{
    ck_assert_msg(load_with(NULL, 0) == MS_OK, "%s", diag.n ? diag.msg[0] : "?");
    ck_assert_uint_eq(diag.n, 0);
    ck_assert_str_eq(dev.memory[0].name, "hbm");
    ck_assert_uint_eq(dev.gpu.sms, 132);
    ck_assert_double_lt(device_peak_tensor_flops(&dev), 1e15);
    ck_assert_double_gt(device_peak_tensor_flops(&dev), 0.98e15);
    ck_assert_double_gt(device_peak_dram_bytes_per_s(&dev), 3.3e12);
    ck_assert_double_lt(device_peak_dram_bytes_per_s(&dev), 3.4e12);
    ck_assert_uint_eq(device_capacity_bytes(&dev), UINT64_C(80) << 30);
    ck_assert_double_gt(device_peak_l2_bytes_per_s(&dev), device_peak_dram_bytes_per_s(&dev));
    ck_assert_double_gt(device_peak_fp32_flops(&dev), 6e13);
    done();
}
END_TEST

START_TEST(variants_that_make_sense_are_allowed)
{
    accepts("gpu.sms=1");
    accepts("gpu.sms=264");
    accepts("l2.slices=160");
    accepts("l2.slices=40"); /* two channels a slice */
    accepts("l2.ways=1");
    accepts("l2.fetch_sectors=2");
    accepts("l1.size=0B");
    accepts("l2.partitions=1");
    accepts("xbar.latency=40ns");
    accepts("memory.channels=160");
}
END_TEST

START_TEST(variants_that_do_not_are_refused_with_the_reason)
{
    refuses("gpu.threads_per_sm=2050", "must be a multiple of warp_size, 32");
    refuses("gpu.page=3MiB", "must be a power of two");
    refuses("xbar.gpcs=133", "more groups than SMs, 132");
    refuses("l2.slices=96", "must be a multiple of the 80 memory channels, or the reverse");
    refuses("l2.size=64KiB", "is less than one set of 16 ways in each of 80 slices");
    refuses("l1.size=256B", "is less than one set of 4 ways");
    refuses("l2.size=50000000B",
            "-s l2.size=50000000B: no whole number of sets (160 KiB of 16 ways "
            "in each of 80 slices); the nearest are 48800 KiB and 48960 KiB");
    refuses("l2.size=50MB", "the nearest are 48800 KiB and 48960 KiB");
    refuses("l1.size=100000B",
            "no whole number of sets (512 B of 4 ways); the nearest are 99840 B and 98 KiB");
    refuses("l1.shared_carveout=1000B", "the nearest are 512 B and 1 KiB");
    refuses("gpu.regs_per_sm=65535", "must be a multiple of the 4 parts");
    refuses("l1.shared_carveout=1MiB", "is more than the whole array");
    refuses("l2.fetch_sectors=3", "must divide the 4 sectors of a line");
    refuses("l2.line=256B", "only lines of 128 B are modelled");
    refuses("l1.sector=64B", "only sectors of 32 B are modelled");
    refuses("xbar.latency=1CK", "is below the minimum, 1 ns");
    refuses("l1.hit=1000000CK", "is above the maximum, 1 us");
    refuses("dram.dq=1024", "a burst has 1024 B, more than a line of the L2, 128 B");
    refuses("dram.map=co=1,ch,pc,co,bg,ba,ra,ro", "begin with co or co=2");
    refuses("dram.map=ch,pc,bg,ba,sid,co,ro", "the 4 bursts of a 128 B line must be neighbours");
    refuses("dram.map=co,pc,bg", "-s dram.map=co,pc,bg: field");
    refuses("dram.tFAW=1ns", "-s dram.tFAW=1ns: shorter than tRRD_S, ");
    refuses("hbm.tRRD_L=1ns", "-s hbm.tRRD_L=1ns: shorter than tRRD_S, ");
    refuses("memory hbm.write_high=10%", "-s memory hbm.write_high=10%: not above write_low, 20 %");
    refuses("memory.channels=0", "is below the minimum, 1");
    refuses("gpu.clock=1830", "needs a unit (Hz, kHz, MHz or GHz)");
}
END_TEST

static void blames(const char *const *set, size_t n, const char *want)
{
    ck_assert_int_eq(load_with(set, n), MS_INPUT);
    ck_assert_msg(strncmp(diag.msg[0], want, strlen(want)) == 0, "%s, not %s", diag.msg[0], want);
    done();
}

/* The rule is about a value in the file; the option that broke it is named in front. */
START_TEST(an_option_that_breaks_a_rule_of_another_value_is_named)
{
    static const char *const channels[] = {"gpu.sms=131", "memory.channels=3"};
    blames(channels, 2, "-s memory.channels=3: devices/h100.ini:");
    static const char *const rcd[] = {"memory.CL=40ns", "xbar.gpcs=1"};
    blames(rcd, 2, "-s memory.CL=40ns: devices/dram/hbm3-5238.ini:");
    static const char *const slices[] = {"l2.ways=7"};
    blames(slices, 1, "-s l2.ways=7: devices/h100.ini:");
    static const char *const warp[] = {"l2.ways=8", "gpu.warp_size=7"};
    blames(warp, 2, "-s gpu.warp_size=7: devices/h100.ini:");
    /* A fault of the option's own value needs no other name. */
    static const char *const own[] = {"memory.channels=0", "gpu.sms=3"};
    blames(own, 2, "-s memory.channels=0: ");
    arena = arena_new();
    diag_init(&diag);
    static const char *const alone[] = {"dram.CL=40ns"};
    const dram_spec_t *spec;
    dram_param_t p;
    int rc =
        device_load_memory(&spec, &p, "devices/dram/hbm3-6400.ini", true, alone, 1, arena, &diag);
    ck_assert_int_eq(rc, MS_INPUT);
    ck_assert_msg(!strncmp(diag.msg[0], "-s dram.CL=40ns: devices/dram/hbm3-6400.ini:", 44), "%s",
                  diag.msg[0]);
    done();
}
END_TEST

/* Without the other option the fault is there as well, with another number. */
START_TEST(an_option_that_only_changes_the_number_is_not_named)
{
    static const char *const set[] = {"l2.slices=160", "l2.ways=7", "gpu.sms=3"};
    blames(set, 3, "-s l2.ways=7: devices/h100.ini:");
}
END_TEST

START_TEST(a_dram_system_alone_comes_from_a_device_file_too)
{
    arena = arena_new();
    diag_init(&diag);
    static const char *const set[] = {"dram.channels=3"}, *const bad[] = {"gpu.sms=3"};
    dram_param_t p;
    ini_section_t *s;
    int rc = device_load_dram(&p, &s, H100, set, 1, arena, &diag);
    ck_assert_msg(rc == MS_OK, "%s", diag.n ? diag.msg[0] : "?");
    ck_assert_uint_eq(p.channels, 3);
    ck_assert_str_eq(s->name, "hbm");
    ck_assert_int_eq(device_load_dram(&p, &s, H100, bad, 1, arena, &diag), MS_INPUT);
    ck_assert_int_eq(device_load_dram(&p, &s, "devices/none.ini", NULL, 0, arena, &diag), MS_INPUT);
    ck_assert_ptr_null(s);
    done();
}
END_TEST

TEST_MAIN("device rules", the_file_as_shipped_is_good, variants_that_make_sense_are_allowed,
          variants_that_do_not_are_refused_with_the_reason,
          an_option_that_breaks_a_rule_of_another_value_is_named,
          an_option_that_only_changes_the_number_is_not_named,
          a_dram_system_alone_comes_from_a_device_file_too)
