/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 5: the same array, one iteration, many blocks, global memory. A barrier
 * holds a block's own threads only; its neighbours may overwrite the elements at its edges at any
 * time (see case05_wrong). So a first launch puts these aside: the end of a launch is the barrier
 * for all blocks.
 *
 * systems: A9
 * title: global memory, many blocks, one iteration, in place
 * rung: 6
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456
 */
#include "edges.h"

static float *
launch(float *a, float *b, int n, int iterations)
{
    int blocks = suite_div_up(n, BLOCK);
    (void)iterations;
    keep_edges<<<suite_div_up(blocks, BLOCK), BLOCK>>>(a, b, n, blocks);
    filter<<<blocks, BLOCK>>>(a, b, n);
    return a;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case05", "global memory, many blocks, one iteration, in place", 5, 0, launch};
    return average_main(&c, argc, argv);
}
