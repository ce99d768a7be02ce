/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, neighbouring doubles: thread t uses words 2t and 2t + 1. Counted in words that
 * is a stride of 2, and two threads meet in a bank; from 2.0 on the hardware serves an 8-byte
 * access half a warp at a time, which takes the two steps that 256 bytes need anyway: no conflict
 * is lost time.
 *
 * systems: C2
 * title: doubles, stride 2
 * since: 1.3 double precision
 * rung: 2
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE double
#define PLACE(t) ((t))
#define ROOM BLOCK
#define NAME "strides/double"
#define TITLE "doubles, stride 2"
#include "strides.h"
