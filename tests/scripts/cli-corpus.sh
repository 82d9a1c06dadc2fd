#!/bin/sh
# SPDX-License-Identifier: MIT
# Every fuzz target of this variant replays its committed corpus: no crash, no sanitizer report.
. tests/scripts/lib.sh
n=0
for f in "$(dirname "$MEMSIM")"/tests/fuzz/*_fuzz; do
    [ -x "$f" ] || continue
    n=$((n + 1))
    dir=tests/fuzz/corpus/$(basename "$f" _fuzz)
    if ls "$dir"/* >/dev/null 2>&1; then check "replay of $dir" timeout 120 "$f" "$dir"/*
    else fail "$dir is empty"; fi
done
[ "$n" -ge 1 ] && ok || fail 'no fuzz target was built'
finish
