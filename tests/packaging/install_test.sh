# SPDX-License-Identifier: Apache-2.0
# What is installed works from its own place: the command compiles and runs, find_package finds it,
# the Debian package holds it.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LOCKSTEP_WORKERS=2
fail() { echo "FAIL $*"; exit 1; }
cmake --install "$BINARY_DIR" --prefix "$work/prefix" >"$work/log" 2>&1 || { tail "$work/log"; fail "cmake --install"; }
cat >"$work/k.cu" <<'C'
#include <cstdio>
__global__ void k(int *p) { *p = 42; }
int main() { int *p, v = 0; cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost); printf("%d\n", v); }
C
mkdir "$work/away" && cd "$work/away" || exit 1
[ "$("$work/prefix/bin/lockstep" run "$work/k.cu")" = 42 ] || fail "the installed command"
"$work/prefix/bin/lockstep-nvcc" "$work/k.cu" -o "$work/k" && [ "$("$work/k")" = 42 ] || fail "the installed compiler"
[ -e "$(echo "$work"/prefix/lib*/lockstep/libcuda.so.1 "$work"/prefix/lib/*/lockstep/libcuda.so.1 | tr ' ' '\n' | while read -r f; do [ -e "$f" ] && echo "$f" && break; done)" ] || fail "libcuda.so.1"
top=$("$work/prefix/bin/lockstep-nvcc" -v "$work/k.cu" -o "$work/k" 2>&1 | sed -n 's/^#[$] TOP=//p')
for file in bin/nvcc include/cuda_runtime.h lib64/libcudart.so; do
    [ -e "$top/$file" ] || fail "the toolkit's folder lacks $file"
done
for file in man/man1/lockstep.1 man/man1/lockstep-check.1 man/man7/lockstep-topics.7 bash-completion/completions/lockstep \
    zsh/vendor-completions/_lockstep fish/vendor_completions.d/lockstep.fish; do
    [ -s "$work/prefix/share/$file" ] || fail "share/$file is not installed"
done
mkdir "$work/find" && cat >"$work/find/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.22)
project(find NONE)
find_package(lockstep 0.1 REQUIRED)
message(STATUS "found ${lockstep_EXECUTABLE}")
if(NOT EXISTS ${lockstep_EXECUTABLE} OR NOT EXISTS ${lockstep_LIBRARY} OR NOT EXISTS ${lockstep_INCLUDE_DIR}/cuda_runtime.h OR NOT EXISTS ${lockstep_NVCC})
  message(FATAL_ERROR "the package's paths are wrong")
endif()
C
cmake -S "$work/find" -B "$work/find/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail "find_package"; }
grep -q "found $work/prefix" "$work/log" || fail "find_package found another one"
command -v cpack >/dev/null && command -v dpkg-deb >/dev/null || { echo "SKIP: no cpack or dpkg-deb"; exit 77; }
[ -z "$SANITIZE" ] || { echo "PASS (no package of a sanitized build)"; exit 0; }
cpack -G DEB --config "$BINARY_DIR/CPackConfig.cmake" -B "$work/deb" >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
dpkg-deb -c "$work"/deb/lockstep_*.deb >"$work/contents" || fail "dpkg-deb"
for file in ./usr/share/man/man1/lockstep-run.1 ./usr/share/bash-completion/completions/lockstep ./usr/bin/lockstep ./usr/bin/lockstep-nvcc liblockstep.so lockstep/libcuda.so.1 include/lockstep/cuda_runtime.h \
    cmake/lockstep/lockstep-config.cmake; do
    grep -q "$file" "$work/contents" || fail "the package lacks $file"
done
echo PASS
