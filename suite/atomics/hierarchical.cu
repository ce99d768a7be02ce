/* SPDX-License-Identifier: Apache-2.0
 *
 * The hierarchical atomic sum: every thread adds to its block's partial sum in shared memory; then
 * one thread a block adds that to the result. The queue at the result is as long as there are
 * blocks; those in shared memory are as long as a block, and all blocks' queues move at once. (The
 * lecture's listing adds to &result, a pointer to the pointer, which no compiler takes, and reads
 * input[threadIdx.x] in every block.)
 *
 * systems: D7
 * title: shared partial sums first
 * since: 1.2 atomics in shared memory
 * rung: 3
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    __shared__ int partial;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0)
        partial = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&partial, input[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(result, partial);
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/hierarchical", "hierarchical sum", sum, every_block, argc, argv);
}
