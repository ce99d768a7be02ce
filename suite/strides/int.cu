/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, neighbouring ints: thread t uses word t, all banks are used once.
 *
 * systems: C2
 * title: ints, stride 1
 * rung: 1
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE int
#define PLACE(t) ((t))
#define ROOM BLOCK
#include "strides.h"

int
main(int argc, char **argv)
{
    return strides_main("strides/int", "ints, stride 1", argc, argv);
}
