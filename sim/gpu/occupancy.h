/* SPDX-License-Identifier: MIT
 * How many blocks of a kernel an SM holds, and which limit says so.  Pure. */
#ifndef MEMSIM_GPU_OCCUPANCY_H
#define MEMSIM_GPU_OCCUPANCY_H
#include "core/access.h"
#include "gpu/gpu_param.h"

#define OCCUPANCY_REG_PARTS 4 /* of the register file of an SM, each with its share of the warps */

typedef enum { OCC_THREADS, OCC_CTAS, OCC_REGS, OCC_SHARED } occupancy_limit_t;
extern const char *const occupancy_names[4];

typedef struct occupancy {
    uint32_t ctas; /* 0: the kernel cannot run on this SM */
    occupancy_limit_t limit;
    uint32_t warps;                 /* of a block */
    uint32_t threads, regs, shared; /* of a block, as allocated */
} occupancy_t;
/* Threads are allocated by whole warps; registers by 256 a warp, each warp's in one quarter of the file; shared memory
 * by 128 B, with what the system keeps of a block that uses any (cuda_occupancy.h of CUDA 12 and 13, compute
 * capability 8 and 9; of 7, which allocates shared memory by 256 B, with shared_reserved = 0). */
occupancy_t occupancy_of(const gpu_param_t *g, const kernel_t *k);
#endif
