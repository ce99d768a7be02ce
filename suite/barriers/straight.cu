/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier that every thread of the block passes: all words are written before any is read.
 *
 * systems: B6
 * title: a barrier for all threads
 * rung: 1
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
    words[t] = 2 * in[i];
    __syncthreads();
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/straight", "a barrier for all threads", turn_round, argc, argv);
}
