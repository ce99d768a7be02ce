/* SPDX-License-Identifier: Apache-2.0
 *
 * stuck.cu: kernels that poll. With an argument: one that polls for ever what nothing will change;
 * without: some that come to an end, though for long nothing seems to happen.
 */
#include <cstdio>
#include <cstdlib>

__device__ volatile int flag, other;
__device__ int lock, count;

/* Before the barrier that would let the one who sets it go on. */
__global__ void
before_barrier()
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        while (!ready)
            ;
    __syncthreads();
    if (threadIdx.x == 40)
        ready = 1;
}

__global__ void
never_set(int *out)
{
    while (flag == 0)
        ;
    out[threadIdx.x] = 1;
}

/* Two locks in different orders, held when the other is asked for. */
__global__ void
two_locks(int *locks, int *out)
{
    int first = blockIdx.x % 2;
    if (threadIdx.x)
        return;
    while (atomicCAS(&locks[first], 0, 1))
        ;
    atomicAdd(&locks[2], 1);
    while (atomicAdd(&locks[2], 0) < 2)
        ;
    while (atomicCAS(&locks[!first], 0, 1))
        ;
    out[blockIdx.x] = 1;
}

/* One thread waits for a block more than the grid has. */
__global__ void
too_few()
{
    if (threadIdx.x == 0) {
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) < (int)gridDim.x + 1)
            ;
    }
    __syncthreads();
}

/* Odd blocks wait for an arrival too many; they wait for none of the others. */
__global__ void
no_arrival()
{
    __shared__ unsigned long long full;
    unsigned at = (unsigned)__cvta_generic_to_shared(&full), over = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(1 + blockIdx.x % 2)
                     : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at)
                     : "memory");
}

/* -- right ones ------------------------------------------------------------------------------- */

/* One thread counts slowly in memory, the others look at a flag. */
__global__ void
slow(int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (atomicAdd(&count, 1) < n)
            ;
        __threadfence();
        flag = 1;
    } else {
        while (flag == 0)
            ;
    }
}

/* By the clock. */
__global__ void
clocked(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles && flag != 7)
        ;
    other = 1;
}

int
main(int argc, char **argv)
{
    int *d, zero = 0;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    cudaMemcpyToSymbol(count, &zero, sizeof zero);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1: before_barrier<<<1, 64>>>(); break;
    case 2: never_set<<<4, 64>>>(d); break;
    case 3: two_locks<<<2, 32>>>(d, d + 8); break;
    case 4: too_few<<<8, 64>>>(); break;
    case 5: no_arrival<<<64, 64>>>(); break;
    default:
        slow<<<4, 64>>>(atoi(argc > 2 ? argv[2] : "300000"));
        slow<<<1, 64>>>(0);
        clocked<<<1, 32>>>(1000000000);
    }
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
