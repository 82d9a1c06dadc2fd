/* SPDX-License-Identifier: MIT
 * A workload is a lazy stream of commands.  It knows no hardware except the warp width it is told. */
#ifndef MEMSIM_WORKLOAD_WORKLOAD_H
#define MEMSIM_WORKLOAD_WORKLOAD_H
#include "core/access.h"
#include "core/arena.h"
#include "core/diag.h"

typedef struct workload workload_t;
typedef struct workload_opt {
    const char *const *define; /* "name=value" of -D, in order, last wins */
    size_t n_define;
    unsigned warp_lanes;
    uint64_t seed;
} workload_opt_t;
typedef struct buffer_info {
    const char *name;
    const char *role; /* "weights", "kv", "activations", ... or "" */
    addr_t base;
    uint64_t bytes;
} buffer_info_t;

/* Open a trace file; "-" is stdin; gz, xz and zst are recognised by content.  *out is freed with workload_free.
 * A file of raw access lines only is streamed, never held. */
int workload_open(workload_t **out, const char *path, const workload_opt_t *opt, diag_t *d);
void workload_free(workload_t *w);
/* Next command into *c; WC_END at the end (and for ever after).  Errors met while streaming: MS_INPUT. */
int workload_next(workload_t *w, wcmd_t *c, diag_t *d);
/* Back to the first command.  False for a stream that cannot rewind (stdin raw). */
bool workload_rewind(workload_t *w);
/* The kernel of a launch, fully evaluated; cached for the latest launch of each definition; valid until the next
 * call for the same definition. */
int workload_kernel(workload_t *w, const wcmd_t *launch, const kernel_t **k, diag_t *d);
/* Name and kind of a definition without evaluating it. */
const char *workload_kernel_name(const workload_t *w, uint32_t def);

size_t
workload_buffers(const workload_t *w,
                 const buffer_info_t **list); /* allocated from address 0 upwards, 2 MiB aligned */
uint64_t workload_footprint(const workload_t *w); /* bytes, end of the last buffer */
double workload_tokens(const workload_t *w);      /* tokens generated, 0 if the trace has none */
const char *
workload_title(const workload_t *w); /* one line for the report, from the trace's `title` */
bool workload_is_raw(const workload_t *w);
/* `name = value` of every parameter after -D, one per index; NULL past the end. */
const char *workload_param(const workload_t *w, size_t i);
#endif
