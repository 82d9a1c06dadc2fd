/* SPDX-License-Identifier: MIT
 * Device files as text: what is accepted, what is refused and with which words, includes, -s assignments. */
#include "core/param.h"
#include "core/rng.h"
#include "test.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEMO_PARAMS(P)                                                     \
    P(size, BYTES, "1 KiB", "1 B", "1 GiB", "+", "capacity", "here")       \
    P(delay, PS, "1 ns", "0 ns", "1 us", "-", "delay", "here")             \
    P(ways, COUNT, "4", "1", "64", "~", "ways", "here")                    \
    P(policy, ENUM, "lru", "lru|fifo|random", NULL, "~", "victim", "here") \
    P(title, TEXT, "", NULL, NULL, "i", "name", "here")
typedef struct demo {
    DEMO_PARAMS(PARAM_FIELD)
} demo_t;
#define DEMO_ROW(...) PARAM_ROW_IN(demo_t, __VA_ARGS__)
static const param_row_t demo_rows[] = {DEMO_PARAMS(DEMO_ROW)};
static const param_table_t cache_table = {"cache", demo_rows, sizeof demo_rows / sizeof *demo_rows};
static const param_table_t memory_table = {"memory", demo_rows,
                                           sizeof demo_rows / sizeof *demo_rows};
static const param_table_t *const tables[] = {&cache_table, &memory_table};

static char dir[64];
static arena_t *arena;
static diag_t diag;
static ini_doc_t *doc;

static void begin(void)
{
    snprintf(dir, sizeof dir, "/tmp/memsim-ini-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    arena = arena_new();
    diag_init(&diag);
    doc = NULL;
}

static void end(void)
{
    static const char *const files[] = {"a.ini", "b.ini", "c.ini", "sub/d.ini", "sub"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        remove(path);
    }
    ck_assert_int_eq(rmdir(dir), 0);
    diag_free(&diag);
    arena_free(arena);
}

static void put_bytes(const char *name, const char *bytes, size_t n)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static int load(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/a.ini", dir);
    return ini_doc_load(&doc, path, arena, &diag);
}

static int load_text(const char *text)
{
    put("a.ini", text);
    return load();
}

/* Message i behind the folder's name. */
static const char *message(size_t i)
{
    ck_assert_uint_lt(i, diag.n);
    size_t n = strlen(dir);
    return !strncmp(diag.msg[i], dir, n) ? diag.msg[i] + n + 1 : diag.msg[i];
}

static const ini_entry_t *entry(const char *kind, size_t i, const char *key)
{
    const ini_section_t *s = ini_doc_section(doc, kind, i);
    for (size_t k = 0; s && k < s->n; k++)
        if (!strcmp(s->entry[k].key, key)) return &s->entry[k];
    ck_abort_msg("no %s in [%s]", key, kind);
}

static const char *value(const char *kind, const char *key)
{
    return entry(kind, 0, key)->value;
}

static void accepts(const char *text)
{
    begin();
    int rc = load_text(text);
    ck_assert_msg(rc == MS_OK, "%s", diag.n ? diag.msg[0] : "?");
    ck_assert_str_eq(value("cache", "size"), "8 KiB");
    end();
}

START_TEST(harmless_bytes_are_accepted)
{
    accepts("[cache]\nsize = 8 KiB\n");
    accepts("[cache]\r\nsize = 8 KiB\r\n");
    accepts("\xEF\xBB\xBF[cache]\nsize = 8 KiB");
    accepts("\xEF\xBB\xBF; comment\n\n[cache]\nsize=8 KiB");
    accepts("\t[cache] ; the cache\n\tways = 3\n\t  size =\t8 KiB \t ; why\n");
    accepts("# hash\n[ cache ]\nsize: 8 KiB\n\n\n");
    accepts("[cache]\ntitle = \nsize = 8 KiB\n");
}
END_TEST

static void refuses(const char *text, const char *want)
{
    begin();
    ck_assert_int_eq(load_text(text), MS_INPUT);
    ck_assert_uint_eq(diag.n, 1);
    ck_assert_str_eq(message(0), want);
    end();
}

START_TEST(faults_are_named_with_their_line)
{
    refuses("[cache]\nsize = 1 B\nways = 2\nsize = 2 B\n",
            "a.ini:4: size is given twice, first at line 2");
    refuses("[cache]\n size = 1 B\n size = 2 B\n", "a.ini:3: size is given twice, first at line 2");
    refuses("[cache]\nsize = 1 B\n[cache]\nways = 2\n",
            "a.ini:3: section [cache] is given twice, first at line 1");
    refuses("[memory x]\n[dram x]\n",
            "a.ini:2: section [memory x] is given twice, first at line 1");
    refuses("[cache]\nhello\n", "a.ini:2: expected key = value");
    refuses("[cache]\nhello ; x = 3\n", "a.ini:2: expected key = value");
    refuses("[cache]\n= 3\n", "a.ini:2: expected key = value");
    refuses("[cache\nsize = 1 B\n", "a.ini:1: section header without ]");
    refuses("[cache] size = 1\n", "a.ini:1: text behind a section header");
    refuses("[]\n", "a.ini:1: a section header is [kind] or [kind name]");
    refuses("[a b c]\n", "a.ini:1: a section header is [kind] or [kind name]");
    refuses("size = 1 B\n", "a.ini:1: size stands before any [section]");
    refuses("[cache]\nsize = \001\n", "a.ini:2: not text: a control character");
    refuses("[cache]\ntitle = a\xff\n",
            "a.ini:2: not text: the value holds a byte that is no UTF-8");
    refuses("\037\213\010\n[cache]\n",
            "a.ini:1: compressed data: a device file is plain text, unpack it first");
    refuses("[cache]\nuse =\n", "a.ini:2: use = names no file");
}
END_TEST

START_TEST(lines_up_to_199_bytes_are_whole_and_longer_ones_refused)
{
    char text[600] = "[cache]\nsize = 8 KiB\ntitle = ";
    size_t head = strlen("title = "), at = strlen(text);
    memset(text + at, 'x', 199 - head);
    strcpy(text + at + 199 - head, "\r\nways = 2\n");
    begin();
    ck_assert_int_eq(load_text(text), MS_OK);
    ck_assert_uint_eq(strlen(value("cache", "title")), 199 - head);
    ck_assert_str_eq(value("cache", "ways"), "2");
    ck_assert_int_eq(entry("cache", 0, "ways")->line, 4);
    end();
    memset(text + at, 'x', 200 - head);
    strcpy(text + at + 200 - head, "\n");
    refuses(text, "a.ini:3: line of 200 bytes: at most 199 are allowed");
}
END_TEST

START_TEST(all_faults_are_listed_at_once)
{
    begin();
    ck_assert_int_eq(
        load_text(
            "[cache]\nsiez = 8 KiB\ndelay = 14\nways = 65\nways = 3\npolicy = lur\n[cahce]\n"),
        MS_INPUT);
    ck_assert_ptr_nonnull(doc); /* checking goes on */
    demo_t v;
    ck_assert_int_eq(param_fill(&cache_table, &v, ini_doc_section(doc, "cache", 0), arena, &diag),
                     MS_INPUT);
    ck_assert_int_eq(ini_doc_check_unused(doc, tables, 2, &diag), MS_INPUT);
    ck_assert_uint_eq(diag.n, 6);
    ck_assert_str_eq(message(0), "a.ini:5: ways is given twice, first at line 4");
    ck_assert_str_eq(message(1), "a.ini:3: delay = 14: needs a unit (ps, ns, us, ms or s)");
    ck_assert_str_eq(message(2), "a.ini:4: ways = 65: is above the maximum, 64");
    ck_assert_str_eq(message(3),
                     "a.ini:6: policy = lur: must be one of lru|fifo|random, did you mean lru?");
    ck_assert_str_eq(message(4), "a.ini:2: unknown key siez in [cache], did you mean size?");
    ck_assert_str_eq(message(5), "a.ini:7: unknown section [cahce], did you mean cache?");
    end();
}
END_TEST

START_TEST(sources_are_kept_with_their_keys)
{
    begin();
    ck_assert_int_eq(
        load_text(
            "; src: nobody\n\n[cache]\n; a remark\n; src: datasheet p. 3\nsize = 8 KiB\nways = 2\n"
            "# src: measured,\n#      twice\ndelay = 2 ns\n\npolicy = fifo\n; remark\ntitle = x\n"),
        MS_OK);
    ck_assert_str_eq(entry("cache", 0, "size")->source, "datasheet p. 3");
    ck_assert_str_eq(entry("cache", 0, "ways")->source, "datasheet p. 3");
    ck_assert_str_eq(entry("cache", 0, "delay")->source, "measured, twice");
    ck_assert_ptr_null(entry("cache", 0, "policy")->source);
    ck_assert_ptr_null(entry("cache", 0, "title")->source);
    end();
}
END_TEST

START_TEST(a_section_uses_others_as_its_base)
{
    begin();
    char path[128];
    snprintf(path, sizeof path, "%s/sub", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    put("sub/d.ini", "[memory]\nsize = 1 B\nways = 1\ndelay = 1 ns\n");
    put("b.ini", "[dram]\nuse = sub/d.ini\nways = 2\n");
    put("c.ini", "[memory]\ntitle = c\ndelay = 3 ns\n[cache]\nsize = 9 B\n");
    int rc = load_text("[memory hbm]\nsize = 5 B\nuse = b.ini\nuse = c.ini\n");
    ck_assert_msg(rc == MS_OK, "%s", diag.n ? diag.msg[0] : "?");
    ck_assert_uint_eq(ini_doc_count(doc, "memory"), 1);
    ck_assert_uint_eq(ini_doc_count(doc, "cache"), 0);
    ck_assert_str_eq(value("memory", "size"), "5 B");
    ck_assert_str_eq(value("memory", "ways"), "2");
    ck_assert_str_eq(value("memory", "delay"), "3 ns");
    ck_assert_str_eq(value("memory", "title"), "c");
    ck_assert_str_eq(entry("memory", 0, "ways")->file + strlen(dir), "/b.ini");
    ck_assert_int_eq(entry("memory", 0, "delay")->line, 3);
    end();
}
END_TEST

START_TEST(a_use_before_the_first_section_includes_whole_files)
{
    begin();
    put("b.ini", "[cache]\nsize = 1 B\nways = 1\n[memory]\nsize = 7 B\n");
    ck_assert_int_eq(load_text("use = b.ini\n[cache]\nways = 3\n"), MS_OK);
    ck_assert_str_eq(value("cache", "size"), "1 B");
    ck_assert_str_eq(value("cache", "ways"), "3");
    ck_assert_str_eq(value("memory", "size"), "7 B");
    end();
}
END_TEST

START_TEST(bad_includes_are_refused)
{
    begin();
    put("b.ini", "[cache]\nuse = a.ini\n");
    put("c.ini", "[memory x]\n[memory y]\n");
    ck_assert_int_eq(
        load_text("[cache]\nuse = b.ini\n[memory]\nuse = c.ini\nuse = none.ini\nuse = .\n"),
        MS_INPUT);
    ck_assert_uint_eq(diag.n, 4);
    ck_assert_ptr_nonnull(strstr(message(0), "b.ini:2: use = "));
    ck_assert_ptr_nonnull(strstr(message(0), "a.ini goes round in a circle"));
    ck_assert_ptr_nonnull(strstr(message(1), "a.ini:5: cannot read "));
    ck_assert_ptr_nonnull(strstr(message(1), "none.ini: No such file"));
    ck_assert_ptr_nonnull(strstr(message(2), "it is a directory"));
    ck_assert_ptr_nonnull(strstr(message(3), "has more than one [memory] section to use"));
    end();
}
END_TEST

START_TEST(files_that_are_none)
{
    begin();
    ck_assert_int_eq(load(), MS_INPUT);
    ck_assert_ptr_null(doc);
    ck_assert_ptr_nonnull(strstr(message(0), "a.ini: cannot read: No such file"));
    ck_assert_int_eq(ini_doc_load(&doc, dir, arena, &diag), MS_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.msg[1], ": cannot read: it is a directory"));
    ck_assert_int_eq(load_text(""), MS_OK);
    ck_assert_uint_eq(ini_doc_count(doc, "cache"), 0);
    end();
}
END_TEST

static const char *set(const char *assignment)
{
    size_t before = diag.n;
    int rc = ini_doc_override(doc, assignment, tables, 2, &diag);
    ck_assert_int_eq(rc, diag.n > before ? MS_INPUT : MS_OK);
    return diag.n > before ? diag.msg[before] : "";
}

START_TEST(assignments_override_and_the_last_wins)
{
    begin();
    ck_assert_int_eq(load_text("[cache]\nsize = 8 KiB\n[memory hbm]\nways = 2\n"), MS_OK);
    ck_assert_str_eq(set("cache.size=64KiB"), "");
    ck_assert_str_eq(set("dram.delay=14ns"), "");
    ck_assert_str_eq(value("memory", "delay"), "14ns");
    ck_assert_str_eq(set("hbm.delay=15ns"), "");
    ck_assert_str_eq(set("memory.delay=16ns"), "");
    ck_assert_str_eq(set("memory hbm.delay = 17ns "), "");
    ck_assert_str_eq(value("memory", "delay"), "17ns");
    demo_t v;
    ini_section_t *m = ini_doc_section(doc, "memory", 0);
    ck_assert_int_eq(param_fill(&memory_table, &v, m, arena, &diag), MS_OK);
    ck_assert_int_eq(v.delay, 17000);
    ck_assert_int_eq(v.ways, 2);
    ck_assert_str_eq(param_origin(&demo_rows[0], m, arena), "built-in");
    ck_assert_str_eq(param_origin(&demo_rows[1], m, arena), "-s");
    ck_assert_str_eq(param_origin(&demo_rows[2], m, arena) + strlen(dir), "/a.ini:4");
    end();
}
END_TEST

START_TEST(bad_assignments_are_refused)
{
    begin();
    ck_assert_int_eq(
        load_text("[cache]\nsize = 8 KiB\n[memory a]\nways = 2\n[memory b]\nways = 2\n"), MS_OK);
    ck_assert_str_eq(set("size=3"), "-s size=3: expected section.key=value");
    ck_assert_str_eq(set("cache.size"), "-s cache.size: expected section.key=value");
    ck_assert_str_eq(set(".size=3"), "-s .size=3: expected section.key=value");
    ck_assert_str_eq(set("cache.=3"), "-s cache.=3: expected section.key=value");
    ck_assert_str_eq(set("cache.siez=3"),
                     "-s cache.siez=3: [cache] has no siez, did you mean size?");
    ck_assert_str_eq(set("cahce.size=3"),
                     "-s cahce.size=3: unknown section cahce, did you mean cache?");
    ck_assert_str_eq(set("memory.ways=3"),
                     "-s memory.ways=3: 2 sections match; name one, as in \"a.ways=3\"");
    ck_assert_str_eq(set("b.ways=3"), "");
    ck_assert_str_eq(set("cache.title=x ; y"),
                     "-s cache.title=x ; y: value cannot be written in a device file");
    ck_assert_str_eq(set("cache.delay=14"), "");
    demo_t v;
    size_t before = diag.n;
    ck_assert_int_eq(param_fill(&cache_table, &v, ini_doc_section(doc, "cache", 0), arena, &diag),
                     MS_INPUT);
    ck_assert_str_eq(diag.msg[before], "-s cache.delay=14: needs a unit (ps, ns, us, ms or s)");
    end();
}
END_TEST

/* Files made of the pieces that device files are made of, and of random bytes, are read or refused; never a crash. */
START_TEST(any_file_is_read_or_refused)
{
    static const char *const piece[] = {"[",
                                        "]",
                                        "cache",
                                        "memory",
                                        "size",
                                        "=",
                                        ":",
                                        " ",
                                        "\n",
                                        "\n",
                                        "\t",
                                        ";",
                                        "#",
                                        "src: x",
                                        "8 KiB",
                                        "ways",
                                        "use = a.ini",
                                        "\r",
                                        "\xEF\xBB\xBF",
                                        "delay = 14",
                                        "[cache]\n",
                                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
    for (uint64_t i = 0; i < 1500; i++) {
        char text[2048];
        size_t n = 0;
        uint64_t h = mix64(i);
        for (unsigned k = 0; k < 1 + i % 40; k++, h = mix64(h)) {
            const char *p = piece[h % (sizeof piece / sizeof *piece)];
            if (i % 4 == 0) text[n++] = (char)(h >> 40);
            memcpy(text + n, p, strlen(p));
            n += strlen(p);
        }
        begin();
        put_bytes("a.ini", text, n);
        int rc = load();
        if (doc) {
            for (size_t k = 0; k < ini_doc_count(doc, "cache"); k++) {
                demo_t v;
                int one =
                    param_fill(&cache_table, &v, ini_doc_section(doc, "cache", k), arena, &diag);
                if (rc == MS_OK) rc = one;
            }
            int unused = ini_doc_check_unused(doc, tables, 2, &diag);
            if (rc == MS_OK) rc = unused;
        }
        ck_assert((rc == MS_OK) == (diag.worst == MS_OK));
        end();
    }
}
END_TEST

TEST_MAIN("device file syntax", harmless_bytes_are_accepted, faults_are_named_with_their_line,
          lines_up_to_199_bytes_are_whole_and_longer_ones_refused, all_faults_are_listed_at_once,
          sources_are_kept_with_their_keys, a_section_uses_others_as_its_base,
          a_use_before_the_first_section_includes_whole_files, bad_includes_are_refused,
          files_that_are_none, assignments_override_and_the_last_wins, bad_assignments_are_refused,
          any_file_is_read_or_refused)
