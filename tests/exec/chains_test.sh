#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sums added up in another order among each other (src/jit/post/schedule.c): no bit may differ, with one
# worker or two.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
"$LOCKSTEP" cc -O2 -fmad=false "$SOURCE_DIR/tests/exec/chains.cu" -o "$work/chains" || exit 1
for workers in 1 2; do
    LOCKSTEP_WORKERS=$workers timeout 600 "$work/chains" || { echo "FAIL with $workers workers"; bad=1; }
done
exit $bad
