/* SPDX-License-Identifier: MIT
 * The event engine.
 *
 * Order is total: (when, source id, per-source sequence number).  It does not depend on which thread posted
 * first nor on the queue's insides, so a run split over partitions gives the same bytes as one queue.
 *
 * Ownership: every mutable struct belongs to one partition; only events of that partition touch it.  An event
 * for another partition must lie at least `lookahead` ps in the future (asserted).
 *
 * ENGINE_MERGED takes all events from one queue.  ENGINE_WINDOWS gives every partition a queue and runs windows of
 * `lookahead` ps partition by partition: what one partition touches stays in the processor's cache, and a component
 * may run ahead within its window (engine_horizon).  ENGINE_SHUFFLED does so in a pseudo-random order of partitions.
 * The results are the same, or someone broke the rule. */
#ifndef MEMSIM_CORE_ENGINE_H
#define MEMSIM_CORE_ENGINE_H
#include "core/units.h"

typedef struct engine engine_t;
typedef void (*event_fn)(void *self, void *arg, ps_t now);

typedef struct src { /* whoever posts events; embed one per component */
    uint32_t id;     /* unique in the engine, in order of registration */
    uint32_t part;   /* partition that owns the component */
    uint64_t seq;    /* events posted so far */
} src_t;

typedef enum { ENGINE_WINDOWS, ENGINE_MERGED, ENGINE_SHUFFLED } engine_mode_t;

/* bucket_ps_log2: width of a bucket of ENGINE_MERGED's wheel (4 = 16 ps suits a whole GPU, 8 a single channel); the
 * other modes do not use it.  lookahead, in ps, is asserted of crossing posts; it is > 0, and the windows' length,
 * where there are windows.  Free with engine_free. */
engine_t *engine_new(engine_mode_t mode, unsigned partitions, unsigned bucket_ps_log2,
                     ps_t lookahead, uint64_t shuffle_seed);
void engine_free(engine_t *e);
void engine_register(engine_t *e, src_t *s, unsigned partition);

/* Run fn(self, arg, when) in partition `to` at time when >= now. */
void engine_post(engine_t *e, src_t *from, unsigned to, ps_t when, event_fn fn, void *self,
                 void *arg);
/* The same within `from`'s partition, for an event that takes the place of all that this `self` has posted so before:
 * those of them that run all the same must do nothing (arg tells them apart).  For what is posted most of all. */
void engine_post_wake(engine_t *e, src_t *from, ps_t when, event_fn fn, void *self, void *arg);
/* ENGINE_WINDOWS only, for speed: at a window's start prepare(self, arg) is called for the events of it that run fn,
 * to fetch ahead what they will look at.  It must change nothing. */
typedef void (*event_prepare_fn)(void *self, void *arg);
void engine_prepare(engine_t *e, event_fn fn, event_prepare_fn prepare);

/* Process events with time < until.  Returns the time of the first event left, PS_MAX if none. */
ps_t engine_run(engine_t *e, ps_t until);
/* Make engine_run return early: after the running event (merged), or at the end of its window. */
void engine_stop(engine_t *e);
/* Called by a running event: nothing else happens in its partition before this time, so its component may do what
 * it would have posted events for.  It then says how far it has come. */
ps_t engine_horizon(const engine_t *e);
void engine_advance(engine_t *e, ps_t now);
/* Time of the earliest pending event, PS_MAX if none. */
ps_t engine_next(const engine_t *e);
ps_t engine_now(const engine_t *e);       /* time of the last event processed */
uint64_t engine_count(const engine_t *e); /* events processed */
uint64_t engine_pending(const engine_t *e);
#endif
