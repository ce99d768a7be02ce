/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product between tiled and register-blocked: a thread computes EACH elements of a column, a
 * block of TILE x HIGH threads a tile of TILE x TILE. An element of B, read once from shared memory
 * into a register, serves EACH multiply-adds: 1 + 1 / EACH loads for one, where the tiled rung
 * needs two. TILE and HIGH are fixed when the program is compiled (-DTILE=64 -DHIGH=16).
 *
 * systems: A6
 * title: thread coarsening: 4 elements a thread
 * rung: 8
 * sizes: 0 1 17 100 1000 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef HIGH
#define HIGH 8
#endif

enum { EACH = TILE / HIGH };
static_assert(TILE % HIGH == 0, "every thread has the same number of elements");

__global__ void
__launch_bounds__(TILE *HIGH) product(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x, first = blockIdx.y * TILE + y;
    float sum[EACH] = {};
    for (int at = 0; at < k; at += TILE) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int row = first + j * HIGH, line = at + y + j * HIGH;
            tile_a[y + j * HIGH][x] = row < m && at + x < k ? a[(size_t)row * k + at + x] : 0;
            tile_b[y + j * HIGH][x] = line < k && col < n ? b[(size_t)line * n + col] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            float from_b = tile_b[i][x];
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[j] += tile_a[y + j * HIGH][i] * from_b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (first + j * HIGH < m && col < n)
            c[(size_t)(first + j * HIGH) * n + col] = sum[j];
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/coarse", "four elements a thread", 0, 0,
                                    suite_product_blocks<product, TILE, HIGH, TILE, TILE>};
    return suite_product_main(&p, argc, argv);
}
