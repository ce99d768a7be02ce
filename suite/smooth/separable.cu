/* SPDX-License-Identifier: Apache-2.0
 *
 * Image smoothing, the best we know: a bell's weights are products of a row's and a column's. Tile
 * and halo in shared memory; then each row is smoothed into a second array, and that one column by
 * column: 2 (2 r + 1) multiply-adds a pixel and some for the halo's rows instead of (2 r + 1)^2.
 *
 * systems: E4, D5
 * title: rows first, then columns, in shared memory
 * rung: 4
 * sizes: 0 1 17 100x33 257x130
 * check: 17 50x33
 * bench: 512
 */
#include "smooth.h"

enum { MOST_WIDE = TILE + 2 * MOST_RADIUS };

__constant__ float constant_line[2 * MOST_RADIUS + 1];

__global__ void
smooth(struct smooth m)
{
    __shared__ unsigned char tile[MOST_WIDE][MOST_WIDE];
    __shared__ float rows[MOST_WIDE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, wide = TILE + 2 * m.radius;
    int first_x = blockIdx.x * TILE - m.radius, first_y = blockIdx.y * TILE - m.radius;
    for (int v = ty; v < wide; v += TILE)
        for (int u = tx; u < wide; u += TILE)
            tile[v][u] =
                (unsigned char)smooth_pixel(m.in, first_x + u, first_y + v, m.width, m.height);
    __syncthreads();
    for (int v = ty; v < wide; v += TILE) {
        float sum = 0;
        for (int u = 0; u <= 2 * m.radius; u++)
            sum += constant_line[u] * tile[v][tx + u];
        rows[v][tx] = sum;
    }
    __syncthreads();
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    if (x >= m.width || y >= m.height)
        return;
    float sum = 0;
    for (int v = 0; v <= 2 * m.radius; v++)
        sum += constant_line[v] * rows[ty + v][tx];
    m.out[(size_t)y * m.width + x] = smooth_round(sum);
}

static void
prepare(const float *weights, const float *line, int radius)
{
    (void)weights;
    CHECK(cudaMemcpyToSymbol(constant_line, line, (2 * radius + 1) * sizeof *line));
}

int
main(int argc, char **argv)
{
    const struct smooth_program p = {"smooth/separable", "smoothing, rows, then columns", prepare,
                                     smooth_launch<smooth>};
    return smooth_main(&p, argc, argv);
}
