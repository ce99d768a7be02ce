/* SPDX-License-Identifier: Apache-2.0
 *
 * Every lane reads a word of its own from constant memory: the constant cache gives one word at a
 * time, 32 different ones are served one after the other. What constant memory is not for.
 *
 * systems: B13
 * title: a word each, from constant memory: serialised
 * rung: 3
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "constant_table.h"

__global__ void
sum_words(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < ROUNDS; j++)
        sum += table_constant[(i + j) % WORDS];
    out[i] = in[i] * sum;
}

int
main(int argc, char **argv)
{
    return constant_main("constant/scattered", "a word each, from constant memory: serialised",
                         true, set, launch<sum_words>, argc, argv);
}
