# SPDX-License-Identifier: Apache-2.0
# What a program learns of an error in a kernel, and what stderr says; a program's own signals.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
bad=0
"$LOCKSTEP" cc "$SOURCE_DIR/tests/exec/errors.cu" -o "$work/errors" || exit 1
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
