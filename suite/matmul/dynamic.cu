/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, the tiled rung with its tile chosen at run time (--tile 1..32): both tiles lie
 * one behind the other in dynamic shared memory, whose size the launch gives. One program serves
 * to try all tile sizes; the price is that the compiler cannot unroll the inner loop.
 *
 * systems: A4, A5
 * title: tile size chosen at run time, dynamic shared memory
 * rung: 7
 * sizes: 0 1 17 100 1000 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

enum { MOST_TILE = 32 };

__global__ void
__launch_bounds__(MOST_TILE *MOST_TILE)
    product(const float *a, const float *b, float *c, int m, int k, int n)
{
    extern __shared__ float shared[];
    int tile = blockDim.x;
    float *tile_a = shared, *tile_b = shared + tile * tile;
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * tile + x;
    int row = blockIdx.y * tile + y;
    float sum = 0;
    for (int at = 0; at < k; at += tile) {
        tile_a[y * tile + x] = row < m && at + x < k ? a[(size_t)row * k + at + x] : 0;
        tile_b[y * tile + x] = col < n && at + y < k ? b[(size_t)(at + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += tile_a[y * tile + i] * tile_b[i * tile + x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    dim3 block(tile, tile), grid(suite_div_up(n, tile), suite_div_up(m, tile));
    size_t shared_bytes = 2 * (size_t)tile * tile * sizeof(float);
    product<<<grid, block, shared_bytes>>>(a, b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/dynamic", "tiled product, tile chosen at run time", 16,
                                    32, launch};
    return suite_product_main(&p, argc, argv);
}
