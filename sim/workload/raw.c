/* SPDX-License-Identifier: MIT
 * Hand-written, because this is the inner loop of every raw trace: some 20 bytes and 100 ns a line are all
 * there is.  The native form is parsed first; everything else is told apart only when that fails. */
#include "workload/raw.h"
#include <string.h>

#define DEFAULT_BYTES 64u

const char *const raw_form_names[RAW_FORMS] = {
    [RAW_NONE] = "no access line",
    [RAW_NATIVE] = "memsim raw",
    [RAW_LOADSTORE] = "Ramulator 2 load/store",
    [RAW_ADDR_FIRST] = "Ramulator DRAM",
    [RAW_DRAMSIM] = "DRAMsim3",
    [RAW_ADDR_VECTOR] = "Ramulator 2 read/write (address vectors)",
    [RAW_CPU] = "Ramulator CPU (instruction counts)",
    [RAW_USIMM] = "USIMM (instruction counts)",
    [RAW_STL] = "DRAMSys STL",
    [RAW_LACKEY] = "Valgrind lackey",
    [RAW_GEM5] = "gem5 packet text",
    [RAW_ACCELSIM] = "Accel-Sim SASS",
    [RAW_NVBIT] = "NVBit mem_trace",
};

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digit values plus 1, so that 0 says "no digit"; a table because its branches cannot be predicted. */
static const uint8_t hex_digit[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_hex_digit(char c)
{
    return hex_digit[(unsigned char)c] != 0;
}

static const char *skip(const char *s)
{
    while (blank(*s)) s++;
    return s;
}

static bool at_end(const char *s) /* nothing, or a comment, from here on; s has no blank in front */
{
    return *s == '\0' || *s == '#';
}

static bool token_end(char c)
{
    return c == '\0' || blank(c) || c == '#';
}

typedef enum { NUM_OK, NUM_NONE, NUM_LARGE } num_t;

static num_t hex_digits(const char **s, uint64_t *out)
{
    const char *p = *s;
    uint64_t v = 0;
    bool large = false;
    for (unsigned h; (h = hex_digit[(unsigned char)*p]) != 0; p++) {
        large |= (v >> 60) != 0;
        v = v << 4 | (h - 1);
    }
    if (p == *s) return NUM_NONE;
    *s = p;
    *out = v;
    return large ? NUM_LARGE : NUM_OK;
}

static num_t dec_digits(const char **s, uint64_t *out)
{
    const char *p = *s;
    uint64_t v = 0;
    bool large = false;
    for (; digit(*p); p++) {
        unsigned c = (unsigned)(*p - '0');
        large |= v > (UINT64_MAX - c) / 10;
        v = v * 10 + c;
    }
    if (p == *s) return NUM_NONE;
    *s = p;
    *out = v;
    return large ? NUM_LARGE : NUM_OK;
}

/* Decimal, or hexadecimal after 0x. */
static num_t number(const char **s, uint64_t *out)
{
    if ((*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X')) {
        const char *p = *s + 2;
        num_t n = hex_digits(&p, out);
        if (n != NUM_NONE) *s = p;
        return n;
    }
    return dec_digits(s, out);
}

/* The word at s as printable text for a message. */
static const char *word(const char *s, char buf[32])
{
    size_t n = 0;
    for (; n < 28 && !token_end(s[n]); n++) buf[n] = (char)((unsigned char)s[n] < 32 ? '?' : s[n]);
    if (n == 28 && !token_end(s[n])) buf[n - 1] = buf[n - 2] = buf[n - 3] = '.';
    buf[n] = '\0';
    return buf;
}

/* ---- which form ---- */

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (!token_end(s[n])) n++;
    return n;
}

static bool is_word(const char *s, const char *w)
{
    size_t n = strlen(w);
    return strncmp(s, w, n) == 0 && token_end(s[n]);
}

static const char *next_word(const char *s)
{
    return skip(s + word_length(s));
}

static bool is_number(const char *s)
{
    uint64_t v;
    return number(&s, &v) != NUM_NONE && token_end(*s);
}

static bool is_hex(const char *s)
{
    uint64_t v;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) s += 2;
    return hex_digits(&s, &v) != NUM_NONE && token_end(*s);
}

/* The operation words of DRAMsim3 and DRAMSim2.  Those tools take every word they do not know for a read;
 * here it is an error. */
static bool dramsim_op(const char *s, bool *write)
{
    static const char *const reads[] = {"READ",    "read",      "P_MEM_RD",
                                        "P_FETCH", "P_LOCK_RD", "IFETCH"};
    static const char *const writes[] = {"WRITE", "write", "P_MEM_WR", "P_LOCK_WR", "BOFF"};
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        if (is_word(s, reads[i])) return *write = false, true;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
        if (is_word(s, writes[i])) return *write = true, true;
    return false;
}

static raw_form_t sniff_letter(const char *s) /* a one-letter word, or a letter and a comma */
{
    const char *second = skip(s + 1);
    if (s[1] == ',') return strchr("rwu", s[0]) && digit(s[2]) ? RAW_GEM5 : RAW_NONE;
    if (strchr("RWrw", s[0])) {
        size_t n = word_length(second);
        return digit(*second) && memchr(second, ',', n) ? RAW_ADDR_VECTOR : RAW_NATIVE;
    }
    if (strchr("ILSM", s[0]) && is_hex_digit(*second) && memchr(second, ',', word_length(second)))
        return RAW_LACKEY;
    return RAW_NONE;
}

raw_form_t raw_sniff(const char *line)
{
    const char *s = skip(line);
    if (at_end(s)) return RAW_NONE;
    if (strchr("RWrwuILSM", *s) && (token_end(s[1]) || s[1] == ',')) return sniff_letter(s);
    if (is_word(s, "LD") || is_word(s, "ST")) return RAW_LOADSTORE;
    if (strncmp(s, "MEMTRACE:", 9) == 0) return RAW_NVBIT;
    if (is_word(s, "-kernel")) return RAW_ACCELSIM;

    const char *second = next_word(s);
    const char *third = next_word(second);
    bool write;
    if (is_hex(s) && dramsim_op(second, &write)) return RAW_DRAMSIM;
    if (is_number(s) && (is_word(second, "R") || is_word(second, "W"))) {
        if (at_end(third)) return RAW_ADDR_FIRST;
        return is_hex(third) ? RAW_USIMM : RAW_NONE;
    }
    if (digit(*s)) {
        const char *colon = s;
        while (digit(*colon)) colon++;
        if (*colon == ':') return RAW_STL;
    }
    if (is_number(s) && is_number(second) && (at_end(third) || is_number(third))) return RAW_CPU;
    return RAW_NONE;
}

/* ---- one line ---- */

typedef struct cursor {
    raw_parser_t *p;
    const char *line;
    int lineno;
    diag_t *d;
} cursor_t;

static int bad(const cursor_t *c, const char *at, const char *text)
{
    char w[32];
    int col = (int)(at - c->line) + 1;
    if (at_end(at))
        diag_at(c->d, MS_INPUT, c->p->file, c->lineno, "column %d: %s, but the line ends", col,
                text);
    else
        diag_at(c->d, MS_INPUT, c->p->file, c->lineno, "column %d: %s, got \"%s\"", col, text,
                word(at, w));
    return -1;
}

static const char *read_address(const cursor_t *c, const char *s, bool hex, raw_access_t *out)
{
    const char *start = s;
    if (hex && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) s += 2;
    num_t n = hex ? hex_digits(&s, &out->addr) : number(&s, &out->addr);
    if (n == NUM_OK && token_end(*s)) return s;
    bad(c, start,
        n == NUM_LARGE ? "address over 64 bits" : "expected an address (decimal or 0x...)");
    return NULL;
}

/* "12.5ns" -> 12500.  In ns without a unit; never through floating point. */
static const char *read_time(const cursor_t *c, const char *s, ps_t *out)
{
    static const struct {
        const char *unit;
        ps_t ps;
    } units[] = {
        {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}};
    const char *start = s;
    uint64_t whole;
    num_t n = dec_digits(&s, &whole);
    if (n == NUM_NONE) return bad(c, start, "expected a time such as 125ns"), NULL;
    const char *fraction = s;
    if (*s == '.') do
            s++;
        while (digit(*s));
    ps_t scale = 1000;
    size_t length = word_length(s);
    if (length) {
        size_t i = 0;
        while (i < 5 && !(strlen(units[i].unit) == length && memcmp(s, units[i].unit, length) == 0))
            i++;
        if (i == 5) return bad(c, start, "expected a time in ps, ns, us, ms or s"), NULL;
        scale = units[i].ps;
    }
    if (n == NUM_LARGE || whole > (uint64_t)(PS_MAX / 2 / scale))
        return bad(c, start, "time too large"), NULL;
    ps_t t = (ps_t)whole * scale;
    ps_t place = scale;
    for (const char *f = fraction + 1; f < s && place > 1; f++) { /* below 1 ps: dropped */
        place /= 10;
        t += (*f - '0') * place;
    }
    *out = t;
    return s + length;
}

/* The optional rest of a native line. */
static const char *read_size_time(const cursor_t *c, const char *s, raw_access_t *out)
{
    s = skip(s);
    if (digit(*s)) {
        const char *start = s;
        num_t n = number(&s, &out->bytes);
        if (n != NUM_OK || !token_end(*s)) return bad(c, start, "expected a size in bytes"), NULL;
        if (out->bytes == 0) return bad(c, start, "expected a size of at least 1 byte"), NULL;
        s = skip(s);
    }
    if (*s == '@') s = read_time(c, s + 1, &out->at_ps);
    return s;
}

/* Checks that hold for every form. */
static int finish(const cursor_t *c, const char *s, raw_access_t *out)
{
    raw_parser_t *p = c->p;
    s = skip(s);
    if (!at_end(s)) return bad(c, s, "expected the end of the line");
    if (out->bytes - 1 > UINT64_MAX - out->addr ||
        (p->limit_bytes &&
         (out->addr >= p->limit_bytes || out->bytes > p->limit_bytes - out->addr))) {
        unsigned long long addr = out->addr, bytes = out->bytes, limit = p->limit_bytes;
        if (limit)
            diag_at(c->d, MS_INPUT, p->file, c->lineno,
                    "access of %llu bytes at 0x%llx ends beyond the capacity of %llu bytes", bytes,
                    addr, limit);
        else
            diag_at(c->d, MS_INPUT, p->file, c->lineno,
                    "access of %llu bytes at 0x%llx ends beyond 64-bit addresses", bytes, addr);
        return -1;
    }
    if (out->at_ps >= 0) {
        if (out->at_ps < p->last_ps) {
            diag_at(c->d, MS_INPUT, p->file, c->lineno,
                    "time %lld ps is before the %lld ps of an earlier line: sort the trace by time",
                    (long long)out->at_ps, (long long)p->last_ps);
            return -1;
        }
        p->last_ps = out->at_ps;
    }
    p->accesses++;
    return 1;
}

static int parse_native(const cursor_t *c, const char *s, raw_access_t *out)
{
    out->write = *s == 'W' || *s == 'w';
    s = read_address(c, skip(s + 1), false, out);
    if (s) s = read_size_time(c, s, out);
    return s ? finish(c, s, out) : -1;
}

static int parse_loadstore(const cursor_t *c, const char *s, raw_access_t *out)
{
    bool store = is_word(s, "ST");
    if (!store && !is_word(s, "LD")) return bad(c, s, "expected LD or ST");
    out->write = store;
    s = read_address(c, skip(s + 2), false, out);
    return s ? finish(c, s, out) : -1;
}

static int parse_addr_first(const cursor_t *c, const char *s, raw_access_t *out)
{
    s = read_address(c, s, false, out);
    if (!s) return -1;
    s = skip(s);
    out->write = is_word(s, "W");
    if (!out->write && !is_word(s, "R")) return bad(c, s, "expected R or W");
    return finish(c, s + 1, out);
}

static int parse_dramsim(const cursor_t *c, const char *s, raw_access_t *out)
{
    s = read_address(c, s, true, out);
    if (!s) return -1;
    s = skip(s);
    if (!dramsim_op(s, &out->write)) return bad(c, s, "expected READ or WRITE");
    s = next_word(s);
    if (at_end(s)) return finish(c, s, out); /* DRAMSim2's form without a time */
    const char *start = s;
    uint64_t cycle = 0;
    num_t n = dec_digits(&s, &cycle);
    if (n == NUM_NONE || !token_end(*s)) return bad(c, start, "expected a clock cycle");
    if (c->p->clock.hz == 0) {
        diag_at(c->d, MS_INPUT, c->p->file, c->lineno,
                "%s trace: its times are cycles of a memory clock that this file does not name; "
                "give it to "
                "`memsim dram`, which has one, or write lines of the form `R|W ADDR SIZE @TIME`",
                raw_form_names[RAW_DRAMSIM]);
        return -1;
    }
    if (n == NUM_LARGE || cycle > (uint64_t)1 << 60 ||
        (wide_t)cycle * 1000000000000 / (wide_t)c->p->clock.hz > PS_MAX / 2)
        return bad(c, start, "time too large");
    out->at_ps = clk_edge(c->p->clock, (int64_t)cycle);
    return finish(c, s, out);
}

void raw_parser_init(raw_parser_t *p, const char *file)
{
    *p = (raw_parser_t){.file = file, .default_bytes = DEFAULT_BYTES, .last_ps = -1};
}

int raw_parse(raw_parser_t *p, const char *line, int lineno, raw_access_t *out, diag_t *d)
{
    const char *s = skip(line);
    if (at_end(s)) return 0;
    const cursor_t c = {p, line, lineno, d};
    out->line = lineno;
    out->bytes = p->default_bytes;
    out->at_ps = -1;
    if (p->form == RAW_NONE) {
        p->form = raw_sniff(s);
        if (p->form == RAW_NONE) return bad(&c, s, "expected R or W");
    }
    switch (p->form) {
    case RAW_NATIVE:
        if (!strchr("RWrw", *s) || !(blank(s[1]) || at_end(s + 1)))
            return bad(&c, s, "expected R or W");
        return parse_native(&c, s, out);
    case RAW_LOADSTORE:
        return parse_loadstore(&c, s, out);
    case RAW_ADDR_FIRST:
        return parse_addr_first(&c, s, out);
    case RAW_DRAMSIM:
        return parse_dramsim(&c, s, out);
    case RAW_NONE:
    case RAW_ADDR_VECTOR:
    case RAW_CPU:
    case RAW_USIMM:
    case RAW_STL:
    case RAW_LACKEY:
    case RAW_GEM5:
    case RAW_ACCELSIM:
    case RAW_NVBIT:
        break;
    case RAW_FORMS:
        return bad(&c, s, "expected R or W");
    }
    diag_at(d, MS_INPUT, p->file, lineno,
            "a line of a %s trace, which is not imported: expected `R|W ADDR [SIZE] [@TIME]`",
            raw_form_names[p->form]);
    return -1;
}

/* ---- whole files ---- */

int raw_open(raw_stream_t *s, const char *path, diag_t *d)
{
    s->reader = NULL;
    int rc = reader_open(&s->reader, path, d);
    if (rc == MS_OK) raw_parser_init(&s->parser, reader_name(s->reader));
    return rc;
}

int raw_next(raw_stream_t *s, raw_access_t *out, diag_t *d)
{
    char *line;
    size_t len;
    int rc;
    do {
        rc = reader_next(s->reader, &line, &len, d);
        if (rc != 1) return rc;
        rc = raw_parse(&s->parser, line, reader_line(s->reader), out, d);
    } while (rc == 0);
    return rc;
}

bool raw_rewind(raw_stream_t *s)
{
    if (!reader_rewind(s->reader)) return false;
    s->parser.last_ps = -1;
    s->parser.accesses = 0;
    return true;
}

void raw_close(raw_stream_t *s)
{
    reader_close(s->reader);
    s->reader = NULL;
}
