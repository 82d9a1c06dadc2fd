/* SPDX-License-Identifier: MIT
 * A workload is either a trace in the language (parsed, then played) or a file of raw access lines (streamed).
 * Its first line that is neither blank nor a comment tells which. */
#include "workload/workload.h"
#include "workload/raw.h"
#include "workload/trace.h"
#include <stdlib.h>
#include <string.h>

struct workload {
    arena_t *arena;
    trace_t *trace; /* NULL: raw */
    player_t *player;
    raw_stream_t raw;
    bool raw_open, pending; /* pending: the first access was read while looking what the file is */
    raw_access_t first;
    const char *file;
    const char **param_text;
};

/* Why the input could not be used, as it has been told: a signal, or what it says. */
static int input_class(const diag_t *d)
{
    return d->worst == MS_INTERRUPTED ? MS_INTERRUPTED : MS_INPUT;
}

static bool is_header(const char *s)
{
    s += strspn(s, " \t");
    return !strncmp(s, "memsim", 6) && (!s[6] || strchr(" \t#", s[6]));
}

static int open_trace(workload_t *w, reader_t *r, const char *first, const workload_opt_t *opt,
                      diag_t *d)
{
    trace_t *t = arena_alloc(w->arena, sizeof *t);
    t->arena = w->arena;
    t->file = w->file;
    t->warp_lanes = opt->warp_lanes ? opt->warp_lanes : 32;
    t->seed = opt->seed;
    w->trace = t;
    int lexed = lex_read(&t->lex, r, first, w->arena, d);
    reader_close(r);
    int cls = trace_parse(t, d);
    if (lexed != MS_OK || cls != MS_OK) return input_class(d);
    cls = trace_declare(t, opt->define, opt->n_define, d);
    if (cls != MS_OK) return cls;
    w->param_text = arena_array(w->arena, const char *, t->nparam + 1);
    for (size_t i = 0; i < t->nparam; i++) w->param_text[i] = trace_param_text(t, &t->param[i]);
    w->player = player_new(t);
    return MS_OK;
}

/* A file that starts with access lines; `line` is its first that says something. */
static int open_raw(workload_t *w, reader_t *r, const char *line, const workload_opt_t *opt,
                    diag_t *d)
{
    w->raw.reader = r;
    w->raw_open = true;
    raw_parser_init(&w->raw.parser, w->file);
    if (opt->n_define)
        return diag_add(d, MS_INPUT, "-D %s: %s is a file of access lines and has no parameters",
                        opt->define[0], w->file);
    if (!line) return MS_OK; /* nothing in it: no work */
    if (raw_sniff(line) == RAW_NONE)
        return diag_add(d, MS_INPUT,
                        "%s:%d:1: found '%.40s', expected 'memsim trace 1' or an access line such "
                        "as 'R 0x1000 64'",
                        w->file, reader_line(r), line + strspn(line, " \t"));
    int got = raw_parse(&w->raw.parser, line, reader_line(r), &w->first, d);
    w->pending = got > 0;
    return got < 0 ? input_class(d) : MS_OK;
}

int workload_open(workload_t **out, const char *path, const workload_opt_t *opt, diag_t *d)
{
    *out = NULL;
    reader_t *r = NULL;
    if (reader_open(&r, path, d) != MS_OK) return input_class(d);
    arena_t *arena = arena_new();
    workload_t *w = arena_alloc(arena, sizeof *w);
    w->arena = arena;
    w->file = arena_strdup(arena, reader_name(r));
    char *line = NULL;
    size_t len;
    int got;
    while ((got = reader_next(r, &line, &len, d)) > 0) {
        size_t i = strspn(line, " \t");
        if (line[i] && line[i] != '#') break;
    }
    int cls;
    if (got < 0) {
        reader_close(r);
        cls = input_class(d);
    } else if (got > 0 && is_header(line)) {
        cls = open_trace(w, r, line, opt, d);
    } else {
        cls = open_raw(w, r, got > 0 ? line : NULL, opt, d);
    }
    if (cls != MS_OK) {
        workload_free(w);
        return cls;
    }
    *out = w;
    return MS_OK;
}

void workload_free(workload_t *w)
{
    if (!w) return;
    if (w->raw_open) raw_close(&w->raw);
    player_free(w->player);
    for (size_t i = 0; w->trace && i < w->trace->nkernel; i++) build_free(w->trace->kernel[i]);
    arena_free(w->arena); /* holds w itself */
}

static int next_raw(workload_t *w, wcmd_t *c, diag_t *d)
{
    raw_access_t x;
    int got = 1;
    if (w->pending) {
        x = w->first;
        w->pending = false;
    } else {
        got = raw_next(&w->raw, &x, d);
    }
    *c = (wcmd_t){.kind = WC_END, .at_ps = -1, .line = reader_line(w->raw.reader)};
    if (got < 0) return input_class(d);
    if (got > 0) {
        c->kind = WC_RAW;
        c->addr = x.addr;
        c->bytes = x.bytes;
        c->write = x.write;
        c->at_ps = x.at_ps;
    }
    return MS_OK;
}

int workload_next(workload_t *w, wcmd_t *c, diag_t *d)
{
    return w->trace ? player_next(w->player, c, d) : next_raw(w, c, d);
}

bool workload_rewind(workload_t *w)
{
    if (w->trace) {
        player_rewind(w->player);
        return true;
    }
    if (!raw_rewind(&w->raw)) return false;
    w->pending = false; /* the stream gives the first access again */
    return true;
}

int workload_kernel(workload_t *w, const wcmd_t *launch, const kernel_t **k, diag_t *d)
{
    return build_kernel(w->trace, w->trace->kernel[launch->def], launch->arg, launch->base, k, d);
}

const char *workload_kernel_name(const workload_t *w, uint32_t def)
{
    return w->trace && def < w->trace->nkernel ? w->trace->kernel[def]->name : "";
}

size_t workload_buffers(const workload_t *w, const buffer_info_t **list)
{
    *list = w->trace ? w->trace->info : NULL;
    return w->trace ? w->trace->nbuffer : 0;
}

uint64_t workload_footprint(const workload_t *w)
{
    return w->trace ? w->trace->footprint : 0;
}

double workload_tokens(const workload_t *w)
{
    return w->trace ? w->trace->tokens : 0;
}

const char *workload_title(const workload_t *w)
{
    return w->trace && w->trace->title ? w->trace->title : "";
}

bool workload_is_raw(const workload_t *w)
{
    return !w->trace;
}

const char *workload_param(const workload_t *w, size_t i)
{
    return w->trace && i < w->trace->nparam ? w->param_text[i] : NULL;
}
