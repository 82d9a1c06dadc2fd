/* SPDX-License-Identifier: MIT */
#include "core/utf8.h"
#include <stdint.h>

size_t utf8_printable(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80) return u[0] >= 0x20 && u[0] != 0x7f;
    size_t n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4) return 0;
    uint32_t c = u[0] & (0x7fu >> n);
    for (size_t i = 1; i < n;
         i++) { /* the final 0 is no continuation byte, so nothing behind it is read */
        if ((u[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3f);
    }
    static const uint32_t least[5] = {0, 0, 0xa0, 0x800, 0x10000}; /* 0x80 to 0x9f: C1 */
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) ? 0 : n;
}

void utf8_plain(char *s)
{
    while (*s) {
        size_t n = utf8_printable(s);
        if (!n) *s = '?';
        s += n ? n : 1;
    }
}
