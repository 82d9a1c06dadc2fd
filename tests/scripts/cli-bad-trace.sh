#!/bin/sh
# SPDX-License-Identifier: MIT
# Faulty and odd workloads: exit code, file and line, nothing simulated; and harmless oddities with equal digests.
. tests/scripts/lib.sh
dev=devices/v100.ini
part=devices/dram/$(sed -n 's/^use *= *dram\///p' "$dev" | head -n 1)
t=$tmp/t.trace
bad() { # bad NAME PATTERN: t.trace is refused, by the GPU and by `memsim dram`
    run 2 "$1" "$dev" "$t"
    says "$1" "$2"
    silent "$1"
    run 2 "$1 (dram)" dram "$part" "$t"
    says "$1 (dram)" "$2"
    silent "$1 (dram)"
}
digest() { sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' "$tmp/out" | head -n 1; }
# same NAME FILE: the run gives the digest of the reference
same() {
    run 0 "$1" "$dev" "$2" --json
    if [ -n "$ref" ] && [ "$(digest)" = "$ref" ]; then ok; else fail "$1: digest $(digest), expected $ref"; fi
}

printf 'R 0x1000 64\nhello world x\nR 0x2000 64\n' >"$t"
bad 'malformed line 2 of 3' 't\.trace:2:'
printf 'R 0x1000 64\nR\nR 0x2000 64\n' >"$t"
bad 'line that ends early' 't\.trace:2:'
printf 'R 0x1000 64\nR 0xfffffffffffff000 64\n' >"$t"
bad 'address beyond capacity' 't\.trace:2:.*(capacity|beyond|outside)'
printf 'R 0xffffffffffffffff 64\n' >"$t"
bad 'address plus size wraps' 't\.trace:1:'
printf 'R 0x1ffffffffffffffffff 64\n' >"$t"
bad 'address beyond 64 bits' 't\.trace:1:'
printf 'R 0x1000 64 @1000\nR 0x2000 64 @10\n' >"$t"
bad 'times that decrease' 't\.trace:2:'
printf 'R 0x1000 64 @-5\n' >"$t"
bad 'negative time' 't\.trace:1:'
printf 'R 0x1000 64 @1e30\n' >"$t"
bad 'time beyond range' 't\.trace:1:'
printf 'R 0x1000 0\n' >"$t"
bad 'size of zero' 't\.trace:1:'
printf 'memsim trace 1\nbufer A[16] 4\n' >"$t"
run 2 'unknown statement' "$dev" "$t"
says 'unknown statement' 't\.trace:2:.*buffer'
printf 'memsim trace 99\n' >"$t"
run 2 'version of the future' "$dev" "$t"
says 'version of the future' 't\.trace:1:.*99'
printf 'memsim trace 1\nbuffer a size 1 MiB\nindex r = uniform(1 << 40)\nkernel k(in x[4]) {\n grid 1\n block 32\n load 4 at x step 1 << 50 via r[0] as v\n wait v\n}\nlaunch k(a)\n' >"$t"
run 2 'gather far beyond the memory' "$dev" "$t"
says 'gather far beyond the memory' 'beyond the memory'
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n' >"$t"
bad 'Git-LFS pointer' '[Ll][Ff][Ss]'
head -c 100000 /dev/urandom >"$t"
run 2 'random bytes' "$dev" "$t"
{ printf 'R 0x1000'; head -c 2000000 /dev/zero | tr '\0' ' '; echo 64; } >"$t"
run 2 'line of 2 MB' "$dev" "$t"
says 'line of 2 MB' 't\.trace:1'
awk 'BEGIN { print "memsim trace 1"; s = "let x = "; for (i = 0; i < 100000; i++) s = s "("; print s }' >"$t"
run 2 '100,000 open brackets' "$dev" "$t"
says '100,000 open brackets' 't\.trace:2'
run 2 'missing workload' "$dev" "$tmp/nothing.trace"
says 'missing workload' 'nothing\.trace.*[Nn]o such file'
run 2 'directory as workload' "$dev" "$tmp"
says 'directory as workload' 'directory'
run 2 'directory as trace of dram' dram "$part" "$tmp"
run 1 'unknown pattern' dram "$part" rnad
says 'unknown pattern' 'rand'

# No work is no error: zeros, averages null, no NaN.
for what in '' '# only a comment\n' '\n\n'; do
    printf "$what" >"$t"
    run 0 "empty trace ($what)" "$dev" "$t" --json
    shows "empty trace ($what): mean is null" '"mean": *null'
    if grep -qi nan "$tmp/out"; then fail "empty trace ($what): NaN in JSON" "$(cat "$tmp/out")"; else ok; fi
    run 0 "empty trace ($what), text" "$dev" "$t"
    run 0 "empty trace ($what), dram" dram "$part" "$t" --json
done

# The same accesses in other clothes.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%s 0x%x 64\n", i % 3 ? "R" : "W", i * 4160 }' >"$tmp/ref.trace"
cp "$tmp/ref.trace" "$t"
run 0 'reference' "$dev" "$t" --json
ref=$(digest)
sed 's/$/\r/' "$tmp/ref.trace" >"$t" && same 'CRLF' "$t"
{ printf '\357\273\277'; cat "$tmp/ref.trace"; } >"$t" && same 'byte-order mark' "$t"
sed 's/ /\t/g; s/$/  \t/' "$tmp/ref.trace" >"$t" && same 'tabs and trailing blanks' "$t"
printf '%s' "$(cat "$tmp/ref.trace")" >"$t" && same 'no final newline' "$t"
sed 's/$/ # a comment/; 5i\
# whole line' "$tmp/ref.trace" >"$t" && same 'comments' "$t"
sed 's/^R/r/; s/^W/w/' "$tmp/ref.trace" >"$t" && same 'lower case' "$t"
awk 'BEGIN { for (i = 0; i < 300; i++) printf "%s %d 64\n", i % 3 ? "R" : "W", i * 4160 }' >"$t" && same 'decimal' "$t"
gzip -c "$tmp/ref.trace" >"$t" && same 'gzip under a .trace name' "$t"
xz -c "$tmp/ref.trace" >"$t" 2>/dev/null && same 'xz' "$t"
zstd -qc "$tmp/ref.trace" >"$t" 2>/dev/null && same 'zstd' "$t"
gzip -c "$tmp/ref.trace" | head -c 200 >"$t"
run 2 'gzip cut short' "$dev" "$t"

# Standard input, and stdin of nothing.
timeout 60 "$MEMSIM" "$dev" - --json <"$tmp/ref.trace" >"$tmp/out" 2>"$tmp/err" && [ "$(digest)" = "$ref" ] && ok ||
    fail 'stdin gives another digest' "$(cat "$tmp/err")"

# Every access of a long, sparse trace is served.
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "R 0x%x 64 @%d\n", i * 64, i * 10 }' >"$t"
run 0 'sparse trace' dram "$part" "$t" --json
shows 'sparse trace: all reads' '"read_bytes": *320000(\.0)?[,}]?'
printf 'R 0x0 64\nR 0x40 64 @1s\n' >"$t"
run 0 'one simulated second of nothing' dram "$part" "$t" --json

# Addresses that lie across lines, sectors and channels are split, bytes conserved.
printf 'R 0x1001 1\nR 0x3f 64\nR 0xff0 256\nW 0x7ffff0 4096\n' >"$t"
run 0 'unaligned accesses' "$dev" "$t"
run 0 'unaligned accesses (dram)' dram "$part" "$t"

# Buffers that do not fit, a wrong -D, a wrong tensor split.
run 5 'buffers beyond capacity' "$dev" workloads/stream.trace -D bytes=16GiB
says 'buffers beyond capacity' 'too few|short'
run 2 'unknown -D' "$dev" workloads/stream.trace -D bites=1MiB
says 'unknown -D' 'bites.*bytes'
run 1 '-D without value' "$dev" workloads/stream.trace -D bytes
run 2 '-D with a wrong unit' "$dev" workloads/stream.trace -D bytes=4ns
says '-D with a wrong unit' 'bytes'
run 2 'tensor does not divide 96' devices/h100.ini workloads/gpt.trace -D tensor=7
says 'tensor does not divide 96' 'tensor|96'
finish
