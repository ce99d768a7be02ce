/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_fp16.h: __half and __half2: conversions, arithmetic, comparisons, mathematics, shuffles, atomics. C++.
 *
 * Arithmetic is clang's _Float16 (add.rn.f16, add.rn.f16x2 in kernels), so it rounds once, on the host
 * as on the device; mathematics go through float.
 */
#ifndef LOCKSTEP_CUDA_FP16_H
#define LOCKSTEP_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask for this name */

#if defined(__cplusplus)

#include "cuda_runtime.h"

#include "crt/quiet_begin.h"

#define LOCKSTEP_HD static __inline__ __host__ __device__ __attribute__((unused))
#define LOCKSTEP_D static __inline__ __device__ __attribute__((unused))

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

struct __half;
LOCKSTEP_HD float __half2float(__half a);
LOCKSTEP_HD __half __float2half_rn(float a);
LOCKSTEP_HD __half __double2half(double a);

struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    __host__ __device__ __half(const __half_raw &r) : __x(r.x)
    {
    }
    __host__ __device__ __half(float f);
    __host__ __device__ __half(double d);
    __host__ __device__ __half(short v) : __half((double)v)
    {
    }
    __host__ __device__ __half(unsigned short v) : __half((double)v)
    {
    }
    __host__ __device__ __half(int v) : __half((double)v)
    {
    }
    __host__ __device__ __half(unsigned int v) : __half((double)v)
    {
    }
    __host__ __device__ __half(long v) : __half((double)v)
    {
    }
    __host__ __device__ __half(unsigned long v) : __half((double)v)
    {
    }
    __host__ __device__ __half(long long v) : __half((double)v)
    {
    }
    __host__ __device__ __half(unsigned long long v) : __half((double)v)
    {
    }
    __host__ __device__ operator __half_raw() const
    {
        __half_raw r;
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

struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b)
    {
    }
    __host__ __device__ __half2(const __half2_raw &r)
    {
        x.__x = r.x;
        y.__x = r.y;
    }
    __host__ __device__ operator __half2_raw() const
    {
        __half2_raw r;
        r.x = x.__x;
        r.y = y.__x;
        return r;
    }
};

typedef __half half;
typedef __half2 half2;

/* -- conversions ---------------------------------------------------------------------------- */

LOCKSTEP_HD _Float16
lockstep_of(__half a)
{
    return __builtin_bit_cast(_Float16, a.__x);
}
LOCKSTEP_HD __half
lockstep_half(_Float16 v)
{
    __half r;
    r.__x = __builtin_bit_cast(unsigned short, v);
    return r;
}
typedef _Float16 lockstep_f16x2 __attribute__((ext_vector_type(2)));
LOCKSTEP_HD lockstep_f16x2
lockstep_of(__half2 a)
{
    return __builtin_bit_cast(lockstep_f16x2, a);
}
LOCKSTEP_HD __half2
lockstep_half(lockstep_f16x2 v)
{
    return __builtin_bit_cast(__half2, v);
}
LOCKSTEP_HD float
__half2float(__half a)
{
    return (float)lockstep_of(a);
}
LOCKSTEP_HD __half
__float2half_rn(float a)
{
    return lockstep_half((_Float16)a);
}
LOCKSTEP_HD __half
__float2half(float a)
{
    return lockstep_half((_Float16)a);
}
LOCKSTEP_HD __half
__double2half(double a)
{
    return lockstep_half((_Float16)a);
}
/* Rounding in a given direction, from the nearest: one step away where that went the wrong way. */
LOCKSTEP_HD __half
lockstep_step(__half a, int up)
{
    __half r = a;
    if ((a.__x & 0x7fff) == 0)
        r.__x = up ? 1 : 0x8001;
    else
        r.__x = (unsigned short)(a.__x + (((a.__x & 0x8000) != 0) == (up != 0) ? -1 : 1));
    return r;
}
LOCKSTEP_HD __half
__float2half_ru(float a)
{
    __half r = __float2half_rn(a);
    return __half2float(r) < a ? lockstep_step(r, 1) : r;
}
LOCKSTEP_HD __half
__float2half_rd(float a)
{
    __half r = __float2half_rn(a);
    return __half2float(r) > a ? lockstep_step(r, 0) : r;
}
LOCKSTEP_HD __half
__float2half_rz(float a)
{
    return a < 0 ? __float2half_ru(a) : __float2half_rd(a);
}
__host__ __device__ __inline__ __half::__half(float f) : __x(__float2half_rn(f).__x)
{
}
__host__ __device__ __inline__ __half::__half(double d) : __x(__double2half(d).__x)
{
}
__host__ __device__ __inline__ __half::operator float() const
{
    return __half2float(*this);
}
__host__ __device__ __inline__ __half::operator signed char() const
{
    return (signed char)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator unsigned char() const
{
    return (unsigned char)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator char() const
{
    return (char)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator short() const
{
    return (short)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator unsigned short() const
{
    return (unsigned short)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator int() const
{
    return (int)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator unsigned int() const
{
    return (unsigned int)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator long() const
{
    return (long)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator unsigned long() const
{
    return (unsigned long)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator long long() const
{
    return (long long)__half2float(*this);
}
__host__ __device__ __inline__ __half::operator unsigned long long() const
{
    return (unsigned long long)__half2float(*this);
}
LOCKSTEP_HD __half2
make_half2(__half a, __half b)
{
    return __half2(a, b);
}
LOCKSTEP_HD __half2
__halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
LOCKSTEP_HD __half2
__half2half2(__half a)
{
    return __half2(a, a);
}
LOCKSTEP_HD __half2
__float2half2_rn(float a)
{
    return __half2(__float2half_rn(a), __float2half_rn(a));
}
LOCKSTEP_HD __half2
__floats2half2_rn(float a, float b)
{
    return __half2(__float2half_rn(a), __float2half_rn(b));
}
LOCKSTEP_HD __half2
__float22half2_rn(float2 a)
{
    return __half2(__float2half_rn(a.x), __float2half_rn(a.y));
}
LOCKSTEP_HD float2
__half22float2(__half2 a)
{
    return make_float2(__half2float(a.x), __half2float(a.y));
}
LOCKSTEP_HD float
__low2float(__half2 a)
{
    return __half2float(a.x);
}
LOCKSTEP_HD float
__high2float(__half2 a)
{
    return __half2float(a.y);
}
LOCKSTEP_HD __half
__low2half(__half2 a)
{
    return a.x;
}
LOCKSTEP_HD __half
__high2half(__half2 a)
{
    return a.y;
}
LOCKSTEP_HD __half2
__low2half2(__half2 a)
{
    return __half2(a.x, a.x);
}
LOCKSTEP_HD __half2
__high2half2(__half2 a)
{
    return __half2(a.y, a.y);
}
LOCKSTEP_HD __half2
__lowhigh2highlow(__half2 a)
{
    return __half2(a.y, a.x);
}
LOCKSTEP_HD __half2
__lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
LOCKSTEP_HD __half2
__highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
LOCKSTEP_HD unsigned short
__half_as_ushort(__half a)
{
    return a.__x;
}
LOCKSTEP_HD short
__half_as_short(__half a)
{
    return (short)a.__x;
}
LOCKSTEP_HD __half
__ushort_as_half(unsigned short a)
{
    __half r;
    r.__x = a;
    return r;
}
LOCKSTEP_HD __half
__short_as_half(short a)
{
    __half r;
    r.__x = (unsigned short)a;
    return r;
}
LOCKSTEP_HD __half
__int2half_rn(int a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD int
__half2int_rn(__half a)
{
    return (int)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD int
__half2int_rz(__half a)
{
    return (int)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD int
__half2int_rd(__half a)
{
    return (int)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD int
__half2int_ru(__half a)
{
    return (int)__builtin_ceilf(__half2float(a));
}
LOCKSTEP_HD __half
__uint2half_rn(unsigned int a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD unsigned int
__half2uint_rn(__half a)
{
    return (unsigned int)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD unsigned int
__half2uint_rz(__half a)
{
    return (unsigned int)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD unsigned int
__half2uint_rd(__half a)
{
    return (unsigned int)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD unsigned int
__half2uint_ru(__half a)
{
    return (unsigned int)__builtin_ceilf(__half2float(a));
}
LOCKSTEP_HD __half
__short2half_rn(short a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD short
__half2short_rn(__half a)
{
    return (short)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD short
__half2short_rz(__half a)
{
    return (short)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD short
__half2short_rd(__half a)
{
    return (short)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD short
__half2short_ru(__half a)
{
    return (short)__builtin_ceilf(__half2float(a));
}
LOCKSTEP_HD __half
__ushort2half_rn(unsigned short a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD unsigned short
__half2ushort_rn(__half a)
{
    return (unsigned short)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD unsigned short
__half2ushort_rz(__half a)
{
    return (unsigned short)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD unsigned short
__half2ushort_rd(__half a)
{
    return (unsigned short)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD unsigned short
__half2ushort_ru(__half a)
{
    return (unsigned short)__builtin_ceilf(__half2float(a));
}
LOCKSTEP_HD __half
__ll2half_rn(long long a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD long long
__half2ll_rn(__half a)
{
    return (long long)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD long long
__half2ll_rz(__half a)
{
    return (long long)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD long long
__half2ll_rd(__half a)
{
    return (long long)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD long long
__half2ll_ru(__half a)
{
    return (long long)__builtin_ceilf(__half2float(a));
}
LOCKSTEP_HD __half
__ull2half_rn(unsigned long long a)
{
    return __double2half((double)a);
}
LOCKSTEP_HD unsigned long long
__half2ull_rn(__half a)
{
    return (unsigned long long)__builtin_rintf(__half2float(a));
}
LOCKSTEP_HD unsigned long long
__half2ull_rz(__half a)
{
    return (unsigned long long)__builtin_truncf(__half2float(a));
}
LOCKSTEP_HD unsigned long long
__half2ull_rd(__half a)
{
    return (unsigned long long)__builtin_floorf(__half2float(a));
}
LOCKSTEP_HD unsigned long long
__half2ull_ru(__half a)
{
    return (unsigned long long)__builtin_ceilf(__half2float(a));
}

/* -- arithmetic ----------------------------------------------------------------------------- */

LOCKSTEP_HD __half
__hadd(__half a, __half b)
{
    return lockstep_half((_Float16)(lockstep_of(a) + lockstep_of(b)));
}
LOCKSTEP_HD __half2
__hadd2(__half2 a, __half2 b)
{
    return lockstep_half(lockstep_of(a) + lockstep_of(b));
}
LOCKSTEP_HD __half
__hadd_rn(__half a, __half b)
{
    return __hadd(a, b);
}
LOCKSTEP_HD __half2
__hadd2_rn(__half2 a, __half2 b)
{
    return __hadd2(a, b);
}
LOCKSTEP_HD __half
__hadd_sat(__half a, __half b)
{
    float v = __half2float(__hadd(a, b));
    return __float2half_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __half2
__hadd2_sat(__half2 a, __half2 b)
{
    return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
LOCKSTEP_HD __half
__hsub(__half a, __half b)
{
    return lockstep_half((_Float16)(lockstep_of(a) - lockstep_of(b)));
}
LOCKSTEP_HD __half2
__hsub2(__half2 a, __half2 b)
{
    return lockstep_half(lockstep_of(a) - lockstep_of(b));
}
LOCKSTEP_HD __half
__hsub_rn(__half a, __half b)
{
    return __hsub(a, b);
}
LOCKSTEP_HD __half2
__hsub2_rn(__half2 a, __half2 b)
{
    return __hsub2(a, b);
}
LOCKSTEP_HD __half
__hsub_sat(__half a, __half b)
{
    float v = __half2float(__hsub(a, b));
    return __float2half_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __half2
__hsub2_sat(__half2 a, __half2 b)
{
    return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
LOCKSTEP_HD __half
__hmul(__half a, __half b)
{
    return lockstep_half((_Float16)(lockstep_of(a) * lockstep_of(b)));
}
LOCKSTEP_HD __half2
__hmul2(__half2 a, __half2 b)
{
    return lockstep_half(lockstep_of(a) * lockstep_of(b));
}
LOCKSTEP_HD __half
__hmul_rn(__half a, __half b)
{
    return __hmul(a, b);
}
LOCKSTEP_HD __half2
__hmul2_rn(__half2 a, __half2 b)
{
    return __hmul2(a, b);
}
LOCKSTEP_HD __half
__hmul_sat(__half a, __half b)
{
    float v = __half2float(__hmul(a, b));
    return __float2half_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __half2
__hmul2_sat(__half2 a, __half2 b)
{
    return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
LOCKSTEP_HD __half
__hdiv(__half a, __half b)
{
    return lockstep_half((_Float16)(lockstep_of(a) / lockstep_of(b)));
}
LOCKSTEP_HD __half2
__h2div(__half2 a, __half2 b)
{
    return lockstep_half(lockstep_of(a) / lockstep_of(b));
}
LOCKSTEP_HD __half
__hfma(__half a, __half b, __half c)
{
    return lockstep_half(__builtin_elementwise_fma(lockstep_of(a), lockstep_of(b), lockstep_of(c)));
}
LOCKSTEP_HD __half2
__hfma2(__half2 a, __half2 b, __half2 c)
{
    return lockstep_half(__builtin_elementwise_fma(lockstep_of(a), lockstep_of(b), lockstep_of(c)));
}
LOCKSTEP_HD __half
__hfma_relu(__half a, __half b, __half c)
{
    __half r = __hfma(a, b, c);
    return __half2float(r) < 0 ? __float2half_rn(0.0f) : r;
}
LOCKSTEP_HD __half
__hfma_sat(__half a, __half b, __half c)
{
    float v = __half2float(__hfma(a, b, c));
    return __float2half_rn(v > 0 ? v < 1 ? v : 1.0f : 0.0f);
}
LOCKSTEP_HD __half2
__hfma2_relu(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
LOCKSTEP_HD __half
__hneg(__half a)
{
    a.__x ^= 0x8000;
    return a;
}
LOCKSTEP_HD __half
__habs(__half a)
{
    a.__x &= 0x7fff;
    return a;
}
LOCKSTEP_HD __half2
__hneg2(__half2 a)
{
    return __half2(__hneg(a.x), __hneg(a.y));
}
LOCKSTEP_HD __half2
__habs2(__half2 a)
{
    return __half2(__habs(a.x), __habs(a.y));
}
LOCKSTEP_HD __half2
__hcmadd2(__half2 a, __half2 b, __half2 c)
{
    __half x = __hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x));
    return __half2(x, __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

/* -- comparisons ---------------------------------------------------------------------------- */

LOCKSTEP_HD bool
__heq(__half a, __half b)
{
    return __half2float(a) == __half2float(b);
}
LOCKSTEP_HD bool
__hequ(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) == __half2float(b);
}
LOCKSTEP_HD __half2
__heq2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__heq(a.x, b.x)), __float2half_rn(__heq(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbeq2(__half2 a, __half2 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__heq2_mask(__half2 a, __half2 b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hne(__half a, __half b)
{
    return __half2float(a) < __half2float(b) || __half2float(a) > __half2float(b);
}
LOCKSTEP_HD bool
__hneu(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) != __half2float(b);
}
LOCKSTEP_HD __half2
__hne2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__hne(a.x, b.x)), __float2half_rn(__hne(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbne2(__half2 a, __half2 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hne2_mask(__half2 a, __half2 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hlt(__half a, __half b)
{
    return __half2float(a) < __half2float(b);
}
LOCKSTEP_HD bool
__hltu(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) < __half2float(b);
}
LOCKSTEP_HD __half2
__hlt2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__hlt(a.x, b.x)), __float2half_rn(__hlt(a.y, b.y)));
}
LOCKSTEP_HD bool
__hblt2(__half2 a, __half2 b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hlt2_mask(__half2 a, __half2 b)
{
    return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hle(__half a, __half b)
{
    return __half2float(a) <= __half2float(b);
}
LOCKSTEP_HD bool
__hleu(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) <= __half2float(b);
}
LOCKSTEP_HD __half2
__hle2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__hle(a.x, b.x)), __float2half_rn(__hle(a.y, b.y)));
}
LOCKSTEP_HD bool
__hble2(__half2 a, __half2 b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hle2_mask(__half2 a, __half2 b)
{
    return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hgt(__half a, __half b)
{
    return __half2float(a) > __half2float(b);
}
LOCKSTEP_HD bool
__hgtu(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) > __half2float(b);
}
LOCKSTEP_HD __half2
__hgt2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__hgt(a.x, b.x)), __float2half_rn(__hgt(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbgt2(__half2 a, __half2 b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hgt2_mask(__half2 a, __half2 b)
{
    return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hge(__half a, __half b)
{
    return __half2float(a) >= __half2float(b);
}
LOCKSTEP_HD bool
__hgeu(__half a, __half b)
{
    return __builtin_isunordered(__half2float(a), __half2float(b)) || __half2float(a) >= __half2float(b);
}
LOCKSTEP_HD __half2
__hge2(__half2 a, __half2 b)
{
    return __half2(__float2half_rn(__hge(a.x, b.x)), __float2half_rn(__hge(a.y, b.y)));
}
LOCKSTEP_HD bool
__hbge2(__half2 a, __half2 b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
LOCKSTEP_HD unsigned int
__hge2_mask(__half2 a, __half2 b)
{
    return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
LOCKSTEP_HD bool
__hisnan(__half a)
{
    return __half2float(a) != __half2float(a);
}
LOCKSTEP_HD int
__hisinf(__half a)
{
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1;
}
LOCKSTEP_HD __half
__hmax(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __half2float(a) > __half2float(b) ? a : b;
}
LOCKSTEP_HD __half
__hmax_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
LOCKSTEP_HD __half2
__hmax2(__half2 a, __half2 b)
{
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
LOCKSTEP_HD __half2
__hmax2_nan(__half2 a, __half2 b)
{
    return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
LOCKSTEP_HD __half
__hmin(__half a, __half b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : __half2float(a) < __half2float(b) ? a : b;
}
LOCKSTEP_HD __half
__hmin_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
LOCKSTEP_HD __half2
__hmin2(__half2 a, __half2 b)
{
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
LOCKSTEP_HD __half2
__hmin2_nan(__half2 a, __half2 b)
{
    return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}

/* -- operators ------------------------------------------------------------------------------ */

LOCKSTEP_HD __half
operator+(const __half &a, const __half &b)
{
    return __hadd(a, b);
}
LOCKSTEP_HD __half &
operator+=(__half &a, const __half &b)
{
    return a = __hadd(a, b);
}
LOCKSTEP_HD __half2
operator+(const __half2 &a, const __half2 &b)
{
    return __hadd2(a, b);
}
LOCKSTEP_HD __half2 &
operator+=(__half2 &a, const __half2 &b)
{
    return a = __hadd2(a, b);
}
LOCKSTEP_HD __half
operator-(const __half &a, const __half &b)
{
    return __hsub(a, b);
}
LOCKSTEP_HD __half &
operator-=(__half &a, const __half &b)
{
    return a = __hsub(a, b);
}
LOCKSTEP_HD __half2
operator-(const __half2 &a, const __half2 &b)
{
    return __hsub2(a, b);
}
LOCKSTEP_HD __half2 &
operator-=(__half2 &a, const __half2 &b)
{
    return a = __hsub2(a, b);
}
LOCKSTEP_HD __half
operator*(const __half &a, const __half &b)
{
    return __hmul(a, b);
}
LOCKSTEP_HD __half &
operator*=(__half &a, const __half &b)
{
    return a = __hmul(a, b);
}
LOCKSTEP_HD __half2
operator*(const __half2 &a, const __half2 &b)
{
    return __hmul2(a, b);
}
LOCKSTEP_HD __half2 &
operator*=(__half2 &a, const __half2 &b)
{
    return a = __hmul2(a, b);
}
LOCKSTEP_HD __half
operator/(const __half &a, const __half &b)
{
    return __hdiv(a, b);
}
LOCKSTEP_HD __half &
operator/=(__half &a, const __half &b)
{
    return a = __hdiv(a, b);
}
LOCKSTEP_HD __half2
operator/(const __half2 &a, const __half2 &b)
{
    return __h2div(a, b);
}
LOCKSTEP_HD __half2 &
operator/=(__half2 &a, const __half2 &b)
{
    return a = __h2div(a, b);
}
LOCKSTEP_HD __half
operator-(const __half &a)
{
    return __hneg(a);
}
LOCKSTEP_HD __half
operator+(const __half &a)
{
    return a;
}
LOCKSTEP_HD __half2
operator-(const __half2 &a)
{
    return __hneg2(a);
}
LOCKSTEP_HD __half2
operator+(const __half2 &a)
{
    return a;
}
LOCKSTEP_HD __half &
operator++(__half &a)
{
    return a = __hadd(a, __float2half_rn(1.0f));
}
LOCKSTEP_HD __half &
operator--(__half &a)
{
    return a = __hsub(a, __float2half_rn(1.0f));
}
LOCKSTEP_HD bool
operator==(const __half &a, const __half &b)
{
    return __heq(a, b);
}
LOCKSTEP_HD bool
operator==(const __half2 &a, const __half2 &b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
LOCKSTEP_HD bool
operator!=(const __half &a, const __half &b)
{
    return __hneu(a, b);
}
LOCKSTEP_HD bool
operator!=(const __half2 &a, const __half2 &b)
{
    return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
LOCKSTEP_HD bool
operator>(const __half &a, const __half &b)
{
    return __hgt(a, b);
}
LOCKSTEP_HD bool
operator>(const __half2 &a, const __half2 &b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
LOCKSTEP_HD bool
operator<(const __half &a, const __half &b)
{
    return __hlt(a, b);
}
LOCKSTEP_HD bool
operator<(const __half2 &a, const __half2 &b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
LOCKSTEP_HD bool
operator>=(const __half &a, const __half &b)
{
    return __hge(a, b);
}
LOCKSTEP_HD bool
operator>=(const __half2 &a, const __half2 &b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
LOCKSTEP_HD bool
operator<=(const __half &a, const __half &b)
{
    return __hle(a, b);
}
LOCKSTEP_HD bool
operator<=(const __half2 &a, const __half2 &b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}

/* A .cpp file has the types and what the host can do with them, as with the toolkit: what follows
 * is instructions, of which its compiler knows none. */
#if defined(__CUDA__)

/* -- mathematics (kernels only) ------------------------------------------------------------- */

LOCKSTEP_D __half
hsqrt(__half a)
{
    return __float2half_rn(sqrtf(__half2float(a)));
}
LOCKSTEP_D __half2
h2sqrt(__half2 a)
{
    return __half2(hsqrt(a.x), hsqrt(a.y));
}
LOCKSTEP_D __half
hrsqrt(__half a)
{
    return __float2half_rn(rsqrtf(__half2float(a)));
}
LOCKSTEP_D __half2
h2rsqrt(__half2 a)
{
    return __half2(hrsqrt(a.x), hrsqrt(a.y));
}
LOCKSTEP_D __half
hrcp(__half a)
{
    return __float2half_rn(1.0f / __half2float(a));
}
LOCKSTEP_D __half2
h2rcp(__half2 a)
{
    return __half2(hrcp(a.x), hrcp(a.y));
}
LOCKSTEP_D __half
hexp(__half a)
{
    return __float2half_rn(expf(__half2float(a)));
}
LOCKSTEP_D __half2
h2exp(__half2 a)
{
    return __half2(hexp(a.x), hexp(a.y));
}
LOCKSTEP_D __half
hexp2(__half a)
{
    return __float2half_rn(exp2f(__half2float(a)));
}
LOCKSTEP_D __half2
h2exp2(__half2 a)
{
    return __half2(hexp2(a.x), hexp2(a.y));
}
LOCKSTEP_D __half
hexp10(__half a)
{
    return __float2half_rn(exp10f(__half2float(a)));
}
LOCKSTEP_D __half2
h2exp10(__half2 a)
{
    return __half2(hexp10(a.x), hexp10(a.y));
}
LOCKSTEP_D __half
hlog(__half a)
{
    return __float2half_rn(logf(__half2float(a)));
}
LOCKSTEP_D __half2
h2log(__half2 a)
{
    return __half2(hlog(a.x), hlog(a.y));
}
LOCKSTEP_D __half
hlog2(__half a)
{
    return __float2half_rn(log2f(__half2float(a)));
}
LOCKSTEP_D __half2
h2log2(__half2 a)
{
    return __half2(hlog2(a.x), hlog2(a.y));
}
LOCKSTEP_D __half
hlog10(__half a)
{
    return __float2half_rn(log10f(__half2float(a)));
}
LOCKSTEP_D __half2
h2log10(__half2 a)
{
    return __half2(hlog10(a.x), hlog10(a.y));
}
LOCKSTEP_D __half
hsin(__half a)
{
    return __float2half_rn(sinf(__half2float(a)));
}
LOCKSTEP_D __half2
h2sin(__half2 a)
{
    return __half2(hsin(a.x), hsin(a.y));
}
LOCKSTEP_D __half
hcos(__half a)
{
    return __float2half_rn(cosf(__half2float(a)));
}
LOCKSTEP_D __half2
h2cos(__half2 a)
{
    return __half2(hcos(a.x), hcos(a.y));
}
LOCKSTEP_D __half
htanh(__half a)
{
    return __float2half_rn(tanhf(__half2float(a)));
}
LOCKSTEP_D __half2
h2tanh(__half2 a)
{
    return __half2(htanh(a.x), htanh(a.y));
}
LOCKSTEP_D __half
hfloor(__half a)
{
    return __float2half_rn(floorf(__half2float(a)));
}
LOCKSTEP_D __half2
h2floor(__half2 a)
{
    return __half2(hfloor(a.x), hfloor(a.y));
}
LOCKSTEP_D __half
hceil(__half a)
{
    return __float2half_rn(ceilf(__half2float(a)));
}
LOCKSTEP_D __half2
h2ceil(__half2 a)
{
    return __half2(hceil(a.x), hceil(a.y));
}
LOCKSTEP_D __half
htrunc(__half a)
{
    return __float2half_rn(truncf(__half2float(a)));
}
LOCKSTEP_D __half2
h2trunc(__half2 a)
{
    return __half2(htrunc(a.x), htrunc(a.y));
}
LOCKSTEP_D __half
hrint(__half a)
{
    return __float2half_rn(rintf(__half2float(a)));
}
LOCKSTEP_D __half2
h2rint(__half2 a)
{
    return __half2(hrint(a.x), hrint(a.y));
}

/* -- warp functions, memory, atomics (kernels only) ----------------------------------------- */

LOCKSTEP_D __half
__shfl_sync(unsigned int mask, __half v, int lane, int width = 32)
{
    v.__x = (unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width);
    return v;
}
LOCKSTEP_D __half2
__shfl_sync(unsigned int mask, __half2 v, int lane, int width = 32)
{
    return __builtin_bit_cast(
        __half2, __shfl_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width));
}
LOCKSTEP_D __half
__shfl_up_sync(unsigned int mask, __half v, unsigned int delta, int width = 32)
{
    v.__x = (unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, delta, width);
    return v;
}
LOCKSTEP_D __half2
__shfl_up_sync(unsigned int mask, __half2 v, unsigned int delta, int width = 32)
{
    return __builtin_bit_cast(
        __half2, __shfl_up_sync(mask, __builtin_bit_cast(unsigned int, v), delta, width));
}
LOCKSTEP_D __half
__shfl_down_sync(unsigned int mask, __half v, unsigned int delta, int width = 32)
{
    v.__x = (unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, delta, width);
    return v;
}
LOCKSTEP_D __half2
__shfl_down_sync(unsigned int mask, __half2 v, unsigned int delta, int width = 32)
{
    return __builtin_bit_cast(
        __half2, __shfl_down_sync(mask, __builtin_bit_cast(unsigned int, v), delta, width));
}
LOCKSTEP_D __half
__shfl_xor_sync(unsigned int mask, __half v, int lanes, int width = 32)
{
    v.__x = (unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lanes, width);
    return v;
}
LOCKSTEP_D __half2
__shfl_xor_sync(unsigned int mask, __half2 v, int lanes, int width = 32)
{
    return __builtin_bit_cast(
        __half2, __shfl_xor_sync(mask, __builtin_bit_cast(unsigned int, v), lanes, width));
}
LOCKSTEP_D __half
__ldg(const __half *p)
{
    return __builtin_bit_cast(__half, __ldg((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldg(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldg((const unsigned int *)p));
}
LOCKSTEP_D __half
__ldcg(const __half *p)
{
    return __builtin_bit_cast(__half, __ldcg((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldcg(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldcg((const unsigned int *)p));
}
LOCKSTEP_D __half
__ldca(const __half *p)
{
    return __builtin_bit_cast(__half, __ldca((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldca(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldca((const unsigned int *)p));
}
LOCKSTEP_D __half
__ldcs(const __half *p)
{
    return __builtin_bit_cast(__half, __ldcs((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldcs(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldcs((const unsigned int *)p));
}
LOCKSTEP_D __half
__ldlu(const __half *p)
{
    return __builtin_bit_cast(__half, __ldlu((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldlu(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldlu((const unsigned int *)p));
}
LOCKSTEP_D __half
__ldcv(const __half *p)
{
    return __builtin_bit_cast(__half, __ldcv((const unsigned short *)p));
}
LOCKSTEP_D __half2
__ldcv(const __half2 *p)
{
    return __builtin_bit_cast(__half2, __ldcv((const unsigned int *)p));
}
LOCKSTEP_D void
__stwb(__half *p, __half v)
{
    __stwb((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stwb(__half2 *p, __half2 v)
{
    __stwb((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stcg(__half *p, __half v)
{
    __stcg((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stcg(__half2 *p, __half2 v)
{
    __stcg((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stcs(__half *p, __half v)
{
    __stcs((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stcs(__half2 *p, __half2 v)
{
    __stcs((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D void
__stwt(__half *p, __half v)
{
    __stwt((unsigned short *)p, v.__x);
}
LOCKSTEP_D void
__stwt(__half2 *p, __half2 v)
{
    __stwt((unsigned int *)p, __builtin_bit_cast(unsigned int, v));
}
LOCKSTEP_D __half
atomicAdd(__half *address, __half v)
{
    __half old;
    __asm__ __volatile__("atom.add.noftz.f16 %0, [%1], %2;"
                         : "=h"(old.__x)
                         : "l"(address), "h"(v.__x)
                         : "memory");
    return old;
}
LOCKSTEP_D __half2
atomicAdd(__half2 *address, __half2 v)
{
    unsigned int old;
    __asm__ __volatile__("atom.add.noftz.f16x2 %0, [%1], %2;"
                         : "=r"(old)
                         : "l"(address), "r"(__builtin_bit_cast(unsigned int, v))
                         : "memory");
    return __builtin_bit_cast(__half2, old);
}

#endif

#undef LOCKSTEP_HD
#undef LOCKSTEP_D
#include "crt/quiet_end.h"

#endif

#endif
