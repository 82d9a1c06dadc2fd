/* SPDX-License-Identifier: MIT
 * Any text as a trace: it is read, its parameters evaluated, up to 2,000 commands played and their kernels built,
 * or it is refused with a message.  Corpus: tests/fuzz/corpus/trace; tests/240 replays it everywhere. */
#include "workload/workload.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COMMANDS 2000

static void play(const char *path)
{
    workload_opt_t o = {.warp_lanes = 32, .seed = 1};
    diag_t d;
    diag_init(&d);
    workload_t *w = NULL;
    if (workload_open(&w, path, &o, &d) == MS_OK) {
        for (int i = 0; i < COMMANDS; i++) {
            wcmd_t c;
            const kernel_t *k;
            if (workload_next(w, &c, &d) != MS_OK || c.kind == WC_END) break;
            if (c.kind == WC_LAUNCH && workload_kernel(w, &c, &k, &d) != MS_OK) break;
        }
        workload_free(w);
    } else if (!d.n) {
        abort(); /* refused without saying why */
    }
    diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/memsim-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return 0;
    ssize_t put = write(fd, data, size);
    close(fd);
    if (put == (ssize_t)size) play(path);
    unlink(path);
    return 0;
}
