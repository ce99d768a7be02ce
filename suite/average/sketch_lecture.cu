/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, the lecture's sketch of case 15, marked there as incomplete: the left halo is
 * filled from inside the block, the right one from past the end of the array, the halo is never
 * updated, and the result is taken from the wrong place of the tile.
 *
 * systems: A9
 * title: listing: a sketch with halos from the wrong places
 * rung: 34
 * sizes: 17 100 200 1000 1537
 * check: 300
 * bench: 1537
 * expect: out-of-bounds global-race
 * result: wrong
 */
#include "average.h"

__global__ void
filter(float *x, int n, int iterations)
{
    extern __shared__ float at[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, threads = blockDim.x * gridDim.x;
    float value = 0;
    at[t + iterations] = x[i];
    if (t < iterations)
        at[t] = x[iterations + t];
    if (t >= iterations)
        at[t + blockDim.x] = x[iterations + i];
    __syncthreads();
    for (int j = 0; j < iterations; j++) {
        if (i > 0 && i < threads - 1)
            value = (at[t + iterations - 1] + at[t + iterations] + at[t + iterations + 1]) / 3;
        __syncthreads();
        at[t] = value;
        __syncthreads();
    }
    if (i > 0 && i < threads - 1)
        x[i] = at[t];
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    size_t bytes =
        (2 * BLOCK + iterations) * sizeof(float); /* enough for the wrong index as well */
    (void)b;
    filter<<<suite_div_up(n, BLOCK), BLOCK, bytes>>>(a, n, iterations);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/sketch_lecture",
                                   "listing: a sketch with halos from the wrong places", 15, 0,
                                   launch};
    return average_main(&c, argc, argv);
}
