/* SPDX-License-Identifier: MIT
 * Names of the stages a request passes, as --follow and the latency stack print them. */
#include "core/req.h"

const char *const stage_names[ST_COUNT] = {
    [ST_ISSUE] = "issue",     [ST_L1_OUT] = "l1_out",     [ST_L2_IN] = "l2_in",
    [ST_DRAM_IN] = "dram_in", [ST_DRAM_CAS] = "dram_cas", [ST_DRAM_DONE] = "dram_done",
    [ST_L2_OUT] = "l2_out",   [ST_DONE] = "done",
};
