/* SPDX-License-Identifier: MIT
 * When something went on: from the first begin to the last end, whatever the order they are noted in. */
#ifndef MEMSIM_CORE_SPAN_H
#define MEMSIM_CORE_SPAN_H
#include "core/units.h"

typedef struct span {
    ps_t first, last; /* last = 0: nothing yet */
} span_t;

/* end_ps > 0 */
static inline void span_note(span_t *s, ps_t begin_ps, ps_t end_ps)
{
    if (begin_ps < s->first || !s->last) s->first = begin_ps;
    if (end_ps > s->last) s->last = end_ps;
}
#endif
