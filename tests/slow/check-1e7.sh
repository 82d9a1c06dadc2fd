#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten million random requests on every DRAM standard under the legality checker, reads and reads with writes.
# Takes minutes, so `make test` does not run it:  tests/slow/check-1e7.sh [REQUESTS]
set -eu
cd "$(dirname "$0")/../.."
n=${1:-10000000}
memsim=${MEMSIM:-./memsim}
failed=0
for f in devices/dram/hbm2-2000.ini devices/dram/hbm2e-3186.ini devices/dram/hbm3-6400.ini devices/dram/gddr6-14000.ini \
         devices/dram/lpddr5-6400.ini devices/dram/ddr5-4800.ini; do
    for pattern in rand rw50; do
        for refresh in allbank perbank; do
            what="$f $pattern refresh=$refresh"
            if "$memsim" dram "$f" "$pattern" --requests "$n" --check -s "dram.refresh=$refresh" --json >/dev/null; then
                echo "ok      $what"
            else
                echo "FAILED  $what"
                failed=1
            fi
        done
    done
done
exit $failed
