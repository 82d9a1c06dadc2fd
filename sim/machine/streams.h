/* SPDX-License-Identifier: MIT
 * A group of launches that overlap, as the result knows it. */
#ifndef MEMSIM_MACHINE_STREAMS_H
#define MEMSIM_MACHINE_STREAMS_H
#include "machine/run.h"

struct group {
    uint64_t sign[2]; /* of its commands: equal for groups that are alike; 0, 0: not known */
    totals_t all;     /* of the machine, one time */
    double idle_ps;   /* in launch gaps inside it, nothing else going on, one time */
    struct member {
        uint32_t rec;
        uint64_t n;
    } * member; /* launches by record, one time */
    size_t n_member, cap_member;
    uint64_t launches;
};

/* streams_play.c: simulate the group up to work number `last` and account it to record `rec`. */
int streams_simulate(run_t *r, size_t rec, uint32_t last);

/* ahead.c: commands of a group read in advance. */
typedef struct ahead {
    wcmd_t *c;
    uint32_t *cls; /* cache class of launches */
    size_t n, at, cap;
} ahead_t;
/* Read the group that begins with `first`, up to work number `last`: all of it, or until there is more than `lines`
 * line requests (*over) or more commands than are kept (*more).  sign: as above. */
int ahead_read(run_t *r, const wcmd_t *first, uint32_t last, double lines, uint64_t sign[2],
               double *need, bool *over, bool *more);
/* The next command and its class; false: none was read in advance. */
bool ahead_take(run_t *r, wcmd_t *c, uint32_t *cls);
#endif
