/* SPDX-License-Identifier: Apache-2.0
 *
 * y = a x + b by as many blocks as it takes: block and thread number together say which element is
 * meant; the last block has threads beyond the end, which do nothing.
 *
 * systems: E1
 * title: many blocks
 * rung: 2
 * sizes: 0 1 17 1000 1537 100003
 * check: 17 300
 */
#include "axpb.h"

__global__ void
axpb(const float *x, float *y, float a, float b, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        y[i] = a * x[i] + b;
}

static void
launch(const float *x, float *y, float a, float b, int n, int threads)
{
    axpb<<<suite_div_up(n, threads), threads>>>(x, y, a, b, n);
}

int
main(int argc, char **argv)
{
    return axpb_main("axpb/blocks", "y = a x + b, many blocks", launch, argc, argv);
}
