/* SPDX-License-Identifier: MIT
 * The shipped device files: each loads, each value says where it comes from, and what follows from them by
 * arithmetic (bandwidth, capacity, compute and L2 peaks) is what the makers publish. */
#include "machine/device.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct published {
    const char *file;
    double dram_gbytes_per_s; /* bus x rate, as sold */
    double dram_gib;          /* capacity as sold, read as GiB */
    double tensor_tflops;     /* dense fp16 at the file's clock */
    double fp32_tflops;       /* at the file's clock */
    double l2_gbytes_per_s;   /* all slices; 0: not published */
    double l2_mib;
    uint32_t sms;
} published_t;

/* DRAM, compute, SMs: datasheets.  L2: table 3 of PMC10448217 (V100 scaled from 1.53 to 1.38 GHz).  The compute
 * peaks of H100 PCIe (756.5 at 1.62 GHz) and fp32 of H100 SXM (66.9 at 1.98 GHz) are scaled to the file's clock. */
static const published_t part[] = {
    {"devices/h100.ini", 3352, 80, 989.4, 66.9 * 1.83 / 1.98, 0, 50, 132},
    {"devices/h100-pcie.ini", 2039, 80, 756.5 * 1.755 / 1.62, 51.2, 8986, 50, 114},
    {"devices/a100-80.ini", 2039, 80, 312, 19.5, 7219, 40, 108},
    {"devices/a100-40.ini", 1555, 40, 312, 19.5, 7219, 40, 108},
    {"devices/v100.ini", 898, 16, 125 * 1.38 / 1.53, 14.1, 3133 * 1.38 / 1.53, 6, 80},
    {"devices/a40.ini", 696, 48, 149.7, 37.4, 0, 6, 84},
    {"devices/orin.ini", 204.8, 64, 42.5, 5.3, 0, 4, 16},
};
#define PARTS (sizeof part / sizeof *part)

static arena_t *arena;
static diag_t diag;

static void load(device_t *dev, const char *path)
{
    arena = arena_new();
    diag_init(&diag);
    int rc = device_load(dev, path, NULL, 0, arena, &diag);
    ck_assert_msg(rc == MS_OK && diag.n == 0, "%s: %s", path,
                  diag.n ? diag.msg[0] : "failed without a message");
}

static void unload(void)
{
    diag_free(&diag);
    arena_free(arena);
}

static void near(const char *file, const char *what, double got, double want, double tolerance)
{
    ck_assert_msg(fabs(got / want - 1) <= tolerance, "%s: %s is %g, published %g", file, what, got,
                  want);
}

START_TEST(every_file_loads_without_a_word)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        ck_assert_uint_eq(dev.n_memories, 1);
        ck_assert_uint_eq(dev.gpu.sms, part[i].sms);
        unload();
    }
}
END_TEST

/* "fitted:" and "assumed:" are honest labels; a bare one, or none, is not a source. */
static unsigned sources_missing(const char *file, const ini_section_t *s)
{
    unsigned bad = 0;
    for (size_t k = 0; s && k < s->n; k++) {
        const char *src = s->entry[k].source;
        if (src && strlen(src) >= 5 && strcmp(src, "assumed") && strcmp(src, "fitted")) continue;
        bad++;
        printf("%s: [%s] %s (%s:%d) has no source\n", file, s->kind, s->entry[k].key,
               s->entry[k].file, s->entry[k].line);
    }
    return bad;
}

START_TEST(every_value_has_a_source)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        const ini_section_t *const sec[] = {dev.sec_device, dev.sec_gpu,  dev.sec_l1,
                                            dev.sec_l2,     dev.sec_xbar, dev.memory[0].section};
        size_t values = 0;
        unsigned bad = 0;
        for (size_t k = 0; k < sizeof sec / sizeof *sec; k++) {
            ck_assert_ptr_nonnull(sec[k]);
            values += sec[k]->n;
            bad += sources_missing(part[i].file, sec[k]);
        }
        ck_assert_uint_eq(bad, 0);
        ck_assert_uint_ge(values, 80); /* the DRAM file's values are among them */
        unload();
    }
}
END_TEST

/* The loader lets a run of keys share one comment; the shipped device files do not use that. */
START_TEST(a_source_line_stands_above_every_key)
{
    for (size_t i = 0; i < PARTS; i++) {
        FILE *f = fopen(part[i].file, "r");
        ck_assert_ptr_nonnull(f);
        char line[256], above[256] = "";
        size_t keys = 0;
        for (int n = 1; fgets(line, sizeof line, f); n++) {
            ck_assert_msg(strlen(line) <= 200, "%s:%d: longer than 199 bytes", part[i].file, n);
            if (line[0] != ';' && strchr(line, '=')) {
                keys++;
                ck_assert_msg(!strncmp(above, "; src: ", 7), "%s:%d: no source above", part[i].file,
                              n);
            }
            strcpy(above, line);
        }
        ck_assert_uint_ge(keys, 50);
        fclose(f);
    }
}
END_TEST

START_TEST(bus_times_rate_is_the_published_bandwidth)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        near(part[i].file, "DRAM GB/s", device_peak_dram_bytes_per_s(&dev) / 1e9,
             part[i].dram_gbytes_per_s, 0.01);
        unload();
    }
}
END_TEST

START_TEST(capacity_is_what_is_sold)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        near(part[i].file, "DRAM GiB", (double)device_capacity_bytes(&dev) / 1073741824.0,
             part[i].dram_gib, 1e-9);
        unload();
    }
}
END_TEST

START_TEST(compute_and_l2_peaks_are_published_ones)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        const published_t *p = &part[i];
        near(p->file, "tensor TFLOP/s", device_peak_tensor_flops(&dev) / 1e12, p->tensor_tflops,
             0.01);
        near(p->file, "fp32 TFLOP/s", device_peak_fp32_flops(&dev) / 1e12, p->fp32_tflops, 0.01);
        near(p->file, "L2 MiB", (double)dev.l2.size / 1048576.0, p->l2_mib, 1e-9);
        if (p->l2_gbytes_per_s > 0)
            near(p->file, "L2 GB/s", device_peak_l2_bytes_per_s(&dev) / 1e9, p->l2_gbytes_per_s,
                 0.01);
        unload();
    }
}
END_TEST

START_TEST(slices_divide_evenly)
{
    for (size_t i = 0; i < PARTS; i++) {
        device_t dev;
        load(&dev, part[i].file);
        uint32_t channels = dev.memory[0].dram.channels;
        ck_assert_uint_eq(dev.l2.slices % channels, 0);
        ck_assert_uint_eq(dev.l2.slices % dev.l2.partitions, 0);
        ck_assert_uint_eq(dev.gpu.sms % dev.l2.partitions, 0);
        ck_assert_uint_eq(dev.l2.size % ((uint64_t)dev.l2.slices * dev.l2.line * dev.l2.ways), 0);
        ck_assert_uint_eq(dev.l1.size % (dev.l1.line * dev.l1.ways), 0);
        unload();
    }
}
END_TEST

TEST_MAIN("device files", every_file_loads_without_a_word, every_value_has_a_source,
          a_source_line_stands_above_every_key, bus_times_rate_is_the_published_bandwidth,
          capacity_is_what_is_sold, compute_and_l2_peaks_are_published_ones, slices_divide_evenly)
