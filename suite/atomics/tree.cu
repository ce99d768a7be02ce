/* SPDX-License-Identifier: Apache-2.0
 *
 * The best we know for all generations: a tree in shared memory. In each step half of the threads
 * add what the other half has; after seven steps one number is left, and one atomic a block brings
 * it to the result.
 *
 * systems: D7
 * title: tree in the block, no atomics but one a block
 * since: 1.1 atomics in global memory
 * rung: 4
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    __shared__ int data[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    data[t] = i < n ? input[i] : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            data[t] += data[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, data[0]);
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/tree", "sum by a tree", sum, every_block, argc, argv);
}
