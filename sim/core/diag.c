/* SPDX-License-Identifier: MIT
 * Collected error messages, and the "did you mean" of all name look-ups. */
#include "core/diag.h"
#include "core/arena.h"
#include "core/utf8.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MSG_LIMIT 50u
#define NAME_LIMIT 64u /* longer names are compared by their first 64 characters */

void diag_init(diag_t *d)
{
    memset(d, 0, sizeof *d);
}

void diag_free(diag_t *d)
{
    for (size_t i = 0; i < d->n; i++) free(d->msg[i]);
    free(d->msg);
    diag_init(d);
}

__attribute__((format(printf, 4, 0))) static void append(diag_t *d, int cls, const char *prefix,
                                                         const char *fmt, va_list ap)
{
    if (cls != MS_OK && d->worst == MS_OK) d->worst = cls;
    if (d->n >= MSG_LIMIT) {
        d->suppressed++;
        return;
    }
    if (d->n == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 8;
        d->msg = mem_resize(d->msg, d->cap * sizeof *d->msg);
    }
    va_list again;
    va_copy(again, ap);
    int body = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    size_t head = strlen(prefix), room = head + (body < 0 ? 0 : (size_t)body) + 1;
    char *text = mem_resize(NULL, room);
    memcpy(text, prefix, head + 1);
    if (body >= 0) vsnprintf(text + head, room - head, fmt, ap);
    utf8_plain(text); /* names and lines from anybody's files end up on a terminal */
    d->msg[d->n++] = text;
}

int diag_add(diag_t *d, int cls, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    append(d, cls, "", fmt, ap);
    va_end(ap);
    return cls;
}

int diag_at(diag_t *d, int cls, const char *file, int line, const char *fmt, ...)
{
    char prefix[1024];
    if (line > 0)
        snprintf(prefix, sizeof prefix, "%s:%d: ", file, line);
    else
        snprintf(prefix, sizeof prefix, "%s: ", file);
    va_list ap;
    va_start(ap, fmt);
    append(d, cls, prefix, fmt, ap);
    va_end(ap);
    return cls;
}

void diag_note(diag_t *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    append(d, MS_OK, "", fmt, ap);
    va_end(ap);
}

void diag_prefix(diag_t *d, size_t i, const char *text)
{
    const size_t room = strlen(text) + 2 + strlen(d->msg[i]) + 1;
    char *msg = mem_resize(NULL, room);
    snprintf(msg, room, "%s: %s", text, d->msg[i]);
    free(d->msg[i]);
    utf8_plain(msg);
    d->msg[i] = msg;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static int fold(char c)
{
    return tolower((unsigned char)c);
}

/* Edits (insert, delete, replace, swap of neighbours) between two names, upper and lower case alike. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][NAME_LIMIT + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > NAME_LIMIT) na = NAME_LIMIT;
    if (nb > NAME_LIMIT) nb = NAME_LIMIT;
    for (size_t j = 0; j <= nb; j++) rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t change = fold(a[i - 1]) != fold(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]) && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[na % 3][nb];
}

const char *diag_nearest(const char *given, const char *const *names, size_t n)
{
    if (strlen(given) > NAME_LIMIT) return NULL;
    const char *best = NULL;
    size_t best_edits = 1 + strlen(given) / 3 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t edits = distance(given, names[i]);
        if (edits < best_edits) {
            best_edits = edits;
            best = names[i];
        }
    }
    /* A name that shares nothing with what was given is no help: "xy" is not a slip for "l2". */
    return best && (best_edits == 0 || best_edits < strlen(given)) ? best : NULL;
}
