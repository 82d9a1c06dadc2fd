#!/bin/sh
# SPDX-License-Identifier: MIT
# Host speed and memory of whole runs.  Every figure is printed with the command that gave it.
#   BENCH_RAW=N        raw accesses on stdin (default 100000000)
#   BENCH_REQUESTS=N   requests of each DRAM pattern (default 1000000)
#   BENCH_DEVICE=FILE  device of the GPU path (default devices/h100.ini)
set -u
export LC_ALL=C
MEMSIM=${MEMSIM:-./memsim}
device=${BENCH_DEVICE:-devices/h100.ini}
part=devices/dram/$(sed -n 's/^use *= *dram\///p' "$device" | head -n 1)
requests=${BENCH_REQUESTS:-1000000}
raw=${BENCH_RAW:-100000000}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
rc=0

field() { # field NAME: the first number of that name after "host"
    awk -v name="\"$1\":" '/"host"/ { inside = 1 }
        inside && (i = index($0, name)) { s = substr($0, i + length(name)); sub(/^ */, "", s); sub(/[ ,}].*/, "", s); print s; exit }' "$tmp/json"
}
measure() { # measure LABEL ARGUMENTS
    label=$1
    shift
    if ! "$MEMSIM" "$@" --json >"$tmp/json" 2>"$tmp/err" <"${stdin:-/dev/null}"; then
        printf '%-18s failed: %s\n' "$label" "$(head -n 1 "$tmp/err")"
        rc=1
        return
    fi
    printf '%-18s %10.3f %10.2f %12.2f %10.1f   memsim %s\n' "$label" \
        "$(awk -v n="$(field requests)" 'BEGIN { print n / 1e6 }')" "$(field wall_s)" \
        "$(awk -v n="$(field requests_per_s)" 'BEGIN { print n / 1e6 }')" \
        "$(awk -v n="$(field peak_rss_bytes)" 'BEGIN { print n / 1048576 }')" "$*"
}

echo "== memsim dram, $part: bursts"
printf '%-18s %10s %10s %12s %10s   %s\n' pattern 'M requests' 'wall s' 'M requests/s' 'peak MiB' command
for p in seq rand rand64 triad stride:4096 pingpong rowconf rw50 burst; do
    measure "$p" dram "$part" $p --requests "$requests"
done
measure 'rand, checked' dram "$part" rand --requests "$requests" --check
for p in depseq deprand; do measure "$p" dram "$part" $p --requests $((requests / 10)); done

echo "== GPU path, $device: coalesced 128 B requests"
printf '%-18s %10s %10s %12s %10s   %s\n' workload 'M requests' 'wall s' 'M requests/s' 'peak MiB' command
measure 'stream triad' "$device" workloads/stream.trace -D kernel=triad -D bytes=64MiB --exact
measure 'L2-resident' "$device" workloads/stream.trace -D kernel=read -D bytes=8MiB --exact
measure 'GEMM' "$device" workloads/gemm.trace --exact
measure 'gather (LAMMPS)' "$device" workloads/lammps.trace
measure 'chase' "$device" workloads/chase.trace -D bytes=4MiB
measure 'gpt (main job)' "$device" workloads/gpt.trace

echo "== $raw raw accesses on stdin: constant memory"
printf '%-18s %10s %10s %12s %10s   %s\n' accesses 'M requests' 'wall s' 'M requests/s' 'peak MiB' command
mkfifo "$tmp/pipe"
for n in $((raw / 100)) "$raw"; do
    blocks=$(((n + 99999) / 100000))
    n=$((blocks * 100000))
    # Blocks of ready-made text: the writer must not be what is measured.
    awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%s 0x%x 64\n", i % 4 ? "R" : "W", i * 64 }' >"$tmp/block"
    awk -v n=$blocks -v f="$tmp/block" 'BEGIN { for (i = 0; i < n; i++) print f }' |
        xargs cat >"$tmp/pipe" 2>/dev/null &
    stdin=$tmp/pipe measure "$n" dram "$part" -
    wait
    now=$(field peak_rss_bytes)
    if [ "${before:-0}" -gt 0 ] && [ "${now:-0}" -gt $((before + before / 4)) ]; then
        echo "memory grows with the trace: $before to $now bytes"
        rc=1
    fi
    before=$now
done
exit $rc
