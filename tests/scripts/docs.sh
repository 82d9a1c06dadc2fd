#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh write|check: the tables of docs/device-format.md between
#     <!-- params: begin --> ... <!-- params: end -->   and   <!-- stats: begin --> ... <!-- stats: end -->
# come from the program's own parameter and statistic tables.  `write` replaces them, `check` compares.
set -eu
MEMSIM=${MEMSIM:-./memsim}
doc=docs/device-format.md
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$MEMSIM" show --params-markdown >"$new/params"
"$MEMSIM" show --stats-markdown >"$new/stats"
for t in params stats; do
    [ "$(wc -l <"$new/$t")" -ge 10 ] || { echo "memsim show --$t-markdown printed almost nothing" >&2; exit 1; }
    [ "$(grep -c -e "<!-- $t: begin -->" -e "<!-- $t: end -->" $doc)" = 2 ] || {
        echo "$doc has no markers <!-- $t: begin --> and <!-- $t: end -->" >&2
        exit 1
    }
done
awk -v dir="$new" '
    /<!-- (params|stats): begin -->/ {
        print; table = $2; sub(/:.*/, "", table); print ""
        while ((getline row < (dir "/" table)) > 0) print row
        print ""; inside = 1
    }
    /<!-- (params|stats): end -->/ { inside = 0 }
    !inside && !/: begin -->/ { print }' $doc >"$new/doc"
case ${1:-check} in
write) cmp -s "$new/doc" $doc || { cat "$new/doc" >$doc; echo "$doc is new"; } ;;
check) diff $doc "$new/doc" || { echo "$doc is out of date: run make docs" >&2; exit 1; } ;;
*) exit 1 ;;
esac
