/* SPDX-License-Identifier: Apache-2.0
 *
 * y = a x + b by one block, the last lecture's homework: thread i does element i, and further ones
 * a block's width apart when there are more elements than a block may have threads. One block is
 * one SM's work; all others of the device have nothing to do.
 *
 * systems: E1
 * title: one block
 * rung: 1
 * sizes: 0 1 17 1000 1537 100003
 * check: 17 300
 */
#include "axpb.h"

__global__ void
axpb(const float *x, float *y, float a, float b, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = a * x[i] + b;
}

static void
launch(const float *x, float *y, float a, float b, int n, int threads)
{
    axpb<<<1, threads>>>(x, y, a, b, n);
}

int
main(int argc, char **argv)
{
    return axpb_main("axpb/one_block", "y = a x + b, one block", launch, argc, argv);
}
