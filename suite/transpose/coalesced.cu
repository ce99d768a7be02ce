/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, second rung: a tile waits in shared memory, so that both the reads and the
 * writes of a warp are neighbouring words of global memory. The mirroring happens in shared memory:
 * a warp reads a column of the tile there. With rows of 32 words all 32 words of a column lie in
 * one bank.
 *
 * systems: A8
 * title: through a tile in shared memory
 * rung: 2
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
    __shared__ float tile[TILE][TILE];
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
    return transpose_main("transpose/coalesced", "through a tile in shared memory",
                          transpose_tiles<transpose>, argc, argv);
}
