/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that hang, one each: at a barrier, in a lock that a lane of the same warp holds, between
 * two blocks, at an mbarrier. With "count" their loops count, so that something changes in them. */
#include <cstdio>

__global__ void
barrier(int *a, int)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        asm volatile("bar.sync 1, 64;");
    a[threadIdx.x] = 1;
}

__global__ void
lock(int *a, int counts)
{
    int tries = 0;
    while (atomicCAS(a, 0, 1) != 0)
        tries += counts;
    __syncwarp();
    atomicExch(a, 0);
    a[1] = tries;
}

__global__ void
blocks(int *a, int counts)
{
    volatile int *flag = a;
    int tries = 0;
    while (flag[blockIdx.x] == 0)
        tries += counts;
    flag[1 - blockIdx.x] = 1;
    a[2] = tries;
}

__global__ void
mbarrier(int *a, int counts)
{
    __shared__ unsigned long long b;
    unsigned at = (unsigned)__cvta_generic_to_shared(&b), over = 0, tries = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 33;" ::"r"(at));
    __syncthreads();
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at));
    for (; !over; tries += counts)
        asm volatile("{ .reg .pred p;\n"
                     "  mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
                     "  selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at));
    a[threadIdx.x] = tries;
}

int
main(int argc, char **argv)
{
    int *a, counts = argc > 2;
    cudaMalloc(&a, 4096);
    cudaMemset(a, 0, 4096);
    switch (argv[1][0] + argv[1][1]) {
    case 'b' + 'a': barrier<<<1, 64>>>(a, counts); break;
    case 'l' + 'o': lock<<<1, 32>>>(a, counts); break;
    case 'b' + 'l': blocks<<<2, 1>>>(a, counts); break;
    case 'm' + 'b': mbarrier<<<1, 32>>>(a, counts); break;
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
