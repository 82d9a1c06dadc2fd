#!/bin/sh
# SPDX-License-Identifier: MIT
# -o DIR: what is written, what is refused, nothing half-written.
. tests/scripts/lib.sh
dev=devices/v100.ini
cp workloads/stream.trace "$tmp/t.trace"
cd "$tmp" && ln -s "$OLDPWD/devices" devices && ln -s "$OLDPWD/plots" plots || exit 1

mkdir clean
(cd clean && run 0 "run without -o" ../$dev ../t.trace -D bytes=512KiB -D kernel=copy; exit $failures) && ok || fail "run without -o"
if [ -z "$(ls -A clean)" ]; then ok; else fail "a run without -o wrote files" "$(ls -A clean)"; fi

run 0 'new folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o res
for f in config.resolved.ini result.json stats.csv summary.txt; do
    if [ -s "res/$f" ]; then ok; else fail "-o: res/$f is missing or empty"; fi
done
for ext in gp dat; do
    if ls res/plots/*.$ext >/dev/null 2>&1; then ok; else fail "-o: no plots/*.$ext"; fi
done
if command -v gnuplot >/dev/null; then
    if ls res/plots/*.svg >/dev/null 2>&1; then ok; else fail '-o: no plots/*.svg'; fi
    for f in res/plots/*.svg; do
        if [ -s "$f" ] && grep -q '</svg>' "$f"; then ok; else fail "$f is not a whole SVG"; fi
    done
fi
if find res -name '*tmp*' -o -name '.*' -type f | grep -q .; then fail 'left-overs' "$(find res)"; else ok; fi
awk -F, 'NR == 1 { n = NF; if (n < 3) exit 1 } NF != n { exit 1 } END { exit NR < 10 }' res/stats.csv && ok || fail 'stats.csv is not tidy'

# Over time, too, no more crosses the pins than they carry (0.5 %: a burst belongs to the bin its command is in).
peak=$(sed -n 's/^dram_peak_GBps = //p' res/plots/about.gp)
awk -v peak="$peak" 'NR > 1 { n++; if ($4 > peak * 1.005) { print $1, $4; bad = 1 } } END { exit bad || n < 10 || !peak }' \
    res/plots/bandwidth.dat >over && ok || fail 'memory bandwidth above its pins' "$(cat over)"

# The resolved configuration is a device file that gives the same result.
digest() { sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' "$1" | head -n 1; }
run 0 'resolved configuration' res/config.resolved.ini t.trace -D bytes=512KiB -D kernel=copy --json
if [ -n "$(digest out)" ] && [ "$(digest out)" = "$(digest res/result.json)" ]; then ok
else fail "config.resolved.ini gives digest $(digest out), the run had $(digest res/result.json)"; fi
run 0 'overridden value in the resolved configuration' $dev t.trace -D bytes=512KiB -D kernel=copy -o res2 -s gpu.sms=7
grep -q '128 KiB an SM.* 6 MiB ' res2/summary.txt && ok || fail 'sizes of the caches in the chart' "$(cat res2/summary.txt)"
grep -Eq '^sms *= *7' res2/config.resolved.ini && ok || fail '-s is not in config.resolved.ini'

run 1 'non-empty folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o res
says 'non-empty folder' 'res.*(--force|empty)'
silent 'non-empty folder'
cp res/result.json kept.json
run 0 'non-empty folder with --force' $dev t.trace -D bytes=512KiB -D kernel=copy -o res --force
mkdir empty
run 0 'empty folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o empty
: >file
run 1 'file as output folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o file
says 'file as output folder' 'file'
silent 'file as output folder'
run 1 'folder in a missing folder or made whole' $dev t.trace -D bytes=512KiB -D kernel=copy -o file/res
if [ "$(id -u)" != 0 ]; then
    mkdir ro && chmod 555 ro
    run 1 'read-only folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o ro
    silent 'read-only folder'
    run 1 'folder inside a read-only folder' $dev t.trace -D bytes=512KiB -D kernel=copy -o ro/res
else
    # root may write anywhere but in /proc
    run 1 'folder that cannot be written' $dev t.trace -D bytes=512KiB -D kernel=copy -o /proc/memsim-out
    silent 'folder that cannot be written'
fi
# A faulty run leaves no folder behind.
echo nonsense >bad.trace
run 2 'bad trace with -o' $dev bad.trace -o res3
if [ -e res3/result.json ]; then fail 'bad trace wrote a result'; else ok; fi

# No gnuplot in PATH: data and scripts are kept, a message says so, the run is good.
mkdir bin && for p in sh rm; do ln -s "$(command -v $p)" bin/; done
PATH=$PWD/bin "$MEMSIM" $dev t.trace -D bytes=512KiB -D kernel=copy -o noplot >out 2>err </dev/null
if [ $? -eq 0 ]; then ok; else fail 'run without gnuplot' "$(cat err)"; fi
says 'run without gnuplot' 'gnuplot'
if ls noplot/plots/*.gp >/dev/null 2>&1; then ok; else fail 'without gnuplot: no scripts'; fi
finish
