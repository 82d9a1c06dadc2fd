/* SPDX-License-Identifier: MIT
 * Set-up memory of one run: allocate freely, free once.  Allocation failure calls abort() with a message
 * (out of host memory is not a user error the program can explain better). */
#ifndef MEMSIM_CORE_ARENA_H
#define MEMSIM_CORE_ARENA_H
#include <stddef.h>

typedef struct arena arena_t;
arena_t *arena_new(void);
void arena_free(arena_t *a); /* frees everything it handed out; NULL is fine */
/* Zeroed memory, aligned to 64 bytes, owned by the arena. */
void *arena_alloc(arena_t *a, size_t bytes);
char *arena_strdup(arena_t *a, const char *s);
char *arena_printf(arena_t *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* realloc that never returns NULL (aborts with a message), for the few buffers that grow while a run is going
 * on; release with free(). */
void *mem_resize(void *p, size_t bytes);
/* The same for memory that begins with a cache line. */
void *mem_aligned(size_t bytes);
#define arena_array(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
#endif
