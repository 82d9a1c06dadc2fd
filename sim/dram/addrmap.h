/* SPDX-License-Identifier: MIT
 * Address <-> place in a memory.  A map lists fields from the least significant up, above the burst offset:
 *
 *     co=1,pc,bg,ch,co,ba,sid,ro        name=k: k bits of the field; a bare name: what is left of it
 *
 * Fields: co column, pc pseudo channel, bg bank group, ba bank, ch channel, sid or ra rank, ro row.  Sizes need
 * not be powers of two (5 channels, 80, 144); a field that is not a power of two stands in one piece.
 * hash = xor folds row bits into bank group, bank and pseudo channel, and rotates the channel by what lies above
 * it; both are undone by encode, so the map stays a bijection. */
#ifndef MEMSIM_DRAM_ADDRMAP_H
#define MEMSIM_DRAM_ADDRMAP_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/req.h"

typedef enum { AF_CO, AF_PC, AF_BG, AF_BA, AF_CH, AF_RA, AF_RO, AF_COUNT } addr_field_t;
#define ADDR_SEGMENTS 16
#define ADDR_TABLES 5

typedef struct addr_segment {
    addr_field_t field;
    uint8_t low;   /* lowest bit of the field that this piece holds */
    uint32_t size; /* values of the piece */
    uint8_t bits;  /* log2(size) if it is a power of two, else 0xff */
} addr_segment_t;

/* Where the channel stands in one piece, the row above all else, and every other size is a power of two, what is left
 * of an address without its channel is bits that are moved and XORed: by bytes, what each adds to the packed fields. */
typedef struct addr_tables {
    unsigned n;          /* bytes looked up; 0: not such a map */
    uint8_t channel_low; /* bits below the channel */
    uint8_t row_low;     /* bits below the row, the channel left out */
    uint64_t word[ADDR_TABLES][256];
} addr_tables_t;

typedef struct addrmap {
    uint32_t size[AF_COUNT];
    uint32_t burst_bytes; /* a power of two */
    unsigned burst_bits;
    bool hash;
    unsigned n;
    addr_segment_t seg[ADDR_SEGMENTS];
    uint64_t bursts; /* capacity in bursts */
    addr_tables_t fast;
} addrmap_t;

/* Parse `text`; size[] gives each field's number of values.  Faults go to d, with `place` in front: where the map was
 * set, and how. */
int addrmap_init(addrmap_t *m, const char *text, const uint32_t size[AF_COUNT],
                 uint32_t burst_bytes, bool hash, const char *place, diag_t *d);
/* Bursts with consecutive addresses, from a multiple of their number on, that lie side by side in one row. */
uint32_t addrmap_run(const addrmap_t *m);
/* addr wraps at the capacity. */
void addrmap_decode(const addrmap_t *m, addr_t addr, loc_t *loc);
addr_t addrmap_encode(const addrmap_t *m, const loc_t *loc);
/* Bytes from one value of a field's piece to the next: the lowest piece of the field. */
uint64_t addrmap_stride(const addrmap_t *m, addr_field_t f, uint32_t *values);
#endif
