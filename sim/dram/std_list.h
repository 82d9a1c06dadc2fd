/* SPDX-License-Identifier: MIT
 * One line per standard: enum member, name, object in std_NAME.c. */
#ifndef MEMSIM_DRAM_STD_LIST_H
#define MEMSIM_DRAM_STD_LIST_H
#define DRAM_STD_LIST(X)            \
    X(DRAM_HBM2, dram_std_hbm2)     \
    X(DRAM_HBM2E, dram_std_hbm2e)   \
    X(DRAM_HBM3, dram_std_hbm3)     \
    X(DRAM_GDDR6, dram_std_gddr6)   \
    X(DRAM_LPDDR5, dram_std_lpddr5) \
    X(DRAM_DDR5, dram_std_ddr5)
#endif
