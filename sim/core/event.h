/* SPDX-License-Identifier: MIT
 * An event as the engine's queues keep it, and the total order of events. */
#ifndef MEMSIM_CORE_EVENT_H
#define MEMSIM_CORE_EVENT_H
#include "core/engine.h"

#define EVENT_NIL UINT32_MAX

typedef struct event {
    ps_t when;
    uint64_t order; /* source id, then the source's sequence number */
    event_fn fn;
    void *self, *arg;
    uint32_t part; /* partition that runs it */
    uint32_t next; /* list link while it lies in a bucket */
} event_t;

static inline bool earlier(ps_t when, uint64_t order, const event_t *than)
{
    return when != than->when ? when < than->when : order < than->order;
}
#endif
