#!/bin/sh
# SPDX-License-Identifier: MIT
# Same input, same bytes: three runs, another locale, threads, the debug build; everything but `host` is compared.
. tests/scripts/lib.sh
dev=devices/v100.ini
part=devices/dram/$(sed -n 's/^use *= *dram\///p' "$dev" | head -n 1)
if command -v jq >/dev/null 2>&1; then strip() { jq -S 'del(.host)'; }
else # the JSON is indented: drop "host" up to the brace that closes it at the same depth
    strip() {
        awk '/^ *"host": *\{/ { match($0, /^ */); d = RLENGTH; skip = !/\}/; next }
             skip { match($0, /^ */); if (RLENGTH <= d && /\}/) skip = 0; next } { print }'
    }
fi
json() { # json NAME BINARY ARGUMENTS: stripped result in $tmp/NAME
    name=$1 bin=$2
    shift 2
    if timeout 120 "$bin" "$@" --json </dev/null 2>"$tmp/err" >"$tmp/raw"; then
        strip <"$tmp/raw" >"$tmp/$name"
        [ -s "$tmp/$name" ] && ok || fail "$name: empty result"
    else
        fail "$name: exit code $?" "$(cat "$tmp/err")"
        : >"$tmp/$name"
    fi
}
same() { if cmp -s "$tmp/$1" "$tmp/$2"; then ok; else fail "$3" "$(diff "$tmp/$1" "$tmp/$2" | head -n 6)"; fi; }

awk 'BEGIN { s = 1; for (i = 0; i < 2000; i++) { s = (s * 1103515245 + 12345) % 2147483648
     printf "%s 0x%x 64\n", i % 5 ? "R" : "W", s * 32 % 1073741824 } }' >"$tmp/t.trace"
i=0
set -- "$dev $tmp/t.trace" "dram $part rand --requests 3000" "$dev workloads/stream.trace -D bytes=1MiB"
for w; do
    i=$((i + 1))
    # shellcheck disable=SC2086 # words of a command line
    {
        json a$i "$MEMSIM" $w
        json b$i "$MEMSIM" $w
        json c$i env -i HOME=/ A_LONGER_ENVIRONMENT=moves-the-stack "$MEMSIM" $w
        same a$i b$i "second run differs: $w"
        same a$i c$i "third run, in another environment, differs: $w"
        for l in $(locale -a 2>/dev/null | grep -iE '^(de_DE|fr_FR|tr_TR)' | head -n 2); do
            json l$i env LC_ALL="$l" "$MEMSIM" $w
            same a$i l$i "locale $l changes the result: $w"
        done
        case $w in dram*) ;; *)
            json t$i "$MEMSIM" $w --threads 4
            same a$i t$i "--threads changes the result: $w" ;;
        esac
        # Other compilers' and optimisation levels' builds, where they are up to date.
        for v in debug asan clang; do
            other=$(dirname "$(dirname "$MEMSIM")")/$v/memsim
            [ "$other" != "$MEMSIM" ] && [ -x "$other" ] && [ "$other" -nt sim/cli/main.c ] || continue
            [ -z "$(find sim -name '*.[ch]' -newer "$other" | head -n 1)" ] || continue
            json v$i "$other" $w
            same a$i v$i "the $v build gives another result: $w"
        done
    }
done
finish
