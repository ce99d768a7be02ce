/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads read the same word of a table in global memory: one load instruction a word, and one
 * sector for a whole warp, but it takes global memory's way (past no cache at all on 1.x).
 *
 * systems: B13
 * title: one word for all, from global memory
 * rung: 1
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "constant.h"

__global__ void
sum_words(float *out, const float *in, const float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < ROUNDS; j++)
        sum += table[j];
    out[i] = in[i] * sum;
}

int
main(int argc, char **argv)
{
    return constant_main("constant/global", "one word for all, from global memory", false, NULL,
                         constant_launch<sum_words>, argc, argv);
}
