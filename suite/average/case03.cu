/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 3: the same array, many iterations, one block, global memory: case 1 in a
 * loop; its barriers also keep the iterations apart.
 *
 * systems: A9
 * title: global memory, one block, many iterations, in place
 * rung: 4
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "average.h"

__global__ void
filter(float *a, int n, int iterations)
{
    for (int j = 0; j < iterations; j++)
        filter_in_place(a, n);
}

static float *
launch(float *a, float *b, int n, int iterations)
{
    (void)b;
    filter<<<1, BLOCK>>>(a, n, iterations);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case03", "global memory, one block, many iterations, in place", 3, 0, launch};
    return average_main(&c, argc, argv);
}
