/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of halves, summed in floats: a thread an element, from global memory. What the matrix
 * units are held against.
 *
 * systems: F2
 * title: a thread an element, no matrix unit
 * rung: 1
 * sizes: 0 1 17 100 65x300x129
 * check: 17 50x33x70
 * bench: 256
 * gpu: 4096
 */
#include "hgemm.h"

__global__ void
product(struct hgemm p)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= p.m || col >= p.n)
        return;
    float sum = 0;
    for (int i = 0; i < p.k; i++)
        sum += (float)p.a[(size_t)row * p.lda + i] * (float)p.b[(size_t)i * p.ldb + col];
    p.c[(size_t)row * p.n + col] = sum;
}

static void
launch(const struct hgemm *p)
{
    dim3 block(32, 8), grid(suite_div_up(p->n, 32), suite_div_up(p->m, 8));
    product<<<grid, block>>>(*p);
}

int
main(int argc, char **argv)
{
    return hgemm_main("hgemm/naive", "a thread an element", launch, argc, argv);
}
