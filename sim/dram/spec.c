/* SPDX-License-Identifier: MIT */
#include "dram/spec.h"
#include "dram/std_list.h"
#include "dram/std_objects.h"
#include "dram/timing.h"
#include <math.h>
#include <string.h>

#define STD_ENTRY(member, object) [member] = &(object),
const dram_std_t *const dram_std_of[DRAM_STANDARDS] = {DRAM_STD_LIST(STD_ENTRY)};

int64_t dram_ticks(const dram_spec_t *s, gap_t g)
{
    if (g.in_clocks) return g.v * s->ck;
    return clk_ceil(s->tick, g.v);
}

static int64_t or_else(int64_t a, int64_t b)
{
    return a > 0 ? a : b;
}

/* ---- refresh intervals ---- */
static bool per_bank(const dram_spec_t *s)
{
    return s->p.refresh == DRAM_REFRESH_PER_BANK;
}

/* The interval of one refresh command is gap / share. */
static gap_t refresh_gap(const dram_spec_t *s, int64_t *share)
{
    *share = 1;
    if (!per_bank(s)) return s->p.tREFI;
    if (s->p.tREFIpb.v > 0) return s->p.tREFIpb;
    *share = s->turns;
    return s->p.tREFI;
}

int64_t dram_refresh_due(const dram_spec_t *s, int64_t k)
{
    int64_t share;
    gap_t g = refresh_gap(s, &share);
    if (g.in_clocks) return (int64_t)(((wide_t)k * g.v * s->ck + share - 1) / share);
    return clk_ceil(s->tick, (ps_t)((wide_t)k * g.v / share));
}

int64_t dram_refreshes_due(const dram_spec_t *s, int64_t t)
{
    int64_t share;
    gap_t g = refresh_gap(s, &share);
    wide_t at = g.in_clocks ? (wide_t)t : (wide_t)clk_edge(s->tick, t);
    int64_t k = (int64_t)(at * share / (g.in_clocks ? g.v * s->ck : g.v));
    while (dram_refresh_due(s, k + 1) <= t) k++;
    while (k > 0 && dram_refresh_due(s, k) > t) k--;
    return k;
}

static void by_before(dram_spec_t *s)
{
    dram_rule_t raw[DRAM_RULES_MAX];
    size_t n = s->std->rules(s, raw);
    s->n_rule = 0;
    for (unsigned c = 0; c < DRAM_CMDS; c++) {
        s->first[c] = (uint16_t)s->n_rule;
        for (size_t i = 0; i < n; i++)
            if (raw[i].before == (dram_cmd_t)c) s->rule[s->n_rule++] = raw[i];
    }
    s->first[DRAM_CMDS] = (uint16_t)s->n_rule;
}

static void ps_per_tick(dram_spec_t *s)
{
    uint64_t a = UINT64_C(1000000000000), b = s->tick.hz;
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    s->ps_num = (int64_t)(UINT64_C(1000000000000) / a);
    s->ps_den = (int64_t)(s->tick.hz / a);
}

static void command_slots(dram_spec_t *s)
{
    for (unsigned c = 0; c < DRAM_CMDS; c++) {
        bool column = c == DRAM_RD || c == DRAM_WR || c == DRAM_RDA || c == DRAM_WRA;
        bool half = s->std->half_rows && !column && c != DRAM_ACT;
        s->slots[c] = c == DRAM_ACT ? s->p.act_slots : half ? 1 : s->ck;
        s->tail[c] = c == DRAM_ACT ? s->p.act_slots - 1 : 0;
        s->grid[c] = half ? 1 : s->ck;
        s->bus[c] = s->std->two_buses && column;
    }
}

static int64_t longest(const int64_t *v, size_t n)
{
    int64_t most = 0;
    for (size_t i = 0; i < n; i++) most = v[i] > most ? v[i] : most;
    return most;
}

/* The rows in the way were opened, read or written a moment ago; every rank of the channel refreshes as well, and their
 * PRE and REF share the command bus and tPPD. */
static int64_t refresh_wait(const dram_spec_t *s)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    const int64_t tail = s->tail[DRAM_ACT], ppd = T(tPPD);
    const int64_t slot = longest((int64_t[]){s->slots[DRAM_ACT], s->ck}, 2);
    const int64_t per_turn = per_bank(s) && s->std->same_bank ? p->bank_groups : 1;
    int64_t closed =
        longest((int64_t[]){tail + T(tRAS), s->rtp, s->cwl + s->burst + T(tWR), ppd}, 4);
    closed += per_turn * s->ranks * longest((int64_t[]){ppd, slot}, 2);
    int64_t ready =
        longest((int64_t[]){closed + s->rp, tail + T(tRC), tail + T(tRRD_L), T(tRREFD)}, 4);
    return ready + s->ranks * slot;
#undef T
}

/* How much later a refresh can get that everything else lets go first: by one command that keeps it at a distance, and
 * by the commands of the other ranks' refreshes. */
static int64_t refresh_push(const dram_spec_t *s)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    const int64_t tail = s->tail[DRAM_ACT], ppd = T(tPPD);
    const int64_t slot = longest((int64_t[]){s->slots[DRAM_ACT], s->ck}, 2);
    const int64_t per_turn = per_bank(s) && s->std->same_bank ? p->bank_groups : 1;
    const int64_t one = longest((int64_t[]){tail + T(tRRD_S), tail + T(tRRD_L), ppd, slot}, 4);
    return one + (per_turn + 1) * s->ranks * longest((int64_t[]){ppd, slot}, 2);
#undef T
}

int dram_spec_new(const dram_spec_t **out, const dram_param_t *p, arena_t *a, diag_t *d)
{
    return dram_spec_new_from(out, p, NULL, a, d);
}

int dram_spec_new_from(const dram_spec_t **out, const dram_param_t *p, const ini_section_t *section,
                       arena_t *a, diag_t *d)
{
    *out = NULL;
    dram_spec_t *s = arena_alloc(a, sizeof *s);
    s->p = *p;
    s->std = dram_std_of[p->standard];
    s->ck = s->std->ticks_per_ck;
    s->tick.hz = p->rate / p->bits_per_ck * (uint64_t)s->ck;
    if (!s->tick.hz)
        return diag_add(d, MS_INPUT, "%s: divided by bits_per_ck it is below 1 Hz",
                        param_place(&dram_param_table, "rate", p, section, a));
    ps_per_tick(s);
    if (p->tRCD.v > 0) s->p.tRCDRD = s->p.tRCDWR = p->tRCD;
    s->burst_bytes = (uint32_t)((uint64_t)p->dq * p->burst_length / 8);
    s->banks_per_rank = p->bank_groups * p->banks_per_group;
    s->ranks = p->pseudo_channels * p->ranks;
    s->groups = s->ranks * p->bank_groups;
    s->banks = s->ranks * s->banks_per_rank;
    s->burst = (int64_t)((p->burst_length + p->bits_per_ck - 1) / p->bits_per_ck) * s->ck;
    s->cl = dram_ticks(s, p->CL);
    s->cwl = dram_ticks(s, p->CWL);
    s->rp = dram_ticks(s, p->tRP);
    s->rtp = dram_ticks(s, p->tRTP);
    s->rfc_ab = dram_ticks(s, p->tRFCab);
    s->rfc_pb = dram_ticks(s, p->tRFCpb);
    s->forward = dram_ticks(s, p->forward);
    s->rtw = or_else(dram_ticks(s, p->tRTW), s->cl + s->burst + 2 * s->ck - s->cwl);
    s->wck_sync = dram_ticks(s, p->tWCK_sync);
    s->wck_idle = dram_ticks(s, p->tWCK_idle);
    s->turns = !per_bank(s) ? 1 : s->std->same_bank ? p->banks_per_group : s->banks_per_rank;
    command_slots(s);
    s->refresh_wait = refresh_wait(s);
    for (unsigned m = 0; m < 256 && s->burst_bytes; m++) {
        unsigned bytes = 32u * (unsigned)__builtin_popcount(m);
        s->bursts_of[m] = (uint8_t)((bytes + s->burst_bytes - 1) / s->burst_bytes);
    }
    s->refresh_interval = dram_refresh_due(s, 1);
    s->refresh_push = refresh_push(s);
    s->refresh_put_off = s->refresh_interval - s->refresh_wait - s->refresh_push;
    if (s->refresh_put_off > s->refresh_interval / 2) s->refresh_put_off = s->refresh_interval / 2;
    int rc = dram_spec_check(s, section, a, d);
    const uint32_t size[AF_COUNT] = {[AF_CO] = p->columns,     [AF_PC] = p->pseudo_channels,
                                     [AF_BG] = p->bank_groups, [AF_BA] = p->banks_per_group,
                                     [AF_CH] = p->channels,    [AF_RA] = p->ranks,
                                     [AF_RO] = p->rows};
    int rc2 = addrmap_init(&s->map, p->map, size, s->burst_bytes ? s->burst_bytes : 1, p->hash == 1,
                           param_place(&dram_param_table, "map", p, section, a), d);
    if (rc || rc2) return rc ? rc : rc2;
    by_before(s);
    timing_compile(s);
    *out = s;
    return MS_OK;
}

uint32_t dram_channels(const dram_spec_t *s)
{
    return s->p.channels;
}
uint64_t dram_capacity_bytes(const dram_spec_t *s)
{
    return s->map.bursts * s->burst_bytes;
}
double dram_peak_bytes_per_s(const dram_spec_t *s)
{
    return (double)s->p.rate / 8 * s->p.dq * s->p.pseudo_channels * s->p.channels;
}
uint32_t dram_run_bursts(const dram_spec_t *s)
{
    return addrmap_run(&s->map);
}
uint32_t dram_burst_bytes(const dram_spec_t *s)
{
    return s->burst_bytes;
}
void dram_decode(const dram_spec_t *s, addr_t addr, loc_t *loc)
{
    addrmap_decode(&s->map, addr, loc);
}
addr_t dram_encode(const dram_spec_t *s, const loc_t *loc)
{
    return addrmap_encode(&s->map, loc);
}

/* All-bank refresh takes every bank away for precharge, tRFCab and reopening; per-bank refresh takes nothing from a
 * stream that finds other banks meanwhile. */
double dram_bound_bytes_per_s(const dram_spec_t *s)
{
    double peak = dram_peak_bytes_per_s(s), per_burst = (double)s->burst;
    int64_t ccd = dram_ticks(s, s->p.tCCD_S);
    if (ccd > s->burst) peak *= per_burst / (double)ccd;
    if (s->p.refresh != DRAM_REFRESH_ALL) return peak;
    double lost = (double)(s->rtp + s->rp + s->rfc_ab + dram_ticks(s, s->p.tRCDRD));
    return peak * (1 - lost / (double)dram_refresh_due(s, 1));
}
