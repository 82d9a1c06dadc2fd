/* SPDX-License-Identifier: MIT
 * Number and text formatting of the reports. */
#include "report/fmt.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Three significant digits of a value already scaled to [1, 1000). */
static void three_digits(char *buf, size_t n, double v)
{
    double a = fabs(v);
    int digits = a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
    snprintf(buf, n, "%.*f", digits, v);
}

static fmt_txt_t prefixed(double v, const char *unit, double lowest)
{
    static const struct {
        double scale;
        const char *prefix;
    } step[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},
                {1e3, "k"},  {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    fmt_txt_t t = {"-"};
    if (!isfinite(v)) return t;
    double a = fabs(v);
    if (a == 0) {
        snprintf(t.s, sizeof t.s, "0 %s", unit);
        return t;
    }
    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++) {
        /* 999.5 would print as 1000: it belongs to the next prefix */
        if (a < step[i].scale * 0.9995 && step[i].scale > lowest) continue;
        char num[24];
        three_digits(num, sizeof num, v / step[i].scale);
        snprintf(t.s, sizeof t.s, "%s %s%s", num, step[i].prefix, unit);
        return t;
    }
    snprintf(t.s, sizeof t.s, "%.3g %s", v, unit);
    return t;
}

fmt_txt_t fmt_si(double v, const char *unit)
{
    return prefixed(v, unit, strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 ? 1 : 1e-9);
}

fmt_txt_t fmt_gbps(double GBps)
{
    return prefixed(GBps * 1e9, "B/s", 1);
}

fmt_txt_t fmt_ns(double ns)
{
    if (isfinite(ns) && ns != 0 && fabs(ns) < 0.9995) {
        fmt_txt_t t;
        snprintf(t.s, sizeof t.s, "%.0f ps", ns * 1e3);
        return t;
    }
    return prefixed(ns * 1e-9, "s", 1e-9);
}

fmt_txt_t fmt_pct(double share)
{
    fmt_txt_t t = {"-"};
    if (isfinite(share)) snprintf(t.s, sizeof t.s, "%.1f %%", share * 100 + 0.0);
    return t;
}

fmt_txt_t fmt_pct0(double share)
{
    fmt_txt_t t = {"-"};
    if (isfinite(share)) snprintf(t.s, sizeof t.s, "%.0f %%", share * 100 + 0.0);
    return t;
}

fmt_txt_t fmt_count(uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    fmt_txt_t t;
    int o = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) t.s[o++] = ',';
        t.s[o++] = digits[i];
    }
    t.s[o] = '\0';
    return t;
}

fmt_txt_t fmt_bytes(double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    fmt_txt_t t = {"-"};
    if (!isfinite(bytes)) return t;
    unsigned u = 0;
    while (fabs(bytes) >= 1023.5 && u < 5) {
        bytes /= 1024;
        u++;
    }
    char num[24];
    if (bytes == floor(bytes))
        snprintf(num, sizeof num, "%.0f", bytes);
    else
        three_digits(num, sizeof num, bytes);
    snprintf(t.s, sizeof t.s, "%s %s", num, unit[u]);
    return t;
}

int fmt_width(const char *s)
{
    int n = 0;
    for (; *s; s++)
        if (((unsigned char)*s & 0xC0) != 0x80) n++;
    return n;
}

void fmt_field(FILE *f, int width, const char *s)
{
    int w = width < 0 ? -width : width, have = fmt_width(s);
    for (int i = have; width < 0 && i < w; i++) fputc(' ', f);
    int left = w;
    for (; *s; s++) {
        if (((unsigned char)*s & 0xC0) != 0x80 && left-- == 0) break;
        fputc(*s, f);
    }
    for (int i = have; width > 0 && i < w; i++) fputc(' ', f);
}

/* Print one word of n bytes; the no-break space (C2 A0 in UTF-8) held it together, print a plain blank. */
static void put_word(FILE *f, const char *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool no_break = (unsigned char)w[i] == 0xC2 && i + 1 < n && (unsigned char)w[i + 1] == 0xA0;
        fputc(no_break ? ' ' : w[i], f);
        if (no_break) i++;
    }
}

void fmt_wrap(FILE *f, const char *text, int indent, int columns)
{
    int at = indent;
    while (*text) {
        int blanks = (int)strspn(text, " ");
        text += blanks;
        size_t len = strcspn(text, " ");
        int w = 0;
        for (size_t i = 0; i < len; i++)
            if (((unsigned char)text[i] & 0xC0) != 0x80) w++;
        if (!w) break;
        if (at > indent && at + blanks + w > columns) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
            blanks = 0;
        }
        fprintf(f, "%*s", blanks, "");
        put_word(f, text, len);
        at += blanks + w;
        text += len;
    }
}
