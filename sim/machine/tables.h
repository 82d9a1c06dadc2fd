/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_MACHINE_TABLES_H
#define MEMSIM_MACHINE_TABLES_H
#include "core/stats.h"

/* Statistic tables of every kind of component, for --explain and the docs. */
const stat_table_t *const *machine_stat_tables(size_t *n);
#endif
