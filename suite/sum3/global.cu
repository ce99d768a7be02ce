/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of three neighbours from global memory: every thread loads three elements, every element is
 * loaded by three threads. The kernel does nothing else: it is as fast as its loads.
 *
 * systems: C1
 * title: three loads a thread
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "sum3.h"

__global__ void
sum3(int *c, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int left = i > 0 ? a[i - 1] : 0;
    int right = i < n - 1 ? a[i + 1] : 0;
    c[i] = left + a[i] + right;
}

static void
launch(int *c, const int *a, int n)
{
    sum3<<<suite_div_up(n, BLOCK), BLOCK>>>(c, a, n);
}

int
main(int argc, char **argv)
{
    return sum3_main("sum3/global", "sum of three, global memory", 3 * BLOCK, launch, argc, argv);
}
