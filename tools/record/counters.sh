#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On the GPU's machine, in the folder that `counters.py pack` made: the programs under ncu, sixteen a
# session (its start takes seconds); raw CSV, in which the process name says whose kernel it is.
# record.sh OUT.csv [SECONDS [PROGRAMS A SESSION [FIRST PROGRAM]]]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "${1:?usage: record.sh OUT.csv [SECONDS [COUNT [FIRST]]]}")
limit=${2:-600} count=${3:-16} at=${4:-1}
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LOCKSTEP_DEVICE=gpu
cd "$here" || exit 1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
ncu --version | tail -1 >&2
date -u +%Y-%m-%d >&2
all=$(wc -l <programs)
: >"$out"
while [ "$at" -le "$all" ] && [ "$SECONDS" -lt "$limit" ]; do
    sed -n "$at,$((at + count - 1))p" programs >session
    # shellcheck disable=SC2016
    timeout 300 ncu --csv --page raw --print-units base --clock-control none --target-processes all \
        --metrics "$(cat metrics)" bash -c 'while read -r line; do
            timeout 60 ./$line >/dev/null 2>>errors || echo "$line: status $?" >>errors
        done <session' >>"$out" 2>>errors
    at=$((at + count))
done
echo "$((at - 1)) of $all programs in $SECONDS s" >&2
grep -v '^==PROF==' errors >&2
exit 0
