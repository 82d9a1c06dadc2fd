#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh 'FLAGS' FILE...: clang-tidy and cppcheck; any finding fails.
set -u
flags=$1
shift
rc=0
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo 'lint needs clang-tidy (apt-get install clang-tidy-14)' >&2; exit 1; }
command -v cppcheck >/dev/null || { echo 'lint needs cppcheck (apt-get install cppcheck)' >&2; exit 1; }
# shellcheck disable=SC2086 # flags are words
printf '%s\n' "$@" | xargs -n 4 -P "${JOBS:-2}" sh -c 'tidy=$0 flags=$1; shift; "$tidy" --quiet "$@" -- $flags 2>/dev/null' "$tidy" "$flags" || rc=1
# uninitvar: cppcheck 2.10 does not see that memcpy reads what a loop wrote; gcc and valgrind judge that.
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppress=uninitvar -j "${JOBS:-2}" -Isim "$@" || rc=1
exit $rc
