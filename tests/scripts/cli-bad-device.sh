#!/bin/sh
# SPDX-License-Identifier: MIT
# Faulty device files and faulty -s: exit code 2, file and line in the message, the nearest valid name offered,
# every fault of a file at once, no results printed.
. tests/scripts/lib.sh
cp -r devices "$tmp/devices"
dev=$tmp/devices/v100.ini
dram=$(sed -n 's/^use *= *dram\///p' "$dev" | head -n 1)
part=$tmp/devices/dram/$dram
echo 'R 0x1000 64' >"$tmp/one.trace"

# line FILE PATTERN: number of the first line that matches
line() { grep -nE -e "$2" "$1" | head -n 1 | cut -d: -f1; }
# bad NAME PATTERN: the edited device file is refused with a message that matches
bad() {
    run 2 "$1" "$tmp/bad.ini" "$tmp/one.trace"
    says "$1" "$2"
    silent "$1"
    run 2 "$1, show" show "$tmp/bad.ini"
}
edit() { sed -E "$1" "$dev" >"$tmp/bad.ini"; } # the copy's use = dram/... resolves beside it
ln -s devices/dram "$tmp/dram"

run 0 'the unedited copy' "$dev" "$tmp/one.trace"

edit 's/^sms( *=)/smss\1/'
bad 'unknown key' "bad\.ini:$(line "$tmp/bad.ini" '^smss'):.*smss.*\"?sms\"?"
edit 's/^\[gpu\]/[gqu]/'
bad 'unknown section' "bad\.ini:$(line "$tmp/bad.ini" '^\[gqu\]'):.*gqu.*gpu"
edit 's/^(sms *=.*)/\1\
\1/'
n=$(line "$tmp/bad.ini" '^sms')
bad 'duplicate key names both lines' "bad\.ini:$((n + 1)):.*sms.*$n"
edit 's/^(sms *=).*/\1 84 MHz/'
bad 'unit where none is due' "bad\.ini:$n:.*sms"
edit 's/^(clock *=).*/\1 14 ns/'
bad 'wrong unit' "bad\.ini:$(line "$tmp/bad.ini" '^clock'):.*clock.*Hz"
edit 's/^(clock *=).*/\1 1380/'
bad 'missing unit' "bad\.ini:$(line "$tmp/bad.ini" '^clock'):.*clock.*unit"
edit 's/^(sms *=).*/\1 0/'
bad 'zero SMs' "bad\.ini:$n:.*sms"
edit 's/^(sms *=).*/\1 -3/'
bad 'negative count' "bad\.ini:$n:.*sms"
edit 's/^(sms *=).*/\1 99999999999999999999/'
bad 'number beyond 64 bits' "bad\.ini:$n:.*sms"
edit 's/^(sms *=).*/\1/'
bad 'empty value' "bad\.ini:$n:.*sms"
edit '/^sms *=/d'
bad 'required key absent' 'sms'
edit 's/^sms( *=)/smss\1/; s/^(clock *=).*/\1 14 ns/'
bad 'first of two faults' 'smss'
says 'second of two faults' 'clock.*Hz'
edit 's/^use *= *dram\/.*/use = dram\/no-such-file.ini/'
bad 'included file absent' "bad\.ini:$(line "$tmp/bad.ini" '^use *= *dram'):.*no-such-file|no-such-file.*bad\.ini"
{ printf '; '; head -c 300 /dev/zero | tr '\0' x; echo; cat "$dev"; } >"$tmp/bad.ini"
bad 'line over 199 bytes' 'bad\.ini:1:.*(199|long)'
{ cat "$dev"; echo '[memory hbm'; } >"$tmp/bad.ini"
bad 'section without its bracket' "bad\.ini:$(($(wc -l <"$dev") + 1)):"
echo 'use = bad.ini' >"$tmp/bad.ini"
bad 'file that includes itself' 'bad\.ini:1:.*(cycl|itself|includ|circle)'
: >"$tmp/bad.ini"
bad 'empty device file' 'bad\.ini'
head -c 4096 /dev/urandom >"$tmp/bad.ini"
run 2 'random bytes as device file' "$tmp/bad.ini" "$tmp/one.trace"

# Windows line ends and a byte-order mark are harmless.
{ printf '\357\273\277'; sed 's/$/\r/' "$dev"; } >"$tmp/bad.ini"
run 0 'CRLF and BOM' "$tmp/bad.ini" "$tmp/one.trace"

run 2 'missing device file' "$tmp/nothing.ini" "$tmp/one.trace"
says 'missing device file' 'nothing\.ini.*[Nn]o such file'
run 2 'device file without an end' /dev/zero "$tmp/one.trace"
says 'device file without an end' '/dev/zero: more than 4 MiB'
gzip -c "$dev" >"$tmp/bad.ini"
run 2 'compressed device file' "$tmp/bad.ini" "$tmp/one.trace"
says 'compressed device file' 'bad\.ini:1: compressed'
run 2 'directory as device file' "$tmp/devices" "$tmp/one.trace"
says 'directory as device file' 'devices.*directory'

run 2 'standard input as device file' - "$tmp/one.trace"
says 'standard input as device file' '^memsim: -: .*standard input'
sed 's/^map *=.*/map = co,ro/' "$part" >"$tmp/map.ini"
run 2 'map without its fields' dram "$tmp/map.ini" seq
says 'map without its fields' "map\.ini:$(line "$tmp/map.ini" '^map'): map = co,ro: field"
sed 's/^tFAW *=.*/tFAW = 1 ns/' "$part" >"$tmp/faw.ini"
run 2 'rule between timings' dram "$tmp/faw.ini" seq
says 'rule between timings' "faw\.ini:$(line "$tmp/faw.ini" '^tFAW'): tFAW = 1 ns: shorter than tRRD_S, [0-9.]+ ns"
run 0 'a note is printed once' "$dev" "$tmp/one.trace" -s dram.tRC=40ns
if [ "$(grep -c 'which then decide' "$tmp/err")" = 1 ]; then ok; else fail 'a note is printed once' "$(cat "$tmp/err")"; fi

# -s: the same checks, origin -s.
s() { name=$1; shift; run 2 "-s $1" "$dev" "$tmp/one.trace" -s "$1"; says "-s $1: $name" "$2"; silent "-s $1"; }
s 'unknown key' gpu.smss=4 'smss.*sms'
s 'unknown section' gqu.sms=4 'gqu.*gpu'
run 1 '-s without a value' "$dev" "$tmp/one.trace" -s sms
s 'no value' gpu.sms= 'sms'
s 'wrong unit' gpu.clock=14ns 'clock.*Hz'
s 'missing unit' dram.tRP=14 'tRP.*unit'
s 'nearest timing' dram.tRDC=14ns 'tRDC.*(tRC|tRCD)'
run 0 '-s dram.tRCD=14ns, the example of the manual' "$dev" "$tmp/one.trace" -s dram.tRCD=14ns
s 'zero channels' dram.channels=0 'channels'
s 'negative channels' dram.channels=-1 'channels'
s 'zero capacity of L2' l2.size=0B 'size'
run 0 '-s, last one wins' "$dev" "$tmp/one.trace" -s gpu.sms=4 -s gpu.sms=8
for n in 5 80 144; do run 0 "-s dram.channels=$n" dram "$part" seq --requests 200 -s dram.channels=$n; done

# Rules between timings: what no device could do is an error, what is merely odd is allowed.
d() { run "$1" "$2" dram "$part" rand --requests 200 $3; }
d 2 'tFAW below tRRD_S' '-s dram.tRRD_S=4ns -s dram.tFAW=3ns'
says 'tFAW below tRRD_S' 'tFAW'
d 0 'tFAW below 4 tRRD_S' '-s dram.tRRD_S=4ns -s dram.tRRD_L=4ns -s dram.tFAW=12ns'
d 2 'tREFI below tRFC' '-s dram.tREFI=100ns -s dram.tRFCab=350ns'
says 'tREFI below tRFC' 'tREFI|tRFC'
finish
