/* SPDX-License-Identifier: MIT
 * [memory NAME] (and [dram] in a DRAM file): organisation, timing, controller, energy of one memory system.
 * CK means cycles of the command clock, rate / bits_per_ck.  Timing names are JEDEC's. */
#ifndef MEMSIM_DRAM_DRAM_PARAM_H
#define MEMSIM_DRAM_DRAM_PARAM_H
#include "core/param.h"
#include "core/stats.h"

/* Order of the choices of `standard`. */
typedef enum {
    DRAM_HBM2,
    DRAM_HBM2E,
    DRAM_HBM3,
    DRAM_GDDR6,
    DRAM_LPDDR5,
    DRAM_DDR5,
    DRAM_STANDARDS
} dram_standard_t;
#define DRAM_STANDARD_CHOICES "hbm2|hbm2e|hbm3|gddr6|lpddr5|ddr5"

#define DRAM_PARAMS(P)                                                                             \
    P(standard, ENUM, NULL, DRAM_STANDARD_CHOICES, NULL, "~",                                      \
      "DRAM standard: which commands and rules there are", "dram/std_list.h")                      \
    P(rate, RATE, NULL, "100 Mbps", "100 Gbps", "+", "data rate of a pin", "dram/spec.c")          \
    P(bits_per_ck, COUNT, NULL, "1", "64", "~",                                                    \
      "bits a pin moves in a cycle of the command clock", "dram/spec.c")                           \
    P(channels, COUNT, "1", "1", "4096", "+", "channels", "dram/spec.c")                           \
    P(pseudo_channels, COUNT, "1", "1", "2", "+",                                                  \
      "pseudo channels of a channel; they share its command buses", "dram/spec.c")                 \
    P(dq, COUNT, NULL, "1", "1024", "+",                                                           \
      "data pins of a pseudo channel (of a channel if it has none)", "dram/spec.c")                \
    P(ranks, COUNT, "1", "1", "8", "~", "ranks, or stack IDs (SID) of a stack", "dram/spec.c")     \
    P(bank_groups, COUNT, NULL, "1", "16", "~", "bank groups of a rank", "dram/spec.c")            \
    P(banks_per_group, COUNT, NULL, "1", "32", "~", "banks of a bank group", "dram/spec.c")        \
    P(rows, COUNT, NULL, "1", "4194304", "i", "rows of a bank", "dram/spec.c")                     \
    P(columns, COUNT, NULL, "1", "4096", "~", "columns of a row, counted in bursts",               \
      "dram/spec.c")                                                                               \
    P(burst_length, COUNT, NULL, "2", "64", "~", "beats of a burst", "dram/spec.c")                \
    P(tRCD, GAP, "0 CK", "0 ns", "1 us", "-", "sets tRCDRD and tRCDWR; 0: they stand",             \
      "dram/spec.c")                                                                               \
    P(tRCDRD, GAP, NULL, "0 ns", "1 us", "-", "ACT to RD, same bank", "dram/std_*.c")              \
    P(tRCDWR, GAP, NULL, "0 ns", "1 us", "-", "ACT to WR, same bank", "dram/std_*.c")              \
    P(tRP, GAP, NULL, "0 ns", "1 us", "-", "PRE to ACT, same bank", "dram/std_*.c")                \
    P(tRAS, GAP, NULL, "0 ns", "1 us", "-", "ACT to PRE, same bank", "dram/std_*.c")               \
    P(tRC, GAP, NULL, "0 ns", "1 us", "-", "ACT to ACT, same bank", "dram/std_*.c")                \
    P(tRRD_S, GAP, NULL, "0 ns", "1 us", "-", "ACT to ACT, other bank group", "dram/std_*.c")      \
    P(tRRD_L, GAP, NULL, "0 ns", "1 us", "-", "ACT to ACT, same bank group", "dram/std_*.c")       \
    P(tFAW, GAP, NULL, "0 ns", "1 us", "-", "window that holds at most four ACT", "dram/std_*.c")  \
    P(tCCD_S, GAP, NULL, "0 ns", "1 us", "-", "column command to the next, other bank group",      \
      "dram/std_*.c")                                                                              \
    P(tCCD_L, GAP, NULL, "0 ns", "1 us", "-", "column command to the next, same bank group",       \
      "dram/std_*.c")                                                                              \
    P(tCCD_R, GAP, "0 CK", "0 ns", "1 us", "-",                                                    \
      "column command to the next, other stack ID; 0: tCCD_S", "dram/std_*.c")                     \
    P(tCCD_S_WR, GAP, "0 CK", "0 ns", "1 us", "-",                                                 \
      "the same between writes, other bank group; 0: tCCD_S", "dram/std_*.c")                      \
    P(tCCD_L_WR, GAP, "0 CK", "0 ns", "1 us", "-",                                                 \
      "the same between writes, same bank group; 0: tCCD_L", "dram/std_*.c")                       \
    P(CL, GAP, NULL, "0 ns", "1 us", "-", "read latency: RD to its first beat", "dram/std_*.c")    \
    P(CWL, GAP, NULL, "0 ns", "1 us", "-", "write latency: WR to its first beat", "dram/std_*.c")  \
    P(tWR, GAP, NULL, "0 ns", "1 us", "-", "last beat of a write to PRE, same bank",               \
      "dram/std_*.c")                                                                              \
    P(tRTP, GAP, NULL, "0 ns", "1 us", "-", "RD to PRE, same bank", "dram/std_*.c")                \
    P(tWTR_S, GAP, NULL, "0 ns", "1 us", "-", "last beat of a write to RD, other bank group",      \
      "dram/std_*.c")                                                                              \
    P(tWTR_L, GAP, NULL, "0 ns", "1 us", "-", "last beat of a write to RD, same bank group",       \
      "dram/std_*.c")                                                                              \
    P(tRTW, GAP, "0 CK", "0 ns", "1 us", "-", "RD to WR; 0: CL + burst + 2 CK - CWL",              \
      "dram/std_*.c")                                                                              \
    P(tRTRS, GAP, "2 CK", "0 ns", "1 us", "-",                                                     \
      "bubble on the data bus when the rank changes (not stack IDs)", "dram/std_*.c")              \
    P(tPPD, GAP, "0 CK", "0 ns", "1 us", "-", "PRE to PRE, same pseudo channel", "dram/std_*.c")   \
    P(tAAD, GAP, "0 CK", "0 ns", "1 us", "i",                                                      \
      "LPDDR5: longest time between the two halves of an ACT (they are sent back to back)",        \
      "dram/std_lpddr5.c")                                                                         \
    P(tWCK_sync, GAP, "0 CK", "0 ns", "1 us", "-",                                                 \
      "LPDDR5: CAS with WCK start before a column command after the data clock has stopped",       \
      "dram/std_lpddr5.c")                                                                         \
    P(tWCK_idle, GAP, "0 CK", "0 ns", "1 us", "~",                                                 \
      "LPDDR5: the data clock stops this long after the last burst", "dram/std_lpddr5.c")          \
    P(act_slots, COUNT, "1", "1", "4", "-",                                                        \
      "command-bus slots of an ACT (HBM3: half cycles); timing counts from the last",              \
      "dram/spec.c")                                                                               \
    P(tREFI, GAP, NULL, "1 ns", "1 ms", "+", "average time between all-bank refreshes",            \
      "dram/refresh.c")                                                                            \
    P(tRFCab, GAP, NULL, "1 ns", "1 ms", "-", "all-bank refresh to ACT", "dram/std_*.c")           \
    P(tRFCpb, GAP, "0 CK", "0 ns", "1 ms", "-",                                                    \
      "per-bank (DDR5: same-bank) refresh to ACT, same bank", "dram/std_*.c")                      \
    P(tREFIpb, GAP, "0 CK", "0 ns", "1 ms", "+",                                                   \
      "average time between per-bank refreshes; 0: tREFI / banks of a rank", "dram/refresh.c")     \
    P(tRREFD, GAP, "0 CK", "0 ns", "1 us", "-",                                                    \
      "per-bank refresh to ACT or refresh of another bank", "dram/std_*.c")                        \
    P(refresh, ENUM, "allbank", "none|allbank|perbank", NULL, "~", "refresh policy",               \
      "dram/refresh.c")                                                                            \
    P(refresh_order, ENUM, "idle_first", "idle_first|in_turn", NULL, "~",                          \
      "per-bank refresh within a round: banks without requests first, or by number",               \
      "dram/refresh.c")                                                                            \
    P(scheduler, ENUM, "frfcfs", "frfcfs|fcfs", NULL, "~", "order of requests", "dram/sched.c")    \
    P(row_hit_cap, COUNT, "0", "0", "65535", "~",                                                  \
      "row hits served in a row while another row of the bank waits; 0: no cap", "dram/sched.c")   \
    P(page, ENUM, "open", "open|closed", NULL, "~",                                                \
      "closed: a row is closed when no queued request wants it", "dram/sched.c")                   \
    P(read_queue, COUNT, "64", "1", "1024", "+", "reads the scheduler sees, per channel",          \
      "dram/chan.c")                                                                               \
    P(write_queue, COUNT, "64", "1", "1024", "+", "writes the scheduler sees, per channel",        \
      "dram/chan.c")                                                                               \
    P(active_buffer, BOOL, "no", NULL, NULL, "~",                                                  \
      "a request whose ACT was issued no longer takes a queue place (as in Ramulator 2)",          \
      "dram/chan.c")                                                                               \
    P(write_high, REAL, "80 %", "0 %", "100 %", "~",                                               \
      "fill of the write queue that starts a drain", "dram/sched.c")                               \
    P(write_low, REAL, "20 %", "0 %", "100 %", "~", "fill of the write queue that ends a drain",   \
      "dram/sched.c")                                                                              \
    P(forward, GAP, "1 CK", "0 ns", "1 us", "-", "latency of a read served from the write queue",  \
      "dram/chan.c")                                                                               \
    P(staging, COUNT, "64", "1", "65536", "~",                                                     \
      "memsim dram: requests of the source waiting in front of a channel", "machine/dram_alone.c") \
    P(source, ENUM, "shared", "shared|ideal", NULL, "~",                                           \
      "memsim dram: one in-order stream for all channels, or one per channel",                     \
      "machine/dram_alone.c")                                                                      \
    P(map, TEXT, NULL, NULL, NULL, "~",                                                            \
      "address map, least significant field first, above the burst offset", "dram/addrmap.c")      \
    P(hash, ENUM, "none", "none|xor", NULL, "~",                                                   \
      "xor: bank, bank group and pseudo channel bits are folded with row bits", "dram/addrmap.c")  \
    P(act_energy, PJ, "0 pJ", "0 pJ", "1000000 pJ", "i", "energy of an ACT and its PRE",           \
      "dram/energy.c")                                                                             \
    P(rd_energy, PJ, "0 pJ", "0 pJ", "1000000 pJ", "i",                                            \
      "energy of moving a read burst inside the device", "dram/energy.c")                          \
    P(wr_energy, PJ, "0 pJ", "0 pJ", "1000000 pJ", "i",                                            \
      "energy of moving a write burst inside the device", "dram/energy.c")                         \
    P(ref_energy, PJ, "0 pJ", "0 pJ", "1000000000 pJ", "i",                                        \
      "energy of an all-bank refresh (per bank: divided by the banks)", "dram/energy.c")           \
    P(io_energy_per_bit, PJ, "0 pJ", "0 pJ", "1000 pJ", "i", "energy of a bit on the pins",        \
      "dram/energy.c")                                                                             \
    P(background_power, WATT, "0 W", "0 W", "1000 W", "i", "standby power of a channel",           \
      "dram/energy.c")

typedef struct dram_param {
    DRAM_PARAMS(PARAM_FIELD)
} dram_param_t;
extern const param_table_t dram_param_table; /* section "memory" */

/* The loss stack: every picosecond of a pseudo channel's data bus is data or one of the idle_* below. */
#define DRAM_STATS(S)                                                                             \
    S(reads, "requests", "read requests done")                                                    \
    S(writes, "requests", "write requests done")                                                  \
    S(forwarded, "requests", "reads served from the write queue")                                 \
    S(coalesced, "requests", "writes that replaced a waiting write to the same place")            \
    S(read_bursts, "bursts", "RD and RDA commands")                                               \
    S(write_bursts, "bursts", "WR and WRA commands")                                              \
    S(act, "commands", "ACT commands")                                                            \
    S(pre, "commands", "PRE commands")                                                            \
    S(prea, "commands", "PREA commands")                                                          \
    S(ref_ab, "commands", "all-bank refreshes, those counted while idle included")                \
    S(ref_pb, "commands", "per-bank or same-bank refreshes, those counted while idle included")   \
    S(row_hits, "bursts", "column commands that found their row open")                            \
    S(row_misses, "bursts", "column commands that had to open their row")                         \
    S(read_latency_ps, "ps", "sum over reads of their coming to the controller to the last beat") \
    S(staged_ps, "requests x ps", "sum over requests of their wait in front of the queues")       \
    S(data_ps, "ps", "data bus moving data, summed over pseudo channels")                         \
    S(idle_empty_ps, "ps", "data bus idle with nothing queued")                                   \
    S(idle_row_ps, "ps", "data bus idle for tRCD, tRP, tRAS or tRC of the next row")              \
    S(idle_act_ps, "ps", "data bus idle for tRRD or tFAW of the ACT of the next row")             \
    S(idle_ccd_ps, "ps", "data bus idle for tCCD_L or tCCD_R")                                    \
    S(idle_turn_ps, "ps", "data bus idle for a change between reads and writes")                  \
    S(idle_refresh_ps, "ps", "data bus idle for a refresh")                                       \
    S(idle_bus_ps, "ps", "data bus idle for a command-bus slot of the next RD, WR, ACT or PRE")   \
    S(idle_other_ps, "ps", "data bus idle for another reason (write recovery, data clock start)")
typedef struct dram_stats {
    DRAM_STATS(STAT_FIELD)
} dram_stats_t;
extern const stat_table_t dram_stat_table; /* component "dram" */
#endif
