/* SPDX-License-Identifier: MIT
 * What is wrong in a trace is said with file, line, column and, where a name is near, that name; all faults of a
 * file come at once; nothing crashes. */
#include "test.h"
#include "trace_open.h"

#define HEAD "memsim trace 1\n"
#define KERNEL                                                                                  \
    HEAD "buffer a size 1 KiB\nkernel k(n, in p[n]) {\n  grid 1\n  block 32\n  load 8 at p as " \
         "x\n}\n"

/* Opening, or else playing, `text` must fail with all of `want` (separated by |) in the messages. */
static void refused(const char *text, const char *const *define, size_t n_define, const char *want)
{
    workload_opt_t o = {.define = define, .n_define = n_define, .warp_lanes = 32};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    int cls = open_text(&w, text, strlen(text), &o, &d);
    for (wcmd_t c = {0}; cls == MS_OK && c.kind != WC_END;) {
        cls = workload_next(w, &c, &d);
        const kernel_t *k;
        if (cls == MS_OK && c.kind == WC_LAUNCH) cls = workload_kernel(w, &c, &k, &d);
    }
    ck_assert_msg(cls == MS_INPUT, "accepted: %.200s", text);
    char wanted[512], *save = NULL;
    snprintf(wanted, sizeof wanted, "%s", want);
    for (char *s = strtok_r(wanted, "|", &save); s; s = strtok_r(NULL, "|", &save)) {
        bool found = false;
        for (size_t i = 0; i < d.n; i++) found = found || strstr(d.msg[i], s);
        ck_assert_msg(found, "'%s' is not in: %s (%.200s)", s, d.n ? d.msg[0] : "no message", text);
    }
    diag_free(&d);
    workload_free(w);
}

static void bad(const char *text, const char *want)
{
    refused(text, NULL, 0, want);
}

START_TEST(header_is_required)
{
    bad("hello\n", ":1:1: found 'hello'|memsim trace 1");
    bad("memsim trace 2\n", ":1:14: found '2', expected version 1");
    bad("memsim\n", "found the end of the line, expected 'trace'");
    bad("memsim trace 1 1\n", ":1:16: found '1', expected the end of the line");
}
END_TEST

START_TEST(unknown_names_offer_the_nearest)
{
    bad(HEAD "lunch k()\n", ":2:1: found 'lunch'|did you mean 'launch'");
    bad(KERNEL "launch kk(8, a)\n", "found 'kk'|did you mean 'k'");
    bad(HEAD "let size_a = 1\nlet b = size_b\n", ":3:9: found 'size_b'|did you mean 'size_a'");
    bad(HEAD "kernel k() {\n  grid 1\n  block 1\n  lode 8 at 0\n}\n",
        ":5:3: found 'lode'|did you mean 'load'");
    bad(HEAD "index i = zipff(3, 4)\n", "found 'zipff'|did you mean 'zipf'");
    bad(HEAD "kernel k() {\n  grid 1\n  block 1\n  load 8 at 0 via lap[1]\n}\n",
        "found 'lap', expected the name of an index");
    bad(HEAD "let x = 3MB1\n", "expected a unit");
    bad(KERNEL "launch k(m = 3, a)\n", "found 'm'|a parameter of the kernel");
}
END_TEST

START_TEST(every_fault_of_a_file_is_listed)
{
    bad(HEAD "let a = \nlet b = (1\nlet c = 1 1\nbogus\nkernel k(in x) { grid 1 }\nlet d = 2 }\n",
        ":2:9: found the end of the line|:4:|:5:1: found 'bogus'|:6:14: found ')'");
    bad(HEAD "kernel k() {\n grid 1\n block 1\n foo\n load 8\n bar\n}\nbaz\n",
        ":5:2:|:6:|:7:2:|:9:1:");
}
END_TEST

START_TEST(names_must_be_new_and_free)
{
    bad(HEAD "let a = 1\nlet a = 2\n", ":3:5: 'a' is declared already, in line 2");
    bad(HEAD "let device = 1\n", "'device' is reserved");
    bad(HEAD "let rank = 1\n", "'rank' is reserved");
    bad(HEAD "param stream = 1\n", "'stream' is reserved");
    bad(HEAD "let warp_size = 1\n", "'warp_size' is built in");
    bad(HEAD "device 1 { }\n", "'device' is reserved for traces of several devices");
    bad(KERNEL "kernel k() {\n grid 1\n block 1\n}\n", "kernel 'k' is defined already, in line 3");
    bad(HEAD "for i in 3 { let a = i }\nlet b = a\n", ":3:9: found 'a'");
}
END_TEST

START_TEST(numbers_are_checked)
{
    bad(HEAD "let a = 1 / 0\n", ":2:11: division by zero");
    bad(HEAD "let a = 1 % 0\n", "division by zero");
    bad(HEAD "let a = 4000000000 * 4000000000\n", ":2:20: overflow");
    bad(HEAD "let a = 99999999999999999999\n", "does not fit in 63 bits");
    bad(HEAD "let a = 9999999 TiB\n", "does not fit in 63 bits");
    bad(HEAD "let a = 1.5\n", "found a fraction");
    bad(HEAD "let a = 1 << 63\n", "overflow");
    bad(HEAD "let a = 1 << (0 - 1)\n", "overflow");
    bad(HEAD "let a = 0x\n", "without digits");
    bad(HEAD "let a = 0 - 9223372036854775807 - 2\n", "overflow");
    bad(HEAD "let a = min(1)\n", "'min' needs two or more");
}
END_TEST

/* In a kernel of 32 threads with the buffer p. */
static void bad_op(const char *op, const char *want)
{
    char text[512];
    snprintf(text, sizeof text,
             HEAD "buffer a size 1 KiB\nkernel k(in p[8]) {\n grid 1\n block 32\n %s\n}\n"
                  "launch k(a)\n",
             op);
    bad(text, want);
}

START_TEST(texts_are_printable)
{
    bad(HEAD "title \"a\033[31m\"\n", ":2:9: the text holds a control character");
    bad(HEAD "title \"caf\xe9\"\n", ":2:11: the text holds");
}
END_TEST

START_TEST(a_text_is_only_compared)
{
    bad(HEAD "let a = \"x\" + 1\n", ":2:13: found a text beside '+', expected a number");
    bad(HEAD "let a = 1 + \"x\"\n", "found a text beside '+'");
    bad(HEAD "let a = -\"x\"\n", "found a text beside '-'");
    bad(HEAD "let a = !\"x\"\n", "found a text beside '!'");
    bad(HEAD "let a = \"x\" && 1\n", "found a text beside '&&'");
    bad(HEAD "let a = \"x\" < \"y\"\n", "found a text beside '<'");
    bad(HEAD "let a = \"x\" ? 1 : 2\n", "found a text beside '?'");
    bad(HEAD "let a = min(1, \"x\")\n", "found a text beside 'min'");
    bad(HEAD "let a = \"x\"\nlet b = a * 2\n", ":3:11: found a text beside '*'");
    bad(HEAD "let a = \"x\" == 1\n", "a text and a number are never equal");
    bad(HEAD "buffer a size \"x\"\n", ":2:15: found a text, expected a number");
    bad(HEAD "param m = \"a\" in (\"a\")\nfor i in m { }\n", ":3:10: found a text");
}
END_TEST

START_TEST(constants_of_operations_are_in_range)
{
    bad_op("compute -5 on fp32", ":6:10: a statement computes 0 to 2^40 operations");
    bad_op("compute (1 << 40) + 1 on fp32", "a statement computes 0 to 2^40 operations");
    bad_op("smem -1", ":6:7: a statement moves 0 to 2^40 bytes");
    bad_op("tile load at p rows -1 of 128", ":6:22: a tile lies in shared memory");
    bad_op("tile load at p rows 4 of -128", ":6:27: a tile lies in shared memory");
    bad_op("tile load at p rows 1 << 13 of (1 << 11) + 1", "a tile lies in shared memory");
    bad_op("tile load at p rows 1 << 62 of 128", "a tile lies in shared memory");
    bad_op("wait group -1", "a number of groups is 0 to");
    bad_op("load 4 at p step (1 << 50) + 1", "a step is at most 2^50 bytes");
    bad_op("load 4 at p step -(1 << 50) - 1", "a step is at most 2^50 bytes");
    bad(HEAD "kernel k() {\n grid 1 << 20, 1 << 20, 2\n block 32\n}\nlaunch k()\n",
        ": a grid has at most 2^40 blocks in all");
    bad(HEAD "let a = mix(5, 0)\n", ":2:9: mix needs a second value above 0");
}
END_TEST

/* A loop of control alone would keep a warp busy for ever without a picosecond of simulated time. */
START_TEST(loops_that_do_nothing_are_no_operations)
{
    static const char text[] =
        HEAD "kernel k() {\n grid 1\n block 32\n for i in 1 << 62 { let q = i }\n"
             " for i in cta + 1 { if i { repeat 1 << 62 { } } }\n barrier\n}\nlaunch k()\n";
    workload_opt_t o = {.warp_lanes = 32};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    wcmd_t c;
    const kernel_t *k;
    ck_assert_int_eq(open_text(&w, text, strlen(text), &o, &d), MS_OK);
    ck_assert_int_eq(workload_next(w, &c, &d), MS_OK);
    ck_assert_int_eq(workload_kernel(w, &c, &k, &d), MS_OK);
    ck_assert_uint_eq(k->nops, 1);
    ck_assert_int_eq(k->op[0].kind, WOP_BARRIER);
    workload_free(w);
    diag_free(&d);
}
END_TEST

START_TEST(parameters_are_checked)
{
    static const char text[] =
        HEAD "param bytes = 4 in 1 .. 10\nparam mode = \"ab\" in (\"ab\", \"cd\")\n";
    static const char *const range[] = {"bytes=11"}, *const choice[] = {"mode=ac"},
                             *const name[] = {"byts=3"}, *const form[] = {"bytes"},
                             *const words[] = {"bytes=3 4"},
                             *const all[] = {"bytes=0", "mode=x", "zzz=1"};
    refused(text, range, 1, "-D bytes=11: found 11, expected 1 to 10");
    refused(text, choice, 1, "-D mode=ac: found ac, expected one of ab, cd");
    refused(text, name, 1, "has no parameter 'byts'; did you mean 'bytes'");
    refused(text, form, 1, "expected name=value");
    refused(text, words, 1, "-D bytes=3 4|expected a number");
    refused(text, all, 3, "bytes=0|mode=x|zzz");
    bad(HEAD "param a = 5 in 6 .. 7\n", "default of 'a': found 5, expected 6 to 7");
    bad(HEAD "let a = 3\nrequire a == 4, \"a must be four\"\n", ":3:1: a must be four");
    static const char *const raw[] = {"x=1"};
    refused("R 0x100\n", raw, 1, "is a file of access lines and has no parameters");
}
END_TEST

START_TEST(kernels_are_checked)
{
    bad(HEAD "kernel k() {\n block 1\n}\n", "kernel 'k' states no grid");
    bad(HEAD "kernel k() {\n grid 1\n}\n", "kernel 'k' states no block");
    bad(HEAD "kernel k() {\n grid 1\n grid 2\n block 1\n}\n", "'grid' is stated twice");
    bad(HEAD "kernel k() {\n grid 1\n block 1\n wait x\n}\n", "no load above names the token 'x'");
    bad(HEAD "buffer a size 8\nkernel k() {\n grid 1\n block 1\n load 8 at a\n}\n",
        "buffer 'a' cannot stand in a formula");
    bad(KERNEL "launch k(8)\n", "parameter 'p' of kernel 'k' is not given");
    bad(KERNEL "launch k(8, a, 3)\n", "kernel 'k' has 2 parameters, not more");
    bad(KERNEL "launch k(8, n = 3, p = a)\n", "parameter 'n' is given twice");
    bad(KERNEL "launch k(2000, a)\n",
        "works on 2000 bytes of 'p', but only 1024 are left in buffer 'a'");
    bad(KERNEL "launch k(8, 1 GiB)\n", "its argument 'p' is not the address of a buffer");
    bad(KERNEL "launch k(8, a[1])\n", "no instance of that number");
    bad(HEAD "kernel k(n) {\n grid n\n block 1\n}\nlaunch k(0)\n", ":3:7: a grid has 1 to");
    bad(HEAD "kernel k() {\n grid cta\n block 1\n}\nlaunch k()\n",
        "depends on the block or the warp");
    bad(HEAD "kernel k() {\n grid 1\n block 2000\n}\nlaunch k()\n",
        "a block has 1 to 1024 threads");
    bad(HEAD "kernel k() {\n grid 1\n block 1\n load 3 at 0\n}\nlaunch k()\n",
        "1, 2, 4, 8 or 16 bytes");
    bad(HEAD "kernel k() {\n grid 1\n block 1\n agent\n load 4 at 0\n}\nlaunch k()\n",
        "an agent kernel moves tiles");
    bad(HEAD "kernel k() {\n grid 1\n block 1\n for a in 2 { for b in 2 { for c in 2 { for d in 2 "
             "{ for e in 2 { barrier } } } } }\n}\nlaunch k()\n",
        "nest deeper than 4");
    bad(HEAD
        "kernel k(n) {\n grid 1\n block 1\n require n > 3, \"n is too small\"\n}\nlaunch k(3)\n",
        ":5:2: n is too small");
}
END_TEST

START_TEST(commands_are_checked_while_playing)
{
    bad(HEAD "for i in 1000000000 { for j in 1000000000 { } }\n", "without a command");
    bad(HEAD "graph { graph { } }\n", "a graph cannot stand inside a graph");
    bad(HEAD "buffer a size 64\ncopy d2d from a to a size 128\n", "does not lie inside a buffer");
    bad(HEAD "record 0 - 1\n", "an event is a number");
    bad(HEAD "collective \"x\" size 0 - 1\n", "negative number of bytes");
    bad(KERNEL "launch k(8, a) on stream 5000\n", "a stream is a number from 0 to 1023");
    bad(HEAD "raw {\nR 0x10 64\nQ 0x20 64\n}\n", ":4: column 1");
    bad(HEAD "raw {\nR 0x10 64\n", "the raw section has no closing '}'");
}
END_TEST

/* n times `open`, then n times `close`. */
static void nested(const char *head, const char *open, const char *middle, const char *close,
                   size_t n, const char *tail, const char *want)
{
    size_t size =
        strlen(head) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(tail) + 1;
    char *text = malloc(size);
    if (!text) ck_abort_msg("out of memory");
    FILE *f = fmemopen(text, size, "w");
    ck_assert_ptr_nonnull(f);
    fputs(head, f);
    for (size_t i = 0; i < n; i++) fputs(open, f);
    fputs(middle, f);
    for (size_t i = 0; i < n; i++) fputs(close, f);
    fputs(tail, f);
    fclose(f);
    bad(text, want);
    free(text);
}

START_TEST(deep_nesting_is_refused_not_crashed_on)
{
    nested(HEAD "let a = ", "(", "1", ")", 10000, "\n", "nest deeper than 100");
    nested(HEAD "let a = ", "-", "1", "", 10000, "\n", "nest deeper than 100");
    nested(HEAD "let a = 1", " + 1", "", "", 10000, "\n", "on top of each other");
    nested(HEAD, "repeat 2 {\n", "", "}\n", 10000, "\n", "nest deeper than 100");
    nested(HEAD "kernel k() {\ngrid 1\nblock 1\n", "if cta {\n", "barrier\n", "}\n", 10000, "}\n",
           "nest deeper than 100");
    nested(HEAD "let a = ", "1 ? 1 : ", "1", "", 5000, "\n", "nest deeper than 100");
}
END_TEST

START_TEST(unclosed_things_end_at_the_end_of_the_file)
{
    bad(HEAD "kernel k() {\n grid 1\n", "found the end of the file, expected '}'");
    bad(HEAD "repeat 3 {\n", "found the end of the file, expected '}'");
    bad(HEAD "title \"abc\n", "no closing quote");
    bad(HEAD "let a = (1 +\n", "found the end of the file");
    bad(HEAD "}\n", ":2:1: found '}', expected a statement");
}
END_TEST

TEST_MAIN("trace faults", header_is_required, unknown_names_offer_the_nearest,
          every_fault_of_a_file_is_listed, names_must_be_new_and_free, numbers_are_checked,
          texts_are_printable, a_text_is_only_compared, constants_of_operations_are_in_range,
          loops_that_do_nothing_are_no_operations, parameters_are_checked, kernels_are_checked,
          commands_are_checked_while_playing, deep_nesting_is_refused_not_crashed_on,
          unclosed_things_end_at_the_end_of_the_file)
