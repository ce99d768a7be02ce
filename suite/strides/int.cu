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
#define NAME "strides/int"
#define TITLE "ints, stride 1"
#include "strides.h"
