/* SPDX-License-Identifier: Apache-2.0
 *
 * Planted mistakes, a kernel each; the line that is the cause says so. argv[1]: which kernel. */
#include <cassert>
#include <cstdio>
#include <cstring>

enum { N = 256, BLOCK = 64 };

__global__ void
barrier_forgotten(int *a)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = a[threadIdx.x]; /* cause: no barrier behind this */
    a[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

/* Each round has a barrier between store and load, and none before the next round's store. */
__global__ void
second_barrier(int *a)
{
    __shared__ int s[BLOCK];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        s[threadIdx.x] = a[threadIdx.x] + round;
        __syncthreads();
        sum += s[(threadIdx.x + 33) % BLOCK]; /* cause: no barrier behind this */
    }
    a[threadIdx.x] = sum;
}

__global__ void
in_place(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? a[i - 1] : 0;
    __syncthreads();
    a[i] = (left + a[i]) / 2; /* cause: another block reads this element */
}

__global__ void
one_for_all(int *a)
{
    a[threadIdx.x / 2] = threadIdx.x; /* cause: two threads to one element */
}

__global__ void
lanes(int *a)
{
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x]; /* cause: no __syncwarp() behind this */
    a[threadIdx.x] = s[31 - threadIdx.x];
}

/* The last block adds what the others have stored; they count themselves without a fence. */
__global__ void
fence_forgotten(int *a)
{
    int *part = a, *done = a + 100;
    if (threadIdx.x != 0)
        return;
    part[blockIdx.x] = blockIdx.x; /* cause: no __threadfence() behind this */
    if (atomicAdd(done, 1) == gridDim.x - 1) {
        int sum = 0;
        for (unsigned k = 0; k < gridDim.x; k++)
            sum += part[k];
        a[101] = sum;
    }
}

__global__ void
no_test(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 32; /* cause: beyond the array's end */
    a[i] = i;
}

__global__ void
halo(int *a)
{
    __shared__ int tile[BLOCK];
    int t = threadIdx.x - 1; /* cause: below 0 for the first thread */
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[t] + tile[threadIdx.x];
}

__global__ void
misaligned(int *a)
{
    int first = threadIdx.x * 4 + 1; /* cause: no multiple of four elements */
    int4 four = *(int4 *)(a + first);
    a[threadIdx.x] = four.x + four.y + four.z + four.w;
}

__global__ void
null_pointer(int *a)
{
    int *p = a;
    if (threadIdx.x == 5)
        p = nullptr; /* cause */
    *p = 1;
}

__global__ void
host_pointer(int *a, int *of_the_host)
{
    a[threadIdx.x] = of_the_host[threadIdx.x]; /* cause */
}

__global__ void
not_set(int *a)
{
    __shared__ int sum;
    atomicAdd(&sum, a[threadIdx.x]); /* cause: nobody sets it to 0 */
    __syncthreads();
    a[threadIdx.x] = sum;
}

__global__ void
never_copied(int *a, const int *never)
{
    a[threadIdx.x] += never[threadIdx.x]; /* cause: not written by anyone */
}

__global__ void
returns(int *a, int n)
{
    if (threadIdx.x >= n)
        return;
    a[threadIdx.x] += 1;
    __syncthreads(); /* cause: some have returned */
    a[threadIdx.x] *= 2;
}

__global__ void
two_barriers(int *a)
{
    if (threadIdx.x < 32) {
        a[threadIdx.x] = 1;
        __syncthreads(); /* cause: of its own for each half */
    } else {
        a[threadIdx.x] = 2;
        __syncthreads();
    }
}

__global__ void
locked(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { /* cause: who holds it waits below for the others */
    }
    __syncwarp();
    atomicExch(lock, 0);
}

__global__ void
wrong_mask(int *a)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_down_sync(0xff, v, 1); /* cause: 16 lanes, of which it names 8 */
    a[threadIdx.x] = v;
}

__global__ void
endless(int *a)
{
    int i = threadIdx.x;
    while (i < 100) /* cause: i stays as it is */
        a[0] = a[1];
    a[i] = 1;
}

__global__ void
asserted(int *a)
{
    int square = threadIdx.x * threadIdx.x;
    assert(square < 3000); /* cause */
    a[threadIdx.x] = square;
}

/* Nothing is found in these; what they compute is wrong. */
__global__ void
wrong_index(int *a)
{
    int i = threadIdx.x; /* cause: the block's offset is missing */
    atomicAdd(&a[i], 1);
}

__global__ void
cut_off(int *a)
{
    float mean = (threadIdx.x + 1) / 2; /* cause: of whole numbers */
    a[threadIdx.x] = (int)(mean * 10);
}

__global__ void
one_too_few(int *a)
{
    int sum = 0;
    for (int k = 0; k < BLOCK - 1; k++)
        sum += k; /* cause: the last one is left out above */
    a[threadIdx.x] = sum;
}

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *a, *never, *host = new int[N]();
    cudaMalloc(&never, N * sizeof *never);
    cudaMalloc(&a, N * sizeof *a);
    cudaMemset(a, 0, N * sizeof *a);
#define RUN(kernel, blocks, threads, ...)                                                          \
    if (!strcmp(name, #kernel))                                                                    \
        kernel<<<blocks, threads>>>(__VA_ARGS__);
    RUN(barrier_forgotten, 1, BLOCK, a)
    RUN(second_barrier, 1, BLOCK, a)
    RUN(in_place, N / BLOCK, BLOCK, a)
    RUN(one_for_all, 1, BLOCK, a)
    RUN(lanes, 1, 32, a)
    RUN(fence_forgotten, 4, 32, a)
    RUN(no_test, N / BLOCK, BLOCK, a)
    RUN(halo, 1, BLOCK, a)
    RUN(misaligned, 1, 32, a)
    RUN(null_pointer, 1, 32, a)
    RUN(host_pointer, 1, 32, a, host)
    RUN(not_set, 1, BLOCK, a)
    RUN(never_copied, 1, BLOCK, a, never)
    RUN(returns, 1, BLOCK, a, 40)
    RUN(two_barriers, 1, BLOCK, a)
    RUN(locked, 1, 32, a)
    RUN(wrong_mask, 1, 32, a)
    RUN(endless, 1, 1, a)
    RUN(asserted, 1, BLOCK, a)
    RUN(wrong_index, N / BLOCK, BLOCK, a)
    RUN(cut_off, 1, BLOCK, a)
    RUN(one_too_few, 1, BLOCK, a)
    int failed = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(a);
    cudaFree(never);
    delete[] host;
    return failed;
}
