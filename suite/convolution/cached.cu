/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution, tile without halo: only a block's own elements go through shared memory; the few
 * that its edges need come from global memory, where a cache (from 2.0 on) has them, for the
 * neighbour has just read them. Simpler than halos, but a test comes back into the loop.
 *
 * systems: B12
 * title: tile without halo, the rest from the cache
 * rung: 4
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "constant_mask.h"

__global__ void
convolve(const float *in, float *out, int wide, int n)
{
    __shared__ float tile[TILE];
    int t = threadIdx.x, first = blockIdx.x * TILE, i = first + t;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < wide; j++) {
        int from = i - wide / 2 + j;
        if (from >= first && from < first + TILE)
            sum += tile[from - first] * mask_constant[j];
        else if (from >= 0 && from < n)
            sum += in[from] * mask_constant[j];
    }
    if (i < n)
        out[i] = sum;
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/cached",
                                  "tile without halo, the rest from the cache", set_mask,
                                  launch<convolve>};
    return convolution_main(&c, argc, argv);
}
