/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier that only the first half of a warp passes: the others never come to it. A slide says
 * that the block waits for ever. By the manual the behaviour is undefined; devices up to 6.x count
 * warps and go on with words unset, later ones may hang, or go on when the others have ended.
 *
 * systems: B6
 * title: a barrier in one branch
 * rung: 30
 * sizes: 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 * expect: barrier-divergence shared-race uninitialized
 * result: either
 */
#include "barriers.h"

__global__ void
turn_round(int *out, const int *in)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    words[t] = 2 * in[i];
    if (t < 16)
        __syncthreads();
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/one_branch_wrong", "a barrier in one branch", turn_round, argc,
                         argv);
}
