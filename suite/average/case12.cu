/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 12: different arrays, one iteration, many blocks, with shared memory: a
 * tile and one element of each neighbour. Useful where nothing caches global memory (1.x), a copy
 * elsewhere.
 *
 * systems: A9
 * title: shared memory, many blocks, one iteration, two arrays
 * rung: 13
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n)
{
    __shared__ float at[BLOCK + 2]; /* a chunk and its two neighbours */
    for (int first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        int t = threadIdx.x, i = first + t;
        if (i < n)
            at[t + 1] = a[i];
        if (t == 0)
            at[0] = first > 0 ? a[first - 1] : 0;
        if (t == BLOCK - 1)
            at[BLOCK + 1] = i + 1 < n ? a[i + 1] : 0;
        __syncthreads();
        if (i < n)
            b[i] = i > 0 && i < n - 1 ? mean(at[t], at[t + 1], at[t + 2]) : at[t + 1];
        __syncthreads();
    }
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)iterations;
    filter<<<suite_div_up(n, BLOCK), BLOCK>>>(a, b, n);
    return b;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case12", "shared memory, many blocks, one iteration, two arrays", 12, 0, launch};
    return average_main(&c, argc, argv);
}
