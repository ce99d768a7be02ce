/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier in either way of a branch, and all threads of a block go the same way: the condition is
 * the block's number. That is allowed: the block meets at one barrier or at the other, never at
 * both.
 *
 * systems: B6
 * title: a barrier in either way, a block goes one way
 * rung: 2
 * sizes: 0 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 */
#include "barriers.h"

__global__ void
turn_round(int *out, const int *in)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (blockIdx.x % 2) {
        words[t] = in[i];
        __syncthreads();
        out[i] = 2 * words[THREADS - 1 - t];
    } else {
        words[t] = 2 * in[i];
        __syncthreads();
        out[i] = words[THREADS - 1 - t];
    }
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/uniform_branch", "a barrier in either way, a block goes one way",
                         turn_round, argc, argv);
}
