/* SPDX-License-Identifier: Apache-2.0
 *
 * A sum by += on one global variable: load, add, store. Between the load and the store of one
 * thread others load the same old value: all but one of their additions are lost.
 *
 * systems: D7
 * title: the sum without atomics: updates are lost
 * rung: 11
 * sizes: 2 17 128 1000 100003
 * check: 17 300
 * expect: global-race
 * result: wrong
 */
#include "sum.h"

__global__ void
sum(const int *input, int *result, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        *result += input[i];
}

int
main(int argc, char **argv)
{
    return sum_main("atomics/lost_updates", "sum without atomics", sum, every_thread, argc,
                    argv);
}
