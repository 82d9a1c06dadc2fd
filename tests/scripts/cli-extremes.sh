#!/bin/sh
# SPDX-License-Identifier: MIT
# Every parameter at both ends of its range, and every choice of those that have names: a result, or a message with
# exit code 2 or 5; never a crash, a stuck run or an internal error.
. tests/scripts/lib.sh
dev=devices/v100.ini
cat >"$tmp/t.trace" <<'TRACE'
memsim trace 1
buffer a size 256 KiB
buffer b size 256 KiB
kernel lanes(in x[256 KiB], out y[256 KiB]) {
    grid 16
    block 256
    let i = 16 KiB * cta + 512 * warp
    for j in 4 {
        load 16 at x + i + 4 KiB * j as v
        wait v
        compute 64 on fp32
        barrier
        store 16 at y + i + 4 KiB * j
    }
}
kernel tiles(in x[256 KiB]) {
    grid 8
    block 128
    agent
    shared 16 KiB
    for s in 2 {
        tile load at x + 32 KiB * cta + 16 KiB * s rows 128 of 128
        commit
        wait group 0
        compute 100000 on tensor_fp16
    }
}
launch lanes(a, b)
launch tiles(a)
launch lanes(b, a)
TRACE
# SECTION KEY VALUE, one a line
"$MEMSIM" show --params-markdown | awk -F '|' '
    function trim(s) { gsub(/^[ `]+|[ `]+$/, "", s); return s }
    /^### / { gsub(/[][# `]/, ""); section = $0 }
    /^\| `/ {
        key = trim($2); range = trim($5)
        n = split(range, v, range ~ / to / ? / to / : /[^a-z0-9_]+/)
        for (i = 1; i <= n; i++) if (v[i] != "") print section "\t" key "\t" v[i]
    }' >"$tmp/list"
while IFS="$(printf '\t')" read -r section key value; do
    timeout 20 "$MEMSIM" "$dev" "$tmp/t.trace" --exact -q -s "$section.$key=$value" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    case $rc in
    0) if [ -s "$tmp/out" ]; then ok; else fail "-s $section.$key=$value: no result"; fi ;;
    2 | 5) if [ -s "$tmp/err" ] && [ ! -s "$tmp/out" ]; then ok; else fail "-s $section.$key=$value: exit code $rc without a message"; fi ;;
    *) fail "-s $section.$key=$value: exit code $rc" "$(cat "$tmp/err")" ;;
    esac
done <"$tmp/list"
[ "$checks" -ge 200 ] || fail "only $checks values in the table"
finish
