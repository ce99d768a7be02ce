#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Launches that are put off (src/device/chain.c): random programs, what every call sees, what is never put off, failures,
# with one to three workers; and that nothing is put off where a tool watches or the environment says so.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "FAIL $*"; bad=1; }
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/cudart/put_off.cu" -o "$work/put_off" -lpthread || exit 1
rounds=6
[ -n "$SANITIZE" ] && rounds=3
for workers in 1 2 3; do
    export LOCKSTEP_WORKERS=$workers
    for what in "random $workers $rounds" calls others threads; do
        out=$(timeout 300 "$work/put_off" $what 2>&1)
        ended=$?
        out=$(grep -v "^==[0-9]*==Running thread [0-9]* was not suspended" <<<"$out") # of a forked child
        [ "$ended $out" = "0 " ] || fail "$workers workers, $what: $out"
    done
    timeout 100 "$work/put_off" fails >"$work/out" 2>"$work/err"
    [ "$(tr '\n' ' ' <"$work/out")" = "cudaErrorIllegalAddress cudaErrorIllegalAddress " ] || fail "$workers workers: $(cat "$work/out")"
    sed 's/0x[0-9a-f]*/ADDRESS/g' "$work/err" >"$work/err.$workers"
    [ $(grep -c 'kernel "goes_on<1>".* block (8192,0,0), thread (0,0,0)' "$work/err.$workers") = $(wc -l <"$work/err.$workers") ] || fail "$workers workers: $(cat "$work/err")"
    cmp -s "$work/err.1" "$work/err.$workers" || fail "$workers workers: another report: $(cat "$work/err")"
done
timeout 100 "$work/put_off" fails exit 2>&1 | grep -q 'kernel "goes_on<1>"' || fail "a failure that nobody asked for is not told"
LOCKSTEP_CHAIN=0 timeout 100 "$work/put_off" calls | grep -q "FAIL before any call" || fail "LOCKSTEP_CHAIN=0: put off"
exit $bad
