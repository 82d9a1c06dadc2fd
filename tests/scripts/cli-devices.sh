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
# Every workload runs to its end, small; the irregular ones also on a GPU with one L2 partition.
for d in devices/v100.ini devices/h100.ini; do
    run 0 "$d chase" "$d" workloads/chase.trace -D bytes=1MiB --check --json
    run 0 "$d lammps" "$d" workloads/lammps.trace -D cells=8 --exact --check --json
done
run 0 "gemm" devices/h100.ini workloads/gemm.trace -D m=256 -D n=512 -D k=256 --check --json
run 0 "attention" devices/h100.ini workloads/attention.trace -D nq=256 -D heads=2 --check --json
run 0 "gpt" devices/h100.ini workloads/gpt.trace -D layers=1 -D prompt=16 -D out=1 -D tensor=96 --json
shows "gpt: collectives are said to be not modelled" 'collectives'
run 2 "gemm that needs more shared memory than an SM has" devices/v100.ini workloads/gemm.trace
finish
