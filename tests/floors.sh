#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a file of sim/ includes upwards or sideways.  Run from the repository root.
# Includes are written from sim/ ("core/engine.h"); a bare name means the file's own folder.
. tests/scripts/lib.sh
for f in sim/*/*.[ch]; do
    check "includes of $f" awk '
    BEGIN {
        models = "core"
        may["core"] = ""
        may["workload"] = may["gpu"] = may["cache"] = may["dram"] = may["link"] = may["memory"] = models
        may["machine"] = "core workload gpu cache dram link memory"
        may["report"] = "core"
        may["cli"] = "core workload gpu cache dram link memory machine report"
    }
    FNR == 1 {
        split(FILENAME, part, "/"); here = part[2]
        if (!(here in may)) { print "no floor is known for sim/" here; bad = 1 }
    }
    /^#[ ]*include[ ]*"/ {
        split($0, q, "\""); to = q[2]
        if (!sub(/\/.*/, "", to)) to = here
        if (to != here && !index(" " may[here] " ", " " to " ")) {
            print FILENAME ":" FNR ": " here " may not include " q[2]; bad = 1
        }
    }
    # Libraries stay where they are used, so that the rest reads and builds without them.
    function only(name, file) {
        if (index($0, "<" name) && FILENAME != file) { print FILENAME ":" FNR ": only " file " includes " name; bad = 1 }
    }
    /^#[ ]*include[ ]*</ {
        only("ini.h", "sim/core/ini.c")
        if (/<gsl\// && FILENAME != "sim/core/rng.c" && here != "machine") {
            print FILENAME ":" FNR ": GSL is for sim/core/rng.c and sim/machine"; bad = 1
        }
        if (/<(zlib|lzma|zstd)\.h/ && here != "workload") { print FILENAME ":" FNR ": only sim/workload unpacks"; bad = 1 }
        if (/<jansson\.h/ && here != "report" && here != "cli") {
            print FILENAME ":" FNR ": only sim/report writes JSON"; bad = 1
        }
    }
    END { exit bad }' "$f"
done
finish
