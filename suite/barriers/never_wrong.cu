/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier never reached by all: the first warp waits at barrier 1 for 64 threads, the second at
 * barrier 0, which the first will never come to. On a GPU this hangs until it is reset; here the
 * block is found to be unable to go on, the launch ends with an error, and who waits where is said.
 *
 * systems: B6
 * title: a barrier never reached
 * rung: 32
 * sizes: 1 17 100 1000 1537
 * check: 17 300
 * bench: 1537
 * expect: barrier-deadlock
 * result: wrong
 */
#include "barriers.h"

__global__ void
turn_round(int *out, const int *in)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    words[t] = 2 * in[i];
    if (t < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 0;" ::: "memory");
    out[i] = words[THREADS - 1 - t];
}

int
main(int argc, char **argv)
{
    return barriers_main("barriers/never_wrong", "a barrier never reached", turn_round, argc, argv);
}
