/* SPDX-License-Identifier: MIT
 * Legality checker: history and constraints, one function per command, one line per constraint.
 * What the values are is check_limits.c's business; here everything is in ticks (edges of the command clock). */
#include "dram/check.h"
#include "dram/check_limits.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* A command that was seen: what, where, at which edge. */
typedef struct seen {
    int64_t at; /* the edge its gaps are measured from; NEVER if there was none */
    uint8_t cmd, pc, rank, bg, bank;
} seen_t;
#define NEVER (INT64_MIN / 4)

typedef struct bank_hist {
    int64_t row; /* open row, -1: closed */
    seen_t act, pre, rd, wr, ref;
    uint64_t refreshes; /* per-bank refreshes, or all-bank ones, it has got */
    int64_t refreshed;  /* edge of the last of them, 0 at the start */
} bank_hist_t;

typedef struct group_hist {
    seen_t act, rd, wr;
} group_hist_t;

typedef struct rank_hist {
    seen_t act[4]; /* ring of the last four; act[acts % 4] is the oldest */
    uint64_t acts;
    seen_t rd, wr, refpb, refab;
    seen_t pre;        /* last PRE or PREA */
    int64_t refreshed; /* edge of the last REFab, 0 at the start */
} rank_hist_t;

typedef struct pc_hist {
    seen_t data;      /* last column command, ... */
    int64_t data_end; /* ... and the edge after its last beat on the data bus */
} pc_hist_t;

typedef struct bus_hist { /* one command bus */
    seen_t last;
    int64_t free; /* first edge with a free slot */
} bus_hist_t;

struct dram_check {
    check_limits_t lim;
    uint32_t pcs, ranks, groups, banks; /* banks per group */
    bank_hist_t *bank;
    group_hist_t *group;
    rank_hist_t *rank;
    pc_hist_t *pc;
    bus_hist_t bus[CHECK_BUSES];
    int64_t now; /* edge of the last command */
    uint64_t commands, violations;
    bool bad; /* the command being judged is */
    seen_t cur;
    char msg[512];
};

static const seen_t nothing = {.at = NEVER};

static bank_hist_t *bank_of(const dram_check_t *c, unsigned pc, unsigned rank, unsigned bg,
                            unsigned bank)
{
    return &c->bank[((pc * c->ranks + rank) * c->groups + bg) * c->banks + bank];
}

static group_hist_t *group_of(const dram_check_t *c, unsigned pc, unsigned rank, unsigned bg)
{
    return &c->group[(pc * c->ranks + rank) * c->groups + bg];
}

static rank_hist_t *rank_of(const dram_check_t *c, unsigned pc, unsigned rank)
{
    return &c->rank[pc * c->ranks + rank];
}

/* ---- saying what is wrong: the first broken rule of a command is the one reported ---- */

static double ns(const dram_check_t *c, int64_t tick)
{
    wide_t fs = (wide_t)tick * 1000000000000000 / (wide_t)c->lim.tick.hz;
    return (double)fs * 1e-6;
}

static const char *place(const seen_t *s, char *buf, size_t n)
{
    snprintf(buf, n, "pc %u rank %u bg %u bank %u", s->pc, s->rank, s->bg, s->bank);
    return buf;
}

__attribute__((format(printf, 2, 3))) static void fault(dram_check_t *c, const char *fmt, ...)
{
    if (c->bad) return;
    c->bad = true;
    c->violations++;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->msg, sizeof c->msg, fmt, ap);
    va_end(ap);
}

/* The state of a bank forbids the command. */
static void state_fault(dram_check_t *c, const char *rule, const seen_t *at, const char *what)
{
    char p[64];
    fault(c, "%s: %s at %.3f ns (%s) %s", rule, dram_cmd_names[c->cur.cmd], ns(c, c->cur.at),
          place(at, p, sizeof p), what);
}

/* The constraint: at least `need` ticks from `before` to the command being judged. */
static void gap(dram_check_t *c, const char *rule, const seen_t *before, int64_t need)
{
    if (before->at == NEVER || c->cur.at - before->at >= need) return;
    char p[64], q[64];
    fault(c, "%s: %s at %.3f ns (%s) comes %.3f ns after %s at %.3f ns (%s), needs %.3f ns", rule,
          dram_cmd_names[c->cur.cmd], ns(c, c->cur.at), place(&c->cur, p, sizeof p),
          ns(c, c->cur.at - before->at), dram_cmd_names[before->cmd], ns(c, before->at),
          place(before, q, sizeof q), ns(c, need));
}

/* ---- scopes ---- */

/* Ranks that are stack IDs of one pseudo channel share its activation budget, its precharge spacing and its
 * write-to-read turnaround; ranks that are separate packages do not. */
static rank_hist_t *row_domain(const dram_check_t *c)
{
    return rank_of(c, c->cur.pc, c->lim.stacked ? 0 : c->cur.rank);
}

/* ---- constraints, by the command they hold for ---- */

static void judge_act(dram_check_t *c, const bank_hist_t *b)
{
    const check_limits_t *l = &c->lim;
    const rank_hist_t *d = row_domain(c);
    const rank_hist_t *r = rank_of(c, c->cur.pc, c->cur.rank);
    if (b->row >= 0) state_fault(c, "state", &c->cur, "opens a row on a bank that has one open");
    gap(c, "tRC", &b->act, l->rc);
    gap(c, "tRP", &b->pre, l->rp);
    gap(c, "tRFCpb", &b->ref, l->rfc_pb);
    gap(c, "tRFCab", &r->refab, l->rfc_ab);
    gap(c, "tRREFD", &r->refpb, l->ref_act);
    gap(c, "tRRD_L", &group_of(c, c->cur.pc, c->cur.rank, c->cur.bg)->act, l->rrd_l);
    if (d->acts) gap(c, "tRRD_S", &d->act[(d->acts - 1) % 4], l->rrd_s);
    if (d->acts >= 4) gap(c, "tFAW", &d->act[d->acts % 4], l->faw);
}

static void judge_close(dram_check_t *c, const bank_hist_t *b)
{
    gap(c, "tRAS", &b->act, c->lim.ras);
    gap(c, "tRTP", &b->rd, c->lim.rtp);
    gap(c, "tWR", &b->wr, c->lim.wr_pre);
}

/* LPDDR5: the data clock stops wck_idle after the last beat.  The CAS that starts it again is not logged, but it
 * cannot come before the stop, and the column command comes wck_sync after it. */
static void judge_data_clock(dram_check_t *c, const pc_hist_t *pc)
{
    if (!c->lim.wck_sync || pc->data.at == NEVER) return;
    seen_t stop = pc->data;
    stop.at = pc->data_end + c->lim.wck_idle;
    if (c->cur.at > stop.at) gap(c, "tWCK_sync", &stop, c->lim.wck_sync);
}

/* Beats on the data bus of the pseudo channel must not overlap; a change of rank needs time for the strobe. */
static void judge_data(dram_check_t *c, bool write)
{
    pc_hist_t *pc = &c->pc[c->cur.pc];
    int64_t first = c->cur.at + (write ? c->lim.wl : c->lim.rl);
    if (pc->data.at != NEVER) {
        bool other = pc->data.rank != c->cur.rank && !c->lim.stacked;
        int64_t free = pc->data_end + (other ? c->lim.rank_switch : 0);
        if (first < free) {
            char p[64], q[64];
            fault(c,
                  "data bus: %s at %.3f ns (%s) puts its first beat at %.3f ns, but after %s at "
                  "%.3f ns (%s) the "
                  "bus is free from %.3f ns",
                  dram_cmd_names[c->cur.cmd], ns(c, c->cur.at), place(&c->cur, p, sizeof p),
                  ns(c, first), dram_cmd_names[pc->data.cmd], ns(c, pc->data.at),
                  place(&pc->data, q, sizeof q), ns(c, free));
        }
    }
    judge_data_clock(c, pc);
    pc->data = c->cur;
    pc->data_end = first + c->lim.burst;
}

static void judge_column(dram_check_t *c, const bank_hist_t *b, bool write, uint32_t row)
{
    const check_limits_t *l = &c->lim;
    const rank_hist_t *r = rank_of(c, c->cur.pc, c->cur.rank);
    const group_hist_t *g = group_of(c, c->cur.pc, c->cur.rank, c->cur.bg);
    if (b->row < 0)
        state_fault(c, "state", &c->cur, "goes to a bank with no row open");
    else if (b->row != (int64_t)row)
        state_fault(c, "state", &c->cur, "goes to a row that is not the open one");
    gap(c, write ? "tRCDWR" : "tRCDRD", &b->act, write ? l->rcd_wr : l->rcd_rd);
    if (write) {
        gap(c, "tCCD_L (write)", &g->wr, l->ccd_l_wr);
        gap(c, "tCCD_S (write)", &r->wr, l->ccd_s_wr);
        gap(c, "tRTW", &r->rd, l->rtw);
    } else {
        gap(c, "tCCD_L", &g->rd, l->ccd_l);
        gap(c, "tCCD_S", &r->rd, l->ccd_s);
        gap(c, "tWTR_L", &g->wr, l->wtr_l);
        gap(c, "tWTR_S", &r->wr, l->wtr_s);
    }
    for (unsigned k = 0; k < c->ranks; k++) {
        if (k == c->cur.rank) continue;
        const rank_hist_t *o = rank_of(c, c->cur.pc, k);
        if (!l->stacked) continue; /* separate ranks meet on the data bus only */
        gap(c, "tCCD_R", write ? &o->wr : &o->rd, l->ccd_r);
        if (write)
            gap(c, "tRTW", &o->rd, l->rtw);
        else
            gap(c, "tWTR_S", &o->wr, l->wtr_s);
    }
    judge_data(c, write);
}

static void judge_refresh_bank(dram_check_t *c, const bank_hist_t *b, const seen_t *where)
{
    if (b->row >= 0) state_fault(c, "state", where, "refreshes a bank with an open row");
    gap(c, "tRC", &b->act, c->lim.rc);
    gap(c, "tRP", &b->pre, c->lim.rp);
    gap(c, "tRFCpb", &b->ref, c->lim.rfc_pb);
}

/* Refreshes of a bank may be postponed, not forgotten. */
static void judge_lateness(dram_check_t *c, const seen_t *where, int64_t since, int64_t limit)
{
    char p[64];
    int64_t waited = c->cur.at - since;
    if (limit && waited > limit)
        fault(c,
              "tREFI: %s had no refresh for %.3f ns before %.3f ns; at most %u may be postponed, "
              "which is %.3f ns",
              place(where, p, sizeof p), ns(c, waited), ns(c, c->cur.at), c->lim.postpone,
              ns(c, limit));
}

static void do_refresh_all(dram_check_t *c)
{
    rank_hist_t *r = rank_of(c, c->cur.pc, c->cur.rank);
    gap(c, "tRFCab", &r->refab, c->lim.rfc_ab);
    gap(c, "tRFCpb", &r->refpb, c->lim.rfc_pb);
    for (unsigned g = 0; g < c->groups; g++)
        for (unsigned k = 0; k < c->banks; k++) {
            seen_t where = c->cur;
            where.bg = (uint8_t)g;
            where.bank = (uint8_t)k;
            judge_refresh_bank(c, bank_of(c, c->cur.pc, c->cur.rank, g, k), &where);
        }
    judge_lateness(c, &c->cur, r->refreshed, c->lim.late_ab);
    r->refab = c->cur;
    r->refreshed = c->cur.at;
}

/* Every bank of a rank must have had its turn before one is refreshed again. */
static void judge_turn(dram_check_t *c, const bank_hist_t *b)
{
    uint64_t least = UINT64_MAX;
    const bank_hist_t *first = bank_of(c, c->cur.pc, c->cur.rank, 0, 0);
    for (unsigned k = 0; k < c->groups * c->banks; k++)
        if (first[k].refreshes < least) least = first[k].refreshes;
    if (b->refreshes > least)
        state_fault(c, "order", &c->cur, "refreshes a bank again before every other had its turn");
}

static void do_refresh_per_bank(dram_check_t *c)
{
    rank_hist_t *r = rank_of(c, c->cur.pc, c->cur.rank);
    const rank_hist_t *d = row_domain(c);
    unsigned from = c->lim.same_bank_refresh ? 0 : c->cur.bg;
    unsigned to = c->lim.same_bank_refresh ? c->groups : from + 1;
    gap(c, "tRFCab", &r->refab, c->lim.rfc_ab);
    gap(c, "tRREFD", &r->refpb, c->lim.ref_ref);
    /* a per-bank refresh opens a row inside the bank, so it keeps its distance from activations like one */
    if (d->acts) gap(c, "tRRD_S", &d->act[(d->acts - 1) % 4], c->lim.rrd_s);
    for (unsigned g = from; g < to; g++)
        gap(c, "tRRD_L", &group_of(c, c->cur.pc, c->cur.rank, g)->act, c->lim.rrd_l);
    judge_turn(c, bank_of(c, c->cur.pc, c->cur.rank, from, c->cur.bank));
    for (unsigned g = from; g < to; g++) {
        bank_hist_t *b = bank_of(c, c->cur.pc, c->cur.rank, g, c->cur.bank);
        seen_t where = c->cur;
        where.bg = (uint8_t)g;
        judge_refresh_bank(c, b, &where);
        judge_lateness(c, &where, b->refreshed, c->lim.late_pb);
        b->ref = c->cur;
        b->refreshed = c->cur.at;
        b->refreshes++;
    }
    r->refpb = c->cur;
}

/* ---- what each command leaves behind ---- */

static void do_act(dram_check_t *c, bank_hist_t *b, uint32_t row)
{
    judge_act(c, b);
    rank_hist_t *d = row_domain(c);
    b->row = row;
    b->act = c->cur;
    group_of(c, c->cur.pc, c->cur.rank, c->cur.bg)->act = c->cur;
    d->act[d->acts++ % 4] = c->cur;
}

static void close_bank(dram_check_t *c, bank_hist_t *b)
{
    if (b->row < 0) return; /* precharging a closed bank does nothing */
    judge_close(c, b);
    b->row = -1;
    b->pre = c->cur;
}

static void do_precharge(dram_check_t *c, bool all)
{
    rank_hist_t *d = row_domain(c);
    gap(c, "tPPD", &d->pre, c->lim.ppd);
    if (!all)
        close_bank(c, bank_of(c, c->cur.pc, c->cur.rank, c->cur.bg, c->cur.bank));
    else
        for (unsigned g = 0; g < c->groups; g++)
            for (unsigned k = 0; k < c->banks; k++)
                close_bank(c, bank_of(c, c->cur.pc, c->cur.rank, g, k));
    d->pre = c->cur;
}

/* With auto precharge the bank closes by itself, as soon as tRAS and tRTP or the write recovery allow. */
static void do_column(dram_check_t *c, bank_hist_t *b, bool write, bool auto_pre, uint32_t row)
{
    judge_column(c, b, write, row);
    rank_hist_t *r = rank_of(c, c->cur.pc, c->cur.rank);
    group_hist_t *g = group_of(c, c->cur.pc, c->cur.rank, c->cur.bg);
    if (write)
        b->wr = g->wr = r->wr = c->cur;
    else
        b->rd = g->rd = r->rd = c->cur;
    if (!auto_pre) return;
    int64_t at = c->cur.at + (write ? c->lim.wr_pre : c->lim.rtp);
    if (b->act.at + c->lim.ras > at) at = b->act.at + c->lim.ras;
    if (b->wr.at + c->lim.wr_pre > at) at = b->wr.at + c->lim.wr_pre;
    b->row = -1;
    b->pre = c->cur;
    b->pre.at = at;
}

/* Slots on the command bus.  The buses belong to the channel, so pseudo channels get in each other's way. */
static void judge_bus(dram_check_t *c, int64_t slot)
{
    bus_hist_t *bus = &c->bus[c->lim.bus[c->cur.cmd]];
    if (slot < bus->free) {
        char p[64], q[64];
        fault(c,
              "command bus: %s at %.3f ns (%s) overlaps %s (%s), which holds the bus until %.3f ns",
              dram_cmd_names[c->cur.cmd], ns(c, slot), place(&c->cur, p, sizeof p),
              dram_cmd_names[bus->last.cmd], place(&bus->last, q, sizeof q), ns(c, bus->free));
    }
    bus->last = c->cur;
    bus->free = slot + c->lim.slots[c->cur.cmd];
}

/* ---- interface ---- */

dram_check_t *dram_check_new(const dram_param_t *p, arena_t *a)
{
    dram_check_t *c = arena_array(a, dram_check_t, 1);
    check_limits_fill(&c->lim, p);
    c->pcs = p->pseudo_channels;
    c->ranks = p->ranks;
    c->groups = p->bank_groups;
    c->banks = p->banks_per_group;
    size_t n_rank = (size_t)c->pcs * c->ranks, n_group = n_rank * c->groups,
           n_bank = n_group * c->banks;
    c->pc = arena_array(a, pc_hist_t, c->pcs);
    c->rank = arena_array(a, rank_hist_t, n_rank);
    c->group = arena_array(a, group_hist_t, n_group);
    c->bank = arena_array(a, bank_hist_t, n_bank);
    for (size_t i = 0; i < c->pcs; i++) c->pc[i].data = nothing;
    for (size_t i = 0; i < n_rank; i++)
        c->rank[i].rd = c->rank[i].wr = c->rank[i].refpb = c->rank[i].refab = c->rank[i].pre =
            nothing;
    for (size_t i = 0; i < n_group; i++)
        c->group[i].act = c->group[i].rd = c->group[i].wr = nothing;
    for (size_t i = 0; i < n_bank; i++) {
        bank_hist_t *b = &c->bank[i];
        b->row = -1;
        b->act = b->pre = b->rd = b->wr = b->ref = nothing;
    }
    return c;
}

const char *dram_check_command(dram_check_t *c, int cmd, unsigned pc, unsigned rank, unsigned bg,
                               unsigned bank, uint32_t row, uint32_t col, ps_t when)
{
    c->bad = false;
    c->commands++;
    int64_t slot = clk_ceil(c->lim.tick, when);
    c->cur = (seen_t){slot + c->lim.tail[cmd], (uint8_t)cmd, (uint8_t)pc,
                      (uint8_t)rank,           (uint8_t)bg,  (uint8_t)bank};
    (void)col; /* which column of the open row is of no consequence for timing */
    if (slot < c->now) state_fault(c, "order", &c->cur, "comes after a later command");
    c->now = slot;
    if (clk_edge(c->lim.tick, slot) != when)
        state_fault(c, "clock", &c->cur, "is not on an edge of the command clock");
    judge_bus(c, slot);

    bool all = cmd == DRAM_PREA || cmd == DRAM_REFAB;
    bank_hist_t *b = bank_of(c, pc, rank, all ? 0 : bg, all ? 0 : bank);
    switch ((dram_cmd_t)cmd) {
    case DRAM_ACT:
        do_act(c, b, row);
        break;
    case DRAM_PRE:
    case DRAM_PREA:
        do_precharge(c, all);
        break;
    case DRAM_RD:
    case DRAM_RDA:
        do_column(c, b, false, cmd == DRAM_RDA, row);
        break;
    case DRAM_WR:
    case DRAM_WRA:
        do_column(c, b, true, cmd == DRAM_WRA, row);
        break;
    case DRAM_REFAB:
        do_refresh_all(c);
        break;
    case DRAM_REFPB:
        do_refresh_per_bank(c);
        break;
    case DRAM_CMDS:
        break;
    }
    if (slot % c->lim.grid[cmd])
        state_fault(c, "clock", &c->cur, "must start on a rising edge of CK");
    return c->bad ? c->msg : NULL;
}

const char *dram_check_idle_refresh(dram_check_t *c, unsigned pc, unsigned rank, ps_t until)
{
    int64_t at = clk_ceil(c->lim.tick, until);
    c->bad = false;
    c->cur = (seen_t){at, DRAM_REFAB, (uint8_t)pc, (uint8_t)rank, 0, 0};
    rank_hist_t *r = rank_of(c, pc, rank);
    for (unsigned g = 0; g < c->groups; g++)
        for (unsigned k = 0; k < c->banks; k++) {
            bank_hist_t *b = bank_of(c, pc, rank, g, k);
            if (b->row >= 0)
                state_fault(c, "state", &c->cur, "counts refreshes while a row is open");
            if (at > b->refreshed) b->refreshed = at;
            b->refreshes = 0; /* everybody has had the same number of turns, near enough */
        }
    if (at > r->refreshed) r->refreshed = at;
    return c->bad ? c->msg : NULL;
}

const char *dram_check_finish(dram_check_t *c, ps_t when)
{
    c->bad = false;
    int64_t at = clk_ceil(c->lim.tick, when);
    for (unsigned pc = 0; pc < c->pcs; pc++)
        for (unsigned rank = 0; rank < c->ranks; rank++) {
            c->cur = (seen_t){at, 0, (uint8_t)pc, (uint8_t)rank, 0, 0};
            judge_lateness(c, &c->cur, rank_of(c, pc, rank)->refreshed, c->lim.late_ab);
            for (unsigned g = 0; g < c->groups; g++)
                for (unsigned k = 0; k < c->banks; k++) {
                    c->cur.bg = (uint8_t)g;
                    c->cur.bank = (uint8_t)k;
                    judge_lateness(c, &c->cur, bank_of(c, pc, rank, g, k)->refreshed,
                                   c->lim.late_pb);
                }
        }
    return c->bad ? c->msg : NULL;
}

uint64_t dram_check_commands(const dram_check_t *c)
{
    return c->commands;
}

uint64_t dram_check_violations(const dram_check_t *c)
{
    return c->violations;
}
