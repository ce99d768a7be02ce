/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: 8 bytes a lane: a warp needs 256 bytes in order.
 *
 * systems: D6
 * title: int2 in order
 * rung: 7
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE int2
#define PLACE(i) ((i))
#define ROOM(n) ((n))
#define NAME "coalescing/int2s"
#define TITLE "int2 in order"
#include "coalescing.h"
