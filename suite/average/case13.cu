/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 13: the same array, one iteration, many blocks, with shared memory: case
 * 15 with one iteration.
 *
 * systems: A9
 * title: shared memory, many blocks, one iteration, in place
 * rung: 14
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

/* Each block's neighbours on both sides, `iterations` of either, before anybody overwrites them. */
__global__ void
keep_edges(const float *a, float *edges, int n, int iterations)
{
    int first = blockIdx.x * BLOCK;
    for (int k = threadIdx.x; k < 2 * iterations; k += blockDim.x) {
        int i = k < iterations ? first - iterations + k : first + BLOCK + k - iterations;
        edges[blockIdx.x * 2 * iterations + k] = i >= 0 && i < n ? a[i] : 0;
    }
}

__global__ void
filter(float *a, const float *edges, int n, int iterations)
{
    extern __shared__ float shared[];
    int wide = BLOCK + 2 * iterations, first = blockIdx.x * BLOCK;
    const float *own = edges + blockIdx.x * 2 * iterations;
    for (int k = threadIdx.x; k < wide; k += blockDim.x) {
        int i = first - iterations + k;
        shared[k] = k < iterations            ? own[k]
                    : k >= BLOCK + iterations ? own[k - BLOCK]
                    : i < n                   ? a[i]
                                              : 0;
    }
    __syncthreads();
    filter_tile(shared, shared + wide, a, first, n, iterations);
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    int blocks = suite_div_up(n, BLOCK);
    size_t shared_bytes = 2 * (BLOCK + 2 * iterations) * sizeof(float);
    keep_edges<<<blocks, BLOCK>>>(a, b, n, iterations);
    filter<<<blocks, BLOCK, shared_bytes>>>(a, b, n, iterations);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case13", "shared memory, many blocks, one iteration, in place", 13, 0, launch};
    return average_main(&c, argc, argv);
}
