/* SPDX-License-Identifier: Apache-2.0
 *
 * The barrier version of sharing: each thread stores into its own place, all wait, and from then on
 * the whole array is well defined for all threads of the block: here every thread reads its mirror
 * image and thread 0 adds the block's elements up. One thread does all the adding: right, and slow.
 *
 * systems: D7
 * title: a barrier between storing and reading
 * since: 1.1 atomics in global memory
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    __shared__ int data[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    data[t] = i < n ? input[i] : 0;
    __syncthreads();
    if (t == 0) {
        int partial = 0;
        for (int k = 0; k < BLOCK; k++)
            partial += data[BLOCK - 1 - k];
        atomicAdd(result, partial);
    }
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/barrier", "sum after a barrier", sum, every_block, argc, argv);
}
