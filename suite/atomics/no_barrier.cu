/* SPDX-License-Identifier: Apache-2.0
 *
 * The hierarchical sum without the first barrier: a warp may add before thread 0 has cleared the
 * partial sum, and what it added is lost; and thread 0 may read the sum before others have added.
 *
 * systems: D7
 * title: the barrier after clearing forgotten
 * since: 1.2 atomics in shared memory
 * rung: 13
 * sizes: 0 1 17 128 1000 100003
 * check: 300
 * expect: shared-race
 * result: either
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    __shared__ int partial;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0)
        partial = 0;
    if (i < n)
        atomicAdd(&partial, input[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(result, partial);
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/no_barrier", "hierarchical sum, a barrier forgotten", sum,
                    every_block, argc, argv);
}
