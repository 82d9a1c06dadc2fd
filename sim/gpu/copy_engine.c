/* SPDX-License-Identifier: MIT */
#include "gpu/copy_engine.h"
#include <assert.h>

#define COPY_DONE 0xff
#define READ_AHEAD 16 /* lines asked for in one event */

void copy_engine_init(copy_engine_t *c, engine_t *e, unsigned partition, arena_t *a,
                      uint64_t bytes_per_s, uint32_t lines_max, bool hop_events)
{
    *c = (copy_engine_t){.engine = e,
                         .arena = a,
                         .lines_max = lines_max > 2 ? lines_max : 2,
                         .hop_events = hop_events};
    engine_register(e, &c->src, partition);
    c->line_ps = (ps_t)(((wide_t)LINE_BYTES * 1000000000000 + bytes_per_s - 1) / bytes_per_s);
    uint32_t ring = 4;
    while (ring < c->lines_max + 2) ring *= 2;
    c->mask = ring - 1;
    c->missing = arena_array(a, uint8_t, ring);
    c->tail = &c->head;
}

/* Lines that hold the bytes of the copy at offsets [lo, hi), which lie in a range from `base`. */
static void lines_at(addr_t base, uint64_t lo, uint64_t hi, uint64_t *first, uint64_t *last)
{
    uint64_t in = base % LINE_BYTES;
    *first = (in + lo) / LINE_BYTES;
    *last = (in + hi - 1) / LINE_BYTES;
}

/* Offsets of the copy that line number i of the range from `base` holds. */
static void offsets_of(const copy_job_t *j, addr_t base, uint64_t i, uint64_t *lo, uint64_t *hi)
{
    uint64_t in = base % LINE_BYTES, end = (i + 1) * LINE_BYTES - in;
    *lo = i ? i * LINE_BYTES - in : 0;
    *hi = end < j->bytes ? end : j->bytes;
}

static void send_line(copy_engine_t *c, copy_job_t *j, uint64_t i, bool write, ps_t at)
{
    req_t *r = c->pool;
    if (r)
        c->pool = r->next;
    else
        r = arena_alloc(c->arena, sizeof *r);
    line_access_t l;
    unsigned n = coalesce_range(write ? j->to : j->from, j->bytes, (unsigned)i, 1, &l);
    assert(n == 1);
    (void)n;
    *r = (req_t){.addr = l.line, /* virtual, until it is located */
                 .kind = write ? REQ_WRITE : REQ_READ,
                 .sectors = l.sectors,
                 .asked = {l.sectors, 0},
                 .partial = l.partial,
                 .bulk = 1,
                 .sm = COPY_ENGINE_SM,
                 .bank = j->bank,
                 .kernel = j->seq,
                 .id = (uint32_t)i,
                 .owner = j};
    r->stamp[ST_ISSUE] = r->stamp[ST_L1_OUT] = at;
    c->locate(c->ctx, r);
    c->send(c->ctx, r, at);
}

static void go_on(void *self, void *arg, ps_t now);

/* Ask for lines of the first copy until a limit or the look-ahead is reached. */
static void read_more(copy_engine_t *c, ps_t now)
{
    copy_job_t *j = c->head;
    ps_t ahead = c->hop_events ? 0 : READ_AHEAD * c->line_ps;
    while (j && !c->posted && j->read < j->reads) {
        uint64_t lo, hi, first, last;
        offsets_of(j, j->from, j->read, &lo, &hi);
        lines_at(j->to, lo, hi, &first, &last);
        if (last >= j->low + c->lines_max) return; /* an accepted line resumes */
        if (c->rate.free_ps > now + ahead) {
            c->posted = true;
            engine_post(c->engine, &c->src, c->src.part, c->rate.free_ps, go_on, c, NULL);
            return;
        }
        for (uint64_t w = first; w <= last; w++) { /* its first read opens a line to write */
            uint64_t wlo, whi, r0, r1;
            offsets_of(j, j->to, w, &wlo, &whi);
            lines_at(j->from, wlo, whi, &r0, &r1);
            if (r0 == j->read) c->missing[w & c->mask] = (uint8_t)(r1 - r0 + 1);
        }
        ps_t at = server_start(&c->rate, now, c->line_ps);
        send_line(c, j, j->read++, false, at);
    }
}

static void go_on(void *self, void *arg, ps_t now)
{
    copy_engine_t *c = self;
    (void)arg;
    c->posted = false;
    read_more(c, now);
}

void copy_engine_start(copy_engine_t *c, copy_job_t *j, ps_t now)
{
    assert(j->bytes);
    j->next = NULL;
    j->reads = range_lines(j->from, j->bytes);
    j->writes = range_lines(j->to, j->bytes);
    j->read = j->written = j->accepted = j->low = j->skipped = 0;
    j->begin_ps = now;
    *c->tail = j;
    c->tail = &j->next;
    if (c->head == j) read_more(c, now);
}

void copy_engine_skip(copy_job_t *j, uint64_t lines)
{
    assert(j->read + lines < j->reads && j->read + lines < j->writes);
    j->from += lines * LINE_BYTES; /* lines keep their numbers: those to come lie further on */
    j->to += lines * LINE_BYTES;
    j->bytes -= lines * LINE_BYTES;
    j->reads -= lines;
    j->writes -= lines;
    j->skipped += lines;
}

/* The full number behind its low 32 bits, the latest below `end`. */
static uint64_t full_number(uint64_t end, uint32_t low)
{
    return end - 1 - (uint32_t)((uint32_t)(end - 1) - low);
}

static void accepted(copy_engine_t *c, copy_job_t *j, uint64_t w, ps_t now)
{
    c->missing[w & c->mask] = COPY_DONE;
    j->accepted++;
    while (j->low < j->writes && c->missing[j->low & c->mask] == COPY_DONE) {
        c->missing[j->low & c->mask] = 0;
        j->low++;
    }
    if (j->accepted < j->writes) return;
    c->head = j->next;
    if (c->head)
        c->head->begin_ps = now;
    else
        c->tail = &c->head;
    j->end_ps = now;
    c->done(c->done_ctx, j, now);
}

void copy_engine_reply(void *self, void *arg, ps_t now)
{
    copy_engine_t *c = self;
    req_t *r = arg;
    copy_job_t *j = r->owner;
    r->next = c->pool;
    c->pool = r;
    if (r->kind == REQ_WRITE)
        accepted(c, j, full_number(j->read + 2, r->id), now);
    else {
        uint64_t lo, hi, first, last, i = full_number(j->read, r->id);
        offsets_of(j, j->from, i, &lo, &hi);
        lines_at(j->to, lo, hi, &first, &last);
        for (uint64_t w = first; w <= last; w++)
            if (!--c->missing[w & c->mask]) {
                j->written++;
                send_line(c, j, w, true, now);
            }
    }
    read_more(c, now);
}
