#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Groups larger than a block: a grid that waits for itself outside a cooperative launch traps and is told why,
# a cluster is one block; constant memory beyond 64 KiB is an error with the numbers.
. "$(dirname "$0")/../cli/kernels.sh"

"$LOCKSTEP" cc -o "$work/p" "$SOURCE_DIR/tests/exec/grid_wait.cu" || exit 1
expect "a cooperative launch" 0 "out:cudaSuccess 1 0" "$work/p" cooperative
expect "an ordinary launch" 0 "out:cudaErrorLaunchFailure -1 0" "$work/p" ordinary
expect "why" 0 "only a cooperative launch can .cudaLaunchCooperativeKernel." "$work/p" ordinary
expect "a trap of its own" 0 "trap in kernel .own. [^:]*:[0-9]+., block .0,0,0., thread .0,0,0.$" "$work/p" own
expect "either of them" 0 "a trap of its own, or it waits for its whole grid" "$work/p" both
expect "of one block" 0 "out:cudaErrorLaunchFailure -1 0" "$work/p" one-block
expect "who only asks" 0 "out:cudaSuccess 0 0" "$work/p" ask
expect "a cluster" 0 "out:cudaSuccess -1 0" "$work/p" cluster
# The checker's shadow memory is read without locks: under the thread sanitizer it is not run.
if [ "${SANITIZE:-}" != thread ]; then
expect "the grid's barrier, checked" 0 "out:ERROR SUMMARY: 0 errors" "$LOCKSTEP" check -- "$work/p" cooperative
expect "the cluster's, checked" 0 "out:ERROR SUMMARY: 0 errors" "$LOCKSTEP" check -- "$work/p" cluster
expect "half of it" 1 "out:Race in shared memory" "$LOCKSTEP" check -- "$work/p" half
fi

cat >"$work/c.cu" <<'EOF'
#include <cstdio>
__constant__ char table[BYTES], more[8];
__global__ void look(int *x) { x[0] = table[x[1]] + more[x[1] & 7]; }
int main()
{
    int *x;
    cudaMalloc(&x, 8);
    cudaMemset(x, 0, 8);
    look<<<1, 1>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(x);
}
EOF
too_much="65537 bytes of constant memory .0x10001., of which there are 65536 .0x10000.: the largest variable is \"table\" with 65529 bytes"
expect "all of constant memory" 0 "" "$LOCKSTEP" cc -DBYTES=65528 -o "$work/c" "$work/c.cu"
expect "and it runs" 0 "out:cudaSuccess" "$work/c"
expect "a byte more" 1 "$too_much" "$LOCKSTEP" cc -DBYTES=65529 -o "$work/c" "$work/c.cu"
expect "80 KiB" 1 "81928 bytes of constant memory .0x14008." "$LOCKSTEP" cc -DBYTES=81920 -o "$work/c" "$work/c.cu"
"$LOCKSTEP" cc -ptx -DBYTES=65528 -o "$work/c.ptx" "$work/c.cu"
sed -i 's/65528/70000/' "$work/c.ptx"
expect "PTX that is loaded" 2 "70008 bytes of constant memory" \
    "$LOCKSTEP" launch "$work/c.ptx" --kernel look --grid 1 --block 1 --arg buffer:8
finish
