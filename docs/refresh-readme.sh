#!/bin/sh
# SPDX-License-Identifier: MIT
# Renew what README.md shows of the main job: its screen, between the markers, and the two plots in docs/img.
# Run from the repository root after a change of results: sh docs/refresh-readme.sh
set -eu
MEMSIM=${MEMSIM:-./memsim}
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$MEMSIM" devices/h100.ini workloads/gpt.trace -o "$new/out" >"$new/screen"
awk -v screen="$new/screen" '
    !inside { print }
    /^<!-- screen: begin -->$/ {
        inside = 1
        print "```"
        while ((getline row < screen) > 0) print row
        print "```"
    }
    /^<!-- screen: end -->$/ { inside = 0; print }' README.md >"$new/README.md"
cat "$new/README.md" >README.md
mkdir -p docs/img
for plot in bandwidth roofline; do
    if [ -s "$new/out/plots/$plot.svg" ]; then cp "$new/out/plots/$plot.svg" docs/img/; fi
done
