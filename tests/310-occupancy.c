/* SPDX-License-Identifier: MIT
 * Occupancy: how many blocks fit on an SM, and what says so.  Right answers are worked by hand from the rules of
 * CUDA's occupancy calculator. */
#include "core/arena.h"
#include "core/diag.h"
#include "gpu/occupancy.h"
#include "machine/device.h"
#include "test.h"
#include <string.h>

/* Limits of an SM, as the devices have them (CUDA C++ Programming Guide, table of compute capabilities). */
static const gpu_param_t v100 = {.warp_size = 32,
                                 .threads_per_sm = 2048,
                                 .ctas_per_sm = 32,
                                 .regs_per_sm = 65536,
                                 .shared_per_sm = 96 << 10,
                                 .shared_reserved = 0};
static const gpu_param_t a100 = {.warp_size = 32,
                                 .threads_per_sm = 2048,
                                 .ctas_per_sm = 32,
                                 .regs_per_sm = 65536,
                                 .shared_per_sm = 164 << 10,
                                 .shared_reserved = 1024};
static const gpu_param_t h100 = {.warp_size = 32,
                                 .threads_per_sm = 2048,
                                 .ctas_per_sm = 32,
                                 .regs_per_sm = 65536,
                                 .shared_per_sm = 228 << 10,
                                 .shared_reserved = 1024};

typedef struct fit {
    const gpu_param_t *gpu;
    uint32_t block, regs, shared; /* threads, registers a thread, bytes */
    uint32_t ctas;
    const char *limit;
} fit_t;

static const fit_t fits[] = {
    /* threads: 2048 / 1024, 2048 / 256 */
    {&h100, 1024, 16, 0, 2, "threads"},
    {&a100, 256, 32, 0, 8, "threads"},
    {&v100, 512, 32, 0, 4, "threads"},
    /* a block is whole warps: 65 threads are 96, 2048 / 96 = 21 */
    {&h100, 65, 32, 0, 21, "threads"},
    /* 33 threads take 64: 32 blocks by threads and by number; the first limit is named */
    {&h100, 33, 16, 0, 32, "threads"},
    /* small blocks: 32 at most */
    {&h100, 32, 32, 0, 32, "blocks"},
    {&v100, 1, 16, 0, 32, "blocks"},
    /* registers: 64 x 32 = 2048 a warp, 8 warps in each quarter of 16384: 32 warps */
    {&h100, 256, 64, 0, 4, "registers"},
    {&v100, 1024, 64, 0, 1, "registers"},
    /* 168 x 32 = 5376, 3 warps a quarter, 12 in all: one block of 384 threads */
    {&h100, 384, 168, 0, 1, "registers"},
    /* 255 x 32 = 8160 is rounded to 8192, 2 warps a quarter, 8 in all: two blocks of 128 */
    {&a100, 128, 255, 0, 2, "registers"},
    /* 33 x 32 = 1056 is rounded up to 1280: 12 warps a quarter, 48 in all; unrounded it would be 62 warps */
    {&a100, 512, 33, 0, 3, "registers"},
    {&a100, 64, 33, 0, 24, "registers"},
    /* 40 x 32 = 1280 needs no rounding; 65536 / 1280 = 51 warps would be 25 blocks of 64: a warp's registers lie in
     * one quarter, so 48 warps and 24 blocks */
    {&h100, 64, 40, 0, 24, "registers"},
    /* 72 x 32 = 2304: 7 a quarter, 28 warps; one block of 28 warps, not two of 15 */
    {&h100, 896, 72, 0, 1, "registers"},
    {&h100, 448, 72, 0, 2, "registers"},
    {&h100, 480, 72, 0, 1, "registers"},
    /* shared memory, with 1 KiB kept by the system: 228 / (48 + 1) = 4, 164 / 49 = 3; Volta keeps none: 96 / 48 = 2 */
    {&h100, 128, 32, 48 << 10, 4, "shared memory"},
    {&a100, 128, 32, 48 << 10, 3, "shared memory"},
    {&v100, 128, 32, 48 << 10, 2, "shared memory"},
    /* the most a block can have: 227 KiB on H100, 163 on A100, 96 on V100 */
    {&h100, 128, 32, 227 << 10, 1, "shared memory"},
    {&a100, 128, 32, 163 << 10, 1, "shared memory"},
    {&v100, 128, 32, 96 << 10, 1, "shared memory"},
    /* one byte is 128: 2 x 113.5 KiB would fit, 2 x (113 KiB + 1 B) do not: 113 KiB + 128 B + 1 KiB = 116864 B */
    {&h100, 128, 32, 113 << 10, 2, "shared memory"},
    {&h100, 128, 32, (113 << 10) + 1, 1, "shared memory"},
};

START_TEST(blocks_per_sm_as_worked_by_hand)
{
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        const fit_t *f = &fits[i];
        kernel_t k = {.block = f->block, .regs_per_thread = f->regs, .shared_bytes = f->shared};
        occupancy_t o = occupancy_of(f->gpu, &k);
        ck_assert_msg(o.ctas == f->ctas, "%u threads, %u registers, %u B: %u blocks, not %u",
                      f->block, f->regs, f->shared, o.ctas, f->ctas);
        ck_assert_msg(!strcmp(occupancy_names[o.limit], f->limit),
                      "%u threads, %u registers, %u B: limited by %s, not %s", f->block, f->regs,
                      f->shared, occupancy_names[o.limit], f->limit);
        ck_assert_uint_eq(o.warps, (f->block + 31) / 32);
    }
}
END_TEST

START_TEST(what_cannot_run_has_no_blocks_and_a_reason)
{
    static const struct {
        kernel_t k;
        occupancy_limit_t why;
    } never[] = {
        {{.block = 1024, .regs_per_thread = 65},
         OCC_REGS}, /* 65 x 32 -> 2304, 28 warps, needs 32 */
        {{.block = 2080, .regs_per_thread = 16}, OCC_THREADS},
        {{.block = 128, .regs_per_thread = 32, .shared_bytes = (227 << 10) + 1}, OCC_SHARED},
        {{.block = 32, .regs_per_thread = 513}, OCC_REGS}, /* more than a quarter for one warp */
    };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        occupancy_t o = occupancy_of(&h100, &never[i].k);
        ck_assert_uint_eq(o.ctas, 0);
        ck_assert_int_eq(o.limit, never[i].why);
    }
    /* one step less and each of them runs */
    ck_assert_uint_eq(occupancy_of(&h100, &(kernel_t){.block = 1024, .regs_per_thread = 64}).ctas,
                      1);
    ck_assert_uint_eq(occupancy_of(&h100, &(kernel_t){.block = 2048, .regs_per_thread = 16}).ctas,
                      1);
    ck_assert_uint_eq(occupancy_of(&h100, &(kernel_t){.block = 32, .regs_per_thread = 512}).ctas,
                      4);
}
END_TEST

/* Whatever the shape, that many blocks fit together by the amounts given as allocated, and one more does not. */
START_TEST(allocations_add_up_to_the_limit)
{
    const gpu_param_t *const gpu[] = {&v100, &a100, &h100};
    for (unsigned g = 0; g < 3; g++)
        for (uint32_t block = 32; block <= 1024; block += 32)
            for (uint32_t regs = 8; regs <= 255; regs += 3) {
                kernel_t k = {
                    .block = block, .regs_per_thread = regs, .shared_bytes = block * regs / 2};
                occupancy_t o = occupancy_of(gpu[g], &k);
                const uint64_t have[4] = {gpu[g]->threads_per_sm, gpu[g]->ctas_per_sm,
                                          gpu[g]->regs_per_sm, gpu[g]->shared_per_sm};
                const uint64_t take[4] = {o.threads, 1, o.regs, o.shared};
                for (unsigned i = 0; i < 4; i++) ck_assert_uint_le(o.ctas * take[i], have[i]);
                ck_assert_uint_gt((o.ctas + 1) * take[o.limit], have[o.limit]);
                /* CUDA's rule for registers: floor(a quarter / a warp's) x 4 warps */
                uint32_t warp = (regs * 32 + 255) / 256 * 256, warps = 16384 / warp * 4;
                ck_assert_uint_le(o.ctas * o.warps, warps);
                if (o.limit == OCC_REGS) ck_assert_uint_eq(o.ctas, warps / o.warps);
            }
}
END_TEST

START_TEST(device_files_have_these_limits)
{
    static const struct {
        const char *file;
        const gpu_param_t *gpu;
    } dev[] = {{"devices/v100.ini", &v100},
               {"devices/a100-80.ini", &a100},
               {"devices/a100-40.ini", &a100},
               {"devices/h100.ini", &h100},
               {"devices/h100-pcie.ini", &h100}};
    for (size_t i = 0; i < sizeof dev / sizeof *dev; i++) {
        arena_t *a = arena_new();
        diag_t d;
        device_t x;
        diag_init(&d);
        ck_assert_int_eq(device_load(&x, dev[i].file, NULL, 0, a, &d), MS_OK);
        const gpu_param_t *g = dev[i].gpu;
        ck_assert_uint_eq(x.gpu.warp_size, g->warp_size);
        ck_assert_uint_eq(x.gpu.threads_per_sm, g->threads_per_sm);
        ck_assert_uint_eq(x.gpu.ctas_per_sm, g->ctas_per_sm);
        ck_assert_uint_eq(x.gpu.regs_per_sm, g->regs_per_sm);
        ck_assert_uint_eq(x.gpu.shared_per_sm, g->shared_per_sm);
        ck_assert_uint_eq(x.gpu.shared_reserved, g->shared_reserved);
        diag_free(&d);
        arena_free(a);
    }
}
END_TEST

TEST_MAIN("occupancy", blocks_per_sm_as_worked_by_hand, what_cannot_run_has_no_blocks_and_a_reason,
          allocations_add_up_to_the_limit, device_files_have_these_limits)
