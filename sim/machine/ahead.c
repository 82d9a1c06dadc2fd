/* SPDX-License-Identifier: MIT
 * Looking ahead over a group of overlapping launches: how much it would take to simulate, and whether one like it has
 * been. */
#include "core/rng.h"
#include "machine/streams.h"
#include <stdlib.h>
#include <string.h>

#define AHEAD_MAX 65536 /* commands; a longer group is taken as it comes */

static void keep(ahead_t *a, const wcmd_t *c, uint32_t cls)
{
    if (a->n == a->cap) {
        a->cap = a->cap ? 2 * a->cap : 64;
        a->c = mem_resize(a->c, a->cap * sizeof *a->c);
        a->cls = mem_resize(a->cls, a->cap * sizeof *a->cls);
    }
    a->c[a->n] = *c;
    a->cls[a->n++] = cls;
}

static void mix(uint64_t sign[2], uint64_t x)
{
    sign[0] = mix64(sign[0] ^ x);
    sign[1] = mix64(sign[1] + (x ^ UINT64_C(0x6A09E667F3BCC908))) ^ sign[0];
}

/* What makes two groups alike: the same work in the same order on the same streams, meeting the same cache state. */
static void sign_command(uint64_t sign[2], const wcmd_t *c, uint32_t cls)
{
    mix(sign, (uint64_t)c->kind << 32 | c->stream);
    if (c->kind == WC_LAUNCH) {
        mix(sign, (uint64_t)c->def << 32 | cls);
        mix(sign, c->graph);
        for (uint32_t i = 0; i < c->nargs; i++) mix(sign, (uint64_t)c->arg[i]);
    } else if (c->kind == WC_RECORD || c->kind == WC_WAIT)
        mix(sign, c->event);
    else if (c->kind == WC_COPY) {
        mix(sign, c->bytes);
        mix(sign, cls);
    } else if (c->kind == WC_MARK)
        for (const char *p = c->text; *p; p++) mix(sign, (unsigned char)*p);
}

static int lines_of(run_t *r, const wcmd_t *c, double *lines)
{
    *lines = c->kind == WC_COPY ? 2.0 * (double)c->bytes / LINE_BYTES : 0;
    if (c->kind != WC_LAUNCH) return MS_OK;
    const kernel_t *k;
    int rc = workload_kernel(r->wl, c, &k, r->diag);
    if (rc) return rc;
    uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    const block_count_t middle = count_block(r, k, blocks / 2);
    *lines = (double)middle.lines * (double)blocks;
    return MS_OK;
}

int ahead_read(run_t *r, const wcmd_t *first, uint32_t last, double lines, uint64_t sign[2],
               double *need, bool *over, bool *more)
{
    if (!r->ahead) r->ahead = arena_alloc(r->arena, sizeof *r->ahead);
    ahead_t *a = r->ahead;
    a->n = a->at = 0;
    *need = 0;
    *over = *more = false;
    sign[0] = 1, sign[1] = 2;
    for (const char *p = r->phase; *p; p++) mix(sign, (unsigned char)*p);
    wcmd_t c = *first;
    for (uint32_t work = r->n_work;;) {
        bool is_work = overlap_is_work(&c);
        uint32_t cls = r->exact || !is_work ? 0
                       : c.kind == WC_COPY  ? copy_cache_class(r, &c)
                                            : run_cache_class(r, &c);
        keep(a, &c, cls);
        sign_command(sign, &c, cls);
        double one = 0;
        int rc = r->exact || !is_work ? MS_OK : lines_of(r, &c, &one);
        if (rc) return rc;
        *need += one;
        work += is_work;
        if (is_work && work == last) return MS_OK;
        *over = *need > lines;
        *more = a->n == AHEAD_MAX;
        if (*over || *more) return MS_OK;
        rc = workload_next(r->wl, &c, r->diag);
        if (rc) return rc;
    }
}

bool ahead_take(run_t *r, wcmd_t *c, uint32_t *cls)
{
    ahead_t *a = r->ahead;
    if (!a || a->at == a->n) return false;
    *c = a->c[a->at];
    *cls = a->cls[a->at++];
    return true;
}
