/* SPDX-License-Identifier: MIT
 * The bytes of a file or of stdin, unpacked on the way: gzip, xz and zstd by their first bytes. */
#ifndef MEMSIM_WORKLOAD_BYTE_SOURCE_H
#define MEMSIM_WORKLOAD_BYTE_SOURCE_H
#include "core/diag.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct byte_source byte_source_t;

/* Open `path`, "-" for stdin.  Missing file, directory, known binary formats and UTF-16 text: MS_INPUT with a
 * message, *out NULL.  Close with byte_source_close. */
int byte_source_open(byte_source_t **out, const char *path, diag_t *d);
void byte_source_close(byte_source_t *s); /* NULL is fine */
/* Up to cap >= 1 unpacked bytes into buf.  Returns their number, 0 at the end, -1 on an error: *why then says
 * what (static text) and *cls is its exit class. */
ptrdiff_t byte_source_read(byte_source_t *s, unsigned char *buf, size_t cap, const char **why,
                           int *cls);
/* Back to the first byte; false and no change if the input cannot seek. */
bool byte_source_rewind(byte_source_t *s);
#endif
