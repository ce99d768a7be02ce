/* SPDX-License-Identifier: Apache-2.0
 *
 * y = a x + b by just as many blocks as the device can hold at a time, which walk over the vector:
 * no block is started twice, and any size is right for any device (grids of old ones are small).
 *
 * systems: E1
 * title: as many blocks as the device holds, each over several parts
 * rung: 3
 * sizes: 0 1 17 1000 1537 100003
 * check: 17 300
 */
#include "axpb.h"

__global__ void
axpb(const float *x, float *y, float a, float b, int n)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + b;
}

static void
launch(const float *x, float *y, float a, float b, int n, int threads)
{
    int blocks = 0, sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpb, threads, 0));
    blocks *= sms;
    int needed = suite_div_up(n, threads);
    blocks = blocks < needed ? blocks : needed;
    axpb<<<blocks, threads>>>(x, y, a, b, n);
}

int
main(int argc, char **argv)
{
    return axpb_main("axpb/walking", "y = a x + b, blocks that walk", launch, argc, argv);
}
