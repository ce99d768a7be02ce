/* SPDX-License-Identifier: Apache-2.0
 *
 * The lecture's tiled kernel: halos are tested, the middle is not. In the last block it reads
 * behind the array instead of bringing ghosts, so that the last results are wrong, and writes there
 * too. Right only where the number of elements is a multiple of the block.
 *
 * systems: B12
 * title: listing: ghosts missing in the last tile
 * rung: 31
 * sizes: 7 1 256 300 1000
 * check: 7 300
 * bench: 1000000
 * expect: out-of-bounds
 * result: either
 */
#include "constant_mask.h"

__global__ void
convolve(const float *in, float *out, int wide, int n)
{
    __shared__ float tile[TILE + MOST_MASK - 1];
    int i = blockIdx.x * blockDim.x + threadIdx.x, side = wide / 2;
    int left = (int)(blockIdx.x - 1) * (int)blockDim.x + threadIdx.x;
    if (threadIdx.x >= blockDim.x - side)
        tile[threadIdx.x - (blockDim.x - side)] = left < 0 ? 0 : in[left];
    tile[side + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    int right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (threadIdx.x < side)
        tile[side + blockDim.x + threadIdx.x] = right >= n ? 0 : in[right];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < wide; j++)
        sum += tile[threadIdx.x + j] * mask_constant[j];
    out[i] = sum;
}

int
main(int argc, char **argv)
{
    const struct convolution c = {"convolution/tiled_lecture",
                                  "listing: ghosts missing in the last tile", set_mask,
                                  launch<convolve>};
    return convolution_main(&c, argc, argv);
}
