/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, one thread an element of C, numbered along the rows: m n threads and one loop.
 * A warp's lanes have neighbouring columns, as with a thread a column, and there are threads enough
 * to fill any device. A warp may cross from one row into the next: then it needs two words of A.
 *
 * systems: B2
 * title: one thread an element of C, linear numbers
 * rung: 3
 * sizes: 0 1 17 100 300 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

enum { THREADS = 256 };

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int number = blockIdx.x * blockDim.x + threadIdx.x, row = number / n, col = number % n;
    if (row >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    c[number] = sum;
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    product<<<suite_div_up(m * n, THREADS), THREADS>>>(a, b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/element", "product, a thread an element", 0, 0, launch};
    return suite_product_main(&p, argc, argv);
}
