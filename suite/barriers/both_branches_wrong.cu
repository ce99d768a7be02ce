/* SPDX-License-Identifier: Apache-2.0
 *
 * Two barriers, one in either way of a branch, and a warp's threads go both: they wait at different
 * places. The program may come to the right result all the same, as it does where a barrier counts
 * warps: no proof of anything.
 *
 * systems: B6
 * title: one barrier in each branch
 * rung: 31
 * sizes: 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 * expect: barrier-divergence
 * result: either
 */
#include "barriers.h"

__global__ void
turn_round(int *out, const int *in)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (t % 2) {
        words[t] = in[i] + in[i];
        __syncthreads();
    } else {
        words[t] = 2 * in[i];
        __syncthreads();
    }
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/both_branches_wrong", "one barrier in each branch", turn_round,
                         argc, argv);
}
