#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The top rungs verify at sizes with edges everywhere, on the device they are for and on the oldest they
# take; older ones leave them out. `build` and `bench` work from a folder of programs.
set -euo pipefail
top="transpose/vectors difference/vectors convolution/vectors convolution2d average/vectors reduce spmv/lanes
    spmv/blocks histogram nearest/ahead"
# shellcheck disable=SC2086
"$LOCKSTEP" suite run --sizes 1,33,127x65,260 $top
"$LOCKSTEP" suite run --sizes 1,65x300x129,64x520x64,132x16x136 matmul/pipelined
"$LOCKSTEP" suite run --profiles 3.0,8.0 --sizes 260 transpose/vectors reduce/vectors
"$LOCKSTEP" suite run --profiles 1.0,9.0 --sizes 17 transpose/vectors | grep -q "1 runs: 0 not"
for matrix in random banded power; do
    for rung in lanes blocks; do
        for size in 1 100x33 5000; do
            "$LOCKSTEP" run -q "$(dirname "$0")/../../suite/spmv/$rung.cu" --size $size --matrix $matrix --json |
                grep -q '"verified":true'
        done
    done
done
for iterations in 1 7 16 40; do
    "$LOCKSTEP" run -q "$(dirname "$0")/../../suite/average/vectors.cu" --size 1003 --iterations $iterations --json |
        grep -q '"verified":true'
done

for devices in 2 4; do
    LOCKSTEP_DEVICES=$devices "$LOCKSTEP" suite run --sizes 100,1003 devices/filter
    LOCKSTEP_DEVICES=$devices "$LOCKSTEP" suite run --sizes 1,65x130x129 devices/product
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$LOCKSTEP" suite build --programs "$folder" axpb/blocks reduce/tree
test -x "$folder/axpb-blocks"
"$LOCKSTEP" suite bench --programs "$folder" axpb/blocks reduce/tree --repeat 3 --json >"$folder/bench.json"
python3 - "$folder/bench.json" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 2, rows
for row in rows:
    assert row["verified"] is True and row["median_milliseconds"] >= row["milliseconds"] > 0, row
END
if "$LOCKSTEP" suite bench --programs "$folder" histogram/copies --repeat 1; then
    echo "a program that is not in the folder went unnoticed"
    exit 1
fi
