# SPDX-License-Identifier: Apache-2.0
# A static library of units whose kernels need a unit that no host code names: linked by its name and by -l, with
# and without a device link, by g++, by CMake. What nobody defines ends the link. Units of the same name in two
# folders, templates and static kernels in two units, assert in one of several.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
fail() { echo "FAIL $*"; bad=1; }
cat >dev.h <<'C'
#pragma once
#ifdef __CUDACC__
extern __device__ int triple(int);
extern __device__ int table[4];
template <class T> __global__ void more(T *p) { p[threadIdx.x] += T(2); }
static __global__ void last(int *p) { assert(p); p[threadIdx.x] += 1; }
#endif
void launch(int *p);
C
mkdir a
cat >dev.cu <<'C'
#include <cassert>
#include "dev.h"
__device__ int table[4] = {7};
__device__ int triple(int x) { return 3 * x; }
C
cat >kern.cu <<'C'
#include <cassert>
#include "dev.h"
__global__ void first(int *p) { p[threadIdx.x] = triple(threadIdx.x) + table[0]; }
void more_of(int *p);
void launch(int *p) { first<<<1, 32>>>(p); more<<<1, 32>>>(p); last<<<1, 32>>>(p); more_of(p); }
C
cat >a/kern.cu <<'C'
#include <cassert>
#include "../dev.h"
void more_of(int *p) { more<<<1, 32>>>(p); last<<<1, 32>>>(p); }
C
cat >main.cpp <<'C'
#include <cuda_runtime.h>
#include <stdio.h>
#include "dev.h"
int main()
{
    int *d, h[32], bad = 0;
    cudaMalloc(&d, sizeof h);
    launch(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        bad += h[i] != 3 * i + 13;
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad;
}
C
cp main.cpp main.cu
right() { [ "$("$@" 2>&1)" = "0 wrong, no error" ] || { fail "$*"; "$@"; }; }
"$LOCKSTEP" cc -dc kern.cu dev.cu && (cd a && "$LOCKSTEP" cc -dc kern.cu -o kern2.o) || exit 1
"$LOCKSTEP" cc -lib -o libkern.a kern.o dev.o a/kern2.o || exit 1
"$LOCKSTEP" cc -dc main.cu -o main.o || exit 1
"$LOCKSTEP" cc main.o libkern.a -o by_name && right ./by_name || fail by_name
"$LOCKSTEP" cc main.o -L. -lkern -o by_l && right ./by_l || fail by_l
"$LOCKSTEP" cc -dlink main.o -L. -lkern -o dlink.o && "$LOCKSTEP" cc main.o dlink.o -L. -lkern -o dlinked &&
    right ./dlinked || fail dlinked
"$LOCKSTEP" cc -shared -Xcompiler -fPIC -rdc=true kern.cu dev.cu a/kern.cu -o libshared.so &&
    "$LOCKSTEP" cc main.cu -L. -lshared -Xlinker -rpath="$work" -o shared && right ./shared || fail shared
"$LOCKSTEP" cc main.o kern.o a/kern2.o -o without >out 2>&1 && fail "linked without dev.o"
grep -q '__lockstep_device__Z6triplei' out || { fail "what is missing"; cat out; }
"$LOCKSTEP" cc -dc -MD kern.cu -o x.o && grep -q '^x.o: kern.cu' x.d || fail "the dependency file"
library=$(dirname "$LOCKSTEP")
if [ -z "${SANITIZE:-}" ] && command -v g++ >/dev/null; then
    g++ -I"$SOURCE_DIR/include" main.cpp libkern.a -L"$library" -llockstep -Wl,-rpath,"$library" \
        -o by_gxx && right ./by_gxx || fail by_gxx
fi
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.18)
project(library LANGUAGES CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES 90)
add_library(kern STATIC kern.cu dev.cu a/kern.cu)
set_target_properties(kern PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(program main.cu)
set_target_properties(program PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(program PRIVATE kern)
add_library(resolved STATIC kern.cu dev.cu a/kern.cu)
set_target_properties(resolved PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_executable(plain main.cpp)
find_package(CUDAToolkit REQUIRED)
target_link_libraries(plain PRIVATE resolved CUDA::cudart)
C
if [ -z "${SANITIZE:-}" ]; then
    { CUDACXX=$library/toolkit/bin/nvcc cmake -G Ninja -DCMAKE_BUILD_RPATH="$library" -B b . &&
        cmake --build b; } >out 2>&1 || { fail CMake; cat out; }
    right b/program
    right b/plain
fi
exit $bad
