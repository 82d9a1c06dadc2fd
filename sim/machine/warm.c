/* SPDX-License-Identifier: MIT
 * Functional warming: the L2 accesses of work that sampling passes over, without time, so that what follows finds
 * the cache as a full run would have left it.  Only as much as can matter is played: somewhat more than the capacity. */
#include "gpu/coalesce.h"
#include "machine/run.h"
#include <string.h>

#define STEPS_MAX (UINT64_C(1) << 27) /* a second of the host's time */

#define RING 32u
typedef struct pending { /* of a line, about to be played: its sets are being fetched */
    slice_t *near, *home;
    uint32_t set, line;
    uint8_t sectors;
    bool write;
} pending_t;

typedef struct warmer {
    run_t *r;
    const kernel_t *k;
    uint64_t lines; /* played so far */
    uint64_t stores;
    uint64_t steps; /* of programs */
    bool gave_up;   /* there are too many steps, or the user interrupts */
    bool count_only;
    uint32_t n_ring; /* touches so far; the last RING of them wait */
    pending_t ring[RING];
} warmer_t;

static void play_touch(warmer_t *w, const pending_t *t)
{
    unsigned written = 0;
    w->r->played.missed_sectors +=
        slice_warm(t->near, t->home, t->set, t->line, t->sectors, t->write, &written);
    w->r->played.written_sectors += written;
}

static void play_rest(warmer_t *w)
{
    for (uint32_t i = w->n_ring < RING ? 0 : w->n_ring - RING; i < w->n_ring; i++)
        play_touch(w, &w->ring[i % RING]);
    w->n_ring = 0;
}

static void touch_line(warmer_t *w, uint16_t sm, const line_access_t *l, bool write)
{
    system_t *s = w->r->sys;
    if (l->line >= s->env.limit) return;
    if (w->count_only) {
        w->lines++;
        w->stores += write;
        return;
    }
    pending_t *t = &w->ring[w->n_ring % RING];
    if (w->n_ring >= RING) play_touch(w, t);
    w->n_ring++;
    const uint32_t home = system_locate(s, translate_va(s->translate, 0, l->line), &t->set);
    t->home = &s->slice[home];
    t->near = &s->slice[system_near(s, home, sm)];
    t->line = (uint32_t)(l->line / LINE_BYTES);
    t->sectors = l->sectors;
    t->write = write;
    tags_prefetch(&t->home->tags, t->set);
    if (t->near != t->home) tags_prefetch(&t->near->tags, t->set);
    w->lines++;
    w->r->played.lines++;
    w->r->played.loads += !write;
}

static void play_op(warmer_t *w, uint16_t sm, const wop_t *op, const int64_t *v)
{
    line_access_t line[COALESCE_MAX];
    uint64_t bytes;
    bool write = op->kind == WOP_STORE || op->kind == WOP_TILE_STORE || op->kind == WOP_ATOMIC;
    if (op->kind == WOP_TILE_LOAD || op->kind == WOP_TILE_STORE) {
        int64_t rows = expr_eval(&op->count, v), row_bytes = expr_eval(&op->amount, v);
        addr_t a = (addr_t)expr_eval(&op->addr, v);
        if (rows <= 0 || row_bytes <= 0 || !tile_fits(rows, row_bytes)) return;
        for (int64_t i = 0; i < rows; i++, a += (addr_t)op->stride)
            for (unsigned skip = 0;; skip += COALESCE_MAX) {
                unsigned n = coalesce_range(a, (uint64_t)row_bytes, skip, COALESCE_MAX, line);
                for (unsigned j = 0; j < n; j++) touch_line(w, sm, &line[j], write);
                if (n < COALESCE_MAX) break;
            }
        return;
    }
    unsigned n = wop_lines(op, v, w->r->sys->dev->gpu.warp_size, line, &bytes);
    for (unsigned j = 0; j < n; j++) touch_line(w, sm, &line[j], write);
}

static bool moves_data(wop_kind_t kind)
{
    return kind == WOP_LOAD || kind == WOP_STORE || kind == WOP_ATOMIC || kind == WOP_PREFETCH ||
           kind == WOP_TILE_LOAD || kind == WOP_TILE_STORE;
}

static bool too_long(warmer_t *w)
{
    w->steps++;
    if (w->steps > STEPS_MAX || (!(w->steps & 0xffff) && run_stop_wanted(w->r))) w->gave_up = true;
    return w->gave_up;
}

/* Run ops [pc, end) of a program functionally. */
static void play(warmer_t *w, uint16_t sm, uint32_t pc, uint32_t end, int64_t *v)
{
    int64_t n[LOOP_DEPTH];
    while (pc < end) {
        const wop_t *op = &w->k->op[pc];
        if (too_long(w)) return;
        if (op->kind == WOP_LOOP) {
            n[op->depth] = expr_eval(&op->count, v);
            v[V_I0 + op->depth] = 0;
            pc = n[op->depth] > 0 ? pc + 1 : op->jump + 1u;
        } else if (op->kind == WOP_END) {
            pc = ++v[V_I0 + op->depth] < n[op->depth] ? op->jump + 1u : pc + 1;
        } else if (op->kind == WOP_SKIP_UNLESS) {
            pc = expr_eval(&op->count, v) ? pc + 1 : op->jump;
        } else if (op->kind == WOP_EXIT) {
            return;
        } else {
            if (moves_data(op->kind)) play_op(w, sm, op, v);
            pc++;
        }
    }
}

/* Of so many lines the last fill nearly every set of the L2 anew. */
static uint64_t lines_that_matter(const run_t *r)
{
    return r->sys->dev->l2.size / LINE_BYTES * 3 / 2;
}

/* All of one warp's accesses. */
static void play_warp(warmer_t *w, uint64_t block, uint32_t warp, uint16_t sm)
{
    const kernel_t *k = w->k;
    int64_t v[V_COUNT] = {0};
    v[V_CTA_X] = (int64_t)(block % k->grid[0]);
    v[V_CTA_Y] = (int64_t)(block / k->grid[0] % k->grid[1]);
    v[V_CTA_Z] = (int64_t)(block / k->grid[0] / k->grid[1]);
    v[V_WARP] = warp;
    for (uint32_t j = 0; j < k->nlets; j++) v[V_LET0 + j] = expr_eval(&k->let[j], v);
    play(w, sm, 0, k->nops, v);
}

block_count_t count_block(run_t *r, const kernel_t *k, uint64_t block)
{
    occupancy_t o = occupancy_of(&r->sys->dev->gpu, k);
    warmer_t w = {.r = r, .k = k, .count_only = true};
    for (uint32_t i = 0; i < (k->agent ? 1 : o.warps); i++) play_warp(&w, block, i, 0);
    if (w.gave_up) w.lines = w.stores = 0;
    return (block_count_t){w.lines, w.stores, w.steps};
}

void warm_ctas(run_t *r, const kernel_t *k, uint64_t first, uint64_t end, uint16_t n_sms)
{
    uint64_t limit = lines_that_matter(r);
    occupancy_t o = occupancy_of(&r->sys->dev->gpu, k);
    uint32_t warps = k->agent ? 1 : o.warps;
    /* Count one block to know how far back to begin: from there to the end is all that can still matter. */
    warmer_t w = {.r = r, .k = k};
    for (int pass = 0; pass < 2; pass++) {
        uint64_t stop = pass ? end : first + 1;
        for (uint64_t c = first; c < stop; c++)
            for (uint32_t i = 0; i < warps; i++) play_warp(&w, c, i, (uint16_t)(c % n_sms));
        if (!w.lines || w.gave_up) break;
        r->played.blocks += (double)(stop - first);
        uint64_t keep = limit / w.lines + 1;
        first = stop;
        if (!pass && end - first > keep) first = end - keep;
    }
    play_rest(&w);
    if (w.gave_up) r->played.blocks = 0; /* it is not known how much was played */
}

/* Tiles that several blocks fetch in the same step are played once: their second touch would change nothing. */
typedef struct seen {
    addr_t addr[4096];
} seen_t;

static bool seen_before(seen_t *s, addr_t a)
{
    addr_t *p = &s->addr[(a * 0x9E3779B97F4A7C15u) >> 52];
    if (*p == a + 1) return true;
    *p = a + 1;
    return false;
}

typedef struct active { /* a warp inside the loop */
    const warp_t *w;
    uint16_t sm;
} active_t;

static size_t find_active(const run_t *r, active_t *out)
{
    const system_t *s = r->sys;
    uint32_t n_warps = s->dev->gpu.threads_per_sm / s->dev->gpu.warp_size;
    if (n_warps < s->dev->gpu.ctas_per_sm) n_warps = s->dev->gpu.ctas_per_sm;
    size_t n = 0;
    for (uint32_t m = 0; m < s->n_sms; m++)
        for (uint32_t j = 0; j < n_warps; j++) {
            const warp_t *w = &s->sms[m].warp[j];
            if (w->state == WARP_FREE || !w->cta || w->cta->run != &r->fk->run) continue;
            if (out) out[n] = (active_t){w, (uint16_t)m};
            n++;
        }
    return n;
}

static void play_step(warmer_t *w, const active_t *a, uint32_t loop, int64_t ahead, seen_t *seen)
{
    const kernel_t *k = w->k;
    int64_t v[V_COUNT];
    memcpy(v, a->w->v, sizeof v);
    v[V_I0] += ahead;
    for (uint32_t pc = loop + 1; pc < k->op[loop].jump; pc++) {
        const wop_t *op = &k->op[pc];
        if (op->kind == WOP_LOOP) { /* inner loops are played whole */
            play(w, a->sm, pc, op->jump + 1u, v);
            pc = op->jump;
        } else if (op->kind == WOP_SKIP_UNLESS) {
            if (!expr_eval(&op->count, v)) pc = op->jump - 1u;
        } else if (moves_data(op->kind)) {
            if (seen && op->kind == WOP_TILE_LOAD &&
                seen_before(seen, (addr_t)expr_eval(&op->addr, v)))
                continue;
            play_op(w, a->sm, op, v);
        }
    }
}

static int64_t most_of(const int64_t *x, uint32_t n)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (x[i] > most) most = x[i];
    return most;
}

double warm_loops(run_t *r, uint32_t loop, const int64_t *skip)
{
    const kernel_t *k = r->fk->run.k;
    warmer_t w = {.r = r, .k = k};
    uint64_t limit = lines_that_matter(r);
    size_t n = find_active(r, NULL);
    active_t *a = arena_array(r->arena, active_t, n ? n : 1);
    find_active(r, a);
    bool tiles = false;
    for (uint32_t i = 0; i < k->nops; i++) tiles |= k->op[i].kind == WOP_TILE_LOAD;
    seen_t *seen = arena_alloc(r->arena, sizeof *seen);
    const int64_t most = most_of(skip, r->sys->n_sms);
    double played = 0;
    for (int64_t to_end = most; to_end > 0; to_end--) { /* all come to their ends together */
        if (tiles) memset(seen, 0, sizeof *seen);
        for (size_t j = 0; j < n; j++)
            if (skip[a[j].sm] >= to_end)
                play_step(&w, &a[j], loop, 1 + skip[a[j].sm] - to_end, seen);
        if (!w.lines || w.gave_up) break;
        played++;
        /* The first step tells how many can matter. */
        const int64_t keep = (int64_t)(limit / w.lines) + 1;
        if (to_end == most && to_end > keep + 1) to_end = keep + 1;
    }
    play_rest(&w);
    return w.gave_up ? 0 : played / (double)most;
}

uint64_t count_loop_lines(run_t *r, uint32_t loop, const int64_t *ahead)
{
    warmer_t w = {.r = r, .k = r->fk->run.k, .count_only = true};
    size_t n = find_active(r, NULL);
    active_t *a = arena_array(r->arena, active_t, n ? n : 1);
    find_active(r, a);
    for (size_t j = 0; j < n; j++) play_step(&w, &a[j], loop, ahead[a[j].sm], NULL);
    return w.gave_up ? 0 : w.lines;
}
