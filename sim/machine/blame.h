/* SPDX-License-Identifier: MIT
 * Which -s option is to blame for a fault.  A rule between values names the line of one of them, though an option may
 * have changed another: the device is loaded without each option in turn, and one without which a fault is gone is
 * named in front of it. */
#ifndef MEMSIM_MACHINE_BLAME_H
#define MEMSIM_MACHINE_BLAME_H
#include "core/arena.h"
#include "core/diag.h"

/* Load with these assignments; what comes of it but the messages is of no interest. */
typedef int (*blame_load_fn)(const void *ctx, const char *const *set, size_t n_set, arena_t *a,
                             diag_t *d);
/* Go through the messages of d from number `first` on, which came of loading with n_set assignments. */
void blame_options(diag_t *d, size_t first, blame_load_fn load, const void *ctx,
                   const char *const *set, size_t n_set);
#endif
