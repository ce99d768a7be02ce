# SPDX-License-Identifier: Apache-2.0
#
# A block for which a real GPU's driver takes too many registers: the kernel is compiled again for so large a one; a
# kernel with variables of the module is refused with the way on. registers_driver.c plays the driver.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL $*"; exit 1; }
[ -e "$BINARY_DIR/liblockstep.so" ] || { echo "SKIP: no library"; exit 77; }
# The copy has a name of its own: the loader takes libraries of one name for one.
export DRIVER=$work/liblockreal.so LOCKSTEP_WORKERS=2 LOCKSTEP_QUIET=1
LC_ALL=C sed 's/liblockstep\.so/liblockreal.so/g' "$BINARY_DIR/liblockstep.so" >"$DRIVER"
cc -shared -fPIC -I"$SOURCE_DIR/include" "$SOURCE_DIR/tests/device/registers_driver.c" -o "$work/libcuda.so.1" \
    -Wl,--no-as-needed,-rpath,"$work" "$DRIVER" -ldl || fail "the driver does not compile"

cat >"$work/k.cu" <<'C'
#include <cstdio>
__device__ int factor = 2;
__global__ void twice(int *a) { a[threadIdx.x] = 2 * (int)threadIdx.x; }
__global__ void times(int *a) { a[threadIdx.x] = factor * (int)threadIdx.x; }
int main()
{
    int *a, h[1024] = {0};
    cudaMalloc(&a, sizeof h);
    const int sizes[] = {64, 1024, 992, 1024};
    for (int threads : sizes) {
        cudaMemset(a, 0, sizeof h);
        twice<<<1, threads>>>(a);
        printf("%s ", cudaGetErrorName(cudaGetLastError()));
        cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
        printf("%d\n", h[threads - 1]);
    }
    times<<<1, 512>>>(a);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    times<<<1, 1024>>>(a);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    twice<<<1, 1024>>>(a);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[1023]);
}
C
"$LOCKSTEP" cc "$work/k.cu" -o "$work/k" || fail "it does not compile"
export LOCKSTEP_LIBCUDA=$work/libcuda.so.1
LOCKSTEP_DEVICE=gpu "$work/k" >"$work/out" 2>"$work/said" || fail "status $?"
cat >"$work/expected" <<'T'
cudaSuccess 126
cudaSuccess 2046
cudaSuccess 1982
cudaSuccess 2046
cudaSuccess
cudaErrorLaunchOutOfResources
2046
T
diff "$work/expected" "$work/out" || { cat "$work/said"; fail "what it prints"; }
unset LOCKSTEP_QUIET
LOCKSTEP_DEVICE=gpu "$work/k" >"$work/said" 2>&1
grep -q 'times.*80 registers for each of 1024 threads: a block has 64 for each; __launch_bounds__(1024)' "$work/said" ||
    { cat "$work/said"; fail "the way on"; }
