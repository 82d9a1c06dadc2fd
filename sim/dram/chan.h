/* SPDX-License-Identifier: MIT
 * One channel: queues, banks, refresh, accounting.  chan.c moves requests and issues commands, sched.c chooses,
 * refresh.c says when a refresh is due. */
#ifndef MEMSIM_DRAM_CHAN_H
#define MEMSIM_DRAM_CHAN_H
#include "dram/check.h"
#include "dram/log.h"
#include "dram/timing.h"

#define NONE UINT16_MAX
#define MASK_WORDS 4
#define NEVER_TICK (INT64_MAX / 4)

typedef struct entry { /* a queued request */
    req_t *r;
    uint64_t age;
    int64_t accepted; /* tick */
    uint32_t row, col;
    uint16_t bank, prev, next; /* list of its bank and direction, oldest first */
    uint8_t dir, left;         /* 0 read, 1 write; bursts still to issue */
    bool opened;               /* an ACT was issued for it */
    bool outside;              /* active_buffer: it no longer takes a place in its queue */
} entry_t;

typedef enum {
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

typedef struct bank {
    int64_t row;                       /* open row, -1 closed */
    uint16_t head[2], tail[2], hit[2]; /* entries by direction; first one of the open row */
    uint16_t right;                    /* entry whose ACT was issued and that is still queued */
    uint32_t hits;                     /* row hits since the ACT, for the cap */
    why_t why;                         /* what delayed its latest ACT */
    int64_t refreshed;                 /* earliest ACT that its latest refresh allows */
} bank_t;

typedef struct unit { /* a rank of a pseudo channel, for refresh */
    int64_t due;      /* next refresh */
    uint32_t turn;    /* per bank: whose turn */
    uint64_t done;    /* refreshes issued or counted */
} unit_t;

typedef struct pc_state {
    int64_t last_cas, data_end; /* latest column command; ticks */
    int64_t empty_from;         /* since when nothing is queued, -1: something is */
    int64_t empty;              /* of the time since last_cas: with nothing queued */
    uint32_t queued;
} pc_state_t;

struct dram_chan {
    const dram_spec_t *s;
    dram_env_t env;
    src_t src;
    uint32_t id;
    timing_t t;
    bank_t *bank;
    unit_t *unit;
    pc_state_t *pc;
    entry_t *e;
    uint16_t free_entry;
    uint32_t count[2], limit[2], high, low;      /* queue fill, size, watermarks */
    uint64_t busy[MASK_WORDS], open[MASK_WORDS]; /* banks with entries; with a row open */
    bool writing; /* drain mode */
    uint64_t ages;
    req_t *stage[2], **stage_tail[2]; /* waiting in front of the queues, by direction */
    uint32_t staged, queued;
    bool places_freed; /* by an ACT (active_buffer); the source is to be told */
    int64_t now;   /* tick of the latest activity */
    int64_t wake;  /* tick a wake is posted for; NEVER_TICK none */
    int64_t tick0; /* base of the tick <-> ps conversion */
    ps_t ps0;
    uint64_t frac0;
    bool running, lone;
    uint32_t inflight;
    dram_stats_t st;
    hist_t latency;
    dram_check_t *check;
    const char *violation;
    char violation_text[512];
};

typedef struct choice {
    int64_t at;   /* tick; NEVER_TICK: nothing to do */
    int64_t look; /* tick to look again at the latest */
    uint64_t age;
    uint32_t bank;
    dram_cmd_t cmd;
    uint16_t entry;
} choice_t;

/* sched.c: the best next command at or after `now`. */
choice_t sched_choose(const dram_chan_t *c, int64_t now);
/* refresh.c */
void refresh_init(dram_chan_t *c);
/* Bank may not be used for requests now because a refresh is due. */
bool refresh_blocks(const dram_chan_t *c, uint32_t bank, int64_t now);
/* Compare the refresh commands that are due with the choice so far. */
void refresh_choose(const dram_chan_t *c, int64_t now, choice_t *best);
void refresh_issued(dram_chan_t *c, uint32_t bank, dram_cmd_t cmd, int64_t at);
/* The channel was idle until `now`: count what fell due meanwhile. */
void refresh_catch_up(dram_chan_t *c, int64_t now);

bool refresh_count_right(const dram_chan_t *c, int64_t now, uint32_t unit, uint64_t *want);
/* chan.c: put a command on the bus at tick `at`, with all its effects. */
void chan_issue(dram_chan_t *c, dram_cmd_t cmd, uint32_t bank, uint16_t entry, int64_t at);
/* Tell the checker that a rank without work was refreshed on time until tick `until`. */
void chan_idle_refreshed(dram_chan_t *c, uint32_t unit, int64_t until);

static inline void mask_set(uint64_t *m, uint32_t b)
{
    m[b >> 6] |= UINT64_C(1) << (b & 63);
}
static inline void mask_clear(uint64_t *m, uint32_t b)
{
    m[b >> 6] &= ~(UINT64_C(1) << (b & 63));
}
static inline bool mask_has(const uint64_t *m, uint32_t b)
{
    return m[b >> 6] >> (b & 63) & 1;
}
#endif
