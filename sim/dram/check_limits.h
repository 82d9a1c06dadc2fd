/* SPDX-License-Identifier: MIT
 * What the legality checker demands, in ticks of the command clock: the parameter values of one memory, and
 * the facts about its standard that are no parameters (which bus carries a command and for how long, how long a
 * refresh may be postponed).  Private to check*.c. */
#ifndef MEMSIM_DRAM_CHECK_LIMITS_H
#define MEMSIM_DRAM_CHECK_LIMITS_H
#include "core/units.h"
#include "dram/dram_param.h"
#include "dram/std.h"

#define CHECK_BUSES 2 /* row and column; a standard with one command bus uses the first for both */

/* Order of the choices of `refresh`. */
enum { REFRESH_NONE, REFRESH_ALL_BANK, REFRESH_PER_BANK };

typedef struct check_limits {
    clk_t tick;
    int64_t ticks_per_ck;
    /* bank */
    int64_t rcd_rd, rcd_wr, ras, rc, rp, rtp,
        wr_pre; /* wr_pre: WR to PRE, write latency and burst included */
    int64_t rfc_ab, rfc_pb;
    /* bank group (l) and rank (s); wtr_*: WR to RD, write latency and burst included */
    int64_t rrd_s, rrd_l, faw, ccd_s, ccd_l, ccd_s_wr, ccd_l_wr, wtr_s, wtr_l, rtw;
    int64_t ref_act, ref_ref; /* REFpb to ACT, to REFpb, of another bank */
    /* other rank of the same pseudo channel */
    int64_t ccd_r, rank_switch;
    int64_t wck_sync,
        wck_idle; /* LPDDR5 data clock: start-up time, idle time after which it stops; 0: no rule */
    /* data bus: first beat after the command, length in ticks */
    int64_t rl, wl, burst;
    /* command buses */
    int64_t ppd;
    int64_t slots[DRAM_CMDS]; /* ticks a command holds its bus */
    int64_t tail[DRAM_CMDS];  /* from its first slot to the edge its gaps are measured from */
    int64_t grid[DRAM_CMDS];  /* it may start at multiples of so many ticks */
    uint8_t bus[DRAM_CMDS];
    bool stacked;           /* ranks are stack IDs: tRRD_S, tFAW and tWTR_S hold across them */
    bool same_bank_refresh; /* REFpb refreshes one bank of every group (DDR5 REFsb) */
    /* refresh: longest time without, ticks; 0: this kind of refresh is not in use */
    int64_t late_ab, late_pb;
    unsigned postpone; /* refreshes that may be postponed */
} check_limits_t;

void check_limits_fill(check_limits_t *l, const dram_param_t *p);
#endif
