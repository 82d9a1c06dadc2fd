/* SPDX-License-Identifier: MIT */
#include "dram/spec.h"
#include "dram/std_list.h"
#include "dram/std_objects.h"
#include <math.h>
#include <string.h>

#define STD_ENTRY(member, object) [member] = &object,
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

/* ---- checks across parameters ---- */
static int check(const dram_spec_t *s, diag_t *d)
{
    const dram_param_t *p = &s->p;
    int rc = MS_OK;
#define T(key) dram_ticks(s, p->key)
#define NEED(cond, ...) \
    if (!(cond)) rc = diag_add(d, MS_INPUT, __VA_ARGS__)
    NEED(T(tFAW) >= T(tRRD_S),
         "tFAW is shorter than tRRD_S: the window would hold less than one ACT");
    NEED(T(tRRD_L) >= T(tRRD_S), "tRRD_L is shorter than tRRD_S");
    NEED(T(tCCD_L) >= T(tCCD_S), "tCCD_L is shorter than tCCD_S");
    NEED(T(tCCD_S) >= s->burst, "tCCD_S is shorter than a burst: data would overlap on the bus");
    NEED(T(tRC) >= T(tRAS), "tRC is shorter than tRAS");
    NEED(T(tREFI) > T(tRFCab) || p->refresh != 1,
         "tREFI is not longer than tRFCab: the memory would only refresh");
    NEED(p->refresh != 2 || T(tRFCpb) > 0, "refresh = perbank needs tRFCpb");
    NEED(p->refresh != 2 || !T(tRFCpb) || s->refi_pb * (int64_t)s->banks_per_rank > T(tRFCpb),
         "a bank's per-bank refreshes come faster than tRFCpb");
    NEED(p->write_high > p->write_low, "write_high is not above write_low");
    NEED(s->banks <= 256, "a channel has %u banks, at most 256 are possible", s->banks);
    NEED(s->burst_bytes >= 1 && !(s->burst_bytes & (s->burst_bytes - 1)) &&
             (uint64_t)p->dq * p->burst_length % 8 == 0,
         "dq = %u and burst_length = %u give %u B a burst: not a power of two", p->dq,
         p->burst_length, s->burst_bytes);
#undef NEED
#undef T
    return rc;
}

static int by_before(dram_spec_t *s)
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
    return MS_OK;
}

int dram_spec_new(const dram_spec_t **out, const dram_param_t *p, arena_t *a, diag_t *d)
{
    *out = NULL;
    dram_spec_t *s = arena_alloc(a, sizeof *s);
    s->p = *p;
    s->std = dram_std_of[p->standard];
    s->ck = s->std->ticks_per_ck;
    s->tick.hz = p->rate / p->bits_per_ck * (uint64_t)s->ck;
    s->burst_bytes = (uint32_t)((uint64_t)p->dq * p->burst_length / 8);
    s->banks_per_rank = p->bank_groups * p->banks_per_group;
    s->ranks = p->pseudo_channels * p->ranks;
    s->groups = s->ranks * p->bank_groups;
    s->banks = s->ranks * s->banks_per_rank;
    s->burst = (int64_t)((p->burst_length + p->bits_per_ck - 1) / p->bits_per_ck) * s->ck;
    s->cl = dram_ticks(s, p->CL);
    s->cwl = dram_ticks(s, p->CWL);
    s->rp = dram_ticks(s, p->tRP);
    s->rfc_ab = dram_ticks(s, p->tRFCab);
    s->rfc_pb = dram_ticks(s, p->tRFCpb);
    s->refi = dram_ticks(s, p->tREFI);
    s->refi_pb = or_else(dram_ticks(s, p->tREFIpb), s->refi / (int64_t)s->banks_per_rank);
    s->forward = dram_ticks(s, p->forward);
    s->act_bus = p->act_slots;
    s->act_shift = p->act_slots - 1;
    s->rtw = or_else(dram_ticks(s, p->tRTW), s->cl + s->burst + 2 * s->ck - s->cwl);
    s->wck_sync = dram_ticks(s, p->tWCK_sync);
    s->wck_idle = dram_ticks(s, p->tWCK_idle);
    if (!s->tick.hz) return diag_add(d, MS_INPUT, "rate / bits_per_ck is below 1 Hz");
    int rc = check(s, d);
    const uint32_t size[AF_COUNT] = {[AF_CO] = p->columns,     [AF_PC] = p->pseudo_channels,
                                     [AF_BG] = p->bank_groups, [AF_BA] = p->banks_per_group,
                                     [AF_CH] = p->channels,    [AF_RA] = p->ranks,
                                     [AF_RO] = p->rows};
    int rc2 =
        addrmap_init(&s->map, p->map, size, s->burst_bytes ? s->burst_bytes : 1, p->hash == 1, d);
    if (rc || rc2) return rc ? rc : rc2;
    by_before(s);
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
    if (s->p.refresh != 1) return peak;
    double lost =
        (double)(dram_ticks(s, s->p.tRTP) + s->rp + s->rfc_ab + dram_ticks(s, s->p.tRCDRD));
    return peak * (1 - lost / (double)s->refi);
}
