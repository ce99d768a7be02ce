/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of floats by a tree in shared memory and one atomic a block: atomics/tree for floats. A
 * thread loads one word and most of them then wait.
 *
 * systems: D7
 * title: floats, a tree a block
 * since: 2.0 atomics on floats
 * rung: 1
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "reduce.h"

enum { BLOCK = 256 };

__global__ void
sum(const float *input, float *result, int n)
{
    __shared__ float data[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    data[t] = i < n ? input[i] : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            data[t] += data[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, data[0]);
}

static void
launch(const float *input, float *result, int n)
{
    sum<<<suite_div_up(n, BLOCK), BLOCK>>>(input, result, n);
}

int
main(int argc, char **argv)
{
    return reduce_main("reduce/tree", "sum of floats by a tree", launch, argc, argv);
}
