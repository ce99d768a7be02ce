# SPDX-License-Identifier: Apache-2.0
# Whole programs: progress of threads that wait for each other, and the reports of errors in kernels.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/progress.cu" -o "$work/progress" || exit 1
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/errors.cu" -o "$work/errors" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/sums.cu" -o "$work/sums" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/groups.cu" -o "$work/groups" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/parting.cu" -o "$work/parting" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/rows.cu" -o "$work/rows" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/splits.cu" -o "$work/splits" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/taps.cu" -o "$work/taps" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/forward.cu" -o "$work/forward" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/strides.cu" -o "$work/strides" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/straight.cu" -o "$work/straight" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/window.cu" -o "$work/window" || exit 1
"$LOCKSTEP" cc -O2 "$SOURCE_DIR/tests/exec/index.cu" -o "$work/index" || exit 1
for workers in 1 2 3; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/progress" || { echo "FAIL progress with $workers workers"; bad=1; }
done
for workers in 1 2 5; do
    LOCKSTEP_WORKERS=$workers timeout 300 "$work/sums" || { echo "FAIL sums with $workers workers"; bad=1; }
done
LOCKSTEP_WORKERS=2 timeout 300 "$work/groups" || { echo "FAIL groups"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/parting" || { echo "FAIL parting"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/rows" || { echo "FAIL rows"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/splits" || { echo "FAIL splits"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/taps" || { echo "FAIL taps"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/forward" || { echo "FAIL forward"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/strides" || { echo "FAIL strides"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/straight" >"$work/straight.out" || { cat "$work/straight.out"; echo "FAIL straight"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/window" >"$work/window.out" || { cat "$work/window.out"; echo "FAIL window"; bad=1; }
LOCKSTEP_WORKERS=2 timeout 300 "$work/index" >"$work/index.out" || { cat "$work/index.out"; echo "FAIL index"; bad=1; }
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
# A fault's signal that the program sends to itself ends it, after launches too. (Sanitizers have handlers
# of their own for these.)
[ -z "${SANITIZE:-}" ] || exit $bad
cat >"$work/raises.cu" <<'END'
#include <signal.h>
#include <stdlib.h>
__global__ void nothing() {}
int main(int, char **v) { nothing<<<1, 1>>>(); cudaDeviceSynchronize(); raise(atoi(v[1])); return 5; }
END
"$LOCKSTEP" cc "$work/raises.cu" -o "$work/raises" || exit 1
for number in 7 8 11; do # SIGBUS, SIGFPE, SIGSEGV
    "$work/raises" $number 2>/dev/null
    status=$?
    [ $status = $((128 + number)) ] || { echo "FAIL raise($number): exit status $status"; bad=1; }
done
exit $bad
