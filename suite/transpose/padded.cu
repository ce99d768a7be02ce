/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, third rung: one unused word at the end of each row of the tile. Words of a
 * column are now 33 apart, and 33 has no factor in common with 32 (nor with 16) banks: no conflict.
 *
 * systems: A8
 * title: the tile with padded rows
 * rung: 3
 * sizes: 0 1 17 100 1000 1025x33
 * check: 17 70x129
 * profile: 70x129 1024
 * bench: 2048
 * gpu: 16384
 */
#include "transpose.h"

__global__ void
transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = blockIdx.y * TILE + j;
        if (x < width && y < height)
            tile[j][threadIdx.x] = in[(size_t)y * width + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; /* now along a row of out, which is a column of in */
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = blockIdx.x * TILE + j;
        if (x < height && y < width)
            out[(size_t)y * height + x] = tile[threadIdx.x][j];
    }
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/padded", "the tile with padded rows",
                          transpose_tiles<transpose>, argc, argv);
}
