/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM with its sum in double precision: the difference to the host's result, which also adds in
 * double precision, vanishes. It costs a conversion and a slower addition for every element; where
 * memory sets the pace that hardly shows.
 *
 * systems: E3
 * title: global memory, sum in double precision
 * since: 1.3 double precision
 * rung: 3
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
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += (double)a[(size_t)row * k + l] * b[(size_t)l * n + col];
    c[(size_t)row * n + col] = (float)sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/double_sum",
                                    "product, global memory, sum in double precision", 0, 0,
                                    launch_rows_along_x<product>};
    return suite_product_main(&p, argc, argv);
}
