/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, a thread a row as a lecture launches it: <<<1, rows>>>. A block has at most 512
 * threads (1024 from 2.0 on): with more rows nothing runs at all, and who does not look at the
 * launch's error finds whatever was in C before.
 *
 * systems: B2
 * title: listing: all rows in one block
 * rung: 30
 * sizes: 1 17 100 500 1537
 * check: 17 50x33x70
 * bench: 500
 * result: wrong
 */
#include "../common/product.h"

__global__ void
product(const float *a, const float *b, float *c, int k, int n)
{
    int row = threadIdx.x;
    for (int col = 0; col < n; col++) {
        float sum = 0;
        for (int i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    product<<<1, m>>>(a, b, c, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/row_lecture", "product, all rows in one block", 0, 0,
                                    launch};
    return suite_product_main(&p, argc, argv);
}
