/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, one thread a row of C: m threads, two loops each. Lanes of a warp read B's words
 * together (a broadcast), but words of A and C that lie a whole row apart: 32 accesses for one.
 *
 * systems: B2
 * title: one thread a row of C
 * rung: 1
 * sizes: 0 1 17 100 300 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

enum { THREADS = 128 };

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m)
        return;
    for (int col = 0; col < n; col++) {
        float sum = 0;
        for (int i = 0; i < k; i++)
            sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
        c[(size_t)row * n + col] = sum;
    }
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    product<<<suite_div_up(m, THREADS), THREADS>>>(a, b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/row", "product, a thread a row", 0, 0, launch};
    return suite_product_main(&p, argc, argv);
}
