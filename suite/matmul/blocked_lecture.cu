/* SPDX-License-Identifier: Apache-2.0
 *
 * The product as a lecture's blocked loops give it, each block of threads one (i, j), its threads
 * the loops over ii and jj. The listing assigns, x[ii][jj] = y[ii][kk] * z[kk][jj], where it must
 * add: only the last product is left. (Its second loop also goes on from i, not from j, and never
 * ends.) Nothing is wrong with any access to memory: check is silent, only the comparison tells.
 *
 * systems: A6
 * title: listing: assigns where it must add
 * rung: 32
 * sizes: 1 17 64 100 300
 * check: 17 50x33x70
 * bench: 512
 * result: wrong
 */
#include "../common/product.h"

enum { B = 16 };

__global__ void
product(const float *y, const float *z, float *x, int m, int k, int n)
{
    int ii = blockIdx.y * B + threadIdx.y, jj = blockIdx.x * B + threadIdx.x;
    if (ii >= m || jj >= n)
        return;
    float value = 0;
    for (int first = 0; first < k; first += B)
        for (int kk = first; kk < first + B && kk < k; kk++)
            value = y[(size_t)ii * k + kk] * z[(size_t)kk * n + jj];
    x[(size_t)ii * n + jj] = value;
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    product<<<dim3(suite_div_up(n, B), suite_div_up(m, B)), dim3(B, B)>>>(a, b, c, m, k, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/blocked_lecture", "blocked loops that assign", B, 0,
                                    launch};
    return suite_product_main(&p, argc, argv);
}
