/* SPDX-License-Identifier: Apache-2.0
 *
 * 8-neighbour gather from global memory: every cell is loaded by its eight neighbours.
 *
 * systems: C4
 * title: eight loads from global memory
 * rung: 1
 * sizes: 0 1 17 100 1000x33 65x257
 * check: 20 33x50
 * bench: 512
 */
#include "gather8.h"

__global__ void
gather(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * DIM + threadIdx.x, y = blockIdx.y * DIM + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 0;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (u || v)
                sum += cell(in, x + u, y + v, w, h);
    out[(size_t)y * w + x] = sum;
}

int
main(int argc, char **argv)
{
    return gather8_main("gather8/global", "8-neighbour gather, global memory", 8 * DIM * DIM,
                        DIM, gather, argc, argv);
}
