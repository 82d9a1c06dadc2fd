/* SPDX-License-Identifier: MIT
 * memsim trace info|check: what a workload asks for, without simulating it. */
#include "cli/cli.h"
#include "report/fmt.h"
#include "workload/workload.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernel_sum { /* launches of one definition */
    const char *name;
    uint64_t launches;
    double ctas, flops, read_bytes, write_bytes;
} kernel_sum_t;

typedef struct summary {
    kernel_sum_t *kernel; /* by definition number; owned */
    size_t n, cap;
    uint64_t commands, copies, collectives, raw_reads, raw_writes;
    double copy_bytes, collective_bytes, raw_bytes;
    addr_t raw_end;
} summary_t;

static kernel_sum_t *kernel_of(summary_t *s, uint32_t def)
{
    if (def >= s->cap) {
        size_t cap = (size_t)def + 64;
        kernel_sum_t *k = realloc(s->kernel, cap * sizeof *k);
        if (!k) return NULL;
        memset(k + s->cap, 0, (cap - s->cap) * sizeof *k);
        s->kernel = k;
        s->cap = cap;
    }
    if (def >= s->n) s->n = (size_t)def + 1;
    return &s->kernel[def];
}

static int count_launch(summary_t *s, workload_t *w, const wcmd_t *c, diag_t *d)
{
    const kernel_t *k = NULL;
    int rc = workload_kernel(w, c, &k, d);
    if (rc) return rc;
    kernel_sum_t *sum = kernel_of(s, c->def);
    if (!sum) return diag_add(d, MS_INTERNAL, "out of memory");
    sum->name = workload_kernel_name(w, c->def);
    sum->launches++;
    sum->ctas += (double)k->grid[0] * k->grid[1] * k->grid[2];
    sum->flops += k->flops;
    sum->read_bytes += k->useful_read_bytes;
    sum->write_bytes += k->useful_write_bytes;
    return MS_OK;
}

static int count(summary_t *s, workload_t *w, const wcmd_t *c, diag_t *d)
{
    s->commands++;
    switch (c->kind) {
    case WC_LAUNCH:
        return count_launch(s, w, c, d);
    case WC_COPY:
        s->copies++;
        s->copy_bytes += (double)c->bytes;
        return MS_OK;
    case WC_COLLECTIVE:
        s->collectives++;
        s->collective_bytes += (double)c->bytes;
        return MS_OK;
    case WC_RAW:
        if (c->write)
            s->raw_writes++;
        else
            s->raw_reads++;
        s->raw_bytes += (double)c->bytes;
        if (c->addr + c->bytes > s->raw_end) s->raw_end = c->addr + c->bytes;
        return MS_OK;
    case WC_RECORD:
    case WC_WAIT:
    case WC_GRAPH_BEGIN:
    case WC_GRAPH_END:
    case WC_MARK:
    case WC_END:
    default:
        return MS_OK;
    }
}

static void print_kernels(const summary_t *s)
{
    printf("%-28s%10s%14s%16s%12s%12s\n", "kernel", "launches", "blocks", "floating point", "read",
           "written");
    double flops = 0, read = 0, written = 0;
    uint64_t launches = 0;
    for (size_t i = 0; i < s->n; i++) {
        const kernel_sum_t *k = &s->kernel[i];
        if (!k->launches) continue;
        fmt_field(stdout, 28, k->name);
        fmt_field(stdout, -10, fmt_count(k->launches).s);
        fmt_field(stdout, -14, fmt_count((uint64_t)k->ctas).s);
        fmt_field(stdout, -16, k->flops > 0 ? fmt_si(k->flops, "FLOP").s : "-");
        fmt_field(stdout, -12, k->read_bytes > 0 ? fmt_si(k->read_bytes, "B").s : "-");
        fmt_field(stdout, -12, k->write_bytes > 0 ? fmt_si(k->write_bytes, "B").s : "-");
        fputc('\n', stdout);
        launches += k->launches;
        flops += k->flops;
        read += k->read_bytes;
        written += k->write_bytes;
    }
    fmt_field(stdout, 28, "all");
    fmt_field(stdout, -10, fmt_count(launches).s);
    fmt_field(stdout, -14, "");
    fmt_field(stdout, -16, fmt_si(flops, "FLOP").s);
    fmt_field(stdout, -12, fmt_si(read, "B").s);
    fmt_field(stdout, -12, fmt_si(written, "B").s);
    fputs("\n\n", stdout);
}

static void print_buffers(const workload_t *w)
{
    const buffer_info_t *b;
    size_t n = workload_buffers(w, &b);
    for (size_t i = 0; i < n; i++)
        printf("buffer %-24s %-14s%12s at 0x%llx\n", b[i].name, b[i].role ? b[i].role : "",
               fmt_bytes((double)b[i].bytes).s, (unsigned long long)b[i].base);
}

static void print_info(const summary_t *s, const workload_t *w, const char *path)
{
    const char *title = workload_title(w);
    printf("%s\n", title && *title ? title : path);
    for (size_t i = 0; workload_param(w, i); i++)
        printf("%s%s", i ? ", " : "", workload_param(w, i));
    puts(workload_param(w, 0) ? "\n" : "");
    if (s->n) print_kernels(s);
    print_buffers(w);
    if (s->raw_reads + s->raw_writes)
        printf("raw accesses: %s reads, %s writes, %s, highest address 0x%llx\n",
               fmt_count(s->raw_reads).s, fmt_count(s->raw_writes).s, fmt_si(s->raw_bytes, "B").s,
               (unsigned long long)s->raw_end);
    if (s->copies) printf("copies: %s, %s\n", fmt_count(s->copies).s, fmt_si(s->copy_bytes, "B").s);
    if (s->collectives)
        printf("collectives: %s, %s (not modelled)\n", fmt_count(s->collectives).s,
               fmt_si(s->collective_bytes, "B").s);
    if (workload_tokens(w) > 0) printf("tokens: %.4g\n", workload_tokens(w));
    printf("footprint: %s in buffers; %s commands\n", fmt_bytes((double)workload_footprint(w)).s,
           fmt_count(s->commands).s);
}

int verb_trace(const cli_t *c, arena_t *a, diag_t *d)
{
    static const char *const verbs[] = {"info", "check", "gen", "convert"};
    (void)a;
    const char *what = c->n_operand ? c->operand[0] : "";
    if (strcmp(what, "gen") == 0 || strcmp(what, "convert") == 0)
        return diag_add(d, MS_USAGE, "trace %s: not available yet in this version", what);
    bool info = strcmp(what, "info") == 0;
    if (!info && strcmp(what, "check") != 0) {
        const char *near = *what ? diag_nearest(what, verbs, 2) : NULL;
        if (near) return diag_add(d, MS_USAGE, "trace %s: unknown; did you mean %s?", what, near);
        return diag_add(d, MS_USAGE, "trace: needs info or check, then FILE.trace");
    }
    if (c->n_operand != 2) return diag_add(d, MS_USAGE, "trace %s: needs one FILE.trace", what);
    workload_opt_t opt = {
        .define = c->define, .n_define = c->n_define, .warp_lanes = 32, .seed = c->seed};
    workload_t *w = NULL;
    int rc = workload_open(&w, c->operand[1], &opt, d);
    if (rc) return rc;
    summary_t s = {.n = 0};
    wcmd_t cmd = {.kind = WC_END};
    do {
        rc = workload_next(w, &cmd, d);
        if (!rc) rc = count(&s, w, &cmd, d);
    } while (!rc && cmd.kind != WC_END);
    if (s.commands) s.commands--; /* the end is no command */
    if (!rc && info) print_info(&s, w, c->operand[1]);
    if (!rc && !info && c->verbosity >= 0)
        printf("%s: ok, %s commands\n", c->operand[1], fmt_count(s.commands).s);
    free(s.kernel);
    workload_free(w);
    return rc;
}
