/* SPDX-License-Identifier: MIT */
#include "machine/blame.h"
#include <stdbool.h>
#include <string.h>

/* "FILE:LINE: KEY = VALUE" of a message: faults of one place are taken for one, whatever numbers they give. */
static size_t place_length(const char *msg)
{
    const char *p = strstr(msg, ": ");
    p = p ? strstr(p + 2, ": ") : NULL;
    return p ? (size_t)(p - msg) : strlen(msg);
}

static bool has_place(const diag_t *d, const char *msg, size_t n)
{
    for (size_t i = 0; i < d->n; i++)
        if (place_length(d->msg[i]) == n && !strncmp(d->msg[i], msg, n)) return true;
    return false;
}

/* Without an option that another value rests on, loading may stop before the rules: that tells nothing. */
static bool tells(const diag_t *without, const diag_t *with)
{
    for (size_t i = 0; i < without->n; i++)
        if (!has_place(with, without->msg[i], place_length(without->msg[i]))) return false;
    return true;
}

void blame_options(diag_t *d, size_t first, blame_load_fn load, const void *ctx,
                   const char *const *set, size_t n_set)
{
    if (d->n <= first || !n_set) return;
    arena_t *a = arena_new();
    const char **fewer = arena_array(a, const char *, n_set);
    const char **named = arena_array(a, const char *, d->n);
    for (size_t k = 0; k < n_set; k++) {
        diag_t without;
        diag_init(&without);
        for (size_t i = 0, n = 0; i < n_set; i++)
            if (i != k) fewer[n++] = set[i];
        load(ctx, fewer, n_set - 1, a, &without);
        bool telling = tells(&without, d);
        for (size_t i = first; i < d->n && telling; i++)
            if (strncmp(d->msg[i], "-s ", 3) != 0 &&
                !has_place(&without, d->msg[i], place_length(d->msg[i])))
                named[i] = arena_printf(a, "%s%s-s %s", named[i] ? named[i] : "",
                                        named[i] ? " " : "", set[k]);
        diag_free(&without);
    }
    for (size_t i = first; i < d->n; i++)
        if (named[i]) diag_prefix(d, i, named[i]);
    arena_free(a);
}
