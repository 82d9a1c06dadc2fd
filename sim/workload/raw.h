/* SPDX-License-Identifier: MIT
 * Raw access lines: one memory access a line, nothing held.
 *
 *     R|W ADDR [SIZE] [@TIME]        # comment
 *
 * ADDR and SIZE are bytes, decimal, or hexadecimal after 0x.  SIZE defaults to `default_bytes` (64).
 * TIME is the earliest time of the access, from the start of the run: a number with ps, ns, us, ms or s, in ns
 * without a unit; fractions of a picosecond are dropped; it must not decrease from line to line.  Without @TIME
 * an access goes as soon as it is accepted.  Blank lines and # comments are skipped; R and W may be lower case.
 *
 * Lines of other tools are recognised by their first line: `LD|ST ADDR` (Ramulator 2) and `0xADDR R|W`
 * (Ramulator) are imported, `0xADDR READ|WRITE CYCLE` (DRAMsim3) is imported where the clock is known, and
 * forms that are not plain accesses (address vectors, instruction counts, ...) are refused by name. */
#ifndef MEMSIM_WORKLOAD_RAW_H
#define MEMSIM_WORKLOAD_RAW_H
#include "core/diag.h"
#include "core/units.h"
#include "workload/reader.h"

typedef enum {
    RAW_NONE,       /* no access line of any known kind */
    RAW_NATIVE,     /* R|W ADDR [SIZE] [@TIME] */
    RAW_LOADSTORE,  /* LD|ST ADDR */
    RAW_ADDR_FIRST, /* 0xADDR R|W */
    RAW_DRAMSIM,    /* ADDR READ|WRITE|P_MEM_RD|... CYCLE, address always hexadecimal */
    /* from here on: recognised, refused */
    RAW_ADDR_VECTOR, /* R|W ch,ra,bg,ba,row,col */
    RAW_CPU,         /* bubbles load [store] */
    RAW_USIMM,       /* count R|W ADDR [PC] */
    RAW_STL,         /* cycle: read|write ADDR */
    RAW_LACKEY,      /* I|L|S|M ADDR,SIZE */
    RAW_GEM5,        /* r|w,addr,size,flags,tick */
    RAW_ACCELSIM,    /* -kernel name = ... */
    RAW_NVBIT,       /* MEMTRACE: ... */
    RAW_FORMS
} raw_form_t;
extern const char *const raw_form_names[RAW_FORMS];

typedef struct raw_access {
    addr_t addr;
    uint64_t bytes; /* >= 1; addr + bytes does not wrap; split over lines by the consumer */
    ps_t at_ps;     /* -1: as soon as accepted */
    bool write;
    int line; /* in its file */
} raw_access_t;

typedef struct raw_parser {
    const char *file;       /* for messages; not owned */
    raw_form_t form;        /* of the first access line; RAW_NONE before it */
    uint64_t default_bytes; /* size of an access that states none */
    uint64_t limit_bytes;   /* addresses must end at or below; 0: not checked here */
    clk_t clock;            /* of RAW_DRAMSIM cycles; hz 0: unknown, such a file is refused */
    ps_t last_ps;           /* latest @TIME so far, -1 none */
    uint64_t accesses;
} raw_parser_t;

/* What kind of line this is, leading blanks skipped; RAW_NONE also for blank lines and comments.  A native line
 * with a mistake behind `R ` or `W ` still is RAW_NATIVE. */
raw_form_t raw_sniff(const char *line);

/* Ready for the first line; fields may be set after it. */
void raw_parser_init(raw_parser_t *p, const char *file);
/* Parse one NUL-terminated line.  1: *out is an access; 0: blank or comment; -1: a message with file, line and
 * column is in `d` (MS_INPUT). */
int raw_parse(raw_parser_t *p, const char *line, int lineno, raw_access_t *out, diag_t *d);

/* A whole file of raw lines. */
typedef struct raw_stream {
    reader_t *reader; /* owned */
    raw_parser_t parser;
} raw_stream_t;
/* Open; on failure nothing is left open.  Close with raw_close. */
int raw_open(raw_stream_t *s, const char *path, diag_t *d);
/* 1: *out is the next access; 0: end; -1: error in `d`. */
int raw_next(raw_stream_t *s, raw_access_t *out, diag_t *d);
/* Back to the first access; false if the input cannot. */
bool raw_rewind(raw_stream_t *s);
void raw_close(raw_stream_t *s);
#endif
