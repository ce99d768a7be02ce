/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.cu: lanes, warps and blocks that wait for each other go on; early exits before barriers;
 * recursion and calls through pointers. Prints "PASS name" or "FAIL name" and exits with 1 after
 * one.
 */
#include <cooperative_groups.h>
#include <cstdio>

#include "report.h"

__device__ int mutex, count;
__device__ unsigned arrived, gate[2];

__global__ void
lock_in_branch()
{
    for (bool done = false; !done;)
        if (atomicCAS(&mutex, 0, 1) == 0) {
            count = count + 1;
            __threadfence();
            atomicExch(&mutex, 0);
            done = true;
        }
}

/* The lane that has the lock waits behind the loop that the others spin in. */
__global__ void
lock_behind_loop()
{
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    *(volatile int *)&count = *(volatile int *)&count + 1;
    __threadfence();
    atomicExch(&mutex, 0);
}

/* Lanes of one warp that wait in two loops, both for another block. */
__global__ void
two_loops_wait()
{
    if (blockIdx.x)
        atomicExch(&gate[threadIdx.x % 2], 1);
    else if (threadIdx.x % 2)
        while (!*(volatile unsigned *)&gate[1]) {
        }
    else
        while (!*(volatile unsigned *)&gate[0]) {
        }
}

__device__ static bool
is_over(unsigned long long *barrier)
{
    int over;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"((unsigned)__cvta_generic_to_shared(barrier))
        : "memory");
    return over;
}

/* The same with mbarriers, for another warp. */
__global__ void
two_mbarriers_wait()
{
    __shared__ unsigned long long barrier[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier[threadIdx.x % 2]);
    if (threadIdx.x < 2)
        asm volatile("mbarrier.init.shared.b64 [%0], 16;" ::"r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x >= 32)
        asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
    else if (threadIdx.x % 2)
        while (!is_over(&barrier[1])) {
        }
    else
        while (!is_over(&barrier[0])) {
        }
}

__global__ void
first_block_waits()
{
    if (blockIdx.x)
        atomicAdd(&arrived, threadIdx.x == 0);
    else
        while (*(volatile unsigned *)&arrived != gridDim.x - 1) {
        }
}

__global__ void
grid_barrier(int *sums)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    sums[blockIdx.x] = blockIdx.x + 1;
    grid.sync();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        sum += sums[b];
    grid.sync();
    sums[blockIdx.x] = sum;
}

__global__ void
return_before_barrier(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x >= 40)
        return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[39 - threadIdx.x];
}

__device__ __noinline__ int
fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

typedef int (*binary)(int, int);
__device__ int
plus(int a, int b)
{
    return a + b;
}
__device__ int
times(int a, int b)
{
    return a * b;
}
__device__ binary table[] = {plus, times};

__global__ void
calls(int *out)
{
    out[threadIdx.x] = table[threadIdx.x % 2](fibonacci(threadIdx.x % 12), 3);
}

static int
counted()
{
    int n, zero = 0;
    cudaMemcpyFromSymbol(&n, count, sizeof n);
    cudaMemcpyToSymbol(count, &zero, sizeof zero);
    return n;
}

int
main()
{
    const int blocks = 64;
    int *d, h[64], good = 1;
    cudaMalloc(&d, sizeof h);
    lock_in_branch<<<8, 64>>>();
    report("lock_in_branch", counted() == 512);
    lock_behind_loop<<<8, 50>>>();
    report("lock_behind_loop", counted() == 400);
    lock_behind_loop<<<512, 64>>>(); /* hours when each lane that gets it waits for all blocks */
    report("lock_of_many", counted() == 32768);
    two_loops_wait<<<2, 32>>>();
    report("two_loops_wait", cudaDeviceSynchronize() == cudaSuccess);
    two_mbarriers_wait<<<1, 64>>>();
    report("two_mbarriers_wait", cudaDeviceSynchronize() == cudaSuccess);
    first_block_waits<<<6, 32>>>();
    report("first_block_waits", true);
    void *args[] = {&d};
    cudaLaunchCooperativeKernel((void *)grid_barrier, dim3(blocks), dim3(32), args, 0, 0);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        good &= h[b] == blocks * (blocks + 1) / 2;
    report("grid_barrier", good);
    return_before_barrier<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 40; i++)
        good &= h[i] == 39 - i;
    report("return_before_barrier", good);
    calls<<<1, 40>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    static const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 40; i++)
        good &= h[i] == (i % 2 ? fib[i % 12] * 3 : fib[i % 12] + 3);
    report("calls", good);
    return failures != 0;
}
