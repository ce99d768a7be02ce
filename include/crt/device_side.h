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

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ leaves out __float128 when it sees nvcc's macro. */
#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#define __CUDACC__
#include <cmath>
#include <cstdlib>
#include <limits.h>
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
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>

#ifndef LOCKSTEP_CUDA_H
typedef uint32_t cuuint32_t; /* as cuda.h has it */
#endif
__device__ static inline unsigned int __isShared(const void *p);
__device__ static inline size_t __cvta_generic_to_shared(const void *p);
#include <__clang_cuda_intrinsics.h>
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

#endif
