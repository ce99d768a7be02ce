/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: in order, but the run begins 4 bytes late and reaches into the next 128 bytes.
 *
 * systems: D6
 * title: in order, one element off
 * rung: 3
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE float
#define PLACE(i) ((i) + 1)
#define ROOM(n) ((n) + 1)
#define NAME "coalescing/misaligned"
#define TITLE "in order, one element off"
#include "coalescing.h"
