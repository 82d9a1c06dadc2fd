/* SPDX-License-Identifier: MIT
 * What may be shown on a terminal and written into JSON. */
#ifndef MEMSIM_CORE_UTF8_H
#define MEMSIM_CORE_UTF8_H
#include <stddef.h>

/* Bytes (1 to 4) of the printable UTF-8 character at `s`, which a 0 ends; 0 if there is none: a control character
 * (C0, DEL or C1), a byte that is no UTF-8, an overlong form, a surrogate, or the end.  RFC 3629, section 4. */
size_t utf8_printable(const char *s);
/* Every byte of `s` that is no part of a printable character becomes '?'. */
void utf8_plain(char *s);
#endif
