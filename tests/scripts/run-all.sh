#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs and check scripts, JOBS at a time, and adds up their summary lines.
#   run-all.sh LOGFOLDER -- PROGRAM... -- SCRIPT...
# Output comes in the order of the list, whoever finishes first.  The last line has Check's form over all of them.
# A program without a summary line (crash, time-out) or with a bad exit status counts as an error.
set -u
log=$1
shift 2
JOBS=${JOBS:-2}
# Seconds one program or script may take.
LIMIT=${TEST_LIMIT_S:-300}
case ${VARIANT:-release} in
asan | tsan | cov)
    # Check's forked children would hide leaks from the parent's report and double the shadow memory.
    export CK_FORK=no
    LIMIT=$((LIMIT * 2)) ;;
esac
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export CK_VERBOSITY=normal LIMIT
rm -rf "$log"
mkdir -p "$log" || exit 1

seen=0 n=0
: >"$log/list"
for t; do
    if [ "$t" = -- ]; then seen=1; continue; fi
    n=$((n + 1))
    printf '%s/%03d %s %s\n' "$log" "$n" "$seen" "$t" >>"$log/list"
done

# One line of the list: prefix of the log files, 1 for a script, path.
xargs -n 3 -P "$JOBS" sh -c '
    start=$(date +%s)
    if [ "$2" = 1 ]; then timeout -k 5 "$LIMIT" sh "$3"; else timeout -k 5 "$LIMIT" "$3"; fi >"$1.out" 2>&1 </dev/null
    echo "$? $(($(date +%s) - start))" >"$1.rc"' run-one <"$log/list"

awk -v limit="$LIMIT" '
{
    prefix = $1; name = $3; sub(/.*\/tests\//, "tests/", name)
    rc = 1; seconds = 0
    if ((getline line < (prefix ".rc")) > 0) { split(line, q, " "); rc = q[1]; seconds = q[2] }
    c = f = e = 0; found = 0; text = ""
    while ((getline line < (prefix ".out")) > 0) {
        if (line ~ /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/) {
            found = 1; split(line, q, /[^0-9]+/); c += q[2]; f += q[3]; e += q[4]
        } else text = text line "\n"
    }
    why = ""
    if (rc == 124 || rc == 137) { c++; e++; why = "  (no end after " limit " s)" }
    else if (!found) { c++; e++; why = "  (no summary line, exit status " rc ")" }
    else if (rc != 0 && f + e == 0) { c++; e++; why = "  (exit status " rc ")" }
    bad = f + e > 0
    printf "%-4s %-44s %5d checks %4d s%s\n", bad ? "FAIL" : "ok", name, c, seconds, why
    if (bad) { m = split(text, row, "\n"); for (i = 1; i <= m && i <= 60; i++) if (row[i] != "") print "     " row[i]
               if (m > 60) print "     ... all of it in " prefix ".out" }
    checks += c; failures += f; errors += e
}
END {
    if (!checks) { print "no checks ran"; checks = errors = 1 }
    good = checks - failures - errors
    printf "%d%%: Checks: %d, Failures: %d, Errors: %d\n", int(good * 100 / checks), checks, failures, errors
    exit failures + errors > 0
}' "$log/list"
