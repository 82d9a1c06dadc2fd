/* SPDX-License-Identifier: MIT
 * Lines are cut in place out of one buffer; only the rest of a line that straddles two fills is moved. */
#include "workload/reader.h"
#include "workload/byte_source.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUF_BYTES = 1 << 18 };

struct reader {
    byte_source_t *src;
    char *name;
    size_t lo, hi; /* unread part of buf */
    int line;
    int end;      /* 1: running, 0 or -1: what every further call returns */
    bool drained; /* the source has no more */
    bool has_nul; /* some fill held a NUL byte: look at every line from there on */
    char buf[BUF_BYTES + 1];
};

int reader_open(reader_t **out, const char *path, diag_t *d)
{
    *out = NULL;
    byte_source_t *src;
    int rc = byte_source_open(&src, path, d);
    if (rc != MS_OK) return rc;
    const char *name = strcmp(path, "-") == 0 ? "(stdin)" : path;
    size_t n = strlen(name) + 1;
    reader_t *r = malloc(sizeof *r);
    char *copy = malloc(n);
    if (!r || !copy) {
        free(r);
        free(copy);
        byte_source_close(src);
        return diag_add(d, MS_INPUT, "%s: out of memory", name);
    }
    memcpy(copy, name, n);
    r->src = src;
    r->name = copy;
    r->lo = r->hi = 0;
    r->line = 0;
    r->end = 1;
    r->drained = r->has_nul = false;
    *out = r;
    return MS_OK;
}

void reader_close(reader_t *r)
{
    if (!r) return;
    byte_source_close(r->src);
    free(r->name);
    free(r);
}

int reader_line(const reader_t *r)
{
    return r->line;
}

const char *reader_name(const reader_t *r)
{
    return r->name;
}

bool reader_rewind(reader_t *r)
{
    if (!byte_source_rewind(r->src)) return false;
    r->lo = r->hi = 0;
    r->line = 0;
    r->end = 1;
    r->drained = r->has_nul = false;
    return true;
}

/* Move the unread rest to the front and read behind it.  False on a read error, which is in d. */
static bool fill(reader_t *r, diag_t *d)
{
    memmove(r->buf, r->buf + r->lo, r->hi - r->lo);
    r->hi -= r->lo;
    r->lo = 0;
    const char *why = NULL;
    int cls = MS_INPUT;
    unsigned char *at = (unsigned char *)r->buf + r->hi;
    ptrdiff_t n = byte_source_read(r->src, at, BUF_BYTES - r->hi, &why, &cls);
    if (n < 0) {
        diag_at(d, cls, r->name, r->line, "%s", why);
        return false;
    }
    if (memchr(at, 0, (size_t)n)) r->has_nul = true;
    r->drained = n == 0;
    r->hi += (size_t)n;
    return true;
}

static int stop(reader_t *r, int how)
{
    r->end = how;
    return how;
}

/* Find the end of the line at lo, filling as needed.  1: *end is its LF, or the end of a last line without one;
 * 0: no line left; -1: error in d. */
static int find_end(reader_t *r, char **end, diag_t *d)
{
    size_t seen = 0; /* bytes from lo known to hold no LF */
    for (;;) {
        char *p = memchr(r->buf + r->lo + seen, '\n', r->hi - r->lo - seen);
        seen = r->hi - r->lo;
        *end = p ? p : r->buf + r->hi;
        if ((size_t)(*end - (r->buf + r->lo)) > READER_LINE_MAX + 1u) { /* + 1: the CR of CRLF */
            diag_at(d, MS_INPUT, r->name, r->line + 1, "line over %d bytes", READER_LINE_MAX);
            return -1;
        }
        if (p) return 1;
        if (r->drained) return seen ? 1 : 0;
        if (!fill(r, d)) return -1;
    }
}

int reader_next(reader_t *r, char **line, size_t *len, diag_t *d)
{
    if (r->end != 1) return r->end;
    char *end;
    int rc = find_end(r, &end, d);
    if (rc != 1) return stop(r, rc);
    char *start = r->buf + r->lo;
    r->lo = (size_t)(end - r->buf) + (end < r->buf + r->hi);
    if (r->line < INT_MAX)
        r->line++; /* longer streams are read, only their line numbers stand still */
    if (r->line == 1 && end - start >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0) start += 3;
    if (end > start && end[-1] == '\r') end--;
    if (end - start > READER_LINE_MAX) {
        diag_at(d, MS_INPUT, r->name, r->line, "line over %d bytes", READER_LINE_MAX);
        return stop(r, -1);
    }
    if (r->has_nul && memchr(start, 0, (size_t)(end - start))) {
        diag_at(d, MS_INPUT, r->name, r->line, "NUL byte: not a text file");
        return stop(r, -1);
    }
    *end = '\0';
    *line = start;
    *len = (size_t)(end - start);
    return 1;
}
