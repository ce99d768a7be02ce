#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles and runs one recorder; see README.md. CSV goes to stdout.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=${1:?usage: record.sh occupancy|texture|wrapped|properties|members|access [PATTERNS.csv]}
arch=${ARCH:-native}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2 || true
date -u +%Y-%m-%d >&2
nvcc -O2 -std=c++17 -arch="$arch" -o "$work/$what" "$here/$what.cu"
if [ "$what" = members ]; then
    ncu --csv --page raw --print-units base --metrics "$(python3 "$here/members_merge.py" --metrics)" "$work/members" > "$work/raw.csv"
    exec python3 "$here/members_merge.py" "$work/raw.csv"
fi
if [ "$what" != access ]; then
    exec "$work/$what"
fi
patterns=${2:?record.sh access needs a file of patterns}
metrics=$(python3 "$here/access_merge.py" --metrics)
ncu --csv --page raw --print-units base --metrics "$metrics" "$work/access" "$patterns" > "$work/raw.csv"
python3 "$here/access_merge.py" "$patterns" "$work/raw.csv"
