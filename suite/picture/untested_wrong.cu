/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture kernel without its test. Threads beyond the right edge do the next row's pixels a
 * second time (the same value twice: luck, and a race), those below the last row read and write
 * behind the pictures.
 *
 * systems: B3
 * title: no test for the edges
 * rung: 3
 * sizes: 1x1 76x62 17x100 1000x33 64x64
 * check: 76x62
 * bench: 2000x1500
 * expect: out-of-bounds global-race
 * result: either
 */
#include "picture.h"

__global__ void
scale(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    picture_kind(kinds, samples, rows);
    int doubled = 2 * in[(size_t)row * samples + col];
    out[(size_t)row * samples + col] = doubled > 255 ? 255 : doubled;
}

static void
launch(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows)
{
    dim3 grid(suite_div_up(samples, SIDE), suite_div_up(rows, SIDE)), block(SIDE, SIDE);
    scale<<<grid, block>>>(in, out, kinds, samples, rows);
}

int
main(int argc, char **argv)
{
    const struct picture_kernel k = {"picture/untested_wrong", "no test for the edges", 1, launch};
    return picture_main(&k, argc, argv);
}
