/* SPDX-License-Identifier: MIT
 * Rules between the parameters of a memory. */
#include "dram/spec.h"
#include <stdarg.h>
#include <stdio.h>

#define OVERLAP "shorter than a burst, %g ns: data would overlap on the bus"

typedef struct where {
    const ini_section_t *section;
    arena_t *arena;
    diag_t *diag;
    int rc;
} where_t;

/* The rule `ok` about parameter `key`; the text says what is wrong if it does not hold. */
__attribute__((format(printf, 5, 6))) static void need(where_t *w, const dram_spec_t *s, bool ok,
                                                       const char *key, const char *fmt, ...)
{
    if (ok) return;
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    w->rc = diag_add(w->diag, MS_INPUT, "%s: %s",
                     param_place(&dram_param_table, key, &s->p, w->section, w->arena), text);
}

/* Ticks as a user reads them. */
static double ns(const dram_spec_t *s, int64_t ticks)
{
    return (double)dram_tick_ps(s, ticks) / 1e3;
}

static void check_columns(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    const double burst = ns(s, s->burst);
    need(w, s, T(tCCD_L) >= T(tCCD_S), "tCCD_L", "shorter than tCCD_S, %g ns", ns(s, T(tCCD_S)));
    need(w, s, T(tCCD_S) >= s->burst, "tCCD_S", OVERLAP, burst);
    need(w, s, T(tCCD_S_WR) == 0 || T(tCCD_S_WR) >= s->burst, "tCCD_S_WR", OVERLAP, burst);
    need(w, s, T(tCCD_R) == 0 || T(tCCD_R) >= s->burst, "tCCD_R", OVERLAP, burst);
    const int64_t least = s->cl - s->cwl + s->burst;
    need(w, s, s->rtw >= least, "tRTW",
         "shorter than CL - CWL and a burst, %g ns: a write's data would begin before the data of "
         "the read in front of it have ended",
         least > 0 ? ns(s, least) : 0);
#undef T
}

static void check_rows(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    need(w, s, T(tFAW) >= T(tRRD_S), "tFAW",
         "shorter than tRRD_S, %g ns: a window of four ACT cannot be shorter than the gap of two",
         ns(s, T(tRRD_S)));
    need(w, s, T(tRRD_L) >= T(tRRD_S), "tRRD_L", "shorter than tRRD_S, %g ns", ns(s, T(tRRD_S)));
    need(w, s, T(tRC) >= T(tRAS), "tRC", "shorter than tRAS, %g ns", ns(s, T(tRAS)));
#undef T
}

/* Which parameter the way of a refresh is longest for. */
static const char *slowest(const dram_spec_t *s)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    const struct {
        const char *key;
        int64_t ticks;
    } of[] = {{"tRP", s->rp},        {"tRAS", T(tRAS)},     {"tWR", T(tWR)},
              {"CWL", s->cwl},       {"tRTP", s->rtp},      {"tPPD", T(tPPD)},
              {"tRRD_L", T(tRRD_L)}, {"tRREFD", T(tRREFD)}, {"tRC", T(tRC) - s->rp},
              {"rate", s->ck}};
#undef T
    size_t most = 0;
    for (size_t i = 1; i < sizeof of / sizeof *of; i++)
        if (of[i].ticks > of[most].ticks) most = i;
    return of[most].key;
}

/* Every refresh is due an interval after the one before it, and must be done with in that time; a request must find
 * room to open its row in between. */
static void check_refresh(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
    if (p->refresh == DRAM_REFRESH_NONE) return;
    const int64_t rd = dram_ticks(s, s->p.tRCDRD), wr = dram_ticks(s, s->p.tRCDWR);
    const int64_t open = s->tail[DRAM_ACT] + (rd > wr ? rd : wr) + s->ck;
    const int64_t interval = dram_refresh_due(s, 1), wait = s->refresh_wait;
    const bool all = p->refresh == DRAM_REFRESH_ALL;
    need(w, s, dram_ticks(s, p->tREFI) > s->rfc_ab, "tREFI", "not longer than tRFCab, %g ns",
         ns(s, s->rfc_ab));
    if (w->rc) return;
    if (all) {
        need(w, s, interval > s->rfc_ab + wait + open,
             s->rfc_ab > wait + open ? "tRFCab" : slowest(s),
             "an all-bank refresh is due every %g ns (tREFI), and closing rows for it, tRFCab and "
             "opening them again take up to %g ns: the memory would only refresh",
             ns(s, interval), ns(s, s->rfc_ab + wait + open));
        return;
    }
    need(w, s, s->rfc_pb > 0, "refresh", "needs tRFCpb");
    const int64_t round = dram_refresh_due(s, s->turns);
    need(w, s, round > s->rfc_pb + wait + open, s->rfc_pb > wait + open ? "tRFCpb" : slowest(s),
         "a bank has a refresh every %g ns (tREFI, tREFIpb), and closing its row, tRFCpb and "
         "opening "
         "a row again take up to %g ns: the bank would only refresh",
         ns(s, round), ns(s, s->rfc_pb + wait + open));
    if (w->rc) return;
    need(w, s, interval > wait, slowest(s),
         "a per-bank refresh is due every %g ns (tREFI, tREFIpb), and closing the row in its way, "
         "tRP and its turn on the command bus take up to %g ns: refreshes could not keep up",
         ns(s, interval), ns(s, wait));
}

static void check_form(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
    uint32_t b = s->burst_bytes;
    need(w, s, p->write_high > p->write_low, "write_high", "not above write_low, %g %%",
         100 * p->write_low);
    need(w, s, s->banks <= DRAM_BANKS_MAX, "banks_per_group",
         "makes %u banks in a channel, counting pseudo channels and ranks; at most %d are modelled",
         s->banks, DRAM_BANKS_MAX);
    need(w, s, b && !(b & (b - 1)) && (uint64_t)p->dq * p->burst_length % 8 == 0, "burst_length",
         "with dq = %u a burst has %u bits, not a power of two of bytes", p->dq,
         p->dq * p->burst_length);
    need(w, s, p->burst_length * (uint64_t)s->ck % p->bits_per_ck == 0, "burst_length",
         "no whole number of clocks of %u bits (bits_per_ck)", p->bits_per_ck);
}

static void note_row_cycle(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    /* Presets round each to a clock of its own, so one clock is no contradiction. */
    if (T(tRC) + s->ck < T(tRAS) + s->rp)
        diag_note(w->diag, "%s: shorter than tRAS + tRP, %g ns, which then decide",
                  param_place(&dram_param_table, "tRC", p, w->section, w->arena),
                  ns(s, T(tRAS) + s->rp));
#undef T
}

int dram_spec_check(const dram_spec_t *s, const ini_section_t *section, arena_t *a, diag_t *d)
{
    where_t w = {section, a, d, MS_OK};
    check_form(s, &w);
    check_columns(s, &w);
    check_rows(s, &w);
    check_refresh(s, &w);
    if (w.rc == MS_OK && section) note_row_cycle(s, &w);
    return w.rc;
}
