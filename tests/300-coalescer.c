/* SPDX-License-Identifier: MIT
 * The coalescer: lanes become lines with sector masks.  Right answers are counted by hand, and by a second
 * formula that marks byte by byte. */
#include "gpu/coalesce.h"
#include "test.h"
#include <string.h>

enum { LANES = 32 };

static unsigned sectors_in(const line_access_t *l, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) s += (unsigned)__builtin_popcount(l[i].sectors);
    return s;
}

static void line_is(const line_access_t *l, addr_t line, unsigned sectors, unsigned partial)
{
    ck_assert_msg(l->line == line && l->sectors == sectors && l->partial == partial,
                  "line 0x%llx, sectors 0x%x, partial 0x%x; expected 0x%llx, 0x%x, 0x%x",
                  (unsigned long long)l->line, l->sectors, l->partial, (unsigned long long)line,
                  sectors, partial);
}

/* ---- the second formula: every byte of every lane is marked ---- */
typedef struct marks {
    addr_t line[COALESCE_MAX];
    bool byte[COALESCE_MAX][LINE_BYTES];
    unsigned n;
} marks_t;

static void mark_byte(marks_t *m, addr_t a)
{
    unsigned i = 0;
    while (i < m->n && m->line[i] != a / LINE_BYTES * LINE_BYTES) i++;
    if (i == m->n) {
        m->line[m->n++] = a / LINE_BYTES * LINE_BYTES;
        memset(m->byte[i], 0, sizeof m->byte[i]);
    }
    m->byte[i][a % LINE_BYTES] = true;
}

static void same_as_marks(const marks_t *m, const line_access_t *l, unsigned n)
{
    ck_assert_uint_eq(n, m->n);
    for (unsigned i = 0; i < n; i++) {
        unsigned sectors = 0, partial = 0;
        for (unsigned s = 0; s < LINE_BYTES / SECTOR_BYTES; s++) {
            unsigned bytes = 0;
            for (unsigned b = 0; b < SECTOR_BYTES; b++) bytes += m->byte[i][s * SECTOR_BYTES + b];
            if (bytes) sectors |= 1u << s;
            if (bytes && bytes < SECTOR_BYTES) partial |= 1u << s;
        }
        line_is(&l[i], m->line[i], sectors, partial);
    }
}

START_TEST(neighbouring_lanes_fill_whole_lines)
{
    line_access_t l[COALESCE_MAX];
    static const unsigned elem[] = {4, 8, 16}, lines[] = {1, 2, 4};
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(coalesce_strided(0x1000, elem[i], elem[i], LANES, l), lines[i]);
        for (unsigned k = 0; k < lines[i]; k++) line_is(&l[k], 0x1000 + 128 * k, 0xf, 0);
    }
    /* bytes: 32 of them are one sector */
    ck_assert_uint_eq(coalesce_strided(0x1020, 1, 1, LANES, l), 1);
    line_is(&l[0], 0x1000, 0x2, 0);
}
END_TEST

START_TEST(strides_spread_lanes_over_sectors_and_lines)
{
    line_access_t l[COALESCE_MAX];
    /* 4 B every 8 B: 256 B, all sectors of two lines, none of them whole */
    ck_assert_uint_eq(coalesce_strided(0, 8, 4, LANES, l), 2);
    for (unsigned k = 0; k < 2; k++) line_is(&l[k], 128 * k, 0xf, 0xf);
    /* 4 B every 32 B: a sector a lane, four lanes a line */
    ck_assert_uint_eq(coalesce_strided(0, 32, 4, LANES, l), 8);
    for (unsigned k = 0; k < 8; k++) line_is(&l[k], 128 * k, 0xf, 0xf);
    /* 4 B every 64 B: every other sector */
    ck_assert_uint_eq(coalesce_strided(0, 64, 4, LANES, l), 16);
    for (unsigned k = 0; k < 16; k++) line_is(&l[k], 128 * k, 0x5, 0x5);
    /* 8 B every 128 B: a line a lane */
    ck_assert_uint_eq(coalesce_strided(96, 128, 8, LANES, l), LANES);
    for (unsigned k = 0; k < LANES; k++) line_is(&l[k], 128 * k, 0x8, 0x8);
    /* whole sectors every 64 B are not partial */
    ck_assert_uint_eq(coalesce_strided(0, 16, 16, 2, l), 1);
    line_is(&l[0], 0, 0x1, 0);
}
END_TEST

START_TEST(a_negative_stride_walks_down)
{
    line_access_t l[COALESCE_MAX];
    ck_assert_uint_eq(coalesce_strided(0x1000 + 124, -4, 4, LANES, l), 1);
    line_is(&l[0], 0x1000, 0xf, 0);
    ck_assert_uint_eq(coalesce_strided(0x1000, -128, 4, 3, l), 3);
    for (unsigned k = 0; k < 3; k++) line_is(&l[k], 0x1000 - 128 * k, 0x1, 0x1);
}
END_TEST

START_TEST(a_misaligned_range_touches_one_line_more)
{
    line_access_t l[COALESCE_MAX];
    /* 128 B from byte 4: the first sector misses its first 4 bytes, 4 bytes lie in the next line */
    ck_assert_uint_eq(coalesce_strided(0x1004, 4, 4, LANES, l), 2);
    line_is(&l[0], 0x1000, 0xf, 0x1);
    line_is(&l[1], 0x1080, 0x1, 0x1);
    /* moved by a whole sector nothing is partial */
    ck_assert_uint_eq(coalesce_strided(0x1020, 4, 4, LANES, l), 2);
    line_is(&l[0], 0x1000, 0xe, 0);
    line_is(&l[1], 0x1080, 0x1, 0);
}
END_TEST

START_TEST(an_element_may_straddle_a_line)
{
    line_access_t l[COALESCE_MAX];
    /* one lane, 16 B of which 8 lie on either side */
    ck_assert_uint_eq(coalesce_strided(0x1078, 256, 16, 1, l), 2);
    line_is(&l[0], 0x1000, 0x8, 0x8);
    line_is(&l[1], 0x1080, 0x1, 0x1);
    /* three lanes that all straddle: six lines, in order of first touch */
    ck_assert_uint_eq(coalesce_strided(0x1078, 256, 16, 3, l), 6);
    for (unsigned k = 0; k < 3; k++) {
        line_is(&l[2 * k], 0x1000 + 256 * k, 0x8, 0x8);
        line_is(&l[2 * k + 1], 0x1080 + 256 * k, 0x1, 0x1);
    }
    /* all lanes of the widest warp straddling: the most lines there can be */
    ck_assert_uint_eq(coalesce_strided(0x1078, 256, 16, WARP_LANES_MAX, l), COALESCE_MAX);
}
END_TEST

START_TEST(lanes_with_one_address_are_one_sector)
{
    line_access_t l[COALESCE_MAX];
    ck_assert_uint_eq(coalesce_strided(0x1048, 0, 8, LANES, l), 1);
    line_is(&l[0], 0x1000, 0x4, 0x4);
    uint64_t idx[LANES];
    for (unsigned i = 0; i < LANES; i++) idx[i] = 9;
    ck_assert_uint_eq(coalesce_gather(0x1000, 8, 8, UINT32_MAX, idx, LANES, l), 1);
    line_is(&l[0], 0x1000, 0x4, 0x4); /* 9 * 8 = 72 */
}
END_TEST

START_TEST(fewer_lanes_touch_less)
{
    line_access_t l[COALESCE_MAX];
    ck_assert_uint_eq(coalesce_strided(0x1000, 4, 4, 0, l), 0);
    ck_assert_uint_eq(coalesce_strided(0x1000, 4, 4, 1, l), 1);
    line_is(&l[0], 0x1000, 0x1, 0x1);
    ck_assert_uint_eq(coalesce_strided(0x1000, 4, 4, 8, l), 1);
    line_is(&l[0], 0x1000, 0x1, 0);
    ck_assert_uint_eq(coalesce_strided(0x1000, 4, 4, 17, l), 1);
    line_is(&l[0], 0x1000, 0x7, 0x4);
}
END_TEST

START_TEST(inactive_lanes_of_a_gather_touch_nothing)
{
    line_access_t l[COALESCE_MAX];
    uint64_t idx[LANES];
    for (unsigned i = 0; i < LANES; i++) idx[i] = i;
    ck_assert_uint_eq(coalesce_gather(0, 128, 4, 0, idx, LANES, l), 0);
    ck_assert_uint_eq(coalesce_gather(0, 128, 4, 0x80000001, idx, LANES, l), 2);
    line_is(&l[0], 0, 0x1, 0x1);
    line_is(&l[1], 31 * 128, 0x1, 0x1);
    /* every other lane of a unit stride: half of each sector */
    ck_assert_uint_eq(coalesce_gather(0, 4, 4, 0x55555555, idx, LANES, l), 1);
    line_is(&l[0], 0, 0xf, 0xf);
    /* together the odd and even lanes make it whole again */
    ck_assert_uint_eq(coalesce_gather(0, 4, 4, UINT32_MAX, idx, LANES, l), 1);
    line_is(&l[0], 0, 0xf, 0);
    /* a bit beyond the lanes is no lane */
    ck_assert_uint_eq(coalesce_gather(0, 4, 4, UINT64_C(1) << 40, idx, LANES, l), 0);
}
END_TEST

START_TEST(lines_come_in_order_of_first_touch)
{
    line_access_t l[COALESCE_MAX];
    const uint64_t idx[6] = {5, 2, 5, 9, 2, 0};
    ck_assert_uint_eq(coalesce_gather(0, 128, 8, 0x3f, idx, 6, l), 4);
    static const addr_t want[4] = {5 * 128, 2 * 128, 9 * 128, 0};
    for (unsigned i = 0; i < 4; i++) line_is(&l[i], want[i], 0x1, 0x1);
}
END_TEST

static uint64_t next_random(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *x >> 33;
}

START_TEST(random_gathers_agree_with_marking_bytes)
{
    static const unsigned elems[] = {1, 2, 4, 8, 16};
    uint64_t x = 12345;
    for (unsigned round = 0; round < 5000; round++) {
        unsigned elem = elems[next_random(&x) % 5], lanes = 1 + (unsigned)(next_random(&x) % 64);
        addr_t base = next_random(&x) % 4096;
        uint64_t range = 1 + next_random(&x) % 400, idx[WARP_LANES_MAX];
        uint64_t mask = next_random(&x) << 32 | next_random(&x);
        int64_t step = (int64_t)(next_random(&x) % 40);
        marks_t m = {.n = 0};
        for (unsigned i = 0; i < lanes; i++) {
            idx[i] = next_random(&x) % range;
            for (unsigned b = 0; b < elem && mask >> i & 1; b++)
                mark_byte(&m, base + (addr_t)step * idx[i] + b);
        }
        line_access_t l[COALESCE_MAX];
        unsigned n = coalesce_gather(base, step, elem, mask, idx, lanes, l);
        same_as_marks(&m, l, n);
    }
}
END_TEST

START_TEST(strides_agree_with_marking_bytes)
{
    static const unsigned elems[] = {1, 2, 4, 8, 16};
    for (unsigned e = 0; e < 5; e++)
        for (int64_t stride = -40; stride <= 300; stride++)
            for (addr_t offset = 0; offset < 128; offset += 13) {
                marks_t m = {.n = 0};
                addr_t a = 65536 + offset;
                for (int64_t i = 0; i < LANES; i++)
                    for (unsigned b = 0; b < elems[e]; b++)
                        mark_byte(&m, a + (addr_t)(stride * i) + b);
                line_access_t l[COALESCE_MAX];
                same_as_marks(&m, l, coalesce_strided(a, stride, elems[e], LANES, l));
            }
}
END_TEST

START_TEST(a_range_is_cut_into_lines_piece_by_piece)
{
    line_access_t whole[16], part[16];
    const addr_t at = 0x1064;
    const uint64_t bytes = 1000; /* 100 + 1000 = 1100 bytes from a line's start: 9 lines */
    ck_assert_uint_eq(range_lines(at, bytes), 9);
    ck_assert_uint_eq(coalesce_range(at, bytes, 0, 16, whole), 9);
    line_is(&whole[0], 0x1000, 0x8, 0x8); /* bytes 100..127 */
    line_is(&whole[1], 0x1080, 0xf, 0);
    line_is(&whole[8], 0x1000 + 8 * 128, 0x7, 0x4); /* 1100 - 1024 = 76 bytes */
    for (unsigned skip = 0; skip < 9; skip += 2) {
        unsigned n = coalesce_range(at, bytes, skip, 2, part);
        ck_assert_uint_eq(n, skip == 8 ? 1 : 2);
        for (unsigned i = 0; i < n; i++)
            line_is(&part[i], whole[skip + i].line, whole[skip + i].sectors,
                    whole[skip + i].partial);
    }
    ck_assert_uint_eq(coalesce_range(at, bytes, 9, 16, part), 0);
    ck_assert_uint_eq(range_lines(at, 0), 0);
    ck_assert_uint_eq(range_lines(127, 1), 1);
    ck_assert_uint_eq(range_lines(127, 2), 2);
}
END_TEST

START_TEST(no_access_moves_less_than_it_asks_for)
{
    line_access_t l[COALESCE_MAX];
    for (int64_t stride = 1; stride <= 512; stride *= 2) {
        unsigned n = coalesce_strided(0, stride, 1, LANES, l);
        uint64_t span = (uint64_t)stride * (LANES - 1) + 1;
        /* distinct sectors: the span's while the stride is within a sector, else one a lane */
        unsigned want = stride <= 32 ? (unsigned)((span + 31) / 32) : LANES;
        ck_assert_uint_eq(sectors_in(l, n), want);
    }
}
END_TEST

TEST_MAIN("coalescer", neighbouring_lanes_fill_whole_lines,
          strides_spread_lanes_over_sectors_and_lines, a_negative_stride_walks_down,
          a_misaligned_range_touches_one_line_more, an_element_may_straddle_a_line,
          lanes_with_one_address_are_one_sector, fewer_lanes_touch_less,
          inactive_lanes_of_a_gather_touch_nothing, lines_come_in_order_of_first_touch,
          random_gathers_agree_with_marking_bytes, strides_agree_with_marking_bytes,
          a_range_is_cut_into_lines_piece_by_piece, no_access_moves_less_than_it_asks_for)
