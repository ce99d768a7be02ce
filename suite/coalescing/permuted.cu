/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalescing: the same 128 bytes, but neighbouring lanes exchange their elements. 1.0 and 1.1 want
 * lane k to ask for element k and otherwise serve every lane by itself; all later generations look
 * at the bytes only.
 *
 * systems: D6
 * title: neighbours exchanged
 * rung: 2
 * sizes: 0 1 17 1000 1024 100003
 * check: 128
 * bench: 100003
 */
#define TYPE float
#define PLACE(i) ((i) ^ 1)
#define ROOM(n) ((n) + 2)
#define NAME "coalescing/permuted"
#define TITLE "neighbours exchanged"
#include "coalescing.h"
