/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM with tiles as one writes it when the lecture's last sentence on barriers is overlooked:
 * nobody waits before the next tiles are brought, while slower warps still read the old ones.
 *
 * systems: E3
 * title: tiles, the loop's second barrier forgotten
 * since: 1.3 double precision
 * rung: 10
 * sizes: 0 1 17 100 160 65x300x129
 * check: 50x70x33
 * bench: 160
 * expect: shared-race
 * result: either
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
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = (float)sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/no_barrier", "product, a barrier forgotten", 16, 22,
                                    launch_tiles<product>};
    return suite_product_main(&p, argc, argv);
}
