#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The engine's tests with each pass of src/jit/passes/passes.def switched off in turn, and with all of them off.
# Arguments: names of passes (all of them), e.g. tools/each-pass-off.sh interleave speculate; BUILD: another folder than build.
#
# A test runs with a pass off if that pass fired on some kernel of the test, by its remarks. Which fires where is asked
# first, by one run of all the tests with remarks, and kept in $BUILD/each-pass-off/ until the library is built anew.
# Left out: fuzz/ and passes/ draw passes or go through all of them by themselves, opt/ and analysis/ have no code made,
# and tests of other folders run the kernels that these do. Tests of single emitters, which know no passes, drop out.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build} jobs=${JOBS:-$(nproc)}
tests='^(jit|exec|check|profile|mistakes|suite/(matmul|rungs|check))'
fired=$build/each-pass-off
mkdir -p "$fired"

# ask TEST: writes the names of the passes that fire in it to $fired/TEST.
ask() {
    local file=$fired/${1//\//.} remarks
    [ "$file" -nt "$build/liblockstep.so" ] && return
    remarks=$(mktemp)
    if LOCKSTEP_REMARKS=$remarks ctest --test-dir "$build" -R "^$1\$" >"$file.log" 2>&1; then
        sed -n 's/^.*: \([a-z0-9-]*\): fired: .*/\1/p' "$remarks" | sort -u >"$file"
    else
        echo "$1 fails when it writes remarks: it runs with every pass off"
    fi
    rm -f "$remarks"
}
export -f ask
export build fired
mapfile -t names < <(ctest --test-dir "$build" -N -R "$tests" | sed -n 's/^ *Test *#[0-9]*: //p')
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'ask {}'

passes=("$@")
[ $# -gt 0 ] || mapfile -t passes < <(sed -n 's/^PASS([A-Z_]*, "\([a-z0-9-]*\)", \(WIR\|PLAN\|LLVM\),.*/\1/p' src/jit/passes/passes.def)
[ $# -gt 0 ] || passes+=(all)
failed=0
for pass in "${passes[@]}"; do
    log=$fired/$pass.log which=
    for name in "${names[@]}"; do
        file=$fired/${name//\//.}
        if [ ! -f "$file" ] || grep -q "^$pass\$" "$file" || { [ "$pass" = all ] && [ -s "$file" ]; }; then
            which+="|$name"
        fi
    done
    start=$SECONDS
    if [ -z "$which" ]; then
        printf '%-22s fires in none of the tests\n' "$pass"
    elif LOCKSTEP_JIT=-$pass ctest --test-dir "$build" -R "^(${which#|})\$" -j "$jobs" --output-on-failure >"$log" 2>&1; then
        printf '%-22s %s, %d s\n' "$pass" "$(grep 'tests passed' "$log")" $((SECONDS - start))
    else
        failed=1
        printf '%-22s %s\n' "$pass" "$(grep -A99 'The following tests FAILED' "$log" | grep -o '[a-z]*/[a-z_0-9/]*' | tr '\n' ' ')"
    fi
done
exit $failed
