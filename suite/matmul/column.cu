/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, one thread a column of C: n threads, two loops each. Now the lanes of a warp read
 * neighbouring words of B and write neighbouring words of C, and share A's word: the same work as
 * with a thread a row, and none of its scattered accesses. Still only n threads.
 *
 * systems: B2
 * title: one thread a column of C
 * rung: 2
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
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= n)
        return;
    for (int row = 0; row < m; row++) {
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
    product<<<suite_div_up(n, THREADS), THREADS>>>(a, b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/column", "product, a thread a column", 0, 0, launch};
    return suite_product_main(&p, argc, argv);
}
