/* SPDX-License-Identifier: MIT
 * Judging a command log: one checker per channel, one message per bad line. */
#include "dram/check.h"
#include "dram/log.h"
#include "dram/std.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 512
#define CHANNELS_MAX 4096 /* of a foreign log; guards against a mangled column */

typedef struct judge {
    const dram_param_t *p;
    const char *name;
    diag_t *d;
    arena_t *arena;
    dram_check_t *check[CHANNELS_MAX];
    ps_t last; /* time of the latest command of any channel */
    int cls;   /* class of the first fault */
} judge_t;

__attribute__((format(printf, 4, 5))) static void fault(judge_t *j, int cls, int line,
                                                        const char *fmt, ...)
{
    char text[640];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (line)
        diag_at(j->d, cls, j->name, line, "%s", text);
    else
        diag_add(j->d, cls, "%s: %s", j->name, text);
    if (j->cls == MS_OK) j->cls = cls;
}

/* What the command names must exist in the organisation.  NULL if it does. */
static const char *misplaced(const dram_param_t *p, const dram_log_line_t *l)
{
    unsigned has = dram_log_named(l->cmd);
    if (l->channel >= CHANNELS_MAX) return "no such channel";
    if (l->pc >= p->pseudo_channels) return "no such pseudo channel";
    if (l->rank >= p->ranks) return "no such rank";
    if ((has & DRAM_NAMES_GROUP) && l->bg >= p->bank_groups) return "no such bank group";
    if ((has & DRAM_NAMES_BANK) && l->bank >= p->banks_per_group) return "no such bank";
    if ((has & DRAM_NAMES_ROW) && l->row >= p->rows) return "no such row";
    if ((has & DRAM_NAMES_COL) && l->col == DRAM_LOG_NONE) return "the command needs a column";
    return NULL;
}

static void judge_line(judge_t *j, const dram_log_line_t *l, int line)
{
    const char *bad = misplaced(j->p, l);
    if (bad) {
        fault(j, MS_INPUT, line, "%s in this memory", bad);
        return;
    }
    if (!j->check[l->channel]) j->check[l->channel] = dram_check_new(j->p, j->arena);
    const char *msg = dram_check_command(j->check[l->channel], l->cmd, l->pc, l->rank, l->bg,
                                         l->bank, l->row, l->col, l->when);
    if (msg) fault(j, MS_INTERNAL, line, "channel %u: %s", l->channel, msg);
    if (l->when > j->last) j->last = l->when;
}

int dram_check_file(const dram_param_t *p, FILE *f, const char *name, diag_t *d)
{
    judge_t *j = calloc(1, sizeof *j);
    if (!j) return diag_add(d, MS_INTERNAL, "%s: out of memory", name);
    j->p = p;
    j->name = name;
    j->d = d;
    j->arena = arena_new();
    char text[LINE_BYTES];
    int line = 0;
    while (fgets(text, sizeof text, f)) {
        line++;
        if (!strchr(text, '\n') && !feof(f)) {
            fault(j, MS_INPUT, line, "line longer than %d bytes", LINE_BYTES - 2);
            break;
        }
        dram_log_line_t l;
        const char *why = NULL;
        int got = dram_log_parse(text, &l, &why);
        if (got < 0) fault(j, MS_INPUT, line, "%s", why);
        if (got > 0) judge_line(j, &l, line);
    }
    if (ferror(f)) fault(j, MS_INPUT, line, "read error");
    for (uint32_t ch = 0; ch < CHANNELS_MAX; ch++) {
        const char *msg = j->check[ch] ? dram_check_finish(j->check[ch], j->last) : NULL;
        if (msg) fault(j, MS_INTERNAL, 0, "channel %u: %s", ch, msg);
    }
    int cls = j->cls;
    arena_free(j->arena);
    free(j);
    return cls;
}
