/* SPDX-License-Identifier: MIT
 * Errors below sim/cli are returned, never fatal.  A function that can fail returns an exit class
 * (MS_OK = 0) and appends one message per fault to the caller's diag_t; the command line prints them all. */
#ifndef MEMSIM_CORE_DIAG_H
#define MEMSIM_CORE_DIAG_H
#include <stdarg.h>
#include <stddef.h>

enum { /* the exit codes of the contract */
       MS_OK = 0,
       MS_USAGE = 1,    /* usage, output folder, missed gate */
       MS_INPUT = 2,    /* bad device, workload or data file */
       MS_DEADLOCK = 3, /* no progress; the message says who waits on whom */
       MS_INTERNAL = 4, /* invariant or DRAM timing violated */
       MS_CAPACITY = 5, /* buffers do not fit in memory */
       MS_INTERRUPTED = 130
};

typedef struct diag {
    char **msg; /* owned */
    size_t n, cap;
    int worst;         /* first failing class recorded, MS_OK if none */
    size_t suppressed; /* messages beyond the limit of 50 */
} diag_t;

void diag_init(diag_t *d);
void diag_free(diag_t *d);
/* Append "text"; remembers `cls` if it is the first fault.  Returns cls, so `return diag_add(...)` works. */
int diag_add(diag_t *d, int cls, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with "file:line: " in front. */
int diag_at(diag_t *d, int cls, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Note that is no fault (printed as a warning, class stays). */
void diag_note(diag_t *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "text: " in front of message i. */
void diag_prefix(diag_t *d, size_t i, const char *text);

/* Nearest of n names to `given` by edit distance, or NULL when none is near enough (distance <= 1 + len/3).
 * Case-insensitive matches win.  Used for every "did you mean". */
const char *diag_nearest(const char *given, const char *const *names, size_t n);
#endif
