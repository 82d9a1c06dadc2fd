/* SPDX-License-Identifier: MIT
 * The keys of result.json, explained. */
#ifndef MEMSIM_REPORT_KEYS_H
#define MEMSIM_REPORT_KEYS_H
#include <stddef.h>

typedef struct report_key {
    const char *path; /* the object it stands in, "kernels" (each of them); "" at the top */
    const char *key, *unit, *help; /* unit "" where there is none */
} report_key_t;

/* All of them, in the order of the document; those of a shared object (latency_ns) once. */
extern const report_key_t report_keys[];
extern const size_t report_n_keys;
#endif
