#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The top rungs verify at sizes with edges everywhere, on the device they are for and on the oldest ones,
# where some have to do with smaller shapes; left out are those alone that say what they need, and what a real
# device of that generation lacks is said. `build` and `bench` work from a folder of programs.
set -euo pipefail
top="transpose/vectors difference/vectors convolution/vectors convolution2d average/vectors reduce spmv/lanes
    spmv/blocks histogram nearest/ahead"
small="histogram/copies spmv/blocks matmul/pipelined devices/product" # other shapes in 16 KB
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086
"$LOCKSTEP" suite run --sizes 1,33,127x65,260 $top
"$LOCKSTEP" suite run --profiles 1.0,9.0 --sizes 1,65x300x129,64x520x64,132x16x136 matmul/pipelined
# shellcheck disable=SC2086
"$LOCKSTEP" suite run --profiles 1.0,1.3,2.0 --sizes 1,127x65,260 $small transpose/vectors >"$folder/run"
tail -n 1 "$folder/run"
grep -q "45 runs: 0 not" "$folder/run"
grep -q "histogram/copies .* 1.0 .*emulated: atomics in shared memory" "$folder/run"
if grep "histogram/copies .* 1.3 .*emulated" "$folder/run"; then
    echo "1.3 has these atomics"
    exit 1
fi

"$LOCKSTEP" suite list --json >"$folder/list.json"
python3 - "$folder/list.json" <<'END'
import json, math, sys
for rung in json.load(open(sys.argv[1])):
    sizes = rung["sizes"]
    numbers = [[int(n) for n in s.split("x")] for s in sizes]
    odd = [s for s in numbers if any(n % 16 for n in s)]
    assert len(set(sizes)) >= 5 and len(odd) >= 2 and max(map(math.prod, numbers)) > 16, rung
    assert rung["generations"] == ("9.0 on" if rung.get("since", {}).get("cc") == "9.0" else "1.0 on"), rung
    assert rung.get("needed", False) == (rung["generations"] != "1.0 on"), rung
END
mkdir -p "$folder/suite/axpb"
for line in "from: 2.0" "since: shuffles" "since: 3.0" "needs: 9.0"; do
    sed "s/^ \* rung:.*/ * $line/" "$(dirname "$0")/../../suite/axpb/blocks.cu" >"$folder/suite/axpb/blocks.cu"
    if "$LOCKSTEP" suite list --suite-dir "$folder/suite"; then
        echo "the line \"$line\" went unnoticed"
        exit 1
    fi
done

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
    LOCKSTEP_DEVICES=$devices "$LOCKSTEP" suite run --profiles 1.0,9.0 --sizes 1,65x130x129 devices/product
done

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
