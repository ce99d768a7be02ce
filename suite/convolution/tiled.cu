/* SPDX-License-Identifier: Apache-2.0
 *
 * 1-D convolution through shared memory: a block brings its TILE elements, those to the left and
 * right that its edges need (the halo), and zeros for what lies outside the array (ghosts). An
 * element is read from global memory about once, not as often as the mask is wide. Nothing needs a
 * test inside the loop any more.
 *
 *     block 1 of 4:     halo | own elements | halo
 *                       2  3 | 4  5  6  7   | 8  9
 *
 * systems: B12
 * title: tile with halo and ghosts
 * rung: 3
 * sizes: 7 0 1 16 100 1000 100003
 * check: 7 300
 * bench: 1000000
 * gpu: 268435456 --mask 9
 */
#include "constant_mask.h"

__global__ void
convolve(const float *in, float *out, int wide, int n)
{
    __shared__ float tile[TILE + MOST_MASK - 1];
    int t = threadIdx.x, side = wide / 2, first = blockIdx.x * TILE, i = first + t;
    for (int k = t; k < TILE + 2 * side; k += TILE) {
        int from = first - side + k;
        tile[k] = from >= 0 && from < n ? in[from] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < wide; j++)
        sum += tile[t + j] * mask_constant[j];
    if (i < n)
        out[i] = sum;
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/tiled", "tile with halo and ghosts", set_mask,
                                  launch<convolve>};
    return convolution_main(&c, argc, argv);
}
