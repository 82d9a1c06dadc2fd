/* SPDX-License-Identifier: MIT */
#include "core/words.h"

const word_t limit_words[LIMIT_COUNT] = {
    [LIMIT_DRAM] = {"dram bandwidth",
                    "the memory has requests queued nearly all the time: its data bus, its rows or "
                    "its commands are the limit; the loss stack says which"},
    [LIMIT_L2] = {"l2 bandwidth", "the data arrays or the reply ports of the L2's slices are busy"},
    [LIMIT_REPLY_PORTS] = {"crossbar reply ports",
                           "the ports from the crossbar to the SMs are busy "
                           "(xbar.sm_reply_bytes_per_clk)"},
    [LIMIT_REQUEST_PORTS] = {"crossbar request ports", "the ports from the SMs to the crossbar are "
                                                       "busy (xbar.sm_request_bytes_per_clk)"},
    [LIMIT_LSU] = {"load/store pipes",
                   "the SMs' pipes for loads and stores are busy (gpu.lsu_lines_per_clk)"},
    [LIMIT_SHARED] = {"shared memory",
                      "the SMs' shared-memory ports are busy (gpu.shared_bytes_per_clk)"},
    [LIMIT_MATH] = {"arithmetic", "the arithmetic pipes are busy"},
    [LIMIT_LAUNCH] = {"block launch", "the GPU's block scheduler is busy (gpu.cta_dispatch)"},
    [LIMIT_IN_FLIGHT] = {"bytes in flight",
                         "nothing is near its peak: what is under way does not cover the latency; "
                         "more warps, deeper copies or wider loads would carry more"},
    [LIMIT_FEW_BLOCKS] =
        {"too few blocks",
         "nothing is near its peak, and the grid fills less than three quarters of "
         "the places for blocks that the SMs have"},
    [LIMIT_TURNOVER] =
        {"block turnover",
         "nothing is near its peak, and the places for blocks stand empty for 60 % of "
         "the time between one block and the next (gpu.cta_launch, gpu.warp_launch, "
         "gpu.cta_retire)"},
    [LIMIT_UNKNOWN] = {"unknown", "the kernel was not measured"},
    [LIMIT_NONE] = {"none", "nothing ran"},
};

const word_t loss_words[LOSS_COUNT] = {
    [LOSS_DATA] = {"data", "the pins move data"},
    [LOSS_EMPTY] = {"nothing queued",
                    "no request was there, or only such as could not have come sooner"},
    [LOSS_ROW] = {"row misses", "the next row had to be opened: tRP, tRCD, tRAS, tRC, tRTP, tWR"},
    [LOSS_ACT] = {"activation window", "the ACT of the next row waited for others: tRRD, tFAW"},
    [LOSS_CCD] = {"bank group", "column commands kept their distance: tCCD_L, tCCD_R"},
    [LOSS_TURN] = {"bus turnaround", "a change between reads and writes: tWTR, tRTW"},
    [LOSS_REFRESH] = {"refresh", "the bank was away for its refresh: tRFC"},
    [LOSS_BUS] = {"command bus",
                  "RD, WR, ACT or PRE of the next burst waited for a free slot on its command bus"},
    [LOSS_OTHER] = {"other", "a row that others kept, the start of a data clock"},
};

const word_t energy_words[ENERGY_COUNT] = {
    [ENERGY_MEMORY] = {"memory", "commands, pins and standby of the memory"},
    [ENERGY_L2] = {"l2", "sectors read and written, l2.pj_per_sector each"},
    [ENERGY_L1] = {"l1", "sectors read and written, l1.pj_per_sector each"},
    [ENERGY_CROSSBAR] = {"crossbar", "bytes moved, xbar.pj_per_byte each"},
    [ENERGY_MATH] = {"arithmetic", "operations, gpu.pj_per_flop each"},
    [ENERGY_IDLE] = {"idle SMs", "gpu.sm_idle_power for the time of the run"},
    [ENERGY_TOTAL] = {"total", "of the parts that the device file has figures for"},
};

const word_t hop_words[ST_COUNT] = {
    [ST_L1_OUT] = {"issue and L1", "from the issue of a load until it leaves the L1 as a miss"},
    [ST_L2_IN] = {"crossbar out", "from leaving the L1 to the lookup in an L2 slice"},
    [ST_DRAM_IN] = {"L2", "from the lookup until the L2 hands a miss to the memory's controller"},
    [ST_DRAM_CAS] =
        {"memory queue",
         "from the L2's handing over to the first column command: waiting in front of the "
         "controller's queues and in them, and for the row to open"},
    [ST_DRAM_DONE] = {"memory data", "from the first column command to the last beat of data"},
    [ST_L2_OUT] = {"L2 reply", "from the last beat, or the lookup of a hit, to the slice's reply "
                               "port; loads that wait for a line another asked for wait here"},
    [ST_DONE] = {"crossbar back", "from the reply port to the register or to shared memory"},
};

static const word_t memory_energy_words[] = {
    {"activate", "opening and closing rows, act_energy an ACT"},
    {"read", "column reads, rd_energy a burst"},
    {"write", "column writes, wr_energy a burst"},
    {"refresh", "ref_energy a refresh"},
    {"background", "background_power for the time of the run"},
    {"io", "bits on the pins, io_energy_per_bit each"},
};

static const word_t command_words[] = {
    {"ACT", "activate: opens a row of a bank"},
    {"PRE", "precharge: closes the row of a bank"},
    {"PREA", "precharge all: closes the rows of a rank"},
    {"RD", "a burst is read from an open row (RDA: and the row is closed)"},
    {"WR", "a burst is written to an open row (WRA: and the row is closed)"},
    {"REFab", "refresh of all banks of a rank"},
    {"REFpb", "refresh of one bank, or of one in every bank group"},
};

#define LIST(of, words)                            \
    {                                              \
        of, words, sizeof(words) / sizeof *(words) \
    }
const word_list_t word_lists[] = {
    LIST("limit of a kernel, in the verdict and under \"limited by\"", limit_words),
    LIST("hop of a load, in the latency stack", hop_words),
    LIST("entry of a memory's loss stack", loss_words),
    LIST("part of the device's energy", energy_words),
    LIST("part of a memory's energy", memory_energy_words),
    LIST("command of a memory", command_words),
};
const size_t n_word_lists = sizeof word_lists / sizeof *word_lists;
