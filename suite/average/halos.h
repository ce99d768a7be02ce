/* SPDX-License-Identifier: Apache-2.0
 *
 * halos.h: cases 13 and 15. The array is filtered in place by many blocks: what a block's
 * neighbours overwrite is put aside by a first launch.
 */
#ifndef AVERAGE_HALOS_H
#define AVERAGE_HALOS_H

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

#endif
