/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of three neighbours, the lecture's first version with shared memory, and its bug: only the
 * ends of the array are looked after, not those of the block. Thread 0 of the second block wants
 * element s[-1], the last thread of the first block s[BLOCK]: both lie outside the array, and what
 * is there is anybody's. One block alone works, which is why the bug survives small tests.
 *
 * systems: C1
 * title: the ends of the block forgotten
 * rung: 10
 * sizes: 1 17 300 1000 100003
 * check: 300
 * expect: out-of-bounds
 * result: wrong
 */
#include "sum3.h"

__global__ void
sum3(int *c, const int *a, int n)
{
    __shared__ int s[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[threadIdx.x] = a[i];
    __syncthreads();
    int left = 0, right = 0;
    if (i > 0 && i < n)
        left = s[(int)threadIdx.x - 1];
    if (i < n - 1)
        right = s[threadIdx.x + 1];
    if (i < n)
        c[i] = left + s[threadIdx.x] + right;
}

static void
launch(int *c, const int *a, int n)
{
    sum3<<<suite_div_up(n, BLOCK), BLOCK>>>(c, a, n);
}

int
main(int argc, char **argv)
{
    return sum3_main("sum3/lecture_wrong", "sum of three, the ends of the block forgotten", BLOCK,
                     launch, argc, argv);
}
