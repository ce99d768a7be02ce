/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward difference with neither shared memory nor barrier: a lane asks the next one for its
 * element; the last lane of the warp loads it. N + N / 32 loads.
 *
 * systems: D2
 * title: lanes ask each other
 * since: 3.0 shuffles
 * rung: 3
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "difference.h"

__global__ void
difference(float *result, const float *input, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x, lane = threadIdx.x % 32;
    float own = i < n ? input[i] : 0, next = __shfl_down_sync(0xffffffffu, own, 1);
    if (lane == 31 && i + 1 < n)
        next = input[i + 1];
    if (i < n)
        result[i] = i + 1 < n ? next - own : 0;
}

int
main(int argc, char **argv)
{
    return difference_main("difference/shuffle", "forward difference by shuffles",
                           BLOCK + BLOCK / 32, difference_elements<difference>, argc, argv);
}
