/* SPDX-License-Identifier: Apache-2.0
 *
 * No barrier at all: a thread reads a word that another warp may not have written yet.
 *
 * systems: B6
 * title: no barrier
 * rung: 33
 * sizes: 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 * expect: shared-race uninitialized
 * result: either
 */
#include "barriers.h"

__global__ void
turn_round(int *out, const int *in)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    words[t] = 2 * in[i];
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/none_wrong", "no barrier", turn_round, argc, argv);
}
