/* SPDX-License-Identifier: Apache-2.0
 *
 * host_defines.h: the qualifiers of CUDA C (__global__, __device__, ...) and the alignment macros.
 * In a translation unit that is compiled as CUDA they are clang's attributes; in plain C and C++
 * they are nothing, so that API headers can be included from anywhere.
 */
#ifndef LOCKSTEP_HOST_DEFINES_H
#define LOCKSTEP_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* programs ask for this name */

#if !defined(__GNUC__)
#error "lockstep's headers need clang or gcc"
#endif

#define __align__(n) __attribute__((aligned(n)))
#define __no_return__ __attribute__((noreturn))
/* Not in plain C++: libstdc++ writes __attribute__((__noinline__)). */
#if defined(__CUDA__)
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#ifndef __specialization_static
#define __specialization_static static
#endif
#define __annotate__(a) __attribute__((a))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDA_CB
#define CUDART_CB

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared, annotate("lockstep")))
#define __constant__ __attribute__((constant))
/* A managed variable is a device variable whose address is that of its host twin: the runtime is
 * told the section's bounds (cuda_runtime.h) and places the device's variable there. */
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, used, section("lockstep_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#elif __CUDA_ARCH__ >= 700
#define __grid_constant__ __attribute__((annotate("lockstep_grid_constant")))
#else
#define __grid_constant__
#endif
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __cudart_builtin__
#define __maxnreg__(n)
#define __block_size__(...)
#define __cluster_dims__(...) __attribute__((annotate("lockstep_cluster_dims", __VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __nv_pure__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __maxnreg__(n)
#define __block_size__(...)
#define __cluster_dims__(...)
#endif

#endif
