/* SPDX-License-Identifier: MIT
 * Address maps: there and back for any number of channels, with and without hash, and every channel gets its share. */
#include "core/rng.h"
#include "dram/dram.h"
#include "dram_run.h"

static arena_t *arena;
static diag_t diag;

static const dram_spec_t *spec(const char *path, const char *const *set, size_t n_set)
{
    dram_param_t p;
    ini_section_t *s;
    const dram_spec_t *out = NULL;
    if (device_load_dram(&p, &s, path, set, n_set, arena, &diag) == MS_OK)
        dram_spec_new(&out, &p, arena, &diag);
    return out;
}

static void begin(void)
{
    arena = arena_new();
    diag_init(&diag);
}

static void end(void)
{
    diag_free(&diag);
    arena_free(arena);
}

static const unsigned channels[] = {1, 2, 5, 8, 10, 24, 40, 80, 144};
#define CHANNELS (sizeof channels / sizeof *channels)

START_TEST(there_and_back)
{
    for (size_t i = 0; i < DRAM_BINS; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            for (int hash = 0; hash < 2; hash++) {
                begin();
                char n[32];
                snprintf(n, sizeof n, "dram.channels=%u", channels[c]);
                const char *set[] = {n, hash ? "dram.hash=xor" : "dram.hash=none"};
                const dram_spec_t *s = spec(dram_bins[i], set, 2);
                ck_assert_msg(s != NULL, "%s", diag.n ? diag.msg[0] : "");
                uint64_t bursts = dram_capacity_bytes(s) / dram_burst_bytes(s);
                for (uint64_t k = 0; k < 3000; k++) {
                    uint64_t b = k < 1000   ? k
                                 : k < 2000 ? bursts - 1 - (k - 1000)
                                            : mix64(k) % bursts;
                    loc_t l = {0};
                    dram_decode(s, b * dram_burst_bytes(s), &l);
                    ck_assert_uint_lt(l.channel, channels[c]);
                    ck_assert_uint_eq(dram_encode(s, &l), b * dram_burst_bytes(s));
                }
                end();
            }
}
END_TEST

START_TEST(every_place_has_one_address)
{
    /* A memory so small that all of it can be looked at. */
    const char *set[] = {"dram.channels=5", "dram.rows=16", "dram.hash=xor"};
    begin();
    const dram_spec_t *s = spec("devices/dram/hbm3-6400.ini", set, 3);
    ck_assert_ptr_nonnull(s);
    uint64_t bursts = dram_capacity_bytes(s) / dram_burst_bytes(s);
    ck_assert_uint_eq(bursts, 5u * 2 * 2 * 16 * 16 * 32);
    bool *seen = calloc(bursts, sizeof *seen);
    ck_assert_ptr_nonnull(seen);
    for (uint64_t b = 0; b < bursts; b++) {
        loc_t l = {0};
        dram_decode(s, b * dram_burst_bytes(s), &l);
        uint64_t place = l.channel;
        place = place * 2 + l.pc;
        place = place * 2 + l.rank;
        place = place * 4 + l.bank_group;
        place = place * 4 + l.bank;
        place = place * 16 + l.row;
        place = place * 32 + l.col;
        ck_assert_uint_lt(place, bursts);
        ck_assert(!seen[place]);
        seen[place] = true;
    }
    free(seen);
    end();
}
END_TEST

START_TEST(channels_share_alike)
{
    for (size_t c = 0; c < CHANNELS; c++) {
        begin();
        char n[32];
        snprintf(n, sizeof n, "dram.channels=%u", channels[c]);
        const char *set[] = {n};
        const dram_spec_t *s = spec("devices/dram/hbm3-5238.ini", set, 1);
        ck_assert_ptr_nonnull(s);
        /* Lengths that are no multiple of anything; whole lines of 128 B go to one channel. */
        const uint64_t lines = 1000 * channels[c] + channels[c] / 2;
        uint64_t *count = calloc(channels[c], sizeof *count);
        ck_assert_ptr_nonnull(count);
        for (uint64_t k = 0; k < lines; k++) {
            loc_t a = {0}, b = {0};
            dram_decode(s, k * 128, &a);
            dram_decode(s, k * 128 + 127, &b);
            ck_assert_uint_eq(a.channel, b.channel);
            ck_assert_uint_eq(a.row, b.row);
            count[a.channel]++;
        }
        for (unsigned k = 0; k < channels[c]; k++) {
            ck_assert_uint_ge(count[k], 999);
            ck_assert_uint_le(count[k], 1002);
        }
        free(count);
        end();
    }
}
END_TEST

/* Strides of powers of two hit one channel, or one bank, without a hash; with it they are spread. */
START_TEST(hash_breaks_strides)
{
    begin();
    const char *set[] = {"dram.channels=16"};
    const dram_spec_t *s = spec("devices/dram/hbm2-2000.ini", set, 1);
    ck_assert_ptr_nonnull(s);
    for (uint64_t stride = 4096; stride <= UINT64_C(1) << 24; stride <<= 1) {
        unsigned count[16] = {0}, worst = 0;
        for (uint64_t k = 0; k < 256; k++) {
            loc_t l = {0};
            dram_decode(s, k * stride % dram_capacity_bytes(s), &l);
            count[l.channel]++;
        }
        for (unsigned k = 0; k < 16; k++)
            if (count[k] > worst) worst = count[k];
        ck_assert_msg(worst <= 64, "stride %llu: %u of 256 on one channel",
                      (unsigned long long)stride, worst);
    }
    end();
}
END_TEST

static void refused(const char *map, const char *says)
{
    begin();
    char m[128];
    snprintf(m, sizeof m, "dram.map=%s", map);
    const char *set[] = {m};
    ck_assert_ptr_null(spec("devices/dram/hbm2-2000.ini", set, 1));
    ck_assert_int_eq(diag.worst, MS_INPUT);
    ck_assert_msg(diag.n && strstr(diag.msg[0], says), "%s: \"%s\"", map,
                  diag.n ? diag.msg[0] : "");
    end();
}

START_TEST(bad_maps_are_refused)
{
    refused("co,pc,bg,ch,ba", "ro");               /* rows forgotten */
    refused("co=9,pc,bg,ch,co,ba,ro", "co");       /* more bits than there are */
    refused("co,pc,bg,ch,ba,row", "did you mean"); /* unknown field */
    refused("co,co,pc,bg,ch,ba,ro", "co");         /* twice */
    refused("co=x,pc,bg,ch,co,ba,ro", "bits");
}
END_TEST

TEST_MAIN("address maps", there_and_back, every_place_has_one_address, channels_share_alike,
          hash_breaks_strides, bad_maps_are_refused)
