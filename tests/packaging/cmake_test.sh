# SPDX-License-Identifier: Apache-2.0
# examples/cmake-project: a CUDA project of CMake, with lockstep-nvcc as its compiler, its tests under
# `lockstep run` by find_package(lockstep).
set -u
command -v cmake >/dev/null || { echo "SKIP: no cmake"; exit 77; }
[ -z "$SANITIZE" ] || { echo "SKIP: the project is linked without sanitizers"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LOCKSTEP_WORKERS=2
unset LD_LIBRARY_PATH # the build tree's command and library are found by the compiler's path alone
cmake -S "$SOURCE_DIR/examples/cmake-project" -B "$work" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CUDA_COMPILER="$BINARY_DIR/lockstep-nvcc" >"$work/log" 2>&1 &&
    cmake --build "$work" >>"$work/log" 2>&1 || { tail -30 "$work/log"; echo "FAIL it does not build"; exit 1; }
grep -q "CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"$BINARY_DIR/toolkit\"" "$work"/CMakeFiles/*/CMakeCUDACompiler.cmake || {
    echo "FAIL CMake took a toolkit of the machine for ours"; exit 1; }
"$work/saxpy" 1001 >"$work/out" || { cat "$work/out"; echo "FAIL it does not run"; exit 1; }
grep -q '1001 elements, 0 wrong' "$work/out" || { cat "$work/out"; echo "FAIL its output"; exit 1; }
ctest --test-dir "$work" --output-on-failure >"$work/tests" 2>&1 || { cat "$work/tests"; echo "FAIL its tests"; exit 1; }
grep -q '100% tests passed.* out of 3' "$work/tests" || { cat "$work/tests"; echo "FAIL not three tests"; exit 1; }
ctest --test-dir "$work" -R fermi -V 2>&1 | grep -q 'compute capability 2.0' || { echo "FAIL not that device"; exit 1; }
# find_package(CUDAToolkit) finds ours, and CUDA::cudart is the library, found by the program too.
mkdir "$work/toolkit" && cat >"$work/toolkit/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.22)
project(toolkit LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/p.cpp "#include <cuda_runtime_api.h>\nint main() { int n = 0; return cudaGetDeviceCount(&n) != cudaSuccess || n != 2; }")
add_executable(p ${CMAKE_BINARY_DIR}/p.cpp)
target_link_libraries(p PRIVATE CUDA::cudart CUDA::cuda_driver)
C
cmake -S "$work/toolkit" -B "$work/toolkit/build" -DCMAKE_CUDA_COMPILER="$BINARY_DIR/lockstep-nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 \
    >"$work/log" 2>&1 && cmake --build "$work/toolkit/build" >>"$work/log" 2>&1 || { tail -30 "$work/log"; echo "FAIL CUDAToolkit"; exit 1; }
LOCKSTEP_DEVICES=2 "$work/toolkit/build/p" || { echo "FAIL the program of CUDAToolkit"; exit 1; }
# A project that links to no library of ours by name, with a static library and separable compilation.
mkdir "$work/plain" && cat >"$work/plain/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.22)
project(plain LANGUAGES CXX CUDA)
get_filename_component(folder ${CMAKE_CUDA_COMPILER} DIRECTORY)
find_package(lockstep REQUIRED HINTS ${folder} ${folder}/..)
file(WRITE ${CMAKE_BINARY_DIR}/kern.cu "__device__ int twice(int); __global__ void k(int *o) { *o = twice(21); }
int host() { int *o, n = 0; cudaMalloc(&o, 4); k<<<1, 1>>>(o); cudaMemcpy(&n, o, 4, cudaMemcpyDeviceToHost); cudaFree(o); return n; }")
file(WRITE ${CMAKE_BINARY_DIR}/dev.cu "__device__ int twice(int n) { return 2 * n; }")
file(WRITE ${CMAKE_BINARY_DIR}/main.cu "int host(); int main() { return host() != 42; }")
add_library(kern STATIC ${CMAKE_BINARY_DIR}/kern.cu ${CMAKE_BINARY_DIR}/dev.cu)
set_target_properties(kern PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(p ${CMAKE_BINARY_DIR}/main.cu)
target_link_libraries(p PRIVATE kern)
C
cmake -S "$work/plain" -B "$work/plain/build" -DCMAKE_CUDA_COMPILER="$BINARY_DIR/lockstep-nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 \
    >"$work/log" 2>&1 && cmake --build "$work/plain/build" >>"$work/log" 2>&1 || { tail -30 "$work/log"; echo "FAIL a plain project"; exit 1; }
"$work/plain/build/p" || { echo "FAIL the program of a plain project"; exit 1; }
echo PASS
