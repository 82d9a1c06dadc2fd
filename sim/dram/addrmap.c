/* SPDX-License-Identifier: MIT */
#include "dram/addrmap.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"co", "pc", "bg", "ba", "ch", "ra", "ro", "sid"};

static int find(const char *s, size_t n)
{
    for (int i = 0; i < 8; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], s, n)) return i == 7 ? AF_RA : i;
    return -1;
}

static bool power_of_two(uint32_t x)
{
    return x && !(x & (x - 1));
}

static uint8_t log2_of(uint32_t x)
{
    return power_of_two(x) ? (uint8_t)__builtin_ctz(x) : 0xff;
}

static int add(addrmap_t *m, addr_field_t f, uint32_t size, unsigned low)
{
    if (size == 1) return 0;
    if (m->n == ADDR_SEGMENTS) return -1;
    m->seg[m->n++] = (addr_segment_t){f, (uint8_t)low, size, log2_of(size)};
    return 0;
}

static void make_tables(addrmap_t *m);

int addrmap_init(addrmap_t *m, const char *text, const uint32_t size[AF_COUNT],
                 uint32_t burst_bytes, bool hash, const char *place, diag_t *d)
{
    *m = (addrmap_t){.burst_bytes = burst_bytes,
                     .burst_bits = (unsigned)__builtin_ctz(burst_bytes),
                     .hash = hash,
                     .bursts = 1};
    unsigned low[AF_COUNT] = {0};
    bool whole[AF_COUNT] = {false};
    for (unsigned f = 0; f < AF_COUNT; f++) {
        m->size[f] = size[f];
        m->bursts *= size[f];
    }
    for (const char *p = text; *p;) {
        p += strspn(p, " ,");
        size_t n = strcspn(p, ",= ");
        if (!n) break;
        int f = find(p, n);
        if (f < 0) {
            char word[16] = {0};
            memcpy(word, p, n < 15 ? n : 15);
            const char *near = diag_nearest(word, names, 8);
            return diag_add(
                d, MS_INPUT,
                "%s: unknown field \"%s\"%s%s; fields are co pc bg ba ch sid (or ra) ro", place,
                word, near ? ", did you mean " : "", near ? near : "");
        }
        p += n;
        if (whole[f])
            return diag_add(d, MS_INPUT, "%s: field %s has no bits left", place, names[f]);
        uint32_t left = power_of_two(size[f]) ? size[f] >> low[f] : size[f];
        if (*p == '=') {
            char *end;
            unsigned long k = strtoul(p + 1, &end, 10);
            if (end == p + 1 || k > 31)
                return diag_add(d, MS_INPUT, "%s: expected a number of bits after \"%s=\"", place,
                                names[f]);
            p = end;
            if (!power_of_two(size[f]))
                return diag_add(d, MS_INPUT,
                                "%s: %s has %u values, not a power of two: it cannot be split",
                                place, names[f], size[f]);
            if (UINT32_C(1) << k > left)
                return diag_add(d, MS_INPUT, "%s: %s has fewer than %u bits", place, names[f],
                                low[f] + (unsigned)k);
            if (add(m, (addr_field_t)f, UINT32_C(1) << k, low[f]))
                return diag_add(d, MS_INPUT, "%s: too many pieces", place);
            low[f] += (unsigned)k;
            if (UINT32_C(1) << low[f] == size[f]) whole[f] = true;
        } else {
            if (add(m, (addr_field_t)f, left, low[f]))
                return diag_add(d, MS_INPUT, "%s: too many pieces", place);
            whole[f] = true;
        }
    }
    for (unsigned f = 0; f < AF_COUNT; f++)
        if (!whole[f] && size[f] > 1)
            return diag_add(d, MS_INPUT, "%s: field %s (%u values) is not (wholly) in the map",
                            place, names[f], size[f]);
    make_tables(m);
    return MS_OK;
}

/* ---- hashing ---- */
static uint32_t fold(uint32_t value, uint32_t with, uint32_t size, bool back)
{
    if (power_of_two(size)) return value ^ (with & (size - 1));
    with %= size;
    return back ? (value + size - with) % size : (value + with) % size;
}

static uint32_t turn(uint64_t above, uint32_t channels)
{
    return (uint32_t)((above * 0x9E3779B97F4A7C15u) >> 40) % channels;
}

static void hash_banks(const addrmap_t *m, uint32_t v[AF_COUNT], bool back)
{
    uint32_t row = v[AF_RO];
    v[AF_BG] = fold(v[AF_BG], row ^ row >> 5, m->size[AF_BG], back);
    v[AF_BA] = fold(v[AF_BA], row >> 2 ^ row >> 7, m->size[AF_BA], back);
    v[AF_PC] = fold(v[AF_PC], row >> 4 ^ row >> 9, m->size[AF_PC], back);
}

/* Field by field; x < m->bursts. */
static void decode_pieces(const addrmap_t *m, uint64_t x, uint32_t v[AF_COUNT])
{
    for (unsigned i = 0; i < m->n; i++) {
        const addr_segment_t *s = &m->seg[i];
        uint32_t piece;
        if (s->bits != 0xff) {
            piece = (uint32_t)x & (s->size - 1);
            x >>= s->bits;
        } else {
            uint64_t q = x / s->size;
            piece = (uint32_t)(x - q * s->size);
            x = q;
        }
        if (s->field == AF_CH && m->hash && s->size == m->size[AF_CH]) {
            piece += turn(x, s->size);
            if (piece >= s->size) piece -= s->size;
        }
        v[s->field] |= piece << s->low;
    }
    if (m->hash) hash_banks(m, v, false);
}

/* ---- by tables ---- */
static bool made_of_bits(addrmap_t *m)
{
    unsigned bits = 0;
    bool channel = false;
    for (unsigned i = 0; i < m->n; i++) {
        const addr_segment_t *s = &m->seg[i];
        const bool whole = s->size == m->size[s->field];
        if (s->field == AF_RO) {
            m->fast.row_low = (uint8_t)bits;
            return whole && channel && i + 1 == m->n;
        }
        if (s->field == AF_CH) {
            if (!whole) return false;
            channel = true;
            m->fast.channel_low = (uint8_t)bits;
        } else if (s->bits == 0xff)
            return false;
        else
            bits += s->bits;
    }
    return false;
}

static void make_tables(addrmap_t *m)
{
    addr_tables_t *t = &m->fast;
    const uint64_t left = m->bursts / m->size[AF_CH];
    unsigned bits = 0;
    while ((left - 1) >> bits) bits++;
    if (!made_of_bits(m) || bits > 8 * ADDR_TABLES) return;
    t->n = (bits + 7) / 8;
    for (unsigned i = 0; i < bits; i++) {
        const uint64_t bit = UINT64_C(1) << i, below = (UINT64_C(1) << t->channel_low) - 1;
        uint32_t v[AF_COUNT] = {0};
        decode_pieces(m, (bit & ~below) * m->size[AF_CH] | (bit & below), v);
        const uint64_t word = v[AF_CO] | (uint64_t)v[AF_PC] << 16 | (uint64_t)v[AF_BG] << 24 |
                              (uint64_t)v[AF_BA] << 32 | (uint64_t)v[AF_RA] << 40;
        for (unsigned k = 0; k < 256; k++)
            if (k >> i % 8 & 1) t->word[i / 8][k] ^= word;
    }
}

static void decode_by_tables(const addrmap_t *m, uint64_t x, loc_t *loc)
{
    const addr_tables_t *t = &m->fast;
    const uint32_t channels = m->size[AF_CH];
    const uint64_t above = (x >> t->channel_low) / channels;
    const uint64_t below = x & ((UINT64_C(1) << t->channel_low) - 1);
    const uint64_t left = above << t->channel_low | below;
    uint32_t channel = (uint32_t)((x >> t->channel_low) - above * channels);
    if (m->hash) {
        channel += turn(above, channels);
        if (channel >= channels) channel -= channels;
    }
    uint64_t word = 0;
    for (unsigned i = 0; i < t->n; i++) word ^= t->word[i][left >> 8 * i & 0xff];
    *loc = (loc_t){.channel = (uint16_t)channel,
                   .col = (uint16_t)word,
                   .pc = (uint8_t)(word >> 16),
                   .bank_group = (uint8_t)(word >> 24),
                   .bank = (uint8_t)(word >> 32),
                   .rank = (uint8_t)(word >> 40),
                   .row = (uint32_t)(left >> t->row_low)};
}

void addrmap_decode(const addrmap_t *m, addr_t addr, loc_t *loc)
{
    uint64_t x = addr >> m->burst_bits;
    if (x >= m->bursts) x %= m->bursts;
    if (m->fast.n) {
        decode_by_tables(m, x, loc);
        return;
    }
    uint32_t v[AF_COUNT] = {0};
    decode_pieces(m, x, v);
    *loc = (loc_t){.channel = (uint16_t)v[AF_CH],
                   .col = (uint16_t)v[AF_CO],
                   .pc = (uint8_t)v[AF_PC],
                   .bank_group = (uint8_t)v[AF_BG],
                   .bank = (uint8_t)v[AF_BA],
                   .rank = (uint8_t)v[AF_RA],
                   .row = v[AF_RO]};
}

addr_t addrmap_encode(const addrmap_t *m, const loc_t *loc)
{
    uint32_t v[AF_COUNT] = {loc->col,     loc->pc,   loc->bank_group, loc->bank,
                            loc->channel, loc->rank, loc->row};
    if (m->hash) hash_banks(m, v, true);
    uint64_t x = 0;
    for (unsigned i = m->n; i-- > 0;) {
        const addr_segment_t *s = &m->seg[i];
        uint32_t piece = s->bits != 0xff ? v[s->field] >> s->low & (s->size - 1) : v[s->field];
        if (s->field == AF_CH && m->hash && s->size == m->size[AF_CH])
            piece = (piece + s->size - turn(x, s->size)) % s->size;
        x = x * s->size + piece;
    }
    return x * m->burst_bytes;
}

uint32_t addrmap_run(const addrmap_t *m)
{
    uint32_t run = 1;
    for (unsigned i = 0; i < m->n && m->seg[i].field == AF_CO; i++) run *= m->seg[i].size;
    return run;
}

uint64_t addrmap_stride(const addrmap_t *m, addr_field_t f, uint32_t *values)
{
    uint64_t stride = m->burst_bytes;
    for (unsigned i = 0; i < m->n; i++) {
        if (m->seg[i].field == f && m->seg[i].low == 0) {
            *values = m->seg[i].size;
            return stride;
        }
        stride *= m->seg[i].size;
    }
    *values = 1;
    return stride;
}
