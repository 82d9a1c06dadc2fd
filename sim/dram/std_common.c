/* SPDX-License-Identifier: MIT
 * Rules every standard here has, in the words of the JEDEC timing tables (JESD235, JESD238, JESD250, JESD209-5,
 * JESD79-5); what differs is in the std_NAME.c files. */
#include "dram/std_common.h"

static void put(rule_list_t *l, dram_cmd_t before, dram_cmd_t after, dram_scope_t scope,
                unsigned nth, int64_t ticks)
{
    /* A gap of nothing still means "not before the last slot" after a command of several slots. */
    if (ticks < 0 || (ticks == 0 && before != DRAM_ACT)) return;
    l->out[l->n++] = (dram_rule_t){before, after, scope, (uint8_t)nth, ticks};
}

void rules_add(rule_list_t *l, dram_cmd_t before, dram_cmd_t after, dram_scope_t scope,
               int64_t ticks)
{
    put(l, before, after, scope, 1, ticks);
}

static int64_t or_else(int64_t a, int64_t b)
{
    return a > 0 ? a : b;
}

void rules_common(rule_list_t *l, const dram_spec_t *s)
{
    const dram_param_t *p = &s->p;
#define T(key) dram_ticks(s, p->key)
    dram_scope_t wide = s->std->stacked ? SC_PC : SC_RANK; /* what shares the activation budget */
    /* rows */
    rules_add(l, DRAM_ACT, DRAM_RD, SC_BANK, T(tRCDRD));
    rules_add(l, DRAM_ACT, DRAM_WR, SC_BANK, T(tRCDWR));
    rules_add(l, DRAM_ACT, DRAM_PRE, SC_BANK, T(tRAS));
    rules_add(l, DRAM_ACT, DRAM_ACT, SC_BANK, T(tRC));
    rules_add(l, DRAM_ACT, DRAM_ACT, SC_GROUP, T(tRRD_L));
    rules_add(l, DRAM_ACT, DRAM_ACT, wide, T(tRRD_S));
    put(l, DRAM_ACT, DRAM_ACT, wide, 4, T(tFAW));
    rules_add(l, DRAM_PRE, DRAM_ACT, SC_BANK, T(tRP));
    rules_add(l, DRAM_PREA, DRAM_ACT, SC_RANK, T(tRP));
    rules_add(l, DRAM_PRE, DRAM_PRE, wide, T(tPPD));
    rules_add(l, DRAM_PREA, DRAM_PRE, wide, T(tPPD));
    /* columns, one direction */
    int64_t same_rd = T(tCCD_S), same_wr = or_else(T(tCCD_S_WR), same_rd);
    rules_add(l, DRAM_RD, DRAM_RD, SC_RANK, same_rd);
    rules_add(l, DRAM_RD, DRAM_RD, SC_GROUP, T(tCCD_L));
    rules_add(l, DRAM_WR, DRAM_WR, SC_RANK, same_wr);
    rules_add(l, DRAM_WR, DRAM_WR, SC_GROUP, or_else(T(tCCD_L_WR), T(tCCD_L)));
    int64_t other = s->std->stacked ? or_else(T(tCCD_R), same_rd) : s->burst + T(tRTRS);
    rules_add(l, DRAM_RD, DRAM_RD, SC_SIBLING, other);
    rules_add(l, DRAM_WR, DRAM_WR, SC_SIBLING, other);
    /* turnaround */
    int64_t wr_end = s->cwl + s->burst;
    rules_add(l, DRAM_RD, DRAM_WR, s->std->stacked ? SC_PC : SC_RANK, s->rtw);
    rules_add(l, DRAM_WR, DRAM_RD, SC_GROUP, wr_end + T(tWTR_L));
    rules_add(l, DRAM_WR, DRAM_RD, wide, wr_end + T(tWTR_S));
    if (!s->std->stacked) {
        rules_add(l, DRAM_WR, DRAM_RD, SC_SIBLING, wr_end + T(tRTRS) - s->cl);
        rules_add(l, DRAM_RD, DRAM_WR, SC_SIBLING, s->cl + s->burst + T(tRTRS) - s->cwl);
    }
    /* columns to rows */
    rules_add(l, DRAM_RD, DRAM_PRE, SC_BANK, T(tRTP));
    rules_add(l, DRAM_WR, DRAM_PRE, SC_BANK, wr_end + T(tWR));
    /* all-bank refresh: every bank closed for tRP */
    rules_add(l, DRAM_ACT, DRAM_REFAB, SC_RANK, T(tRC));
    rules_add(l, DRAM_PRE, DRAM_REFAB, SC_RANK, T(tRP));
    rules_add(l, DRAM_PREA, DRAM_REFAB, SC_RANK, T(tRP));
    rules_add(l, DRAM_REFAB, DRAM_ACT, SC_RANK, T(tRFCab));
    rules_add(l, DRAM_REFAB, DRAM_REFAB, SC_RANK, T(tRFCab));
    if (!T(tRFCpb)) return;
    /* per-bank refresh: the bank closed, the others open to work; it opens rows inside, so it keeps the distance of
     * an activation from the activations before it */
    rules_add(l, DRAM_ACT, DRAM_REFPB, SC_BANK, T(tRC));
    rules_add(l, DRAM_ACT, DRAM_REFPB, wide, T(tRRD_S));
    rules_add(l, DRAM_ACT, DRAM_REFPB, s->std->same_bank ? SC_RANK : SC_GROUP, T(tRRD_L));
    rules_add(l, DRAM_PRE, DRAM_REFPB, SC_BANK, T(tRP));
    rules_add(l, DRAM_PREA, DRAM_REFPB, SC_RANK, T(tRP));
    rules_add(l, DRAM_REFPB, DRAM_ACT, SC_BANK, T(tRFCpb));
    rules_add(l, DRAM_REFPB, DRAM_ACT, SC_RANK, T(tRREFD));
    rules_add(l, DRAM_REFPB, DRAM_REFPB, SC_RANK, T(tRREFD));
    rules_add(l, DRAM_REFPB, DRAM_REFPB, SC_BANK, T(tRFCpb));
    rules_add(l, DRAM_REFPB, DRAM_REFAB, SC_RANK, T(tRFCpb));
    rules_add(l, DRAM_REFAB, DRAM_REFPB, SC_RANK, T(tRFCab));
#undef T
}
