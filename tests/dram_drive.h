/* SPDX-License-Identifier: MIT
 * Drive one DRAM channel with random requests: some rows are hot, directions come in runs, now and then the source
 * falls silent.  Everything is a pure function of the seed. */
#ifndef MEMSIM_TESTS_DRAM_DRIVE_H
#define MEMSIM_TESTS_DRAM_DRIVE_H
#include "core/rng.h"
#include "dram/dram.h"
#include "dram/log.h"
#include "test.h"

#define DRIVE_WINDOW 160 /* requests outstanding at most */

typedef struct drive_opt {
    uint64_t requests, seed;
    unsigned write_pct; /* share of writes */
    unsigned rows;      /* rows of a bank that are used; few: hits and conflicts */
    unsigned silence;   /* one in so many requests is followed by a silence; 0: never */
    bool check;
    FILE *log; /* command log, NULL: none */
} drive_opt_t;

typedef struct drive_result {
    int cls; /* of dram_chan_finish */
    char msg[512];
    dram_stats_t st;
    ps_t end;
    uint64_t done;
} drive_result_t;

typedef struct drive {
    req_t pool[DRIVE_WINDOW], *free;
    uint64_t done;
    ps_t last;
} drive_t;

static inline void drive_done(void *ctx, req_t *r, ps_t data_ps, ps_t now)
{
    drive_t *v = ctx;
    (void)now;
    r->next = v->free;
    v->free = r;
    v->done++;
    if (data_ps > v->last) v->last = data_ps;
}

static inline void drive_place(const dram_param_t *p, const drive_opt_t *o, uint64_t k, req_t *r)
{
    uint64_t x = mix64(o->seed * 0x9E3779B97F4A7C15u + k);
    unsigned burst_bytes = p->dq * p->burst_length / 8;
    unsigned bursts = 1u << (x & 1); /* one or two */
    r->kind = (x >> 1) % 100 < o->write_pct ? REQ_WRITE : REQ_READ;
    r->sectors = (uint8_t)((1u << (bursts * burst_bytes / 32)) - 1);
    x = mix64(x);
    r->loc = (loc_t){.pc = (uint8_t)(x % p->pseudo_channels),
                     .rank = (uint8_t)((x >> 8) % p->ranks),
                     .bank_group = (uint8_t)((x >> 16) % p->bank_groups),
                     .bank = (uint8_t)((x >> 24) % p->banks_per_group),
                     .row = (uint32_t)((x >> 32) % o->rows)};
    r->loc.col = (uint16_t)(mix64(x) % (p->columns / 2) * 2);
}

/* Run on a ready-made memory (or one that a test has spoiled). */
static inline drive_result_t drive_spec(const dram_spec_t *s, const dram_param_t *p,
                                        const drive_opt_t *o)
{
    drive_result_t res = {0};
    diag_t d;
    diag_init(&d);
    arena_t *a = arena_new();
    engine_t *e = engine_new(ENGINE_MERGED, 1, 8, 1000, 1);
    drive_t *v = arena_alloc(a, sizeof *v);
    for (unsigned i = 0; i < DRIVE_WINDOW; i++) v->pool[i].next = v->free, v->free = &v->pool[i];
    dram_log_t *log = o->log ? dram_log_new(o->log, a) : NULL;
    dram_env_t env = {.engine = e,
                      .arena = a,
                      .done = drive_done,
                      .ctx = v,
                      .seed = 1,
                      .check = o->check,
                      .command_log = log};
    dram_chan_t *c = dram_chan_new(s, &env, 0);
    ps_t now = 0;
    bool silent = false;
    for (uint64_t k = 0; k < o->requests || v->done < o->requests;) {
        while (v->free && k < o->requests && !silent) {
            req_t *r = v->free;
            v->free = r->next;
            drive_place(p, o, k++, r);
            dram_submit(c, r, now);
            silent = o->silence && mix64(k + o->seed) % o->silence == 0;
        }
        ps_t next = engine_next(e);
        if (next != PS_MAX) {
            engine_run(e, next + 1);
            now = engine_now(e);
        } else if (v->done < k)
            break; /* stuck: reported by the count */
        if (silent && v->done == k) {
            uint64_t x = mix64(k ^ 0xABCDu);
            now = (v->last > now ? v->last : now) + (ps_t)(x % (x >> 40 & 1 ? 3000000 : 200000000));
            silent = false;
        }
    }
    res.end = v->last > now ? v->last : now;
    res.cls = dram_chan_finish(c, res.end, &d);
    snprintf(res.msg, sizeof res.msg, "%s", d.n ? d.msg[0] : "");
    if (log) ck_assert_int_eq(dram_log_finish(log, "log", &d), MS_OK);
    res.st = *dram_chan_stats(c);
    res.done = v->done;
    engine_free(e);
    arena_free(a);
    diag_free(&d);
    return res;
}

static inline drive_result_t drive_run(const dram_param_t *p, const drive_opt_t *o)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    const dram_spec_t *s = NULL;
    ck_assert_msg(dram_spec_new(&s, p, a, &d) == MS_OK, "%s", d.n ? d.msg[0] : "");
    drive_result_t r = drive_spec(s, p, o);
    diag_free(&d);
    arena_free(a);
    return r;
}
#endif
