/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture kernel with four samples a thread: one load and one store of 4 bytes where all four
 * are inside and their address is a multiple of 4 (rows need not begin at one). A warp then moves
 * 128 bytes an access, not 32, and there are four times fewer threads and tests.
 *
 * systems: B3
 * title: four pixels a thread
 * rung: 2
 * sizes: 0 1x1 76x62 17x100 1000x33 64x64
 * check: 76x62 17x5
 * bench: 2000x1500
 */
#include "picture.h"

enum { WIDE = 4 };

static __device__ __forceinline__ unsigned char
twice(unsigned char value)
{
    return value > 127 ? 255 : 2 * value;
}

__global__ void
scale(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows)
{
    int col = WIDE * (blockIdx.x * blockDim.x + threadIdx.x);
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    picture_kind(kinds, (samples + WIDE - 1) / WIDE, rows);
    if (row >= rows)
        return;
    size_t at = (size_t)row * samples + col;
    if (col + WIDE <= samples && at % WIDE == 0) {
        uchar4 four = *(const uchar4 *)(in + at);
        *(uchar4 *)(out + at) =
            make_uchar4(twice(four.x), twice(four.y), twice(four.z), twice(four.w));
    } else
        for (int i = 0; i < WIDE && col + i < samples; i++)
            out[at + i] = twice(in[at + i]);
}

static void
launch(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows)
{
    dim3 grid(suite_div_up(suite_div_up(samples, WIDE), SIDE), suite_div_up(rows, SIDE));
    scale<<<grid, dim3(SIDE, SIDE)>>>(in, out, kinds, samples, rows);
}

int
main(int argc, char **argv)
{
    const struct picture_kernel k = {"picture/wide", "four pixels a thread", WIDE, launch};
    return picture_main(&k, argc, argv);
}
