# SPDX-License-Identifier: Apache-2.0
# What C++ leaves undefined is not compiled away in kernels: accesses through null pointers fault, the end of a
# function without its return gives some value, `this` may be null, bits of one type are read as another's, loops
# that change nothing stay, what must not be reached is a trap, and memory of a kernel's malloc that nobody uses is
# there to be misused. Their right twins run.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
fail() { echo "FAIL $*"; bad=1; }
cat >undefined.cu <<'C'
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
    int a, b;
    __device__ int get() { return this ? b : 7; }
};
__device__ int no_return(int x) { if (x) return 3; }
__global__ void always() { int *p = nullptr; *p = 5; }
__global__ void one(int *q) { int *p = nullptr; if (threadIdx.x == 3) *p = 5; q[threadIdx.x] = 1; }
__global__ void chosen(int *q, int n) { int *p = n ? q + threadIdx.x : nullptr; q[threadIdx.x] = *p + 1; }
__global__ void tested_late(int *p, int *q) { q[1] = *p; if (!p) q[0] = 9; }
__global__ void method(int *q, node *n) { q[0] = n->get(); }
__global__ void falls(int *q, int n) { no_return(n); q[0] = 11; }
__global__ void puns(float *f, int *q) { q[0] = 1; *f = 2.0f; q[1] = *(int *)f; q[0] = *q; }
__global__ void never() { __builtin_unreachable(); }
int main(int argc, char **argv)
{
    int *d, h[32] = {0}, wrong = argc > 2;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    switch (atoi(argv[1])) {
    case 0: wrong ? always<<<1, 32>>>() : one<<<1, 3>>>(d); break;
    case 1: one<<<1, wrong ? 32 : 3>>>(d); break;
    case 2: chosen<<<1, 32>>>(d, !wrong); break;
    case 3: tested_late<<<1, 1>>>(wrong ? nullptr : d + 4, d); break;
    case 4: method<<<1, 1>>>(d, nullptr); break;
    case 5: falls<<<1, 1>>>(d, 0); break;
    case 6: puns<<<1, 1>>>((float *)d, d); break;
    case 7: never<<<1, 1>>>(); break;
    }
    cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(e), h[0]);
    cudaFree(d);
}
C
"$LOCKSTEP" cc -w -lineinfo undefined.cu -o undefined || exit 1
expect() { # arguments, what is printed
    local out
    out=$(./undefined $1 2>report)
    [ "$out" = "$2" ] || { fail "$1: $out, not $2"; cat report; }
}
for which in 0 1 2 3; do
    ./undefined $which 2>&1 | grep -q '^cudaSuccess' || fail "$which: the right twin"
    expect "$which wrong" "cudaErrorIllegalAddress 0"
    grep -q 'null pointer' report || { fail "$which: no null pointer in the report"; cat report; }
    "$LOCKSTEP" check ./undefined $which wrong >report 2>&1 && fail "$which: check is silent"
    grep -q 'null pointer' report || { fail "$which: check"; cat report; }
    "$LOCKSTEP" check ./undefined $which >report 2>&1 || { fail "$which: check of the right twin"; cat report; }
done
expect 4 "cudaSuccess 7"
expect 5 "cudaSuccess 11"
expect 6 "cudaSuccess 1073741824"
expect 7 "cudaErrorLaunchFailure 0"
grep -q "trap in kernel" report || { fail "what must not be reached"; cat report; }
echo '__global__ void k(int n) { unsigned x = n; while (x != 1) x = x & 1 ? 3 * x + 1 : x / 2; }' >loop.cu
"$LOCKSTEP" cc -ptx loop.cu -o loop.ptx && grep -q 'bra' loop.ptx || fail "the loop is gone"
cat >heap.cu <<'C'
__global__ void freed() { int *p = (int *)malloc(64); free(p); if (TIMES == 2) free(p); }
__global__ void past() { int *p = (int *)malloc(64); p[14 + TIMES] = 1; free(p); }
__global__ void made() { int *p = new int[4]; p[2 + TIMES] = 1; delete[] p; }
int main()
{
    freed<<<1, 1>>>();
    past<<<1, 1>>>();
    made<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
C
"$LOCKSTEP" check -w -DTIMES=1 heap.cu >report 2>&1 || { fail "the heap, used well"; cat report; }
"$LOCKSTEP" check -w -DTIMES=2 heap.cu >report 2>&1 && fail "the heap: check is silent"
grep -q 'freed already' report && [ "$(grep -c 'right past the end of allocation' report)" = 2 ] ||
    { fail "the heap"; cat report; }

# Where clang's warnings tell of it, a note says what it does with the code.
told() { # what, words of the note, the kernel's lines with WRONG
    echo "__global__ void k(int *q, int n) { $3 }" >told.cu
    "$LOCKSTEP" cc -DWRONG=1 -c told.cu -o told.o >report 2>&1 || { fail "$1 is an error"; cat report; }
    grep -q "lockstep cc: note: $2" report || { fail "$1: no note"; cat report; }
    "$LOCKSTEP" cc -DWRONG=0 -c told.cu -o told.o >report 2>&1 && [ ! -s report ] ||
        { fail "$1: the right twin"; cat report; }
}
told null "in kernels it is kept" "if (WRONG) *(int *)0 = 5; else *q = 5;"
told past "clang removes an access outside" "int a[4] = {n}; a[3 + WRONG] = n; q[0] = a[0];"
told before "clang removes an access outside" "int a[4] = {n}; q[0] = a[0 - WRONG];"
told unset "clang may remove what is computed with it" "int x = 4; { int y; y = WRONG ? y : x; q[0] = y; }"
told sometimes "clang may remove the test" "int x; if (n > 3 || !WRONG) x = 7; q[0] = x;"
"$LOCKSTEP" cc -DWRONG=1 -Werror -c told.cu -o told.o >report 2>&1 || { fail "unset is an error"; cat report; }
told zero "clang may remove what is computed with the result" "q[0] = n / (1 - WRONG);"
"$LOCKSTEP" cc -w -c undefined.cu -o undefined.o >report 2>&1 && [ ! -s report ] || { fail "-w: a note"; cat report; }
exit $bad
