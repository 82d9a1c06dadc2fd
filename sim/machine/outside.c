/* SPDX-License-Identifier: MIT
 * Accesses that lie in the memory but in no buffer: most likely a formula that is wrong.  The run goes on, as a GPU
 * with its memory mapped in pages often would, and a warning says so. */
#include "machine/run.h"
#include <inttypes.h>

void outside_watch(run_t *r)
{
    const buffer_info_t *b;
    const size_t n = workload_buffers(r->wl, &b);
    sm_env_t *e = &r->sys->env;
    const uint64_t page = TRANSLATE_PAGE_BYTES;
    if (!n) return; /* raw accesses */
    e->page_shift = (unsigned)__builtin_ctzll(page);
    e->pages = (workload_footprint(r->wl) + page - 1) / page;
    uint32_t *used = arena_array(r->arena, uint32_t, e->pages + 1);
    uint64_t *whole = arena_array(r->arena, uint64_t, e->pages / 64 + 1);
    for (size_t i = 0; i < n; i++) /* a buffer begins with a page */
        for (uint64_t at = 0; at < b[i].bytes; at += page) {
            uint64_t left = b[i].bytes - at, p = (b[i].base + at) / page;
            used[p] = (uint32_t)(left < page ? left : page);
            if (used[p] == page) whole[p / 64] |= UINT64_C(1) << p % 64;
        }
    e->page_whole = whole;
    e->page_used = used;
}

static bool told(run_t *r, uint32_t line)
{
    const uint32_t max = sizeof r->outside_told / sizeof *r->outside_told;
    for (uint32_t i = 0; i < r->n_outside_told; i++)
        if (r->outside_told[i] == line) return true;
    if (r->n_outside_told == max) return true;
    r->outside_told[r->n_outside_told++] = line;
    return false;
}

void outside_report(run_t *r)
{
    uint64_t lines = 0;
    const sm_t *first = NULL;
    for (uint32_t i = 0; i < r->sys->n_sms; i++) {
        const sm_t *m = &r->sys->sms[i];
        lines += m->outside.lines;
        if (!first && m->outside.lines) first = m;
    }
    if (!first) return;
    if (!told(r, first->outside.trace_line))
        diag_note(r->diag,
                  "%s:%" PRIu32 ": address 0x%" PRIx64 " lies in no buffer; %" PRIu64
                  " requests of this launch that were simulated do",
                  r->workload_path, first->outside.trace_line, first->outside.addr, lines);
    for (uint32_t i = 0; i < r->sys->n_sms; i++) r->sys->sms[i].outside.lines = 0;
}
