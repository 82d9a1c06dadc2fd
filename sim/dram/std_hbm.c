/* SPDX-License-Identifier: MIT
 * HBM2, HBM2E (JESD235) and HBM3 (JESD238): row and column command buses apart, shared by the two pseudo channels;
 * an ACT takes more than one slot of the row bus; stack IDs instead of ranks.  HBM3 lets PRE use the falling edge. */
#include "dram/std_common.h"
#include "dram/std_objects.h"

static size_t rules(const dram_spec_t *s, dram_rule_t *out)
{
    rule_list_t l = {out, 0};
    rules_common(&l, s);
    return l.n;
}

const dram_std_t dram_std_hbm2 = {
    .name = "hbm2", .ticks_per_ck = 1, .two_buses = true, .stacked = true, .rules = rules};
const dram_std_t dram_std_hbm2e = {
    .name = "hbm2e", .ticks_per_ck = 1, .two_buses = true, .stacked = true, .rules = rules};
const dram_std_t dram_std_hbm3 = {.name = "hbm3",
                                  .ticks_per_ck = 2,
                                  .two_buses = true,
                                  .stacked = true,
                                  .half_rows = true,
                                  .rules = rules};
