/* SPDX-License-Identifier: MIT
 * A memory's counters as a level of the result: bytes, row hits, commands, loss stack, energy. */
#include "core/words.h"
#include "machine/outcome.h"
#include <math.h>

static double part(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static void latency(res_latency_t *l, const hist_t *h)
{
    *l = (res_latency_t){(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    if (!h || !h->n) return;
    *l = (res_latency_t){(double)h->sum / (double)h->n / 1e3,
                         (double)hist_percentile(h, 0.50) / 1e3,
                         (double)hist_percentile(h, 0.95) / 1e3,
                         (double)hist_percentile(h, 0.99) / 1e3,
                         (double)h->max / 1e3,
                         h->n};
}

static const res_share_t *commands(const dram_stats_t *st, arena_t *a, size_t *n)
{
    const struct {
        const char *name;
        uint64_t count;
    } c[] = {{"ACT", st->act},        {"PRE", st->pre},         {"PREA", st->prea},
             {"RD", st->read_bursts}, {"WR", st->write_bursts}, {"REFab", st->ref_ab},
             {"REFpb", st->ref_pb}};
    *n = sizeof c / sizeof *c;
    res_share_t *s = arena_array(a, res_share_t, *n);
    for (size_t i = 0; i < *n; i++) s[i] = (res_share_t){c[i].name, (double)c[i].count};
    return s;
}

static const res_share_t *loss(const dram_stats_t *st, arena_t *a, size_t *n)
{
    const uint64_t ps[LOSS_COUNT] = {[LOSS_DATA] = st->data_ps,
                                     [LOSS_EMPTY] = st->idle_empty_ps,
                                     [LOSS_ROW] = st->idle_row_ps,
                                     [LOSS_ACT] = st->idle_act_ps,
                                     [LOSS_CCD] = st->idle_ccd_ps,
                                     [LOSS_TURN] = st->idle_turn_ps,
                                     [LOSS_REFRESH] = st->idle_refresh_ps,
                                     [LOSS_BUS] = st->idle_bus_ps,
                                     [LOSS_OTHER] = st->idle_other_ps};
    *n = LOSS_COUNT;
    res_share_t *s = arena_array(a, res_share_t, *n);
    double sum = 0;
    for (size_t i = 0; i < *n; i++) sum += (double)ps[i];
    for (size_t i = 0; i < *n; i++)
        s[i] = (res_share_t){loss_words[i].name, part((double)ps[i], sum)};
    return s;
}

void outcome_memory(res_level_t *l, const dram_spec_t *s, const dram_stats_t *st, ps_t elapsed,
                    uint32_t channels, const hist_t *read_latency, arena_t *a)
{
    double burst = dram_burst_bytes(s), share = (double)channels / dram_channels(s);
    *l = (res_level_t){.name = "dram",
                       .read_bytes = burst * (double)st->read_bursts,
                       .write_bytes = burst * (double)st->write_bursts,
                       .peak_GBps = dram_peak_bytes_per_s(s) * share / 1e9,
                       .bound_GBps = dram_bound_bytes_per_s(s) * share / 1e9,
                       .hit_rate = (double)NAN,
                       .capacity_bytes = dram_capacity_bytes(s)};
    l->row_hit_rate = part((double)st->row_hits, (double)(st->row_hits + st->row_misses));
    latency(&l->latency, read_latency);
    l->commands = commands(st, a, &l->n_commands);
    l->loss = loss(st, a, &l->n_loss);
    double e[8];
    dram_energy_pj(s, st, elapsed * channels, e); /* standby power is a channel's */
    res_share_t *energy = arena_array(a, res_share_t, 9);
    double sum = 0;
    size_t n = 0;
    for (; n < 8 && dram_energy_names[n]; n++) {
        energy[n] = (res_share_t){dram_energy_names[n], e[n] * 1e-12};
        sum += energy[n].value;
    }
    energy[n++] = (res_share_t){"total", sum};
    l->energy = energy;
    l->n_energy = n;
}
