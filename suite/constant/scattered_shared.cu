/* SPDX-License-Identifier: Apache-2.0
 *
 * Every lane reads a word of its own from a copy of the table in shared memory: 32 neighbours lie
 * in 32 banks, and all are served at once.
 *
 * systems: B13
 * title: a word each, from shared memory
 * rung: 4
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "constant.h"

__global__ void
sum_words(float *out, const float *in, const float *table, int n)
{
    __shared__ float words[WORDS];
    if (threadIdx.x < WORDS)
        words[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < ROUNDS; j++)
        sum += words[(i + j) % WORDS];
    out[i] = in[i] * sum;
}

int
main(int argc, char **argv)
{
    return constant_main("constant/scattered_shared", "a word each, from shared memory", true, NULL,
                         constant_launch<sum_words>, argc, argv);
}
