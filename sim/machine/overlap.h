/* SPDX-License-Identifier: MIT
 * Which launches of a workload can run side by side.  Pure: it sees commands only. */
#ifndef MEMSIM_MACHINE_OVERLAP_H
#define MEMSIM_MACHINE_OVERLAP_H
#include "core/access.h"

/* Work is what takes time on the device and is numbered from 1 in the order of the file: launches, and copies from
 * device memory to device memory.  A group is a range of work numbers within which work of different streams can
 * overlap, and across whose ends nothing can: all that comes later waits for all that came before. */
typedef struct overlap_group {
    uint32_t first, last;
} overlap_group_t;

typedef struct overlap overlap_t;
overlap_t *overlap_new(void);
void overlap_free(overlap_t *o);
/* Take the next command of the workload.  Launches and copies of a stream are in order; `wait E` orders what follows
 * it on its stream behind what was ahead of the latest `record E`, if there was one; raw accesses order everything. */
void overlap_add(overlap_t *o, const wcmd_t *c);
/* The groups so far, in order; valid until the next overlap_add. */
const overlap_group_t *overlap_groups(const overlap_t *o, size_t *n);
bool overlap_is_work(const wcmd_t *c); /* a copy of no bytes is none */
#endif
