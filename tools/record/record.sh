#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles and runs one recorder; see README.md. CSV goes to stdout.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=${1:?usage: record.sh occupancy|texture|properties|access [PATTERNS.csv]}
arch=${ARCH:-native}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2 || true
date -u +%Y-%m-%d >&2
nvcc -O2 -std=c++17 -arch="$arch" -o "$work/$what" "$here/$what.cu"
if [ "$what" != access ]; then
    exec "$work/$what"
fi
patterns=${2:?record.sh access needs a file of patterns}
metrics=$(python3 "$here/access_merge.py" --metrics)
ncu --csv --page raw --print-units base --metrics "$metrics" "$work/access" "$patterns" > "$work/raw.csv"
python3 "$here/access_merge.py" "$patterns" "$work/raw.csv"
