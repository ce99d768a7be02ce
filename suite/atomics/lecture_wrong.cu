/* SPDX-License-Identifier: Apache-2.0
 *
 * The hierarchical sum as the lecture indexes it: input[threadIdx.x], without the block's offset.
 * With one block it is right; with more, each block adds the first BLOCK elements again. No rule of
 * the memory is broken: check has nothing to say, only the reference shows it.
 *
 * systems: D7
 * title: every block sums the same elements
 * since: 1.2 atomics in shared memory
 * rung: 12
 * sizes: 1 17 128 1000 100003
 * check: 17 300
 * result: wrong
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    __shared__ int partial;
    if (threadIdx.x == 0)
        partial = 0;
    __syncthreads();
    if (threadIdx.x < n)
        atomicAdd(&partial, input[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(result, partial);
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/lecture_wrong", "hierarchical sum, index of the block only", sum,
                    every_block, argc, argv);
}
