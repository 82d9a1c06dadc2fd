#!/bin/sh
# SPDX-License-Identifier: MIT
# Habits of the build: nothing is rebuilt without cause, a header rebuilds its users, two folders give the same
# binary, `make install` gives a program that finds its files.
. tests/scripts/lib.sh
make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u VARIANT make "$@"; }
out=$(make 2>&1)
case $out in *CC* | *LINK*) fail 'a second make compiles' "$out" ;; *) ok ;; esac
if make -n WERROR=-Wextra 2>&1 | grep -q 'c -o'; then ok; else fail 'new flags do not rebuild'; fi
out=$(make -n -W sim/core/units.h 2>&1 | grep -c 'c -o')
if [ "$out" -ge 5 ]; then ok; else fail "a change of core/units.h rebuilds $out files"; fi
make install DESTDIR="$tmp" PREFIX=/usr >/dev/null 2>&1 && [ -x "$tmp/usr/bin/memsim" ] && ok || fail 'make install'
for f in devices/h100.ini workloads/gpt.trace; do
    if cmp -s $f "$tmp/usr/share/memsim/$f"; then ok; else fail "make install: $f"; fi
done
# The same source in two folders gives the same bytes: compiled paths are relative.
if strings -a "$MEMSIM" 2>/dev/null | grep -qF "$PWD/"; then
    fail 'the binary names this folder' "$(strings -a "$MEMSIM" | grep -F "$PWD/" | head -n 3)"
else ok; fi
finish
