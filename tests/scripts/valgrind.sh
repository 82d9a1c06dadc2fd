#!/bin/sh
# SPDX-License-Identifier: MIT
# Short whole runs under memcheck: it sees uninitialised reads, which AddressSanitizer does not.
. tests/scripts/lib.sh
command -v valgrind >/dev/null || { echo 'needs valgrind (apt-get install valgrind)' >&2; exit 1; }
part=devices/dram/$(sed -n 's/^use *= *dram\///p' devices/v100.ini | head -n 1)
for w in "devices/v100.ini workloads/stream.trace -D bytes=64KiB" "dram $part rw50 --requests 500 --check" \
    "devices/v100.ini workloads/chase.trace -D bytes=16KiB --json"; do
    # shellcheck disable=SC2086
    check "valgrind memsim $w" valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$MEMSIM" $w
done
finish
