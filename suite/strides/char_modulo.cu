/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, the lecture's layout 4 t % (BLOCK + 1): as 4 and 129 have no common factor, no
 * two threads meet, and only one byte is wasted. The lecture's table stops after the first warp,
 * which indeed has no conflict. In the second one the wrap falls inside the warp: thread 32 has
 * byte 128 in word 32 and thread 33 byte 3 in word 0: both are bank 0.
 *
 * systems: C2
 * title: chars, 4 t modulo BLOCK + 1
 * rung: 5
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE char
#define PLACE(t) ((t)*4 % (BLOCK + 1))
#define ROOM (BLOCK + 1)
#define NAME "strides/char_modulo"
#define TITLE "chars, 4 t modulo BLOCK + 1"
#include "strides.h"
