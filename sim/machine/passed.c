/* SPDX-License-Identifier: MIT
 * Launches that were not simulated, because their like had been: the next one that is simulated must find the L2 as
 * they would have left it.  Their accesses are played without time, the latest launches only: as many as can matter. */
#include "machine/run.h"
#include <string.h>

#define KEPT_MAX 64u

typedef struct passed_launch {
    wcmd_t c; /* with arrays of its own */
    int64_t *arg;
    addr_t *base;
    uint32_t cap_arg, cap_base;
    double bytes;
} passed_launch_t;

struct passed {
    passed_launch_t launch[KEPT_MAX]; /* a ring */
    uint32_t first, n;
    double bytes; /* of all in it */
};

static void drop_oldest(struct passed *p)
{
    p->bytes -= p->launch[p->first].bytes;
    p->first = (p->first + 1) % KEPT_MAX;
    p->n--;
}

/* A place in the ring keeps its arrays: a run may pass over millions of launches. */
static void keep_arrays(run_t *r, passed_launch_t *l, const wcmd_t *c)
{
    if (l->cap_arg < c->nargs) {
        l->arg = arena_array(r->arena, int64_t, c->nargs);
        l->cap_arg = c->nargs;
    }
    if (l->cap_base < c->nbases) {
        l->base = arena_array(r->arena, addr_t, c->nbases);
        l->cap_base = c->nbases;
    }
    if (c->nargs) memcpy(l->arg, c->arg, c->nargs * sizeof *c->arg);
    if (c->nbases) memcpy(l->base, c->base, c->nbases * sizeof *c->base);
    l->c = *c;
    l->c.arg = l->arg;
    l->c.base = l->base;
}

void passed_note(run_t *r, const wcmd_t *c, double bytes)
{
    if (!r->passed) r->passed = arena_alloc(r->arena, sizeof *r->passed);
    struct passed *p = r->passed;
    const double enough = 2 * (double)r->sys->dev->l2.size;
    if (p->n == KEPT_MAX) drop_oldest(p);
    while (p->n && p->bytes + bytes - p->launch[p->first].bytes >= enough) drop_oldest(p);
    passed_launch_t *l = &p->launch[(p->first + p->n++) % KEPT_MAX];
    keep_arrays(r, l, c);
    l->bytes = bytes;
    p->bytes += bytes;
}

int passed_play(run_t *r)
{
    struct passed *p = r->passed;
    int rc = MS_OK;
    for (; p && p->n && !rc; drop_oldest(p)) {
        const kernel_t *k;
        rc = workload_kernel(r->wl, &p->launch[p->first].c, &k, r->diag);
        if (rc) break;
        uint64_t blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
        if (blocks) warm_ctas(r, k, 0, blocks, (uint16_t)r->sys->n_sms);
    }
    return rc;
}
