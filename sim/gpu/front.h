/* SPDX-License-Identifier: MIT
 * The GPU's block scheduler: hands the blocks of running kernels to SMs with room; a block that retires frees its
 * place for the next.  Sending a block takes cta_dispatch, its way to the SM cta_launch, the news of its end
 * cta_retire: the turnover that short blocks pay.
 *
 * Kernels side by side.  Blocks of a kernel are placed only when all blocks of the kernels launched before it are, so
 * kernels overlap where the older one leaves room: when it is small, and at its tail (rule X1 of Amert, Otterness,
 * Yang, Anderson, Smith, "GPU scheduling on the NVIDIA TX2: hidden details revealed", RTSS 2017).  A block goes to
 * the SM that has room for most blocks of its kernel, the lowest number among equals (Gilman, Ogden, Guo, Walls,
 * "Demystifying the placement policies of the NVIDIA GPU thread block scheduler for concurrent kernels", SIGMETRICS
 * Performance Evaluation Review 48(3), 2020); on an idle GPU that is a block to each SM in turn.  Threads, blocks,
 * registers and shared memory of an SM are counted over all kernels. */
#ifndef MEMSIM_GPU_FRONT_H
#define MEMSIM_GPU_FRONT_H
#include "gpu/occupancy.h"
#include "gpu/sm.h"

typedef struct front_kernel {
    struct front_kernel *next;
    kernel_run_t run;
    occupancy_t occ;
    uint64_t total, sent, retired; /* blocks */
    uint64_t skipped;              /* of sent and retired: passed over by sampling */
    uint32_t n_owed; /* SMs that have stores of it in flight, its blocks there ended */
    ps_t begin_ps, end_ps;
    double load_bytes, store_bytes, operations; /* of retired blocks that were simulated */
} front_kernel_t;

typedef struct front front_t;
struct front {
    engine_t *engine;
    src_t src;
    const gpu_param_t *gpu;
    sm_t *const *sm;
    ps_t dispatch_ps, launch_ps;
    server_t dispatch;
    front_kernel_t *active; /* in order of launch */
    cta_t *free_cta;
    arena_t *arena;
    struct front_room {
        uint32_t threads, ctas, regs, shared;
    } * room;
    uint32_t *fits; /* for placing a kernel: blocks an SM has room for */
    bool *owed;     /* [bank][SM]: an SM owes the news that the kernel's stores are accepted */
    void (*done)(void *ctx, front_kernel_t *fk, ps_t now); /* a kernel ended */
    void *ctx;
};

void front_init(front_t *f, engine_t *e, unsigned partition, const gpu_param_t *g, sm_t *const *sm,
                arena_t *a);
/* Start a kernel now (in the front's partition).  fk->run and fk->occ are filled; occ.ctas > 0. */
void front_launch(front_t *f, front_kernel_t *fk, ps_t now);
/* Events posted by SMs: self = front_t; arg = cta_t, sm_drain_t. */
void front_cta_retired(void *self, void *arg, ps_t now);
void front_sm_drained(void *self, void *arg, ps_t now);
#endif
