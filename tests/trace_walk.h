/* SPDX-License-Identifier: MIT
 * A plain interpreter of warp programs for tests: every block, every warp, every operation, no timing.  It sums
 * what a kernel asks for, so that a closed form can be held against what the program does, and counts accesses
 * that leave the buffers the kernel says it works on. */
#ifndef MEMSIM_TESTS_TRACE_WALK_H
#define MEMSIM_TESTS_TRACE_WALK_H
#include "workload/workload.h"
#include <check.h>
#include <string.h>

typedef struct walk {
    double read_bytes, write_bytes; /* accesses by lane */
    double tile_read_bytes, tile_write_bytes;
    double ops[UNIT_COUNT];
    uint64_t outside; /* accesses not inside an operand, stores into one that is only read */
    uint64_t steps;
} walk_t;

static inline bool walk_inside(const kernel_t *k, addr_t a, uint64_t n, bool write)
{
    for (uint32_t i = 0; i < k->noperands; i++) {
        const operand_t *o = &k->operand[i];
        if (a >= o->base && a + n <= o->base + o->bytes && (o->written || !write)) return true;
    }
    return false;
}

static inline void walk_access(const kernel_t *k, const wop_t *w, const int64_t *v,
                               unsigned warp_lanes, walk_t *s)
{
    bool write = w->kind == WOP_STORE || w->kind == WOP_ATOMIC;
    int64_t lanes = expr_eval(&w->count, v);
    if (lanes > (int64_t)warp_lanes) lanes = warp_lanes;
    if (lanes <= 0) return;
    if (!w->gather) { /* affine: the first and the last lane bound the others */
        int64_t first = expr_eval(&w->addr, v);
        if (!walk_inside(k, (addr_t)first, w->elem_bytes, write) ||
            !walk_inside(k, (addr_t)(first + w->stride * (lanes - 1)), w->elem_bytes, write))
            s->outside++;
        if (w->kind != WOP_STORE) s->read_bytes += (double)(lanes * w->elem_bytes);
        if (write) s->write_bytes += (double)(lanes * w->elem_bytes);
        return;
    }
    uint64_t idx[WARP_LANES_MAX], active = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    active &= w->gather(w->gather_ctx, expr_eval(&w->amount, v), (unsigned)lanes, idx);
    int64_t base = expr_eval(&w->addr, v);
    for (int64_t i = 0; i < lanes; i++) {
        if (!(active >> i & 1)) continue;
        if (!walk_inside(k, (addr_t)(base + w->stride * (int64_t)idx[i]), w->elem_bytes, write))
            s->outside++;
        if (w->kind != WOP_STORE) s->read_bytes += w->elem_bytes;
        if (write) s->write_bytes += w->elem_bytes;
    }
}

static inline void walk_tile(const kernel_t *k, const wop_t *w, const int64_t *v, walk_t *s)
{
    bool write = w->kind == WOP_TILE_STORE;
    int64_t rows = expr_eval(&w->count, v), bytes = expr_eval(&w->amount, v),
            a = expr_eval(&w->addr, v);
    if (rows <= 0 || bytes <= 0) return;
    for (int64_t r = 0; r<rows; r += rows> 1 ? rows - 1 : 1) /* first and last row bound the rest */
        if (!walk_inside(k, (addr_t)(a + r * w->stride), (uint64_t)bytes, write)) s->outside++;
    *(write ? &s->tile_write_bytes : &s->tile_read_bytes) += (double)rows * (double)bytes;
}

static inline void walk_warp(const kernel_t *k, int64_t *v, unsigned warp_lanes, walk_t *s)
{
    int64_t left[LOOP_DEPTH] = {0};
    for (uint32_t i = 0; i < k->nlets; i++) v[V_LET0 + i] = expr_eval(&k->let[i], v);
    for (uint32_t pc = 0; pc < k->nops; pc++) {
        const wop_t *w = &k->op[pc];
        s->steps++;
        switch (w->kind) {
        case WOP_LOAD:
        case WOP_STORE:
        case WOP_ATOMIC:
        case WOP_PREFETCH:
            walk_access(k, w, v, warp_lanes, s);
            break;
        case WOP_TILE_LOAD:
        case WOP_TILE_STORE:
            walk_tile(k, w, v, s);
            break;
        case WOP_COMPUTE:
            s->ops[w->unit] += (double)expr_eval(&w->amount, v);
            break;
        case WOP_LOOP:
            left[w->depth] = expr_eval(&w->count, v);
            v[V_I0 + w->depth] = 0;
            if (left[w->depth] <= 0) pc = w->jump;
            break;
        case WOP_END:
            v[V_I0 + w->depth]++;
            if (--left[w->depth] > 0) pc = w->jump;
            break;
        case WOP_SKIP_UNLESS:
            if (!expr_eval(&w->count, v)) pc = w->jump - 1u;
            break;
        case WOP_EXIT:
            return;
        case WOP_COMMIT:
        case WOP_WAIT:
        case WOP_WAIT_GROUP:
        case WOP_SHARED:
        case WOP_BARRIER:
            break;
        }
    }
}

/* Run the whole grid. */
static inline walk_t walk_kernel(const kernel_t *k, unsigned warp_lanes)
{
    walk_t s;
    memset(&s, 0, sizeof s);
    int64_t warps = k->agent ? 1 : (k->block + warp_lanes - 1) / warp_lanes;
    for (uint32_t z = 0; z < k->grid[2]; z++)
        for (uint32_t y = 0; y < k->grid[1]; y++)
            for (uint32_t x = 0; x < k->grid[0]; x++)
                for (int64_t warp = 0; warp < warps; warp++) {
                    int64_t v[V_COUNT] = {x, y, z, warp};
                    walk_warp(k, v, warp_lanes, &s);
                }
    return s;
}
#endif
