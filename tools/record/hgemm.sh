#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the rungs of suite/hgemm on this machine's GPU beside cuBLAS, in one run: halves and bfloat16, sums and
# result in floats. Needs nvcc, the driver and PyTorch. hgemm.sh OUT.csv
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:?usage: hgemm.sh OUT.csv}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >&2
date -u +%Y-%m-%d >&2
build() { # flags of the environment may name other architectures
    env -u NVCC_APPEND_FLAGS -u NVCC_PREPEND_FLAGS nvcc -gencode arch=compute_90a,code=sm_90a -O3 -std=c++17 "$@"
}
for rung in wgmma stages roles multicast; do
    build "$root/suite/hgemm/$rung.cu" -lcuda -o "$work/$rung.f16" &
    build -DBFLOAT "$root/suite/hgemm/$rung.cu" -lcuda -o "$work/$rung.bf16" &
done
wait
# Three rounds, the rungs and cuBLAS in turn: clocks fall as the GPU grows warm.
for _ in 1 2 3; do
    for type in f16 bf16; do
        for n in 4096 8192; do
            for rung in wgmma stages roles multicast; do
                "$work/$rung.$type" --size $n --verify 0 --repeat 15 --json | sed "s/^/$rung,$type,$n /"
            done
        done
    done
    python3 "$root/suite/peers.py" hgemm | sed 's/^/cuBLAS,, /'
done >"$work/raw"
python3 - "$work/raw" >"$out" <<'PYTHON'
import json, statistics, sys
rows = {}
for line in open(sys.argv[1]):
    where, text = line.split(" ", 1)
    r = json.loads(text)
    rung, type, size = where.split(",")
    if "figures" in r:
        rows.setdefault((type, size, rung), []).append(2e-9 * int(size) ** 3 / r["median_milliseconds"])
    elif r.get("system") == "hgemm" and "gflops" in r:
        size, type = r["entry"].split()
        rows.setdefault((type, size, r["peer"]), []).append(r["gflops"] / 1000)
    elif "skipped" in r or "torch" in r:
        print(text.strip(), file=sys.stderr)
print("type,size,rung,tflops_median,tflops_least,tflops_most")
for (type, size, rung), v in sorted(rows.items()):
    print(f"{type},{size},{rung},{statistics.median(v):.1f},{min(v):.1f},{max(v):.1f}")
PYTHON
