/* SPDX-License-Identifier: MIT
 * The command log of --trace-commands: every DRAM command as one line of text,
 *
 *     # time_ps channel pc rank bg bank row col command
 *     15000 0 0 0 2 1 4711 - ACT
 *     30000 0 0 0 2 1 4711 12 RD
 *     95000 0 1 0 - - - - REFab
 *
 * time_ps   first slot of the command on its command bus, picoseconds from the start of the run
 * bank      bank within its bank group; col counts in column bursts
 * -         the command does not name this
 * command   as in dram_cmd_names: ACT PRE PREA RD WR RDA WRA REFab REFpb ...
 *
 * Fields are separated by blanks or tabs; `#` starts a comment; empty lines are skipped.  Lines of one channel
 * are in order of time; lines of different channels may be mixed in any way.  The same text written by another
 * simulator can be judged by dram_check_file. */
#ifndef MEMSIM_DRAM_LOG_H
#define MEMSIM_DRAM_LOG_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include <stdint.h>
#include <stdio.h>

typedef struct dram_log dram_log_t;

/* What a command names besides pseudo channel and rank. */
enum { DRAM_NAMES_GROUP = 1, DRAM_NAMES_BANK = 2, DRAM_NAMES_ROW = 4, DRAM_NAMES_COL = 8 };
unsigned dram_log_named(int cmd);

/* One command, as written and as read.  Fields the command does not name are DRAM_LOG_NONE. */
#define DRAM_LOG_NONE UINT32_MAX
typedef struct dram_log_line {
    ps_t when;
    uint32_t channel, pc, rank, bg, bank, row, col;
    int cmd; /* dram_cmd_t */
} dram_log_line_t;

/* Log into f, which stays the caller's (not closed).  Owned by the arena. */
dram_log_t *dram_log_new(FILE *f, arena_t *a);
/* Append a command; fields that the command does not name are printed as `-` whatever is passed. */
void dram_log_command(dram_log_t *l, unsigned channel, int cmd, unsigned pc, unsigned rank,
                      unsigned bg, unsigned bank, uint32_t row, uint32_t col, ps_t when);
uint64_t dram_log_lines(const dram_log_t *l); /* commands written so far */
/* Flush.  MS_USAGE with a message if any write failed (disk full, closed pipe), else MS_OK. */
int dram_log_finish(dram_log_t *l, const char *name, diag_t *d);

/* Parse one line (modified: cut into words).  1: *out is filled; 0: blank or comment; -1: malformed, *why is a
 * static explanation. */
int dram_log_parse(char *line, dram_log_line_t *out, const char **why);
#endif
