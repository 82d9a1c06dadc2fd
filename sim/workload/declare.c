/* SPDX-License-Identifier: MIT
 * Declarations, evaluated in the order of the file: parameters (with -D), lets, requirements, buffers in the
 * address space, index distributions. */
#include "workload/liquid.h"
#include "workload/trace.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_ALIGN ((uint64_t)2 << 20) /* of a buffer, as the driver maps it */
#define INSTANCE_ALIGN \
    ((uint64_t)512) /* of the instances in a buffer, as a caching allocator cuts blocks */
#define ADDRESS_LIMIT ((uint64_t)1 << 50)

static int fault(trace_t *t, diag_t *d, int line, int col, const char *what)
{
    return diag_add(d, MS_INPUT, "%s:%d:%d: %s", t->file, line, col, what);
}

/* ---- parameters ---- */

static bool is_string(const trace_t *t, int64_t v)
{
    return v >= STRING_VALUE_BASE && v < STRING_VALUE_BASE + (int64_t)t->nstring;
}

const char *trace_param_text(trace_t *t, const param_def_t *p)
{
    static const struct {
        const char *name;
        int64_t scale;
    } units[] = {{"TiB", INT64_C(1) << 40}, {"GiB", INT64_C(1) << 30}, {"MiB", INT64_C(1) << 20}};
    int64_t v = t->slot[p->slot];
    if (is_string(t, v))
        return arena_printf(t->arena, "%s = %s", p->name, t->string[v - STRING_VALUE_BASE]);
    for (size_t i = 0; v && i < sizeof units / sizeof *units; i++)
        if (v % units[i].scale == 0)
            return arena_printf(t->arena, "%s = %" PRId64 " %s", p->name, v / units[i].scale,
                                units[i].name);
    return arena_printf(t->arena, "%s = %" PRId64, p->name, v);
}

static int check_range(trace_t *t, const param_def_t *p, const char *origin, diag_t *d)
{
    int64_t v = t->slot[p->slot];
    if (p->nchoices) {
        const char *text = is_string(t, v) ? t->string[v - STRING_VALUE_BASE] : "a number";
        for (uint32_t i = 0; i < p->nchoices; i++)
            if (!strcmp(text, p->choice[i])) return MS_OK;
        char list[400] = "";
        size_t used = 0;
        for (uint32_t i = 0; i < p->nchoices && used < sizeof list - 1; i++) {
            int n = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", p->choice[i]);
            used += n > 0 ? (size_t)n : 0;
        }
        const char *near = diag_nearest(text, p->choice, p->nchoices);
        return diag_add(d, MS_INPUT, "%s: found %s, expected one of %s%s%s%s", origin, text, list,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (is_string(t, v))
        return diag_add(d, MS_INPUT, "%s: found a text, expected a number", origin);
    if (!p->min) return MS_OK;
    eval_t e = {.trace = t};
    int64_t low = eval_node(&e, p->min), high = eval_node(&e, p->max);
    if (e.why) return eval_report(&e, d);
    if (v >= low && v <= high) return MS_OK;
    return diag_add(d, MS_INPUT, "%s: found %" PRId64 ", expected %" PRId64 " to %" PRId64, origin,
                    v, low, high);
}

/* Text of -D into the slot: a choice's name, or a number with an optional sign and unit. */
static int define_value(trace_t *t, param_def_t *p, const char *text, diag_t *d)
{
    const char *origin = arena_printf(t->arena, "-D %s=%.100s", p->name, text);
    if (p->nchoices) {
        t->slot[p->slot] = trace_string(t, arena_strdup(t->arena, text));
        return check_range(t, p, origin, d);
    }
    lex_t x;
    if (lex_text(&x, origin, text, t->arena, d) != MS_OK) return MS_INPUT;
    bool minus = x.tok[0].kind == TK_PUNCT && x.tok[0].punct == '-';
    const token_t *v = &x.tok[minus ? 1 : 0];
    if (v->kind != TK_NUMBER || v[1].kind != TK_NEWLINE)
        return diag_add(d, MS_INPUT,
                        "%s: found '%.100s', expected a number with an optional unit, as in 64KiB",
                        origin, text);
    t->slot[p->slot] = minus ? -v->value : v->value;
    return check_range(t, p, origin, d);
}

static int declare_param(trace_t *t, const decl_t *decl, const char *const *define, size_t n_define,
                         diag_t *d)
{
    param_def_t *p = &t->param[decl->id];
    eval_t e = {.trace = t};
    t->slot[p->slot] = eval_node(&e, p->dflt);
    if (e.why) return eval_report(&e, d);
    const char *origin =
        arena_printf(t->arena, "%s:%d:%d: default of '%s'", t->file, p->line, p->col, p->name);
    int cls = check_range(t, p, origin, d);
    const char *last = NULL;
    for (size_t i = 0; i < n_define; i++) {
        size_t n = strlen(p->name);
        if (!strncmp(define[i], p->name, n) && define[i][n] == '=') last = define[i] + n + 1;
    }
    return last ? define_value(t, p, last, d) : cls;
}

/* Every -D must name a parameter. */
static int check_defines(trace_t *t, const char *const *define, size_t n_define, diag_t *d)
{
    int cls = MS_OK;
    const char **names = arena_array(t->arena, const char *, t->nparam + 1);
    for (size_t k = 0; k < t->nparam; k++) names[k] = t->param[k].name;
    for (size_t i = 0; i < n_define; i++) {
        const char *eq = strchr(define[i], '=');
        if (!eq || eq == define[i]) {
            cls = diag_add(d, MS_INPUT, "-D %s: expected name=value", define[i]);
            continue;
        }
        const char *name = arena_printf(
            t->arena, "%.*s", (int)(eq - define[i] > 100 ? 100 : eq - define[i]), define[i]);
        size_t k = 0;
        while (k < t->nparam && strcmp(names[k], name) != 0) k++;
        if (k < t->nparam) continue;
        const char *near = diag_nearest(name, names, t->nparam);
        cls = diag_add(d, MS_INPUT, "-D %s: %s has no parameter '%s'%s%s%s", define[i], t->file,
                       name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return cls;
}

/* ---- buffers ---- */

static int declare_buffer(trace_t *t, const decl_t *decl, diag_t *d)
{
    buffer_def_t *b = &t->buffer[decl->id];
    eval_t e = {.trace = t};
    int64_t count = b->count ? eval_node(&e, b->count) : 1, size = eval_node(&e, b->size);
    if (e.why) return eval_report(&e, d);
    if (count < 0 || size < 0)
        return fault(t, d, b->line, b->col, "a buffer cannot have a negative size or number");
    wide_t stride = (wide_t)size;
    if (count > 1) stride = (stride + INSTANCE_ALIGN - 1) / INSTANCE_ALIGN * INSTANCE_ALIGN;
    wide_t total = count ? stride * (count - 1) + size : 0;
    uint64_t base = (t->footprint + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    if (total + (wide_t)base > (wide_t)ADDRESS_LIMIT)
        return fault(t, d, b->line, b->col, "the buffers need more than 2^50 bytes of addresses");
    b->instances = (uint64_t)count;
    b->stride = (uint64_t)stride;
    b->base = base;
    t->info[decl->id] = (buffer_info_t){b->name, b->role, base, (uint64_t)total};
    if (total) t->footprint = base + (uint64_t)total;
    return MS_OK;
}

/* ---- indices ---- */

static int liquid_index(trace_t *t, index_def_t *x, uint64_t atoms, uint64_t seed, diag_t *d)
{
    if (!t->liquid || t->liquid_atoms != atoms || t->liquid_seed != seed) {
        if (liquid_new(&t->liquid, t->arena, atoms, seed, d) != MS_OK)
            return fault(t, d, x->line, x->col,
                         "the neighbor lists of this index could not be made");
        t->liquid_atoms = atoms;
        t->liquid_seed = seed;
    }
    x->gather = x->kind == IX_NEIGHBORS ? liquid_gather(t->liquid) : liquid_entries(t->liquid);
    return MS_OK;
}

static int declare_index(trace_t *t, const decl_t *decl, diag_t *d)
{
    index_def_t *x = &t->index[decl->id];
    eval_t e = {.trace = t};
    int64_t v[3] = {0, 0, 0};
    for (uint32_t i = 0; i < x->nargs; i++) v[i] = eval_node(&e, x->arg[i]);
    if (e.why) return eval_report(&e, d);
    if (x->kind != IX_LIST && (v[0] < 1 || (uint64_t)v[0] > GATHER_N_MAX))
        return fault(t, d, x->line, x->col, "an index needs 1 to 2^40 elements");
    uint64_t n = (uint64_t)v[0];
    /* Indices with the same seed and shape would be equal, so each has its own unless it states one. */
    uint64_t own = t->seed + decl->id, second = x->nargs > 1 ? (uint64_t)v[1] : own;
    switch (x->kind) {
    case IX_UNIFORM:
        x->gather = gather_uniform(t->arena, n, second);
        break;
    case IX_ZIPF:
        if (v[1] < 0 || v[1] > 1000)
            return fault(t, d, x->line, x->col, "the exponent of zipf is in hundredths, 0 to 1000");
        x->gather =
            gather_zipf(t->arena, n, (double)v[1] / 100, true, x->nargs > 2 ? (uint64_t)v[2] : own);
        break;
    case IX_CYCLE:
        x->gather = gather_cycle(t->arena, n, second);
        break;
    case IX_STRIDE:
        x->gather = gather_stride(t->arena, n, v[1]);
        break;
    case IX_LIST: {
        uint64_t found = 0;
        if (v[0] < 0) return fault(t, d, x->line, x->col, "the limit of a list cannot be negative");
        return gather_list(&x->gather, t->arena, x->path, n, &found, d) == MS_OK ? MS_OK : MS_INPUT;
    }
    case IX_NEIGHBORS:
    case IX_ENTRIES:
        return liquid_index(t, x, n, x->nargs > 1 ? (uint64_t)v[1] : t->seed, d);
    case IX_KINDS:
        break;
    }
    return MS_OK;
}

/* ---- all ---- */

static int declare_one(trace_t *t, const decl_t *decl, const char *const *define, size_t n_define,
                       diag_t *d)
{
    eval_t e = {.trace = t};
    int64_t v = 0;
    switch (decl->kind) {
    case DC_PARAM:
        return declare_param(t, decl, define, n_define, d);
    case DC_BUFFER:
        return declare_buffer(t, decl, d);
    case DC_INDEX:
        return declare_index(t, decl, d);
    case DC_LET:
        t->slot[decl->id] = eval_node(&e, decl->value);
        break;
    case DC_REQUIRE:
        v = eval_node(&e, decl->value);
        if (!e.why && !v) return fault(t, d, decl->line, decl->col, decl->message);
        break;
    case DC_TOKENS:
        v = eval_node(&e, decl->value);
        if (v < 0)
            return fault(t, d, decl->line, decl->col, "the number of tokens cannot be negative");
        t->tokens = (double)v;
        break;
    }
    return e.why ? eval_report(&e, d) : MS_OK;
}

int trace_declare(trace_t *t, const char *const *define, size_t n_define, diag_t *d)
{
    t->slot = arena_array(t->arena, int64_t, t->nslots + 1);
    t->info = arena_array(t->arena, buffer_info_t, t->nbuffer + 1);
    int cls = check_defines(t, define, n_define, d);
    bool broken = false; /* a value is missing: what is computed from it would only mislead */
    for (size_t i = 0; i < t->ndecl; i++) {
        if (broken && t->decl[i].kind != DC_PARAM) continue;
        int one = declare_one(t, &t->decl[i], define, n_define, d);
        if (one == MS_OK) continue;
        cls = one;
        broken = broken || t->decl[i].kind != DC_REQUIRE;
    }
    return cls;
}
