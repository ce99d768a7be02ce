/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, a layout without waste or conflict for every warp: lane l of warp w uses byte w
 * of word l. Four warps fill 32 words to the last byte.
 *
 * systems: C2
 * title: chars, a warp a byte of every word
 * rung: 6
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE char
#define PLACE(t) (((t) % 32) * 4 + (t) / 32)
#define ROOM BLOCK
#define NAME "strides/char_columns"
#define TITLE "chars, a warp a byte of every word"
#include "strides.h"
