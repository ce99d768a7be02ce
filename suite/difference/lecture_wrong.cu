/* SPDX-License-Identifier: Apache-2.0
 *
 * Forward difference, the lecture's listing with shared memory and its mistakes: the shared array
 * is read at the index of the whole grid instead of the block's, which leaves it in every block but
 * the first; the two neighbours go through ints, which cuts off what follows the point; and threads
 * beyond the end load and store too, where only sizes that are multiples of the block spare them.
 *
 * systems: D2
 * title: index of the grid instead of the block's, floats kept in ints
 * rung: 10
 * sizes: 1 17 128 1000 100003
 * check: 300
 * expect: out-of-bounds
 * result: wrong
 */
#include "difference.h"

__global__ void
difference(float *result, const float *input, int n)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = t + blockDim.x * blockIdx.x;
    s[t] = input[i];
    __syncthreads();
    float res = 0;
    if (i + 1 < n) {
        int next = t + 1 < blockDim.x ? s[t + 1] : input[i + 1];
        int own = s[i];
        res = next - own;
    }
    result[i] = res;
}

int
main(int argc, char **argv)
{
    return difference_main("difference/lecture_wrong", "forward difference, the lecture's listing",
                           BLOCK + 1, difference_elements<difference>, argc, argv);
}
