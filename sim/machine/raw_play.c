/* SPDX-License-Identifier: MIT
 * Raw accesses on a GPU: warps on all SMs play them 32 at a time, in file order, as fast as the machine takes them.
 * They are cut into sectors and collected into batches, so a stream of any length needs constant memory. */
#include "machine/run.h"
#include <string.h>

#define BATCH ((size_t)1 << 20) /* sectors */
#define WARPS 8                 /* of a block; a block an SM */
#define SECTOR 32u

typedef struct raw_batch {
    uint64_t *sector; /* address / 32 */
    uint8_t *write;
    size_t n;
    double read_bytes, write_bytes; /* as the lines ask for */
} raw_batch_t;

static uint64_t pick(const raw_batch_t *b, int64_t k0, unsigned lanes, uint64_t *idx, bool write)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < lanes; i++) {
        size_t k = (size_t)k0 + i;
        idx[i] = b->sector[k];
        if (b->write[k] == write) mask |= UINT64_C(1) << i;
    }
    return mask;
}

static uint64_t pick_reads(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    return pick(ctx, k0, lanes, idx, false);
}

static uint64_t pick_writes(const void *ctx, int64_t k0, unsigned lanes, uint64_t *idx)
{
    return pick(ctx, k0, lanes, idx, true);
}

/* Linear position of a warp's lane 0 in iteration V_I0: lanes * (V_I0 * warps + block * WARPS + warp). */
static expr_t position(int64_t lanes, int64_t warps)
{
    expr_t x = {
        .n = 3, .var = {V_I0, V_CTA_X, V_WARP}, .coef = {lanes * warps, lanes * WARPS, lanes}};
    return x;
}

static expr_t left_of(int64_t total, expr_t x)
{
    x.c0 = total - x.c0;
    for (unsigned i = 0; i < x.n; i++) x.coef[i] = -x.coef[i];
    return x;
}

static kernel_t *make_kernel(run_t *r, const raw_batch_t *b)
{
    const gpu_param_t *g = &r->sys->dev->gpu;
    const int64_t lanes = g->warp_size, n = (int64_t)b->n, blocks = g->sms, warps = blocks * WARPS;
    kernel_t *k = arena_alloc(r->arena, sizeof *k);
    wop_t *op = arena_array(r->arena, wop_t, 4);
    expr_t at = position(lanes, warps);
    op[0] = (wop_t){.kind = WOP_LOOP,
                    .jump = 3,
                    .count = expr_const((n + lanes * warps - 1) / (lanes * warps))};
    op[1] = (wop_t){.kind = WOP_LOAD,
                    .elem_bytes = SECTOR,
                    .stride = SECTOR,
                    .count = left_of(n, at),
                    .amount = at,
                    .gather = pick_reads,
                    .gather_ctx = b};
    op[2] = op[1];
    op[2].kind = WOP_STORE;
    op[2].gather = pick_writes;
    op[3] = (wop_t){.kind = WOP_END, .jump = 0};
    *k = (kernel_t){.name = "raw",
                    .kind = "raw accesses",
                    .grid = {(uint32_t)blocks, 1, 1},
                    .block = WARPS * g->warp_size,
                    .regs_per_thread = 16,
                    .nops = 4,
                    .op = op,
                    .useful_read_bytes = b->read_bytes,
                    .useful_write_bytes = b->write_bytes};
    return k;
}

static int play(run_t *r, raw_batch_t *b)
{
    if (!b->n) return MS_OK;
    krec_t *rec = run_raw_rec(r);
    kernel_t *k = make_kernel(r, b);
    bool exact = r->exact;
    r->exact = true; /* a stream has no structure that sampling could use */
    double reads = rec->read_bytes, writes = rec->write_bytes, n = (double)rec->simulated;
    int rc = run_simulate(r, k, rec, 0);
    r->exact = exact;
    /* the record holds the mean of the batches */
    rec->read_bytes = (reads * n + b->read_bytes) / (n + 1);
    rec->write_bytes = (writes * n + b->write_bytes) / (n + 1);
    b->n = 0;
    b->read_bytes = b->write_bytes = 0;
    return rc;
}

int raw_add(run_t *r, const wcmd_t *c)
{
    raw_batch_t *b = r->raw;
    if (!b) {
        b = r->raw = arena_alloc(r->arena, sizeof *b);
        b->sector = arena_array(r->arena, uint64_t, BATCH);
        b->write = arena_array(r->arena, uint8_t, BATCH);
    }
    uint64_t capacity = r->sys->env.limit;
    if (c->addr >= capacity || c->bytes > capacity - c->addr)
        return diag_at(r->diag, MS_INPUT, r->workload_path, c->line,
                       "address 0x%llx + %llu B is beyond the memory's %llu B",
                       (unsigned long long)c->addr, (unsigned long long)c->bytes,
                       (unsigned long long)capacity);
    if (c->at_ps > 0 && !r->raw_times_noted) {
        r->raw_times_noted = true;
        diag_note(
            r->diag,
            "%s:%d: times of raw accesses are not used on a GPU device; `memsim dram` uses them",
            r->workload_path, c->line);
    }
    for (uint64_t s = c->addr / SECTOR, end = (c->addr + c->bytes - 1) / SECTOR; s <= end; s++) {
        b->sector[b->n] = s;
        b->write[b->n++] = c->write;
        if (b->n == BATCH) {
            int rc = play(r, b);
            if (rc || r->partial) return rc;
        }
    }
    *(c->write ? &b->write_bytes : &b->read_bytes) += (double)c->bytes;
    return MS_OK;
}

int raw_flush(run_t *r)
{
    return r->raw ? play(r, r->raw) : MS_OK;
}
