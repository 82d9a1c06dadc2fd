/* SPDX-License-Identifier: MIT
 * One channel, inside.  chan.c takes requests in, issues commands and sleeps; queue.c keeps the requests by bank;
 * sched.c chooses the next command; refresh.c says when a refresh is due; loss.c says why the data bus was idle. */
#ifndef MEMSIM_DRAM_CHAN_H
#define MEMSIM_DRAM_CHAN_H
#include "dram/check.h"
#include "dram/log.h"
#include "dram/timing.h"

#define NONE UINT16_MAX
#define MASK_WORDS (DRAM_BANKS_MAX / 64)
#define NEVER_TICK (INT64_MAX / 4)
/* Ages are numbers below 2^47, rising from 1.  A request that has the right to its row goes before all others at the
 * same tick: the others have this bit. */
#define AGE_ORDINARY (UINT64_C(1) << 47)
#define AGE_NONE UINT64_MAX

/* What a request asks for.  The request itself is not looked at again before its data are near: meanwhile it leaves
 * the processor's cache. */
typedef struct ask {
    req_t *r;
    ps_t in_ps; /* submitted */
    uint32_t row;
    uint16_t col, bank;
    uint8_t dir, bursts; /* 0 read, 1 write */
} ask_t;

typedef struct staging { /* waiting in front of a queue, in a ring */
    ask_t *at;
    uint32_t first, n, size; /* size: a power of two */
} staging_t;

typedef struct entry { /* a queued request */
    req_t *r;
    ps_t in_ps;
    ps_t cas_ps;      /* first column command, 0 before it */
    int64_t accepted; /* tick */
    uint64_t age;
    uint32_t row;
    uint16_t col, bank, prev, next; /* list of its bank and direction, oldest first */
    bool dir : 1, opened : 1;       /* write; an ACT was issued for it */
    bool outside : 1;               /* active_buffer: it no longer takes a place in its queue */
    uint8_t left;                   /* bursts still to issue */
} entry_t;
_Static_assert(sizeof(entry_t) <= 64, "a queued request is a line");

typedef enum { /* why a data bus was idle */
               WHY_EMPTY,
               WHY_ROW,
               WHY_ACT,
               WHY_CCD,
               WHY_TURN,
               WHY_REFRESH,
               WHY_BUS,
               WHY_OTHER,
               WHY_COUNT
} why_t;

typedef struct bank { /* one line of timing_t */
    int64_t ok[TIMING_BANK_TIMES];
    int64_t refreshed;                 /* end of the bank's latest refresh */
    int32_t row;                       /* open row, -1 closed */
    uint32_t hits;                     /* column commands since the ACT, for the cap */
    uint16_t head[2], tail[2], hit[2]; /* entries by direction; the oldest of the open row */
    uint16_t right;                    /* entry whose ACT was issued and that is still queued */
    uint8_t offered;                   /* lists the bank is in: bit 2 * offer_t + direction */
} bank_t;
_Static_assert(sizeof(bank_t) == TIMING_LINE * sizeof(int64_t), "a bank is a line of times");

typedef struct way {  /* what the latest ACT of a bank waited for, in ticks, latest first */
    int64_t act_bus;  /* a slot of its bus */
    int64_t act_late; /* its turn, though it might have gone */
    int64_t act_held; /* act_why: the gaps after other ACT, or a refresh */
    int64_t pre_bus;  /* the slot of the PRE before it, if the ACT waited for that */
    int64_t pre_at;   /* when the latest PRE went out */
    why_t act_why;
} way_t;

typedef struct unit {          /* a rank of a pseudo channel, for refresh */
    int64_t due;               /* next refresh */
    int64_t look;              /* when to decide about it: due, or later while its bank is busy */
    int64_t done;              /* refreshes issued or counted */
    int64_t away;              /* end of the latest of them */
    uint32_t turn;             /* per bank: whose turn it is, or was last */
    uint64_t left[MASK_WORDS]; /* turns that the present round still owes */
    uint32_t n_open;           /* banks with an open row */
    bool frozen;               /* a refresh is due: its banks serve no requests */
} unit_t;

/* What banks offer: the column command of a request, or the ACT or PRE it needs first. */
typedef enum { OFFER_COLUMN, OFFER_ACT, OFFER_PRE, OFFERS } offer_t;

/* A bank's offer: the age of its request, its bank group, the bank; so keys sort by age. */
typedef uint64_t offer_key_t;
#define OFFER_AGE_SHIFT 16
#define OFFER_GROUP_SHIFT 8
_Static_assert(DRAM_BANKS_MAX <= 1 << OFFER_GROUP_SHIFT, "banks and groups fit in the key");
/* Keys of requests that have the right to their row are smaller. */
#define OFFER_ORDINARY (AGE_ORDINARY << OFFER_AGE_SHIFT)

typedef struct offers { /* banks of a pseudo channel, the oldest request first */
    offer_key_t *key;
    uint32_t n;
} offers_t;

typedef struct pick { /* a command and the first slot it may have */
    int64_t at;       /* tick; NEVER_TICK: there is none */
    uint64_t age;
    uint32_t bank;
    dram_cmd_t cmd;
    uint16_t entry;
} pick_t;

typedef struct pc_state { /* a pseudo channel */
    pick_t column, row;   /* cached choices */
    bool column_known, row_known;
    bool wrote; /* direction of the latest column command */
    uint32_t queued;
    int64_t data_end;           /* after the last beat on the data bus */
    int64_t charged;            /* the data bus is accounted up to here */
    int64_t work_from;          /* since when something is queued */
    offers_t offers[OFFERS][2]; /* by direction; without banks that a refresh keeps from requests */
} pc_state_t;

struct dram_chan {
    const dram_spec_t *s;
    dram_env_t env;
    src_t src;
    uint32_t id;
    timing_t t;
    bank_t *bank;
    way_t *way; /* by bank */
    unit_t *unit;
    pc_state_t *pc;
    uint32_t n_pc;
    bool fcfs, closed_page;
    entry_t *e;
    uint16_t free_entry;
    uint32_t count[2], limit[2], high, low; /* queue fill, size, watermarks */
    uint32_t queued, n_open;                /* entries in all; banks with an open row */
    bool writing;                           /* drain mode */
    uint64_t ages;
    /* Bit sets over banks: that a refresh keeps from requests, that requests wait for, with an open row. */
    uint64_t frozen[MASK_WORDS], wanted[MASK_WORDS], open[MASK_WORDS];
    bool any_frozen;
    bool refresh_known;   /* refresh holds until a row command goes out or a unit freezes */
    pick_t refresh;       /* what any_frozen leads to */
    bool refresh_urgent;  /* nothing may go before it */
    int64_t refresh_next; /* tick the next unit freezes */
    staging_t stage[2];   /* by direction */
    uint32_t staged, inflight;
    int64_t now;       /* tick of the latest activity */
    int64_t wake;      /* tick a wake is posted for; NEVER_TICK none */
    uintptr_t wakes;   /* posted so far: the latest counts */
    int64_t run_ahead; /* ticks */
    pick_t plan;       /* what will be issued then, if nothing happens before */
    bool plan_holds;
    bool running;      /* inside step() */
    ps_t others_ps;    /* next event of others while step() runs */
    bool room;         /* a queue may have a place for what is staged */
    bool places_freed; /* by an ACT (active_buffer); the source is to be told */
    int64_t data_ticks, idle_ticks[WHY_COUNT];
    dram_stats_t st;
    hist_t latency;
    dram_check_t *check;
    bool violated;
    char violation[512];
};

/* ---- queue.c ---- */
ask_t queue_ask(const dram_spec_t *s, req_t *r, ps_t now);
/* Put x into the queues (there must be room); it counts from now_ps, tick `now` on.  False: it needs no command,
 * a waiting write serves or absorbs it; its data_ps is then in x->r->stamp[ST_DRAM_DONE]. */
bool queue_insert(dram_chan_t *c, const ask_t *x, int64_t now, ps_t now_ps);
void queue_remove(dram_chan_t *c, uint16_t i);
/* The bank's row was opened or closed. */
void queue_row_opened(dram_chan_t *c, uint32_t bank, uint16_t entry);
void queue_row_closed(dram_chan_t *c, uint32_t bank);
/* After any change at a bank: what it offers now. */
void queue_view(dram_chan_t *c, uint32_t bank);
/* Age of the request behind the column command that the bank offers to direction d. */
uint64_t queue_column_age(const dram_chan_t *c, uint32_t bank, unsigned d);
/* A refresh takes the bank away from requests, or gives it back. */
void queue_freeze(dram_chan_t *c, uint32_t bank, bool on);
/* Is some queued request besides `entry` waiting for the open row of its bank? */
bool queue_row_wanted(const dram_chan_t *c, uint16_t entry);

/* ---- sched.c ---- */
/* Plan the best command at or after `now`, refresh included. */
void sched_plan(dram_chan_t *c, int64_t now);
/* A bank's offers have changed: keep the cached choices right. */
void sched_bank_changed(dram_chan_t *c, uint32_t bank, int64_t now);
/* A command has gone to the bank: what it delays is the choices of its pseudo channel among its kind, and the bank's
 * own.  (What it takes of a command bus, sched_plan sees.) */
void sched_column_issued(dram_chan_t *c, uint32_t bank);
void sched_row_issued(dram_chan_t *c, uint32_t bank);
void sched_forget(dram_chan_t *c);

/* ---- refresh.c ---- */
void refresh_init(dram_chan_t *c);
/* Freeze the units whose refresh is due by `now`, refresh_next or later. */
void refresh_freeze(dram_chan_t *c, int64_t now);
/* Earliest refresh command (or the PRE in front of it) of the frozen units. */
pick_t refresh_pick(dram_chan_t *c, int64_t now);
void refresh_issued(dram_chan_t *c, uint32_t bank, dram_cmd_t cmd, int64_t at);
/* The channel has been idle with all rows closed until `now`: count what fell due meanwhile. */
void refresh_catch_up(dram_chan_t *c, int64_t now);
/* May refresh be left to refresh_catch_up, so that nothing need be posted? */
bool refresh_may_sleep(const dram_chan_t *c);
/* NULL if every unit has had its refreshes by `now`, else a message in buf. */
const char *refresh_miscounted(const dram_chan_t *c, int64_t now, char *buf, size_t n);

/* ---- loss.c ---- */
/* An ACT or PRE is about to issue: note what it waited for. */
void loss_row(dram_chan_t *c, const pick_t *x);
/* A column command for `entry` is about to issue at `at`: account its pseudo channel's data bus up to its last beat. */
void loss_column(dram_chan_t *c, const entry_t *e, int64_t at);
/* Account idle pseudo channels up to `now`; at the end of a run also those with requests waiting. */
void loss_settle(dram_chan_t *c, int64_t now, bool end);

/* ---- chan.c ---- */
void chan_violation(dram_chan_t *c, const char *text);

static inline uint32_t offer_bank(offer_key_t key)
{
    return key & 0xff;
}
static inline uint32_t offer_group(offer_key_t key)
{
    return key >> OFFER_GROUP_SHIFT & 0xff;
}

static inline void mask_put(uint64_t *m, uint32_t b, bool on)
{
    uint64_t bit = UINT64_C(1) << (b & 63);
    if (on)
        m[b >> 6] |= bit;
    else
        m[b >> 6] &= ~bit;
}
static inline bool mask_has(const uint64_t *m, uint32_t b)
{
    return m[b >> 6] >> (b & 63) & 1;
}
#endif
