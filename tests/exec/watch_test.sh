#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A tool named by the environment watches a program by itself: the result is written when the
# program exits, when a signal ends it, and only then; a tool or options unknown are an error.
. "$(dirname "$0")/../cli/kernels.sh"

cat >"$work/p.cu" <<'EOF'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main(int argc, char **argv)
{
    int *p;
    if (argc > 1 && argv[1][0] == 'n')
        return 0;
    if (cudaMalloc(&p, 256) != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 5;
    }
    for (int i = 0; i < 3; i++)
        twice<<<2, 64>>>(p);
    cudaDeviceSynchronize();
    if (argc > 1 && argv[1][0] == 'a')
        abort();
    if (argc > 1 && argv[1][0] == 'f')
        if (fork() == 0)
            _exit(0);
    return 7;
}
EOF
"$LOCKSTEP" cc -o "$work/p" "$work/p.cu" || exit 1
export LOCKSTEP_TOOL_OUT=$work/result.json

# field EXPRESSION VALUE: of the result, as Python sees it
field() {
    cases=$((cases + 1))
    local found
    found=$(python3 -c "import json,sys; r = json.load(open(sys.argv[1])); print($1)" "$LOCKSTEP_TOOL_OUT")
    [ "$found" = "$2" ] || complain "$1 is $found, not $2"
}

expect "no tool" 7 "" "$work/p"
[ ! -e "$work/result.json" ] || complain "a result without a tool"
export LOCKSTEP_TOOL=profile
expect "exit status is the program's" 7 "" "$work/p"
field 'r["version"]' 1
field 'r["complete"]' True
field 'len(r["kernels"])' 1
field 'r["kernels"][0]["launches"]' 3
field 'r["kernels"][0]["grid"]' "[2, 1, 1]"
field 'r["kernels"][0]["counters"]["barriers"]' 0
# ret: once per warp, 4 warps a launch
field 'r["kernels"][0]["counters"]["instructions"] % 12' 0
field 'r["kernels"][0]["counters"]["thread_instructions"] // r["kernels"][0]["counters"]["instructions"]' 32
rm "$work/result.json"
expect "a signal ends it" 134 "" "$work/p" abort
field 'r["complete"]' False
field 'r["kernels"][0]["launches"]' 3
rm "$work/result.json"
expect "a child that exits" 7 "" "$work/p" fork
field 'r["complete"]' True
rm "$work/result.json"
expect "no call to the device" 0 "" "$work/p" nothing
[ ! -e "$work/result.json" ] || complain "a result without a device"
LOCKSTEP_TOOL=sharpen expect "unknown tool" 5 "" "$work/p"
for wrong in ENDLESS=soon ENDLESS=nan HEARTBEAT=-1 HEARTBEAT=2s; do
    expect "LOCKSTEP_$wrong" 5 "LOCKSTEP_$wrong: seconds from 0 to 1000000 are expected" env -u LOCKSTEP_TOOL "LOCKSTEP_$wrong" "$work/p"
done
expect "seconds" 7 "" env -u LOCKSTEP_TOOL LOCKSTEP_ENDLESS=0 LOCKSTEP_HEARTBEAT=1e-9 "$work/p"
LOCKSTEP_TOOL_OPTIONS=colour=3 expect "unknown option" 5 "" "$work/p"
finish
