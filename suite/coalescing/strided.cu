/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: every second element: twice the bytes are moved, half of them for nothing.
 *
 * systems: D6
 * title: every second float
 * rung: 4
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE float
#define PLACE(i) (2 * (i))
#define ROOM(n) (2 * (n))
#define NAME "coalescing/strided"
#define TITLE "every second float"
#include "coalescing.h"
