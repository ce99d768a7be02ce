/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix transpose, first rung: each thread reads an element and writes it to its mirrored place.
 * The lanes of a warp read neighbouring words (one wide access) but write a column: 32 words that
 * lie a row apart, 32 accesses of which each uses 4 bytes.
 *
 * systems: A8
 * title: straight from global memory to global memory
 * rung: 1
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
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        int y = blockIdx.y * TILE + j;
        if (x < width && y < height)
            out[(size_t)x * height + y] = in[(size_t)y * width + x];
    }
}

int
main(int argc, char **argv)
{
    return transpose_main("transpose/naive", "straight from global memory to global memory",
                          transpose_tiles<transpose>, argc, argv);
}
