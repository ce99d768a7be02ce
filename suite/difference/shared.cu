/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward difference through shared memory: each thread brings its element, the last one of the
 * block gets its neighbour's from global memory: N + N / BLOCK loads instead of 2 N.
 *
 * systems: D2, D3
 * title: shared memory, the block's end from global
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "difference.h"

__global__ void
difference(float *result, const float *input, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = t + blockDim.x * blockIdx.x;
    if (i < n)
        s[t] = input[i];
    __syncthreads();
    float res = 0;
    if (i + 1 < n) {
        float next = t + 1 < BLOCK ? s[t + 1] : input[i + 1];
        res = next - s[t];
    }
    if (i < n)
        result[i] = res;
}

int
main(int argc, char **argv)
{
    return difference_main("difference/shared", "forward difference, shared memory", BLOCK + 1,
                           difference_elements<difference>, argc, argv);
}
