/* SPDX-License-Identifier: Apache-2.0
 *
 * device_side.h: everything that code in kernels may call, for translation units that clang compiles
 * as CUDA. Included by cuda_runtime.h in both passes (device and host), since the host pass parses
 * kernels too.
 *
 * Built from clang's own headers, in the order they need, and three of ours: libdevice_inline.h
 * (bodies for the __nv_* functions that are one instruction), device_extras.h (what clang's headers
 * lack: atomics, cache operators, ...) and texture_side.h.
 */
#ifndef LOCKSTEP_DEVICE_SIDE_H
#define LOCKSTEP_DEVICE_SIDE_H

#ifndef LOCKSTEP_SHARED_MATH
#include <__clang_cuda_math_forward_declares.h>
#endif

/* libstdc++ leaves out __float128 when it sees nvcc's macro. */
#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#define __CUDACC__
#ifdef LOCKSTEP_SHARED_MATH
/* What <cmath> takes along that is not mathematics, and stays the host's: of it <cstdlib> alone
 * is. */
#include <cstddef>
#pragma clang force_cuda_host_device begin
#include <cstdlib>
#pragma clang force_cuda_host_device end
#include <limits>
#include <new>
#include <utility>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif
#include "shared_math_begin.h"
#include <cmath>
#include "shared_math_end.h"
#else
#include <cmath>
#endif
#include <cstdlib>
#include <limits.h>
#include <math.h> /* names of <cmath> without std:: */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#pragma pop_macro("__CUDACC__")

#include <__clang_cuda_builtin_vars.h>

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ int printf(const char *, ...);
/* Not marked noreturn: code behind a failed assertion is unreachable by the trap in the engine. */
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t char_size);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}
namespace std
{
__device__ static inline void free(void *p)
{
    ::free(p);
}
__device__ static inline void *malloc(size_t size)
{
    return ::malloc(size);
}
} // namespace std

#include <__clang_cuda_libdevice_declares.h>
#include "libdevice_inline.h"

/* Before 9.2 clang's header takes the SIMD functions from __nv_vadd2 etc., which are ours, instead
 * of video instructions. */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_device_functions.h>
#undef CUDA_VERSION
#define CUDA_VERSION 12050
#ifdef LOCKSTEP_SHARED_MATH
#include "shared_math_bodies.h"
#else
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include "float_overloads.h"
#endif

#ifndef LOCKSTEP_CUDA_H
typedef uint32_t cuuint32_t; /* as cuda.h has it */
#endif
__device__ static inline unsigned int __isShared(const void *p);
__device__ static inline size_t __cvta_generic_to_shared(const void *p);
/* clang 19's __reduce_*_sync hand the mask over as the value and the value as the mask. */
#define __reduce_add_sync lockstep_clang_reduce_add_sync
#define __reduce_min_sync lockstep_clang_reduce_min_sync
#define __reduce_max_sync lockstep_clang_reduce_max_sync
#define __reduce_or_sync lockstep_clang_reduce_or_sync
#define __reduce_and_sync lockstep_clang_reduce_and_sync
#define __reduce_xor_sync lockstep_clang_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_or_sync
#undef __reduce_and_sync
#undef __reduce_xor_sync
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define LOCKSTEP_REDUCE(name, type, builtin)                                                       \
    static inline __device__ __attribute__((convergent)) type name(unsigned mask, type value)     \
    {                                                                                              \
        return (type)__nvvm_redux_sync_##builtin((int)value, (int)mask);                           \
    }
LOCKSTEP_REDUCE(__reduce_add_sync, unsigned, add)
LOCKSTEP_REDUCE(__reduce_add_sync, int, add)
LOCKSTEP_REDUCE(__reduce_min_sync, unsigned, umin)
LOCKSTEP_REDUCE(__reduce_min_sync, int, min)
LOCKSTEP_REDUCE(__reduce_max_sync, unsigned, umax)
LOCKSTEP_REDUCE(__reduce_max_sync, int, max)
LOCKSTEP_REDUCE(__reduce_or_sync, unsigned, or)
LOCKSTEP_REDUCE(__reduce_and_sync, unsigned, and)
LOCKSTEP_REDUCE(__reduce_xor_sync, unsigned, xor)
#undef LOCKSTEP_REDUCE
#endif
#include <__clang_cuda_complex_builtins.h>
#pragma pop_macro("CUDA_VERSION")

#define LOCKSTEP_BUILTIN_CONVERSIONS(type)                                                         \
    __device__ inline type::operator dim3() const                                                  \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __device__ inline type::operator uint3() const                                                 \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }
LOCKSTEP_BUILTIN_CONVERSIONS(__cuda_builtin_threadIdx_t)
LOCKSTEP_BUILTIN_CONVERSIONS(__cuda_builtin_blockIdx_t)
LOCKSTEP_BUILTIN_CONVERSIONS(__cuda_builtin_blockDim_t)
LOCKSTEP_BUILTIN_CONVERSIONS(__cuda_builtin_gridDim_t)
#undef LOCKSTEP_BUILTIN_CONVERSIONS

#include "device_extras.h"
#include <new> /* clang's own: with the operators of kernels */
#include "device_runtime_calls.h"

#endif
