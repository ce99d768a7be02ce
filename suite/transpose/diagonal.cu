/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, the rung against partition camping (compute capability 1.x): memory of the
 * GT200 has 8 partitions of 256 bytes in turn, and with rows of a multiple of 2048 bytes all tiles
 * of a column lie in the same few. Blocks that run together write to a column of tiles: they queue
 * for those partitions. Numbered along diagonals they use all. From 2.0 on addresses are spread by
 * a hash: nothing is gained.
 *
 * systems: A8
 * title: the padded tile, blocks in diagonal order
 * rung: 5
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
    /* Blocks are numbered along diagonals: those that run together then touch different columns of
     * tiles in both matrices. With a grid that is not square the numbering goes by the linear
     * number; every tile still gets one block: by is any row, and bx differs for equal by. */
    int number = blockIdx.x + gridDim.x * blockIdx.y;
    int by = number % gridDim.y, bx = (number / gridDim.y + by) % gridDim.x;
    int x = bx * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = by * TILE + j;
        if (x < width && y < height)
            tile[j][threadIdx.x] = in[(size_t)y * width + x];
    }
    __syncthreads();
    x = by * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = bx * TILE + j;
        if (x < height && y < width)
            out[(size_t)y * height + x] = tile[threadIdx.x][j];
    }
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/diagonal", "the padded tile, blocks in diagonal order",
                          transpose_tiles<transpose>, argc, argv);
}
