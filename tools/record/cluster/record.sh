#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clusters on this machine's GPU: needs python3, nvcc and the driver. record.sh FOLDER writes
# FOLDER/launches.csv (tests/data/h200_cluster_launches.csv) and FOLDER/programs.csv, under a line of
# names tests/data/h200_cluster_programs.csv.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: record.sh FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
python3 "$here/programs.py" "$work/programs"
nvcc -o "$work/run" -x c "$here/run.c" -lcuda
nvcc -arch=sm_90 -o "$work/launches" "$here/launches.cu" -lcuda
timeout 300 "$work/run" "$work/programs" >"$out/programs.csv"
timeout 60 "$work/launches" >"$out/launches.csv"
