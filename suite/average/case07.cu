/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 7: the same array, many iterations, many blocks, global memory: case 5
 * once an iteration, two launches each.
 *
 * systems: A9
 * title: global memory, many blocks, many iterations, in place
 * rung: 8
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456 --iterations 4
 */
#include "edges.h"

static float *
launch(float *a, float *b, int n, int iterations)
{
    int blocks = suite_div_up(n, BLOCK);
    for (int j = 0; j < iterations; j++) {
        keep_edges<<<suite_div_up(blocks, BLOCK), BLOCK>>>(a, b, n, blocks);
        filter<<<blocks, BLOCK>>>(a, b, n);
    }
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case07", "global memory, many blocks, many iterations, in place", 7, 0, launch};
    return average_main(&c, argc, argv);
}
