/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_DRAM_STD_OBJECTS_H
#define MEMSIM_DRAM_STD_OBJECTS_H
#include "dram/spec.h"
extern const dram_std_t dram_std_hbm2, dram_std_hbm2e, dram_std_hbm3;
extern const dram_std_t dram_std_gddr6, dram_std_lpddr5, dram_std_ddr5;
#endif
