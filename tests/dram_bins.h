/* SPDX-License-Identifier: MIT
 * One parameter set for each DRAM standard, in cycles of the command clock, for tests that need no file.
 * Figures: presets of Ramulator 2.1 (HBM2_2000Mbps 8Gb, HBM3_6400Mbps 16Gb_8hi, GDDR6_14000_1350mV_quad,
 * LPDDR5_6400 16Gb, DDR5_4800AN 16Gb x8); HBM2E has the ns of HBM2 at 3.2 Gb/s. */
#ifndef MEMSIM_TESTS_DRAM_BINS_H
#define MEMSIM_TESTS_DRAM_BINS_H
#include "dram/dram_param.h"
#include "dram/std.h"

enum { BIN_REFRESH_NONE, BIN_REFRESH_ALL, BIN_REFRESH_PER_BANK };

static inline gap_t ck(int64_t n)
{
    return (gap_t){n, true};
}

static inline gap_t ns(double n)
{
    return (gap_t){(int64_t)(n * 1000 + 0.5), false};
}

static inline dram_param_t bin_hbm2(void)
{
    return (dram_param_t){.standard = DRAM_HBM2,
                          .rate = 2000000000,
                          .bits_per_ck = 2,
                          .channels = 1,
                          .pseudo_channels = 2,
                          .dq = 64,
                          .ranks = 1,
                          .bank_groups = 4,
                          .banks_per_group = 4,
                          .rows = 65536,
                          .columns = 32,
                          .burst_length = 4,
                          .tRCDRD = ck(14),
                          .tRCDWR = ck(12),
                          .tRP = ck(14),
                          .tRAS = ck(34),
                          .tRC = ck(48),
                          .tRRD_S = ck(4),
                          .tRRD_L = ck(4),
                          .tFAW = ck(15),
                          .tCCD_S = ck(2),
                          .tCCD_L = ck(4),
                          .CL = ck(14),
                          .CWL = ck(5),
                          .tWR = ck(16),
                          .tRTP = ck(5),
                          .tWTR_S = ck(6),
                          .tWTR_L = ck(8),
                          .act_slots = 2,
                          .tREFI = ck(3900),
                          .tRFCab = ck(350),
                          .tRFCpb = ck(160),
                          .tRREFD = ck(8),
                          .read_queue = 64,
                          .write_queue = 64,
                          .write_high = 0.8,
                          .write_low = 0.2,
                          .forward = ck(1),
                          .staging = 64,
                          .map = "co=1,pc,bg,ch,co,ba,ro"};
}

static inline dram_param_t bin_hbm2e(void)
{
    dram_param_t p = bin_hbm2();
    p.standard = DRAM_HBM2E;
    p.rate = 3200000000;
    p.tRCDRD = ns(14), p.tRCDWR = ns(12), p.tRP = ns(14), p.tRAS = ns(34), p.tRC = ns(48),
    p.tRRD_S = ns(4);
    p.tRRD_L = ns(4), p.tFAW = ns(15), p.CL = ns(14), p.CWL = ns(5), p.tWR = ns(16), p.tRTP = ns(5);
    p.tWTR_S = ns(6), p.tWTR_L = ns(8), p.tREFI = ns(3900), p.tRFCab = ns(350), p.tRFCpb = ns(160);
    p.tRREFD = ns(8);
    return p;
}

static inline dram_param_t bin_hbm3(void)
{
    return (dram_param_t){.standard = DRAM_HBM3,
                          .rate = 6400000000,
                          .bits_per_ck = 4,
                          .channels = 1,
                          .pseudo_channels = 2,
                          .dq = 32,
                          .ranks = 2,
                          .bank_groups = 4,
                          .banks_per_group = 4,
                          .rows = 16384,
                          .columns = 32,
                          .burst_length = 8,
                          .tRCDRD = ck(31),
                          .tRCDWR = ck(15),
                          .tRP = ck(26),
                          .tRAS = ck(45),
                          .tRC = ck(72),
                          .tRRD_S = ck(4),
                          .tRRD_L = ck(5),
                          .tFAW = ck(24),
                          .tCCD_S = ck(2),
                          .tCCD_L = ck(4),
                          .tCCD_R = ck(3),
                          .CL = ck(20),
                          .CWL = ck(10),
                          .tWR = ck(33),
                          .tRTP = ck(9),
                          .tWTR_S = ck(7),
                          .tWTR_L = ck(10),
                          .tRTW = ck(20),
                          .tPPD = ck(2),
                          .act_slots = 3,
                          .tREFI = ck(6240),
                          .tRFCab = ck(560),
                          .tRFCpb = ck(320),
                          .tRREFD = ck(8),
                          .read_queue = 64,
                          .write_queue = 64,
                          .write_high = 0.8,
                          .write_low = 0.2,
                          .forward = ck(1),
                          .staging = 64,
                          .map = "co=1,pc,bg,ch,co,ba,sid,ro"};
}

static inline dram_param_t bin_gddr6(void)
{
    return (dram_param_t){.standard = DRAM_GDDR6,
                          .rate = 14000000000,
                          .bits_per_ck = 8,
                          .channels = 1,
                          .pseudo_channels = 1,
                          .dq = 16,
                          .ranks = 1,
                          .bank_groups = 4,
                          .banks_per_group = 4,
                          .rows = 16384,
                          .columns = 64,
                          .burst_length = 16,
                          .tRCDRD = ck(27),
                          .tRCDWR = ck(16),
                          .tRP = ck(27),
                          .tRAS = ck(53),
                          .tRC = ck(79),
                          .tRRD_S = ck(8),
                          .tRRD_L = ck(8),
                          .tFAW = ck(29),
                          .tCCD_S = ck(2),
                          .tCCD_L = ck(4),
                          .CL = ck(24),
                          .CWL = ck(6),
                          .tWR = ck(27),
                          .tRTP = ck(4),
                          .tWTR_S = ck(9),
                          .tWTR_L = ck(11),
                          .tPPD = ck(1),
                          .act_slots = 1,
                          .tREFI = ck(3333),
                          .tRFCab = ck(211),
                          .tRFCpb = ck(106),
                          .tRREFD = ck(15),
                          .read_queue = 64,
                          .write_queue = 64,
                          .write_high = 0.8,
                          .write_low = 0.2,
                          .forward = ck(1),
                          .staging = 64,
                          .map = "co=1,bg,ch,co,ba,ro"};
}

static inline dram_param_t bin_lpddr5(void)
{
    return (dram_param_t){.standard = DRAM_LPDDR5,
                          .rate = 6400000000,
                          .bits_per_ck = 8,
                          .channels = 1,
                          .pseudo_channels = 1,
                          .dq = 16,
                          .ranks = 2,
                          .bank_groups = 4,
                          .banks_per_group = 4,
                          .rows = 65536,
                          .columns = 64,
                          .burst_length = 16,
                          .tRCDRD = ck(15),
                          .tRCDWR = ck(15),
                          .tRP = ck(15),
                          .tRAS = ck(34),
                          .tRC = ck(49),
                          .tRRD_S = ck(4),
                          .tRRD_L = ck(4),
                          .tFAW = ck(16),
                          .tCCD_S = ck(2),
                          .tCCD_L = ck(4),
                          .CL = ck(17),
                          .CWL = ck(9),
                          .tWR = ck(28),
                          .tRTP = ck(8),
                          .tWTR_S = ck(5),
                          .tWTR_L = ck(10),
                          .tRTRS = ck(2),
                          .tPPD = ck(2),
                          .tAAD = ck(8),
                          .tWCK_sync = ck(2),
                          .tWCK_idle = ck(8),
                          .act_slots = 2,
                          .tREFI = ck(3125),
                          .tRFCab = ck(224),
                          .tRFCpb = ck(112),
                          .tRREFD = ck(6),
                          .read_queue = 64,
                          .write_queue = 64,
                          .write_high = 0.8,
                          .write_low = 0.2,
                          .forward = ck(1),
                          .staging = 64,
                          .map = "co=1,bg,ch,co,ba,ra,ro"};
}

static inline dram_param_t bin_ddr5(void)
{
    return (dram_param_t){.standard = DRAM_DDR5,
                          .rate = 4800000000,
                          .bits_per_ck = 2,
                          .channels = 1,
                          .pseudo_channels = 1,
                          .dq = 32,
                          .ranks = 2,
                          .bank_groups = 8,
                          .banks_per_group = 4,
                          .rows = 65536,
                          .columns = 64,
                          .burst_length = 16,
                          .tRCDRD = ck(34),
                          .tRCDWR = ck(34),
                          .tRP = ck(34),
                          .tRAS = ck(77),
                          .tRC = ck(111),
                          .tRRD_S = ck(8),
                          .tRRD_L = ck(12),
                          .tFAW = ck(48),
                          .tCCD_S = ck(8),
                          .tCCD_L = ck(12),
                          .tCCD_S_WR = ck(8),
                          .tCCD_L_WR = ck(48),
                          .CL = ck(34),
                          .CWL = ck(32),
                          .tWR = ck(72),
                          .tRTP = ck(18),
                          .tWTR_S = ck(6),
                          .tWTR_L = ck(24),
                          .tRTRS = ck(2),
                          .tPPD = ck(2),
                          .act_slots = 2,
                          .tREFI = ck(9360),
                          .tRFCab = ck(708),
                          .tRFCpb = ck(312),
                          .tRREFD = ck(72),
                          .read_queue = 64,
                          .write_queue = 64,
                          .write_high = 0.8,
                          .write_low = 0.2,
                          .forward = ck(1),
                          .staging = 64,
                          .map = "bg,ch,co,ba,ra,ro"};
}

static inline dram_param_t bin_of(int standard)
{
    switch (standard) {
    case DRAM_HBM2:
        return bin_hbm2();
    case DRAM_HBM2E:
        return bin_hbm2e();
    case DRAM_HBM3:
        return bin_hbm3();
    case DRAM_GDDR6:
        return bin_gddr6();
    case DRAM_LPDDR5:
        return bin_lpddr5();
    default:
        return bin_ddr5();
    }
}

static inline const char *bin_name(int standard)
{
    static const char *const name[] = {"HBM2", "HBM2E", "HBM3", "GDDR6", "LPDDR5", "DDR5"};
    return name[standard];
}
#endif
