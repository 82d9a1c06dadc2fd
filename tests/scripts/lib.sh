# SPDX-License-Identifier: MIT
# Shared by the check scripts: count checks, and end in the same summary line as a Check program.
# Source it with `. tests/scripts/lib.sh` from the repository root.
checks=0 failures=0
export LC_ALL=C
MEMSIM=${MEMSIM:-./memsim}
case $MEMSIM in /*) ;; *) MEMSIM=$PWD/$MEMSIM ;; esac
tmp=$(mktemp -d "${TMPDIR:-/tmp}/memsim-check.XXXXXX") || exit 1
trap 'chmod -R u+rwx "$tmp" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 129' HUP INT TERM

ok() { checks=$((checks + 1)); }
fail() { # fail NAME [DETAIL]: one failed check
    checks=$((checks + 1)) failures=$((failures + 1))
    printf 'FAIL %s\n' "$1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | tr -d '\000-\010\013-\037' | sed 's/^/     /' | head -n 12
}
# check NAME COMMAND...: passes if the command succeeds
check() {
    name=$1
    shift
    if out=$("$@" 2>&1); then ok; else fail "$name" "$out"; fi
}
# run CODE NAME [ARGUMENTS]: memsim must exit with CODE; $tmp/out and $tmp/err hold what it wrote.  A sanitizer
# report, a signal or an assertion is a failure whatever code was expected.
run() {
    want=$1 name=$2
    shift 2
    timeout 120 "$MEMSIM" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if grep -Eq 'AddressSanitizer|LeakSanitizer|runtime error:|Assertion .* failed' "$tmp/err"; then
        fail "$name: sanitizer or assertion" "$(cat "$tmp/err")"
    elif [ "$got" != "$want" ]; then
        fail "$name: exit code $got, expected $want" "$(cat "$tmp/err" "$tmp/out")"
    else
        ok
    fi
}
# says NAME PATTERN: the latest run's messages (stderr) match the extended regular expression
says() {
    if grep -Eq -e "$2" "$tmp/err"; then ok; else fail "$1: message does not match: $2" "$(cat "$tmp/err")"; fi
}
# shows NAME PATTERN: the latest run's results (stdout) match
shows() {
    if grep -Eq -e "$2" "$tmp/out"; then ok; else fail "$1: output does not match: $2" "$(cat "$tmp/out")"; fi
}
# silent NAME: the latest run printed no results
silent() {
    if [ -s "$tmp/out" ]; then fail "$1: results were printed" "$(cat "$tmp/out")"; else ok; fi
}
finish() {
    [ "$checks" -gt 0 ] || { checks=1 failures=1; echo 'FAIL: no checks ran'; }
    echo "$(((checks - failures) * 100 / checks))%: Checks: $checks, Failures: $failures, Errors: 0"
    [ "$failures" -eq 0 ]
    exit $?
}
