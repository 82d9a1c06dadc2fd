/* SPDX-License-Identifier: MIT
 * Parts of the result that the GPU path and `memsim dram` share. */
#ifndef MEMSIM_MACHINE_OUTCOME_H
#define MEMSIM_MACHINE_OUTCOME_H
#include "core/result.h"
#include "dram/dram.h"
#include "machine/run.h"

/* Fill a memory's level from its counters, summed over `channels` channels that ran for elapsed ps each.  For what time
 * its bytes count, and so achieved_GBps, the caller says. */
void outcome_memory(res_level_t *l, const dram_spec_t *s, const dram_stats_t *st, ps_t elapsed,
                    uint32_t channels, const hist_t *read_latency, arena_t *a);
/* 128-bit digest of all simulated figures, as hex, into res->digest. */
void outcome_digest(result_t *res);
#endif
