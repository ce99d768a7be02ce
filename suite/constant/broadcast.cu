/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads read the same word of a table in constant memory: the constant cache has one port,
 * and one word is given to all lanes at once: as fast as a register.
 *
 * systems: B13
 * title: one word for all, from constant memory
 * rung: 2
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
        sum += table_constant[j];
    out[i] = in[i] * sum;
}

int
main(int argc, char **argv)
{
    return constant_main("constant/broadcast", "one word for all, from constant memory", false, set,
                         launch<sum_words>, argc, argv);
}
