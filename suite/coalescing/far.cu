/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: every lane in a line of its own: as many transactions as lanes.
 *
 * systems: D6
 * title: floats 128 bytes apart
 * rung: 5
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE float
#define PLACE(i) (32 * (i))
#define ROOM(n) (32 * (n))
#define NAME "coalescing/far"
#define TITLE "floats 128 bytes apart"
#include "coalescing.h"
