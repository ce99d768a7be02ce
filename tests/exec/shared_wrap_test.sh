#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Indices into shared memory that wrap in 32 bits: right under `run`, silent under `check`, counted by `profile`;
# what is outside in 32 bits, too, is reported.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "FAIL $*"; bad=1; }
"$LOCKSTEP" cc -O2 -lineinfo "$SOURCE_DIR/tests/exec/shared_wrap.cu" -o "$work/wrap" || exit 1
for workers in 1 3; do
    LOCKSTEP_WORKERS=$workers timeout 100 "$work/wrap" >"$work/out" 2>&1 || { fail "$workers workers"; cat "$work/out"; }
done
# The checker's shadow memory is read without locks: under the thread sanitizer its reports are not asked for.
[ "${SANITIZE:-}" = thread ] || "$LOCKSTEP" check "$work/wrap" >"$work/out" 2>&1 || { fail "check finds something"; cat "$work/out"; }
"$LOCKSTEP" profile "$work/wrap" >"$work/out" 2>&1 || { fail "profile"; cat "$work/out"; }
"$work/wrap" outside >"$work/out" 2>&1
grep -q cudaErrorIllegalAddress "$work/out" || { fail "outside: no error"; cat "$work/out"; }
grep -qE 'load of 4 bytes .*outside.*offset 4352' "$work/out" || { fail "outside: no place"; cat "$work/out"; }
"$LOCKSTEP" check "$work/wrap" outside >"$work/out" 2>&1 && fail "check: outside is not found"
grep -q '256 bytes past\|past the end' "$work/out" || { fail "check: what is outside"; cat "$work/out"; }
exit $bad
