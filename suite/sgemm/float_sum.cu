/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM from global memory, one element a thread, the sum in a register in single precision.
 * Thread numbers along x are rows: 32 neighbouring lanes read 32 rows of A and store down a column
 * of C, each in a line of its own. (suite/matmul has the product's other ladder.)
 *
 * systems: E3
 * title: global memory, rows along x
 * rung: 2
 * sizes: 0 1 17 100 160 65x300x129
 * check: 17 50x33x70
 * bench: 160
 * gpu: 4096
 */
#include "sgemm.h"

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int row = threadIdx.x + blockIdx.x * blockDim.x;
    int col = threadIdx.y + blockIdx.y * blockDim.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int l = 0; l < k; l++)
        sum += a[(size_t)row * k + l] * b[(size_t)l * n + col];
    c[(size_t)row * n + col] = (float)sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/float_sum", "product, global memory, rows along x", 0, 0,
                                    launch_rows_along_x<product>};
    return suite_product_main(&p, argc, argv);
}
