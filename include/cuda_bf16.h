/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_bf16.h: __nv_bfloat16 and __nv_bfloat162: conversions, arithmetic, comparisons, mathematics, shuffles, atomics. C++.
 *
 * Arithmetic goes through float and rounds to the nearest: for + - * / and sqrt that is the same as
 * rounding once, since float has more than twice the digits and two. fma is one instruction in
 * kernels for 8.0 and newer.
 */
#ifndef LOCKSTEP_CUDA_BF16_H
#define LOCKSTEP_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask for this name */

#if defined(__cplusplus)

#include "cuda_runtime.h"

#include "crt/quiet_begin.h"

#define LOCKSTEP_HD static __inline__ __host__ __device__ __attribute__((unused))
#define LOCKSTEP_D static __inline__ __device__ __attribute__((unused))

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

struct __nv_bfloat16;
LOCKSTEP_HD float __bfloat162float(__nv_bfloat16 a);
LOCKSTEP_HD __nv_bfloat16 __float2bfloat16_rn(float a);
LOCKSTEP_HD __nv_bfloat16 __double2bfloat16(double a);

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x)
    {
    }
    __host__ __device__ __nv_bfloat16(float f);
    __host__ __device__ __nv_bfloat16(double d);
    __host__ __device__ __nv_bfloat16(short v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned short v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(int v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned int v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(long v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned long v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(long long v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ __nv_bfloat16(unsigned long long v) : __nv_bfloat16((double)v)
    {
    }
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        __nv_bfloat16_raw r;
        r.x = __x;
        return r;
    }
    __host__ __device__ operator float() const;
    __host__ __device__ explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
    __host__ __device__ explicit operator signed char() const;
    __host__ __device__ explicit operator unsigned char() const;
    __host__ __device__ explicit operator char() const;
    __host__ __device__ explicit operator short() const;
    __host__ __device__ explicit operator unsigned short() const;
    __host__ __device__ explicit operator int() const;
    __host__ __device__ explicit operator unsigned int() const;
    __host__ __device__ explicit operator long() const;
    __host__ __device__ explicit operator unsigned long() const;
    __host__ __device__ explicit operator long long() const;
    __host__ __device__ explicit operator unsigned long long() const;
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
    __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r)
    {
        x.__x = r.x;
        y.__x = r.y;
    }
    __host__ __device__ operator __nv_bfloat162_raw() const
    {
        __nv_bfloat162_raw r;
        r.x = x.__x;
        r.y = y.__x;
        return r;
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* -- conversions ---------------------------------------------------------------------------- */

LOCKSTEP_HD float
__bfloat162float(__nv_bfloat16 a)
{
    return __builtin_bit_cast(float, (unsigned int)a.__x << 16);
}
LOCKSTEP_HD __nv_bfloat16
__float2bfloat16_rn(float a)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, a);
    __nv_bfloat16 r;
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        r.__x = 0x7fff;
    else
        r.__x = (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
    return r;
}
LOCKSTEP_HD __nv_bfloat16
__float2bfloat16(float a)
{
    return __float2bfloat16_rn(a);
}
LOCKSTEP_HD __nv_bfloat16
__double2bfloat16(double a)
{
    /* To odd in float, so that the second rounding decides alone. */
    float f = (float)a;
    if ((double)f != a && a == a) {
        unsigned int bits = __builtin_bit_cast(unsigned int, f);
        if (__builtin_fabs((double)f) > __builtin_fabs(a))
            bits--;
        f = __builtin_bit_cast(float, bits | 1);
    }
    return __float2bfloat16_rn(f);
}
LOCKSTEP_HD __nv_bfloat16
__float2bfloat16_rz(float a)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, a);
    __nv_bfloat16 r;
    r.__x = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (unsigned short)(bits >> 16);
    return r;
}
__host__ __device__ __inline__ __nv_bfloat16::__nv_bfloat16(float f) : __x(__float2bfloat16_rn(f).__x)
{
}
__host__ __device__ __inline__ __nv_bfloat16::__nv_bfloat16(double d) : __x(__double2bfloat16(d).__x)
{
}
__host__ __device__ __inline__ __nv_bfloat16::operator float() const
{
    return __bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator signed char() const
{
    return (signed char)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator unsigned char() const
{
    return (unsigned char)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator char() const
{
    return (char)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator short() const
{
    return (short)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator unsigned short() const
{
    return (unsigned short)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator int() const
{
    return (int)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator unsigned int() const
{
    return (unsigned int)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator long() const
{
    return (long)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator unsigned long() const
{
    return (unsigned long)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator long long() const
{
    return (long long)__bfloat162float(*this);
}
__host__ __device__ __inline__ __nv_bfloat16::operator unsigned long long() const
{
    return (unsigned long long)__bfloat162float(*this);
}
LOCKSTEP_HD __nv_bfloat162
make_nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HD __nv_bfloat162
make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
LOCKSTEP_HD __nv_bfloat162
__float2bfloat162_rn(float a)
{
    return __nv_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(a));
}
LOCKSTEP_HD __nv_bfloat162
__floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(b));
}
LOCKSTEP_HD __nv_bfloat162
__float22bfloat162_rn(float2 a)
{
    return __nv_bfloat162(__float2bfloat16_rn(a.x), __float2bfloat16_rn(a.y));
}
LOCKSTEP_HD float2
__bfloat1622float2(__nv_bfloat162 a)
{
    return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
LOCKSTEP_HD float
__low2float(__nv_bfloat162 a)
{
    return __bfloat162float(a.x);
}
LOCKSTEP_HD float
__high2float(__nv_bfloat162 a)
{
    return __bfloat162float(a.y);
}
LOCKSTEP_HD __nv_bfloat16
__low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
LOCKSTEP_HD __nv_bfloat16
__high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
LOCKSTEP_HD __nv_bfloat162
__low2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.x, a.x);
}
LOCKSTEP_HD __nv_bfloat162
__high2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.y);
}
LOCKSTEP_HD __nv_bfloat162
__lowhigh2highlow(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.x);
}
LOCKSTEP_HD __nv_bfloat162
__lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
LOCKSTEP_HD __nv_bfloat162
__highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
LOCKSTEP_HD unsigned short
__bfloat16_as_ushort(__nv_bfloat16 a)
{
    return a.__x;
}
LOCKSTEP_HD short
__bfloat16_as_short(__nv_bfloat16 a)
{
    return (short)a.__x;
}
LOCKSTEP_HD __nv_bfloat16
__ushort_as_bfloat16(unsigned short a)
{
    __nv_bfloat16 r;
    r.__x = a;
    return r;
}
LOCKSTEP_HD __nv_bfloat16
__short_as_bfloat16(short a)
{
    __nv_bfloat16 r;
    r.__x = (unsigned short)a;
    return r;
}
LOCKSTEP_HD __nv_bfloat16
__int2bfloat16_rn(int a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD int
__bfloat162int_rn(__nv_bfloat16 a)
{
    return (int)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD int
__bfloat162int_rz(__nv_bfloat16 a)
{
    return (int)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD int
__bfloat162int_rd(__nv_bfloat16 a)
{
    return (int)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD int
__bfloat162int_ru(__nv_bfloat16 a)
{
    return (int)__builtin_ceilf(__bfloat162float(a));
}
LOCKSTEP_HD __nv_bfloat16
__uint2bfloat16_rn(unsigned int a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD unsigned int
__bfloat162uint_rn(__nv_bfloat16 a)
{
    return (unsigned int)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned int
__bfloat162uint_rz(__nv_bfloat16 a)
{
    return (unsigned int)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned int
__bfloat162uint_rd(__nv_bfloat16 a)
{
    return (unsigned int)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned int
__bfloat162uint_ru(__nv_bfloat16 a)
{
    return (unsigned int)__builtin_ceilf(__bfloat162float(a));
}
LOCKSTEP_HD __nv_bfloat16
__short2bfloat16_rn(short a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD short
__bfloat162short_rn(__nv_bfloat16 a)
{
    return (short)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD short
__bfloat162short_rz(__nv_bfloat16 a)
{
    return (short)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD short
__bfloat162short_rd(__nv_bfloat16 a)
{
    return (short)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD short
__bfloat162short_ru(__nv_bfloat16 a)
{
    return (short)__builtin_ceilf(__bfloat162float(a));
}
LOCKSTEP_HD __nv_bfloat16
__ushort2bfloat16_rn(unsigned short a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD unsigned short
__bfloat162ushort_rn(__nv_bfloat16 a)
{
    return (unsigned short)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned short
__bfloat162ushort_rz(__nv_bfloat16 a)
{
    return (unsigned short)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned short
__bfloat162ushort_rd(__nv_bfloat16 a)
{
    return (unsigned short)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned short
__bfloat162ushort_ru(__nv_bfloat16 a)
{
    return (unsigned short)__builtin_ceilf(__bfloat162float(a));
}
LOCKSTEP_HD __nv_bfloat16
__ll2bfloat16_rn(long long a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD long long
__bfloat162ll_rn(__nv_bfloat16 a)
{
    return (long long)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD long long
__bfloat162ll_rz(__nv_bfloat16 a)
{
    return (long long)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD long long
__bfloat162ll_rd(__nv_bfloat16 a)
{
    return (long long)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD long long
__bfloat162ll_ru(__nv_bfloat16 a)
{
    return (long long)__builtin_ceilf(__bfloat162float(a));
}
LOCKSTEP_HD __nv_bfloat16
__ull2bfloat16_rn(unsigned long long a)
{
    return __double2bfloat16((double)a);
}
LOCKSTEP_HD unsigned long long
__bfloat162ull_rn(__nv_bfloat16 a)
{
    return (unsigned long long)__builtin_rintf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned long long
__bfloat162ull_rz(__nv_bfloat16 a)
{
    return (unsigned long long)__builtin_truncf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned long long
__bfloat162ull_rd(__nv_bfloat16 a)
{
    return (unsigned long long)__builtin_floorf(__bfloat162float(a));
}
LOCKSTEP_HD unsigned long long
__bfloat162ull_ru(__nv_bfloat16 a)
{
    return (unsigned long long)__builtin_ceilf(__bfloat162float(a));
}

/* -- arithmetic ----------------------------------------------------------------------------- */

LOCKSTEP_HD __nv_bfloat16
__hadd(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
}
LOCKSTEP_HD __nv_bfloat162
__hadd2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hadd(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hadd2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
__hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b)
{
    float v = __bfloat162float(__hadd(a, b));
    return __float2bfloat16_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __nv_bfloat162
__hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hsub(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __float2bfloat16_rn(__bfloat162float(a) - __bfloat162float(b));
}
LOCKSTEP_HD __nv_bfloat162
__hsub2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hsub(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hsub2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
__hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b)
{
    float v = __bfloat162float(__hsub(a, b));
    return __float2bfloat16_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __nv_bfloat162
__hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hmul(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __float2bfloat16_rn(__bfloat162float(a) * __bfloat162float(b));
}
LOCKSTEP_HD __nv_bfloat162
__hmul2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hmul(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hmul2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
__hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b)
{
    float v = __bfloat162float(__hmul(a, b));
    return __float2bfloat16_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __nv_bfloat162
__hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hdiv(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __float2bfloat16_rn(__bfloat162float(a) / __bfloat162float(b));
}
LOCKSTEP_HD __nv_bfloat162
__h2div(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __nv_bfloat16 r;
    __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    return __double2bfloat16((double)__bfloat162float(a) * (double)__bfloat162float(b) + (double)__bfloat162float(c));
#endif
}
LOCKSTEP_HD __nv_bfloat162
__hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
LOCKSTEP_HD __nv_bfloat16
__hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    __nv_bfloat16 r = __hfma(a, b, c);
    return __bfloat162float(r) < 0 ? __float2bfloat16_rn(0.0f) : r;
}
LOCKSTEP_HD __nv_bfloat16
__hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    float v = __bfloat162float(__hfma(a, b, c));
    return __float2bfloat16_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __nv_bfloat162
__hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
LOCKSTEP_HD __nv_bfloat16
__hneg(__nv_bfloat16 a)
{
    a.__x ^= 0x8000;
    return a;
}
LOCKSTEP_HD __nv_bfloat16
__habs(__nv_bfloat16 a)
{
    a.__x &= 0x7fff;
    return a;
}
LOCKSTEP_HD __nv_bfloat162
__hneg2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__hneg(a.x), __hneg(a.y));
}
LOCKSTEP_HD __nv_bfloat162
__habs2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__habs(a.x), __habs(a.y));
}
LOCKSTEP_HD __nv_bfloat162
__hcmadd2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    __nv_bfloat16 x = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    return __nv_bfloat162(x, __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* -- comparisons ---------------------------------------------------------------------------- */

LOCKSTEP_HD bool
__heq(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) == __bfloat162float(b);
}
LOCKSTEP_HD bool
__hequ(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) == __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__heq2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__heq(a.x, b.x)), __float2bfloat16_rn(__heq(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbeq2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hne(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b);
}
LOCKSTEP_HD bool
__hneu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) != __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__hne2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__hne(a.x, b.x)), __float2bfloat16_rn(__hne(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbne2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hlt(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) < __bfloat162float(b);
}
LOCKSTEP_HD bool
__hltu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) < __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__hlt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__hlt(a.x, b.x)), __float2bfloat16_rn(__hlt(a.y, b.y)));
}
LOCKSTEP_HD bool
__hblt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hle(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) <= __bfloat162float(b);
}
LOCKSTEP_HD bool
__hleu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) <= __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__hle2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__hle(a.x, b.x)), __float2bfloat16_rn(__hle(a.y, b.y)));
}
LOCKSTEP_HD bool
__hble2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hgt(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) > __bfloat162float(b);
}
LOCKSTEP_HD bool
__hgtu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) > __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__hgt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__hgt(a.x, b.x)), __float2bfloat16_rn(__hgt(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbgt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hge(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) >= __bfloat162float(b);
}
LOCKSTEP_HD bool
__hgeu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __builtin_isunordered(__bfloat162float(a), __bfloat162float(b)) || __bfloat162float(a) >= __bfloat162float(b);
}
LOCKSTEP_HD __nv_bfloat162
__hge2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__float2bfloat16_rn(__hge(a.x, b.x)), __float2bfloat16_rn(__hge(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbge2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hisnan(__nv_bfloat16 a)
{
    return __bfloat162float(a) != __bfloat162float(a);
}
LOCKSTEP_HD int
__hisinf(__nv_bfloat16 a)
{
    return (a.__x & 0x7fff) != 0x7f80 ? 0 : a.__x & 0x8000 ? -1 : 1;
}
LOCKSTEP_HD __nv_bfloat16
__hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __bfloat162float(a) > __bfloat162float(b) ? a : b;
}
LOCKSTEP_HD __nv_bfloat16
__hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__hmax2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat162
__hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat16
__hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __bfloat162float(a) < __bfloat162float(b) ? a : b;
}
LOCKSTEP_HD __nv_bfloat16
__hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
LOCKSTEP_HD __nv_bfloat162
__hmin2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
LOCKSTEP_HD __nv_bfloat162
__hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}

/* -- operators ------------------------------------------------------------------------------ */

LOCKSTEP_HD __nv_bfloat16
operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hadd(a, b);
}
LOCKSTEP_HD __nv_bfloat16 &
operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return a = __hadd(a, b);
}
LOCKSTEP_HD __nv_bfloat162
operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hadd2(a, b);
}
LOCKSTEP_HD __nv_bfloat162 &
operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return a = __hadd2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hsub(a, b);
}
LOCKSTEP_HD __nv_bfloat16 &
operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return a = __hsub(a, b);
}
LOCKSTEP_HD __nv_bfloat162
operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hsub2(a, b);
}
LOCKSTEP_HD __nv_bfloat162 &
operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return a = __hsub2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hmul(a, b);
}
LOCKSTEP_HD __nv_bfloat16 &
operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return a = __hmul(a, b);
}
LOCKSTEP_HD __nv_bfloat162
operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hmul2(a, b);
}
LOCKSTEP_HD __nv_bfloat162 &
operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return a = __hmul2(a, b);
}
LOCKSTEP_HD __nv_bfloat16
operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hdiv(a, b);
}
LOCKSTEP_HD __nv_bfloat16 &
operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return a = __hdiv(a, b);
}
LOCKSTEP_HD __nv_bfloat162
operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __h2div(a, b);
}
LOCKSTEP_HD __nv_bfloat162 &
operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return a = __h2div(a, b);
}
LOCKSTEP_HD __nv_bfloat16
operator-(const __nv_bfloat16 &a)
{
    return __hneg(a);
}
LOCKSTEP_HD __nv_bfloat16
operator+(const __nv_bfloat16 &a)
{
    return a;
}
LOCKSTEP_HD __nv_bfloat162
operator-(const __nv_bfloat162 &a)
{
    return __hneg2(a);
}
LOCKSTEP_HD __nv_bfloat162
operator+(const __nv_bfloat162 &a)
{
    return a;
}
LOCKSTEP_HD __nv_bfloat16 &
operator++(__nv_bfloat16 &a)
{
    return a = __hadd(a, __float2bfloat16_rn(1.0f));
}
LOCKSTEP_HD __nv_bfloat16 &
operator--(__nv_bfloat16 &a)
{
    return a = __hsub(a, __float2bfloat16_rn(1.0f));
}
LOCKSTEP_HD bool
operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __heq(a, b);
}
LOCKSTEP_HD bool
operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
LOCKSTEP_HD bool
operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hneu(a, b);
}
LOCKSTEP_HD bool
operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
LOCKSTEP_HD bool
operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hgt(a, b);
}
LOCKSTEP_HD bool
operator>(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
LOCKSTEP_HD bool
operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hlt(a, b);
}
LOCKSTEP_HD bool
operator<(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
LOCKSTEP_HD bool
operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hge(a, b);
}
LOCKSTEP_HD bool
operator>=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
LOCKSTEP_HD bool
operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hle(a, b);
}
LOCKSTEP_HD bool
operator<=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}

/* A .cpp file has the types and what the host can do with them, as with the toolkit: what follows
 * is instructions, of which its compiler knows none. */
#if defined(__CUDA__)

/* -- mathematics (kernels only) ------------------------------------------------------------- */

LOCKSTEP_D __nv_bfloat16
hsqrt(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(sqrtf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2sqrt(__nv_bfloat162 a)
{
    return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y));
}
LOCKSTEP_D __nv_bfloat16
hrsqrt(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(rsqrtf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2rsqrt(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y));
}
LOCKSTEP_D __nv_bfloat16
hrcp(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(1.0f / __bfloat162float(a));
}
LOCKSTEP_D __nv_bfloat162
h2rcp(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrcp(a.x), hrcp(a.y));
}
LOCKSTEP_D __nv_bfloat16
hexp(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(expf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2exp(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp(a.x), hexp(a.y));
}
LOCKSTEP_D __nv_bfloat16
hexp2(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(exp2f(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2exp2(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp2(a.x), hexp2(a.y));
}
LOCKSTEP_D __nv_bfloat16
hexp10(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(exp10f(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2exp10(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp10(a.x), hexp10(a.y));
}
LOCKSTEP_D __nv_bfloat16
hlog(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(logf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2log(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog(a.x), hlog(a.y));
}
LOCKSTEP_D __nv_bfloat16
hlog2(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(log2f(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2log2(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog2(a.x), hlog2(a.y));
}
LOCKSTEP_D __nv_bfloat16
hlog10(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(log10f(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2log10(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog10(a.x), hlog10(a.y));
}
LOCKSTEP_D __nv_bfloat16
hsin(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(sinf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2sin(__nv_bfloat162 a)
{
    return __nv_bfloat162(hsin(a.x), hsin(a.y));
}
LOCKSTEP_D __nv_bfloat16
hcos(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(cosf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2cos(__nv_bfloat162 a)
{
    return __nv_bfloat162(hcos(a.x), hcos(a.y));
}
LOCKSTEP_D __nv_bfloat16
htanh(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(tanhf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2tanh(__nv_bfloat162 a)
{
    return __nv_bfloat162(htanh(a.x), htanh(a.y));
}
LOCKSTEP_D __nv_bfloat16
hfloor(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(floorf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2floor(__nv_bfloat162 a)
{
    return __nv_bfloat162(hfloor(a.x), hfloor(a.y));
}
LOCKSTEP_D __nv_bfloat16
hceil(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(ceilf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2ceil(__nv_bfloat162 a)
{
    return __nv_bfloat162(hceil(a.x), hceil(a.y));
}
LOCKSTEP_D __nv_bfloat16
htrunc(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(truncf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2trunc(__nv_bfloat162 a)
{
    return __nv_bfloat162(htrunc(a.x), htrunc(a.y));
}
LOCKSTEP_D __nv_bfloat16
hrint(__nv_bfloat16 a)
{
    return __float2bfloat16_rn(rintf(__bfloat162float(a)));
}
LOCKSTEP_D __nv_bfloat162
h2rint(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrint(a.x), hrint(a.y));
}

/* -- warp functions, memory, atomics (kernels only) ----------------------------------------- */

LOCKSTEP_D __nv_bfloat16
__shfl_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32)
{
    v.__x = (unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width);
    return v;
}
LOCKSTEP_D __nv_bfloat162
__shfl_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32)
{
    return __builtin_bit_cast(
        __nv_bfloat162, __shfl_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width));
}
LOCKSTEP_D __nv_bfloat16
__shfl_up_sync(unsigned int mask, __nv_bfloat16 v, unsigned int delta, int width = 32)
{
    v.__x = (unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, delta, width);
    return v;
}
LOCKSTEP_D __nv_bfloat162
__shfl_up_sync(unsigned int mask, __nv_bfloat162 v, unsigned int delta, int width = 32)
{
    return __builtin_bit_cast(
        __nv_bfloat162, __shfl_up_sync(mask, __builtin_bit_cast(unsigned int, v), delta, width));
}
LOCKSTEP_D __nv_bfloat16
__shfl_down_sync(unsigned int mask, __nv_bfloat16 v, unsigned int delta, int width = 32)
{
    v.__x = (unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, delta, width);
    return v;
}
LOCKSTEP_D __nv_bfloat162
__shfl_down_sync(unsigned int mask, __nv_bfloat162 v, unsigned int delta, int width = 32)
{
    return __builtin_bit_cast(
        __nv_bfloat162, __shfl_down_sync(mask, __builtin_bit_cast(unsigned int, v), delta, width));
}
LOCKSTEP_D __nv_bfloat16
__shfl_xor_sync(unsigned int mask, __nv_bfloat16 v, int lanes, int width = 32)
{
    v.__x = (unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lanes, width);
    return v;
}
LOCKSTEP_D __nv_bfloat162
__shfl_xor_sync(unsigned int mask, __nv_bfloat162 v, int lanes, int width = 32)
{
    return __builtin_bit_cast(
        __nv_bfloat162, __shfl_xor_sync(mask, __builtin_bit_cast(unsigned int, v), lanes, width));
}
LOCKSTEP_D __nv_bfloat16
__ldg(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldg((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldg(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldg((const unsigned int *)p));
}
LOCKSTEP_D __nv_bfloat16
__ldcg(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldcg((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldcg(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldcg((const unsigned int *)p));
}
LOCKSTEP_D __nv_bfloat16
__ldca(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldca((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldca(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldca((const unsigned int *)p));
}
LOCKSTEP_D __nv_bfloat16
__ldcs(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldcs((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldcs(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldcs((const unsigned int *)p));
}
LOCKSTEP_D __nv_bfloat16
__ldlu(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldlu((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldlu(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldlu((const unsigned int *)p));
}
LOCKSTEP_D __nv_bfloat16
__ldcv(const __nv_bfloat16 *p)
{
    return __builtin_bit_cast(__nv_bfloat16, __ldcv((const unsigned short *)p));
}
LOCKSTEP_D __nv_bfloat162
__ldcv(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldcv((const unsigned int *)p));
}
LOCKSTEP_D void
__stwb(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    __stwb((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stwb(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    __stwb((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stcg(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    __stcg((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stcg(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    __stcg((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stcs(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    __stcs((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stcs(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    __stcs((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stwt(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    __stwt((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stwt(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    __stwt((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D __nv_bfloat16
atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 v)
{
    __nv_bfloat16 old;
    __asm__ __volatile__("atom.add.noftz.bf16 %0, [%1], %2;"
                         : "=h"(old.__x)
                         : "l"(address), "h"(v.__x)
                         : "memory");
    return old;
}
LOCKSTEP_D __nv_bfloat162
atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 v)
{
    unsigned int old;
    __asm__ __volatile__("atom.add.noftz.bf16x2 %0, [%1], %2;"
                         : "=r"(old)
                         : "l"(address), "r"(__builtin_bit_cast(unsigned int, v))
                         : "memory");
    return __builtin_bit_cast(__nv_bfloat162, old);
}

#endif

#undef LOCKSTEP_HD
#undef LOCKSTEP_D
#include "crt/quiet_end.h"

#endif

#endif
