/* SPDX-License-Identifier: MIT
 * One input buffer of compressed (or plain) bytes, one decoder behind it.  Several gzip members, xz streams or
 * zstd frames in a row are one file, as their own tools read them. */
#include "workload/byte_source.h"
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Waits in poll, which a signal always ends; a read may be taken up again behind the signal handler's back. */
static ssize_t read_some(int fd, void *buf, size_t n)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, -1) < 0 ? -1 : read(fd, buf, n);
}

enum { IN_BYTES = 1 << 16 };
#define XZ_MEMORY_LIMIT \
    ((uint64_t)1 << 29) /* xz -9 needs 65 MiB; a hostile header must not ask for more */

typedef enum { PACK_NONE, PACK_GZIP, PACK_XZ, PACK_ZSTD } pack_t;

struct byte_source {
    int fd;
    off_t start; /* where the input began, -1: cannot seek */
    pack_t pack;
    bool eof;      /* fd is used up */
    bool between;  /* gzip, zstd: at the border of two members, where the file may end */
    bool done;     /* the decoder has seen its end */
    size_t lo, hi; /* unread part of in[] */
    z_stream gz;
    lzma_stream xz;
    ZSTD_DStream *zstd;
    unsigned char in[IN_BYTES];
};

static const char out_of_memory[] = "out of memory for decompression";

/* Read more input if in[] is empty.  0: fine (perhaps eof); else an errno. */
static int refill(byte_source_t *s)
{
    if (s->lo < s->hi || s->eof) return 0;
    ssize_t n = read_some(s->fd, s->in, sizeof s->in);
    if (n < 0) return errno;
    s->lo = 0;
    s->hi = (size_t)n;
    s->eof = n == 0;
    return 0;
}

static bool decoder_start(byte_source_t *s)
{
    s->between = s->done = false;
    switch (s->pack) {
    case PACK_NONE:
        return true;
    case PACK_GZIP:
        memset(&s->gz, 0, sizeof s->gz);
        return inflateInit2(&s->gz, 15 + 16) == Z_OK;
    case PACK_XZ:
        s->xz = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_stream_decoder(&s->xz, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) == LZMA_OK;
    case PACK_ZSTD:
        s->zstd = ZSTD_createDStream();
        return s->zstd != NULL;
    }
    return false;
}

static void decoder_stop(byte_source_t *s)
{
    if (s->pack == PACK_GZIP) inflateEnd(&s->gz);
    if (s->pack == PACK_XZ) lzma_end(&s->xz);
    if (s->pack == PACK_ZSTD) ZSTD_freeDStream(s->zstd);
}

/* Formats people hand over by mistake, by their first bytes. */
static const char *foreign_binary(const unsigned char *b, size_t n)
{
    static const struct {
        const char *magic;
        size_t n;
        const char *what;
    } known[] = {
        {"PK\003\004", 4, "a zip archive: unpack it first"},
        {"BZh", 3, "bzip2 data: only gzip, xz and zstd are unpacked"},
        {"\004\"M\030", 4, "lz4 data: only gzip, xz and zstd are unpacked"},
        {"gem5", 4, "a gem5 packet trace (protobuf), not text"},
        {"GGUF", 4, "a GGUF model, not a trace"},
        {"\177ELF", 4, "a program (ELF), not a trace"},
        {"\377\376", 2, "UTF-16 text: save it as UTF-8"},
        {"\376\377", 2, "UTF-16 text: save it as UTF-8"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (n >= known[i].n && memcmp(b, known[i].magic, known[i].n) == 0) return known[i].what;
    static const char lfs[] = "version https://git-lfs.github.com/spec/";
    if (n >= sizeof lfs - 1 && memcmp(b, lfs, sizeof lfs - 1) == 0)
        return "a Git-LFS pointer: the file itself was not fetched (git lfs pull)";
    return NULL;
}

static pack_t sniff_pack(const unsigned char *b, size_t n)
{
    if (n >= 2 && memcmp(b, "\037\213", 2) == 0) return PACK_GZIP;
    if (n >= 6 && memcmp(b, "\3757zXZ\0", 6) == 0) return PACK_XZ;
    if (n >= 4 && memcmp(b, "\050\265\057\375", 4) == 0) return PACK_ZSTD;
    return PACK_NONE;
}

/* Enough first bytes to recognise a format: a pipe may hand them over one at a time. */
static int read_head(byte_source_t *s)
{
    enum { HEAD_BYTES = 64 };
    while (s->hi < HEAD_BYTES && !s->eof) {
        ssize_t n = read_some(s->fd, s->in + s->hi, sizeof s->in - s->hi);
        if (n < 0) return errno;
        s->hi += (size_t)n;
        s->eof = n == 0;
    }
    return 0;
}

int byte_source_open(byte_source_t **out, const char *path, diag_t *d)
{
    *out = NULL;
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "(stdin)" : path;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return diag_add(d, MS_INPUT, "%s: %s", name, strerror(errno));
    byte_source_t *s = malloc(sizeof *s);
    if (!s) {
        if (!is_stdin) close(fd);
        return diag_add(d, MS_INPUT, "%s: %s", name, strerror(ENOMEM));
    }
    s->fd = fd;
    s->eof = false;
    s->lo = s->hi = 0;
    s->pack = PACK_NONE;

    struct stat st;
    int rc = MS_OK;
    int err = 0;
    const char *what = NULL;
    if (fstat(fd, &st) != 0)
        rc = diag_add(d, MS_INPUT, "%s: %s", name, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        rc = diag_add(d, MS_INPUT, "%s: is a directory", name);
    if (rc == MS_OK) {
        s->start = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : (off_t)-1;
        err = read_head(s);
        if (err == EINTR)
            rc = diag_add(d, MS_INTERRUPTED, "%s: interrupted", name);
        else if (err)
            rc = diag_add(d, MS_INPUT, "%s: %s", name, strerror(err));
    }
    if (rc == MS_OK && (what = foreign_binary(s->in, s->hi)) != NULL)
        rc = diag_add(d, MS_INPUT, "%s: is %s", name, what);
    if (rc == MS_OK) {
        s->pack = sniff_pack(s->in, s->hi);
        if (!decoder_start(s)) {
            rc = diag_add(d, MS_INPUT, "%s: %s", name, out_of_memory);
            decoder_stop(s);
        }
    }
    if (rc != MS_OK) {
        if (!is_stdin) close(fd);
        free(s);
        return rc;
    }
    *out = s;
    return MS_OK;
}

void byte_source_close(byte_source_t *s)
{
    if (!s) return;
    decoder_stop(s);
    if (s->fd != STDIN_FILENO) close(s->fd);
    free(s);
}

bool byte_source_rewind(byte_source_t *s)
{
    if (s->start < 0 || lseek(s->fd, s->start, SEEK_SET) < 0) return false;
    decoder_stop(s);
    s->lo = s->hi = 0;
    s->eof = false;
    return decoder_start(s);
}

static ptrdiff_t fault(const char *text, const char **why)
{
    *why = text;
    return -1;
}

static ptrdiff_t read_gzip(byte_source_t *s, unsigned char *buf, size_t cap, const char **why)
{
    if (s->between) { /* padding zeros, another member, or the end */
        while (s->lo < s->hi && s->in[s->lo] == 0) s->lo++;
        if (s->lo == s->hi) return 0;
        if (inflateReset(&s->gz) != Z_OK) return fault(out_of_memory, why);
        s->between = false;
    }
    s->gz.next_in = s->in + s->lo;
    s->gz.avail_in = (uInt)(s->hi - s->lo);
    s->gz.next_out = buf;
    s->gz.avail_out = (uInt)cap;
    int rc = inflate(&s->gz, Z_NO_FLUSH);
    s->lo = s->hi - s->gz.avail_in;
    if (rc == Z_MEM_ERROR) return fault(out_of_memory, why);
    if (rc == Z_STREAM_END)
        s->between = true;
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        return fault("damaged gzip data", why);
    return (ptrdiff_t)(cap - s->gz.avail_out);
}

static ptrdiff_t read_xz(byte_source_t *s, unsigned char *buf, size_t cap, const char **why)
{
    s->xz.next_in = s->in + s->lo;
    s->xz.avail_in = s->hi - s->lo;
    s->xz.next_out = buf;
    s->xz.avail_out = cap;
    lzma_ret rc = lzma_code(&s->xz, s->eof ? LZMA_FINISH : LZMA_RUN);
    s->lo = s->hi - s->xz.avail_in;
    if (rc == LZMA_STREAM_END)
        s->done = true;
    else if (rc == LZMA_MEM_ERROR)
        return fault(out_of_memory, why);
    else if (rc == LZMA_MEMLIMIT_ERROR)
        return fault("xz data asks for a dictionary over 512 MiB", why);
    else if (rc == LZMA_BUF_ERROR && s->eof && s->xz.avail_out)
        return fault("compressed data ends early", why);
    else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
        return fault("damaged xz data", why);
    return (ptrdiff_t)(cap - s->xz.avail_out);
}

/* buf is written through out.dst. */
// NOLINTNEXTLINE(readability-non-const-parameter)
static ptrdiff_t read_zstd(byte_source_t *s, unsigned char *buf, size_t cap, const char **why)
{
    if (s->between && s->lo == s->hi) return 0; /* a call would begin another frame */
    ZSTD_inBuffer in = {s->in, s->hi, s->lo};
    ZSTD_outBuffer out = {buf, cap, 0};
    size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);
    s->lo = in.pos;
    if (ZSTD_isError(rc)) return fault("damaged zstd data", why);
    s->between = rc == 0;
    return (ptrdiff_t)out.pos;
}

ptrdiff_t byte_source_read(byte_source_t *s, unsigned char *buf, size_t cap, const char **why,
                           int *cls)
{
    *cls = MS_INPUT;
    if (cap > (size_t)1 << 30) cap = (size_t)1 << 30;        /* fits zlib's counters */
    if (s->pack == PACK_NONE && s->lo == s->hi && !s->eof) { /* straight into the caller's buffer */
        ssize_t n = read_some(s->fd, buf, cap);
        if (n >= 0) {
            s->eof = n == 0;
            return n;
        }
        if (errno == EINTR) *cls = MS_INTERRUPTED;
        return fault(errno == EINTR ? "interrupted" : "read error", why);
    }
    while (!s->done) {
        int err = refill(s);
        if (err == EINTR) *cls = MS_INTERRUPTED;
        if (err) return fault(err == EINTR ? "interrupted" : "read error", why);
        bool dry = s->lo == s->hi && s->eof;
        ptrdiff_t n = 0;
        switch (s->pack) {
        case PACK_NONE:
            n = (ptrdiff_t)(s->hi - s->lo < cap ? s->hi - s->lo : cap);
            memcpy(buf, s->in + s->lo, (size_t)n);
            s->lo += (size_t)n;
            break;
        case PACK_GZIP:
            n = read_gzip(s, buf, cap, why);
            break;
        case PACK_XZ:
            n = read_xz(s, buf, cap, why);
            break;
        case PACK_ZSTD:
            n = read_zstd(s, buf, cap, why);
            break;
        }
        if (n != 0) return n;
        if (dry && !s->done) { /* no input left and nothing came out */
            if (s->pack != PACK_NONE && !s->between)
                return fault("compressed data ends early", why);
            s->done = true;
        }
    }
    return 0;
}
