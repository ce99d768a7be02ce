/* SPDX-License-Identifier: Apache-2.0
 *
 * 8-neighbour gather with the block's own cells in shared memory. Those around the block are still
 * loaded from global memory, each by up to three threads, in branches that tear the warps apart.
 * reads.cu counts them: 92 loads around a block of 8 x 8, for 36 cells.
 *
 * systems: C4
 * title: the block's own cells in shared memory, the rest from global
 * rung: 2
 * sizes: 0 1 17 100 1000x33 65x257
 * check: 20 33x50
 * bench: 512
 */
#include "gather8.h"

__global__ void
gather(const int *in, int *out, int w, int h)
{
    __shared__ int tile[DIM][DIM];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * DIM + tx, y = blockIdx.y * DIM + ty;
    tile[ty][tx] = cell(in, x, y, w, h);
    __syncthreads();
    int sum = 0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++) {
            bool inside = tx + u >= 0 && tx + u < DIM && ty + v >= 0 && ty + v < DIM;
            if (u || v)
                sum += inside ? tile[ty + v][tx + u] : cell(in, x + u, y + v, w, h);
        }
    if (x < w && y < h)
        out[(size_t)y * w + x] = sum;
}

int
main(int argc, char **argv)
{
    return gather8_main("gather8/inner", "8-neighbour gather, own cells in shared memory",
                        DIM * DIM + 4 * (3 * DIM - 2) + 4, DIM, gather, argc, argv);
}
