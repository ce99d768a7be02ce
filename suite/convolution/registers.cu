/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution through shared memory, EACH results a thread, TILE elements apart so that the
 * lanes' words stay neighbours: a word of the mask, read once, serves EACH multiply-adds, and the
 * halo is shared by EACH times as many results.
 *
 * systems: B12
 * title: tile with halo, four results a thread
 * rung: 5
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "constant_mask.h"

enum { EACH = 4 };

__global__ void
convolve(const float *in, float *out, int wide, int n)
{
    __shared__ float tile[EACH * TILE + MOST_MASK - 1];
    int t = threadIdx.x, side = wide / 2, first = blockIdx.x * EACH * TILE;
    for (int k = t; k < EACH * TILE + 2 * side; k += TILE) {
        int from = first - side + k;
        tile[k] = from >= 0 && from < n ? in[from] : 0;
    }
    __syncthreads();
    float sum[EACH] = {};
    for (int j = 0; j < wide; j++) {
        float weight = mask_constant[j];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum[e] += tile[e * TILE + t + j] * weight;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (first + e * TILE + t < n)
            out[first + e * TILE + t] = sum[e];
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/registers", "tile with halo, four results a thread",
                                  set_mask, launch<convolve, EACH>};
    return convolution_main(&c, argc, argv);
}
