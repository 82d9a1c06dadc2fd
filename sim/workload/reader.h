/* SPDX-License-Identifier: MIT
 * Lines of a text file, one at a time, in constant memory.  Plain text, gzip, xz and zstd are told apart by
 * their first bytes, never by name; concatenated gzip members, xz streams and zstd frames read as one file. */
#ifndef MEMSIM_WORKLOAD_READER_H
#define MEMSIM_WORKLOAD_READER_H
#include "core/diag.h"
#include <stdbool.h>
#include <stddef.h>

#define READER_LINE_MAX 65535 /* bytes of the longest line accepted, end of line excluded */

typedef struct reader reader_t;

/* Open `path` ("-" is stdin).  A missing file, a directory, an unknown binary file and a Git-LFS pointer are
 * MS_INPUT with a message that names them.  *out is freed with reader_close; it is NULL on failure. */
int reader_open(reader_t **out, const char *path, diag_t *d);
void reader_close(reader_t *r); /* NULL is fine */

/* Next line: *line points at it, NUL-terminated, without LF, CRLF or lone trailing CR, without the byte-order
 * mark of a first line; *len is its length.  Valid, and writable, until the next call.  Returns 1 for a line,
 * 0 at the end of the file, -1 on an error, which is in `d` with file and line (line too long, NUL byte,
 * damaged or cut compressed data, read error); after 0 or -1 every further call returns the same. */
int reader_next(reader_t *r, char **line, size_t *len, diag_t *d);

/* Number of the line last returned, from 1; 0 before the first. */
int reader_line(const reader_t *r);
/* The path as given, or "(stdin)". */
const char *reader_name(const reader_t *r);
/* Back to the first line.  False if the input cannot seek (a pipe); the reader is then as before. */
bool reader_rewind(reader_t *r);
#endif
