/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has seen an atomic operation's value comes behind that operation, whatever other workers do
 * between the announcement of an access and the access: nothing here races, in thousands of
 * launches.
 */
#include <cuda_runtime.h>

static __device__ int *counter;
static __device__ int flag;

static __device__ int
relaxed(const int *at)
{
    int seen;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory");
    return seen;
}

/* A counter by a pointer out of memory; strong accesses are alike. */
__global__ void
count(int *x)
{
    int *same = counter;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *(volatile int *)&flag = 1;
        for (int k = 0; k < 3; k++)
            x[1] += atomicAdd(same, 1);
        return;
    }
    while (relaxed(x) != 3)
        ;
    x[2] = *same;
}

/* Two that see it, by a parameter: atomic operations of a block may be kept (counters.c). */
__global__ void
look(int *x)
{
    int sum = 0;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 3; k++)
            sum += atomicAdd(x, 1);
        x[1] = sum;
        return;
    }
    while (relaxed(x) != 3)
        ;
    atomicAdd(x + 8, 1);
    while (relaxed(x + 8) != 2)
        ;
    x[2 + blockIdx.x] = *x;
}

/* The last of three sees it by an atomic operation of its own. */
__global__ void
take(int *x)
{
    if (!threadIdx.x && atomicAdd(x, 1) == 2)
        x[1] = *x;
}

/* Volatile stores and loads of the word itself: strong accesses differ, and have a log. */
__global__ void
hand(int *x)
{
    volatile int *at = x;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        atomicAdd(x + 8, 1);
        __threadfence();
        atomicExch(x, 5);
        return;
    }
    while (*at != 5)
        ;
    __threadfence();
    x[2] = x[8] + *x;
}

int
main(void)
{
    int *x;
    cudaMalloc(&x, 256);
    cudaMemcpyToSymbol(counter, &x, sizeof x);
    for (int k = 0; k < 4000; k++) {
        cudaMemset(x, 0, 256);
        count<<<2, 64>>>(x);
        cudaMemset(x, 0, 256);
        look<<<3, 64>>>(x);
        cudaMemset(x, 0, 256);
        take<<<3, 64>>>(x);
        cudaMemset(x, 0, 256);
        hand<<<2, 64>>>(x);
    }
    cudaFree(x);
    return cudaDeviceSynchronize();
}
