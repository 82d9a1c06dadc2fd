/* SPDX-License-Identifier: MIT
 * The screen's labels and headings, explained. */
#ifndef MEMSIM_REPORT_SCREEN_WORDS_H
#define MEMSIM_REPORT_SCREEN_WORDS_H
#include "core/words.h"

extern const word_t report_screen_words[];
extern const size_t report_n_screen_words;
#endif
