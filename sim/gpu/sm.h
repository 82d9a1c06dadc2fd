/* SPDX-License-Identifier: MIT
 * A streaming multiprocessor: resident blocks, their warps, the load/store pipe, the bulk-copy engine, arithmetic
 * and shared-memory pipes.  A warp runs its program until something stops it (a wait, a full resource, time);
 * pipes are next-free-time servers, so an event is needed only where a warp wakes.
 *
 * Owned by the partition of its group of SMs.  The block scheduler (front.c) hands over cta_t objects and gets
 * them back. */
#ifndef MEMSIM_GPU_SM_H
#define MEMSIM_GPU_SM_H
#include "core/access.h"
#include "core/engine.h"
#include "core/hist.h"
#include "core/req.h"
#include "core/rng.h"
#include "core/server.h"
#include "core/span.h"
#include "core/stat_banks.h"
#include "gpu/coalesce.h"
#include "gpu/gpu_param.h"
#include "gpu/sm_stats.h"

#define GROUPS 32 /* copy groups a block may have open at once */
typedef struct sm sm_t;
typedef struct cta cta_t;
typedef struct kernel_run kernel_run_t;

typedef enum {
    WARP_FREE,
    WARP_RUN,
    WARP_TOKEN,
    WARP_GROUP,
    WARP_BARRIER,
    WARP_SLOTS,
    WARP_OWN,
    WARP_TIME,
    WARP_DRAIN
} warp_state_t;

typedef struct warp {
    cta_t *cta;
    struct warp *next; /* in a wait list */
    uint16_t pc, sub;  /* program counter; lines of the present access already sent */
    uint8_t state, token;
    uint32_t slot;         /* index in sm->warp */
    uint32_t in_flight;    /* line requests */
    uint16_t out[TOKENS];  /* outstanding per token */
    ps_t ready_ps[TOKENS]; /* when the latest data of a token are there */
    ps_t pipe_done_ps[8];  /* ends of the latest arithmetic operations, a ring */
    uint8_t pipe_head;
    ps_t result_ps; /* results of all arithmetic so far are ready */
    uint32_t want_group;
    ps_t start_ps;
    int64_t loop_n[LOOP_DEPTH];
    int64_t v[V_COUNT];
} warp_t;

struct cta { /* a resident block; passed between front and SM */
    kernel_run_t *run;
    cta_t *next;
    uint32_t id; /* linear index in the grid */
    uint16_t sm;
    uint32_t n_warps, live; /* warps (1 for agents); still running */
    uint32_t at_barrier;
    warp_t *barrier_list, *group_list;
    uint32_t open_group,
        done_group;             /* groups committed so far; groups [0, done_group) are complete */
    uint32_t group_out[GROUPS]; /* lines outstanding per group, ring */
    uint32_t bulk_out;          /* bulk-copy lines outstanding, loads */
    ps_t group_ready_ps[GROUPS];
    uint32_t stores_left; /* filled in at retirement: stores of the SM not yet accepted */
    uint64_t load_bytes, store_bytes, operations; /* asked for by its warps */
    warp_t *warp[64];
};

typedef struct tile_job { /* a bulk copy on its way through the SM's copy engine */
    struct tile_job *next;
    cta_t *cta;
    kernel_run_t *run;
    addr_t addr;
    int64_t pitch;
    uint64_t row_bytes;
    uint32_t rows, row, line; /* progress */
    uint32_t group;
    uint32_t trace_line;
    bool store;
} tile_job_t;

/* One kernel in execution; owned by the front, read by SMs, except `sm` parts. */
struct kernel_run {
    const kernel_t *k;
    uint32_t seq;      /* kernel sequence number */
    uint8_t bank;      /* of the counters it is charged to (core/stat_banks.h) */
    uint64_t l1_bytes; /* carve-out in force */
    void *owner;
};

typedef struct sm_env { /* how an SM meets the rest; filled by sim/machine */
    engine_t *engine;
    arena_t *arena;
    req_pool_t *requests; /* of all SMs */
    const gpu_param_t *gpu;
    unsigned front_part;
    bool hop_events;
    ps_t reply_ps; /* a slice's reply port -> the SM's side of the crossbar */
    ps_t l1_miss_ps, l1_fill_ps, l1_hit_ps;
    void *ctx;
    addr_t (*translate)(void *ctx, addr_t va);                       /* virtual to physical */
    int (*l1_load)(void *ctx, sm_t *sm, req_t *r, ps_t t, ps_t now); /* 0 hit, 1 miss, 2 full */
    void (*l1_store)(void *ctx, sm_t *sm, req_t *r, ps_t t, ps_t now);
    void (*l1_reset)(void *ctx, sm_t *sm, uint64_t bytes);
    req_t *(*l1_reply)(void *ctx, sm_t *sm, req_t *r);              /* list of completed */
    void (*send)(void *ctx, sm_t *sm, req_t *r, ps_t at, ps_t now); /* past the L1 */
    ps_t (*receive)(void *ctx, sm_t *sm, req_t *r, ps_t now);       /* through the reply port */
    void (*retired)(void *front, void *cta, ps_t now);              /* event at the front */
    void (*drained)(void *front, void *drain, ps_t now); /* a kernel's last store of an SM */
    void *front;
    void (*followed)(void *ctx, const req_t *r, ps_t done); /* --follow: print */
    uint32_t follow_id;                                     /* request number, 0 none */
    addr_t limit;                                           /* first address past the memory */
    /* The pages that buffers use, by number, and how many bytes of each; NULL: no access is outside.  Pages that are
     * used whole have a bit, so that most accesses look no further. */
    const uint32_t *page_used;
    const uint64_t *page_whole;
    uint64_t pages;
    unsigned page_shift;
} sm_env_t;

typedef struct sm_drain { /* stores of one kernel on one SM */
    uint16_t sm;
    bool owed;       /* a block of the kernel ended before its stores were accepted */
    uint32_t stores; /* in flight */
    kernel_run_t *run;
} sm_drain_t;

typedef struct sm_latency {           /* of one kernel's loads and bulk copies on one SM */
    hist_t hist;                      /* ps, issue -> data there */
    uint64_t hop_ps[ST_COUNT], hop_n; /* by stage, of requests that went to memory or L2 */
} sm_latency_t;

typedef enum { FAULT_NONE, FAULT_ADDRESS, FAULT_TILE, FAULT_AMOUNT, FAULT_TIME } sm_fault_kind_t;
typedef struct sm_fault { /* what a program asked for and cannot have; the run is refused */
    sm_fault_kind_t kind;
    uint32_t line; /* of the trace */
    uint64_t a, b; /* address; rows, bytes a row; amount */
} sm_fault_t;

struct sm {
    const sm_env_t *env;
    src_t src;
    uint16_t id, partition_side; /* which L2 half is near */
    clk_t clk;
    ps_t clk_ps, lsu_ps, tile_ps, issue_ps, retire_ps, warp_launch_ps, barrier_ps, alu_ps,
        mma_latency_ps, slack_ps;
    uint32_t rate[UNIT_COUNT]; /* operations per cycle */
    server_t issue, lsu, tile, shared, setup, pipe[UNIT_COUNT];
    warp_t *warp; /* all slots */
    warp_t *free_warp;
    warp_t *slot_wait, **slot_tail; /* warps that found no load or store slot, in order */
    tile_job_t *tile_head, **tile_tail, *tile_free;
    bool tile_event;
    const warp_t *resuming;
    uint32_t loads, stores, tiles; /* line requests in flight */
    uint32_t resident;             /* blocks */
    uint32_t l1_seq;               /* kernel the L1 was last invalidated for */
    uint64_t l1_bytes;             /* its size since then */
    sm_drain_t *drain;             /* [STAT_BANKS] */
    uint32_t next_id;
    uint64_t iterations; /* of outermost loops, all warps */
    sm_fault_t fault;    /* the first */
    struct {
        uint64_t lines; /* requests outside every buffer, since set to zero; the first: */
        uint32_t trace_line;
        addr_t addr;
    } outside;
    span_t
        crossed; /* the L1, since it was last set to zero: a turn in the load/store pipe .. data */
    sm_stats_t st;
    stat_banks_t banks;          /* of st, by kernel */
    sm_latency_t *lat, **lat_of; /* of the bank in use; of all, NULL where there is none yet */
};

/* Charge what is counted next to this bank. */
void sm_charge_other(sm_t *s, unsigned bank);
static inline void sm_charge(sm_t *s, unsigned bank)
{
    if (s->banks.now != bank) sm_charge_other(s, bank);
}
/* Remember a fault, the first one; the run ends at the next look. */
void sm_fault(sm_t *s, sm_fault_kind_t kind, uint32_t line, uint64_t a, uint64_t b);
/* Is this the size of a tile? */
static inline bool tile_fits(int64_t rows, int64_t row_bytes)
{
    return rows <= WOP_TILE_BYTES_MAX && row_bytes <= WOP_TILE_BYTES_MAX / rows;
}
void sm_init(sm_t *s, const sm_env_t *env, uint16_t id, unsigned partition);
/* Event: a block arrives.  self = sm_t, arg = cta_t. */
void sm_cta_arrive(void *self, void *arg, ps_t now);
/* Event: a reply arrives at the SM's side of the crossbar.  self = sm_t, arg = req_t. */
void sm_reply_arrive(void *self, void *arg, ps_t now);
/* Run warp w from time now until it stops (sm.c; used by sm_mem.c to go on with warps that waited). */
void sm_warp_run(sm_t *s, warp_t *w, ps_t now);
/* Post the wake of a stopped warp at time at >= now. */
void sm_wake(sm_t *s, warp_t *w, ps_t at);
/* Issue (the rest of) a memory operation.  False: the warp stopped for want of slots. */
bool sm_memory_op(sm_t *s, warp_t *w, const wop_t *op, ps_t t, ps_t now);
/* Hand a bulk copy to the copy engine. */
void sm_tile_op(sm_t *s, warp_t *w, const wop_t *op, ps_t now);
/* Close the open group; advance done_group over complete ones and wake waiters. */
void sm_groups_advance(sm_t *s, cta_t *c);
/* The block's last warp ended and its copies are back: give it to the front. */
void sm_cta_check_end(sm_t *s, cta_t *c, ps_t at);
/* Lines of one access of a warp with variables v (gpu/sm_mem.c); *bytes: asked by the lanes. */
unsigned wop_lines(const wop_t *op, const int64_t *v, unsigned warp_size, line_access_t *out,
                   uint64_t *bytes);
#endif
