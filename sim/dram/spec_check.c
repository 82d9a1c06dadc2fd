/* SPDX-License-Identifier: MIT
 * Rules between the parameters of a memory. */
#include "dram/spec.h"
#include <string.h>

typedef struct where {
    const ini_section_t *section;
    arena_t *arena;
    diag_t *diag;
    int rc;
} where_t;

/* Where `key` was set: "file:12: ", "-s memory.key: ", or nothing. */
static const char *origin(const where_t *w, const char *key)
{
    const param_table_t *t = &dram_param_table;
    for (size_t i = 0; w->section && i < t->n; i++) {
        if (strcmp(t->rows[i].key, key) != 0) continue;
        const char *o = param_origin(&t->rows[i], w->section, w->arena);
        if (!strcmp(o, "built-in")) break;
        if (!strcmp(o, "-s")) return arena_printf(w->arena, "-s %s.%s: ", t->section, key);
        return arena_printf(w->arena, "%s: ", o);
    }
    return "";
}

/* The rule `ok` about parameter `key`; `text` says what is wrong if it does not hold. */
static void need(where_t *w, bool ok, const char *key, const char *text)
{
    if (!ok) w->rc = diag_add(w->diag, MS_INPUT, "%s%s", origin(w, key), text);
}

static void check_columns(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    need(w, T(tCCD_L) >= T(tCCD_S), "tCCD_L", "tCCD_L is shorter than tCCD_S");
    need(w, T(tCCD_S) >= s->burst, "tCCD_S",
         "tCCD_S is shorter than a burst: data would overlap on the bus");
    need(w, T(tCCD_S_WR) == 0 || T(tCCD_S_WR) >= s->burst, "tCCD_S_WR",
         "tCCD_S_WR is shorter than a burst: data would overlap on the bus");
    need(w, T(tCCD_R) == 0 || T(tCCD_R) >= s->burst, "tCCD_R",
         "tCCD_R is shorter than a burst: data would overlap on the bus");
    need(w, s->rtw >= s->cl - s->cwl + s->burst, "tRTW",
         "tRTW would put a write's data on the bus before the data of the read in front of it have "
         "ended");
#undef T
}

static void check_rows(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    need(w, T(tFAW) >= T(tRRD_S), "tFAW",
         "tFAW is shorter than tRRD_S: a window of four ACT cannot be shorter than the gap of two");
    need(w, T(tRRD_L) >= T(tRRD_S), "tRRD_L", "tRRD_L is shorter than tRRD_S");
    need(w, T(tRC) >= T(tRAS), "tRC", "tRC is shorter than tRAS");
    /* Presets round each to a clock of its own, so one clock is no contradiction. */
    if (T(tRC) >= T(tRAS) && T(tRC) + s->ck < T(tRAS) + s->rp)
        diag_note(w->diag, "%stRC is shorter than tRAS + tRP, which then decide", origin(w, "tRC"));
#undef T
}

static void check_refresh(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
    int64_t row_cycle = dram_ticks(s, p->tRC) + s->rp;
    if (p->refresh == DRAM_REFRESH_NONE) return;
    need(w, dram_ticks(s, p->tREFI) > s->rfc_ab, "tREFI", "tREFI is not longer than tRFCab");
    if (p->refresh == DRAM_REFRESH_ALL) {
        need(w, dram_refresh_due(s, 1) > s->rfc_ab + row_cycle, "tREFI",
             "tREFI leaves no time beside tRFCab, tRP and tRC: the memory would only refresh");
        return;
    }
    need(w, s->rfc_pb > 0, "refresh", "refresh = perbank needs tRFCpb");
    need(w, dram_refresh_due(s, s->turns) > s->rfc_pb + row_cycle, "tRFCpb",
         "a bank's per-bank refreshes leave no time beside tRFCpb, tRP and tRC");
    need(w, dram_refresh_due(s, 1) > dram_ticks(s, p->tRREFD), "tREFIpb",
         "tREFIpb is not longer than tRREFD: per-bank refreshes could not keep up");
}

static void check_form(const dram_spec_t *s, where_t *w)
{
    const dram_param_t *p = &s->p;
    uint32_t b = s->burst_bytes;
    need(w, p->write_high > p->write_low, "write_high", "write_high is not above write_low");
    need(w, s->banks <= DRAM_BANKS_MAX, "banks_per_group",
         "a channel has more than 256 banks, counting pseudo channels and ranks");
    need(w, b && !(b & (b - 1)) && (uint64_t)p->dq * p->burst_length % 8 == 0, "burst_length",
         "dq x burst_length is not a power of two of bytes");
    need(w, p->burst_length * (uint64_t)s->ck % p->bits_per_ck == 0, "burst_length",
         "burst_length is no whole number of clocks of bits_per_ck bits");
}

int dram_spec_check(const dram_spec_t *s, const ini_section_t *section, arena_t *a, diag_t *d)
{
    where_t w = {section, a, d, MS_OK};
    check_form(s, &w);
    check_columns(s, &w);
    check_rows(s, &w);
    check_refresh(s, &w);
    return w.rc;
}
