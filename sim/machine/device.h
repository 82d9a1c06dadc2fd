/* SPDX-License-Identifier: MIT
 * A device file, loaded: every model's parameters, checked, each with its origin. */
#ifndef MEMSIM_MACHINE_DEVICE_H
#define MEMSIM_MACHINE_DEVICE_H
#include "cache/cache_param.h"
#include "core/arena.h"
#include "core/diag.h"
#include "core/param.h"
#include "dram/dram.h"
#include "gpu/gpu_param.h"
#include "link/xbar_param.h"

#define DEVICE_PARAMS(P)                                              \
    P(name, TEXT, NULL, NULL, NULL, "i", "name as printed", "report") \
    P(vendor, TEXT, "", NULL, NULL, "i", "maker", "report")
typedef struct device_info {
    DEVICE_PARAMS(PARAM_FIELD)
} device_info_t;

#define MEMORIES_MAX 8
typedef struct device_memory {
    const char *name; /* of [memory NAME] */
    dram_param_t dram;
    const dram_spec_t *spec; /* derived: geometry, peaks; NULL if the parameters are bad */
    ini_section_t *section;
} device_memory_t;

typedef struct device {
    const char *path;
    device_info_t info;
    gpu_param_t gpu;
    l1_param_t l1;
    l2_param_t l2;
    xbar_param_t xbar;
    uint32_t n_memories;
    device_memory_t memory[MEMORIES_MAX];
    ini_doc_t *doc;
    ini_section_t *sec_device, *sec_gpu, *sec_l1, *sec_l2, *sec_xbar;
} device_t;

/* Tables of every section kind, for -s, --explain, show and the docs. */
const param_table_t *const *device_tables(size_t *n);
/* Load `path`, apply the -s assignments, check everything (also across sections).  All faults are reported; one that
 * is there because of an -s says so first. */
int device_load(device_t *dev, const char *path, const char *const *set, size_t n_set, arena_t *a,
                diag_t *d);
/* A DRAM file alone ([memory] or [dram] section), as `memsim dram` takes it. */
int device_load_dram(dram_param_t *p, ini_section_t **section, const char *path,
                     const char *const *set, size_t n_set, arena_t *a, diag_t *d);
/* The same with its rules checked and everything derived; with one_channel unless -s says how many. */
int device_load_memory(const dram_spec_t **spec, dram_param_t *p, const char *path,
                       bool one_channel, const char *const *set, size_t n_set, arena_t *a,
                       diag_t *d);
/* Derived figures for show and the screen. */
double device_peak_dram_bytes_per_s(const device_t *dev);
double device_peak_tensor_flops(const device_t *dev); /* dense fp16 */
double device_peak_fp32_flops(const device_t *dev);
double device_peak_l2_bytes_per_s(const device_t *dev);
uint64_t device_capacity_bytes(const device_t *dev);
#endif
