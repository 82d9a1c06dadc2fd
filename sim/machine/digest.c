/* SPDX-License-Identifier: MIT
 * Digest of a result: equal results give equal digests, whatever printed them. */
#include "core/rng.h"
#include "machine/outcome.h"
#include <stdio.h>
#include <string.h>

typedef struct mixer {
    uint64_t a, b;
} mixer_t;

static void mix_word(mixer_t *m, uint64_t x)
{
    m->a = mix64(m->a ^ x);
    m->b = mix64(m->b + (x ^ 0x6A09E667F3BCC908u)) ^ m->a;
}

static void mix_real(mixer_t *m, double x)
{
    uint64_t w;
    if (x != x) x = -1e300; /* every NAN alike */
    memcpy(&w, &x, sizeof w);
    mix_word(m, w);
}

static void mix_text(mixer_t *m, const char *s)
{
    for (; s && *s; s++) mix_word(m, (unsigned char)*s);
    mix_word(m, 0x100);
}

static void mix_latency(mixer_t *m, const res_latency_t *l)
{
    const double v[] = {l->mean, l->p50, l->p95, l->p99, l->max, (double)l->n};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) mix_real(m, v[i]);
}

static void mix_level(mixer_t *m, const res_level_t *l)
{
    const double v[] = {l->read_bytes, l->write_bytes, l->achieved_GBps, l->hit_rate,
                        l->row_hit_rate};
    mix_text(m, l->name);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) mix_real(m, v[i]);
    mix_latency(m, &l->latency);
    for (size_t i = 0; i < l->n_commands; i++) mix_real(m, l->commands[i].value);
    for (size_t i = 0; i < l->n_loss; i++) mix_real(m, l->loss[i].value);
    for (size_t i = 0; i < l->n_energy; i++) mix_real(m, l->energy[i].value);
}

void outcome_digest(result_t *r)
{
    mixer_t m = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
    mix_real(&m, r->time_ns);
    mix_real(&m, r->interval);
    for (size_t i = 0; i < r->n_kernels; i++) {
        const res_kernel_t *k = &r->kernels[i];
        const double v[] = {(double)k->count, k->time_ns,     k->interval,   k->flops,
                            k->read_bytes,    k->write_bytes, k->dram_bytes, k->l2_bytes,
                            k->l1_hit_rate,   k->l2_hit_rate};
        mix_text(&m, k->name);
        for (size_t j = 0; j < sizeof v / sizeof *v; j++) mix_real(&m, v[j]);
        mix_text(&m, k->bound);
        mix_latency(&m, &k->latency);
    }
    for (size_t i = 0; i < r->n_levels; i++) mix_level(&m, &r->levels[i]);
    for (size_t i = 0; i < r->n_stats; i++)
        for (size_t j = 0; j < r->stats[i].table->n; j++)
            mix_word(&m, stat_get(&r->stats[i].table->rows[j], r->stats[i].values));
    if (r->load_latency)
        for (unsigned b = 0; b < HIST_BINS; b++)
            if (r->load_latency->bin[b]) mix_word(&m, b), mix_word(&m, r->load_latency->bin[b]);
    snprintf(r->digest, sizeof r->digest, "%016llx%016llx", (unsigned long long)m.a,
             (unsigned long long)m.b);
}
