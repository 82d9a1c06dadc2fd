/* SPDX-License-Identifier: MIT
 * Any text as a device file, and its first line as a -s: it is refused with a message, or it becomes a device whose
 * addresses and places lead to each other.  Corpus: tests/fuzz/corpus/device. */
#include "core/arena.h"
#include "core/rng.h"
#include "dram/dram.h"
#include "machine/device.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const dram_spec_t *s)
{
    uint64_t bytes = dram_capacity_bytes(s), burst = dram_burst_bytes(s);
    for (uint64_t i = 0; i < 64; i++) {
        addr_t at = mix64(i) % bytes / burst * burst;
        loc_t l;
        memset(&l, 0, sizeof l);
        dram_decode(s, at, &l);
        if (dram_encode(s, &l) != at) abort();
    }
}

static void load(const char *path, const char *set)
{
    diag_t d;
    diag_init(&d);
    arena_t *a = arena_new();
    device_t *dev = arena_array(a, device_t, 1);
    int rc = device_load(dev, path, &set, set ? 1 : 0, a, &d);
    if (rc != MS_OK && !d.n) abort(); /* refused without saying why */
    if (rc == MS_OK) round_trip(dev->memory[0].spec);
    arena_free(a);
    diag_free(&d);
}

static bool has_use(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (!memcmp(data + i, "use", 3)) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Files that a `use` of random text might name are nobody's business here. */
    if (has_use(data, size)) return 0;
    char path[] = "/tmp/memsim-fuzz-XXXXXX", set[200];
    int fd = mkstemp(path);
    if (fd < 0) return 0;
    ssize_t put = write(fd, data, size);
    close(fd);
    size_t n = 0;
    while (n < size && n + 1 < sizeof set && data[n] != '\n' && data[n]) {
        set[n] = (char)data[n];
        n++;
    }
    set[n] = '\0';
    if (put == (ssize_t)size) {
        load(path, NULL);
        load(path, set);
    }
    unlink(path);
    return 0;
}
