/* SPDX-License-Identifier: MIT
 * GDDR6 (JESD250): one command bus a channel; a chip has two channels of 16 pins, each a channel here. */
#include "dram/std_common.h"
#include "dram/std_objects.h"

static size_t rules(const dram_spec_t *s, dram_rule_t *out)
{
    rule_list_t l = {out, 0};
    rules_common(&l, s);
    return l.n;
}

const dram_std_t dram_std_gddr6 = {.name = "gddr6", .ticks_per_ck = 1, .rules = rules};
