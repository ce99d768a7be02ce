# SPDX-License-Identifier: Apache-2.0
# Whole programs: progress of threads that wait for each other, and the reports of errors in kernels.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/progress.cu" -o "$work/progress" || exit 1
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/errors.cu" -o "$work/errors" || exit 1
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/lanes.cu" -o "$work/lanes" || exit 1
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/calls.cu" -o "$work/calls" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/sums.cu" -o "$work/sums" || exit 1
for workers in 1 2 3; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/lanes" || { echo "FAIL lanes with $workers workers"; bad=1; }
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/calls" || { echo "FAIL calls with $workers workers"; bad=1; }
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/progress" || { echo "FAIL progress with $workers workers"; bad=1; }
done
for workers in 1 2 5; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/sums" || { echo "FAIL sums with $workers workers"; bad=1; }
done
expect() { # argument, error's name, words of the report
    local out
    out=$("$work/errors" "$1" 2>"$work/report") || bad=1
    [ "$out" = "$2
$2" ] || { echo "FAIL errors $1: printed '$out', not $2 twice"; bad=1; }
    grep -qE "$3" "$work/report" || { echo "FAIL errors $1: no '$3' in:"; cat "$work/report"; bad=1; }
}
expect 0 cudaErrorIllegalAddress 'store of 4 bytes at 0x[0-9a-f]+ in kernel .*errors.cu:10\), block \(0,0,0\), thread \(1,0,0\): [0-9]+ bytes past the end of allocation [0-9]+ '
expect 1 cudaErrorAssert 'thread: \[5,0,0\] Assertion `threadIdx.x < n` failed'
expect 2 cudaErrorLaunchFailure 'trap in kernel .*block \(0,0,0\), thread \(37,0,0\)'
ends() { # program, argument, error's name, words of the report
    out=$(timeout 60 "$work/$1" "$2" 2>"$work/report")
    [ "$out" = "$3" ] && grep -qE "$4" "$work/report" ||
        { echo "FAIL $1 $2: '$out', no '$4' in:"; cat "$work/report"; bad=1; }
}
stuck() { ends lanes "$1" cudaErrorLaunchTimeout "$2"; }
stuck 0 'deadlock in kernel "_Z5neverPi" \(.*lanes.cu:[0-9]+\), block \([01],0,0\), thread \(32,0,0\): threads \(32,0,0\) to \(36,0,0\) wait for others of the warp .*; thread \(37,0,0\) waits for others .*; threads \(38,0,0\) to \(39,0,0\) wait for others .*; threads \(40,0,0\) to \(63,0,0\) have exited'
! grep -q __clang "$work/report" || { echo "FAIL: a place in clang's header"; bad=1; }
stuck 1 'deadlock in kernel .*thread \(37,0,0\) waits for others of the warp .*threads \(38,0,0\) to \(63,0,0\) wait at barrier 0'
ends calls 0 cudaErrorLaunchTimeout 'deadlock .*threads \(0,0,0\) to \(39,0,0\) wait at barrier 0 .*; threads \(40,0,0\) to \(63,0,0\) stand outside of the call'
ends calls 1 cudaErrorIllegalAddress 'store of 4 bytes at 0x40 in kernel .*calls.cu:39\)'
ends calls 2 cudaErrorHardwareStackError 'stack overflow in kernel "_Z5depthiPiS_" .*calls.cu:[0-9]+\)'
ends calls 3 cudaErrorLaunchTimeout 'threads \(0,0,0\) to \(12,0,0\) wait for others of the warp .*; threads \(13,0,0\) to \(31,0,0\) stand outside of the call'
exit $bad
