#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules of style that a compiler does not know.  Run from the repository root.
. tests/scripts/lib.sh
# None of `files`, read by grep, may have a line that matches: none NAME PATTERN FILE...
none() {
    name=$1 pattern=$2
    shift 2
    [ $# -gt 0 ] || { fail "$name: no files"; return; }
    if out=$(grep -nE -e "$pattern" /dev/null "$@"); then fail "$name" "$out"; else ok; fi
}
list() { find "$@" -type f -not -path '*/build/*' | sort; }
c=$(list sim tests -name '*.[ch]')
product=$(list sim -name '*.[ch]')
below_cli=$(list sim -name '*.[ch]' -not -path 'sim/cli/*')
text=$(if [ -e .git ] && command -v git >/dev/null; then git ls-files; else list . -not -path './.git/*'; fi |
    grep -vE '\.(svg|png|gz|xz|zst)$|^tests/fuzz/corpus/|^tests/scripts/check-style\.sh$' |
    while read -r f; do [ -f "$f" ] && echo "$f"; done)
set -f
IFS='
'
for f in $c; do
    n=$(wc -l <"$f")
    if [ "$n" -le 700 ]; then ok; else fail "$f has $n lines; 700 are the limit"; fi
    case $(head -n 1 "$f") in
    '/* SPDX-License-Identifier: MIT'*) ok ;;
    *) fail "$f: first line is not the licence" ;;
    esac
done
# shellcheck disable=SC2086 # lists of file names without blanks
{
    none 'unfinished work' '\b(TODO|FIXME|XXX|HACK)\b|for now\b' $text
    none 'path of one machine' '(^|[^A-Za-z0-9_.$}])/(work|root|home)/|\.\./shared/' $text
    none 'trailing blanks' '[ 	]+$' $(printf '%s\n' $text | grep -vE '\.(trace|csv|md)$')
    none 'carriage return' "$(printf '\r')$" $text
    none 'tab outside a Makefile' '	' $(printf '%s\n' $text | grep -E '\.([ch]|ini|gp)$')
    none 'date or time of the build' '__DATE__|__TIME__|__TIMESTAMP__' $c
    none 'unsafe string or number function' '\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|rand|srand)[ ]?\(' $product
    none 'locale' '\bsetlocale[ ]?\(' $c
    none 'exit below sim/cli' '\b(exit|quick_exit)[ ]?\(' $below_cli
    none 'results or messages printed below sim/cli' '\bprintf[ ]?\(|\bputs[ ]?\(|\bputchar[ ]?\(|\bperror[ ]?\(' $below_cli
    none 'host time below sim/cli and sim/machine' '\b(clock_gettime|gettimeofday|time|clock)[ ]?\((NULL|CLOCK|&|0|\))' \
        $(printf '%s\n' $below_cli | grep -v ^sim/machine/)
    none 'abort outside the arena' '\babort[ ]?\(' $(printf '%s\n' $below_cli | grep -v ^sim/core/arena)
    none 'long line in a device file' '^.{200,}' $(list devices tests/oracle -name '*.ini')
}
for f in $text; do
    if [ ! -s "$f" ] || [ -z "$(tail -c 1 "$f")" ]; then ok; else fail "$f: no newline at its end"; fi
done
# Two simulators must live in one process: nothing below sim/cli may own memory that outlives a sim_t.
if command -v objdump >/dev/null; then
    for o in $(list "$(dirname "$MEMSIM")/sim" -name '*.o' -not -path '*/sim/cli/*' 2>/dev/null); do
        [ -e "sim/${o##*/sim/}" ] || [ -e "sim/$(echo "${o##*/sim/}" | sed 's/o$/c/')" ] || continue
        out=$(objdump -t "$o" | awk '$0 ~ / O \.(data|bss)(\.[^r][^ ]*)?\t/ || $0 ~ / O \*COM\*/ { print $NF }')
        if [ -z "$out" ]; then ok; else fail "mutable global in ${o##*/sim/}" "$out"; fi
    done
fi
finish
