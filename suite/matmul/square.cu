/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of square matrices with a test for the edge, as a lecture has it: BLOCK_WIDTH is one name
 * in one place, so that it can be tuned: compile with -DBLOCK_WIDTH=8.
 *
 * systems: B4, B10
 * title: square matrices, BLOCK_WIDTH to be tuned
 * rung: 5
 * sizes: 0 1 17 100 300
 * check: 17 50
 * bench: 512
 * gpu: 4096
 */
#include "../common/product.h"

#ifndef BLOCK_WIDTH
#define BLOCK_WIDTH 16
#endif

__global__ void
product(const float *m, const float *n, float *p, int width)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < width && col < width) {
        float sum = 0;
        for (int k = 0; k < width; k++)
            sum += m[row * width + k] * n[k * width + col];
        p[row * width + col] = sum;
    }
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    if (m != k || k != n) {
        fprintf(stderr, "matmul/square: the matrices must be square\n");
        exit(2);
    }
    int blocks = n / BLOCK_WIDTH;
    if (n % BLOCK_WIDTH)
        blocks++;
    product<<<dim3(blocks, blocks), dim3(BLOCK_WIDTH, BLOCK_WIDTH)>>>(a, b, c, n);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/square", "product of square matrices", BLOCK_WIDTH, 0,
                                    launch};
    return suite_product_main(&p, argc, argv);
}
