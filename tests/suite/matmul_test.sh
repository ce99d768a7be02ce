#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every rung of the matrix product verifies at awkward sizes, through `lockstep run` and as a
# program of its own, on several device profiles; and the verification can fail.
set -u
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rungs="naive tiled dynamic register"
sizes=("--n 0" "--n 1" "--n 17" "--n 100" "--m 1 --k 300 --n 65" "--m 100 --k 1 --n 33" "--m 33 --k 0 --n 5"
    "--m 70 --k 129 --n 31")
# Under a sanitizer generated code is as fast as ever, the host's reference is not.
[ -z "${SANITIZE:-}" ] && sizes+=("--n 1000" "--n 1024" "--m 257 --k 1023 --n 511")

check() { # check WANTED COMMAND...
    local wanted=$1 out
    shift
    out=$(timeout 300 "$@" --repeat 1 --json 2>&1)
    local status=$?
    case $out in
        *"\"verified\":$wanted"*) [ "$status" -eq "$([ "$wanted" = true ] && echo 0 || echo 1)" ] && return ;;
    esac
    failures=$((failures + 1))
    echo "FAILED ($status): $*"
    echo "$out" | sed 's/^/    | /' | head -n 10
}

for rung in $rungs; do
    "$LOCKSTEP" cc "$SOURCE_DIR/suite/matmul/$rung.cu" -o "$work/$rung" || failures=$((failures + 1))
    for size in "${sizes[@]}"; do
        # shellcheck disable=SC2086
        check true "$LOCKSTEP" run "$SOURCE_DIR/suite/matmul/$rung.cu" $size
    done
    check true "$work/$rung" --n 100
    check true env LOCKSTEP_WORKERS=1 "$work/$rung" --n 17
    check true env LOCKSTEP_WORKERS=3 "$work/$rung" --m 64 --k 64 --n 200
done
for tile in 1 2 3 7 8 15 32; do
    check true "$work/dynamic" --m 50 --k 61 --n 45 --tile $tile
done
for tile in 1 4 8 20 32; do
    "$LOCKSTEP" cc -DTILE=$tile "$SOURCE_DIR/suite/matmul/tiled.cu" -o "$work/tiled$tile" || failures=$((failures + 1))
    check true "$work/tiled$tile" --m 50 --k 61 --n 45
done
for gpu in cc2.0 cc3.5 cc7.0 h200; do
    check true "$LOCKSTEP" run --gpu $gpu "$SOURCE_DIR/suite/matmul/tiled.cu" --n 100
done

# A product that forgets its last column of A, or a barrier's worth of it, must not pass.
sed 's/i < k; i++/i < k - 1; i++/; s,"../common,"'"$SOURCE_DIR"'/suite/common,' \
    "$SOURCE_DIR/suite/matmul/naive.cu" >"$work/wrong.cu"
check false "$LOCKSTEP" run "$work/wrong.cu" --n 100
sed 's/if (row < m \&\& col < n)/if (row < m - 1 \&\& col < n)/; s,"../common,"'"$SOURCE_DIR"'/suite/common,' \
    "$SOURCE_DIR/suite/matmul/tiled.cu" >"$work/wrong2.cu"
check false "$LOCKSTEP" run "$work/wrong2.cu" --n 100

echo "$failures failures"
[ "$failures" -eq 0 ]
