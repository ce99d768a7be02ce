/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, case 13: the same array, one iteration, many blocks, with shared memory: case
 * 15 with one iteration.
 *
 * systems: A9
 * title: shared memory, many blocks, one iteration, in place
 * rung: 14
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300
 * bench: 100003
 * gpu: 268435456
 */
#include "halos.h"

int
main(int argc, char **argv)
{
    const struct average_case c = {
        "average/case13", "shared memory, many blocks, one iteration, in place", 13, 0, launch};
    return average_main(&c, argc, argv);
}
