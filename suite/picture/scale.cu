/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture kernel: a thread a sample, blocks of 16 x 16, a test for both edges. 76 x 62 pixels
 * need 5 x 4 blocks, 80 x 64 threads; 12 blocks lie inside, 3 reach beyond the right edge, 4 beyond
 * the lower one, 1 beyond both.
 *
 * systems: B3
 * title: every pixel doubled, a thread a pixel
 * rung: 1
 * sizes: 0 1x1 76x62 17x100 1000x33 64x64
 * check: 76x62 17x5
 * bench: 2000x1500
 */
#include "picture.h"

__global__ void
scale(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    picture_kind(kinds, samples, rows);
    if (row < rows && col < samples) {
        int doubled = 2 * in[(size_t)row * samples + col];
        out[(size_t)row * samples + col] = doubled > 255 ? 255 : doubled;
    }
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
    const struct picture_kernel k = {"picture/scale", "every pixel doubled", 1, launch};
    return picture_main(&k, argc, argv);
}
