/* SPDX-License-Identifier: MIT
 * A loaded device as text: the flat, re-runnable INI file and the listing of `memsim show`. */
#ifndef MEMSIM_CLI_DEVICE_TEXT_H
#define MEMSIM_CLI_DEVICE_TEXT_H
#include "machine/device.h"
#include <stdio.h>

/* Every section with every parameter at its resolved value: loading the file gives the same device.
 * `remark` (may be NULL) becomes a comment at the top, one line each. */
void device_write_ini(FILE *f, const device_t *dev, const char *remark);
void memory_write_ini(FILE *f, const dram_param_t *p, const char *name, const char *remark);
/* The listing: topology, peaks, then parameters with origin and source. */
void device_write_listing(FILE *f, const device_t *dev, arena_t *a);
void memory_write_listing(FILE *f, const dram_param_t *p, const ini_section_t *s, arena_t *a);
#endif
