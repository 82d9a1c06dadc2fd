/* SPDX-License-Identifier: MIT
 * The words that results use, each with what it means: whoever reports takes the word from here, and `memsim explain`
 * knows it. */
#ifndef MEMSIM_CORE_WORDS_H
#define MEMSIM_CORE_WORDS_H
#include "core/req.h"

typedef struct word {
    const char *name, *help;
} word_t;

typedef enum limit { /* of a kernel */
                     LIMIT_DRAM,
                     LIMIT_L2,
                     LIMIT_REPLY_PORTS,
                     LIMIT_REQUEST_PORTS,
                     LIMIT_LSU,
                     LIMIT_SHARED,
                     LIMIT_MATH, /* of an arithmetic unit: by the unit's name */
                     LIMIT_LAUNCH,
                     LIMIT_IN_FLIGHT,
                     LIMIT_FEW_BLOCKS,
                     LIMIT_TURNOVER,
                     LIMIT_UNKNOWN,
                     LIMIT_NONE,
                     LIMIT_COUNT
} limit_t;

typedef enum loss { /* what a memory's data bus did or waited for */
                    LOSS_DATA,
                    LOSS_EMPTY,
                    LOSS_ROW,
                    LOSS_ACT,
                    LOSS_CCD,
                    LOSS_TURN,
                    LOSS_REFRESH,
                    LOSS_BUS,
                    LOSS_OTHER,
                    LOSS_COUNT
} loss_t;

typedef enum energy_part { /* of the device */
                           ENERGY_MEMORY,
                           ENERGY_L2,
                           ENERGY_L1,
                           ENERGY_CROSSBAR,
                           ENERGY_MATH,
                           ENERGY_IDLE,
                           ENERGY_TOTAL,
                           ENERGY_COUNT
} energy_part_t;

extern const word_t limit_words[LIMIT_COUNT], loss_words[LOSS_COUNT], energy_words[ENERGY_COUNT];
extern const word_t hop_words[ST_COUNT]; /* by the stage that ends the hop; none for the first */

/* All lists, with what their words are; a name may be NULL. */
typedef struct word_list {
    const char *of;
    const word_t *word;
    size_t n;
} word_list_t;
extern const word_list_t word_lists[];
extern const size_t n_word_lists;
#endif
