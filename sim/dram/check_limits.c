/* SPDX-License-Identifier: MIT
 * From parameter values to what the legality checker demands, standard by standard.  Which commands share which
 * bus and for how many slots is from the command tables of JESD235 (HBM2), JESD238 (HBM3), JESD250 (GDDR6),
 * JESD209-5 (LPDDR5) and JESD79-5 (DDR5) as public models of them agree on it; docs/dram.md lists it. */
#include "dram/check_limits.h"
#include <string.h>

#define PS_PER_S 1000000000000

/* Smallest number of ticks that is no shorter than the gap. */
static int64_t ticks(const check_limits_t *l, gap_t g)
{
    if (g.in_clocks) return g.v * l->ticks_per_ck;
    return (int64_t)(((wide_t)g.v * (wide_t)l->tick.hz + PS_PER_S - 1) / PS_PER_S);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void fill_timing(check_limits_t *l, const dram_param_t *p)
{
    l->rcd_rd = ticks(l, p->tRCD.v ? p->tRCD : p->tRCDRD);
    l->rcd_wr = ticks(l, p->tRCD.v ? p->tRCD : p->tRCDWR);
    l->rp = ticks(l, p->tRP);
    l->ras = ticks(l, p->tRAS);
    l->rc = ticks(l, p->tRC);
    l->rtp = ticks(l, p->tRTP);
    l->rl = ticks(l, p->CL);
    l->wl = ticks(l, p->CWL);
    l->burst = (int64_t)p->burst_length * l->ticks_per_ck / p->bits_per_ck;
    int64_t written = l->wl + l->burst; /* WR to the end of its data */
    l->wr_pre = written + ticks(l, p->tWR);
    l->wtr_s = written + ticks(l, p->tWTR_S);
    l->wtr_l = written + ticks(l, p->tWTR_L);
    l->rtw = p->tRTW.v ? ticks(l, p->tRTW) : l->rl + l->burst + 2 * l->ticks_per_ck - l->wl;
    l->rrd_s = ticks(l, p->tRRD_S);
    l->rrd_l = ticks(l, p->tRRD_L);
    l->faw = ticks(l, p->tFAW);
    l->ccd_s = ticks(l, p->tCCD_S);
    l->ccd_l = ticks(l, p->tCCD_L);
    l->ccd_s_wr = p->tCCD_S_WR.v ? ticks(l, p->tCCD_S_WR) : l->ccd_s;
    l->ccd_l_wr = p->tCCD_L_WR.v ? ticks(l, p->tCCD_L_WR) : l->ccd_l;
    l->ccd_r = p->tCCD_R.v ? ticks(l, p->tCCD_R) : l->ccd_s;
    l->rank_switch = ticks(l, p->tRTRS);
    l->ppd = ticks(l, p->tPPD);
    l->wck_sync = ticks(l, p->tWCK_sync);
    l->wck_idle = ticks(l, p->tWCK_idle);
}

static void fill_refresh(check_limits_t *l, const dram_param_t *p)
{
    l->rfc_ab = ticks(l, p->tRFCab);
    l->rfc_pb = ticks(l, p->tRFCpb);
    l->ref_act = l->ref_ref = ticks(l, p->tRREFD);
    /* DDR5 lets four refreshes wait (JESD79-5, refresh postponing), the others eight. */
    l->postpone = p->standard == DRAM_DDR5 ? 4 : 8;
    int64_t all = ticks(l, p->tREFI);
    int64_t turns =
        l->same_bank_refresh ? p->banks_per_group : (int64_t)p->banks_per_group * p->bank_groups;
    int64_t each = p->tREFIpb.v ? ticks(l, p->tREFIpb) * turns : all;
    if (p->refresh == REFRESH_ALL_BANK) l->late_ab = all * (l->postpone + 1) + l->rfc_ab;
    if (p->refresh == REFRESH_PER_BANK)
        l->late_pb = larger(all, each) * (l->postpone + 1) + l->rfc_pb;
}

static void fill_buses(check_limits_t *l, const dram_param_t *p)
{
    bool hbm = p->standard == DRAM_HBM2 || p->standard == DRAM_HBM2E || p->standard == DRAM_HBM3;
    for (int c = 0; c < DRAM_CMDS; c++) {
        bool column = c == DRAM_RD || c == DRAM_RDA || c == DRAM_WR || c == DRAM_WRA;
        l->bus[c] = hbm && column ? 1 : 0;
        /* HBM3's PRE and REF take half a clock, a tick, and may use either edge; all else starts on the rising one. */
        l->slots[c] = column ? l->ticks_per_ck : 1;
        l->grid[c] = column || c == DRAM_ACT ? l->ticks_per_ck : 1;
    }
    l->slots[DRAM_ACT] = p->act_slots;
    /* A command of several slots is complete, and its gaps begin, with its last one. */
    l->tail[DRAM_ACT] = l->slots[DRAM_ACT] - 1;
}

void check_limits_fill(check_limits_t *l, const dram_param_t *p)
{
    memset(l, 0, sizeof *l);
    /* HBM3 sends row commands on both edges of CK. */
    l->ticks_per_ck = p->standard == DRAM_HBM3 ? 2 : 1;
    l->tick.hz = p->rate / p->bits_per_ck * (uint64_t)l->ticks_per_ck;
    l->stacked = p->standard == DRAM_HBM2 || p->standard == DRAM_HBM2E || p->standard == DRAM_HBM3;
    l->same_bank_refresh = p->standard == DRAM_DDR5;
    fill_timing(l, p);
    fill_refresh(l, p);
    fill_buses(l, p);
}
