/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: 32 chars are 32 bytes, one segment from 1.2 on. 1.0 and 1.1 coalesce 4, 8 and 16
 * bytes a lane only.
 *
 * systems: D6
 * title: chars in order
 * rung: 6
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE char
#define PLACE(i) ((i))
#define ROOM(n) ((n))
#define NAME "coalescing/chars"
#define TITLE "chars in order"
#include "coalescing.h"
