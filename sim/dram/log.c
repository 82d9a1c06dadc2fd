/* SPDX-License-Identifier: MIT
 * Command log: writer and line parser.  The line format is the comment of log.h. */
#include "dram/log.h"
#include "dram/std.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dram_log {
    FILE *f;
    uint64_t lines;
};

unsigned dram_log_named(int cmd)
{
    switch ((dram_cmd_t)cmd) {
    case DRAM_ACT:
        return DRAM_NAMES_GROUP | DRAM_NAMES_BANK | DRAM_NAMES_ROW;
    case DRAM_RD:
    case DRAM_WR:
    case DRAM_RDA:
    case DRAM_WRA:
        return DRAM_NAMES_GROUP | DRAM_NAMES_BANK | DRAM_NAMES_ROW | DRAM_NAMES_COL;
    case DRAM_PRE:
    case DRAM_REFPB:
        return DRAM_NAMES_GROUP | DRAM_NAMES_BANK;
    case DRAM_PREA:
    case DRAM_REFAB:
    case DRAM_CMDS:
        break;
    }
    return 0;
}

dram_log_t *dram_log_new(FILE *f, arena_t *a)
{
    dram_log_t *l = arena_array(a, dram_log_t, 1);
    l->f = f;
    fputs("# time_ps channel pc rank bg bank row col command\n", f);
    return l;
}

/* Decimal digits of v before `end`; returns where they start.  A log has one line per command, so this is the
 * hot path of a logged run and printf would be most of it. */
static char *digits(char *end, uint64_t v)
{
    do *--end = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

static char *field(char *end, uint32_t v, bool named)
{
    *--end = ' ';
    if (named) return digits(end, v);
    *--end = '-';
    return end;
}

void dram_log_command(dram_log_t *l, unsigned channel, int cmd, unsigned pc, unsigned rank,
                      unsigned bg, unsigned bank, uint32_t row, uint32_t col, ps_t when)
{
    unsigned has = dram_log_named(cmd);
    char buf[128], *p = buf + sizeof buf;
    p = field(p, col, has & DRAM_NAMES_COL);
    p = field(p, row, has & DRAM_NAMES_ROW);
    p = field(p, bank, has & DRAM_NAMES_BANK);
    p = field(p, bg, has & DRAM_NAMES_GROUP);
    p = field(p, rank, true);
    p = field(p, pc, true);
    p = field(p, channel, true);
    *--p = ' ';
    p = digits(p, (uint64_t)when);
    fwrite(p, 1, (size_t)(buf + sizeof buf - p), l->f);
    fputs(dram_cmd_names[cmd], l->f);
    fputc('\n', l->f);
    l->lines++;
}

uint64_t dram_log_lines(const dram_log_t *l)
{
    return l->lines;
}

int dram_log_finish(dram_log_t *l, const char *name, diag_t *d)
{
    errno = 0;
    if (fflush(l->f) == 0 && !ferror(l->f)) return MS_OK;
    return diag_add(d, MS_USAGE, "%s: cannot write the command log: %s", name,
                    errno ? strerror(errno) : "write error");
}

/* ---- reading ---- */

#define FIELDS 9

/* An unsigned decimal number; '-' is DRAM_LOG_NONE where allowed. */
static bool number(const char *s, uint64_t max, bool none_ok, uint64_t *out)
{
    if (none_ok && strcmp(s, "-") == 0) {
        *out = DRAM_LOG_NONE;
        return true;
    }
    if (*s < '0' || *s > '9') return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (errno || *end || v > max) return false;
    *out = v;
    return true;
}

static int command_of(const char *name)
{
    for (int i = 0; i < DRAM_CMDS; i++)
        if (strcmp(name, dram_cmd_names[i]) == 0) return i;
    return -1;
}

int dram_log_parse(char *line, dram_log_line_t *out, const char **why)
{
    char *hash = strchr(line, '#');
    if (hash) *hash = '\0';
    char *word[FIELDS], *save = NULL;
    size_t n = 0;
    for (char *w = strtok_r(line, " \t\r\n", &save); w; w = strtok_r(NULL, " \t\r\n", &save)) {
        if (n == FIELDS) {
            *why = "more than nine fields";
            return -1;
        }
        word[n++] = w;
    }
    if (!n) return 0;
    if (n < FIELDS) {
        *why = "needs nine fields: time_ps channel pc rank bg bank row col command";
        return -1;
    }
    uint64_t v[FIELDS - 1];
    for (size_t i = 0; i < FIELDS - 1; i++) {
        bool time = i == 0, place = i < 4;
        if (number(word[i], time ? (uint64_t)PS_MAX : DRAM_LOG_NONE - 1, !place, &v[i])) continue;
        *why = time ? "the time is not a whole number of picoseconds"
                    : "a field is neither a whole number nor '-'";
        return -1;
    }
    int cmd = command_of(word[FIELDS - 1]);
    if (cmd < 0) {
        *why = "unknown command";
        return -1;
    }
    *out = (dram_log_line_t){(ps_t)v[0],     (uint32_t)v[1], (uint32_t)v[2],
                             (uint32_t)v[3], (uint32_t)v[4], (uint32_t)v[5],
                             (uint32_t)v[6], (uint32_t)v[7], cmd};
    return 1;
}
