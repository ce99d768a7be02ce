/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank calculator, neighbouring chars: four threads share a word. On 1.x they conflict (bytes of
 * one word are told apart one by one); from 2.0 on a bank hands its word to all who want a part of
 * it.
 *
 * systems: C2
 * title: chars, stride a quarter
 * rung: 3
 * sizes: 0 1 17 128 1000 4099
 * check: 128
 */
#define TYPE char
#define PLACE(t) ((t))
#define ROOM BLOCK
#define NAME "strides/char"
#define TITLE "chars, stride a quarter"
#include "strides.h"
