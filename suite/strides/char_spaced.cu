/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, chars four bytes apart: every thread has a word to itself, and three quarters of
 * the shared memory are never used.
 *
 * systems: C2
 * title: chars, four bytes apart
 * rung: 4
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE char
#define PLACE(t) ((t)*4)
#define ROOM (4 * BLOCK)
#define NAME "strides/char_spaced"
#define TITLE "chars, four bytes apart"
#include "strides.h"
