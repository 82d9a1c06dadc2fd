/* SPDX-License-Identifier: MIT */
#include "gpu/occupancy.h"

const char *const occupancy_names[4] = {"threads", "blocks", "registers", "shared memory"};

static uint32_t round_up(uint32_t x, uint32_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Registers of a block.  A warp's lie in one of the SM's parts, so what a part has left over nobody can use: each
 * warp counts as the share of the whole file that it keeps from others. */
static uint32_t regs_of(const gpu_param_t *g, uint32_t regs_per_thread, uint32_t warps)
{
    uint32_t warp = round_up(regs_per_thread * g->warp_size, 256);
    if (!warp) return 0;
    uint32_t fit = g->regs_per_sm / OCCUPANCY_REG_PARTS / warp * OCCUPANCY_REG_PARTS;
    return fit ? warps * (g->regs_per_sm / fit) : UINT32_MAX;
}

occupancy_t occupancy_of(const gpu_param_t *g, const kernel_t *k)
{
    occupancy_t o = {.warps = (k->block + g->warp_size - 1) / g->warp_size};
    o.threads = o.warps * g->warp_size;
    o.regs = regs_of(g, k->regs_per_thread, o.warps);
    o.shared = k->shared_bytes ? round_up(k->shared_bytes + (uint32_t)g->shared_reserved, 128) : 0;
    const uint64_t have[4] = {g->threads_per_sm, g->ctas_per_sm, g->regs_per_sm, g->shared_per_sm};
    const uint64_t want[4] = {o.threads, 1, o.regs, o.shared};
    o.ctas = UINT32_MAX;
    for (unsigned i = 0; i < 4; i++) {
        if (!want[i]) continue;
        uint64_t n = have[i] / want[i];
        if (n < o.ctas) {
            o.ctas = (uint32_t)n;
            o.limit = (occupancy_limit_t)i;
        }
    }
    return o;
}
