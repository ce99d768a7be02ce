/* SPDX-License-Identifier: Apache-2.0
 *
 * 8-neighbour gather, the lecture's first remedy: a thread for every cell of the tile and of its
 * halo. All load one cell; only the inner ones compute. The smaller the tile, the more threads are
 * idle then.
 *
 * systems: C4
 * title: DIM + 2 by DIM + 2 threads, the outer ones only load
 * rung: 3
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
    int x = blockIdx.x * DIM + tx - 1, y = blockIdx.y * DIM + ty - 1;
    tile[ty][tx] = cell(in, x, y, w, h);
    __syncthreads();
    bool inner = tx > 0 && tx <= DIM && ty > 0 && ty <= DIM;
    if (!inner || x >= w || y >= h)
        return;
    int sum = -tile[ty][tx];
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            sum += tile[ty + v][tx + u];
    out[(size_t)y * w + x] = sum;
}

int
main(int argc, char **argv)
{
    return gather8_main("gather8/more_threads",
                        "8-neighbour gather, a thread for each cell of the halo", WIDE * WIDE,
                        WIDE, gather, argc, argv);
}
