#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benchmark: its kernels compute what its reference says at awkward sizes, and run.py measures a
# row, names peers that are missing, and judges the goals by the figures.
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

for scale in 3000 9999; do
    "$LOCKSTEP" run "$here/bench/rows.cu" --scale $scale --repeat 1 >"$work/out" 2>"$work/err" ||
        fail "rows at scale $scale: $(cat "$work/err")"
    [ "$(grep -c ' verified$' "$work/out")" = 33 ] || fail "rows at scale $scale: $(cat "$work/out")"
done

# Launches large enough for stores past the caches: whole, ragged, off the lines of the cache, in a loop.
for row in "fd_direct 15" "sum3_local 13" "transpose_naive 2" "transpose_pad33 2" "transpose_pad33x8 2" "conv2d_basic 1"; do
    "$LOCKSTEP" run --workers 3 "$here/bench/rows.cu" --row ${row% *} --scale ${row#* } --repeat 1 >"$work/out" 2>&1
    grep -q ' verified$' "$work/out" || fail "$row: $(cat "$work/out")"
done

LOCKSTEP=$LOCKSTEP python3 "$here/bench/run.py" --quick --rows '^conv1d_basic$' --parts rows \
    --peers "1 worker,plain C" --workers 1 --json "$work/json" >"$work/out" 2>&1 ||
    fail "run.py: $(cat "$work/out")"
python3 - "$work/json" <<'PY' || fail "run.py: its JSON: $(cat "$work/json")"
import json, sys
result = json.load(open(sys.argv[1]))
row, = result["rows"]
assert row["row"] == "conv1d_basic" and row["peers"]["1 worker"]["verified"], row
assert row["peers"]["1 worker"]["ms"] > 0
assert "plain C" in row["peers"] or "plain C" in result["missing"]
if "plain C" in row["peers"]:
    goal, = [g for g in result["goals"] if g["goal"].startswith("plain C")]
    found = row["peers"]["plain C"]["ms"] / row["peers"]["1 worker"]["ms"]
    assert abs(goal["value"] - found) < 1e-9 and goal["reached"] == (found >= 0.5), goal
PY
python3 "$here/bench/run.py" --peers nobody >"$work/out" 2>&1 && fail "an unknown peer is accepted"

[ $failures = 0 ] && echo "all fine"
exit $((failures > 0))
