/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes wrong in the same way on the virtual GPU and on a real one:
 * messages_test.py. Prints the names of the errors in their order; one case a
 * process.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ int table[4];
__global__ void
nothing()
{
}
__global__ void __launch_bounds__(64) bounded(int *a)
{
    a[threadIdx.x] = 1;
}
__global__ void
store(int *a, long at)
{
    a[at] = 1;
}
__global__ void
wide(char *a)
{
    *(int *)(a + 1) = 1;
}
__global__ void
traps()
{
    __trap();
}
__global__ void
asserts(int n)
{
    if (threadIdx.x == 3 && n != 1) {
        printf("before\n");
        __trap();
    }
}
__global__ void
whole(int *a)
{
    a[0] = 1;
    cooperative_groups::this_grid().sync();
}
template <int N>
static __device__ void
turn(const float *in, float *out)
{
    float x[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        x[k] = in[k * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++)
        out[k * 1024 + threadIdx.x] = x[(k * 7 + 3) % N] * x[(k * 11 + 5) % N] + table[k & 3];
}
__global__ void
many(const float *in, float *out)
{
    turn<140>(in, out);
}

static void
say(cudaError_t e)
{
    printf("%s\n", cudaGetErrorName(e));
}

/* A kernel's own error is known at once, or when it is waited for. */
static void
after()
{
    cudaError_t at_once = cudaGetLastError(), waited = cudaDeviceSynchronize();
    say(at_once != cudaSuccess ? at_once : waited);
}

static void
call(const char *what, int *a)
{
    auto is = [&](const char *name) { return strcmp(what, name) == 0; };
    cudaEvent_t e, f;
    static char bytes[64], large[1 << 20];
    if (is("empty-grid"))
        nothing<<<0, 32>>>();
    else if (is("block-of-2048"))
        nothing<<<1, 2048>>>();
    else if (is("block-deep"))
        nothing<<<1, dim3(1, 1, 65)>>>();
    else if (is("grid-high"))
        nothing<<<dim3(1, 65536), 1>>>();
    else if (is("bounds"))
        bounded<<<1, 128>>>(a);
    else if (is("registers"))
        many<<<1, 1024>>>((float *)a, (float *)a);
    else if (is("dynamic-shared"))
        nothing<<<1, 1, 64 << 10>>>();
    else if (is("dynamic-shared-most"))
        say(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    else if (is("cooperative-large")) {
        void *words[] = {&a};
        say(cudaLaunchCooperativeKernel(whole, 100000, 1024, words, 0, 0));
    } else if (is("no-cooperative"))
        whole<<<2, 32>>>(a);
    else if (is("null-store"))
        store<<<1, 1>>>(NULL, 0);
    else if (is("far-store"))
        store<<<1, 1>>>(a, 1l << 40);
    else if (is("misaligned"))
        wide<<<1, 1>>>((char *)a);
    else if (is("trap"))
        traps<<<1, 1>>>();
    else if (is("trap-late"))
        asserts<<<1, 32>>>(2);
    else if (is("free-twice"))
        say(cudaFree(a)), say(cudaFree(a));
    else if (is("free-inside"))
        say(cudaFree(a + 1));
    else if (is("free-host"))
        say(cudaFree(bytes));
    else if (is("free-null"))
        say(cudaFree(NULL));
    else if (is("copy-direction"))
        say(cudaMemcpy(a, bytes, 4, (cudaMemcpyKind)7));
    else if (is("copy-long"))
        say(cudaMemcpy(a, large, sizeof large, cudaMemcpyHostToDevice));
    else if (is("fill-long"))
        say(cudaMemset(a, 0, 1ul << 40));
    else if (is("copy-symbol"))
        say(cudaMemcpyToSymbol(table, bytes, 32));
    else if (is("no-symbol"))
        say(cudaMemcpyToSymbol(bytes, bytes, 4));
    else if (is("huge"))
        say(cudaMalloc(&a, 1ul << 45));
    else if (is("malloc-null"))
        say(cudaMalloc((int **)NULL, 4));
    else if (is("device"))
        say(cudaSetDevice(99));
    else if (is("event-early"))
        cudaEventCreate(&e), cudaEventCreate(&f), say(cudaEventElapsedTime((float *)bytes, e, f));
    else if (is("event-untimed")) {
        cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaEventRecord(e),
            cudaEventSynchronize(e);
        say(cudaEventElapsedTime((float *)bytes, e, e));
    } else if (is("stream-flags"))
        say(cudaStreamCreateWithFlags((cudaStream_t *)bytes, 77));
    else if (is("attribute"))
        say(cudaDeviceGetAttribute((int *)bytes, (cudaDeviceAttr)9999, 0));
    else if (is("host-alloc-flags"))
        say(cudaHostAlloc((void **)bytes, 64, 0x1000));
    else if (is("unregister"))
        say(cudaHostUnregister(bytes));
    else if (is("limit"))
        say(cudaDeviceSetLimit((cudaLimit)99, 1));
    else if (is("capture-sync")) {
        cudaStream_t s;
        cudaStreamCreate(&s), cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        say(cudaStreamSynchronize(s));
        cudaGraph_t g;
        say(cudaStreamEndCapture(s, &g));
    } else if (is("occupancy"))
        say(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)bytes, nothing, 0, 0));
    else
        exit(2);
}

int
main(int argc, char **argv)
{
    int *a;
    if (argc < 2 || cudaMalloc(&a, 4096) != cudaSuccess)
        return 3;
    cudaDeviceSynchronize();
    call(argv[1], a);
    after();
}
