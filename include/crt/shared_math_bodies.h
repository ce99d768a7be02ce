/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_math_bodies.h: the device's bodies of the functions of <math.h> where they are shared with
 * the host (shared_math_begin.h): clang's, for both sides and with C's names.
 */
#ifndef LOCKSTEP_SHARED_MATH_BODIES_H
#define LOCKSTEP_SHARED_MATH_BODIES_H

extern "C" {
#define static
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((host)) __attribute__((device))
#include <__clang_cuda_math.h>
__device__ inline double
nan(const char *)
{
    return __builtin_nan("");
}
__device__ inline float
nanf(const char *)
{
    return __builtin_nanf("");
}
#pragma pop_macro("__device__")
#undef static
}

#endif
