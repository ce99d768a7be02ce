/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward difference from global memory: two loads a thread, so that each element is loaded twice:
 * by its own thread and by the one before.
 *
 * systems: D2
 * title: two loads a thread
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "difference.h"

__global__ void
difference(float *result, const float *input, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    float res = 0;
    if (i + 1 < n)
        res = input[i + 1] - input[i];
    if (i < n)
        result[i] = res;
}

int
main(int argc, char **argv)
{
    return difference_main("difference/naive", "forward difference, global memory", 2 * BLOCK,
                           difference_elements<difference>, argc, argv);
}
