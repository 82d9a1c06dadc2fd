/* SPDX-License-Identifier: MIT
 * The line reader: any text file people have, packed or not, the same lines; anything else refused by name. */
#include "test.h"
#include "workload/reader.h"
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char dir[] = "/tmp/memsim-250-XXXXXX";
static char path[64];

static void put(const void *data, size_t n, const char *mode)
{
    FILE *f = fopen(path, mode);
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, n, f), n);
    fclose(f);
}

static void put_gzip(const char *text, size_t n, const char *mode)
{
    gzFile f = gzopen(path, mode);
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(gzwrite(f, text, (unsigned)n), (int)n);
    gzclose(f);
}

static void put_xz(const char *text, size_t n, const char *mode)
{
    size_t cap = lzma_stream_buffer_bound(n), used = 0;
    uint8_t *out = malloc(cap);
    ck_assert_int_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, n,
                                             out, &used, cap),
                     LZMA_OK);
    put(out, used, mode);
    free(out);
}

static void put_zstd(const char *text, size_t n, const char *mode)
{
    size_t cap = ZSTD_compressBound(n);
    void *out = malloc(cap);
    size_t used = ZSTD_compress(out, cap, text, n, 1);
    ck_assert(!ZSTD_isError(used));
    put(out, used, mode);
    free(out);
}

/* Lines joined by '|', "!" and the first message after an error. */
static const char *lines(const char *file)
{
    static char out[4096];
    diag_t d;
    diag_init(&d);
    reader_t *r;
    size_t n = 0;
    out[0] = '\0';
    if (reader_open(&r, file, &d) == MS_OK) {
        char *line;
        size_t len;
        int rc;
        while ((rc = reader_next(r, &line, &len, &d)) == 1) {
            ck_assert_uint_eq(strlen(line), len);
            n += (size_t)snprintf(out + n, sizeof out - n, "%s|", line);
        }
        ck_assert_int_eq(reader_next(r, &line, &len, &d), rc); /* stays so */
        reader_close(r);
    } else {
        ck_assert_ptr_null(r);
    }
    if (d.n) {
        ck_assert_int_eq(d.worst, MS_INPUT);
        ck_assert_uint_eq(d.n, 1);
        snprintf(out + n, sizeof out - n, "!%s", d.msg[0]);
    }
    diag_free(&d);
    return out;
}

static void expect(const void *data, size_t n, const char *want)
{
    put(data, n, "wb");
    ck_assert_str_eq(lines(path), want);
}

static void expect_fault(const char *part)
{
    const char *got = lines(path);
    ck_assert_msg(strchr(got, '!') && strstr(got, part), "no \"%s\" in \"%s\"", part, got);
}

START_TEST(line_ends_bom_and_missing_last_newline_do_not_matter)
{
    expect("", 0, "");
    expect("\n", 1, "|");
    expect("a\nb\n", 4, "a|b|");
    expect("a\nb", 3, "a|b|");
    expect("a\r\nb\r\n", 6, "a|b|");
    expect("a\r\nb\r", 5, "a|b|");
    expect("\xEF\xBB\xBF"
           "a\n\tb \n",
           9, "a|\tb |");
    expect("\n\n\na", 4, "|||a|");
}
END_TEST

START_TEST(packed_files_are_recognised_by_content)
{
    const char text[] = "one\r\ntwo\nthree";
    const char *want = "one|two|three|";
    put_gzip(text, sizeof text - 1, "wb");
    ck_assert_str_eq(lines(path), want);
    put_xz(text, sizeof text - 1, "wb");
    ck_assert_str_eq(lines(path), want);
    put_zstd(text, sizeof text - 1, "wb");
    ck_assert_str_eq(lines(path), want);
}
END_TEST

START_TEST(pieces_packed_one_by_one_read_as_one_file)
{
    const char *want = "onetwo|three|";
    put_gzip("one", 3, "wb");
    put_gzip("two\nthree\n", 10, "ab");
    ck_assert_str_eq(lines(path), want);
    put("\0\0\0", 3, "ab"); /* tape padding */
    ck_assert_str_eq(lines(path), want);
    put_xz("one", 3, "wb");
    put_xz("two\nthree\n", 10, "ab");
    ck_assert_str_eq(lines(path), want);
    put_zstd("one", 3, "wb");
    put_zstd("two\nthree\n", 10, "ab");
    ck_assert_str_eq(lines(path), want);
}
END_TEST

START_TEST(cut_or_damaged_packed_data_is_an_error_at_any_byte)
{
    char text[400];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 40 == 39 ? '\n' : 'a' + i * i % 23);
    void (*const pack[])(const char *, size_t, const char *) = {put_gzip, put_xz, put_zstd};
    for (size_t p = 0; p < 3; p++) {
        pack[p](text, sizeof text, "wb");
        unsigned char whole[1024];
        FILE *f = fopen(path, "rb");
        size_t n = fread(whole, 1, sizeof whole, f);
        fclose(f);
        for (size_t cut = 8; cut < n; cut++) {
            put(whole, cut, "wb");
            expect_fault("compressed data ends early");
        }
        if (p == 2)
            continue; /* ZSTD_compress writes no checksum: a changed literal is not noticed */
        for (size_t at = 12; at < n; at++) {
            whole[at] ^= 0x5A;
            put(whole, n, "wb");
            expect_fault(":"); /* file and line, whatever the decoder found */
            whole[at] ^= 0x5A;
        }
    }
}
END_TEST

START_TEST(long_input_is_cut_into_the_same_lines_in_any_packing)
{
    /* 1 MiB and more: several fills of every buffer; lengths sweep all positions against them */
    size_t cap = (size_t)3 << 20, n = 0;
    char *text = malloc(cap);
    unsigned count = 0;
    for (; n + 1100 < cap; count++) {
        int len = snprintf(text + n, 24, "%u:", count);
        size_t pad = count * 7 % 1000;
        memset(text + n + len, 'x', pad);
        n += (size_t)len + pad;
        text[n++] = '\n';
    }
    void (*const pack[])(const char *, size_t, const char *) = {put_gzip, put_xz, put_zstd, NULL};
    for (size_t p = 0; p < 4; p++) {
        if (pack[p])
            pack[p](text, n, "wb");
        else
            put(text, n, "wb");
        diag_t d;
        diag_init(&d);
        reader_t *r;
        ck_assert_int_eq(reader_open(&r, path, &d), MS_OK);
        for (unsigned lap = 0; lap < 2; lap++) {
            char *line;
            size_t len;
            unsigned i = 0;
            while (reader_next(r, &line, &len, &d) == 1) {
                char *colon = strchr(line, ':');
                if (strtoul(line, NULL, 10) != i ||
                    len - (size_t)(colon + 1 - line) != i * 7 % 1000)
                    ck_abort_msg("line %u", i);
                if (reader_line(r) != (int)++i) ck_abort_msg("number of line %u", i);
            }
            ck_assert_uint_eq(i, count);
            ck_assert(reader_rewind(r));
            ck_assert_int_eq(reader_line(r), 0);
        }
        ck_assert_uint_eq(d.n, 0);
        reader_close(r);
        diag_free(&d);
    }
    free(text);
}
END_TEST

START_TEST(longest_line_passes_and_one_byte_more_is_refused_with_its_number)
{
    char *text = malloc(READER_LINE_MAX + 8);
    memcpy(text, "a\n", 2);
    memset(text + 2, 'b', READER_LINE_MAX + 1);
    for (int crlf = 0; crlf < 2; crlf++) {
        memcpy(text + 2 + READER_LINE_MAX, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
        put(text, 2 + READER_LINE_MAX + 1 + (size_t)crlf, "wb");
        diag_t d;
        diag_init(&d);
        reader_t *r;
        char *line;
        size_t len;
        ck_assert_int_eq(reader_open(&r, path, &d), MS_OK);
        ck_assert_int_eq(reader_next(r, &line, &len, &d), 1);
        ck_assert_int_eq(reader_next(r, &line, &len, &d), 1);
        ck_assert_uint_eq(len, READER_LINE_MAX);
        ck_assert_int_eq(reader_next(r, &line, &len, &d), 0);
        reader_close(r);
        diag_free(&d);
    }
    memset(text + 2, 'b', READER_LINE_MAX + 1);
    put(text, 2 + READER_LINE_MAX + 1, "wb");
    expect_fault("t.trace:2: line over 65535 bytes");
    free(text);
}
END_TEST

START_TEST(what_is_no_text_is_refused_by_its_name)
{
    static const struct {
        const char *data;
        size_t n;
        const char *part;
    } bad[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", 64,
         "Git-LFS pointer"},
        {"PK\003\004zip", 7, "zip archive"},
        {"BZh91AY", 7, "bzip2"},
        {"\004\"M\030lz", 6, "lz4"},
        {"gem5\001\002", 6, "gem5 packet trace"},
        {"GGUF\003", 5, "GGUF model"},
        {"\177ELF\002", 5, "program"},
        {"\377\376R\0", 4, "UTF-16"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        put(bad[i].data, bad[i].n, "wb");
        expect_fault(bad[i].part);
    }
    put("R 0\nR \0 1\n", 10, "wb");
    ck_assert_int_eq(strncmp(lines(path), "R 0|!", 5), 0);
    expect_fault("t.trace:2: NUL byte");
}
END_TEST

START_TEST(missing_file_and_directory_are_named)
{
    const char *got = lines("/nonexistent/x.trace");
    ck_assert_msg(strstr(got, "/nonexistent/x.trace: No such file"), "%s", got);
    got = lines(dir);
    ck_assert_msg(strstr(got, dir) && strstr(got, "is a directory"), "%s", got);
}
END_TEST

START_TEST(stdin_streams_byte_by_byte_and_cannot_rewind)
{
    int fd[2];
    ck_assert_int_eq(pipe(fd), 0);
    int keep = dup(STDIN_FILENO);
    dup2(fd[0], STDIN_FILENO);
    close(fd[0]);
    const char text[] = "\xEF\xBB\xBFR 0\r\nW 64\n";
    ck_assert_int_eq(write(fd[1], text, sizeof text - 1), (ssize_t)(sizeof text - 1));
    close(fd[1]);
    diag_t d;
    diag_init(&d);
    reader_t *r;
    char *line;
    size_t len;
    ck_assert_int_eq(reader_open(&r, "-", &d), MS_OK);
    ck_assert_str_eq(reader_name(r), "(stdin)");
    ck_assert_int_eq(reader_next(r, &line, &len, &d), 1);
    ck_assert_str_eq(line, "R 0");
    ck_assert(!reader_rewind(r));
    ck_assert_int_eq(reader_next(r, &line, &len, &d), 1);
    ck_assert_str_eq(line, "W 64"); /* a refused rewind changes nothing */
    ck_assert_int_eq(reader_next(r, &line, &len, &d), 0);
    reader_close(r);
    dup2(keep, STDIN_FILENO);
    close(keep);
    diag_free(&d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        line_ends_bom_and_missing_last_newline_do_not_matter,
        packed_files_are_recognised_by_content,
        pieces_packed_one_by_one_read_as_one_file,
        cut_or_damaged_packed_data_is_an_error_at_any_byte,
        long_input_is_cut_into_the_same_lines_in_any_packing,
        longest_line_passes_and_one_byte_more_is_refused_with_its_number,
        what_is_no_text_is_refused_by_its_name,
        missing_file_and_directory_are_named,
        stdin_streams_byte_by_byte_and_cannot_rewind,
    };
    if (!mkdtemp(dir)) return EXIT_FAILURE;
    snprintf(path, sizeof path, "%s/t.trace", dir);
    int rc = test_run("line-reader", tests, sizeof tests / sizeof tests[0]);
    unlink(path);
    rmdir(dir);
    return rc;
}
