/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, a rung beside padding: the word of column x in row y lies at x xor y. Rows and
 * columns both touch each bank once, and the tile needs no unused words: 4096 bytes, not 4224.
 *
 * systems: A8
 * title: the tile swizzled by exclusive or
 * rung: 4
 * sizes: 0 1 17 100 1000 1025x33
 * check: 17 70x129
 * profile: 70x129 1024
 * bench: 2048
 * gpu: 16384
 */
#include "transpose.h"

static_assert((TILE & (TILE - 1)) == 0, "x xor y stays below TILE for powers of two alone");

__global__ void
transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = blockIdx.y * TILE + j;
        if (x < width && y < height)
            tile[j][threadIdx.x ^ j] = in[(size_t)y * width + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; /* now along a row of out, which is a column of in */
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = blockIdx.x * TILE + j;
        if (x < height && y < width)
            out[(size_t)y * height + x] = tile[threadIdx.x][j ^ threadIdx.x];
    }
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/swizzled", "the tile swizzled by exclusive or",
                          transpose_tiles<transpose>, argc, argv);
}
