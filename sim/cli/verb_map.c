/* SPDX-License-Identifier: MIT
 * memsim map: where an address lives, and which address a place has. */
#include "cli/cli.h"
#include "machine/device.h"
#include "machine/system.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a location a user may name. */
enum { L_CHANNEL, L_PC, L_RANK, L_BANK_GROUP, L_BANK, L_ROW, L_COLUMN, L_FIELDS };
static const char *const field_name[L_FIELDS] = {"channel", "pc",  "rank",  "bank_group",
                                                 "bank",    "row", "column"};

static bool whole(const char *s, size_t n, uint64_t *out)
{
    char buf[32], *end;
    if (!n || n >= sizeof buf || *s < '0' || *s > '9') return false;
    memcpy(buf, s, n);
    buf[n] = '\0';
    errno = 0;
    bool hex = buf[0] == '0' && (buf[1] == 'x' || buf[1] == 'X');
    *out = strtoull(buf, &end, hex ? 16 : 10);
    return !errno && !*end;
}

static void store(loc_t *l, int field, uint64_t v)
{
    switch (field) {
    case L_CHANNEL:
        l->channel = (uint16_t)v;
        break;
    case L_PC:
        l->pc = (uint8_t)v;
        break;
    case L_RANK:
        l->rank = (uint8_t)v;
        break;
    case L_BANK_GROUP:
        l->bank_group = (uint8_t)v;
        break;
    case L_BANK:
        l->bank = (uint8_t)v;
        break;
    case L_ROW:
        l->row = (uint32_t)v;
        break;
    default:
        l->col = (uint16_t)v;
        break;
    }
}

static int parse_place(const char *text, loc_t *l, diag_t *d)
{
    memset(l, 0, sizeof *l);
    const char *s = text;
    unsigned met = 0;
    while (*s) {
        size_t len = strcspn(s, "="), val = 0;
        uint64_t v = 0;
        int f = 0;
        while (f < L_FIELDS && (strlen(field_name[f]) != len || memcmp(field_name[f], s, len) != 0))
            f++;
        if (s[len] == '=') val = strcspn(s + len + 1, ",");
        if (f == L_FIELDS || !whole(s + len + (s[len] == '='), val, &v) || v > UINT32_MAX ||
            ((f == L_CHANNEL || f > L_ROW) && v > UINT16_MAX) ||
            (f > L_CHANNEL && f < L_ROW && v > UINT8_MAX))
            return diag_add(
                d, MS_USAGE,
                "map %s: needs NAME=NUMBER,... with channel, pc, rank, bank_group, bank, "
                "row, column",
                text);
        if (met >> f & 1)
            return diag_add(d, MS_USAGE, "map %s: %s is given twice", text, field_name[f]);
        met |= 1u << f;
        store(l, f, v);
        s += len + 1 + val;
        if (*s == ',') s++;
    }
    return MS_OK;
}

static void print_place(addr_t addr, const loc_t *l, int slice)
{
    printf("0x%llx  ", (unsigned long long)addr);
    if (slice >= 0) printf("slice=%d  ", slice);
    printf("channel=%u,pc=%u,rank=%u,bank_group=%u,bank=%u,row=%lu,column=%lu", l->channel, l->pc,
           l->rank, l->bank_group, l->bank, (unsigned long)l->row, (unsigned long)l->col);
}

static bool same_place(const loc_t *x, const loc_t *y)
{
    return x->channel == y->channel && x->pc == y->pc && x->rank == y->rank &&
           x->bank_group == y->bank_group && x->bank == y->bank && x->row == y->row &&
           x->col == y->col;
}

static int map_one(const char *text, const dram_param_t *p, const dram_spec_t *spec,
                   const system_t *sys, diag_t *d)
{
    loc_t loc, back;
    uint64_t addr;
    uint32_t burst = dram_burst_bytes(spec);
    bool place = strchr(text, '=') != NULL;
    if (place) {
        if (parse_place(text, &loc, d)) return MS_USAGE;
        addr = dram_encode(spec, &loc);
    } else if (!whole(text, strlen(text), &addr)) {
        return diag_add(d, MS_USAGE, "map %s: needs a decimal or 0x hexadecimal address", text);
    }
    if (addr >= dram_capacity_bytes(spec))
        return diag_add(d, MS_INPUT, "map %s: beyond the capacity of %llu bytes", text,
                        (unsigned long long)dram_capacity_bytes(spec));
    memset(&back, 0, sizeof back);
    dram_decode(spec, addr, &back);
    if (place && !same_place(&loc, &back))
        return diag_add(d, MS_INPUT,
                        "map %s: no such place in this memory; it has %u channels, %u pseudo "
                        "channels, %u ranks, %u bank groups of %u banks, %u rows of %u columns, "
                        "each counted from 0",
                        text, p->channels, p->pseudo_channels, p->ranks, p->bank_groups,
                        p->banks_per_group, p->rows, p->columns);
    print_place(addr, &back, sys ? (int)system_home_slice(sys, &back) : -1);
    printf("  back to 0x%llx", (unsigned long long)dram_encode(spec, &back));
    if (addr % burst) printf(" + %llu", (unsigned long long)(addr % burst));
    fputc('\n', stdout);
    return MS_OK;
}

int verb_map(const cli_t *c, arena_t *a, diag_t *d)
{
    if (c->n_operand < 2)
        return diag_add(d, MS_USAGE,
                        "map: needs DEVICE.ini and at least one ADDRESS; memsim map --help");
    const dram_spec_t *spec = NULL;
    dram_param_t p;
    system_t *sys = NULL;
    ini_doc_t *doc = NULL;
    int rc = ini_doc_load(&doc, c->operand[0], a, d);
    if (rc) return rc;
    if (ini_doc_count(doc, "gpu")) {
        device_t *dev = arena_array(a, device_t, 1);
        system_opt_t opt = {.seed = 1};
        rc = device_load(dev, c->operand[0], c->set, c->n_set, a, d);
        if (!rc) rc = system_new(&sys, dev, &opt, a, d);
        if (!rc) {
            spec = sys->dram;
            p = dev->memory[0].dram;
        }
    } else {
        rc = device_load_memory(&spec, &p, c->operand[0], false, c->set, c->n_set, a, d);
    }
    for (size_t i = 1; i < c->n_operand && !rc; i++) rc = map_one(c->operand[i], &p, spec, sys, d);
    if (sys) system_free(sys);
    return rc;
}
