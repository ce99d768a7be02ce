/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM with tiles in dynamic shared memory, whose size is chosen when the program runs (--tile):
 * two tiles are cut from one array. With b blocks along each side every element is loaded b times
 * by blocks instead of n times by threads. Sum in double precision.
 *
 * systems: E3
 * title: tiles in dynamic shared memory, size at run time
 * since: 1.3 double precision
 * rung: 5
 * sizes: 0 1 17 100 160 65x300x129
 * check: 17 50x33x70
 * bench: 160
 * gpu: 4096
 */
#include "sgemm.h"

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    extern __shared__ float shared[];
    int tile = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    float *tile_a = shared, *tile_b = shared + tile * tile;
    int col = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
    double sum = 0;
    for (int at = 0; at < k; at += tile) {
        tile_a[y * tile + x] = row < m && at + x < k ? a[(size_t)row * k + at + x] : 0;
        tile_b[y * tile + x] = col < n && at + y < k ? b[(size_t)(at + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += (double)tile_a[y * tile + i] * tile_b[i * tile + x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = (float)sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/tile", "product, tile chosen at run time", 16, 22,
                                    launch_tiles<product>};
    return suite_product_main(&p, argc, argv);
}
