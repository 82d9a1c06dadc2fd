/* SPDX-License-Identifier: MIT */
#include "cache/slice.h"
#include <assert.h>

enum { FLAG_PEER_COPY = 1 }; /* the twin holds a copy of this line */

void slice_spec_init(slice_spec_t *sp, const l2_param_t *p, uint32_t request_bytes_per_clk,
                     uint32_t reply_bytes_per_clk, uint32_t header_bytes, bool hop_events)
{
    clk_t clk = {p->clock};
    *sp = (slice_spec_t){.clk = clk,
                         .hit_ps = gap_ps(p->hit, clk),
                         .to_memory_ps = gap_ps(p->to_memory, clk),
                         .from_memory_ps = gap_ps(p->from_memory, clk),
                         .peer_ps = gap_ps(p->peer, clk),
                         .atomic_ps = gap_ps(p->atomic, clk),
                         .clk_ps = clk_span(clk, 1),
                         .fetch_sectors = (uint8_t)p->fetch_sectors,
                         .line_sectors = (uint8_t)(p->line / p->sector),
                         .write_back = p->write == 0,
                         .partial_fetch = p->partial_write == 1,
                         .replicate = p->replicate,
                         .hop_events = hop_events};
    sp->slack_ps = hop_events ? 0 : 4 * sp->clk_ps;
    sp->writebacks_max = p->writebacks;
    sp->dirty_ways_max = (uint32_t)(p->dirty_limit * p->ways + 0.5);
    for (unsigned n = 0; n <= 8; n++) {
        ps_t move = port_time(clk, UINT64_C(32) * n, p->bytes_per_clk);
        sp->array_ps[n] =
            ps_later(move, sp->clk_ps); /* a tag lookup takes a cycle even without data */
        sp->reply_ps[n] = port_time(clk, header_bytes + UINT64_C(32) * n, reply_bytes_per_clk);
        sp->request_ps[n] = port_time(clk, header_bytes + UINT64_C(32) * n, request_bytes_per_clk);
        sp->peer_move_ps[n] =
            port_time(clk, header_bytes + UINT64_C(32) * n, p->peer_bytes_per_clk);
    }
}

void slice_init(slice_t *s, const slice_spec_t *sp, const l2_param_t *p, engine_t *e,
                unsigned partition, uint16_t id, arena_t *a, uint64_t seed)
{
    *s = (slice_t){.spec = sp, .engine = e, .id = id, .arena = a};
    engine_register(e, &s->src, partition);
    stat_banks_init(&s->banks, a, &s->st, sizeof s->st);
    uint32_t sets = (uint32_t)(p->size / p->slices / p->line / p->ways);
    tags_init(&s->tags, a, sets ? sets : 1, p->ways, (repl_t)p->replacement, seed);
    mshr_init(&s->mshr, a, p->mshrs, p->merges);
    for (unsigned lv = 0; lv < 2; lv++) s->blocked_tail[lv] = &s->blocked[lv];
}

/* Once where a request enters: by an event, out of a queue, or with another's data. */
static void charge(slice_t *s, const req_t *r)
{
    stat_charge(&s->banks, r->bank);
}

static bool is_home(const slice_t *s, const req_t *r)
{
    return r->home == s->id;
}

/* ---- replies ---- */
/* Start on a port that hits and fills reserve `hit_ps` ahead of their time.  What comes without that lead would stand
 * behind data that are not there yet: it is queued as if it had the lead, and goes as much earlier. */
static ps_t port_start(const slice_t *s, server_t *port, ps_t at, ps_t now, ps_t dur)
{
    ps_t lead = s->spec->hop_events ? 0 : ps_later(s->spec->hit_ps - (at - now), 0);
    return server_start(port, at + lead, dur) - lead;
}

static void reply_at(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    unsigned n = r->kind == REQ_WRITE || r->kind == REQ_PREFETCH ? 0 : sector_count(r->sectors);
    ps_t dur = s->spec->reply_ps[n];
    ps_t start = port_start(s, &s->out, at, now, dur);
    s->st.port_busy_ps += (uint64_t)dur;
    s->st.read_bytes += UINT64_C(32) * n;
    if (n) span_note(&s->crossed, start, start + dur);
    if (r->kind == REQ_READ) hist_add(&s->latency, (uint64_t)(start + dur - r->stamp[ST_L2_IN]));
    s->reply(s->reply_ctx, s, r, start + dur);
}

static void reply_now(void *self, void *arg, ps_t now)
{
    charge(self, arg);
    reply_at(self, arg, now, now);
}

static void peer_reply_arrive(void *self, void *arg, ps_t now);

/* `r` crosses to the twin with the data of so many sectors, as `fn`. */
static void cross(slice_t *s, req_t *r, unsigned data_sectors, ps_t at, ps_t now, event_fn fn)
{
    ps_t dur = s->spec->peer_move_ps[data_sectors];
    ps_t start = port_start(s, &s->peer_out, at, now, dur);
    s->st.peer_bytes += UINT64_C(32) * data_sectors;
    engine_post(s->engine, &s->src, s->twin->src.part, start + dur + s->spec->peer_ps, fn, s->twin,
                r);
}

static void peer_reply_now(void *self, void *arg, ps_t now)
{
    req_t *r = arg;
    charge(self, r);
    cross(self, r, sector_count(r->sectors), now, now, peer_reply_arrive);
}

/* The data of r are at the slice's output at `at`. */
static void respond(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    if (r->level == 1) { /* back over the partition link */
        r->level = 0;
        r->sectors = r->asked[1];
        if (s->spec->hop_events && at > now)
            engine_post(s->engine, &s->src, s->src.part, at, peer_reply_now, s, r);
        else
            cross(s, r, sector_count(r->sectors), at, now, peer_reply_arrive);
        return;
    }
    if (r->owner == s) { /* our own read of a partly written sector */
        r->next = s->pool;
        s->pool = r;
        return;
    }
    if (r->kind != REQ_WRITE) r->sectors = r->asked[0];
    if (s->spec->hop_events && at > now)
        engine_post(s->engine, &s->src, s->src.part, at, reply_now, s, r);
    else
        reply_at(s, r, at, now);
}

static void complete(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    charge(s, r);
    if (r->kind == REQ_ATOMIC && is_home(s, r)) {
        ps_t dur = s->spec->atomic_ps * (ps_t)sector_count(r->asked[r->level]);
        at = server_start(&s->atomic, at, dur) + dur;
        s->st.atomics++;
        uint32_t slot = tags_find(&s->tags, r->l2_set, r->line);
        if (slot != TAGS_NONE)
            tags_state(&s->tags, slot)->dirty |= r->asked[r->level] & TAGS_SECTORS;
    }
    respond(s, r, at, now);
}

/* ---- memory and evictions ---- */
static void to_memory_now(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *r = arg;
    if (r->kind == REQ_WRITEBACK) s->writebacks++; /* those that memory has and has not taken */
    port_send(&s->to_memory, r, now, now);
}

static void to_memory(slice_t *s, req_t *r, ps_t now)
{
    s->inflight_memory++;
    r->at_memory = 1;
    for (unsigned i = ST_DRAM_IN; i <= ST_DRAM_DONE; i++) r->stamp[i] = 0;
    if (r->kind == REQ_WRITEBACK)
        s->st.memory_write_bytes += UINT64_C(32) * sector_count(r->sectors);
    else
        s->st.memory_read_bytes += UINT64_C(32) * sector_count(r->sectors);
    /* The same delay for all, so order is kept: it is added to the reply instead of costing an event. */
    if (s->spec->hop_events)
        engine_post(s->engine, &s->src, s->src.part, now + s->spec->to_memory_ps, to_memory_now, s,
                    r);
    else
        to_memory_now(s, r, now);
}

static req_t *own_request(slice_t *s)
{
    req_t *r = s->pool;
    if (r)
        s->pool = r->next;
    else
        r = arena_alloc(s->arena, sizeof *r);
    return r;
}

static void write_to_memory(slice_t *s, uint32_t line, uint8_t sectors, ps_t now)
{
    req_t *w = own_request(s);
    *w = (req_t){.line = line, .kind = REQ_WRITEBACK, .sectors = sectors, .home = s->id};
    s->st.writebacks++;
    to_memory(s, w, now);
}

/* A slot for line, pushing out a victim (and writing it back if it is ours to write). */
static uint32_t make_room(slice_t *s, uint32_t set, uint32_t line, ps_t now)
{
    tags_victim_t v;
    uint32_t slot = tags_fill(&s->tags, set, line, &v);
    if (v.line != TAGS_NONE) {
        s->st.evictions++;
        if (v.dirty) write_to_memory(s, v.line, v.dirty, now);
    }
    return slot;
}

/* ---- lookups ---- */
static bool lookup(slice_t *s, req_t *r, ps_t at, ps_t now); /* false: blocked */

static void block(slice_t *s, req_t *r)
{
    s->st.stalls++;
    r->next = NULL;
    *s->blocked_tail[r->level] = r;
    s->blocked_tail[r->level] = &r->next;
}

/* Requests from the twin come first: they wait for memory only, so the two partitions cannot wait for each other. */
static void unblock(slice_t *s, ps_t now)
{
    for (unsigned lv = 2; lv-- > 0;)
        while (s->blocked[lv]) {
            req_t *r = s->blocked[lv];
            s->blocked[lv] = r->next;
            req_prefetch(r->next);
            if (!r->next) s->blocked_tail[lv] = &s->blocked[lv];
            charge(s, r);
            if (lookup(s, r, now, now)) continue;
            r->next = s->blocked[lv]; /* it keeps its place */
            if (!r->next) s->blocked_tail[lv] = &r->next;
            s->blocked[lv] = r;
            break;
        }
}

/* Too many dirty lines wait at the memory: what would push out more must wait. */
static bool write_backs_full(const slice_t *s)
{
    return s->writebacks >= s->spec->writebacks_max;
}

static bool read_lookup(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    unsigned lv = r->level;
    uint32_t line = r->line, set = r->l2_set;
    uint32_t slot = tags_find(&s->tags, set, line);
    uint8_t have = slot == TAGS_NONE ? 0 : tags_state(&s->tags, slot)->valid;
    uint8_t need = (uint8_t)(r->asked[lv] & ~have);
    uint64_t other = 0; /* atomics are counted when they are done */
    uint64_t *n_read = r->kind == REQ_ATOMIC ? &other : lv ? &s->st.far_reads : &s->st.reads;
    uint64_t *n_hit = r->kind == REQ_ATOMIC ? &other : lv ? &s->st.far_hits : &s->st.hits;
    if (!need) {
        ++*n_read, ++*n_hit;
        tags_touch(&s->tags, slot);
        if (lv && s->spec->replicate) tags_state(&s->tags, slot)->flag |= FLAG_PEER_COPY;
        complete(s, r, at + s->spec->hit_ps, now);
        return true;
    }
    mshr_entry_t *e = mshr_find(&s->mshr, line);
    uint8_t pending = e ? e->pending : 0, fetch = (uint8_t)(need & ~pending);
    if (fetch && s->spec->fetch_sectors > 1) { /* widen to the fetch granularity */
        uint8_t unit = (uint8_t)((1u << s->spec->fetch_sectors) - 1), wide = 0;
        for (unsigned b = 0; b < s->spec->line_sectors; b += s->spec->fetch_sectors)
            if (fetch & (unit << b)) wide = (uint8_t)(wide | (unit << b));
        fetch = (uint8_t)(wide & ~have & ~pending);
    }
    if (!e && (write_backs_full(s) || !(e = mshr_new(&s->mshr, line, lv)))) return false;
    r->left[lv] = need;
    if (!fetch) {
        if (!mshr_wait(&s->mshr, e, r)) return false;
        if (!lv && r->kind != REQ_ATOMIC) s->st.merged++;
        ++*n_read;
        return true;
    }
    ++*n_read;
    if (!lv && r->kind != REQ_ATOMIC) s->st.misses++;
    e->pending |= fetch;
    if (slot != TAGS_NONE) tags_touch(&s->tags, slot);
    r->sectors = fetch;
    if (is_home(s, r))
        to_memory(s, r, now);
    else {
        r->asked[1] = fetch;
        r->level = 1;
        cross(s, r, 0, at, now, slice_arrive);
    }
    return true;
}

static void early_writeback(slice_t *s, uint32_t set, uint32_t slot, ps_t now)
{
    uint32_t n, old = tags_oldest_dirty(&s->tags, set, slot, &n);
    if (n <= s->spec->dirty_ways_max || old == TAGS_NONE) return;
    uint8_t d = tags_state(&s->tags, old)->dirty;
    tags_state(&s->tags, old)->dirty = 0;
    s->st.early_writebacks++;
    write_to_memory(s, tags_line(&s->tags, old), d, now);
}

static void drop_twin_copy(void *self, void *arg, ps_t now);

/* partial_write = fetch: sectors that a store covers only in part are read from memory. */
static void fetch_partial(slice_t *s, const req_t *w, uint8_t sectors, ps_t at, ps_t now)
{
    req_t *r = own_request(s);
    *r = (req_t){.line = w->line,
                 .kind = REQ_PREFETCH,
                 .sectors = sectors,
                 .l2_set = w->l2_set,
                 .home = w->home,
                 .bank = w->bank,
                 .owner = s};
    r->asked[0] = sectors;
    if (!lookup(s, r, at, now)) block(s, r);
}

static bool write_lookup(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    uint32_t line = r->line, set = r->l2_set;
    uint32_t slot = tags_find(&s->tags, set, line);
    uint8_t full = (uint8_t)(r->sectors & ~r->partial);
    if (slot == TAGS_NONE && write_backs_full(s)) return false;
    if (slot == TAGS_NONE)
        slot = make_room(s, set, line, now);
    else
        tags_touch(&s->tags, slot);
    if (tags_state(&s->tags, slot)->flag & FLAG_PEER_COPY && r->level == 0) {
        tags_state(&s->tags, slot)->flag =
            (uint8_t)(tags_state(&s->tags, slot)->flag & ~FLAG_PEER_COPY);
        req_t *note = own_request(s);
        *note = (req_t){.line = r->line, .l2_set = r->l2_set, .bank = r->bank};
        engine_post(s->engine, &s->src, s->twin->src.part, at + s->spec->peer_ps, drop_twin_copy,
                    s->twin, note);
    }
    uint8_t gap = (uint8_t)(r->partial & ~tags_state(&s->tags, slot)->valid);
    tags_state(&s->tags, slot)->valid |= full & TAGS_SECTORS;
    s->st.writes++;
    s->st.write_bytes += UINT64_C(32) * sector_count(r->sectors);
    if (s->spec->write_back) {
        tags_state(&s->tags, slot)->dirty |= r->sectors & TAGS_SECTORS;
        if (s->spec->dirty_ways_max < s->tags.ways) early_writeback(s, set, slot, now);
    } else
        write_to_memory(s, line, r->sectors, now);
    if (gap && s->spec->partial_fetch) fetch_partial(s, r, gap, at, now);
    /* The store is accepted: the acknowledgement needs no data and does not wait for the array. */
    if (r->level == 1) {
        r->level = 0;
        cross(s, r, 0, at, now, peer_reply_arrive);
    } else
        respond(s, r, at, now);
    return true;
}

/* A slice that is not the line's home: stores and atomics pass through, dropping the copy held here. */
static void pass_through(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    if (r->kind != REQ_READ && r->kind != REQ_PREFETCH) {
        uint32_t slot = tags_find(&s->tags, r->l2_set, r->line);
        if (slot != TAGS_NONE) {
            tags_drop(&s->tags, slot);
            s->st.invalidations++;
        }
    }
    r->asked[1] = r->asked[0];
    r->level = 1;
    cross(s, r, r->kind == REQ_WRITE || r->kind == REQ_ATOMIC ? sector_count(r->sectors) : 0, at,
          now, slice_arrive);
}

static bool lookup(slice_t *s, req_t *r, ps_t at, ps_t now)
{
    bool reads = r->kind == REQ_READ || r->kind == REQ_PREFETCH;
    if (!is_home(s, r) && !(reads && s->spec->replicate)) {
        pass_through(s, r, at, now);
        return true;
    }
    return r->kind == REQ_WRITE ? write_lookup(s, r, at, now) : read_lookup(s, r, at, now);
}

/* ---- events ---- */
static void unblock_event(void *self, void *arg, ps_t now)
{
    (void)arg;
    unblock(self, now);
}

static void tag_stage(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *r = arg;
    charge(s, r);
    if (s->blocked[r->level] || !lookup(s, r, now, now)) block(s, r);
}

void slice_arrive(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *r = arg;
    bool data = r->kind == REQ_WRITE || r->kind == REQ_ATOMIC;
    ps_t at = now;
    charge(s, r);
    if (r->level == 0) { /* by the crossbar: its port carries the store's data */
        ps_t dur = s->spec->request_ps[data ? sector_count(r->sectors) : 0];
        at = server_start(&s->in, now, dur) + dur;
        r->stamp[ST_L2_IN] = at;
    }
    ps_t dur = s->spec->array_ps[sector_count(data ? r->sectors : r->asked[r->level])];
    at = server_start(&s->array, at, dur);
    s->st.array_busy_ps += (uint64_t)dur;
    if (r->kind != REQ_PREFETCH) span_note(&s->crossed, at, at + dur);
    if (at > now + s->spec->slack_ps) {
        engine_post(s->engine, &s->src, s->src.part, at, tag_stage, s, r);
        return;
    }
    if (s->blocked[r->level] || !lookup(s, r, at, now)) block(s, r);
}

/* The sectors r->sectors of its line are here; they can leave at `ready`. */
static void fill(slice_t *s, req_t *r, ps_t ready, ps_t now)
{
    uint32_t line = r->line, set = r->l2_set;
    uint8_t mask = r->sectors;
    unsigned lv = r->level;
    charge(s, r);
    uint32_t slot = tags_find(&s->tags, set, line);
    if (slot == TAGS_NONE) slot = make_room(s, set, line, now);
    tags_state(&s->tags, slot)->valid |= mask & TAGS_SECTORS;
    if (lv && s->spec->replicate) tags_state(&s->tags, slot)->flag |= FLAG_PEER_COPY;
    mshr_entry_t *e = mshr_find(&s->mshr, line);
    assert(e && "fill without a miss");
    e->pending = (uint8_t)(e->pending & ~mask);
    mshr_queue_t queue = mshr_call(e);
    for (req_t *w = r; w; w = mshr_next(&s->mshr, &queue)) { /* the carrier is the oldest */
        unsigned wl = w->level;
        w->left[wl] = (uint8_t)(w->left[wl] & e->pending); /* what came meanwhile counts too */
        if (!w->left[wl]) {
            if (wl && s->spec->replicate) tags_state(&s->tags, slot)->flag |= FLAG_PEER_COPY;
            complete(s, w, ready, now);
        } else
            mshr_wait_on(&s->mshr, e, w);
    }
    if (!e->pending && !e->waiting) mshr_release(&s->mshr, e);
    if (s->blocked[0] || s->blocked[1]) unblock(s, now);
}

static void memory_fill(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *r = arg;
    ps_t ready = r->stamp[ST_DRAM_DONE] + s->spec->from_memory_ps +
                 (s->spec->hop_events ? 0 : s->spec->to_memory_ps);
    fill(s, r, ps_later(ready, now), now);
}

void slice_memory_done(slice_t *s, req_t *r, ps_t data_ps, ps_t now)
{
    s->inflight_memory--;
    if (r->stamp[ST_DRAM_CAS]) /* else another request's data did for it */
        span_note(&s->memory_crossed, r->stamp[ST_DRAM_CAS], data_ps);
    if (r->kind == REQ_WRITEBACK) {
        r->next = s->pool;
        s->pool = r;
        if (s->writebacks-- == s->spec->writebacks_max && (s->blocked[0] || s->blocked[1]))
            engine_post(s->engine, &s->src, s->src.part, now, unblock_event, s, NULL);
        return;
    }
    r->stamp[ST_DRAM_DONE] = data_ps;
    /* Placed a hit's latency before the data leave, so that hits and fills take the reply port in order. */
    ps_t at = data_ps + s->spec->from_memory_ps;
    if (!s->spec->hop_events) at += s->spec->to_memory_ps - s->spec->hit_ps;
    engine_post(s->engine, &s->src, s->src.part, ps_later(at, now), memory_fill, s, r);
}

static void peer_reply_arrive(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *r = arg;
    charge(s, r);
    if (r->kind == REQ_WRITE || r->kind == REQ_ATOMIC || !s->spec->replicate)
        respond(s, r, now, now);
    else
        fill(s, r, now, now);
}

static void slice_prepare(void *self, void *arg)
{
    const slice_t *s = self;
    const req_t *r = arg;
    tags_prefetch(&s->tags, r->l2_set);
    mshr_prefetch(&s->mshr, r->line);
}

void slice_prepare_all(engine_t *e)
{
    engine_prepare(e, slice_arrive, slice_prepare);
    engine_prepare(e, memory_fill, slice_prepare);
    engine_prepare(e, peer_reply_arrive, slice_prepare);
}

static void drop_twin_copy(void *self, void *arg, ps_t now)
{
    slice_t *s = self;
    req_t *note = arg;
    (void)now;
    charge(s, note);
    uint32_t slot = tags_find(&s->tags, note->l2_set, note->line);
    if (slot != TAGS_NONE) {
        tags_drop(&s->tags, slot);
        s->st.invalidations++;
    }
    note->next = s->pool;
    s->pool = note;
}

/* ---- functional warming ---- */
/* What a store leaves in its set: no more dirty ways than the limit, as early_writeback would. */
static unsigned warm_dirty(slice_t *s, uint32_t l2_set, uint32_t slot, uint8_t sectors)
{
    if (!s->spec->write_back) return sector_count(sectors);
    tags_state(&s->tags, slot)->dirty |= sectors & TAGS_SECTORS;
    uint32_t n, old;
    if (s->spec->dirty_ways_max >= s->tags.ways) return 0;
    old = tags_oldest_dirty(&s->tags, l2_set, slot, &n);
    if (n <= s->spec->dirty_ways_max || old == TAGS_NONE) return 0;
    unsigned cleaned = sector_count(tags_state(&s->tags, old)->dirty);
    tags_state(&s->tags, old)->dirty = 0;
    return cleaned;
}

static unsigned warm_one(slice_t *s, uint32_t l2_set, uint32_t line, uint8_t sectors, bool write,
                         unsigned *written, uint8_t *missing)
{
    uint32_t slot = tags_find(&s->tags, l2_set, line);
    if (slot == TAGS_NONE) {
        tags_victim_t v;
        slot = tags_fill(&s->tags, l2_set, line, &v);
        if (v.line != TAGS_NONE) *written += sector_count(v.dirty);
    } else
        tags_touch(&s->tags, slot);
    *missing = (uint8_t)(sectors & ~tags_state(&s->tags, slot)->valid);
    tags_state(&s->tags, slot)->valid |= sectors & TAGS_SECTORS;
    if (!write) return sector_count(*missing);
    *written += warm_dirty(s, l2_set, slot, sectors);
    return 0;
}

static void warm_drop(slice_t *s, uint32_t l2_set, uint32_t line)
{
    uint32_t slot = tags_find(&s->tags, l2_set, line);
    if (slot != TAGS_NONE) tags_drop(&s->tags, slot);
}

unsigned slice_warm(slice_t *near, slice_t *home, uint32_t l2_set, uint32_t line, uint8_t sectors,
                    bool write, unsigned *written)
{
    uint8_t missing = sectors;
    const bool far = near != home;
    if (far && write) warm_drop(near, l2_set, line);
    if (far && !write && near->spec->replicate) {
        warm_one(near, l2_set, line, sectors, false, written, &missing);
        if (!missing) return 0;
    }
    unsigned moved = warm_one(home, l2_set, line, missing, write, written, &missing);
    if (far == write) return moved;
    tag_state_t *kept = tags_state(&home->tags, tags_find(&home->tags, l2_set, line));
    if (far && near->spec->replicate) kept->flag |= FLAG_PEER_COPY;
    if (write && kept->flag & FLAG_PEER_COPY) {
        kept->flag = (uint8_t)(kept->flag & ~FLAG_PEER_COPY);
        warm_drop(home->twin, l2_set, line);
    }
    return moved;
}

uint64_t slice_dirty_bytes(const slice_t *s)
{
    return 32 * tags_dirty_sectors(&s->tags);
}
