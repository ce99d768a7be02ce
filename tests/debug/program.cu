/* SPDX-License-Identifier: Apache-2.0
 *
 * program.cu: what the tests of the debugger run: program CASE [PTX]. Lines with a mark are looked
 * for by their text. It ends with status 7, or 3 where a call failed.
 */
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda.h>
#include <thread>

static int *device;
static const int words = 4096;

static int
finish(const char *name)
{
    static int host[words];
    cudaError_t e = cudaDeviceSynchronize();
    unsigned long long sum = 0;
    if (e == cudaSuccess)
        cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < words; i++)
        sum = sum * 31 + (unsigned)host[i];
    printf("%s %s %llx\n", name, cudaGetErrorName(e), sum);
    return e == cudaSuccess ? 7 : 3;
}

/* -- loops, branches, barriers, calls, atomics ------------------------------------------------- */

__device__ int depth_sum(int n) { return n < 1 ? 0 : n + depth_sum(n - 1); }

__global__ void
work(int *out)
{
    __shared__ int tile[128];
    int own[6], t = threadIdx.x, sum = 0;
    tile[t] = t * 3;
    __syncthreads(); /* MARK barrier */
    for (int i = 0; i < 6; i++)
        own[(i * 5 + t) % 6] = tile[(t + i) % 128] ^ i;
    for (int i = 0; i < t % 5 + 2; i++) {
        if ((t + i) % 4 == 1)
            sum += own[i % 6]; /* MARK branch */
        else
            sum -= depth_sum(i % 3);
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 3);
    if (t % 2)
        atomicAdd(&out[1000], sum);
    __syncthreads();
    tile[127 - t] = sum;
    __syncthreads();
    out[blockIdx.x * 128 + t] = tile[t] + sum; /* MARK store */
    if (t == 77)
        printf("block %d: %d\n", (int)blockIdx.x, sum);
}

/* -- what goes wrong --------------------------------------------------------------------------- */

__global__ void
astray(int *out, int n)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t == 37)
        out = (int *)64;
    out[n * t] = 1; /* MARK astray */
}

__global__ void
asserts(int *out)
{
    out[threadIdx.x] = 1;
    assert(threadIdx.x != 9); /* MARK asserts */
}

__global__ void
traps(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == 3)
        __trap();
}

__device__ __noinline__ int
endless_depth(volatile int *p, int n)
{
    int own[64];
    for (int i = 0; i < 64; i++)
        own[i] = p[i] + n;
    return own[n & 63] + endless_depth(p, n + 1) + own[(n + 1) & 63];
}

__global__ void
deep(int *out)
{
    out[0] = endless_depth(out, 1);
}

__global__ void
stuck(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x < 32)
        __syncthreads(); /* MARK stuck */
    else
        asm volatile("bar.sync 1;");
}

__global__ void
spin(volatile int *out)
{
    for (volatile int turn = 0; out[0] == 0; turn = turn + 1) /* MARK spin: no state comes again */
        ;
}

/* -- others ------------------------------------------------------------------------------------ */

__global__ void
plus(volatile int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[threadIdx.x] += i; /* MARK plus */
}

__global__ void
together(int *out)
{
    cooperative_groups::grid_group g = cooperative_groups::this_grid();
    int i = (int)g.thread_rank();
    out[i] = i;
    g.sync(); /* MARK together */
    out[512 + i] = out[(i + 64) % 256];
}

static void
loaded(const char *file, const char *name)
{
    CUmodule m;
    CUfunction f;
    int parameter = 1000;
    void *args[] = {&device, &parameter};
    if (cuModuleLoad(&m, file) || cuModuleGetFunction(&f, m, name) ||
        cuLaunchKernel(f, 1, 1, 1, 40, 1, 1, 0, NULL, args, NULL) || cuModuleUnload(m))
        exit(4);
}

/* Memory that is mapped: other processes may have it, too. */
static void
map_device(void)
{
    CUmemAllocationProp p = {};
    CUmemGenericAllocationHandle h;
    CUdeviceptr at;
    CUmemAccessDesc access = {};
    size_t size;
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = p.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (cuMemGetAllocationGranularity(&size, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ||
        cuMemCreate(&h, size, &p, 0) || cuMemAddressReserve(&at, size, 0, 0, 0) ||
        cuMemMap(at, size, 0, h, 0) || cuMemSetAccess(at, size, &access, 1))
        exit(4);
    device = (int *)at;
    cudaMemset(device, 0, words * sizeof *device);
}

static void
launch_twice(int *at)
{
    for (int i = 0; i < 2; i++)
        plus<<<1, 32>>>(at, 10);
    cudaDeviceSynchronize();
}

int
main(int argc, char **argv)
{
    const char *name = argv[1];
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    printf("begin\n");
    cudaMalloc(&device, words * sizeof *device);
    cudaMemset(device, 0, words * sizeof *device);
    if (!strcmp(name, "work"))
        work<<<3, 128>>>(device);
    else if (!strcmp(name, "astray"))
        astray<<<1, 64>>>(device, 1);
    else if (!strcmp(name, "asserts"))
        asserts<<<1, 32>>>(device);
    else if (!strcmp(name, "traps"))
        traps<<<1, 32>>>(device);
    else if (!strcmp(name, "deep"))
        deep<<<1, 1>>>(device);
    else if (!strcmp(name, "stuck"))
        stuck<<<1, 64>>>(device);
    else if (!strcmp(name, "spin"))
        spin<<<1, 32>>>(device);
    else if (!strcmp(name, "mapped")) {
        map_device();
        plus<<<1, 32>>>(device, 10);
    } else if (!strcmp(name, "plus"))
        plus<<<1, 32>>>(device, 200000);
    else if (!strcmp(name, "together")) {
        void *args[] = {&device};
        cudaLaunchCooperativeKernel((const void *)together, 4, 64, args, 0, NULL);
    } else if (!strcmp(name, "threads")) {
        std::thread one(launch_twice, device), two(launch_twice, device + 32);
        one.join();
        two.join();
    } else if (!strcmp(name, "again")) {
        for (int i = 0; i < 3; i++)
            loaded(argv[2], i % 2 ? "spaces" : "ways");
    } else if (argc > 2) {
        loaded(argv[2], name);
    } else {
        return 5;
    }
    return finish(name);
}
