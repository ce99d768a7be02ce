/* SPDX-License-Identifier: Apache-2.0
 *
 * What one_branch_wrong and both_branches_wrong mean, done right: the threads part for the work and
 * meet again before the barrier.
 *
 * systems: B6
 * title: the barrier taken out of the branch
 * rung: 3
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
    if (t < THREADS / 2 + 7)
        words[t] = in[i] + in[i];
    else
        words[t] = 2 * in[i];
    __syncthreads();
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/lifted", "the barrier taken out of the branch", turn_round, argc,
                         argv);
}
