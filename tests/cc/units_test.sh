# SPDX-License-Identifier: Apache-2.0
# A program of two units (-rdc=true): static variables of the same name in both, used by kernels
# before the host's code names them; a kernel of one unit launched by the other; static kernels.
# Then: launches spelled with spaces, and -cuda, whose file another compiler takes.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >a.cu <<'C'
#include <cstdio>
#include <vector>
static __constant__ int table[4];
static __device__ int total;
extern __global__ void other(int *out);
extern void fill_other();
static __global__ void own(int *out) { out[threadIdx.x] = table[threadIdx.x] + total; }
int main()
{
    int h[4] = {1, 2, 3, 4}, t = 100, *out, bad = 0;
    std::vector<std::vector<int> > unused;
    cudaMallocManaged(&out, 8 * sizeof(int));
    cudaMemcpyToSymbol(table, h, sizeof h);
    cudaMemcpyToSymbol(total, &t, sizeof t);
    fill_other();
    own<<<1, 4>>>(out);
    other << < 1, 4 >> > (out + 4);
    bad |= cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 4; i++)
        bad |= out[i] != 101 + i || out[4 + i] != 10 * i;
    puts(bad ? "wrong" : "ok");
    return bad;
}
C
cat >b.cu <<'C'
static __constant__ int table[4];
__global__ void other(int *out) { out[threadIdx.x] = table[threadIdx.x]; }
void fill_other()
{
    int h[4] = {0, 10, 20, 30};
    cudaMemcpyToSymbol(table, h, sizeof h);
}
C
"$LOCKSTEP" cc -rdc=true a.cu b.cu -o both && [ "$(./both)" = ok ] || { echo "FAIL two units"; exit 1; }
cat >c.cu <<'C'
#include <cstdio>
#include "launch.cuh"
struct p { int a; };
template <class T> p &operator << (p &x, T) { return x; }
template <class T> void call(p &x) { operator<< <T>(x, T(1'000)); }
int main() { p x; call<int>(x); printf("%d\n", run() + __LINE__); }
C
cat >launch.cuh <<'C'
// a comment with << < and an apostrophe: don't
__global__ void k(int *o) { *o = 35; }
int run() { int *o, v; cudaMalloc(&o, 4); k  <<  <1, 1 >> >(o); cudaMemcpy(&v, o, 4, cudaMemcpyDefault); return v; }
C
"$LOCKSTEP" cc c.cu -o c && [ "$(./c)" = 41 ] || { echo "FAIL spaces in a launch"; exit 1; }
"$LOCKSTEP" cc -cuda c.cu && [ -s c.cu.cpp.ii ] || { echo "FAIL -cuda"; exit 1; }
"$LOCKSTEP" cc c.cu.cpp.ii -o d && [ "$(./d)" = 41 ] || { echo "FAIL a program from -cuda's file"; exit 1; }
[ -n "$(command -v g++)" ] || exit 0
g++ -c c.cu.cpp.ii -o e.o && "$LOCKSTEP" cc e.o -o e && [ "$(./e)" = 41 ] || { echo "FAIL g++ on -cuda's file"; exit 1; }
