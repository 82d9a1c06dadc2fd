/* SPDX-License-Identifier: MIT
 * Set-up memory: a chain of blocks, bump-allocated, freed together. */
#include "core/arena.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64u
#define BLOCK_BYTES ((size_t)256 * 1024)
#define BLOCK_BYTES_MAX ((size_t)16 * 1024 * 1024)

typedef struct block {
    struct block *next;
    unsigned char *base; /* first aligned byte */
    size_t used, size;   /* from base */
} block_t;

struct arena {
    block_t *head;   /* the block being filled */
    size_t next_min; /* size of the next ordinary block: doubles up to 16 MiB */
};

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "memsim: out of memory (asked for %zu bytes)\n", bytes);
    abort();
}

void *mem_resize(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q) out_of_memory(bytes);
    return q;
}

void *mem_aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) out_of_memory(bytes);
    return p;
}

arena_t *arena_new(void)
{
    arena_t *a = mem_resize(NULL, sizeof *a);
    a->head = NULL;
    a->next_min = BLOCK_BYTES;
    return a;
}

void arena_free(arena_t *a)
{
    if (!a) return;
    for (block_t *b = a->head; b;) {
        block_t *next = b->next;
        free(b);
        b = next;
    }
    free(a);
}

static block_t *block_new(size_t size)
{
    if (size > SIZE_MAX - sizeof(block_t) - ALIGN) out_of_memory(size);
    unsigned char *raw = calloc(1, sizeof(block_t) + ALIGN + size);
    if (!raw) out_of_memory(size);
    block_t *b = (block_t *)(void *)raw;
    size_t lead = (ALIGN - (uintptr_t)(raw + sizeof *b) % ALIGN) % ALIGN;
    b->base = raw + sizeof *b + lead;
    b->size = size;
    return b;
}

void *arena_alloc(arena_t *a, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGN) out_of_memory(bytes);
    bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    block_t *b = a->head;
    if (b && b->size - b->used >= bytes) {
        void *p = b->base + b->used;
        b->used += bytes;
        return p;
    }
    if (bytes >= a->next_min / 4) {
        /* A big piece gets a block of its own, behind the one being filled, whose rest stays usable. */
        block_t *own = block_new(bytes);
        own->used = bytes;
        if (b) {
            own->next = b->next;
            b->next = own;
        } else {
            a->head = own;
        }
        return own->base;
    }
    block_t *fresh = block_new(a->next_min);
    if (a->next_min < BLOCK_BYTES_MAX) a->next_min *= 2;
    fresh->next = b;
    fresh->used = bytes;
    a->head = fresh;
    return fresh->base;
}

char *arena_strdup(arena_t *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = arena_alloc(a, n);
    memcpy(p, s, n);
    return p;
}

char *arena_printf(arena_t *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n >= 0) vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}
