/* SPDX-License-Identifier: MIT
 * Printing a device from its parameter tables. */
#include "cli/device_text.h"
#include "report/fmt.h"
#include <string.h>

static void ini_section_text(FILE *f, const param_table_t *t, const void *values, const char *name)
{
    fprintf(f, "\n[%s%s%s]\n", t->section, name && *name ? " " : "", name ? name : "");
    for (size_t i = 0; i < t->n; i++) {
        char line[512];
        param_format(&t->rows[i], values, line, sizeof line);
        const char *eq = strchr(line, '=');
        /* an empty text has no spelling in the file: leaving the key out gives the same value */
        if (eq && eq[1 + strspn(eq + 1, " ")] == '\0') continue;
        fprintf(f, "%s\n", line);
    }
}

/* [device] has no named table object of its own: it is found among all. */
static const param_table_t *table_of(const char *section)
{
    size_t n;
    const param_table_t *const *t = device_tables(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(t[i]->section, section) == 0) return t[i];
    return t[0];
}

static void remark_text(FILE *f, const char *remark)
{
    fputs("# Resolved configuration: every parameter, includes and overrides applied.\n", f);
    while (remark && *remark) {
        size_t n = strcspn(remark, "\n");
        /* lines of a device file end at 199 bytes */
        fprintf(f, "# %.*s\n", (int)(n < 190 ? n : 190), remark);
        remark += n + (remark[n] == '\n');
    }
}

void memory_write_ini(FILE *f, const dram_param_t *p, const char *name, const char *remark)
{
    remark_text(f, remark);
    ini_section_text(f, &dram_param_table, p, name);
}

void device_write_ini(FILE *f, const device_t *dev, const char *remark)
{
    remark_text(f, remark);
    ini_section_text(f, table_of("device"), &dev->info, NULL);
    ini_section_text(f, &gpu_param_table, &dev->gpu, NULL);
    ini_section_text(f, &l1_param_table, &dev->l1, NULL);
    ini_section_text(f, &l2_param_table, &dev->l2, NULL);
    ini_section_text(f, &xbar_param_table, &dev->xbar, NULL);
    for (uint32_t i = 0; i < dev->n_memories; i++)
        ini_section_text(f, &dram_param_table, &dev->memory[i].dram, dev->memory[i].name);
}

static void listing_section(FILE *f, const param_table_t *t, const void *values,
                            const ini_section_t *s, const char *name, arena_t *a)
{
    fprintf(f, "\n[%s%s%s]\n", t->section, name && *name ? " " : "", name ? name : "");
    for (size_t i = 0; i < t->n; i++) {
        const param_row_t *r = &t->rows[i];
        char line[512];
        param_format(r, values, line, sizeof line);
        fprintf(f, "  ");
        fmt_field(f, 38, line);
        fprintf(f, " %s", r->help);
        fprintf(f, "\n      %s", s ? param_origin(r, s, a) : "built-in");
        for (size_t j = 0; s && j < s->n; j++)
            if (strcmp(s->entry[j].key, r->key) == 0 && s->entry[j].source)
                fprintf(f, ": %s", s->entry[j].source);
        fputc('\n', f);
    }
}

void memory_write_listing(FILE *f, const dram_param_t *p, const ini_section_t *s, arena_t *a)
{
    listing_section(f, &dram_param_table, p, s, s ? s->name : "", a);
}

void device_write_listing(FILE *f, const device_t *dev, arena_t *a)
{
    fprintf(f, "%s (%s)\n\n", dev->info.name, dev->path);
    fprintf(f, "  %u SMs --- L1 %s each --- crossbar --- %u L2 slices, %s --- ", dev->gpu.sms,
            fmt_bytes((double)dev->l1.size).s, dev->l2.slices, fmt_bytes((double)dev->l2.size).s);
    for (uint32_t i = 0; i < dev->n_memories; i++)
        fprintf(f, "%smemory %s", i ? ", " : "", dev->memory[i].name);
    fputs("\n\npeaks that follow\n", f);
    fprintf(f, "  %-22s%s\n", "memory", fmt_si(device_peak_dram_bytes_per_s(dev), "B/s").s);
    fprintf(f, "  %-22s%s\n", "L2", fmt_si(device_peak_l2_bytes_per_s(dev), "B/s").s);
    fprintf(f, "  %-22s%s\n", "tensor fp16, dense",
            fmt_si(device_peak_tensor_flops(dev), "FLOP/s").s);
    fprintf(f, "  %-22s%s\n", "fp32", fmt_si(device_peak_fp32_flops(dev), "FLOP/s").s);
    fprintf(f, "  %-22s%s\n", "memory capacity", fmt_bytes((double)device_capacity_bytes(dev)).s);
    listing_section(f, table_of("device"), &dev->info, dev->sec_device, NULL, a);
    listing_section(f, &gpu_param_table, &dev->gpu, dev->sec_gpu, NULL, a);
    listing_section(f, &l1_param_table, &dev->l1, dev->sec_l1, NULL, a);
    listing_section(f, &l2_param_table, &dev->l2, dev->sec_l2, NULL, a);
    listing_section(f, &xbar_param_table, &dev->xbar, dev->sec_xbar, NULL, a);
    for (uint32_t i = 0; i < dev->n_memories; i++)
        listing_section(f, &dram_param_table, &dev->memory[i].dram, dev->memory[i].section,
                        dev->memory[i].name, a);
}
