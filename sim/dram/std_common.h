/* SPDX-License-Identifier: MIT */
#ifndef MEMSIM_DRAM_STD_COMMON_H
#define MEMSIM_DRAM_STD_COMMON_H
#include "dram/spec.h"

typedef struct rule_list {
    dram_rule_t *out;
    size_t n;
} rule_list_t;
void rules_add(rule_list_t *l, dram_cmd_t before, dram_cmd_t after, dram_scope_t scope,
               int64_t ticks);
/* Everything that holds for all standards of this version. */
void rules_common(rule_list_t *l, const dram_spec_t *s);
#endif
