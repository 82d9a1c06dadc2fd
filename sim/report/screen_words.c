/* SPDX-License-Identifier: MIT
 * What the labels and headings of the screens mean, for `memsim explain`.  A test holds this list against a screen. */
#include "report/screen_words.h"

const word_t report_screen_words[] = {
    {"peaks", "what the device could do at most"},
    {"parameters", "of the workload, with their values"},
    {"run", "how it was simulated, and a hash of all it found"},
    {"phase", "the mark of the trace that a kernel comes after"},
    {"kernel", "its name, or its kind where there are many"},
    {"count", "launches"},
    {"time", "of all launches of a kernel; of the run: with the gaps between kernels"},
    {"share", "of the run's time"},
    {"memory", "bytes between the L2 and memory"},
    {"achieved", "rate at the resource that is used to the largest share of its peak"},
    {"of peak", "that share, and the resource: dram, L2 or math"},
    {"math", "the arithmetic unit that does most of a kernel's operations"},
    {"L2hit", "sectors found in the L2 over sectors asked for"},
    {"latency", "mean from a load's issue to its data in the register"},
    {"limited by", "what keeps a kernel from being faster"},
    {"between kernels", "time from the end of a kernel to the first block of the next"},
    {"others", "kernels that take too little time for a row each"},
    {"load to use", "from a load's issue to its data in the register, mean over all loads"},
    {"row hit", "column commands that found their row open"},
    {"mean load",
     "the mean latency of all loads, those that hit included, split by hop; a read of memory takes "
     "longer than \"memory queue\" and \"memory data\" where only some loads go there"},
    {"memory bus", "rate at the memory, and what its data bus did or waited for"},
    {"bandwidth", "bytes over the time from the first column command to the last beat"},
    {"read latency", "from a read's coming to the controller to its last beat"},
    {"rows", "column commands that found their row open, and commands sent"},
    {"data bus", "what it did or waited for, as shares of the time"},
    {"energy", "joules by part, of those that the device file has figures for"},
    {"not modelled", "what the workload asked for and the run left out"},
    {"simulator", "what the run took this computer"},
    {"verdict", "what limits the run, by the share of time of the kernels, and what would be next"},
    {"left in L2", "bytes that kernels stored and that are not in memory at the end"},
};
const size_t report_n_screen_words = sizeof report_screen_words / sizeof *report_screen_words;
