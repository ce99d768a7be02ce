/* SPDX-License-Identifier: Apache-2.0
 *
 * mathematics.c: the mathematical functions that programs call by name (__nv_sin, __nv_powf, ...)
 * for real GPUs, whose drivers have none. Compiled to PTX when lockstep is built
 * (cmake/mathematics.cmake); device/gpu_module.c gives the driver those that a program needs. On
 * the virtual GPU the jit has its own (ops/math.def).
 *
 * Plain C without headers, so that the same file compiles for the host, where the tests compare it
 * with the C library (tests/device/mathematics_test.c). Everything is computed in double precision;
 * float functions round the result once. Double functions are within 2 units in the last place,
 * those of the error function within 8, of gamma within 64; Bessel functions are right to 2^-44
 * absolutely. Series are the textbooks'; numbers in pairs are a value's head and tail.
 *
 * The functions are in headers by topic. One stands before those that call it: each is cut out of
 * the PTX together with what it calls.
 */
#include "base.h"
#include "exponential.h"
#include "trigonometric.h"
#include "roots.h"
#include "parts.h"
#include "special.h"
/* NOLINTEND */
