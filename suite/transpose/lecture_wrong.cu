/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose as a listing often stands on a slide: no test for the edge. It is right where
 * both sides are multiples of the tile; elsewhere threads beyond the right edge read the next row's
 * words, and those below the last row read and write past the end of both matrices.
 *
 * systems: A8
 * title: no test for the edge
 * rung: 6
 * sizes: 17 33 64 100 1000
 * check: 70x129
 * profile: 70x129 1024
 * bench: 2048
 * expect: out-of-bounds global-race
 * result: wrong
 */
#include "transpose.h"

__global__ void
transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        tile[j][threadIdx.x] = in[(size_t)(blockIdx.y * TILE + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        out[(size_t)(blockIdx.x * TILE + j) * height + x] = tile[threadIdx.x][j];
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/lecture_wrong", "no test for the edge",
                          transpose_tiles<transpose>, argc, argv);
}
