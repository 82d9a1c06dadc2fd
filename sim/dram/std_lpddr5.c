/* SPDX-License-Identifier: MIT
 * LPDDR5 (JESD209-5), bank-group mode: one command bus; an ACT is two commands back to back (ACT-1, ACT-2); the data
 * clock WCK stops when the bus has been idle and must be synchronised again before the next burst (tWCK_sync, in the
 * channel). */
#include "dram/std_common.h"
#include "dram/std_objects.h"

static size_t rules(const dram_spec_t *s, dram_rule_t *out)
{
    rule_list_t l = {out, 0};
    rules_common(&l, s);
    return l.n;
}

const dram_std_t dram_std_lpddr5 = {.name = "lpddr5", .ticks_per_ck = 1, .rules = rules};
