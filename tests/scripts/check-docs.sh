#!/bin/sh
# SPDX-License-Identifier: MIT
# Documentation that must agree with the program: generated tables, commands of the README, links, file names.
. tests/scripts/lib.sh
check 'generated tables of docs/device-format.md' sh tests/scripts/docs.sh check

for f in README.md CHANGELOG.md LICENSE docs/design.md docs/trace-format.md docs/device-format.md docs/contributing.md; do
    if [ -s $f ]; then ok; else fail "$f is missing"; fi
done
# Links to files of the repository.
for f in README.md docs/*.md; do
    for to in $(grep -oE '\]\([^)#: ]+' "$f" 2>/dev/null | cut -c3- | sort -u); do
        if [ -e "$(dirname "$f")/$to" ]; then ok; else fail "$f: link to $to, which is not there"; fi
    done
done
# Files the documents speak of, `sim/core/engine.h`.
for f in README.md docs/*.md; do
    for to in $(grep -oE '`(sim|devices|workloads|plots|tests|docs)/[A-Za-z0-9_./-]+`' "$f" 2>/dev/null | tr -d '`' | sort -u); do
        if [ -e "${to%/}" ]; then ok; else fail "$f: $to is not there"; fi
    done
done

# Commands in the README's code blocks: make targets exist, memsim commands work as written (from a folder of
# their own, so that -o leaves nothing here).  Lines with placeholders such as DEVICE.ini are skipped.
mkdir "$tmp/run"
for d in devices workloads plots docs tests; do ln -s "$PWD/$d" "$tmp/run/$d"; done
ln -s "$MEMSIM" "$tmp/run/memsim"
awk '/^ *```/ { inside = !inside; next } inside || /^    / { sub(/^ *(\$ )?/, ""); print }' README.md 2>/dev/null |
    sed 's/[[:space:]]#.*//' >"$tmp/commands"
n=0
while read -r line; do
    case $line in
    make*)
        for target in $(echo "$line" | cut -d' ' -f2- | tr -cs 'a-z-' ' '); do
            [ "$target" = make ] && continue
            if grep -q "^$target:" Makefile; then ok; else fail "README: no such target: make $target"; fi
        done ;;
    ./memsim*)
        case $line in *…* | *...* | *[A-Z][A-Z][A-Z]*.ini* | *DIR* | *RESULT* | *'<'[a-zA-Z]*) continue ;; esac
        n=$((n + 1))
        if (cd "$tmp/run" && timeout 120 sh -c "$line" >"$tmp/out" 2>&1 </dev/null); then ok
        else fail "README: $line" "$(tail -n 5 "$tmp/out")"; fi ;;
    esac
done <"$tmp/commands"
[ "$n" -ge 3 ] && ok || fail "README has only $n memsim commands"

# Every make target is explained.
for t in $(sed -n 's/^## *\([a-z-]*\) .*/\1/p' Makefile); do
    if grep -q "^$t:" Makefile; then ok; else fail "make help names $t, which is no target"; fi
done
finish
