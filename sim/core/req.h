/* SPDX-License-Identifier: MIT
 * The request: one line's worth of sectors on its way from an SM to DRAM and back.  Whoever holds it owns it:
 * it crosses partitions inside events, never by sharing. */
#ifndef MEMSIM_CORE_REQ_H
#define MEMSIM_CORE_REQ_H
#include "core/arena.h"
#include "core/units.h"

typedef enum {
    REQ_READ,
    REQ_WRITE,
    REQ_ATOMIC,
    REQ_PREFETCH,
    REQ_WRITEBACK,
    REQ_WALK,
    REQ_MIGRATION,
    REQ_COPY,
    REQ_KINDS
} req_kind_t;

typedef struct loc {          /* where a physical line lives */
    uint16_t channel;         /* of the memory */
    uint16_t col;             /* in bursts */
    uint8_t pc;               /* pseudo channel of the channel */
    uint8_t rank;             /* rank or SID */
    uint8_t bank_group, bank; /* bank within its group */
    uint32_t row;
} loc_t;

typedef enum {               /* stages a request passes; a stamp each, taken once */
               ST_ISSUE,     /* the warp instruction left the SM's load/store queue */
               ST_L1_OUT,    /* missed L1, left for the crossbar */
               ST_L2_IN,     /* tag lookup begins at the slice */
               ST_DRAM_IN,   /* accepted by the memory controller's staging queue */
               ST_DRAM_CAS,  /* first column command */
               ST_DRAM_DONE, /* last beat of data */
               ST_L2_OUT,    /* reply enters the crossbar */
               ST_DONE,      /* data in the register or shared memory */
               ST_COUNT
} stage_t;
extern const char *const stage_names[ST_COUNT]; /* core/req.c */

#define ST_KEPT ST_DONE /* stages a request keeps the times of: when it is done, it is gone */

/* Two cache lines: requests in flight are what a run's memory is full of.  The second is looked at only for what goes
 * to memory, and by those who ask for more than the caches' work. */
typedef struct req {
    struct req *next; /* list link of whoever holds it */
    void *owner;      /* private to the present holder */
    uint32_t line;    /* physical address / 128 */
    uint32_t l2_set;  /* in its slice, near or home: they are alike */
    uint16_t home;    /* home L2 slice */
    uint16_t sm;
    uint16_t warp;      /* slot in the SM, or the unit that asked */
    uint8_t bank;       /* counters it is charged to: its kernel's (core/stat_banks.h) */
    uint8_t kind;       /* req_kind_t */
    uint8_t sectors;    /* what the present hop moves; bit i = bytes 32 i .. 32 i + 31 */
    uint8_t partial;    /* sectors a store covers only in part */
    uint8_t asked[2];   /* sectors wanted from the slice of that level */
    uint8_t left[2];    /* of those, still missing there */
    uint8_t l1_left;    /* sectors still missing in the L1 */
    unsigned token : 4; /* dependence token */
    uint8_t
        level : 1; /* 0: at the slice the SM addressed; 1: beyond the partition link, at the home slice */
    unsigned bulk : 1;      /* a bulk copy, bypasses the L1 */
    unsigned tracked : 1;   /* printed by --follow */
    unsigned at_memory : 1; /* it was there: its stamps of the memory count */
    ps_t stamp
        [ST_KEPT]; /* from ST_DRAM_IN on in the second line; ST_L2_OUT only of those that wait on */
    loc_t loc;     /* in memory */
    addr_t addr;
    uint32_t kernel, id; /* kernel sequence number, request number, of those that are tracked */
} req_t;

/* Start fetching a request that is soon to be looked at; NULL is fine. */
static inline void req_prefetch(const req_t *r)
{
    __builtin_prefetch(r);
    __builtin_prefetch((const void *)((uintptr_t)r + 64));
}

static inline void req_prefetch_memory(const req_t *r)
{
    __builtin_prefetch(r->stamp + ST_DRAM_IN);
}

/* Requests not in use, the last one given back first: of all that are, it is the one still in the processor's cache. */
typedef struct req_pool {
    arena_t *arena;
    req_t *free;
} req_pool_t;

/* A request with the contents it had when it was given back. */
static inline req_t *req_take(req_pool_t *p)
{
    req_t *r = p->free;
    if (!r) return arena_alloc(p->arena, sizeof *r);
    p->free = r->next;
    return r;
}

static inline void req_give(req_pool_t *p, req_t *r)
{
    r->next = p->free;
    p->free = r;
}

/* Sectors in a mask. */
static inline unsigned sector_count(uint8_t mask)
{
    unsigned n = mask - (mask >> 1 & 0x55u);
    n = (n & 0x33) + (n >> 2 & 0x33);
    return (n + (n >> 4)) & 0xf;
}
#endif
