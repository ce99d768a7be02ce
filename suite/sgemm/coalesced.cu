/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM with x and y exchanged: neighbouring lanes have neighbouring columns. A warp reads one
 * element of A (a broadcast) and a run of B, and stores a run of C.
 *
 * systems: E3
 * title: global memory, columns along x
 * since: 1.3 double precision
 * rung: 4
 * sizes: 0 1 17 100 160 65x300x129
 * check: 17 50x33x70
 * bench: 160
 * gpu: 4096
 */
#include "sgemm.h"

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (row >= m || col >= n)
        return;
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += (double)a[(size_t)row * k + l] * b[(size_t)l * n + col];
    c[(size_t)row * n + col] = (float)sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/coalesced", "product, global memory, columns along x", 0,
                                    0, suite_product_blocks<product, SIDE, SIDE>};
    return suite_product_main(&p, argc, argv);
}
