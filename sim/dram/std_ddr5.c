/* SPDX-License-Identifier: MIT
 * DDR5 (JESD79-5): one command bus a sub-channel; writes to one bank group are further apart than reads
 * (tCCD_L_WR, read-modify-write of the on-die ECC); REFpb stands for the same-bank refresh REFsb. */
#include "dram/std_common.h"
#include "dram/std_objects.h"

static size_t rules(const dram_spec_t *s, dram_rule_t *out)
{
    rule_list_t l = {out, 0};
    rules_common(&l, s);
    return l.n;
}

const dram_std_t dram_std_ddr5 = {
    .name = "ddr5", .ticks_per_ck = 1, .same_bank = true, .rules = rules};
