/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, first rung: one thread computes one element of C, straight from global memory.
 * Each element of A is read by n threads and each element of B by m threads, every time from global
 * memory: two loads of 4 bytes for one multiply-add. Bandwidth is the limit.
 *
 * systems: A3, B4
 * title: one thread an element, from global memory
 * rung: 4
 * sizes: 0 1 17 100 1000 65x300x129
 * check: 17 50x33x70
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

enum { SIDE = 16 };

__global__ void
product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[(size_t)row * k + i] * b[(size_t)i * n + col];
    c[(size_t)row * n + col] = sum;
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/naive", "product from global memory", 0, 0,
                                    suite_product_blocks<product, SIDE, SIDE>};
    return suite_product_main(&p, argc, argv);
}
