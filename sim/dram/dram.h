/* SPDX-License-Identifier: MIT
 * The memory system of a device: channels of one DRAM standard behind FR-FCFS controllers, event-driven, every
 * command legal to the clock.  A channel is one component (its pseudo channels share its command buses), owned
 * by one partition.  Standards are rule tables (std_*.c); the scheduler knows only the table.
 *
 *   submit ──► staging FIFO ──► read / write queues ──► ACT/PRE/RD/WR/REF on the buses ──► done(ctx, r, data_ps)
 */
#ifndef MEMSIM_DRAM_DRAM_H
#define MEMSIM_DRAM_DRAM_H
#include "core/arena.h"
#include "core/diag.h"
#include "core/engine.h"
#include "core/hist.h"
#include "core/param.h"
#include "core/req.h"
#include "core/stats.h"
#include "dram/dram_param.h" /* DRAM_PARAMS, dram_param_t, dram_param_table, DRAM_STATS, dram_stats_t, dram_stat_table */

typedef struct dram_chan dram_chan_t;

/* Called when the last column command of r issues; data_ps >= now is when its last beat is on the pins (reads)
 * or when the write is in the array's input (writes).  r is handed back.  first_cas_ps is in r->stamp[ST_DRAM_CAS],
 * data_ps in r->stamp[ST_DRAM_DONE]. */
typedef void (*dram_done_fn)(void *ctx, req_t *r, ps_t data_ps, ps_t now);

typedef struct dram_env {
    engine_t *engine;
    arena_t *arena;
    unsigned partition;
    dram_done_fn done;
    /* A queue place of the channel became free without a completion; NULL: nobody asks. */
    void (*space)(void *ctx, uint32_t channel, ps_t now);
    void *ctx;
    uint64_t seed;
    bool check;        /* run the independent legality checker on every command */
    void *command_log; /* dram_log_t * of --trace-commands, NULL: none */
    bool
        lone; /* one queue of events for everything: the channel may run ahead while nothing is pending */
} dram_env_t;

/* Derived once per memory: ticks, rules, address map.  Shared read-only by all its channels. */
typedef struct dram_spec dram_spec_t;
int dram_spec_new(const dram_spec_t **out, const dram_param_t *p, arena_t *a, diag_t *d);
/* The same; messages name the file and line of `section` (may be NULL) where the parameter was set.  Without a section
 * the parameters are taken to have been through here before: faults are told again, notes are not. */
int dram_spec_new_from(const dram_spec_t **out, const dram_param_t *p, const ini_section_t *section,
                       arena_t *a, diag_t *d);
uint32_t dram_channels(const dram_spec_t *s); /* channels in the whole memory */
uint64_t dram_capacity_bytes(const dram_spec_t *s);
double dram_peak_bytes_per_s(const dram_spec_t *s); /* pins */
uint32_t dram_burst_bytes(const dram_spec_t *s);    /* bytes of one column command */
/* Column bursts that any address aligned to so many of them has side by side in one row. */
uint32_t dram_run_bursts(const dram_spec_t *s);
/* Address (within this memory) -> channel, pc, rank, bank group, bank, row, col; and back. */
void dram_decode(const dram_spec_t *s, addr_t addr, loc_t *loc);
addr_t dram_encode(const dram_spec_t *s, const loc_t *loc);
/* Closed-form ceiling of sustained bandwidth with refresh, bytes/s (tests/oracle bounds). */
double dram_bound_bytes_per_s(const dram_spec_t *s);

dram_chan_t *dram_chan_new(const dram_spec_t *s, const dram_env_t *env, uint32_t channel);
/* Hand over r (loc decoded; kind says read or write; sectors says how many 32 B pieces from r->addr, consecutive
 * column bursts of one row).  Bursts = ceil(32 * popcount(sectors) / burst bytes).  Never refuses. */
void dram_submit(dram_chan_t *c, req_t *r, ps_t now);
/* A lone channel does nothing on submission, so that its source can fill the queue first; this starts it. */
void dram_kick(dram_chan_t *c, ps_t now);
/* Would the queue (not only the staging FIFO) take one more request of this direction? */
bool dram_can_take(const dram_chan_t *c, bool write);
/* Time of the channel's latest activity (a lone channel runs ahead of the engine). */
ps_t dram_chan_now(dram_chan_t *c);
uint32_t dram_inflight(const dram_chan_t *c);               /* accepted and not done */
const dram_stats_t *dram_chan_stats(dram_chan_t *c);        /* up to the present */
const hist_t *dram_chan_read_latency(const dram_chan_t *c); /* ps: dram_submit -> last beat */
/* Bring refresh and background accounting up to `now` (end of a run).  Asserts the REF-count invariant.
 * Returns MS_INTERNAL with a message if the checker or an invariant failed. */
int dram_chan_finish(dram_chan_t *c, ps_t now, diag_t *d);
/* Energy in pJ of what st counts in `elapsed` ps of one channel (or of all, if st sums them and elapsed does). */
double dram_energy_pj(const dram_spec_t *s, const dram_stats_t *st, ps_t elapsed,
                      double part[8]); /* see dram_energy_names */
extern const char *const
    dram_energy_names[8]; /* "activate", "read", "write", "refresh", "background", "io", NULL.. */
#endif
