/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 15 as a lecture's "executable version" has it: each thread brings one
 * element, the halo's threads too, and the results go back to the array that the halos come from.
 * With more than one block one may write before its neighbour has read. The test for what to bring
 * goes by the number in the grid, so that the first block's left halo (and the last one's right)
 * stays unset, and is read.
 *
 * systems: A9
 * title: listing: halos read while the neighbours write
 * rung: 33
 * sizes: 17 100 200 1000 1537
 * check: 300
 * bench: 1537
 * expect: global-race uninitialized
 * result: wrong
 */
#include "average.h"

__global__ void
filter(float *x, int n, int iterations)
{
    extern __shared__ float at[];
    int work = blockDim.x - 2 * iterations, t = threadIdx.x, number = blockIdx.x * blockDim.x + t;
    int i = blockIdx.x * work + t - iterations;
    float value = 0;
    if (number >= iterations && number < (int)(blockDim.x * gridDim.x) - iterations && i < n)
        at[t] = x[i];
    __syncthreads();
    for (int j = 0; j < iterations; j++) {
        if (t > 0 && t < (int)blockDim.x - 1)
            value = (at[t - 1] + at[t + 1]) / 3;
        __syncthreads();
        if (t > 0 && t < (int)blockDim.x - 1 && i > 0 && i < n - 1)
            at[t] = value;
        __syncthreads();
    }
    if (t >= iterations && t < (int)blockDim.x - iterations && i > 0 && i < n - 1)
        x[i] = at[t];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    int threads = BLOCK + 2 * iterations;
    (void)b;
    filter<<<suite_div_up(n, BLOCK), threads, threads * sizeof(float)>>>(a, n, iterations);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/case15_lecture",
                                   "listing: halos read while the neighbours write", 15, 0, launch};
    return average_main(&c, argc, argv);
}
