/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of three neighbours, the lecture's corrected version: each thread brings its element into
 * shared memory; the threads at the ends of the block get their outer neighbour from global memory.
 * An inner block loads BLOCK + 2 elements instead of 3 BLOCK, at the price of two branches that
 * only one lane in 128 takes.
 *
 * systems: C1
 * title: shared memory, ends of the block from global
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "sum3.h"

__global__ void
sum3(int *c, const int *a, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n)
        s[t] = a[i];
    __syncthreads();
    if (i >= n)
        return;
    int left = 0, right = 0;
    if (i > 0)
        left = t > 0 ? s[t - 1] : a[i - 1];
    if (i < n - 1)
        right = t < BLOCK - 1 ? s[t + 1] : a[i + 1];
    c[i] = left + s[t] + right;
}

static void
launch(int *c, const int *a, int n)
{
    sum3<<<suite_div_up(n, BLOCK), BLOCK>>>(c, a, n);
}

int
main(int argc, char **argv)
{
    return sum3_main("sum3/shared", "sum of three, shared memory", BLOCK + 2, launch, argc, argv);
}
