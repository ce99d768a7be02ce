/* SPDX-License-Identifier: Apache-2.0
 *
 * 8-neighbour gather, the lecture's second remedy: as many threads as cells to compute; they walk
 * over the tile with its halo, so that some load one cell more than others. Everybody computes.
 *
 * systems: C4
 * title: DIM by DIM threads, some load several cells
 * rung: 4
 * sizes: 0 1 17 100 1000x33 65x257
 * check: 20 33x50
 * bench: 512
 */
#include "gather8.h"

enum { WIDE = DIM + 2 };

__global__ void
gather(const int *in, int *out, int w, int h)
{
    __shared__ int tile[WIDE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int first_x = blockIdx.x * DIM - 1, first_y = blockIdx.y * DIM - 1;
    for (int k = ty * DIM + tx; k < WIDE * WIDE; k += DIM * DIM)
        tile[k / WIDE][k % WIDE] = cell(in, first_x + k % WIDE, first_y + k / WIDE, w, h);
    __syncthreads();
    int x = first_x + 1 + tx, y = first_y + 1 + ty;
    if (x >= w || y >= h)
        return;
    int sum = -tile[ty + 1][tx + 1];
    for (int v = 0; v <= 2; v++)
        for (int u = 0; u <= 2; u++)
            sum += tile[ty + v][tx + u];
    out[(size_t)y * w + x] = sum;
}

int
main(int argc, char **argv)
{
    return gather8_main("gather8/more_memory", "8-neighbour gather, threads load several cells",
                        WIDE * WIDE, DIM, gather, argc, argv);
}
