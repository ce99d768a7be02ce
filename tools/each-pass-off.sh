#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The engine's tests with each pass of src/jit/passes/passes.def switched off in turn, and with all of them off. Takes as
# many times as long as they do. Arguments: names of passes (all), e.g. tools/each-pass-off.sh interleave speculate
#   --quick     the tests of jit alone, one after the other: minutes a pass on one core, not an hour
# BUILD: another folder than build.
set -u
cd "$(dirname "$0")/.." || exit 1
tests='^(jit|exec|check|profile|suite/(matmul|rungs|check))' jobs=$(nproc) build=${BUILD:-build}
if [ "${1-}" = --quick ]; then
    tests='^jit/' jobs=1
    shift
fi
passes=("$@")
[ $# -gt 0 ] || mapfile -t passes < <(sed -n 's/^PASS([A-Z_]*, "\([a-z0-9-]*\)", \(WIR\|PLAN\|LLVM\),.*/\1/p' src/jit/passes/passes.def)
[ $# -gt 0 ] || passes+=(all)
failed=0
for pass in "${passes[@]}"; do
    log=$build/each-pass-off.$pass.log
    if LOCKSTEP_JIT=-$pass ctest --test-dir "$build" -R "$tests" -j "$jobs" --output-on-failure >"$log" 2>&1; then
        printf '%-22s %s\n' "$pass" "$(grep 'tests passed' "$log")"
    else
        failed=1
        printf '%-22s %s\n' "$pass" "$(grep -A99 'The following tests FAILED' "$log" | grep -o '[a-z]*/[a-z_0-9]*' | tr '\n' ' ')"
    fi
done
exit $failed
