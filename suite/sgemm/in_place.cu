/* SPDX-License-Identifier: Apache-2.0
 *
 * SGEMM in the lecture's first form: one element a thread, and the sum kept where it ends up, in C.
 * Every step loads and stores it there: twice the accesses. The lecture wonders why its next
 * version is faster although it adds in double precision: because it adds in a register.
 *
 * systems: E3
 * title: the sum kept in global memory
 * rung: 1
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
    float *sum = &c[(size_t)row * n + col];
    *sum = 0;
    for (int l = 0; l < k; l++)
        *sum += a[(size_t)row * k + l] * b[(size_t)l * n + col];
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"sgemm/in_place", "product, the sum kept in global memory", 0,
                                    0, launch_rows_along_x<product>};
    return suite_product_main(&p, argc, argv);
}
