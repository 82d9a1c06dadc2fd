/* SPDX-License-Identifier: MIT
 * The legality checker: is this sequence of DRAM commands allowed by the standard?
 *
 * It is a second opinion.  It shares parameter *values* with the scheduler (dram_param_t) and nothing else: it
 * does not read the rule tables of std_*.c, keeps its own history of every bank, bank group, rank, pseudo channel
 * and command bus, and states each constraint on its own, from the words of the standard.  A rule that is missing
 * from a table, or entered with the wrong scope, is caught here.  Time is compared in whole clock edges, so
 * nothing is lost or forgiven by rounding to picoseconds.
 *
 * Judged are: bank state (column command to a closed bank or another row, ACT on an open bank, refresh with open
 * rows), the timing between commands, collisions on command buses and on the data bus, commands off the clock's
 * edges or out of order, the order of per-bank refreshes, and refresh that is late for longer than the standard
 * allows it to be postponed.  Sources of the rules: docs/dram.md, "The checker". */
#ifndef MEMSIM_DRAM_CHECK_H
#define MEMSIM_DRAM_CHECK_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include "dram/dram_param.h"
#include <stdio.h>

typedef struct dram_check dram_check_t;

/* One checker judges one channel (all its pseudo channels and ranks).  Owned by the arena; *p is copied. */
dram_check_t *dram_check_new(const dram_param_t *p, arena_t *a);

/* Judge one command (dram_cmd_t) whose first slot on the command bus is at `when` and note it, legal or not.
 * Commands must come in order of time.  bg and bank (bank within its group) are ignored where the command does
 * not name them (PREA, REFab), row but for ACT and column commands, col but for the latter.
 * NULL if legal; else what rule was broken, by which two commands, when, the gap needed and the gap there was.
 * The text is valid until the next call. */
const char *dram_check_command(dram_check_t *c, int cmd, unsigned pc, unsigned rank, unsigned bg,
                               unsigned bank, uint32_t row, uint32_t col, ps_t when);

/* The channel was idle with all banks closed and its scheduler only *counted* the refreshes that fell due before
 * `until`: take those of this rank as done on time.  NULL if that is allowed (no row open), else a message. */
const char *dram_check_idle_refresh(dram_check_t *c, unsigned pc, unsigned rank, ps_t until);

/* End of the run at `when`: has any rank or bank waited longer for its refresh than the standard lets it be
 * postponed?  NULL if not, else a message. */
const char *dram_check_finish(dram_check_t *c, ps_t when);

uint64_t dram_check_commands(const dram_check_t *c);   /* commands judged */
uint64_t dram_check_violations(const dram_check_t *c); /* of them illegal, plus illegal ends */

/* Judge a command log (format: dram/log.h) written by anyone, all its channels.  `name` is used in messages.
 * Faults go to `d`, each with its line: MS_INTERNAL for an illegal command, MS_INPUT for a malformed line or a
 * place that the organisation does not have.  Returns the class of the first fault, MS_OK if there is none. */
int dram_check_file(const dram_param_t *p, FILE *f, const char *name, diag_t *d);
#endif
