/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_fp8.h: 8-bit floating-point numbers, e4m3 and e5m2 (CUDA Math API, "FP8 Intrinsics").
 *
 * Devices from 8.9 on convert by PTX's cvt, others and the host by arithmetic on bits.
 */
#ifndef LOCKSTEP_CUDA_FP8_H
#define LOCKSTEP_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus

#include <string.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define LOCKSTEP_FP8 static __host__ __device__ __inline__

/* -- to 8 bits: nearest, ties to even ------------------------------------------------------------- */

LOCKSTEP_FP8 __nv_fp8_storage_t
__nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    unsigned long long bits, q, rest, half, fraction;
    memcpy(&bits, &x, sizeof bits);
    unsigned m = kind == __NV_E4M3 ? 3 : 2, sign = (unsigned)(bits >> 63) << 7;
    int bias = kind == __NV_E4M3 ? 7 : 15, e = (int)(bits >> 52 & 0x7ff) - 1023;
    unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b, beyond = kind == __NV_E4M3 ? 0x7f : 0x7c;
    fraction = (bits & 0xfffffffffffffull) | 1ull << 52;
    if (e == 1024 && bits << 12)
        return (__nv_fp8_storage_t)0x7f;
    if (e == 1024)
        return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? largest : beyond));
    int lowest = 1 - bias, drop = 52 - (int)m + (e < lowest ? lowest - e : 0);
    if (e == -1023 || drop > 54)
        return (__nv_fp8_storage_t)sign;
    q = fraction >> drop;
    rest = fraction & ((1ull << drop) - 1);
    half = 1ull << (drop - 1);
    q += rest > half || (rest == half && (q & 1));
    unsigned magnitude = (unsigned)q + (unsigned)(e < lowest ? 0 : (e - lowest) << m);
    if (e > 16 || magnitude > largest)
        magnitude = saturate == __NV_SATFINITE ? largest : beyond;
    return (__nv_fp8_storage_t)(sign | magnitude);
}

LOCKSTEP_FP8 __nv_fp8x2_storage_t
__nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    if (saturate == __NV_SATFINITE) {
        unsigned short r;
        if (kind == __NV_E4M3)
            __asm__("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
        else
            __asm__("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
        return r;
    }
#endif
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}

LOCKSTEP_FP8 __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(x, 0), saturate, kind);
}

LOCKSTEP_FP8 __nv_fp8x2_storage_t
__nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}

LOCKSTEP_FP8 __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}

LOCKSTEP_FP8 __nv_fp8x2_storage_t
__nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}

LOCKSTEP_FP8 __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}

LOCKSTEP_FP8 __nv_fp8x2_storage_t
__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}

/* -- from 8 bits: exact ----------------------------------------------------------------------------- */

/* e5m2 is the upper half of a half; e4m3 times 2^-8 is, its exponent's bias being 8 smaller. */
LOCKSTEP_FP8 __half_raw
__nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    __half_raw r;
    unsigned short magnitude = (unsigned short)((x & 0x7f) << 7), sign = (unsigned short)((x & 0x80) << 8);
    r.x = (unsigned short)(x << 8);
    if (kind == __NV_E5M2) {
        if ((x & 0x7f) > 0x7c)
            r.x = 0x7fff;
        return r;
    }
    if ((x & 0x7f) == 0x7f) {
        r.x = 0x7fff;
        return r;
    }
    r.x = magnitude;
    r = (__half_raw)__float2half_rn(__half2float(__half(r)) * 256.0f);
    r.x |= sign;
    return r;
}

LOCKSTEP_FP8 __half2_raw
__nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
    __half2_raw r;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    unsigned both;
    if (kind == __NV_E4M3)
        __asm__("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(both) : "h"(x));
    else
        __asm__("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(both) : "h"(x));
    r.x = (unsigned short)both;
    r.y = (unsigned short)(both >> 16);
#else
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x;
#endif
    return r;
}

LOCKSTEP_FP8 float
__lockstep_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, kind)));
}

/* -- classes ------------------------------------------------------------------------------------------ */

/* Constructors saturate, as the API's do; the conversion to a wider type is exact. */
#define LOCKSTEP_FP8_TYPE(name, kind)                                                              \
    struct name {                                                                                  \
        __nv_fp8_storage_t __x;                                                                    \
        name() = default;                                                                          \
        explicit __host__ __device__ name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ name(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ name(__half f) : name(__half2float(f)) {}                     \
        explicit __host__ __device__ name(__nv_bfloat16 f) : name(__bfloat162float(f)) {}          \
        explicit __host__ __device__ name(int n) : name((float)n) {}                               \
        explicit __host__ __device__ name(unsigned n) : name((float)n) {}                          \
        explicit __host__ __device__ name(short n) : name((float)n) {}                             \
        explicit __host__ __device__ name(unsigned short n) : name((float)n) {}                    \
        explicit __host__ __device__ name(long n) : name((float)n) {}                              \
        explicit __host__ __device__ name(unsigned long n) : name((float)n) {}                     \
        explicit __host__ __device__ name(long long n) : name((float)n) {}                         \
        explicit __host__ __device__ name(unsigned long long n) : name((float)n) {}                \
        explicit __host__ __device__ operator float() const { return __lockstep_fp8_to_float(__x, kind); } \
        explicit __host__ __device__ operator double() const { return (double)(float)*this; }      \
        explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); } \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rn((float)*this); } \
        explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }           \
        explicit __host__ __device__ operator int() const { return (int)(float)*this; }            \
        explicit __host__ __device__ operator unsigned() const { return (unsigned)(float)*this; }  \
    };                                                                                             \
    struct __attribute__((aligned(2))) name##_x2 {                                                 \
        __nv_fp8x2_storage_t __x;                                                                  \
        name##_x2() = default;                                                                     \
        explicit __host__ __device__ name##_x2(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ name##_x2(double2 f) : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, kind)) {} \
        explicit __host__ __device__ name##_x2(__half2 f) : name##_x2(__half22float2(f)) {}        \
        explicit __host__ __device__ name##_x2(__nv_bfloat162 f) : name##_x2(__bfloat1622float2(f)) {} \
        explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); } \
        explicit __host__ __device__ operator float2() const { return __half22float2((__half2)*this); } \
    };                                                                                             \
    struct __attribute__((aligned(4))) name##_x4 {                                                 \
        __nv_fp8x4_storage_t __x;                                                                  \
        name##_x4() = default;                                                                     \
        explicit __host__ __device__ name##_x4(float4 f)                                           \
            : __x((unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.x, f.y), __NV_SATFINITE, kind) | \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f.z, f.w), __NV_SATFINITE, kind) << 16) {} \
        explicit __host__ __device__ operator float4() const                                       \
        {                                                                                          \
            return make_float4(__lockstep_fp8_to_float((__nv_fp8_storage_t)__x, kind),             \
                               __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind),      \
                               __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 16), kind),     \
                               __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind));    \
        }                                                                                          \
    };

LOCKSTEP_FP8_TYPE(__nv_fp8_e4m3, __NV_E4M3)
LOCKSTEP_FP8_TYPE(__nv_fp8_e5m2, __NV_E5M2)
typedef __nv_fp8_e4m3_x2 __nv_fp8x2_e4m3;
typedef __nv_fp8_e4m3_x4 __nv_fp8x4_e4m3;
typedef __nv_fp8_e5m2_x2 __nv_fp8x2_e5m2;
typedef __nv_fp8_e5m2_x4 __nv_fp8x4_e5m2;

#undef LOCKSTEP_FP8_TYPE
#undef LOCKSTEP_FP8

#endif

#endif
