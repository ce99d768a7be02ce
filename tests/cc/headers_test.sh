# SPDX-License-Identifier: Apache-2.0
# Each header of include/ compiles alone: as CUDA for device and host; those of the runtime and driver
# API in C and C++ by gcc too, without any macro of ours. Headers of libraries that are not provided
# say so. A header that compiles to nothing would pass, so the last part uses a name from each.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL $*"; failed=1; }
cd "$SOURCE_DIR/include" || exit 1

for header in *.h *.hpp cooperative_groups/*.h nvtx3/*.h cuda/* cuda/std/*; do
    [ -f "$header" ] || continue
    echo "#include <$header>" >"$work/one.cu"
    if grep -q '^#error "lockstep does not provide' "$header"; then
        "$LOCKSTEP" cc -c "$work/one.cu" -o "$work/one.o" 2>"$work/log" && fail "$header: no error"
        grep -q "does not provide <$header>" "$work/log" || fail "$header: another message"
        continue
    fi
    if grep -q '^#error .*belongs to libcu++' "$header" && ! [ -e "/usr/include/$header" ]; then
        "$LOCKSTEP" cc -c "$work/one.cu" -o "$work/one.o" 2>"$work/log" && fail "$header: no error"
        grep -q 'libcu++-dev' "$work/log" || fail "$header: does not say which package it is in"
        continue
    fi
    "$LOCKSTEP" cc -c "$work/one.cu" -o "$work/one.o" 2>"$work/log" || fail "$header as CUDA: $(head -3 "$work/log")"
    [ -s "$work/log" ] && fail "$header as CUDA warns: $(head -3 "$work/log")"
done

for header in cuda_runtime_api.h cuda_runtime.h cuda.h cudaTypedefs.h cuda_profiler_api.h cudaProfiler.h vector_types.h \
    vector_functions.h driver_types.h driver_functions.h texture_types.h surface_types.h library_types.h \
    builtin_types.h host_defines.h host_config.h cuComplex.h channel_descriptor.h cuda_fp16.h cuda_bf16.h; do
    echo "#include <$header>" >"$work/one.c"
    cp "$work/one.c" "$work/one.cpp"
    for compiler in "gcc -std=c99" "gcc -std=c17" clang-19; do
        command -v ${compiler%% *} >/dev/null || continue
        $compiler -Wall -Wextra -Werror -I. -c "$work/one.c" -o "$work/one.o" 2>"$work/log" ||
            fail "$header as C by $compiler: $(head -3 "$work/log")"
    done
    command -v g++ >/dev/null || continue
    case $header in cuda_fp16.h | cuda_bf16.h) continue ;; esac # clang's vector extension
    g++ -std=c++11 -Wall -Werror -I. -c "$work/one.cpp" -o "$work/one.o" 2>"$work/log" ||
        fail "$header as C++ by g++: $(head -3 "$work/log")"
done

# Those with types that programs pass about between kernels and host: in a .cpp file, which has no kernels.
for header in cuda_fp16.h cuda_bf16.h cuda_fp8.h mma.h; do
    echo "#include <$header>" >"$work/one.cpp"
    "$LOCKSTEP" cc -c "$work/one.cpp" -o "$work/one.o" 2>"$work/log" || fail "$header in a .cpp file: $(head -3 "$work/log")"
    [ -s "$work/log" ] && fail "$header in a .cpp file warns: $(head -3 "$work/log")"
done
printf '#include <cuda_fp16.h>\nint main() { return __half2float(__float2half(1.5f) + __half(2.5f)) != 4.0f; }\n' >"$work/sum.cpp"
"$LOCKSTEP" cc "$work/sum.cpp" -o "$work/sum" && "$work/sum" || fail "a sum of halves in a .cpp file"

cat >"$work/names.c" <<'C'
#include <cuda.h>
#include <cuda_runtime.h>
int main(void)
{
    struct cudaDeviceProp p = {.major = 9};
    dim3 grid = {1, 2, 3};
    float4 v = make_float4(1, 2, 3, 4);
    CUdeviceptr at = 0;
    return (int)cudaErrorIllegalAddress - 700 + (int)CUDA_ERROR_LAUNCH_FAILED - 719 + p.minor + (int)at +
           (int)grid.x - (int)v.x + (sizeof(dim3) != 12) + (sizeof(cudaUUID_t) != 16);
}
C
${CC:-cc} -std=c17 -Wall -Wextra -Werror -I. "$work/names.c" -o "$work/names" && "$work/names" || fail "names.c"
for standard in c++11 c++14 c++17 c++20; do
    echo '__global__ void k(int *a) { atomicAdd(a, 1); }' >"$work/one.cu"
    "$LOCKSTEP" cc -std=$standard -c "$work/one.cu" -o "$work/one.o" || fail "-std=$standard"
done
for arch in 35 50 60 70 75 80 86 90; do
    "$LOCKSTEP" cc -arch=sm_$arch -c "$work/one.cu" -o "$work/one.o" || fail "-arch=sm_$arch"
done
exit $failed
