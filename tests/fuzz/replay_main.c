/* SPDX-License-Identifier: MIT
 * main of a fuzz target that is built without libFuzzer: feeds it the files named on the command line, so that
 * every input ever found stays a test with any compiler.  Weak, so that a target may bring its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv);

__attribute__((weak)) int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        /* An exact-size block, so that AddressSanitizer sees a read past the end. */
        size_t size = 0, got;
        uint8_t *data = NULL, buf[4096];
        while ((got = fread(buf, 1, sizeof buf, f)) > 0) {
            uint8_t *more = realloc(data, size + got);
            if (!more) return EXIT_FAILURE;
            data = more;
            for (size_t k = 0; k < got; k++) data[size + k] = buf[k];
            size += got;
        }
        fclose(f);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d inputs replayed\n", argc - 1);
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
