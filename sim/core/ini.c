/* SPDX-License-Identifier: MIT
 * Reading device files: libinih on a line reader of our own.
 *
 * libinih 55 as Debian builds it gives its handler no line numbers, cuts lines at 199 bytes, takes an indented
 * line for a continuation of the key above, merges sections that come twice and stops telling after the first
 * bad line.  So the reader counts lines, checks each line's shape, opens sections and collects source comments;
 * libinih is left with what it does well, splitting "key = value ; comment". */
#include "core/ini_doc.h"
#include "core/utf8.h"
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NEST_MAX 16
#define FILE_MAX_BYTES \
    ((size_t)4 << 20)     /* a device that never ends, such as /dev/zero, is no device file */
#define NAME_MAX_BYTES 49 /* of a section header, as libinih keeps it */

typedef struct use {
    const char *path;
    int line;
    ini_section_t *into; /* NULL: whole sections, before any of our own */
} use_t;

typedef struct chain { /* the files being read, innermost first */
    const struct chain *outer;
    dev_t dev;
    ino_t ino;
    unsigned depth;
} chain_t;

typedef struct reader {
    FILE *f;
    size_t bytes; /* read so far */
    const char *file;
    int line;
    int rc;
    arena_t *arena;
    diag_t *d;
    ini_doc_t *doc;         /* this file's own sections */
    ini_section_t *section; /* NULL before the first */
    ini_section_t *discard; /* takes the keys of a refused section */
    use_t *use;
    size_t n_use, cap_use;
    const char *source; /* of the keys directly below */
    bool in_comment;    /* the line above was a comment */
} reader_t;

static void fault(reader_t *r, const char *what)
{
    r->rc = diag_at(r->d, MS_INPUT, r->file, r->line, "%s", what);
}

static bool space(char c)
{
    return c == ' ' || c == '\t';
}

/* Does the file begin like gzip, xz or zstd data? */
static bool packed(const char *head)
{
    return !strncmp(head, "\037\213", 2) || !strncmp(head, "\3757zXZ", 5) ||
           !strncmp(head, "\050\265\057\375", 4);
}

/* One line without its end, at most INI_LINE_MAX bytes; false at the end of the file. */
static bool read_line(reader_t *r, char *buf)
{
    size_t n = 0, total = 0;
    bool odd = false;
    int c;
    while ((c = getc(r->f)) != EOF && c != '\n') {
        total++;
        if (++r->bytes > FILE_MAX_BYTES) {
            fault(r, "more than 4 MiB: not a device file");
            return false;
        }
        if (c < ' ' && c != '\t' && c != '\r') odd = true;
        if (n <= INI_LINE_MAX) buf[n++] = (char)c;
    }
    if (c == EOF && !total) return false;
    r->line++;
    if (total == n && n && buf[n - 1] == '\r') total = --n;
    buf[n <= INI_LINE_MAX ? n : INI_LINE_MAX] = '\0';
    if (r->line == 1 && packed(buf)) {
        fault(r, "compressed data: a device file is plain text, unpack it first");
        return false;
    }
    if (odd) {
        fault(r, "not text: a control character");
        buf[0] = '\0';
    } else if (total > INI_LINE_MAX) {
        r->rc = diag_at(r->d, MS_INPUT, r->file, r->line,
                        "line of %zu bytes: at most %d are allowed", total, INI_LINE_MAX);
        buf[0] = '\0';
    }
    return true;
}

/* A comment line.  "src: ..." names the source of the keys below, up to the next comment or blank line; an
 * indented comment line under it goes on with the text. */
static void comment_line(reader_t *r, const char *p)
{
    const char *text = p + 1;
    while (space(*text)) text++;
    if (!strncmp(text, "src:", 4)) {
        text += 4;
        while (space(*text)) text++;
        char *said = r->in_comment && r->source ? arena_printf(r->arena, "%s; %s", r->source, text)
                                                : arena_strdup(r->arena, text);
        utf8_plain(said); /* shown on terminals */
        r->source = said;
    } else if (r->in_comment && r->source && text - p > 2 && *text) {
        r->source = arena_printf(r->arena, "%s %s", r->source, text);
    } else if (!r->in_comment) {
        r->source = NULL;
    }
    r->in_comment = true;
}

static bool word(const char *s)
{
    if (!*s) return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              *s == '_' || *s == '-'))
            return false;
    return true;
}

static void section_line(reader_t *r, char *p)
{
    r->section = r->discard;
    char *end = strchr(p, ']');
    if (!end) {
        fault(r, "section header without ]");
        return;
    }
    const char *after = end + 1;
    while (space(*after)) after++;
    if (*after && *after != ';' && *after != '#') {
        fault(r, "text behind a section header");
        return;
    }
    if (end - p - 1 > NAME_MAX_BYTES) {
        fault(r, "section name too long");
        return;
    }
    char text[NAME_MAX_BYTES + 1];
    size_t n = (size_t)(end - p - 1);
    memcpy(text, p + 1, n);
    text[n] = '\0';
    char *save = NULL;
    const char *kind = strtok_r(text, " \t", &save), *name = strtok_r(NULL, " \t", &save);
    if (!kind || !word(kind) || (name && !word(name)) || strtok_r(NULL, " \t", &save)) {
        fault(r, "a section header is [kind] or [kind name]");
        return;
    }
    if (!strcmp(kind, "dram")) kind = "memory"; /* the name courses and simulators use */
    if (!name) name = "";
    const ini_section_t *old = ini_doc_find(r->doc, kind, name);
    if (old) {
        r->rc =
            diag_at(r->d, MS_INPUT, r->file, r->line, "section %s is given twice, first at line %d",
                    ini_section_title(old, r->arena), old->line);
        return;
    }
    r->section = ini_doc_append(r->doc, arena_strdup(r->arena, kind), arena_strdup(r->arena, name),
                                r->file, r->line);
}

/* "key = value" or "key: value", before any comment. */
static bool has_key(const char *p)
{
    size_t n = strcspn(p, "=:");
    for (size_t i = 1; i < n && p[i]; i++)
        if (p[i] == ';' && space(p[i - 1])) return false;
    return n > 0 && p[n] != '\0';
}

/* Called by libinih for each line. */
static char *next_line(char *out, int size, void *stream)
{
    reader_t *r = stream;
    char buf[INI_LINE_MAX + 2] = "";
    out[0] = '\0';
    if (!read_line(r, buf)) return NULL;
    char *p = buf;
    if (r->line == 1 && !strncmp(p, "\xEF\xBB\xBF", 3)) p += 3;
    while (space(*p)) p++;
    if (*p == ';' || *p == '#') {
        comment_line(r, p);
        return out;
    }
    r->in_comment = false;
    if (*p == '\0' || *p == '[') {
        r->source = NULL;
        if (*p) section_line(r, p);
        return out;
    }
    if (!has_key(p)) {
        fault(r, "expected key = value");
        return out;
    }
    size_t n = strlen(p);
    if (n >= (size_t)size) n = (size_t)size - 1;
    memcpy(out, p, n);
    out[n] = '\0';
    return out;
}

static void add_use(reader_t *r, const char *path)
{
    if (!*path) {
        fault(r, "use = names no file");
        return;
    }
    if (r->n_use == r->cap_use) {
        size_t cap = r->cap_use ? 2 * r->cap_use : 8;
        use_t *grown = arena_array(r->arena, use_t, cap);
        if (r->n_use) memcpy(grown, r->use, r->n_use * sizeof *grown);
        r->use = grown;
        r->cap_use = cap;
    }
    r->use[r->n_use++] = (use_t){arena_strdup(r->arena, path), r->line, r->section};
}

/* Called by libinih for each key. */
static int on_key(void *user, const char *section, const char *key, const char *value)
{
    reader_t *r = user;
    (void)section; /* the reader opened it */
    if (r->section == r->discard) return 1;
    for (const char *p = value; *p; p++) {
        size_t n = utf8_printable(p);
        if (n || *p == '\t') {
            p += n ? n - 1 : 0;
            continue;
        }
        fault(r, "not text: the value holds a byte that is no UTF-8");
        return 1;
    }
    if (!strcmp(key, "use")) {
        add_use(r, value);
        return 1;
    }
    if (!r->section) {
        r->rc = diag_at(r->d, MS_INPUT, r->file, r->line, "%s stands before any [section]", key);
        return 1;
    }
    const ini_entry_t *old = ini_section_find(r->section, key);
    if (old) {
        r->rc = diag_at(r->d, MS_INPUT, r->file, r->line, "%s is given twice, first at line %d",
                        key, old->line);
        return 1;
    }
    ini_entry_t e = {
        .key = arena_strdup(r->arena, key),
        .value = arena_strdup(r->arena, value),
        .file = r->file,
        .line = r->line,
        .source = r->source,
    };
    ini_section_set(r->section, e, r->arena);
    return 1;
}

static const char *beside(const char *file, const char *path, arena_t *a)
{
    const char *slash = strrchr(file, '/');
    if (*path == '/' || !slash) return path;
    return arena_printf(a, "%.*s/%s", (int)(slash - file), file, path);
}

static void merge_section(ini_section_t *into, const ini_section_t *from, arena_t *a)
{
    for (size_t i = 0; i < from->n; i++) ini_section_set(into, from->entry[i], a);
}

static void merge_doc(ini_doc_t *into, const ini_doc_t *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const ini_section_t *s = from->section[i];
        ini_section_t *t = ini_doc_find(into, s->kind, s->name);
        if (!t) t = ini_doc_append(into, s->kind, s->name, s->file, s->line);
        t->file = s->file;
        t->line = s->line;
        t->incomplete |= s->incomplete;
        merge_section(t, s, into->arena);
    }
}

/* The section of `doc` that `use` in a section of this kind means, NULL with a message. */
static const ini_section_t *base_section(const ini_doc_t *doc, const ini_section_t *user,
                                         const reader_t *r, int line)
{
    const ini_section_t *same = ini_doc_find(doc, user->kind, user->name);
    if (same) return same;
    size_t n_same = 0;
    for (size_t i = 0; i < doc->n; i++) {
        if (strcmp(doc->section[i]->kind, user->kind) != 0) continue;
        same = doc->section[i];
        n_same++;
    }
    if (n_same == 1) return same;
    if (n_same == 0 && doc->n == 1) return doc->section[0];
    diag_at(r->d, MS_INPUT, r->file, line, "%s has %s [%s] section to use", doc->path,
            n_same ? "more than one" : "no", user->kind);
    return NULL;
}

static int load(ini_doc_t **out, const char *path, const chain_t *outer, arena_t *a, diag_t *d,
                const char *from, int from_line);

/* Put the file's own sections over what it uses. */
static int resolve(reader_t *r, ini_doc_t *result, const chain_t *chain)
{
    int rc = MS_OK;
    ini_doc_t **base = arena_array(r->arena, ini_doc_t *, r->n_use + 1);
    for (size_t i = 0; i < r->n_use; i++) {
        const use_t *u = &r->use[i];
        int one = load(&base[i], beside(r->file, u->path, r->arena), chain, r->arena, r->d, r->file,
                       u->line);
        if (one != MS_OK) rc = one;
        if (base[i] && !u->into) merge_doc(result, base[i]);
    }
    for (size_t k = 0; k < r->doc->n; k++) {
        ini_section_t *own = r->doc->section[k];
        ini_section_t *s = ini_doc_find(result, own->kind, own->name);
        if (!s) s = ini_doc_append(result, own->kind, own->name, own->file, own->line);
        s->file = own->file;
        s->line = own->line;
        for (size_t i = 0; i < r->n_use; i++) {
            if (r->use[i].into != own) continue;
            const ini_section_t *b = base[i] ? base_section(base[i], own, r, r->use[i].line) : NULL;
            if (b)
                merge_section(s, b, r->arena);
            else
                rc = MS_INPUT;
            s->incomplete |= !b || b->incomplete;
        }
        merge_section(s, own, r->arena);
    }
    return rc;
}

/* Open a plain file; on failure NULL with a message at the place that names it. */
static FILE *open_file(const char *path, struct stat *st, diag_t *d, const char *from,
                       int from_line)
{
    const char *why = NULL;
    FILE *f = fopen(path, "rb");
    if (!f && strcmp(path, "-") == 0)
        why = "a device file cannot come from standard input: it is read more than once, and what "
              "it uses is looked for beside it";
    else if (!f || fstat(fileno(f), st) != 0)
        why = strerror(errno);
    else if (S_ISDIR(st->st_mode))
        why = "it is a directory";
    if (!why) return f;
    if (f) fclose(f);
    if (from)
        diag_at(d, MS_INPUT, from, from_line, "cannot read %s: %s", path, why);
    else
        diag_add(d, MS_INPUT, "%s: cannot read: %s", path, why);
    return NULL;
}

static int load(ini_doc_t **out, const char *path, const chain_t *outer, arena_t *a, diag_t *d,
                const char *from, int from_line)
{
    *out = NULL;
    struct stat st;
    FILE *f = open_file(path, &st, d, from, from_line);
    if (!f) return MS_INPUT;
    chain_t here = {
        .outer = outer, .dev = st.st_dev, .ino = st.st_ino, .depth = outer ? outer->depth + 1 : 1};
    bool cycle = here.depth > NEST_MAX;
    for (const chain_t *c = outer; c; c = c->outer)
        cycle |= c->dev == st.st_dev && c->ino == st.st_ino;
    if (cycle) {
        fclose(f);
        return diag_at(d, MS_INPUT, from, from_line, "use = %s goes round in a circle", path);
    }
    ini_doc_t own = {.arena = a, .path = path};
    ini_section_t discard = {.kind = "", .name = ""};
    reader_t r = {.f = f,
                  .file = arena_strdup(a, path),
                  .arena = a,
                  .d = d,
                  .doc = &own,
                  .discard = &discard};
    int rc = ini_parse_stream(next_line, &r, on_key, &r);
    bool broken = ferror(f) != 0;
    fclose(f);
    if (broken) return diag_add(d, MS_INPUT, "%s: cannot read: %s", path, strerror(errno));
    if (rc != 0 && r.rc == MS_OK)
        r.rc = diag_at(d, MS_INPUT, r.file, rc > 0 ? rc : 0, "expected key = value");

    ini_doc_t *doc = arena_alloc(a, sizeof *doc);
    *doc = (ini_doc_t){.arena = a, .path = r.file};
    rc = resolve(&r, doc, &here);
    *out = doc;
    return r.rc != MS_OK ? r.rc : rc;
}

int ini_doc_load(ini_doc_t **out, const char *path, arena_t *a, diag_t *d)
{
    return load(out, path, NULL, a, d, NULL, 0);
}
