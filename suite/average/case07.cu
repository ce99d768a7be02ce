/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 7: the same array, many iterations, many blocks, global memory: case 5
 * once an iteration, two launches each.
 *
 * systems: A9
 * title: global memory, many blocks, many iterations, in place
 * rung: 8
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456 --iterations 4
 */
#include "average.h"

/* What each block needs from its neighbours, before anybody overwrites it. */
__global__ void
keep_edges(const float *a, float *edges, int n, int blocks)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= blocks)
        return;
    int first = block * BLOCK, behind = first + BLOCK;
    edges[2 * block] = first > 0 ? a[first - 1] : 0;
    edges[2 * block + 1] = behind < n ? a[behind] : 0;
}

__global__ void
filter(float *a, const float *edges, int n)
{
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    bool inner = i > 0 && i < n - 1;
    float value = 0;
    if (inner)
        value = mean(t > 0 ? a[i - 1] : edges[2 * blockIdx.x], a[i],
                     t < BLOCK - 1 ? a[i + 1] : edges[2 * blockIdx.x + 1]);
    __syncthreads(); /* the whole block has read */
    if (inner)
        a[i] = value;
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    int blocks = suite_div_up(n, BLOCK);
    for (int j = 0; j < iterations; j++) {
        keep_edges<<<suite_div_up(blocks, BLOCK), BLOCK>>>(a, b, n, blocks);
        filter<<<blocks, BLOCK>>>(a, b, n);
    }
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case07", "global memory, many blocks, many iterations, in place", 7, 0, launch};
    return average_main(&c, argc, argv);
}
