/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: lane k loads element k of an aligned run of 128 bytes. Every generation does it with
 * the fewest transactions it has.
 *
 * systems: D6
 * title: floats in order
 * rung: 1
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE float
#define PLACE(i) ((i))
#define ROOM(n) ((n))
#define NAME "coalescing/sequential"
#define TITLE "floats in order"
#include "coalescing.h"
