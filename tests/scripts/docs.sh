#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh write|check: what the documents take from the program's own tables.
#   README.md, docs/*.md   text between <!-- X: begin --> and <!-- X: end -->, X one of params, stats, options
#   docs/memsim.1          the manual page
#   docs/memsim.bash       completions for bash
# `write` brings them up to date, `check` fails if that would change anything.
set -eu
export LC_ALL=C
MEMSIM=${MEMSIM:-./memsim}
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$MEMSIM" show --params-markdown >"$new/params"
"$MEMSIM" show --stats-markdown >"$new/stats"
"$MEMSIM" help --options-markdown >"$new/options"
"$MEMSIM" help --man >"$new/memsim.1"
"$MEMSIM" help --bash-completion >"$new/memsim.bash"
for t in params stats options memsim.1 memsim.bash; do
    [ "$(wc -l <"$new/$t")" -ge 5 ] || { echo "memsim printed almost nothing for $t" >&2; exit 1; }
done
rc=0
compare() { # compare FILE NEW
    if cmp -s "$1" "$2"; then return; fi
    if [ "$mode" = write ]; then cat "$2" >"$1" && echo "$1 is new"
    else diff "$1" "$2" | head -n 12 || true; echo "$1 is out of date: run make docs" >&2; rc=1; fi
}
mode=${1:-check}
for t in params stats; do
    grep -q -e "<!-- $t: begin -->" docs/device-format.md || {
        echo "docs/device-format.md has no marker <!-- $t: begin -->" >&2
        rc=1
    }
done
for doc in README.md docs/*.md; do
    [ -e "$doc" ] || continue
    awk -v dir="$new" '
        !inside { print }
        /^<!-- (params|stats|options): begin -->$/ {
            if (inside) exit 1
            inside = 1; table = $2; sub(/:.*/, "", table); print ""
            while ((getline row < (dir "/" table)) > 0) print row
            close(dir "/" table); print ""
        }
        /^<!-- (params|stats|options): end -->$/ { if (!inside) exit 1; inside = 0; print }
        END { exit inside }' "$doc" >"$new/doc" || { echo "$doc: markers do not match" >&2; exit 1; }
    compare "$doc" "$new/doc"
done
compare docs/memsim.1 "$new/memsim.1"
compare docs/memsim.bash "$new/memsim.bash"
exit $rc
