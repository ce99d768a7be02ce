/* SPDX-License-Identifier: Apache-2.0
 *
 * The atomic sum: every thread adds to the one result. Right, and all n additions stand in one
 * queue.
 *
 * systems: D7
 * title: every thread adds to the result atomically
 * since: 1.1 atomics in global memory
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(result, input[i]);
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/atomic", "sum by atomics", sum, every_thread, argc, argv);
}
