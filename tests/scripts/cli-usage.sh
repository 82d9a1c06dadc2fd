#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line itself: help, version, unknown names, exit codes.
. tests/scripts/lib.sh
dev=devices/v100.ini
echo 'R 0x1000 64' >"$tmp/one.trace"

for o in -h --help; do
    run 0 "$o" "$o"
    shows "$o" 'DEVICE\.ini'
    for verb in run dram trace show map; do
        run 0 "$verb $o" "$verb" "$o"
        shows "$verb $o" "memsim.*$verb"
    done
done
run 0 --version --version
shows --version 'memsim [0-9]+\.[0-9]+'
if [ "$("$MEMSIM" --help | wc -l)" -le 60 ]; then ok; else fail '--help is more than a screen'; fi

run 1 'no arguments'
says 'no arguments' 'memsim'
run 1 'one argument' "$dev"
run 1 'unknown verb' shwo "$dev"
says 'unknown verb' 'show'
run 1 'slip for a verb that is not there yet' swep "$dev"
if grep -q sweep "$tmp/err"; then fail 'a verb that is not there is offered' "$(cat "$tmp/err")"; else ok; fi
run 1 'unknown option' "$dev" "$tmp/one.trace" --jsn
says 'unknown option' '--json'
run 1 'unknown short option' "$dev" "$tmp/one.trace" -Z
run 1 'option without its value' "$dev" "$tmp/one.trace" --seed
run 1 'bad seed' "$dev" "$tmp/one.trace" --seed x
run 1 'bad sample' "$dev" "$tmp/one.trace" --sample=0
run 1 'bad sample' "$dev" "$tmp/one.trace" --sample=many
run 1 'bad thread count' "$dev" "$tmp/one.trace" --threads 0
run 1 'too many arguments' "$dev" "$tmp/one.trace" another
run 1 'bad request count' dram devices/dram/"$(ls devices/dram | head -n 1)" seq --requests -4
run 1 'bad mix' dram devices/dram/"$(ls devices/dram | head -n 1)" rand --mix 1
run 0 'two threads' "$dev" "$tmp/one.trace" --threads 2
run 0 '--exact' "$dev" "$tmp/one.trace" --exact
run 0 'the verb run' run "$dev" "$tmp/one.trace"
run 0 'options before the files' --json --seed 7 "$dev" "$tmp/one.trace"
shows 'seed is reported' '"seed": *7'
run 0 '-q' -q "$dev" "$tmp/one.trace"
run 1 'seed beyond its range' "$dev" "$tmp/one.trace" --seed 9223372036854775808
says 'seed beyond its range' '2\^63 - 1'
run 1 'mix beyond its range' dram devices/dram/"$(ls devices/dram | head -n 1)" rand --load 10 --mix 1e30/1
run 1 'command log on standard output' "$dev" "$tmp/one.trace" --trace-commands -
silent 'command log on standard output'
run 0 '--follow' "$dev" "$tmp/one.trace" --follow 1
shows '--follow' 'request 1: read 0x1000'
run 0 '--follow of a request there is not' "$dev" "$tmp/one.trace" --follow 7
says '--follow of a request there is not' 'no such request'
run 2 'map: a place that is not' map "$dev" channel=9999
says 'map: a place that is not' 'has 32 channels'
run 1 'map: a field twice' map "$dev" channel=1,channel=2
says 'map: a field twice' 'channel is given twice'
# An address and its place lead to each other.
for a in 0x0 0x12345680 0x3ffffffe0; do
    run 0 "map $a" map "$dev" $a
    place=$(grep -o 'channel=[^ ]*' "$tmp/out")
    run 0 "map $place" map "$dev" "$place"
    shows "map $place" "^$a "
done
# Ctrl-C, and a batch system's end of patience: a partial result, marked so.
for sig in INT TERM; do
    "$MEMSIM" devices/v100.ini workloads/stream.trace -D bytes=1GiB --exact --json >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    sleep 1
    kill -s $sig $pid
    wait $pid
    if [ $? -eq 130 ]; then ok; else fail "SIG$sig: exit code 130 expected"; fi
    shows "SIG$sig: partial" '"partial": *true'
    shows "SIG$sig: not reproducible" '"reproducible": *false'
    says "SIG$sig" 'interrupted'
    # what was cut off has moved no more than the pins could
    awk -F': *' '/"GBps"/ && $2 + 0 > 2900 { exit 1 }' "$tmp/out" && ok || fail "SIG$sig: GB/s of a whole kernel in part of its time"
done
# Waiting for more of its standard input, it ends at the first signal.
for first in '' 'R 0x0 32'; do
    rm -f "$tmp/pipe"
    mkfifo "$tmp/pipe"
    { [ -z "$first" ] || echo "$first"; exec sleep 20; } >"$tmp/pipe" &
    writer=$!
    "$MEMSIM" "$dev" - <"$tmp/pipe" >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    sleep 1
    kill -s INT $pid
    sleep 1
    kill -0 $pid 2>/dev/null && { kill -s KILL $pid; fail "SIGINT while it waits for input '$first': goes on"; }
    wait $pid
    if [ $? -eq 130 ]; then ok; else fail "SIGINT while it waits for input '$first': exit code 130 expected"; fi
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
done
run 0 '--explain a parameter' --explain tRP
shows '--explain a parameter' 'PRE to ACT'
run 0 'explain a key of the result' explain kernels.levels.l2.hit_rate
shows 'explain a key of the result' 'key of the JSON result, in share'
run 1 '--explain what is not there' --explain tRPP
says '--explain what is not there' 'tRP'

# A reader that goes away is no reason to complain.
"$MEMSIM" show "$dev" 2>"$tmp/err" | head -n 1 >"$tmp/out"
if [ -s "$tmp/err" ]; then fail 'closed pipe' "$(cat "$tmp/err")"; else ok; fi
# A full disk is.
if [ -w /dev/full ]; then
    "$MEMSIM" "$dev" "$tmp/one.trace" --json >/dev/full 2>"$tmp/err"
    if [ $? -eq 1 ]; then ok; else fail 'full disk: exit code 1 expected' "$(cat "$tmp/err")"; fi
fi
finish
