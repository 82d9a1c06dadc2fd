#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh FOLDER SECONDS: every libFuzzer program of the folder for so long, from the committed corpus.  New inputs
# stay in build/; a crash leaves crash-* there, to be added to the corpus with its fix.
. tests/scripts/lib.sh
dir=$1 seconds=$2
for f in "$dir"/*_fuzz; do
    [ -x "$f" ] || continue
    name=$(basename "$f" _fuzz)
    mkdir -p "$dir/found-$name"
    check "fuzz $name" "$f" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        -artifact_prefix="$dir/crash-$name-" "$dir/found-$name" "tests/fuzz/corpus/$name"
done
finish
