/* SPDX-License-Identifier: MIT
 * What a workload is made of: commands in stream order; a kernel is a grid of thread blocks (CTAs) whose warps
 * run one warp program, a flat array of operations.  sim/workload produces these, sim/gpu executes them; neither
 * knows the other.
 *
 * Dependence.  A load is issued and the warp goes on; it names a *token* (0..15).  `WOP_WAIT token` stops the
 * warp until all its accesses with that token have returned (load-to-use).  Asynchronous copies
 * global -> shared are counted per CTA in *groups*: WOP_COMMIT closes the open group, WOP_WAIT_GROUP n waits
 * until at most n of the latest groups are unfinished (cp.async.wait_group / mbarrier).
 * Stores and copies shared -> global are fire and forget; a kernel ends when its last store has been accepted
 * by the L2. */
#ifndef MEMSIM_CORE_ACCESS_H
#define MEMSIM_CORE_ACCESS_H
#include "core/expr.h"
#include "core/units.h"

#define WARP_LANES_MAX 64
#define TOKENS 16
#define LOOP_DEPTH 4
#define WOP_AMOUNT_MAX (INT64_C(1) << 40) /* operations or bytes of one WOP_COMPUTE, WOP_SHARED */
#define WOP_TILE_BYTES_MAX (INT64_C(1) << 24) /* the most shared memory an SM can have */

typedef enum {
    WOP_LOAD,     /* global -> registers, through L1 */
    WOP_STORE,    /* registers -> global */
    WOP_ATOMIC,   /* read-modify-write at the L2, result returned under `token` */
    WOP_PREFETCH, /* into L2, nobody waits */
    WOP_TILE_LOAD, /* bulk asynchronous copy of a 2-D tile global -> shared (cp.async.bulk/TMA), bypasses L1 */
    WOP_TILE_STORE, /* bulk copy shared -> global */
    WOP_COMMIT,     /* close the CTA's open copy group */
    WOP_WAIT,       /* all accesses of `token` returned */
    WOP_WAIT_GROUP, /* at most `n` groups unfinished */
    WOP_COMPUTE,    /* `amount` operations on `unit`, whole warp (or whole CTA for agent kernels) */
    WOP_SHARED,     /* `amount` bytes through the SM's shared-memory port */
    WOP_BARRIER,    /* all warps of the CTA */
    WOP_LOOP, /* `count` times up to the matching WOP_END; 0 skips; counter slot V_I0 + depth */
    WOP_END,
    WOP_SKIP_UNLESS, /* go to `jump` if `count` evaluates to 0 */
    WOP_EXIT
} wop_kind_t;

typedef enum {
    UNIT_FP32,
    UNIT_FP64,
    UNIT_FP16,
    UNIT_TENSOR_FP16,
    UNIT_TENSOR_FP8,
    UNIT_TENSOR_TF32,
    UNIT_INT,
    UNIT_SFU,
    UNIT_COUNT
} unit_t;
extern const char *const unit_names[UNIT_COUNT]; /* "fp32", "fp64", ..., in core/access.c */

/* An index distribution for gathers: fills idx[0..lanes) with element indices for linear positions
 * k0, k0+1, ..., and returns a bit mask of the active lanes.  Pure function of (ctx, k0). */
typedef uint64_t (*gather_fn)(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx);

typedef struct wop {
    wop_kind_t kind;
    uint8_t token;      /* accesses, WOP_WAIT */
    uint8_t elem_bytes; /* bytes a lane moves: 1, 2, 4, 8 or 16 */
    uint8_t unit;       /* WOP_COMPUTE: unit_t */
    uint8_t depth;      /* WOP_LOOP, WOP_END: nesting depth 0..3 */
    uint16_t
        jump; /* WOP_LOOP: index of its WOP_END; WOP_END: of its WOP_LOOP; WOP_SKIP_UNLESS: target */
    uint32_t line; /* in the trace file, for messages */
    expr_t
        addr; /* address of lane 0 (byte address, buffer base added), or gather base, or tile start */
    expr_t
        count; /* active lanes (accesses; clamped to [0, warp size]); loop count; wait-group n; rows of a tile */
    expr_t
        amount; /* compute: operations; shared: bytes; tile: bytes a row; gather: linear position of lane 0 */
    int64_t
        stride; /* bytes between lanes; tile: bytes between rows; gather: bytes an index steps */
    gather_fn gather; /* non-NULL: lane address = addr + stride * idx[lane] */
    const void *gather_ctx;
} wop_t;

typedef struct
    operand { /* a memory range the kernel works on, for cache-state classes and capacity */
    addr_t base;
    uint64_t bytes;
    bool written;
} operand_t;

typedef struct kernel {
    const char *name; /* as in the trace, unique per definition */
    const char
        *kind; /* row of the summary table: "gemm", "attention", "stream", ... (default: name) */
    uint32_t grid[3], block;                /* CTAs, threads a CTA */
    uint32_t regs_per_thread, shared_bytes; /* occupancy limits */
    bool
        agent; /* one agent runs the program for its whole CTA; amounts are per CTA, accesses tiles */
    uint32_t nlets;
    const expr_t *
        let; /* evaluated in order into V_LET0.. when a warp starts (may use CTA, warp, earlier lets) */
    uint32_t nops;
    const wop_t *op;
    double flops; /* stated by the kernel's formulas, per launch; 0 if none */
    double useful_read_bytes,
        useful_write_bytes; /* what a benchmark counts; 0,0 = use requested bytes */
    uint32_t noperands;
    const operand_t *operand;
} kernel_t;

typedef enum {
    WC_LAUNCH,
    WC_COPY,
    WC_RECORD,
    WC_WAIT,
    WC_COLLECTIVE,
    WC_RAW,
    WC_GRAPH_BEGIN,
    WC_GRAPH_END,
    WC_MARK,
    WC_END
} wcmd_kind_t;

/* One command.  Pointers stay valid until the workload is freed. */
typedef struct wcmd {
    wcmd_kind_t kind;
    uint32_t stream;
    int line;
    /* WC_LAUNCH: which definition with which numbers.  Two launches with equal (def, nargs, arg) are identical
     * but for buffer bases, which are in `base`. */
    uint32_t def;
    uint32_t nargs, nbases;
    const int64_t *arg;
    const addr_t *base;
    bool graph; /* launched from a graph: the smaller launch gap */
    /* WC_RECORD, WC_WAIT: event number.  WC_COLLECTIVE: name and bytes.  WC_COPY: addr -> addr2, bytes.
     * WC_RAW: one access at earliest time at_ps (-1: as soon as accepted).  WC_MARK: text = phase name. */
    uint32_t event;
    const char *text;
    addr_t addr, addr2;
    uint64_t bytes;
    bool write;
    ps_t at_ps;
} wcmd_t;
#endif
