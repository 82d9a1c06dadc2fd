#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that ships runs: every device shows itself and plays a small workload, every DRAM part plays patterns
# under the legality checker, every workload plays on a device it fits.
. tests/scripts/lib.sh
n=0
for d in devices/*.ini; do
    [ -e "$d" ] || continue
    n=$((n + 1))
    run 0 "show $d" show "$d"
    shows "show $d: bandwidth" 'B/s'
    run 0 "$d stream" "$d" workloads/stream.trace -D bytes=512KiB --check --json
    shows "$d: digest" '"digest": *"[0-9a-f]+"'
    run 0 "map $d" map "$d" 0x12345680
done
[ "$n" -ge 7 ] && ok || fail "only $n device files"
n=0
for d in devices/dram/*.ini tests/oracle/*.ini; do
    [ -e "$d" ] || continue
    n=$((n + 1))
    for p in seq rand triad stride:4096 pingpong rowconf rw50 burst depseq deprand rand64; do
        run 0 "dram $d $p" dram "$d" $p --requests 400 --check
    done
done
[ "$n" -ge 9 ] && ok || fail "only $n DRAM files"
n=0
for w in workloads/*.trace; do
    [ -e "$w" ] || continue
    n=$((n + 1))
    run 0 "trace check $w" trace check "$w"
    run 0 "trace info $w" trace info "$w"
done
[ "$n" -ge 6 ] && ok || fail "only $n workloads"
finish
