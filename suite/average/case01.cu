/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 1: the same array, one iteration, one block, global memory. Reading and
 * writing must be kept apart by a barrier, and a block that is smaller than the array must keep the
 * last element of each chunk aside before it is overwritten.
 *
 * systems: A9
 * title: global memory, one block, one iteration, in place
 * rung: 2
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(float *a, int n)
{
    filter_in_place(a, n);
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)b;
    (void)iterations;
    filter<<<1, BLOCK>>>(a, n);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case01", "global memory, one block, one iteration, in place", 1, 0, launch};
    return average_main(&c, argc, argv);
}
