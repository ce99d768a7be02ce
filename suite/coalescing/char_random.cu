/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing, the worst case: single bytes from all over memory. 32 bytes are used, a thousand
 * moved.
 *
 * systems: D6
 * title: chars from all over
 * rung: 8
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE char
#define PLACE(i) (((i)*7919u + 13) & 4095)
#define ROOM(n) 4096
#define NAME "coalescing/char_random"
#define TITLE "chars from all over"
#include "coalescing.h"
