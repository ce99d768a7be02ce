/* SPDX-License-Identifier: Apache-2.0
 *
 * Number formats for the tests, exactly and slowly: a code becomes a long double, a long double is
 * rounded to a code by arithmetic on the scaled significand. Shares nothing with
 * src/jit/ops/round.c.
 */
#ifndef LOCKSTEP_TESTS_JIT_REFERENCE_H
#define LOCKSTEP_TESTS_JIT_REFERENCE_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum ref_mode { REF_RN, REF_RZ, REF_RM, REF_RP, REF_RNA };

struct ref_format {
    int e, m;      /* bits of exponent and mantissa */
    bool inf, nan; /* has infinities; has NaNs (without infinities: all ones only) */
};

static const struct ref_format fmt_f64 = {11, 52, true, true}, fmt_f32 = {8, 23, true, true},
                               fmt_f16 = {5, 10, true, true}, fmt_bf16 = {8, 7, true, true},
                               fmt_tf32 = {8, 10, true, true}, fmt_e4m3 = {4, 3, false, true},
                               fmt_e5m2 = {5, 2, true, true}, fmt_e3m2 = {3, 2, false, false},
                               fmt_e2m3 = {2, 3, false, false}, fmt_e2m1 = {2, 1, false, false};

static inline long double
ref_decode(uint64_t code, const struct ref_format *f)
{
    int bias = (1 << (f->e - 1)) - 1, top = (1 << f->e) - 1;
    uint64_t mantissa = code & ((UINT64_C(1) << f->m) - 1);
    int exponent = (int)(code >> f->m) & top;
    long double sign = code >> (f->e + f->m) & 1 ? -1 : 1;
    if (exponent == top && f->inf)
        return mantissa ? (long double)NAN : sign * INFINITY;
    if (exponent == top && f->nan && mantissa == (UINT64_C(1) << f->m) - 1)
        return NAN;
    if (exponent == 0)
        return sign * ldexpl((long double)mantissa, 1 - bias - f->m);
    return sign * ldexpl((long double)(mantissa | UINT64_C(1) << f->m), exponent - bias - f->m);
}

/* The largest finite code, without sign. */
static inline uint64_t
ref_largest(const struct ref_format *f)
{
    uint64_t all = (UINT64_C(1) << (f->e + f->m)) - 1;
    if (f->inf)
        return (((UINT64_C(1) << f->e) - 1) << f->m) - 1;
    return f->nan ? all - 1 : all;
}

static inline uint64_t
ref_overflow(const struct ref_format *f, bool negative, enum ref_mode mode, bool finite)
{
    bool to_inf = mode == REF_RN || mode == REF_RNA || (mode == REF_RP && !negative) ||
                  (mode == REF_RM && negative);
    return ref_largest(f) + (f->inf && !finite && to_inf);
}

static inline uint64_t
ref_encode(long double x, const struct ref_format *f, enum ref_mode mode, bool finite)
{
    int bias = (1 << (f->e - 1)) - 1, width = f->e + f->m;
    if (isnan(x))
        return f->nan ? (UINT64_C(1) << width) - 1 : ref_largest(f);
    bool negative = signbit(x);
    uint64_t sign = (uint64_t)negative << width;
    long double a = fabsl(x);
    if (a == 0)
        return sign;
    if (isinf(a))
        return sign | (ref_largest(f) + (f->inf && !finite));
    int e = ilogbl(a);
    if (e < 1 - bias)
        e = 1 - bias;
    long double q = ldexpl(a, f->m - e), r, low = floorl(q), rest = q - low;
    bool odd = fmodl(low, 2) != 0, up;
    switch (mode) {
    case REF_RN: up = rest > 0.5L || (rest == 0.5L && odd); break;
    case REF_RNA: up = rest >= 0.5L; break;
    case REF_RZ: up = false; break;
    default: up = rest > 0 && negative == (mode == REF_RM); break;
    }
    r = low + up;
    if (r >= ldexpl(1, f->m + 1)) {
        r /= 2;
        e++;
    }
    uint64_t code = (uint64_t)r;
    if (code >> f->m)
        code += (uint64_t)(e + bias - 1) << f->m;
    if (code > ref_largest(f))
        code = ref_overflow(f, negative, mode, finite);
    return sign | code;
}

/* m * 2^e of a finite number. */
static inline int64_t
ref_split(long double x, int *e)
{
    if (x == 0) {
        *e = 0;
        return 0;
    }
    *e = ilogbl(x) - 60;
    int64_t m = (int64_t)ldexpl(x, -*e);
    while (m % 2 == 0) {
        m /= 2;
        ++*e;
    }
    return m;
}

/* x * y + z of numbers of few digits, as a long double that rounds like the exact sum to any format
 * of at most 50 digits: what lies below its last digit is gathered there. */
static inline long double
ref_fma_sticky(long double x, long double y, long double z)
{
    long double product = x * y; /* few digits: exact */
    if (!isfinite(product) || !isfinite(z) || product == 0 || z == 0)
        return product + z;
    int ep, ez;
    __int128 p = ref_split(product, &ep), c = ref_split(z, &ez), sum;
    int e;
    if (ep - ez > 90 || ez - ep > 90) { /* the small one only shows in the sticky digit */
        bool product_large = ep > ez;
        __int128 large = product_large ? p : c, small = product_large ? c : p;
        sum = large * ((__int128)1 << 62) + (small > 0 ? 1 : -1);
        e = (product_large ? ep : ez) - 62;
    } else if (ep > ez) {
        sum = p * ((__int128)1 << (ep - ez)) + c;
        e = ez;
    } else {
        sum = c * ((__int128)1 << (ez - ep)) + p;
        e = ep;
    }
    bool negative = sum < 0;
    unsigned __int128 a = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
    for (; a >> 62; e++)
        a = a >> 1 | (a & 1);
    long double r = ldexpl((long double)(uint64_t)a, e);
    return sum == 0 ? product + z : negative ? -r : r;
}

static inline float
ref_float(uint64_t bits)
{
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, 4);
    return f;
}

static inline double
ref_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static inline uint64_t
ref_bits32(float f)
{
    uint32_t w;
    memcpy(&w, &f, 4);
    return w;
}

static inline uint64_t
ref_bits64(double d)
{
    uint64_t w;
    memcpy(&w, &d, 8);
    return w;
}

static inline float
ref_flush(float f)
{
    return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static inline void
ref_set_mode(enum ref_mode m)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[m]);
}

#endif
