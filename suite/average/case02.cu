/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 2: different arrays, many iterations, one block, global memory. The arrays
 * change places in every iteration; a barrier between iterations is enough, for there is one block.
 *
 * systems: A9
 * title: global memory, one block, many iterations, two arrays
 * rung: 3
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(float *a, float *b, int n, int iterations)
{
    for (int j = 0; j < iterations; j++) {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            b[i] = i > 0 && i < n - 1 ? mean(a[i - 1], a[i], a[i + 1]) : a[i];
        __syncthreads();
        float *swap = a;
        a = b;
        b = swap;
    }
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    filter<<<1, BLOCK>>>(a, b, n, iterations);
    return iterations % 2 ? b : a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case02", "global memory, one block, many iterations, two arrays", 2, 0, launch};
    return average_main(&c, argc, argv);
}
