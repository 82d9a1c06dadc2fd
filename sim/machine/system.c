/* SPDX-License-Identifier: MIT */
#include "machine/system.h"
#include <assert.h>

#define LINE_SHIFT 7
#define LINE_BYTES_U 128u

/* ---- where a line lives ---- */
uint32_t system_home_slice(const system_t *s, const loc_t *loc)
{
    if (s->channels_per_slice) return loc->channel / s->channels_per_slice;
    return loc->channel * s->slices_per_channel;
}

uint32_t system_locate(const system_t *s, addr_t addr, uint32_t *l2_set)
{
    loc_t loc;
    dram_decode(s->dram, addr, &loc);
    /* Row, rank, bank group, bank, pseudo channel, column: a number that is dense where memory is. */
    uint64_t n = loc.row;
    n = n * s->ranks + loc.rank;
    n = n * s->banks + loc.bank;
    n = n * s->bank_groups + loc.bank_group;
    n = n * s->pcs + loc.pc;
    n = n * s->line_cols + loc.col / s->line_bursts;
    uint32_t slice = system_home_slice(s, &loc);
    if (s->channels_per_slice)
        n = n * s->channels_per_slice + loc.channel % s->channels_per_slice;
    else if (s->slices_per_channel >
             1) { /* spread the lines of a channel over its slices, rotating by blocks */
        uint64_t k = s->slices_per_channel, q = n / k;
        slice += (uint32_t)((n + q + q / k) % k);
        n = q;
    }
    *l2_set = tags_set(&s->slice[slice].tags, (uint32_t)n);
    return slice;
}

uint32_t system_near(const system_t *s, uint32_t home, uint16_t sm)
{
    if (s->half && home / s->half != s->sms[sm].partition_side)
        return (home + s->half) % s->n_slices;
    return home;
}

static addr_t translate(void *ctx, addr_t va)
{
    const system_t *s = ctx;
    return translate_va(s->translate, 0, va);
}

static void set_place(const system_t *s, req_t *r)
{
    r->home = (uint16_t)system_locate(s, (addr_t)r->line << LINE_SHIFT, &r->l2_set);
}

/* ---- SM <-> crossbar <-> slice ---- */
static void sm_out(void *self, void *arg, ps_t now)
{
    system_t *s = self;
    req_t *r = arg;
    slice_t *to = &s->slice[system_near(s, r->home, r->sm)];
    ps_t at = xbar_up(&s->xbar, &s->port[r->sm], r, now);
    engine_post(s->engine, &s->sms[r->sm].src, to->src.part, at, slice_arrive, to, r);
}

static void send(void *ctx, sm_t *sm, req_t *r, ps_t at, ps_t now)
{
    system_t *s = ctx;
    set_place(s, r);
    if (s->hop_events && at > now)
        engine_post(s->engine, &sm->src, sm->src.part, at, sm_out, s, r);
    else
        sm_out(s, r, at);
}

static void l1_out(void *self, req_t *r, ps_t at, ps_t now)
{
    system_t *s = self;
    send(s, &s->sms[r->sm], r, at, now);
}

static void slice_reply(void *ctx, slice_t *from, req_t *r, ps_t at)
{
    system_t *s = ctx;
    if (r->sm == COPY_ENGINE_SM) {
        engine_post(s->engine, &from->src, s->copy.src.part, at + s->xbar.latency_ps,
                    copy_engine_reply, &s->copy, r);
        return;
    }
    sm_t *to = &s->sms[r->sm];
    engine_post(s->engine, &from->src, to->src.part, at + s->xbar.latency_ps, sm_reply_arrive, to,
                r);
}

static void sm_reply_prepare(void *self, void *arg)
{
    const sm_t *sm = self;
    const req_t *r = arg;
    const system_t *s = sm->env->ctx;
    if (r->at_memory) req_prefetch_memory(r); /* the stamps */
    if (r->kind != REQ_READ || r->bulk) return;
    l1_prefetch(&s->l1[sm->id], r);
    const warp_t *w = &sm->warp[r->warp];
    __builtin_prefetch(w);
    __builtin_prefetch(&w->ready_ps[r->token]);
}

static ps_t receive(void *ctx, sm_t *sm, req_t *r, ps_t now)
{
    system_t *s = ctx;
    return xbar_down(&s->xbar, &s->port[sm->id], r, now);
}

/* ---- copy engine <-> slice ---- */
static void copy_locate(void *ctx, req_t *r)
{
    const system_t *s = ctx;
    r->line = (uint32_t)(translate_va(s->translate, 0, r->addr) >> LINE_SHIFT);
    set_place(s, r);
}

static void copy_send(void *ctx, req_t *r, ps_t at)
{
    system_t *s = ctx;
    slice_t *to = &s->slice[r->home];
    engine_post(s->engine, &s->copy.src, to->src.part, at + s->xbar.latency_ps, slice_arrive, to,
                r);
}

/* ---- SM <-> its L1 ---- */
static int do_l1_load(void *ctx, sm_t *sm, req_t *r, ps_t t, ps_t now)
{
    system_t *s = ctx;
    return (int)l1_load(&s->l1[sm->id], r, t, now);
}
static void do_l1_store(void *ctx, sm_t *sm, req_t *r, ps_t t, ps_t now)
{
    system_t *s = ctx;
    l1_store(&s->l1[sm->id], r, t, now);
}
static void do_l1_reset(void *ctx, sm_t *sm, uint64_t bytes)
{
    system_t *s = ctx;
    l1_invalidate(&s->l1[sm->id], bytes);
}
static req_t *do_l1_reply(void *ctx, sm_t *sm, req_t *r)
{
    system_t *s = ctx;
    return l1_reply(&s->l1[sm->id], r);
}

/* ---- slice <-> memory ---- */
static void memory_in(void *self, req_t *r, ps_t at, ps_t now)
{
    system_t *s = self;
    (void)at;
    r->addr = (addr_t)r->line << LINE_SHIFT;
    dram_decode(s->dram, r->addr, &r->loc);
    dram_submit(s->chan[r->loc.channel], r, now);
}

static void memory_out(void *ctx, req_t *r, ps_t data_ps, ps_t now)
{
    system_t *s = ctx;
    slice_memory_done(&s->slice[r->home], r, data_ps, now);
}

/* ---- building ---- */
static ps_t least(ps_t a, ps_t b)
{
    return a < b ? a : b;
}

static unsigned channel_part(const system_t *s, uint32_t slice)
{
    uint32_t group = s->slices_per_channel ? slice / s->slices_per_channel : slice;
    return 1 + s->sm_groups + group;
}

static int geometry(system_t *s, diag_t *d)
{
    const device_t *dev = s->dev;
    const dram_param_t *m = &dev->memory[0].dram;
    s->n_sms = dev->gpu.sms;
    s->n_slices = dev->l2.slices;
    s->n_channels = dram_channels(s->dram);
    s->trunks = dev->xbar.gpcs < s->n_sms ? dev->xbar.gpcs : s->n_sms;
    s->sm_groups = dev->xbar.gpc_bytes_per_clk ? s->trunks : s->n_sms;
    if (s->n_slices % s->n_channels == 0)
        s->slices_per_channel = s->n_slices / s->n_channels;
    else if (s->n_channels % s->n_slices == 0)
        s->channels_per_slice = s->n_channels / s->n_slices;
    else
        return diag_add(
            d, MS_INPUT,
            "[l2] slices = %u: must be a multiple of the %u memory channels, or divide them",
            s->n_slices, s->n_channels);
    s->memory_groups = s->n_slices < s->n_channels ? s->n_slices : s->n_channels;
    if (dev->l2.partitions == 2) {
        if (s->n_slices % 2)
            return diag_add(d, MS_INPUT, "[l2] slices = %u: two partitions need an even number",
                            s->n_slices);
        s->half = s->n_slices / 2;
    }
    uint32_t burst = dram_burst_bytes(s->dram);
    s->line_bursts = burst < LINE_BYTES_U ? LINE_BYTES_U / burst : 1;
    s->line_cols = m->columns / s->line_bursts;
    s->banks = m->banks_per_group;
    s->bank_groups = m->bank_groups;
    s->ranks = m->ranks;
    s->pcs = m->pseudo_channels;
    return MS_OK;
}

static void build_sms(system_t *s, const system_opt_t *opt)
{
    const device_t *dev = s->dev;
    arena_t *a = s->arena;
    clk_t clk = {dev->gpu.clock};
    s->sms = arena_array(a, sm_t, s->n_sms);
    s->sm = arena_array(a, sm_t *, s->n_sms);
    s->l1 = arena_array(a, l1_t, s->n_sms);
    s->port = arena_array(a, xbar_port_t, s->n_sms);
    s->trunk = arena_array(a, server_t, 2 * s->trunks);
    for (uint32_t i = 0; i < s->n_sms; i++) {
        uint32_t group = i % s->sm_groups, gpc = i % s->trunks;
        s->sm[i] = &s->sms[i];
        port_t out = {l1_out, s};
        l1_init(&s->l1[i], a, &dev->l1, clk, out, opt->seed + i);
        sm_init(&s->sms[i], &s->env, (uint16_t)i, 1 + group);
        stat_banks_init(&s->port[i].banks, a, &s->port[i].st, sizeof s->port[i].st);
        s->sms[i].partition_side = (uint16_t)(s->trunks > 1 ? gpc % 2 : i % 2);
        if (dev->xbar.gpc_bytes_per_clk) {
            s->port[i].trunk_up = &s->trunk[(size_t)2 * gpc];
            s->port[i].trunk_down = &s->trunk[(size_t)2 * gpc + 1];
        }
    }
}

static void build_memory_side(system_t *s, const system_opt_t *opt)
{
    const device_t *dev = s->dev;
    arena_t *a = s->arena;
    s->slice = arena_array(a, slice_t, s->n_slices);
    s->chan = arena_array(a, dram_chan_t *, s->n_channels);
    for (uint32_t i = 0; i < s->n_slices; i++) {
        slice_init(&s->slice[i], &s->slice_spec, &dev->l2, s->engine, channel_part(s, i),
                   (uint16_t)i, a, opt->seed + 1000 + i);
        s->slice[i].to_memory = (port_t){memory_in, s};
        s->slice[i].reply = slice_reply;
        s->slice[i].reply_ctx = s;
        if (s->half) s->slice[i].twin = &s->slice[(i + s->half) % s->n_slices];
    }
    for (uint32_t c = 0; c < s->n_channels; c++) {
        loc_t loc = {.channel = (uint16_t)c};
        dram_env_t env = {.engine = s->engine,
                          .arena = a,
                          .partition = channel_part(s, system_home_slice(s, &loc)),
                          .done = memory_out,
                          .ctx = s,
                          .seed = opt->seed,
                          .check = opt->check,
                          .command_log = opt->command_log};
        s->chan[c] = dram_chan_new(s->dram, &env, c);
    }
}

int system_new(system_t **out, const device_t *dev, const system_opt_t *opt, arena_t *a, diag_t *d)
{
    *out = NULL;
    system_t *s = arena_alloc(a, sizeof *s);
    s->arena = a;
    s->dev = dev;
    s->hop_events = opt->hop_events;
    int rc = dram_spec_new(&s->dram, &dev->memory[0].dram, a, d);
    if (rc) return rc;
    if ((rc = geometry(s, d))) return rc;
    clk_t sm_clk = {dev->gpu.clock}, l2_clk = {dev->l2.clock};
    slice_spec_init(&s->slice_spec, &dev->l2, dev->xbar.slice_request_bytes_per_clk,
                    dev->xbar.slice_reply_bytes_per_clk, dev->xbar.header_bytes, opt->hop_events);
    xbar_init(&s->xbar, &dev->xbar, l2_clk);
    ps_t ahead = least(s->xbar.latency_ps, least(gap_ps(dev->gpu.cta_launch, sm_clk),
                                                 gap_ps(dev->gpu.cta_retire, sm_clk)));
    if (s->half) ahead = least(ahead, s->slice_spec.peer_ps);
    s->lookahead = ahead;
    engine_mode_t mode = ahead <= 0 ? ENGINE_MERGED : opt->mode;
    s->engine = engine_new(mode, 1 + s->sm_groups + s->memory_groups, 4, ahead, opt->seed);
    s->requests.arena = a;
    s->translate = translate_new(a, dram_capacity_bytes(s->dram));
    s->env = (sm_env_t){.engine = s->engine,
                        .arena = a,
                        .requests = &s->requests,
                        .gpu = &dev->gpu,
                        .front_part = 0,
                        .hop_events = opt->hop_events,
                        .reply_ps = s->xbar.latency_ps,
                        .l1_miss_ps = gap_ps(dev->l1.miss, sm_clk),
                        .l1_fill_ps = gap_ps(dev->l1.fill, sm_clk),
                        .l1_hit_ps = gap_ps(dev->l1.hit, sm_clk),
                        .ctx = s,
                        .translate = translate,
                        .l1_load = do_l1_load,
                        .l1_store = do_l1_store,
                        .l1_reset = do_l1_reset,
                        .l1_reply = do_l1_reply,
                        .send = send,
                        .receive = receive,
                        .retired = front_cta_retired,
                        .drained = front_sm_drained,
                        .front = &s->front,
                        .followed = opt->followed,
                        .follow_id = opt->follow_id,
                        .limit = dram_capacity_bytes(s->dram)};
    build_sms(s, opt);
    build_memory_side(s, opt);
    slice_prepare_all(s->engine);
    engine_prepare(s->engine, sm_reply_arrive, sm_reply_prepare);
    front_init(&s->front, s->engine, 0, &dev->gpu, s->sm, a);
    uint64_t bytes_per_s = dev->gpu.copy_bandwidth;
    if (!bytes_per_s) bytes_per_s = (uint64_t)device_peak_dram_bytes_per_s(dev);
    copy_engine_init(&s->copy, s->engine, 0, a, bytes_per_s, dev->gpu.copy_lines_in_flight,
                     s->hop_events);
    s->copy.ctx = s;
    s->copy.locate = copy_locate;
    s->copy.send = copy_send;
    *out = s;
    return MS_OK;
}

void system_free(system_t *s)
{
    if (s) engine_free(s->engine);
}

/* ---- reading the counters ---- */
void system_totals(const system_t *s, totals_t *t)
{
    *t = (totals_t){0};
    for (uint32_t i = 0; i < s->n_sms; i++) {
        ps_t busiest = 0;
        for (unsigned u = 0; u < UNIT_COUNT; u++)
            busiest = ps_later(busiest, s->sms[i].pipe[u].busy_ps);
        t->sm.pipe_busy_ps += (uint64_t)busiest;
        stat_banks_add_all(&s->sms[i].banks, &sm_stat_table, &t->sm);
        stat_banks_add_all(&s->l1[i].banks, &l1_stat_table, &t->l1);
        stat_banks_add_all(&s->port[i].banks, &xbar_stat_table, &t->xbar);
    }
    for (uint32_t i = 0; i < s->n_slices; i++)
        stat_banks_add_all(&s->slice[i].banks, &l2_stat_table, &t->l2);
    for (uint32_t i = 0; i < s->n_channels; i++)
        stat_accumulate(&dram_stat_table, &t->dram, dram_chan_stats(s->chan[i]));
}

void system_bank(const system_t *s, unsigned bank, totals_t *t)
{
    *t = (totals_t){0};
    for (uint32_t i = 0; i < s->n_sms; i++) {
        stat_bank_add(&s->sms[i].banks, &sm_stat_table, bank, &t->sm);
        stat_bank_add(&s->l1[i].banks, &l1_stat_table, bank, &t->l1);
        stat_bank_add(&s->port[i].banks, &xbar_stat_table, bank, &t->xbar);
    }
    for (uint32_t i = 0; i < s->n_slices; i++)
        stat_bank_add(&s->slice[i].banks, &l2_stat_table, bank, &t->l2);
}

const sm_fault_t *system_fault(const system_t *s)
{
    for (uint32_t i = 0; i < s->n_sms; i++)
        if (s->sms[i].fault.kind) return &s->sms[i].fault;
    return NULL;
}

uint64_t system_dirty_bytes(const system_t *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_slices; i++) n += slice_dirty_bytes(&s->slice[i]);
    return n;
}
