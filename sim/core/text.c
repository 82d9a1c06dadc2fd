/* SPDX-License-Identifier: MIT
 * Numbers with units, to and from text.  A number is read as decimal digits and a power of ten, multiplied by
 * its unit in 128-bit integers: "13.75 ns" is 13750 ps, never 13749.999.  No double takes part where the result
 * is an integer, and text_format gives text that text_parse reads back to the same value. */
#include "core/param.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uwide_t; /* digits times unit */

typedef struct unit {
    const char *name;
    uint64_t scale; /* in base units; for PT_PJ, PT_WATT and PT_REAL in `exp10` instead */
    int exp10;
} unit_t;

typedef struct scale {
    const unit_t *unit;
    size_t n;
    size_t n_print;    /* the first n_print are used for output, largest first */
    const char *list;  /* for messages */
    const char *needs; /* the message when it is missing */
    const char *wrong; /* the message when it is another */
    const char *finer; /* the message when the value is no whole number of base units */
} scale_t;

#define KI UINT64_C(1024)
#define K UINT64_C(1000)
#define N_OF(v) (sizeof(v) / sizeof *(v))

static const unit_t time_units[] = {
    {"s", K *K *K *K, 0}, {"ms", K *K *K, 0}, {"us", K *K, 0}, {"ns", K, 0}, {"ps", 1, 0}};
static const unit_t gap_units[] = {{"s", K *K *K *K, 0}, {"ms", K *K *K, 0}, {"us", K *K, 0},
                                   {"ns", K, 0},         {"ps", 1, 0},       {"CK", 0, 0}};
static const unit_t byte_units[] = {{"TiB", KI *KI *KI *KI, 0},
                                    {"GiB", KI *KI *KI, 0},
                                    {"MiB", KI *KI, 0},
                                    {"KiB", KI, 0},
                                    {"TB", K *K *K *K, 0},
                                    {"GB", K *K *K, 0},
                                    {"MB", K *K, 0},
                                    {"kB", K, 0},
                                    {"B", 1, 0},
                                    {"KB", K, 0}};
static const unit_t hz_units[] = {
    {"GHz", K *K *K, 0}, {"MHz", K *K, 0}, {"kHz", K, 0}, {"Hz", 1, 0}};
static const unit_t rate_units[] = {
    {"Gbps", K *K *K, 0},   {"Mbps", K *K, 0},   {"kbps", K, 0},       {"bps", 1, 0},
    {"Gbit/s", K *K *K, 0}, {"Mbit/s", K *K, 0}, {"GT/s", K *K *K, 0}, {"MT/s", K *K, 0}};
static const unit_t bw_units[] = {
    {"TB/s", K *K *K *K, 0},  {"GB/s", K *K *K, 0}, {"MB/s", K *K, 0},
    {"kB/s", K, 0},           {"B/s", 1, 0},        {"TiB/s", KI *KI *KI *KI, 0},
    {"GiB/s", KI *KI *KI, 0}, {"MiB/s", KI *KI, 0}};
static const unit_t pj_units[] = {{"pJ", 1, 0}, {"fJ", 1, -3}, {"nJ", 1, 3}, {"uJ", 1, 6}};
static const unit_t watt_units[] = {{"W", 1, 0}, {"mW", 1, -3}, {"kW", 1, 3}};
static const unit_t real_units[] = {{"", 1, 0}, {"%", 1, -2}};

#define SCALE(v, n_print, list, finer)                        \
    {                                                         \
        v, N_OF(v), n_print, list, "needs a unit (" list ")", \
            "has an unknown unit (use " list ")", finer       \
    }
static const scale_t scales[] = {
    [PT_PS] = SCALE(time_units, 5, "ps, ns, us, ms or s", "is finer than 1 ps"),
    [PT_GAP] = SCALE(gap_units, 5, "ps, ns, us, ms, s or CK", "is finer than 1 ps or 1 CK"),
    [PT_BYTES] = SCALE(byte_units, 9, "B, KiB, MiB, GiB, TiB, kB, MB, GB or TB",
                       "is not a whole number of bytes"),
    [PT_HZ] = SCALE(hz_units, 4, "Hz, kHz, MHz or GHz", "is finer than 1 Hz"),
    [PT_RATE] = SCALE(rate_units, 4, "bps, kbps, Mbps or Gbps", "is finer than 1 bit/s"),
    [PT_BW] = SCALE(bw_units, 5, "B/s, kB/s, MB/s, GB/s or TB/s", "is finer than 1 B/s"),
    [PT_PJ] = SCALE(pj_units, 1, "fJ, pJ, nJ or uJ", ""),
    [PT_WATT] = SCALE(watt_units, 1, "mW, W or kW", ""),
    [PT_REAL] = {real_units, N_OF(real_units), 1, "plain number or %", "",
                 "must be a plain number or a percentage (\"0.25\", \"25 %\")", ""},
};

const char *text_units(param_type_t pt)
{
    switch (pt) {
    case PT_PS:
    case PT_GAP:
    case PT_BYTES:
    case PT_HZ:
    case PT_RATE:
    case PT_BW:
    case PT_PJ:
    case PT_WATT:
    case PT_REAL:
        return scales[pt].list;
    case PT_COUNT:
        return "whole number";
    case PT_BOOL:
        return "yes or no";
    case PT_ENUM:
        return "one of the choices";
    case PT_TEXT:
        return "text";
    }
    return "";
}

/* ---- reading ---- */

typedef struct decimal {
    bool negative;
    uwide_t digits;
    int exp10; /* value = digits * 10^exp10 */
} decimal_t;

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "e9", "E-3" behind a number; "e" alone or "eV" is a unit. */
static const char *read_exponent(const char *p, int *exp10)
{
    const char *q = p + 1;
    if (*p != 'e' && *p != 'E') return p;
    bool minus = *q == '-';
    if (*q == '-' || *q == '+') q++;
    if (!digit(*q)) return p;
    int e = 0;
    for (; digit(*q); q++)
        if (e < 1000) e = e * 10 + (*q - '0');
    *exp10 += minus ? -e : e;
    return q;
}

/* Read a decimal number; returns the text behind it, NULL with *why if there is none. */
static const char *read_decimal(const char *p, decimal_t *out, const char **why)
{
    const uwide_t limit = (uwide_t)1 << 100;
    decimal_t d = {0};
    bool any = false, point = false;
    if (*p == '-' || *p == '+') d.negative = *p++ == '-';
    for (; digit(*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (d.digits >= limit) {
            *why = "has too many digits";
            return NULL;
        }
        d.digits = d.digits * 10 + (unsigned)(*p - '0');
        d.exp10 -= point;
    }
    if (!any) {
        *why = "is not a number";
        return NULL;
    }
    p = read_exponent(p, &d.exp10);
    while (d.digits && d.digits % 10 == 0) { /* shortest form, so that 1.000 is whole */
        d.digits /= 10;
        d.exp10++;
    }
    if (!d.digits) d.exp10 = 0;
    *out = d;
    return p;
}

static const unit_t *find_unit(const scale_t *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->unit[i].name, text)) return &s->unit[i];
    return NULL;
}

/* digits * 10^exp10 * scale as a whole number up to `max`. */
static bool whole(const decimal_t *d, uint64_t scale, uint64_t max, const char *finer,
                  uint64_t *out, const char **why)
{
    const uwide_t limit = ~(uwide_t)0 / 10;
    uwide_t v = d->digits;
    int e = d->exp10;
    for (; e < 0 && v; e++) { /* take the tens out of the unit first: nothing can overflow */
        if (scale % 10 == 0) {
            scale /= 10;
        } else if (v % 10 == 0) {
            v /= 10;
        } else if (v % 5 == 0 && scale % 2 == 0) {
            v /= 5;
            scale /= 2;
        } else {
            *why = finer;
            return false;
        }
    }
    for (; e > 0 && v && v <= limit; e--) v *= 10;
    if (v && (e > 0 || v > max / scale)) {
        *why = "is too large";
        return false;
    }
    *out = (uint64_t)v * scale;
    return true;
}

static bool parse_integer(param_type_t pt, const char *text, void *out, const char **why)
{
    const bool is_signed = pt == PT_PS || pt == PT_GAP;
    decimal_t d;
    const char *rest = read_decimal(text, &d, why);
    if (!rest) return false;
    while (blank(*rest)) rest++;
    static const scale_t none = {.finer = "must be a whole number"};
    const scale_t *s = pt == PT_COUNT ? &none : &scales[pt];
    const unit_t *u = NULL;
    if (pt == PT_COUNT && *rest) {
        *why = "must be a whole number without a unit";
        return false;
    }
    if (pt != PT_COUNT) {
        u = find_unit(s, rest);
        if (!u) {
            *why = *rest ? s->wrong : s->needs;
            return false;
        }
    }
    if (d.negative && d.digits && !is_signed) {
        *why = "must not be negative";
        return false;
    }
    const bool in_clocks = u && u->scale == 0;
    uint64_t scale = u && !in_clocks ? u->scale : 1;
    uint64_t max = pt == PT_COUNT ? UINT32_MAX : is_signed ? INT64_MAX : UINT64_MAX, v;
    if (!whole(&d, scale, max, s->finer, &v, why)) return false;
    int64_t sv = d.negative ? -(int64_t)v : (int64_t)v;
    if (pt == PT_COUNT)
        *(uint32_t *)out = (uint32_t)v;
    else if (pt == PT_PS)
        *(ps_t *)out = sv;
    else if (pt == PT_GAP)
        *(gap_t *)out = (gap_t){.v = sv, .in_clocks = in_clocks};
    else
        *(uint64_t *)out = v;
    return true;
}

static bool parse_real(param_type_t pt, const char *text, double *out, const char **why)
{
    decimal_t d;
    const char *rest = read_decimal(text, &d, why);
    if (!rest) return false;
    while (blank(*rest)) rest++;
    const scale_t *s = &scales[pt];
    const unit_t *u = find_unit(s, rest);
    if (!u) {
        *why = *rest ? s->wrong : s->needs;
        return false;
    }
    /* Let strtod round once, with the unit in the exponent: 25 % is 25e-2 and not 25 * 0.01. */
    char digits[48], number[64];
    size_t n = sizeof digits;
    digits[--n] = '\0';
    uwide_t v = d.digits;
    do {
        digits[--n] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v);
    snprintf(number, sizeof number, "%s%se%d", d.negative ? "-" : "", digits + n,
             d.exp10 + u->exp10);
    double x = strtod(number, NULL);
    if (!isfinite(x)) {
        *why = "is too large";
        return false;
    }
    *out = x;
    return true;
}

static bool parse_bool(const char *text, bool *out, const char **why)
{
    static const char *const yes[] = {"yes", "true", "on"}, *const no[] = {"no", "false", "off"};
    for (size_t i = 0; i < 3; i++) {
        if (!strcmp(text, yes[i]) || !strcmp(text, no[i])) {
            *out = !strcmp(text, yes[i]);
            return true;
        }
    }
    *why = "must be yes or no";
    return false;
}

bool text_parse(param_type_t pt, const char *text, void *out, const char **why)
{
    char buf[128];
    if (pt == PT_TEXT) {
        *(const char **)out = text;
        return true;
    }
    while (blank(*text)) text++;
    size_t n = strlen(text);
    while (n && blank(text[n - 1])) n--;
    if (n >= sizeof buf || !n) {
        *why = n ? "is too long" : "has no value";
        return false;
    }
    memcpy(buf, text, n);
    buf[n] = '\0';
    switch (pt) {
    case PT_PS:
    case PT_GAP:
    case PT_BYTES:
    case PT_HZ:
    case PT_RATE:
    case PT_BW:
    case PT_COUNT:
        return parse_integer(pt, buf, out, why);
    case PT_PJ:
    case PT_WATT:
    case PT_REAL:
        return parse_real(pt, buf, out, why);
    case PT_BOOL:
        return parse_bool(buf, out, why);
    case PT_ENUM:
    case PT_TEXT:
        break;
    }
    *why = "is a choice; its names are known only to its parameter";
    return false;
}

/* ---- writing ---- */

/* v / scale as an exact decimal with at most `places` places; false if it has more. */
static bool exact_decimal(uint64_t v, uint64_t scale, int places, char *buf, size_t n)
{
    assert(scale > 0);
    uint64_t rest = v % scale;
    int len = snprintf(buf, n, "%llu", (unsigned long long)(v / scale));
    if (rest) buf[len++] = '.';
    for (int i = 0; rest; i++) {
        if (i == places || (size_t)len + 1 >= n) return false;
        uwide_t tens = (uwide_t)rest * 10;
        buf[len++] = (char)('0' + (int)(tens / scale));
        rest = (uint64_t)(tens % scale);
    }
    buf[len] = '\0';
    return true;
}

/* An exact form with at most three places: in the largest such unit, 1593000000 Hz as 1.593 GHz; of byte counts,
 * which have two families of units, the shortest, 80 GB and 50 GiB. */
static int format_scaled(const scale_t *s, bool negative, uint64_t v, char *buf, size_t n)
{
    char best[40] = "", text[40];
    const char *unit = "";
    for (size_t i = 0; i < s->n_print; i++) {
        const unit_t *u = &s->unit[i];
        if (v < u->scale && u->scale > 1) continue; /* "0.05 us" is worse than "50 ns" */
        if (!exact_decimal(v, u->scale, 3, text, sizeof text)) continue;
        if (*best && strlen(text) >= strlen(best)) continue;
        memcpy(best, text, sizeof best);
        unit = u->name;
        if (s != &scales[PT_BYTES]) break;
    }
    return snprintf(buf, n, "%s%s %s", negative ? "-" : "", best, unit);
}

/* Fewest digits that read back to the same double; whole numbers without an exponent: 700 W, not 7e+02 W. */
static int format_real(double x, const char *unit, char *buf, size_t n)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) >= x && strtod(text, NULL) <= x) break;
    }
    if (strchr(text, 'e') && fabs(x) >= 1 && fabs(x) < 1e15) {
        char plain[40];
        snprintf(plain, sizeof plain, "%.0f", x);
        if (strtod(plain, NULL) >= x && strtod(plain, NULL) <= x) memcpy(text, plain, sizeof text);
    }
    return snprintf(buf, n, "%s%s%s", text, *unit ? " " : "", unit);
}

int text_format(param_type_t pt, const void *value, char *buf, size_t n)
{
    switch (pt) {
    case PT_PS: {
        ps_t v = *(const ps_t *)value;
        return format_scaled(&scales[PT_PS], v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, buf, n);
    }
    case PT_GAP: {
        const gap_t *g = value;
        if (!g->in_clocks) return text_format(PT_PS, &g->v, buf, n);
        return snprintf(buf, n, "%lld CK", (long long)g->v);
    }
    case PT_BYTES:
    case PT_HZ:
    case PT_RATE:
    case PT_BW:
        return format_scaled(&scales[pt], false, *(const uint64_t *)value, buf, n);
    case PT_PJ:
    case PT_WATT:
    case PT_REAL:
        return format_real(*(const double *)value, scales[pt].unit[0].name, buf, n);
    case PT_COUNT:
        return snprintf(buf, n, "%u", (unsigned)*(const uint32_t *)value);
    case PT_BOOL:
        return snprintf(buf, n, "%s", *(const bool *)value ? "yes" : "no");
    case PT_ENUM:
        return snprintf(buf, n, "%d", *(const int *)value);
    case PT_TEXT:
        return snprintf(buf, n, "%s", *(const char *const *)value);
    }
    return snprintf(buf, n, "%s", "");
}
