/* SPDX-License-Identifier: MIT */
#include "gpu/front.h"
#include <assert.h>

void front_init(front_t *f, engine_t *e, unsigned partition, const gpu_param_t *g, sm_t *const *sm,
                arena_t *a)
{
    clk_t clk = {g->clock};
    *f = (front_t){.engine = e, .gpu = g, .sm = sm, .arena = a};
    engine_register(e, &f->src, partition);
    f->dispatch_ps = gap_ps(g->cta_dispatch, clk);
    f->launch_ps = gap_ps(g->cta_launch, clk);
    f->room = arena_alloc(a, sizeof *f->room * g->sms);
    f->owed = arena_array(a, bool, (size_t)g->sms *STAT_BANKS);
    f->fits = arena_array(a, uint32_t, g->sms);
    for (uint32_t i = 0; i < g->sms; i++)
        f->room[i] = (struct front_room){g->threads_per_sm, g->ctas_per_sm, g->regs_per_sm,
                                         (uint32_t)g->shared_per_sm};
}

static bool send_one(front_t *f, front_kernel_t *fk, uint32_t sm, ps_t now)
{
    struct front_room *r = &f->room[sm];
    const occupancy_t *o = &fk->occ;
    if (fk->sent == fk->total || !r->ctas || r->threads < o->threads || r->regs < o->regs ||
        r->shared < o->shared)
        return false;
    r->ctas--;
    r->threads -= o->threads;
    r->regs -= o->regs;
    r->shared -= o->shared;
    cta_t *c = f->free_cta;
    if (c)
        f->free_cta = c->next;
    else
        c = arena_alloc(f->arena, sizeof *c);
    c->run = &fk->run;
    c->id = (uint32_t)fk->sent++;
    c->sm = (uint16_t)sm;
    c->n_warps = fk->run.k->agent ? 1 : o->warps;
    ps_t t = server_start(&f->dispatch, now, f->dispatch_ps);
    engine_post(f->engine, &f->src, f->sm[sm]->src.part, t + f->launch_ps, sm_cta_arrive, f->sm[sm],
                c);
    return true;
}

static uint32_t least(uint32_t most, uint32_t have, uint32_t want)
{
    return want && have / want < most ? have / want : most;
}

/* Blocks of the kernel that SM `sm` has room for. */
static uint32_t fits(const front_t *f, const occupancy_t *o, uint32_t sm)
{
    const struct front_room *r = &f->room[sm];
    return least(least(least(r->ctas, r->threads, o->threads), r->regs, o->regs), r->shared,
                 o->shared);
}

/* Blocks to the SMs with most room first: level by level. */
static void place(front_t *f, front_kernel_t *fk, ps_t now)
{
    uint32_t level = 0;
    for (uint32_t s = 0; s < f->gpu->sms; s++) {
        f->fits[s] = fits(f, &fk->occ, s);
        if (f->fits[s] > level) level = f->fits[s];
    }
    for (; level && fk->sent < fk->total; level--)
        for (uint32_t s = 0; s < f->gpu->sms; s++)
            if (f->fits[s] >= level) send_one(f, fk, s, now);
}

/* The oldest kernel with blocks left takes what it can, and so on while all of a kernel's blocks find a place. */
static void place_all(front_t *f, ps_t now)
{
    for (front_kernel_t *fk = f->active; fk; fk = fk->next) {
        if (fk->sent == fk->total) continue;
        place(f, fk, now);
        if (fk->sent < fk->total) return;
    }
}

/* SM `sm` has more room than before; no other SM has any for the kernel whose turn it is. */
static void fill_sm(front_t *f, uint32_t sm, ps_t now)
{
    front_kernel_t *fk = f->active;
    while (fk && fk->sent == fk->total) fk = fk->next;
    if (!fk) return;
    while (send_one(f, fk, sm, now)) {
    }
    if (fk->sent == fk->total && fk->next) place_all(f, now);
}

static void check_done(front_t *f, ps_t now)
{
    for (front_kernel_t **p = &f->active, *fk; (fk = *p);) {
        if (fk->retired < fk->total || fk->n_owed) {
            p = &fk->next;
            continue;
        }
        *p = fk->next;
        fk->end_ps = now;
        f->done(f->ctx, fk, now);
    }
}

void front_launch(front_t *f, front_kernel_t *fk, ps_t now)
{
    assert(fk->occ.ctas);
    front_kernel_t **p = &f->active;
    while (*p) p = &(*p)->next;
    *p = fk;
    fk->next = NULL;
    fk->begin_ps = now;
    fk->run.owner = fk;
    place_all(f, now);
    if (!fk->total) check_done(f, now);
}

void front_cta_retired(void *self, void *arg, ps_t now)
{
    front_t *f = self;
    cta_t *c = arg;
    front_kernel_t *fk = c->run->owner;
    struct front_room *r = &f->room[c->sm];
    uint32_t sm = c->sm;
    r->ctas++;
    r->threads += fk->occ.threads;
    r->regs += fk->occ.regs;
    r->shared += fk->occ.shared;
    fk->retired++;
    fk->load_bytes += (double)c->load_bytes;
    fk->store_bytes += (double)c->store_bytes;
    fk->operations += (double)c->operations;
    bool *owed = &f->owed[(size_t)fk->run.bank * f->gpu->sms + sm];
    if (c->stores_left && !*owed) {
        *owed = true;
        fk->n_owed++;
    }
    c->next = f->free_cta;
    f->free_cta = c;
    fill_sm(f, sm, now);
    check_done(f, now);
}

void front_sm_drained(void *self, void *arg, ps_t now)
{
    front_t *f = self;
    const sm_drain_t *d = arg;
    bool *owed = &f->owed[(size_t)d->run->bank * f->gpu->sms + d->sm];
    if (*owed) {
        front_kernel_t *fk = d->run->owner;
        *owed = false;
        fk->n_owed--;
    }
    check_done(f, now);
}
