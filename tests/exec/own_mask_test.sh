#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A lane that its own mask leaves out ends the kernel from compute capability 7.0 on, with the place; `check` names
# it invalid-mask; below 7.0 nothing happens. Lanes that are named are nobody's business; nor are masks of a warp that
# is known to be whole (tools/record/masks.cu, masks_test.py).
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "FAIL $*"; bad=1; }
program=$work/own_mask
"$LOCKSTEP" cc -lineinfo "$SOURCE_DIR/tests/exec/own_mask.cu" -o "$program" || exit 1
for which in 0 1 2 3 4 5 6 7 9 10 11 12 13; do
    "$program" $which >"$work/out" 2>&1
    grep -q "^$which cudaSuccess" "$work/out" || { fail "$which: all lanes are named"; cat "$work/out"; }
done
for which in 0 1 2 3 4 5 6 7 8; do # a whole warp, and one mask
    "$program" $which 0xffffff7f >"$work/out" 2>&1
    grep -q "^$which cudaSuccess" "$work/out" || { fail "$which: a whole warp"; cat "$work/out"; }
done
for which in 9 10 11 13; do
    "$program" $which 0xffffff7f >"$work/out" 2>&1
    grep -q "^$which cudaErrorIllegalInstruction" "$work/out" || { fail "$which: no error"; cat "$work/out"; }
    grep -q 'illegal instruction: a warp operation whose mask does not name the lane .*own_mask.cu:[0-9]*), block' \
        "$work/out" || { fail "$which: no place"; cat "$work/out"; }
    LOCKSTEP_CC=6.0 "$program" $which 0xffffff7f >"$work/out" 2>&1
    [ $which = 3 ] || [ $which = 4 ] || [ $which = 6 ] || grep -q "^$which cudaSuccess" "$work/out" ||
        { fail "$which at 6.0"; cat "$work/out"; }
done
grep -q 'thread (7,0,0)' <("$program" 10 0xffffff7f 2>&1) || fail "which lane it is"
for which in 0 8 9 10 13; do
    "$LOCKSTEP" check --json="$work/json" "$program" $which 0xffffff7f >/dev/null 2>&1 && fail "$which: check is silent"
    grep -q 'lanes execute it that it does not name' "$work/json" || { fail "$which: check"; cat "$work/json"; }
done
for which in 0 9 10 11 13; do
    "$LOCKSTEP" check "$program" $which >"$work/out" 2>&1 || { fail "$which: check finds something"; cat "$work/out"; }
done
exit $bad
