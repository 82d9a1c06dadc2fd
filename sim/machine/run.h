/* SPDX-License-Identifier: MIT
 * Playing a workload on a machine: the state shared by the command loop (run.c), sampling (sample.c) and the
 * making of the result (account.c). */
#ifndef MEMSIM_MACHINE_RUN_H
#define MEMSIM_MACHINE_RUN_H
#include "machine/overlap.h"
#include "machine/sim.h"
#include "machine/system.h"
#include "machine/time_budget.h"
#include "workload/workload.h"

typedef struct segment {   /* bytes moved in a stretch of a kernel, for bandwidth over time */
    ps_t begin_ps, end_ps; /* from the kernel's start, skipped time included */
    double l1, l2, dram;
} segment_t;

enum { L1_LEVEL, L2_LEVEL, DRAM_LEVEL, LEVELS };
typedef struct level_use { /* of a kernel at one level (levels.c) */
    hist_t *latency;       /* reads, ps; NULL: none (the L1: krec_t.latency) */
    bool crossed;          /* by any bytes in its latest simulation: */
    double lead_ps;        /* from the kernel's begin until they began to */
    double tail_ps;        /* from when they had until the kernel's end */
} level_use_t;

typedef struct moment { /* on the run's own clock, that counts what is not simulated too */
    bool any;
    size_t inst; /* launch, in run_t.inst */
    double ps;   /* without the launches before it that are estimated */
} moment_t;

typedef struct krec { /* launches that are alike: simulated once, counted often */
    uint32_t def, nargs, cache_class;
    const int64_t *arg;
    const char *name, *kind, *phase;
    uint64_t count, simulated;
    bool estimated;             /* not simulated itself: between two of its family */
    double time_ps, interval;   /* one launch; 95 %, relative */
    double first_ps, latest_ps; /* the launches simulated first and last */
    bool
        others_dirt; /* the first met an L2 full of others' dirty lines, that it had to write back */
    double flops, read_bytes, write_bytes; /* one launch */
    totals_t tot;                          /* one launch */
    totals_t sum;                          /* all that were simulated */
    double hop_ps[ST_COUNT], hop_n;
    hist_t *latency; /* of loads and bulk copies, issue -> data there */
    level_use_t use[LEVELS];
    unit_t main_unit;
    double unit_share; /* of the pipe's peak */
    bool agent;
    double gap_ps; /* launch gaps before its launches, summed */
    segment_t *seg;
    size_t n_seg, cap_seg;
    const char *bound, *bound_next;
    double bound_share;
    uint32_t
        member_of; /* a launch of this group (1 + its record): its time is part of the group's */
    struct group
        *group; /* a group of launches that overlap (streams.c): time_ps is the whole's, tot is what
                            belongs to no member alone */
} krec_t;

typedef struct jump { /* work passed over at one instant, and the measured stretch it repeats */
    double scale;     /* skipped work / work of the stretch */
    double time_ps;   /* skipped time */
    double rel;       /* 95 % relative half-width of the rate it was taken from */
    totals_t from, to;
} jump_t;

typedef struct shape { /* a distinct argument list of a definition */
    uint32_t def, nargs;
    const int64_t *arg;
    uint32_t nbases;
    const addr_t *base; /* of the first such launch */
    uint64_t count;     /* launches */
    double weight;      /* share of the run's time by closed form: bytes or operations at peak */
} shape_t;

typedef struct family { /* launches that differ in one number */
    uint32_t def, nargs, pos;
    const int64_t *like;
    size_t n_value, n_point;
    int64_t *value, *point; /* sorted; the points are simulated, the rest interpolated */
} family_t;

typedef struct pace { /* of a definition's main loop, as it was measured in an earlier launch */
    uint32_t def, warps;
    double step_lines, rate; /* lines of a step of all warps; steps per ps */
} pace_t;

typedef struct played { /* without time, for the L2's sake (warm.c) */
    double blocks, lines, loads, missed_sectors, written_sectors;
} played_t;

typedef struct run {
    system_t *sys;
    workload_t *wl;
    const sim_opt_t *opt;
    arena_t *arena;
    diag_t *diag;
    bool exact;
    uint64_t budget_lines; /* line requests of a kernel before parts of it may be skipped */
    krec_t *rec;
    size_t n_rec, cap_rec;
    uint32_t *inst; /* index of the krec of every launch, in order */
    size_t n_inst, cap_inst;
    family_t *fam;
    size_t n_fam;
    shape_t *shape;
    size_t n_shape;
    double rel_goal; /* how well the kernel being simulated must be known */
    /* the kernel being simulated */
    front_kernel_t *fk;
    bool ended;
    ps_t end_ps;
    krec_t *cur;
    totals_t begin;
    ps_t skipped_ps;                          /* time skipped in this kernel */
    double played_ps;                         /* where the run's clock is; see moment_t */
    moment_t first[LEVELS], last[LEVELS];     /* crossings of the levels */
    moment_t first_estimated, last_estimated; /* begins of launches that are */
    hist_t *memory_seen; /* read latencies of the memory that are accounted for */
    bool l2_touched;     /* work was played on the L2 and then not passed over */
    bool watch;          /* something that the sampler waits for is near: look often */
    jump_t *jump;
    size_t n_jump, cap_jump;
    /* totals of the run */
    double launches_total;
    uint64_t requests;
    double coll_bytes, copy_bytes;
    uint64_t coll_count, copy_count;
    uint32_t seq;
    bool partial;
    const char *phase;
    int line;                                  /* of the command under way, in the trace */
    uint32_t outside_told[32], n_outside_told; /* trace lines */
    double start_wall_s, run_wall_s;
    double deadline_s;   /* of the host's clock (run_now_s): give up then; 0: never */
    bool note_costs;     /* what each simulated kernel takes the host */
    kernel_cost_t *cost; /* by kernel */
    size_t n_cost, cap_cost;
    /* traffic clock for cache-state classes */
    struct touch {
        addr_t base;
        double at;
    } * touch, *touch_kept; /* kept: as it was before commands were read in advance */
    size_t n_touch, cap_touch;
    double traffic;
    bool any_sampled;
    pace_t pace[16];
    size_t n_pace;   /* measured so far; the latest 16 are kept */
    played_t played; /* of the work passed over last: as far back as it was played */
    /* groups of launches that overlap (streams.c) */
    overlap_t *overlap;
    const overlap_group_t *groups; /* in order; those before next_group are past */
    size_t n_groups, next_group;
    uint32_t n_work;           /* launches and device-to-device copies taken so far */
    double group_budget_lines; /* left */
    uint64_t group_unit_lines;
    struct ahead *ahead;            /* commands read in advance */
    totals_t *bank_base;            /* [STAT_BANKS] counted in each bank before its present user */
    uint64_t n_grouped, serialized; /* launches in groups; of those, not simulated side by side */
    uint32_t serialized_streams[4], n_serialized_streams;
    struct passed *passed; /* launches that were not simulated */
    struct raw_batch *raw; /* raw accesses collected and not played yet */
    bool raw_times_noted;
    const char *workload_path;
    double next_progress_s;
} run_t;

/* What the end of one launch is accounted from. */
typedef struct launched {
    const kernel_t *k; /* NULL: a copy */
    const front_kernel_t *fk;
    double time_ps, interval;
    const totals_t *own;      /* what it counted */
    const totals_t *measured; /* of that, what was simulated and not inferred; NULL: all of it */
    const totals_t *machine; /* what everything counted from its begin to its end; NULL: the same */
    unsigned bank;           /* of the SMs' latencies; they are set to zero */
} launched_t;

/* run.c */
int run_workload(run_t *r);
krec_t *run_raw_rec(run_t *r);
/* Simulate kernel k, `gap` ps after the one before, and account it to rec. */
int run_simulate(run_t *r, const kernel_t *k, krec_t *rec, ps_t gap);
/* One launch by itself, simulated or known. */
int run_launch(run_t *r, const wcmd_t *c);
/* Any command, by itself. */
int run_command(run_t *r, const wcmd_t *c);
/* copy_play.c: a device-to-device copy by itself, simulated or known; its record. */
int copy_play(run_t *r, const wcmd_t *c);
krec_t *copy_rec(run_t *r, const wcmd_t *c, uint32_t cls, uint32_t member_of);
unsigned copy_cache_class(run_t *r, const wcmd_t *c);
#define RUN_COPY_DEF (UINT32_MAX - 2) /* krec_t.def of copies, of bytes arg[0] */
/* Shared with streams.c and copy_play.c. */
unsigned run_cache_class(run_t *r, const wcmd_t *c);
krec_t *run_rec(run_t *r, const wcmd_t *c, uint32_t cls, uint32_t member_of);
size_t run_new_rec(run_t *r, const krec_t *k);        /* its number; pointers to records die */
void run_add_inst(run_t *r, size_t rec, ps_t gap_ps); /* a launch, `gap_ps` after the one before */
/* Ready for the front but for its bank: checked, with its occupancy and its number. */
int run_front_kernel(run_t *r, const kernel_t *k, front_kernel_t *fk);
void run_add_segment(run_t *r, krec_t *k, ps_t begin, ps_t end, const totals_t *a,
                     const totals_t *b, double scale);
void run_progress(run_t *r, const char *what);
bool run_stop_wanted(const run_t *r);
double run_now_s(void); /* the host's clock */
uint64_t run_work_done(const run_t *r);
int run_deadlock(run_t *r, const char *what);
/* Lets the SMs know where buffers lie, and says once for each place in the trace that it reaches outside all. */
void outside_watch(run_t *r);
void outside_report(run_t *r);
int run_fault(run_t *r); /* what an SM refused to do, as a message */
ps_t run_settle_ps(const system_t *s);
ps_t run_chunk(ps_t chunk, uint64_t work); /* next stretch's length, after one with so much work */
#define RUN_CHUNK_FIRST_PS 1000000         /* 1 us */
#define RUN_STUCK_PS \
    ((ps_t)50000000000) /* 50 ms without a request done: nobody can be waiting for that */
/* streams.c: find the groups before the run; does the next work begin one?; play it. */
void streams_open(run_t *r);
int streams_prescan(run_t *r); /* where sample_prescan does not show the commands to r->overlap */
void streams_found(run_t *r);
int streams_next(run_t *r, wcmd_t *c); /* next command of the workload, or one read in advance */
bool streams_begins(run_t *r, const wcmd_t *c);
int streams_play(run_t *r, const wcmd_t *first);
void streams_free(run_t *r);
/* raw_play.c: take a raw access; play what is collected. */
int raw_add(run_t *r, const wcmd_t *c);
int raw_flush(run_t *r);
/* sample.c: look for families before the run; decide whether this launch needs simulating. */
int sample_prescan(run_t *r);
/* Value of the launch's family number and whether it lies at a simulated point; NULL: in no family. */
const family_t *sample_family(const run_t *r, const wcmd_t *c, bool *simulate);
/* How well the kernel of this launch must be known for the whole run to be: less for one that hardly counts. */
double sample_goal(const run_t *r, const wcmd_t *c);
/* family.c: k was simulated before; is one more of its launches worth simulating, because it is small or because the
 * first met the L2 in a state that later ones may not? */
bool sample_again(const krec_t *k);
/* Called at the end of each stretch of a running kernel: may pass over work.  `state` is private. */
typedef struct sampler sampler_t;
sampler_t *sampler_new(run_t *r, const kernel_t *k);
void sampler_step(sampler_t *s, ps_t now);
/* Fill in launches that were interpolated. */
void sample_finish(run_t *r);
/* account.c */
void account_kernel(run_t *r, krec_t *k, const kernel_t *kn, ps_t begin, ps_t end);
void account_launched(run_t *r, krec_t *k, const launched_t *l);
/* One of k->simulated launches counted this: sum and mean. */
void account_mean(krec_t *k, const totals_t *one);
void account_add(totals_t *into, const totals_t *a, const totals_t *b,
                 double scale); /* into += scale (b - a) */
int account_result(run_t *r, result_t *res);
/* levels.c: how the levels are crossed.  Begin anew, when nothing is in flight that counts. */
void levels_reset(run_t *r);
/* Account what went on since then to k, a launch or a group of them that ran from begin to end, of which it passed
 * over skipped_ps more. */
void levels_account(run_t *r, krec_t *k, ps_t begin, ps_t end, ps_t skipped_ps,
                    const totals_t *measured, const totals_t *whole);
/* The memory has written what the last launch left in its queues. */
void levels_drained(run_t *r);
/* One more launch of k, that is not simulated: like the latest that was, or estimated. */
void levels_repeat(run_t *r, const krec_t *k);
/* Times each measured load or bulk copy stands for. */
double levels_load_times(const totals_t *measured, const totals_t *whole);
/* Of the whole run, weighted with launches. */
const hist_t *levels_latency(const run_t *r, unsigned level);
/* From the first crossing of the run to the last, launch gaps and what was passed over included; 0: none. */
double levels_span_ps(const run_t *r, unsigned level);
/* run.c: room for one more element of `size` bytes in an array of n, which moves if it must. */
void *run_grow(run_t *r, void *old, size_t n, size_t *cap, size_t size);
/* warm.c: line requests that a block makes, stores among them, and steps of programs it takes; line requests that the
 * warps now running make in an iteration of a loop, ahead[SM] after their present one.  No lines where it takes too
 * long to count. */
typedef struct block_count {
    uint64_t lines, stores, steps;
} block_count_t;
block_count_t count_block(run_t *r, const kernel_t *k, uint64_t block);
uint64_t count_loop_lines(run_t *r, uint32_t loop, const int64_t *ahead);
/* passed.c: a launch of so many bytes through the L2 was not simulated; play those since the last call that can still
 * matter, so that the L2 is as they would have left it. */
void passed_note(run_t *r, const wcmd_t *c, double bytes);
int passed_play(run_t *r);
/* warm.c: functional accesses of skipped work. */
void warm_ctas(run_t *r, const kernel_t *k, uint64_t first, uint64_t end, uint16_t n_sms);
/* The next skip[SM] iterations; returns the share that was played. */
double warm_loops(run_t *r, uint32_t loop, const int64_t *skip);
#endif
