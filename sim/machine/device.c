/* SPDX-License-Identifier: MIT
 * Loading a device file: each section through its model's table, then the rules between sections. */
#include "machine/device.h"
#include "core/ini_doc.h"
#include "dram/dram.h"
#include "gpu/occupancy.h"
#include "machine/blame.h"
#include <inttypes.h>
#include <string.h>

#define DEVICE_ROW(...) PARAM_ROW_IN(device_info_t, __VA_ARGS__)
static const param_row_t device_rows[] = {DEVICE_PARAMS(DEVICE_ROW)};
static const param_table_t device_table = {"device", device_rows,
                                           sizeof device_rows / sizeof *device_rows};

static const param_table_t *const tables[] = {
    &device_table,   &gpu_param_table,  &l1_param_table,
    &l2_param_table, &xbar_param_table, &dram_param_table,
};
#define N_TABLES (sizeof tables / sizeof *tables)

/* A request is one line's sectors (core/req.h): all of the path from coalescer to DRAM counts in these. */
#define LINE_BYTES 128u
#define SECTOR_BYTES 32u

const param_table_t *const *device_tables(size_t *n)
{
    *n = N_TABLES;
    return tables;
}

static int worse(int a, int b)
{
    return a != MS_OK ? a : b;
}

/* Where a key of a section was set, for messages of rules between keys. */
static int rule(diag_t *d, const device_t *dev, const ini_section_t *s, const char *key,
                const char *text)
{
    for (size_t i = 0; s && i < s->n; i++) {
        const ini_entry_t *e = &s->entry[i];
        if (strcmp(e->key, key) != 0) continue;
        if (e->line > 0)
            return diag_at(d, MS_INPUT, e->file, e->line, "%s = %s: %s", key, e->value, text);
        return diag_add(d, MS_INPUT, "-s %s: %s", e->given, text);
    }
    return diag_at(d, MS_INPUT, dev->path, 0, "[%s] %s: %s", s ? s->kind : "?", key, text);
}

/* ---- rules ---- */

/* Ranges are durations; a value in CK can be held against them only here, where the clock is known. */
static int check_clocks(const device_t *dev, const param_table_t *t, const void *strukt,
                        const ini_section_t *s, clk_t clk, arena_t *a, diag_t *d)
{
    int rc = MS_OK;
    for (size_t i = 0; i < t->n; i++) {
        const param_row_t *r = &t->rows[i];
        if (r->type != PT_GAP) continue;
        gap_t g, edge;
        memcpy(&g, (const char *)strukt + r->offset, sizeof g);
        if (!g.in_clocks) continue;
        const char *why;
        wide_t ps = (wide_t)g.v * 1000000000000 / (wide_t)clk.hz;
        if (r->max && text_parse(PT_GAP, r->max, &edge, &why) && !edge.in_clocks && ps > edge.v)
            rc = rule(d, dev, s, r->key, arena_printf(a, "is above the maximum, %s", r->max));
        if (r->min && text_parse(PT_GAP, r->min, &edge, &why) && !edge.in_clocks && ps < edge.v)
            rc = rule(d, dev, s, r->key, arena_printf(a, "is below the minimum, %s", r->min));
    }
    return rc;
}

static int check_gpu(const device_t *dev, arena_t *a, diag_t *d)
{
    const gpu_param_t *g = &dev->gpu;
    int rc = MS_OK;
    if (g->threads_per_sm % g->warp_size != 0)
        rc = rule(d, dev, dev->sec_gpu, "threads_per_sm",
                  arena_printf(a, "must be a multiple of warp_size, %u", g->warp_size));
    if (g->regs_per_sm % OCCUPANCY_REG_PARTS != 0)
        rc = rule(d, dev, dev->sec_gpu, "regs_per_sm",
                  arena_printf(a, "must be a multiple of the %d parts of an SM's register file",
                               OCCUPANCY_REG_PARTS));
    if (g->page & (g->page - 1)) rc = rule(d, dev, dev->sec_gpu, "page", "must be a power of two");
    if (dev->xbar.gpcs > g->sms)
        rc = rule(d, dev, dev->sec_xbar, "gpcs",
                  arena_printf(a, "more groups than SMs, %u", g->sms));
    return rc;
}

static int check_line(const device_t *dev, const ini_section_t *s, uint64_t line, uint64_t sector,
                      diag_t *d)
{
    int rc = MS_OK;
    if (line != LINE_BYTES) rc = rule(d, dev, s, "line", "only lines of 128 B are modelled");
    if (sector != SECTOR_BYTES) rc = rule(d, dev, s, "sector", "only sectors of 32 B are modelled");
    return rc;
}

static const char *bytes_text(arena_t *a, uint64_t n)
{
    return n % (1 << 20) == 0   ? arena_printf(a, "%" PRIu64 " MiB", n >> 20)
           : n % (1 << 10) == 0 ? arena_printf(a, "%" PRIu64 " KiB", n >> 10)
                                : arena_printf(a, "%" PRIu64 " B", n);
}

/* A cache is made of whole sets; one that loses a part of its size would not be the one that was asked for. */
static int check_sets(const device_t *dev, const ini_section_t *s, const char *key, uint64_t bytes,
                      uint64_t set, const char *of, arena_t *a, diag_t *d)
{
    const uint64_t below = bytes / set * set;
    if (bytes == below) return MS_OK;
    return rule(d, dev, s, key,
                arena_printf(a, "no whole number of sets (%s of %s); the nearest are %s and %s",
                             bytes_text(a, set), of, bytes_text(a, below),
                             bytes_text(a, below + set)));
}

static int check_caches(const device_t *dev, arena_t *a, diag_t *d)
{
    const l1_param_t *l1 = &dev->l1;
    const l2_param_t *l2 = &dev->l2;
    int rc = check_line(dev, dev->sec_l1, l1->line, l1->sector, d);
    rc = worse(rc, check_line(dev, dev->sec_l2, l2->line, l2->sector, d));
    if (rc != MS_OK) return rc;
    const uint64_t l1_set = l1->line * l1->ways;
    if (l1->size && l1->size < l1_set)
        rc = rule(d, dev, dev->sec_l1, "size",
                  arena_printf(a, "is less than one set of %u ways", l1->ways));
    else
        rc = worse(rc, check_sets(dev, dev->sec_l1, "size", l1->size, l1_set,
                                  arena_printf(a, "%u ways", l1->ways), a, d));
    if (l1->shared_carveout > l1->size)
        rc = rule(d, dev, dev->sec_l1, "shared_carveout", "is more than the whole array, size");
    else
        rc = worse(rc, check_sets(dev, dev->sec_l1, "shared_carveout", l1->shared_carveout, l1_set,
                                  arena_printf(a, "%u ways", l1->ways), a, d));
    uint64_t line_sectors = l2->line / l2->sector;
    if (l2->fetch_sectors > line_sectors || line_sectors % l2->fetch_sectors != 0)
        rc = rule(d, dev, dev->sec_l2, "fetch_sectors",
                  arena_printf(a, "must divide the %u sectors of a line", (unsigned)line_sectors));
    return rc;
}

static int check_l2_size(const device_t *dev, arena_t *a, diag_t *d)
{
    const l2_param_t *l2 = &dev->l2;
    const uint64_t set = l2->line * l2->ways * l2->slices;
    const char *of = arena_printf(a, "%u ways in each of %u slices", l2->ways, l2->slices);
    if (l2->size < set)
        return rule(d, dev, dev->sec_l2, "size", arena_printf(a, "is less than one set of %s", of));
    return check_sets(dev, dev->sec_l2, "size", l2->size, set, of, a, d);
}

static int check_slices(const device_t *dev, arena_t *a, diag_t *d)
{
    const l2_param_t *l2 = &dev->l2;
    if (l2->slices % l2->partitions != 0)
        return rule(d, dev, dev->sec_l2, "slices",
                    arena_printf(a, "must be a multiple of partitions, %u", l2->partitions));
    const uint32_t channels = dev->memory[0].spec ? dram_channels(dev->memory[0].spec) : 1;
    if (l2->slices % channels != 0 && channels % l2->slices != 0)
        return rule(d, dev, dev->sec_l2, "slices",
                    arena_printf(a, "must be a multiple of the %u memory channels, or the reverse",
                                 channels));
    return check_l2_size(dev, a, d);
}

/* A request is one line: its bursts must be neighbours in one row, so that it has one place in memory. */
static int check_memory(const device_memory_t *m, arena_t *a, diag_t *d)
{
    if (!m->spec) return MS_OK;
    const uint32_t burst = dram_burst_bytes(m->spec);
    const char *key = burst > LINE_BYTES ? "dq" : "map", *text;
    if (burst > LINE_BYTES)
        text = arena_printf(a,
                            "with burst_length = %u a burst has %u B, more than a line of the L2, "
                            "%u B",
                            m->dram.burst_length, burst, LINE_BYTES);
    else if (dram_run_bursts(m->spec) % (LINE_BYTES / burst) == 0)
        return MS_OK;
    else
        text = arena_printf(a,
                            "the %u bursts of a 128 B line must be neighbours in one row: the map "
                            "must begin with co or co=%d%s",
                            LINE_BYTES / burst, __builtin_ctz(LINE_BYTES / burst),
                            m->dram.columns % (LINE_BYTES / burst) ? ", and columns be a multiple"
                                                                   : "");
    return diag_add(d, MS_INPUT, "%s: %s",
                    param_place(&dram_param_table, key, &m->dram, m->section, a), text);
}

static int check_rules(const device_t *dev, arena_t *a, diag_t *d)
{
    const clk_t sm = {dev->gpu.clock}, l2 = {dev->l2.clock};
    int rc = check_clocks(dev, &gpu_param_table, &dev->gpu, dev->sec_gpu, sm, a, d);
    rc = worse(rc, check_clocks(dev, &l1_param_table, &dev->l1, dev->sec_l1, sm, a, d));
    rc = worse(rc, check_clocks(dev, &l2_param_table, &dev->l2, dev->sec_l2, l2, a, d));
    rc = worse(rc, check_clocks(dev, &xbar_param_table, &dev->xbar, dev->sec_xbar, l2, a, d));
    rc = worse(rc, check_gpu(dev, a, d));
    rc = worse(rc, check_caches(dev, a, d));
    rc = worse(rc, check_memory(&dev->memory[0], a, d));
    return worse(rc, check_slices(dev, a, d));
}

/* ---- loading ---- */

static int fill(device_t *dev, const param_table_t *t, void *strukt, ini_section_t **section,
                arena_t *a, diag_t *d)
{
    *section = ini_doc_section(dev->doc, t->section, 0);
    if (!*section) return diag_add(d, MS_INPUT, "%s: has no [%s] section", dev->path, t->section);
    return param_fill(t, strukt, *section, a, d);
}

static int fill_memories(device_t *dev, arena_t *a, diag_t *d)
{
    size_t n = ini_doc_count(dev->doc, dram_param_table.section);
    if (n == 0) return diag_add(d, MS_INPUT, "%s: has no [memory NAME] section", dev->path);
    if (n > MEMORIES_MAX)
        return diag_add(d, MS_INPUT, "%s: has %zu memories, at most %d are allowed", dev->path, n,
                        MEMORIES_MAX);
    int rc = MS_OK;
    for (size_t i = 0; i < n; i++) {
        device_memory_t *m = &dev->memory[i];
        m->section = ini_doc_section(dev->doc, dram_param_table.section, i);
        m->name = *m->section->name ? m->section->name : "dram";
        int one = param_fill(&dram_param_table, &m->dram, m->section, a, d);
        if (one == MS_OK) one = dram_spec_new_from(&m->spec, &m->dram, m->section, a, d);
        if (one != MS_OK) m->spec = NULL;
        rc = worse(rc, one);
        if (i > 0)
            diag_note(d, "%s:%d: memory %s is not simulated: only the first one is",
                      m->section->file, m->section->line, m->name);
    }
    dev->n_memories = (uint32_t)n;
    return rc;
}

/* The file with its -s assignments; *doc is NULL only if it could not be read. */
static int load_doc(ini_doc_t **doc, const char *path, const char *const *set, size_t n_set,
                    const param_table_t *const *t, size_t n_t, arena_t *a, diag_t *d)
{
    int rc = ini_doc_load(doc, path, a, d);
    if (!*doc) return rc;
    for (size_t i = 0; i < n_set; i++) rc = worse(rc, ini_doc_override(*doc, set[i], t, n_t, d));
    return rc;
}

static int load_device(device_t *dev, const char *path, const char *const *set, size_t n_set,
                       arena_t *a, diag_t *d)
{
    memset(dev, 0, sizeof *dev);
    dev->path = arena_strdup(a, path);
    int rc = load_doc(&dev->doc, path, set, n_set, tables, N_TABLES, a, d);
    if (!dev->doc) return rc;
    int values = fill(dev, &device_table, &dev->info, &dev->sec_device, a, d);
    values = worse(values, fill(dev, &gpu_param_table, &dev->gpu, &dev->sec_gpu, a, d));
    values = worse(values, fill(dev, &l1_param_table, &dev->l1, &dev->sec_l1, a, d));
    values = worse(values, fill(dev, &l2_param_table, &dev->l2, &dev->sec_l2, a, d));
    values = worse(values, fill(dev, &xbar_param_table, &dev->xbar, &dev->sec_xbar, a, d));
    values = worse(values, fill_memories(dev, a, d));
    /* Rules between values mean something only when each value is good by itself. */
    if (values == MS_OK) values = check_rules(dev, a, d);
    rc = worse(rc, values);
    return worse(rc, ini_doc_check_unused(dev->doc, tables, N_TABLES, d));
}

static int load_again(const void *path, const char *const *set, size_t n_set, arena_t *a, diag_t *d)
{
    return load_device(arena_alloc(a, sizeof(device_t)), path, set, n_set, a, d);
}

int device_load(device_t *dev, const char *path, const char *const *set, size_t n_set, arena_t *a,
                diag_t *d)
{
    const size_t first = d->n;
    int rc = load_device(dev, path, set, n_set, a, d);
    blame_options(d, first, load_again, path, set, n_set);
    return rc;
}

int device_load_dram(dram_param_t *p, ini_section_t **section, const char *path,
                     const char *const *set, size_t n_set, arena_t *a, diag_t *d)
{
    static const param_table_t *const only[] = {&dram_param_table};
    ini_doc_t *doc;
    int rc = load_doc(&doc, path, set, n_set, only, 1, a, d);
    *section = NULL;
    if (!doc) return rc;
    *section = ini_doc_section(doc, dram_param_table.section, 0);
    if (!*section) return diag_add(d, MS_INPUT, "%s: has no [memory] section", path);
    rc = worse(rc, param_fill(&dram_param_table, p, *section, a, d));
    /* A whole device file is welcome too; its other sections are known, and not of interest here. */
    for (size_t i = 0; i < N_TABLES; i++) {
        for (size_t k = 0; k < ini_doc_count(doc, tables[i]->section); k++) {
            ini_section_t *s = ini_doc_section(doc, tables[i]->section, k);
            for (size_t e = 0; e < s->n; e++) s->entry[e].used = true;
        }
    }
    return worse(rc, ini_doc_check_unused(doc, tables, N_TABLES, d));
}

typedef struct alone { /* a memory by itself, to be loaded once more */
    const char *path;
    bool one_channel;
} alone_t;

static int load_memory(const alone_t *m, const dram_spec_t **spec, dram_param_t *p,
                       const char *const *set, size_t n_set, arena_t *a, diag_t *d)
{
    ini_section_t *section;
    int rc = device_load_dram(p, &section, m->path, set, n_set, a, d);
    if (rc) return rc;
    const ini_entry_t *channels = ini_section_find(section, "channels");
    if (m->one_channel && !(channels && channels->line == 0)) p->channels = 1;
    return dram_spec_new_from(spec, p, section, a, d);
}

static int load_memory_again(const void *ctx, const char *const *set, size_t n_set, arena_t *a,
                             diag_t *d)
{
    const dram_spec_t *spec;
    dram_param_t p;
    return load_memory(ctx, &spec, &p, set, n_set, a, d);
}

int device_load_memory(const dram_spec_t **spec, dram_param_t *p, const char *path,
                       bool one_channel, const char *const *set, size_t n_set, arena_t *a,
                       diag_t *d)
{
    const alone_t m = {path, one_channel};
    const size_t first = d->n;
    *spec = NULL;
    int rc = load_memory(&m, spec, p, set, n_set, a, d);
    blame_options(d, first, load_memory_again, &m, set, n_set);
    return rc;
}

/* ---- derived figures ---- */

double device_peak_dram_bytes_per_s(const device_t *dev)
{
    return dram_peak_bytes_per_s(dev->memory[0].spec);
}

static double per_clk(const device_t *dev, uint32_t per_sm)
{
    return (double)dev->gpu.sms * (double)per_sm * (double)dev->gpu.clock;
}

double device_peak_tensor_flops(const device_t *dev)
{
    return per_clk(dev, dev->gpu.tensor_fp16_per_clk);
}

double device_peak_fp32_flops(const device_t *dev)
{
    return per_clk(dev, dev->gpu.fp32_per_clk);
}

double device_peak_l2_bytes_per_s(const device_t *dev)
{
    return (double)dev->l2.slices * (double)dev->l2.bytes_per_clk * (double)dev->l2.clock;
}

uint64_t device_capacity_bytes(const device_t *dev)
{
    return dram_capacity_bytes(dev->memory[0].spec);
}
