/* SPDX-License-Identifier: MIT
 * The memory chart: the units a GPU programmer knows as boxes, data rates on the arrows between them. */
#include "report/fmt.h"
#include "report/parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOX_COLUMNS 17 /* inside the border */
#define BOX_LINES 4
#define ARROW_COLUMNS 10

typedef struct box {
    char line[BOX_LINES][64];
} box_t;

typedef struct arrow { /* rates between two neighbouring boxes */
    char down[64], up[64], share[64];
} arrow_t;

static arrow_t arrow_of(const res_level_t *l)
{
    arrow_t a = {"-", "-", ""};
    if (!l) return a;
    double bytes = l->read_bytes + l->write_bytes;
    if (bytes > 0 && isfinite(l->achieved_GBps)) {
        snprintf(a.up, sizeof a.up, "%s", fmt_gbps(l->achieved_GBps * l->read_bytes / bytes).s);
        snprintf(a.down, sizeof a.down, "%s",
                 fmt_gbps(l->achieved_GBps * l->write_bytes / bytes).s);
        if (l->peak_GBps > 0)
            snprintf(a.share, sizeof a.share, "%s peak",
                     fmt_pct0(l->achieved_GBps / l->peak_GBps).s);
    }
    return a;
}

static void latency_line(char *buf, size_t n, const res_level_t *l)
{
    if (l && l->latency.n)
        snprintf(buf, n, "%s a read", fmt_ns(l->latency.mean).s);
    else if (!l || !(l->read_bytes > 0))
        snprintf(buf, n, "no reads");
}

/* One of `copies` equal parts is what a reader knows the size of. */
static void cache_box(box_t *b, const char *name, const res_level_t *l, uint32_t copies)
{
    snprintf(b->line[0], sizeof b->line[0], "%s", name);
    if (l && l->capacity_bytes)
        snprintf(b->line[1], sizeof b->line[1], copies > 1 ? "%s an SM" : "%s",
                 fmt_bytes((double)l->capacity_bytes / (copies ? copies : 1)).s);
    if (l && isfinite(l->hit_rate))
        snprintf(b->line[2], sizeof b->line[2], "hit %s", fmt_pct(l->hit_rate).s);
    else
        snprintf(b->line[2], sizeof b->line[2], "hit -");
    latency_line(b->line[3], sizeof b->line[3], l);
}

static void fill_boxes(const result_t *r, box_t b[4])
{
    const res_level_t *l1 = report_level(r, "l1"), *l2 = report_level(r, "l2"),
                      *dram = report_level(r, "dram");
    snprintf(b[0].line[0], sizeof b[0].line[0], "%u SMs", r->peak.sms);
    snprintf(b[0].line[1], sizeof b[0].line[1], "%.4g GHz", r->peak.sm_GHz);
    if (r->load_latency && r->load_latency->n) {
        snprintf(b[0].line[2], sizeof b[0].line[2], "load to use");
        double mean = (double)r->load_latency->sum / (double)r->load_latency->n / 1e3;
        snprintf(b[0].line[3], sizeof b[0].line[3], "%s mean", fmt_ns(mean).s);
    }
    cache_box(&b[1], "L1", l1, r->peak.sms);
    cache_box(&b[2], "L2", l2, 1);
    snprintf(b[3].line[0], sizeof b[3].line[0], "%s",
             r->n_memories == 1 ? r->memories[0].name : "memory");
    double cap = 0;
    for (size_t i = 0; i < r->n_memories; i++) cap += (double)r->memories[i].capacity_bytes;
    if (cap > 0) snprintf(b[3].line[1], sizeof b[3].line[1], "%s", fmt_bytes(cap).s);
    if (dram && isfinite(dram->row_hit_rate))
        snprintf(b[3].line[2], sizeof b[3].line[2], "row hit %s", fmt_pct(dram->row_hit_rate).s);
    latency_line(b[3].line[3], sizeof b[3].line[3], dram);
}

static void repeat(FILE *f, const char *s, int n)
{
    while (n-- > 0) fputs(s, f);
}

static void centred(FILE *f, int columns, const char *s)
{
    int w = fmt_width(s), before = w < columns ? (columns - w) / 2 : 0;
    repeat(f, " ", before);
    fmt_field(f, columns - before, s);
}

static void arrow_part(FILE *f, const arrow_t *a, int line)
{
    switch (line) {
    case 0:
        centred(f, ARROW_COLUMNS, a->up);
        return;
    case 1:
        fputs("\xE2\x97\x84", f); /* data comes back from the right */
        repeat(f, "\xE2\x94\x80", ARROW_COLUMNS - 1);
        return;
    case 2:
        repeat(f, "\xE2\x94\x80", ARROW_COLUMNS - 1);
        fputs("\xE2\x96\xBA", f); /* stores and write-backs go to the right */
        return;
    case 3:
        centred(f, ARROW_COLUMNS, a->down);
        return;
    default:
        centred(f, ARROW_COLUMNS, a->share);
        return;
    }
}

static void border(FILE *f, const char *left, const char *right, const arrow_t *shares)
{
    for (int i = 0; i < 4; i++) {
        if (i) {
            if (shares)
                arrow_part(f, &shares[i - 1], 4);
            else
                repeat(f, " ", ARROW_COLUMNS);
        }
        fputs(left, f);
        repeat(f, "\xE2\x94\x80", BOX_COLUMNS - 2);
        fputs(right, f);
    }
    fputc('\n', f);
}

static void other_levels(FILE *f, const result_t *r)
{
    for (size_t i = 0; i < r->n_levels + r->n_memories; i++) {
        const res_level_t *l = i < r->n_levels ? &r->levels[i] : &r->memories[i - r->n_levels];
        bool memory = i >= r->n_levels;
        if (memory ? r->n_memories < 2 : strncmp(l->name, "link.", 5) != 0) continue;
        fprintf(f, "  %s %s: %s of %s (%s), read %s, written %s\n", memory ? "memory" : "link",
                memory ? l->name : l->name + 5, fmt_gbps(l->achieved_GBps).s,
                fmt_gbps(l->peak_GBps).s, fmt_pct0(l->achieved_GBps / l->peak_GBps).s,
                fmt_si(l->read_bytes, "B").s, fmt_si(l->write_bytes, "B").s);
    }
}

void part_chart(FILE *f, const result_t *r)
{
    box_t b[4];
    memset(b, 0, sizeof b);
    fill_boxes(r, b);
    const arrow_t a[3] = {arrow_of(report_level(r, "l1")), arrow_of(report_level(r, "l2")),
                          arrow_of(report_level(r, "dram"))};
    border(f, "\xE2\x94\x8C", "\xE2\x94\x90", NULL);
    for (int line = 0; line < BOX_LINES; line++) {
        for (int i = 0; i < 4; i++) {
            if (i) arrow_part(f, &a[i - 1], line);
            fputs("\xE2\x94\x82", f);
            fputc(' ', f);
            fmt_field(f, BOX_COLUMNS - 3, b[i].line[line]);
            fputs("\xE2\x94\x82", f);
        }
        fputc('\n', f);
    }
    border(f, "\xE2\x94\x94", "\xE2\x94\x98", a);
    other_levels(f, r);
}
