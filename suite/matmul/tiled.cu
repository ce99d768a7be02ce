/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, second rung: a block of TILE x TILE threads computes a tile of C. It walks along
 * the tiles of A's rows and B's columns; every step each thread brings one element of either tile
 * into shared memory, all wait, and each adds TILE products from there. An element is now read
 * from global memory once per block instead of once per thread: TILE times less traffic.
 *
 * Threads beyond the edge bring zeros and take part in every barrier; only the store is theirs to
 * leave out. TILE is fixed when the program is compiled (-DTILE=32).
 *
 * systems: A4, A5
 * title: tiles in shared memory
 * rung: 6
 * sizes: 0 1 17 100 1000 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

#ifndef TILE
#define TILE 16
#endif

__global__ void
__launch_bounds__(TILE *TILE) product(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int at = 0; at < k; at += TILE) {
        tile_a[y][x] = row < m && at + x < k ? a[(size_t)row * k + at + x] : 0;
        tile_b[y][x] = col < n && at + y < k ? b[(size_t)(at + y) * n + col] : 0;
        __syncthreads(); /* both tiles are complete */
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads(); /* nobody reads them any more */
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/tiled", "tiled product in shared memory", TILE, 0,
                                    suite_product_blocks<product, TILE, TILE>};
    return suite_product_main(&p, argc, argv);
}
