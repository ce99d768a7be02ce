/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiled product as two lectures have it: Width / TILE phases and no test for the edge. Right
 * where Width is a multiple of the tile. Elsewhere the last phase is left out, threads beyond the
 * right edge write the next row's elements (a race with those whose elements they are), and those
 * below the last row read and write behind the matrices. (One lecture also declares the tiles with
 * one dimension and uses them with two: that does not compile.)
 *
 * systems: A4
 * title: listing: tiles without a test for the edge
 * rung: 31
 * sizes: 16 17 64 100 300
 * check: 100
 * bench: 512
 * expect: out-of-bounds global-race
 * result: wrong
 */
#include "../common/product.h"

enum { TILE = 16 };

__global__ void
product(const float *m, const float *n, float *p, int width)
{
    __shared__ float tile_m[TILE][TILE], tile_n[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int phase = 0; phase < width / TILE; phase++) {
        tile_m[y][x] = m[row * width + phase * TILE + x];
        tile_n[y][x] = n[(phase * TILE + y) * width + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_m[y][k] * tile_n[k][x];
        __syncthreads();
    }
    p[row * width + col] = sum;
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    (void)k;
    dim3 grid(suite_div_up(n, TILE), suite_div_up(m, TILE)), block(TILE, TILE);
    product<<<grid, block>>>(a, b, c, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/tiled_lecture", "tiles without a test for the edge",
                                    TILE, 0, launch};
    return suite_product_main(&p, argc, argv);
}
