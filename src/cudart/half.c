/* SPDX-License-Identifier: Apache-2.0
 *
 * half.c: conversions between half and other floating-point numbers in host code.
 *
 * A compiler for x86-64 that may not use F16C calls __extendhfsf2, __truncsfhf2 and __truncdfhf2
 * for them (GCC internals, "Routines for floating point emulation"), which libgcc has in
 * software: 4.6 to 5.5 ns each. A program of `lockstep cc` is linked with this library first and
 * finds them here, as one instruction where the processor has F16C: 1.8 to 2.6 ns. They round to
 * the nearest, to even between two, and keep a NaN's upper bits.
 */
#include "cudart/cudart.h"

#include <string.h>

/* -- in software ------------------------------------------------------------------------------- */

static uint32_t
bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float
float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

float
half_widen_plain(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = (uint32_t)(h & 0x7fff) << 13;
    if (rest >= 0x7c00u << 13) /* infinity, NaN (a quiet one) */
        return float_of(sign | 0x7f800000 | rest | (rest > 0x7c00u << 13 ? 0x400000 : 0));
    /* The exponent's bias, 15, becomes 127; numbers below 2^-14 come out exact as well. */
    return float_of(sign | bits_of(float_of(rest) * 0x1p112f));
}

uint16_t
half_of_float_plain(float v)
{
    uint32_t bits = bits_of(v), magnitude = bits & 0x7fffffff;
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000) /* 65520: halfway to what would be 2^16 */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) /* below 2^-14: as many 2^-24s, rounded by an addition */
        return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((magnitude - 0x38000000) >> 13));
}

/* The float towards zero, its last bit set if that is not all of v: to round that to the eleven
 * bits of a half gives what rounding v would. */
static float
odd_float(double v)
{
    float f = (float)v;
    if (v != v || (double)f == v)
        return f;
    uint32_t bits = bits_of(f);
    bits -= (double)f > v ? v > 0 : v < 0; /* away from zero: one back */
    return float_of(bits | 1);
}

uint16_t
half_of_double_plain(double v)
{
    return half_of_float_plain(odd_float(v));
}

/* -- what compilers call ----------------------------------------------------------------------- */

#ifdef __x86_64__
#include <immintrin.h>

/* A half travels in the lower 16 bits of a vector register (System V ABI, 3.2.3). */
float half_extend_float(__m128i h) __asm__("__extendhfsf2");
__m128i half_truncate_float(float v) __asm__("__truncsfhf2");
__m128i half_truncate_double(double v) __asm__("__truncdfhf2");

__attribute__((target("avx,f16c"))) static float
widen(__m128i h)
{
    return _mm_cvtss_f32(_mm_cvtph_ps(h));
}

__attribute__((target("avx,f16c"))) static __m128i
narrow(float v)
{
    return _mm_cvtps_ph(_mm_set_ss(v), _MM_FROUND_TO_NEAREST_INT);
}

__attribute__((visibility("default"))) float
half_extend_float(__m128i h)
{
    return __builtin_cpu_supports("f16c") ? widen(h)
                                          : half_widen_plain((uint16_t)_mm_extract_epi16(h, 0));
}

__attribute__((visibility("default"))) __m128i
half_truncate_float(float v)
{
    return __builtin_cpu_supports("f16c") ? narrow(v) : _mm_cvtsi32_si128(half_of_float_plain(v));
}

__attribute__((visibility("default"))) __m128i
half_truncate_double(double v)
{
    return half_truncate_float(odd_float(v));
}
#endif
