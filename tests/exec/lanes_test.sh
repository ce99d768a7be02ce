# SPDX-License-Identifier: Apache-2.0
# Lanes, warps and calls that wait for each other; what kernels allocate; and the reports when it fails.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
for program in lanes calls heap nested; do
    "$LOCKSTEP" cc -rdc=true "$SOURCE_DIR/tests/exec/$program.cu" -o "$work/$program" || exit 1
    for workers in 1 3; do
        LOCKSTEP_WORKERS=$workers timeout 100 "$work/$program" ||
            { echo "FAIL $program with $workers workers"; bad=1; }
    done
done
ends() { # program, argument, error's name, words of the report
    local out
    out=$(timeout 60 "$work/$1" "$2" 2>"$work/report")
    [ "$out" = "$3" ] && grep -qE "$4" "$work/report" ||
        { echo "FAIL $1 $2: '$out', no '$4' in:"; cat "$work/report"; bad=1; }
    ! grep -q __clang "$work/report" || { echo "FAIL: a place in clang's header:"; cat "$work/report"; bad=1; }
}
ends lanes 0 cudaErrorLaunchTimeout 'deadlock in kernel "never" \(.*lanes.cu:[0-9]+\), block \([01],0,0\), thread \(32,0,0\): threads \(32,0,0\) to \(36,0,0\) wait for others of the warp .*; thread \(37,0,0\) waits for others .*; threads \(38,0,0\) to \(39,0,0\) wait for others .*; threads \(40,0,0\) to \(63,0,0\) have exited'
ends lanes 1 cudaErrorLaunchTimeout 'deadlock in kernel .*thread \(37,0,0\) waits for others of the warp .*threads \(38,0,0\) to \(63,0,0\) wait at barrier 0'
ends calls 0 cudaErrorLaunchTimeout 'deadlock .*threads \(0,0,0\) to \(39,0,0\) wait at barrier 0 .*; threads \(40,0,0\) to \(63,0,0\) stand outside of the call'
ends calls 1 cudaErrorIllegalAddress 'store of 4 bytes at 0x40 in kernel .*calls.cu:41\)'
ends calls 2 cudaErrorHardwareStackError 'stack overflow in kernel "depth" .*calls.cu:[0-9]+\).*: 1024 bytes of stack per thread \(cudaLimitStackSize\); calls: deep'
ends calls 4 cudaErrorHardwareStackError "stack overflow in kernel \"depth\" .*calls.cu:[0-9]+\).*: the host's stack for a warp is full, which no limit of the device's changes; calls: deep"
ends calls 3 cudaErrorLaunchTimeout 'threads \(0,0,0\) to \(12,0,0\) wait for others of the warp .*; threads \(13,0,0\) to \(31,0,0\) stand outside of the call'
for which in 0 1 2; do
    ends heap $which cudaErrorIllegalAddress 'free of an address that malloc did not give in kernel .*heap.cu:[0-9]+'
done
"$work/nested" | grep -q '^2 1 0 -0 -1 -2 2 1 0 -0 -1 -2 $' || { echo "FAIL nested prints:"; "$work/nested"; bad=1; }
ends nested 0 cudaErrorIllegalAddress 'a launch failed in kernel "launches_broken".*: illegal address: store of 4 bytes .* in kernel "broken" \(.*nested.cu:[0-9]+\), block \(0,0,0\), thread \(1,0,0\)'
ends nested 1 cudaErrorLaunchFailure 'launches from kernels are nested more than 24 deep: "deeper"'
exit $bad
