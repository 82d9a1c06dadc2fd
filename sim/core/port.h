/* SPDX-License-Identifier: MIT
 * How components meet: a port is a function of the receiver.  The sender hands the request over (ownership
 * included) for time `at` >= now; the receiver reserves its resources in the order of the calls. */
#ifndef MEMSIM_CORE_PORT_H
#define MEMSIM_CORE_PORT_H
#include "core/req.h"

typedef struct port {
    void (*send)(void *self, req_t *r, ps_t at, ps_t now);
    void *self;
} port_t;

static inline void port_send(const port_t *p, req_t *r, ps_t at, ps_t now)
{
    p->send(p->self, r, at, now);
}
#endif
