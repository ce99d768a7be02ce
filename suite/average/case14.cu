/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 14: different arrays, many iterations, many blocks, with shared memory.
 * Shared memory does not outlive a launch and blocks cannot wait for each other; so each block
 * computes what it needs of its neighbours itself: one more element on either side for each
 * iteration of the launch.
 *
 * systems: A9
 * title: shared memory, many blocks, many iterations, two arrays
 * rung: 15
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456 --iterations 4
 */
#include "average.h"

__global__ void
filter(const float *a, float *b, int n, int iterations)
{
    extern __shared__ float shared[];
    int wide = BLOCK + 2 * iterations, first = blockIdx.x * BLOCK;
    for (int k = threadIdx.x; k < wide; k += blockDim.x) {
        int i = first - iterations + k;
        shared[k] = i >= 0 && i < n ? a[i] : 0;
    }
    __syncthreads();
    filter_tile(shared, shared + wide, b, first, n, iterations);
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    size_t shared_bytes = 2 * (BLOCK + 2 * iterations) * sizeof(float);
    filter<<<suite_div_up(n, BLOCK), BLOCK, shared_bytes>>>(a, b, n, iterations);
    return b;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case14", "shared memory, many blocks, many iterations, two arrays", 14, 0, launch};
    return average_main(&c, argc, argv);
}
