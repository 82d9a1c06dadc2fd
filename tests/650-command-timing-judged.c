/* SPDX-License-Identifier: MIT
 * The legality checker against hand-built command sequences: for every timing parameter of every standard the
 * sequence is legal when the gap is met to the tick and illegal, for that reason, one tick earlier. */
#include "core/arena.h"
#include "dram/check.h"
#include "dram_bins.h"
#include "test.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define STEPS 8
#define FAR 3000 /* ticks after which nothing but refresh remembers */
#define LATE 400 /* ticks by which a parameter is lengthened so that no other rule hides it */

typedef struct step {
    dram_cmd_t cmd;
    unsigned pc, rank, bg, bank;
    bool tight; /* as soon as legal; else FAR after the step before */
} step_t;

/* Places: a; b same group; c d e other groups (another bank address, so that a DDR5 same-bank refresh of a spares
 * them); s other rank, same group and bank numbers; p other pseudo channel. */
static void place(step_t *s, char where)
{
    s->bg = where == 'c' ? 1 : where == 'd' ? 2 : where == 'e' ? 3 : 0;
    s->bank = where == 'a' || where == 's' || where == 'p' ? 0 : 1;
    s->rank = where == 's';
    s->pc = where == 'p';
}

static dram_cmd_t command(const char *name, size_t n)
{
    for (int c = 0; c < DRAM_CMDS; c++)
        if (strlen(dram_cmd_names[c]) == n && strncmp(name, dram_cmd_names[c], n) == 0)
            return (dram_cmd_t)c;
    ck_abort_msg("no command %.*s", (int)n, name);
    return DRAM_CMDS;
}

/* "ACT:a RD:a!" -> steps; `!` marks a tight one. */
static size_t parse(const char *text, step_t *step)
{
    size_t n = 0;
    for (const char *s = text; *s; n++) {
        size_t len = strcspn(s, ":");
        step[n] = (step_t){.cmd = command(s, len)};
        place(&step[n], s[len + 1]);
        s += len + 2;
        if (*s == '!') step[n].tight = true, s++;
        while (*s == ' ') s++;
    }
    return n;
}

static clk_t tick_of(const dram_param_t *p)
{
    return (clk_t){p->rate * (p->standard == DRAM_HBM3 ? 2 : 1) / p->bits_per_ck};
}

static int64_t ticks_per_ck(const dram_param_t *p)
{
    return p->standard == DRAM_HBM3 ? 2 : 1;
}

static const char *judge(dram_check_t *c, const dram_param_t *p, const step_t *s, int64_t tick)
{
    return dram_check_command(c, (int)s->cmd, s->pc, s->rank, s->bg, s->bank, 7, 0,
                              clk_edge(tick_of(p), tick));
}

/* Replay steps 0..n-1 at their times, then judge step n at `tick`. */
static const char *replay(const dram_param_t *p, arena_t *a, const step_t *step, size_t n,
                          const int64_t *at, int64_t tick)
{
    dram_check_t *c = dram_check_new(p, a);
    for (size_t i = 0; i < n; i++) {
        const char *bad = judge(c, p, &step[i], at[i]);
        ck_assert_msg(!bad, "%s: prologue step %zu: %s", bin_name(p->standard), i, bad ? bad : "");
    }
    return judge(c, p, &step[n], tick);
}

/* Earliest legal tick of step n that is not before step n - 1. */
static int64_t earliest(const dram_param_t *p, const step_t *step, size_t n, const int64_t *at)
{
    for (int64_t t = at[n - 1];; t++) {
        arena_t *a = arena_new();
        bool ok = !replay(p, a, step, n, at, t);
        arena_free(a);
        if (ok) return t;
    }
}

typedef enum { ADD_NONE, ADD_WRITE, ADD_BURST, ADD_RP, ADD_WRITE_RP } add_t;
enum { ANY = 0, STACKED = 1, SEPARATE = 2, PER_BANK = 4, TWO_PC = 8 };

typedef struct scenario {
    const char *rule;  /* how the message must begin */
    size_t param;      /* offset of the gap in dram_param_t */
    add_t add;         /* what comes on top of the parameter */
    const char *steps; /* the last one is judged */
    size_t from;       /* the step its distance is measured from */
    unsigned needs;    /* of the organisation */
} scenario_t;
#define OF(field) offsetof(dram_param_t, field)

static const scenario_t scenarios[] = {
    {"tRCDRD", OF(tRCDRD), ADD_NONE, "ACT:a RD:a", 0, ANY},
    {"tRCDWR", OF(tRCDWR), ADD_NONE, "ACT:a WR:a", 0, ANY},
    {"tRCDRD", OF(tRCDRD), ADD_NONE, "ACT:a RDA:a", 0, ANY},
    {"tRCDWR", OF(tRCDWR), ADD_NONE, "ACT:a WRA:a", 0, ANY},
    {"tRAS", OF(tRAS), ADD_NONE, "ACT:a PRE:a", 0, ANY},
    {"tRAS", OF(tRAS), ADD_NONE, "ACT:c PREA:a", 0, ANY},
    {"tRC", OF(tRC), ADD_NONE, "ACT:a PRE:a! ACT:a", 0, ANY},
    {"tRC", OF(tRC), ADD_NONE, "ACT:a PRE:a! REFab:a", 0, ANY},
    {"tRC", OF(tRC), ADD_NONE, "ACT:a PRE:a! REFpb:a", 0, PER_BANK},
    {"tRP", OF(tRP), ADD_NONE, "ACT:a PRE:a ACT:a", 1, ANY},
    {"tRP", OF(tRP), ADD_NONE, "ACT:a PREA:a ACT:a", 1, ANY},
    {"tRP", OF(tRP), ADD_NONE, "ACT:c PRE:c REFab:a", 1, ANY},
    {"tRP", OF(tRP), ADD_NONE, "ACT:a PRE:a REFpb:a", 1, PER_BANK},
    {"tRP", OF(tRP), ADD_NONE, "ACT:c PREA:a REFab:a", 1, ANY},
    {"tRTP", OF(tRTP), ADD_NONE, "ACT:a RD:a PRE:a", 1, ANY},
    {"tRTP", OF(tRTP), ADD_NONE, "ACT:c RD:c PREA:a", 1, ANY},
    {"tWR", OF(tWR), ADD_WRITE, "ACT:a WR:a PRE:a", 1, ANY},
    {"tWR", OF(tWR), ADD_WRITE, "ACT:c WR:c PREA:a", 1, ANY},
    {"tRP", OF(tRTP), ADD_RP, "ACT:a RDA:a ACT:a", 1, ANY},
    {"tRP", OF(tWR), ADD_WRITE_RP, "ACT:a WRA:a ACT:a", 1, ANY},
    {"tRP", OF(tWR), ADD_WRITE_RP, "ACT:a WRA:a REFab:a", 1, ANY},
    {"tRRD_L", OF(tRRD_L), ADD_NONE, "ACT:a ACT:b", 0, ANY},
    {"tRRD_S", OF(tRRD_S), ADD_NONE, "ACT:a ACT:c", 0, ANY},
    {"tRRD_S", OF(tRRD_S), ADD_NONE, "ACT:a ACT:s", 0, STACKED},
    {"tRRD_S", OF(tRRD_S), ADD_NONE, "ACT:a REFpb:c", 0, PER_BANK},
    {"tRRD_L", OF(tRRD_L), ADD_NONE, "ACT:a REFpb:b", 0, PER_BANK},
    {"tFAW", OF(tFAW), ADD_NONE, "ACT:a ACT:c! ACT:d! ACT:e! ACT:b", 0, ANY},
    {"tFAW", OF(tFAW), ADD_NONE, "ACT:a ACT:c! ACT:d! ACT:e! ACT:s", 0, STACKED},
    {"tCCD_L", OF(tCCD_L), ADD_NONE, "ACT:a ACT:b RD:a RD:b", 2, ANY},
    {"tCCD_L", OF(tCCD_L), ADD_NONE, "ACT:a RD:a RDA:a", 1, ANY},
    {"tCCD_S", OF(tCCD_S), ADD_NONE, "ACT:a ACT:c RD:a RD:c", 2, ANY},
    {"tCCD_R", OF(tCCD_R), ADD_NONE, "ACT:a ACT:s RD:a RD:s", 2, STACKED},
    {"tCCD_R", OF(tCCD_R), ADD_NONE, "ACT:a ACT:s WR:a WR:s", 2, STACKED},
    {"tCCD_L (write)", OF(tCCD_L_WR), ADD_NONE, "ACT:a ACT:b WR:a WR:b", 2, ANY},
    {"tCCD_S (write)", OF(tCCD_S_WR), ADD_NONE, "ACT:a ACT:c WR:a WR:c", 2, ANY},
    {"data bus", OF(tRTRS), ADD_BURST, "ACT:a ACT:s RD:a RD:s", 2, SEPARATE},
    {"data bus", OF(tRTRS), ADD_BURST, "ACT:a ACT:s WR:a WR:s", 2, SEPARATE},
    {"tWTR_L", OF(tWTR_L), ADD_WRITE, "ACT:a ACT:b WR:a RD:b", 2, ANY},
    {"tWTR_S", OF(tWTR_S), ADD_WRITE, "ACT:a ACT:c WR:a RD:c", 2, ANY},
    {"tWTR_S", OF(tWTR_S), ADD_WRITE, "ACT:a ACT:s WR:a RD:s", 2, STACKED},
    {"tRTW", OF(tRTW), ADD_NONE, "ACT:a ACT:c RD:a WR:c", 2, ANY},
    {"tRTW", OF(tRTW), ADD_NONE, "ACT:a ACT:s RD:a WR:s", 2, STACKED},
    {"tPPD", OF(tPPD), ADD_NONE, "ACT:a ACT:c PRE:a PRE:c", 2, ANY},
    {"tRFCab", OF(tRFCab), ADD_NONE, "REFab:a ACT:a", 0, ANY},
    {"tRFCab", OF(tRFCab), ADD_NONE, "REFab:a REFab:a", 0, ANY},
    {"tRFCab", OF(tRFCab), ADD_NONE, "REFab:a REFpb:a", 0, PER_BANK},
    {"tRFCpb", OF(tRFCpb), ADD_NONE, "REFpb:a ACT:a", 0, PER_BANK},
    {"tRFCpb", OF(tRFCpb), ADD_NONE, "REFpb:c REFab:a", 0, PER_BANK},
    {"tRREFD", OF(tRREFD), ADD_NONE, "REFpb:a ACT:c", 0, PER_BANK},
    {"tRREFD", OF(tRREFD), ADD_NONE, "REFpb:a ACT:b", 0, PER_BANK},
    {"tRREFD", OF(tRREFD), ADD_NONE, "REFpb:a REFpb:b", 0, PER_BANK},
};
#define SCENARIOS (sizeof scenarios / sizeof scenarios[0])

static gap_t *param(dram_param_t *p, const scenario_t *s)
{
    return (gap_t *)(void *)((char *)p + s->param);
}

static bool applies(const dram_param_t *p, const scenario_t *s)
{
    bool hbm = p->standard <= DRAM_HBM3;
    if ((s->needs & STACKED) && !(hbm && p->ranks > 1)) return false;
    if ((s->needs & SEPARATE) && !(!hbm && p->ranks > 1)) return false;
    if ((s->needs & TWO_PC) && p->pseudo_channels < 2) return false;
    return true;
}

/* Ticks of a gap, rounded up. */
static int64_t in_ticks(const dram_param_t *p, gap_t g)
{
    return g.in_clocks ? g.v * ticks_per_ck(p) : clk_ceil(tick_of(p), g.v);
}

/* The value a zero stands for, so that the parameter can be lengthened. */
static gap_t effective(const dram_param_t *p, const scenario_t *s)
{
    dram_param_t q = *p;
    if (s->param == OF(tCCD_L_WR) && !q.tCCD_L_WR.v) return q.tCCD_L;
    if (s->param == OF(tCCD_S_WR) && !q.tCCD_S_WR.v) return q.tCCD_S;
    if (s->param == OF(tCCD_R) && !q.tCCD_R.v) return q.tCCD_S;
    if (s->param == OF(tRTW) &&
        !q.tRTW.v) /* the data buses of both directions and two clocks between them */
        return ck((in_ticks(p, q.CL) - in_ticks(p, q.CWL)) / ticks_per_ck(p) +
                  q.burst_length / q.bits_per_ck + 2);
    return *param(&q, s);
}

/* Slots after the first until a command is complete: gaps begin there. */
static int64_t tail(const dram_param_t *p, dram_cmd_t c)
{
    return c == DRAM_ACT ? p->act_slots - 1 : 0;
}

static int64_t expected(const dram_param_t *p, const scenario_t *s, const step_t *before,
                        const step_t *after)
{
    int64_t burst = p->burst_length * ticks_per_ck(p) / p->bits_per_ck;
    dram_param_t q = *p;
    int64_t gap = in_ticks(p, *param(&q, s));
    if (s->add == ADD_WRITE || s->add == ADD_WRITE_RP) gap += in_ticks(p, p->CWL) + burst;
    if (s->add == ADD_BURST) gap += burst;
    if (s->add == ADD_RP || s->add == ADD_WRITE_RP) gap += in_ticks(p, p->tRP);
    return gap + tail(p, before->cmd) - tail(p, after->cmd);
}

static void schedule(const dram_param_t *p, const step_t *step, size_t n, int64_t *at)
{
    at[0] = 100;
    for (size_t i = 1; i < n; i++)
        at[i] = step[i].tight ? earliest(p, step, i, at) : at[i - 1] + FAR;
}

/* Legal at `gap` ticks after step `from`, illegal for `rule` one tick before. */
static void boundary(const dram_param_t *p, const scenario_t *s, bool shipped)
{
    step_t step[STEPS];
    int64_t at[STEPS];
    size_t n = parse(s->steps, step) - 1;
    schedule(p, step, n, at);
    int64_t due = at[s->from] + expected(p, s, &step[s->from], &step[n]);
    arena_t *a = arena_new();
    const char *bad = replay(p, a, step, n, at, due);
    if (!shipped)
        ck_assert_msg(!bad, "%s \"%s\": legal at the gap, but: %s", bin_name(p->standard), s->steps,
                      bad ? bad : "");
    bad = replay(p, a, step, n, at, due - 1);
    ck_assert_msg(bad != NULL, "%s \"%s\": one tick early and not noticed", bin_name(p->standard),
                  s->steps);
    if (!shipped)
        ck_assert_msg(strncmp(bad, s->rule, strlen(s->rule)) == 0 && bad[strlen(s->rule)] == ':',
                      "%s \"%s\": wants %s, got %s", bin_name(p->standard), s->steps, s->rule, bad);
    arena_free(a);
}

START_TEST(every_gap_is_met_to_the_tick)
{
    unsigned judged = 0;
    for (int std = 0; std < DRAM_STANDARDS; std++)
        for (size_t i = 0; i < SCENARIOS; i++) {
            dram_param_t p = bin_of(std);
            if (!applies(&p, &scenarios[i])) continue;
            gap_t g = effective(&p, &scenarios[i]);
            *param(&p, &scenarios[i]) =
                g.in_clocks ? ck(g.v + LATE) : (gap_t){g.v + LATE * 1000, false};
            boundary(&p, &scenarios[i], false);
            judged++;
        }
    ck_assert_uint_gt(judged, 6 * 40);
}
END_TEST

/* With the values as shipped a gap may be hidden behind a longer one; that it is respected still shows. */
START_TEST(shipped_values_are_judged)
{
    for (int std = 0; std < DRAM_STANDARDS; std++)
        for (size_t i = 0; i < SCENARIOS; i++) {
            dram_param_t p = bin_of(std);
            if (!applies(&p, &scenarios[i])) continue;
            *param(&p, &scenarios[i]) = effective(&p, &scenarios[i]);
            if (param(&p, &scenarios[i])->v) boundary(&p, &scenarios[i], true);
        }
}
END_TEST

/* Which rules never bind with the values as shipped, because another rule between the same two commands, or
 * between others that must precede them, is at least as long. */
typedef struct hidden {
    int standard;
    const char *rule, *steps, *by;
} hidden_t;
static const hidden_t hidden[] = {
    {DRAM_HBM2, "tFAW", "ACT:a ACT:c! ACT:d! ACT:e! ACT:b", "tRRD_S"},
    {DRAM_HBM2E, "tRC", "ACT:a PRE:a! ACT:a",
     "tRP"}, /* tRAS and tRP, each rounded up, are longer */
    {DRAM_HBM2E, "tRC", "ACT:a PRE:a! REFab:a", "tRP"},
    {DRAM_HBM2E, "tRC", "ACT:a PRE:a! REFpb:a", "tRP"},
    {DRAM_HBM2E, "tFAW", "ACT:a ACT:c! ACT:d! ACT:e! ACT:b", "tRRD_S"},
    {DRAM_GDDR6, "tRC", "ACT:a PRE:a! ACT:a", "tRP"},
    {DRAM_GDDR6, "tRC", "ACT:a PRE:a! REFab:a", "tRP"},
    {DRAM_GDDR6, "tRC", "ACT:a PRE:a! REFpb:a", "tRP"},
    {DRAM_GDDR6, "tFAW", "ACT:a ACT:c! ACT:d! ACT:e! ACT:b", "tRRD_S"},
    {DRAM_DDR5, "tRRD_S", "ACT:a REFpb:c", "tRRD_L"}, /* a same-bank refresh is in every group */
};
#define HIDDEN (sizeof hidden / sizeof hidden[0])

START_TEST(hidden_rules_are_known)
{
    size_t found = 0;
    for (int std = 0; std < DRAM_STANDARDS; std++)
        for (size_t i = 0; i < SCENARIOS; i++) {
            const scenario_t *s = &scenarios[i];
            dram_param_t p = bin_of(std);
            if (!applies(&p, s)) continue;
            *param(&p, s) = effective(&p, s);
            if (!param(&p, s)->v) continue; /* the standard has no such rule */
            step_t step[STEPS];
            int64_t at[STEPS];
            size_t n = parse(s->steps, step) - 1;
            schedule(&p, step, n, at);
            int64_t first = earliest(&p, step, n, at);
            if (first == at[s->from] + expected(&p, s, &step[s->from], &step[n])) continue;
            arena_t *a = arena_new();
            const char *by = replay(&p, a, step, n, at, first - 1);
            ck_assert_uint_lt(found, HIDDEN);
            const hidden_t *h = &hidden[found++];
            ck_assert_msg(h->standard == std && strcmp(h->rule, s->rule) == 0 &&
                              strcmp(h->steps, s->steps) == 0 &&
                              strncmp(by, h->by, strlen(h->by)) == 0,
                          "%s %s \"%s\" is hidden by %s", bin_name(std), s->rule, s->steps, by);
            arena_free(a);
        }
    ck_assert_uint_eq(found, HIDDEN);
}
END_TEST

TEST_MAIN("command-timing-judged", every_gap_is_met_to_the_tick, shipped_values_are_judged,
          hidden_rules_are_known)
