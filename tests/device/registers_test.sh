# SPDX-License-Identifier: Apache-2.0
#
# A block for which a real GPU's driver takes too many registers: the kernel is compiled again for so large a one; a
# kernel with variables of the module is refused with the way on. registers_driver.c plays the driver. The virtual GPU
# refuses by its estimate, in the same words, what no compiler would bring down to a block's registers unasked.
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

# A pragma of lockstep's own, which the driver does not know, is not in what it gets.
cat >"$work/p.c" <<'C'
#include <cuda.h>
#include <stdio.h>
int main(void)
{
    CUdevice d;
    CUcontext c;
    CUmodule m;
    static char bytes[1 << 16];
    FILE *at = fopen("p.ptx", "rb");
    bytes[fread(bytes, 1, sizeof bytes - 1, at)] = 0;
    cuInit(0), cuDeviceGet(&d, 0), cuDevicePrimaryCtxRetain(&c, d), cuCtxSetCurrent(c);
    printf("%d\n", cuModuleLoadData(&m, bytes));
}
C
(cd "$work" && "$LOCKSTEP" cc p.c -lcuda -o p && "$LOCKSTEP" cc -ptx k.cu -o k.ptx &&
    sed 's/^\(\.address_size 64\)$/\1\n.pragma "lockstep replicated";/' k.ptx >p.ptx && grep -q '^.pragma' p.ptx &&
    [ "$(LOCKSTEP_DEVICE=gpu ./p)" = 0 ] && [ "$(./p)" = 0 ]) || fail "a pragma"

cat >"$work/v.cu" <<'C'
#include <cstdio>
#include <initializer_list>
#include <cuda.h>
template <int N> static __device__ void turn(const float *in, float *out)
{
    float x[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        x[k] = in[k * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++)
        out[k * 1024 + threadIdx.x] = x[(k * 7 + 3) % N] * x[(k * 11 + 5) % N];
}
extern "C" __global__ void many(const float *in, float *out) { turn<140>(in, out); }
extern "C" __global__ void __launch_bounds__(1024) bounded(const float *in, float *out) { turn<140>(in, out); }
extern "C" __global__ void some(const float *in, float *out) { turn<40>(in, out); }
int main(int argc, char **)
{
    float *a;
    cudaMalloc(&a, 2 * 140 * 1024 * sizeof *a);
    cudaMemset(a, 0, 2 * 140 * 1024 * sizeof *a);
    for (auto *kernel : {many, bounded, some})
        for (int threads : {1024, 256}) {
            kernel<<<1, threads>>>(a, a + 140 * 1024);
            printf("%s ", cudaGetErrorName(cudaGetLastError()));
        }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (argc == 1)
        return 0;
    CUmodule m;
    CUfunction f;
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *most = (void *)64, *in = a, *out = a + 140 * 1024, *words[] = {&in, &out};
    for (unsigned n : {0, 1})
        for (const char *file : {"v.ptx", "v.cubin"}) {
            FILE *at = fopen(file, "rb");
            static char bytes[1 << 20];
            bytes[fread(bytes, 1, sizeof bytes - 1, at)] = 0;
            fclose(at);
            cuModuleLoadDataEx(&m, bytes, n, &option, &most);
            cuModuleGetFunction(&f, m, "many");
            printf("%d ", cuLaunchKernel(f, 1, 1, 1, 1024, 1, 1, 0, 0, words, 0));
        }
    printf("\n");
}
C
cd "$work" && export LOCKSTEP_QUIET=1
"$LOCKSTEP" cc v.cu -lcuda -o v && "$LOCKSTEP" cc -ptx v.cu -o v.ptx && "$LOCKSTEP" cc -cubin v.cu -o v.cubin ||
    fail "the second does not compile"
bounds="cudaSuccess cudaSuccess cudaSuccess cudaSuccess cudaSuccess cudaSuccess"
[ "$(./v 1)" = "cudaErrorLaunchOutOfResources $bounds
701 701 0 0 " ] || fail "the virtual GPU: $(./v 1)"
"$LOCKSTEP" cc -maxrregcount=64 v.cu -lcuda -o w && [ "$(./w)" = "cudaSuccess $bounds" ] || fail "-maxrregcount: $(./w)"
unset LOCKSTEP_QUIET
./v 2>&1 | grep -q '"many": about .* registers for each of 1024 threads: a block has 64 for each; __launch_bounds__(1024)' ||
    { ./v; fail "the way on, of the virtual GPU"; }
