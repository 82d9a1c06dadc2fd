/* SPDX-License-Identifier: MIT
 * Cost of the event queue in the hold model: N events are pending; each pop posts one event a random delay
 * later.  Delays are up to 1.3 us, as between hops of a memory hierarchy, with one in 256 beyond the wheel. */
#include "core/engine.h"
#include "core/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EVENTS 4000000u

typedef struct hold {
    engine_t *engine;
    src_t src;
    uint64_t state, left;
    ps_t spread;
} hold_t;

static void hop(void *self, void *arg, ps_t now)
{
    hold_t *h = self;
    if (!h->left) return;
    h->left--;
    h->state = h->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t r = h->state >> 33;
    ps_t delay = (ps_t)((r >> 8) & (uint64_t)(h->spread - 1));
    if ((r & 255) == 0) delay += 3000000;
    engine_post(h->engine, &h->src, 0, now + delay, hop, self, arg);
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double hold_ns(unsigned pending)
{
    hold_t h = {.state = 1, .left = EVENTS, .spread = 1 << 20};
    h.engine = engine_new(ENGINE_MERGED, 1, 4, 0, 0);
    engine_register(h.engine, &h.src, 0);
    for (unsigned i = 0; i < pending; i++)
        engine_post(h.engine, &h.src, 0, (ps_t)(mix64(i) % (uint64_t)h.spread), hop, &h, NULL);
    double t0 = cpu_s();
    engine_run(h.engine, PS_MAX);
    double t = cpu_s() - t0;
    double n = (double)engine_count(h.engine);
    engine_free(h.engine);
    return t * 1e9 / n;
}

int main(void)
{
    static const unsigned pending[] = {1, 132, 8448, 65536};
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++)
        printf("engine hold %u pending: %.1f ns\n", pending[i], hold_ns(pending[i]));
    return 0;
}
