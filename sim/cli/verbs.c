/* SPDX-License-Identifier: MIT
 * The verbs: one row each. */
#include "cli/cli.h"

#define LATER "This verb is not available yet in this version."

const cli_verb_t cli_verbs[VERB_COUNT] = {
    [VERB_RUN] =
        {"run", "DEVICE.ini WORKLOAD.trace",
         "simulate a workload on a device (the verb may be left out)",
         "Plays the workload on the device and prints where the time and the bytes went, and what "
         "limits the run. WORKLOAD may be - for standard input; gzip, xz and zstd are recognised "
         "by "
         "content. Nothing is written to disk without -o.",
         "memsim devices/h100.ini workloads/gpt.trace -D prompt=4096 -o out", true, verb_run},
    [VERB_DRAM] = {"dram", "DRAM.ini PATTERN|TRACE", "simulate one memory system alone",
                   "Plays an address pattern (seq, rand, rand64, triad, stride:N, pingpong, "
                   "rowconf, rw50, burst, "
                   "depseq, deprand) or a trace of raw accesses (- is standard input) on a memory "
                   "system without a GPU. --load gives latency against bandwidth. Bandwidth is "
                   "bytes over the time from the first column command to the last beat of data.",
                   "memsim dram devices/dram/hbm3-5238.ini rand --load 10:90:10 -o out", true,
                   verb_dram},
    [VERB_TRACE] = {"trace", "info|check FILE.trace", "summarise or check a workload",
                    "info: kernels, launches, bytes, FLOPs, buffers. check: read everything, "
                    "report every fault.",
                    "memsim trace info workloads/gpt.trace", true, verb_trace},
    [VERB_SHOW] = {"show", "DEVICE.ini",
                   "everything about a device: topology, parameters, origins, peaks",
                   "Prints every parameter with its unit, where its value comes from (built-in, "
                   "file and line, -s) "
                   "and the source the file names for it, and the peaks that follow.",
                   "memsim show devices/h100.ini", true, verb_show},
    [VERB_MAP] = {"map", "DEVICE.ini ADDRESS...", "address to channel, bank, row, column and back",
                  "ADDRESS is decimal or 0x hexadecimal, or a location such as "
                  "channel=3,pc=0,rank=0,bank_group=1,bank=2,row=100,column=4 (what is left out is "
                  "0), which is turned "
                  "into its address.",
                  "memsim map devices/h100.ini 0x12345680 channel=3,row=100", true, verb_map},
    [VERB_EXPLAIN] =
        {"explain", "NAME...", "what a parameter, a statistic or a word of the result means",
         "NAME is a parameter, a statistic, a key of the JSON result or a latency stage, with or "
         "without its section (tRCD, l2.size, row_hits), or a word of the screen or the verdict "
         "(too few blocks, memory queue, row misses).",
         "memsim explain l2.mshrs", true, verb_explain},
    [VERB_HELP] = {"help", "[VERB]", "this text, or a verb's", NULL, "memsim help dram", true,
                   NULL},
    [VERB_SWEEP] = {"sweep", "", "many runs over parameters", LATER, NULL, false, NULL},
    [VERB_VALIDATE] = {"validate", "", "compare with measurements on hardware", LATER, NULL, false,
                       NULL},
    [VERB_CALIBRATE] = {"calibrate", "", "fit device parameters to measurements", LATER, NULL,
                        false, NULL},
    [VERB_SIZE] = {"size", "", "what a workload needs to fit in memory", LATER, NULL, false, NULL},
    [VERB_COMPARE] = {"compare", "", "difference of two results", LATER, NULL, false, NULL},
    [VERB_REPORT] = {"report", "", "redraw a stored result", LATER, NULL, false, NULL},
};
