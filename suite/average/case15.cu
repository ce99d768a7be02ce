/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 15: the same array, many iterations, many blocks, with shared memory. As
 * case 14, but a block's neighbours may have written their results before it has read its halo
 * (case15_lecture): a first launch puts the halos aside.
 *
 * systems: A9
 * title: shared memory, many blocks, many iterations, in place
 * rung: 16
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456 --iterations 4
 */
#include "halos.h"

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case15", "shared memory, many blocks, many iterations, in place", 15, 0, launch};
    return average_main(&c, argc, argv);
}
