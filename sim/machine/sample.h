/* SPDX-License-Identifier: MIT
 * Sampling inside a kernel, inside: what sample.c (when, and blocks), sample_memory.c (blocks that the memory feeds),
 * sample_steps.c (loops) and stretch.c (measuring a rate) share. */
#ifndef MEMSIM_MACHINE_SAMPLE_H
#define MEMSIM_MACHINE_SAMPLE_H
#include "gpu/coalesce.h"
#include "machine/run.h"

#define STEADY_REL \
    0.04              /* with the budget spent; a rate less certain than this is no steady state */
#define WAVE_REL 0.02 /* a rate of whole waves, or of steps, is at least so uncertain */
#define UNSTEADY_REL \
    0.1 /* assumed of a rate measured before the blocks of a wave have fallen out of step; a kernel whose time may be
           that uncertain is measured as briefly as can be */
#define STORES_REL 0.05 /* a rate with stores is at least so uncertain */
#define MANY_WARPS 8    /* of an SM: they drift apart, and tell the SM's own rate */
#define BATCHES 64
#define BATCHES_MIN 3

typedef struct stretch { /* a piece of the run whose rate is being measured */
    bool open;
    ps_t t0, t_last;   /* skipped time included */
    double w0, w_last; /* work at its start; at the end of the last batch */
    double unit;       /* work of a batch */
    bool whole;        /* batches are whole waves of blocks */
    totals_t from;
    double rate[BATCHES]; /* work per ps */
    unsigned n;
    uint64_t lines0;
    size_t jump0;  /* jumps recorded before it began */
    double dirty0; /* bytes dirty in the L2 when it began, where that is asked for later */
} stretch_t;

typedef struct memory_done { /* since the run's start */
    double sectors, written; /* moved, those written among them */
} memory_done_t;

struct sampler {
    run_t *r;
    const kernel_t *k;
    bool mixed;          /* the work left is not like what was measured: nothing is passed over */
    bool like_blocks;    /* blocks all do the same */
    bool like_steps;     /* the main loop runs equally often for all */
    uint32_t loop;       /* the main loop: index of the longest one at depth 0 */
    unsigned long_loops; /* at depth 0 */
    uint64_t resident;   /* blocks at once */
    double block_lines,
        lines_at_start; /* line requests of a block; counter at the kernel's start */
    bool l2_filled; /* blocks sent or passed over have gone over as many lines as the L2 holds */
    double resume_work; /* blocks retired before the next stretch may begin */
    stretch_t blocks, steps, memory;
    /* the memory's rate (sample_memory.c) */
    bool not_memory;    /* it does not tell the kernel's */
    bool stores_matter; /* they are a good part of a block's lines */
    double sectors_read_at_start;
    memory_done_t memory_from; /* where the stretch began; blocks retired and lines done then */
    double memory_retired, memory_lines;
    /* loops (sample_steps.c): one step of all warps: line requests, and work in the unit of loop_work */
    double step_lines, step_work;
    bool loop_stores;
    double *sm_work, *sm_rate; /* by SM: work at the stretch's start; steps per ps */
    uint32_t *warps_of_sm;     /* by SM: in the loop */
    int64_t *left_of_sm, *skip,
        *ahead; /* by SM: steps left at least; to pass over; to look ahead */
    uint32_t
        step_warps; /* of the wave whose rate (steps per ps) was measured, and how well; 0 before it */
    double step_rate, step_rel;
    uint32_t pace_warps; /* of the wave for which an earlier launch's pace was looked for last */
};

/* ---- stretch.c ---- */
/* Line requests made, and completed: what the memory has delivered, not what waits for it. */
double sampler_lines_sent(const run_t *r);
double sampler_lines_done(const run_t *r);
/* The same of one SM. */
double sampler_sm_lines_done(const run_t *r, uint32_t sm);
void stretch_open(stretch_t *s, const run_t *r, ps_t t, double work, double unit);
/* Close a batch if enough work was done.  True when the stretch, ending at a batch's end, says enough. */
bool stretch_measure(stretch_t *s, const run_t *r, ps_t t, double work, double *rel);
/* 95 % relative half-width of its rate. */
double stretch_error(const stretch_t *s);
/* Does the L2 write back as much as is stored into it, if that is a good part of its traffic?  Before it does, stores
 * cost less.  Needs dirty0. */
bool stretch_dirty_is_steady(const stretch_t *s, const run_t *r);
/* Pass over `work`, that takes time_ps: its counters are those of the stretch, in which `done` was done. */
void stretch_record(stretch_t *s, run_t *r, double done, double work, double time_ps, double rel);
/* The bytes that the L2 had of the memory in what was passed over last are those that were played, a share of it: in a
 * short stretch it may hand over far more than the memory serves, or less. */
void stretch_memory_bytes(run_t *r, double share);
/* Was what was played over last of another kind than what went on since `from`? */
bool sampler_unlike(const run_t *r, const totals_t *from);

/* ---- the kinds of passing over; t: now, skipped time included ---- */
void sampler_pass_blocks(sampler_t *s, uint64_t skip);
void sampler_memory_start(sampler_t *s);
void sampler_memory(sampler_t *s, ps_t t);
void sampler_steps_start(sampler_t *s);
void sampler_steps(sampler_t *s, ps_t t);
#endif
