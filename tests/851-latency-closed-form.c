/* SPDX-License-Identifier: MIT
 * The latency constants of the device files against the measurements they were fitted to, by the closed form of
 * docs/devices.md: changing one constant of the sum without the others breaks the plateau it was derived from. */
#include "machine/device.h"
#include "test.h"
#include <math.h>

typedef struct
    plateau { /* gpu-latency, RRZE-HPC/gpu-benches@1038c5d; H100 PCIe: te42kyfo/gpu-benches@1c36d50 */
    const char *file;
    double l1_ns, near_ns;
    double
        between_ns; /* a working set between half and all of a two-partition L2; 0: one partition */
    double memory_ns; /* 1.5 GiB */
} plateau_t;

/* H100 SXM: GH200 (the same die at 1.98 GHz), L1 and near L2 in cycles, the rest in ns. */
static const plateau_t measured[] = {
    {"devices/v100.ini", 28 / 1.38, 212 / 1.38, 0, 434 / 1.38},
    {"devices/a40.ini", 33 / 1.74, 250 / 1.74, 0, 556 / 1.74},
    {"devices/a100-80.ini", 33 / 1.41, 206 / 1.41, 412 / 1.41, 552 / 1.41},
    {"devices/h100-pcie.ini", 34 / 1.755, 265 / 1.755, 478 / 1.755, 657 / 1.755},
    {"devices/h100.ini", 33 / 1.83, 265 / 1.83, 516 / 1.98, 689 / 1.98},
};

static double gap_ns(gap_t g, double clock_hz)
{
    return g.in_clocks ? (double)g.v * 1e9 / clock_hz : (double)g.v / 1e3;
}

static double port_ns(double bytes, uint32_t bytes_per_clk, double clock_hz)
{
    return bytes / bytes_per_clk * 1e9 / clock_hz;
}

typedef struct latency {
    double near_hit, near_miss, far; /* far: what the other partition adds */
} latency_t;

static latency_t closed_form(const device_t *dev)
{
    double sm = (double)dev->gpu.clock, l2 = (double)dev->l2.clock;
    const xbar_param_t *x = &dev->xbar;
    const dram_param_t *m = &dev->memory[0].dram;
    double ask = x->header_bytes, reply = ask + (double)dev->l2.sector;
    double ports = port_ns(ask, x->sm_request_bytes_per_clk, l2) +
                   port_ns(ask, x->slice_request_bytes_per_clk, l2) +
                   port_ns(reply, x->slice_reply_bytes_per_clk, l2) +
                   port_ns(reply, x->sm_reply_bytes_per_clk, l2);
    double ck_hz = (double)m->rate / m->bits_per_ck;
    double dram =
        gap_ns(m->tRCDRD, ck_hz) + gap_ns(m->CL, ck_hz) + m->burst_length * 1e9 / (double)m->rate;
    latency_t t;
    t.near_hit = gap_ns(dev->l1.miss, sm) + 2 * gap_ns(x->latency, l2) + gap_ns(dev->l2.hit, l2) +
                 gap_ns(dev->l1.fill, sm) + ports;
    t.near_miss = t.near_hit - gap_ns(dev->l2.hit, l2) + gap_ns(dev->l2.to_memory, l2) +
                  gap_ns(dev->l2.from_memory, l2) + dram;
    t.far = 2 * gap_ns(dev->l2.peer, l2) + port_ns(ask, dev->l2.peer_bytes_per_clk, l2) +
            port_ns(reply, dev->l2.peer_bytes_per_clk, l2);
    return t;
}

static void within(const char *file, const char *what, double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got / want - 1) <= tolerance, "%s: %s is %.1f ns, measured %.1f ns", file,
                  what, got, want);
}

START_TEST(constants_add_up_to_the_measured_plateaus)
{
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const plateau_t *p = &measured[i];
        arena_t *a = arena_new();
        diag_t d;
        device_t dev;
        diag_init(&d);
        ck_assert_int_eq(device_load(&dev, p->file, NULL, 0, a, &d), MS_OK);
        latency_t t = closed_form(&dev);
        bool two = dev.l2.partitions == 2;
        ck_assert_int_eq(two, p->between_ns > 0);
        within(p->file, "L1 hit", gap_ns(dev.l1.hit, (double)dev.gpu.clock), p->l1_ns, 0.01);
        within(p->file, "near hit", t.near_hit, p->near_ns, 0.01);
        /* Between half and all of the L2 a few loads still hit in the near half: the form is an upper bound. */
        if (two)
            within(p->file, "half to all of the L2", (t.near_miss + t.near_hit + t.far) / 2,
                   p->between_ns, 0.06);
        /* The share of loads that find their bank in refresh is left out: about 1 %. */
        within(p->file, "1.5 GiB", t.near_miss + (two ? t.far / 2 : 0), p->memory_ns, 0.03);
        diag_free(&d);
        arena_free(a);
    }
}
END_TEST

TEST_MAIN("latency closed form", constants_add_up_to_the_measured_plateaus)
