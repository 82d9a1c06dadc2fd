/* SPDX-License-Identifier: MIT
 * Where the requests of `memsim dram` come from: a pattern or a raw trace as one in-order stream over all channels
 * (source = shared), or a pattern for each channel (source = ideal).  In front of every channel there is a FIFO of
 * `staging` requests; a stream stalls only when the FIFO of its next request's channel is full.  With --load,
 * requests arrive at random times instead (Poisson) and the FIFOs have no end. */
#ifndef MEMSIM_MACHINE_DRAM_SOURCE_H
#define MEMSIM_MACHINE_DRAM_SOURCE_H
#include "core/engine.h"
#include "core/hist.h"
#include "core/rng.h"
#include "dram/dram.h"
#include "machine/pattern.h"
#include "workload/raw.h"

typedef struct dram_stream { /* one in-order stream of requests */
    struct dram_front *front;
    pattern_t pattern;
    uint32_t channel; /* source = ideal: where all of it goes */
    uint64_t issued, completed, total;
    req_t *held; /* taken from the pattern or trace, not placed yet */
    ps_t held_at;
    bool posted;
    double next_ps; /* --load: arrival of the next request */
    rng_t *arrivals, *mix;
} dram_stream_t;

typedef struct dram_fifo { /* requests in front of one channel */
    req_t *head, **tail;
    uint32_t n;
    bool feeding, again;
} dram_fifo_t;

typedef struct dram_front {
    arena_t *arena;
    diag_t *diag;
    const dram_spec_t *spec;
    const dram_spec_t
        *decode; /* places of addresses: spec, or one channel of it (source = ideal) */
    engine_t *engine;
    src_t src;
    dram_chan_t **chan;
    dram_fifo_t *fifo;
    dram_stream_t *stream;
    uint32_t n_chan, n_stream;
    raw_stream_t *raw;  /* NULL: a pattern */
    raw_access_t piece; /* the rest of a raw access larger than a burst */
    bool have_piece;
    bool lone;          /* one channel: it may run ahead of the engine */
    double mean_gap_ps; /* --load: between arrivals of a stream; 0: as fast as accepted */
    unsigned read_share_pct;
    req_t *pool;
    ps_t first_ps, last_ps; /* first column command and last data of all requests so far */
    uint64_t completed;
    int error;
    hist_t latency; /* --load: arrival to last beat of reads, ps */
} dram_front_t;

/* Streams for `pattern` (copied; NULL: the raw trace in f->raw) of `total` requests each.  spec, decode, arena, diag, engine,
 * chan, n_chan, mean_gap_ps are set by the caller; seed is that of --load's arrivals. */
void dram_front_init(dram_front_t *f, const pattern_t *pattern, uint64_t total, bool one_each,
                     uint64_t seed);
/* Begin at time 0; the engine then runs until all is done. */
void dram_front_start(dram_front_t *f);
void dram_front_free(dram_front_t *f); /* random streams */
bool dram_front_done(const dram_front_t *f);
/* For dram_env_t: a request is done; a queue place has become free. */
void dram_front_finished(void *ctx, req_t *r, ps_t data_ps, ps_t now);
void dram_front_space(void *ctx, uint32_t channel, ps_t now);
#endif
