/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/parts.h: parts of numbers, rounding, remainders.
 */
#ifndef LOCKSTEP_DEVICE_PTX_PARTS_H
#define LOCKSTEP_DEVICE_PTX_PARTS_H

#include "base.h"

/* -- parts of numbers -------------------------------------------------------------------------- */

FUNCTION(double, ldexp, double x, int e)
{
    return scaled(x, e);
}
FUNCTION(float, ldexpf, float x, int e)
{
    return (float)scaled((double)x, e < -400 ? -400 : e > 400 ? 400 : e);
}
FUNCTION(double, scalbn, double x, int e)
{
    return scaled(x, e);
}
FUNCTION(float, scalbnf, float x, int e)
{
    return __nv_ldexpf(x, e);
}

/* The exponent of a finite x that is not 0: 1 <= |x| / 2^e < 2. */
INLINE int
exponent(double x)
{
    u64 b = bits(ABS(x));
    return b >> 52 ? (int)(b >> 52) - 1023 : -1011 - __builtin_clzll(b);
}
FUNCTION(double, frexp, double x, int *e)
{
    *e = 0;
    if (!(ABS(x) < INF) || x == 0)
        return x;
    *e = exponent(x) + 1;
    return scaled(x, -*e);
}
FUNCTION(float, frexpf, float x, int *e)
{
    return (float)__nv_frexp((double)x, e);
}
D1(logb, x)
{
    return x == 0 ? -INF : ABS(x) < INF ? exponent(x) : x * x;
}
F1(logb)
FUNCTION(int, ilogb, double x)
{
    return x == 0 || is_nan(x) ? -2147483647 - 1 : ABS(x) == INF ? 2147483647 : exponent(x);
}
FUNCTION(int, ilogbf, float x)
{
    return __nv_ilogb((double)x);
}
FUNCTION(double, modf, double x, double *whole)
{
    *whole = ABS(x) < 0x1p53 ? with_sign((double)(s64)x, x) : x;
    return is_nan(x) ? x : with_sign(ABS(x) == INF ? 0 : x - *whole, x);
}
FUNCTION(float, modff, float x, float *whole)
{
    double w;
    float part = (float)__nv_modf((double)x, &w);
    *whole = (float)w;
    return part;
}
D2(nextafter, x, y)
{
    if (is_nan(x) || is_nan(y))
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return with_sign(0x1p-1074, y);
    return from_bits(bits(x) + ((x < y) == (x > 0) ? 1 : -1ull));
}
FUNCTION(float, nextafterf, float x, float y)
{
    unsigned b;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return __builtin_copysignf(0x1p-149f, y);
    __builtin_memcpy(&b, &x, 4);
    b += (x < y) == (x > 0) ? 1u : -1u;
    __builtin_memcpy(&x, &b, 4);
    return x;
}
FUNCTION(double, nan, const signed char *tag)
{
    (void)tag;
    return NAN_;
}
FUNCTION(float, nanf, const signed char *tag)
{
    (void)tag;
    return __builtin_nanf("");
}

/* -- remainders -------------------------------------------------------------------------------- */

/* |x| mod |y| for finite x and y other than 0, and the quotient's low bits: long division. */
INLINE double
divide(double x, double y, u64 *quotient)
{
    double a = ABS(x), b = ABS(y);
    *quotient = 0;
    if (a < b)
        return a;
    int ea = exponent(a), eb = exponent(b);
    u64 m = (u64)scaled(scaled(a, -ea), 52), d = (u64)scaled(scaled(b, -eb), 52), q = 0;
    for (int k = ea - eb; k >= 0; k--) {
        q <<= 1;
        if (m >= d) {
            m -= d;
            q |= 1;
        }
        if (k)
            m <<= 1;
    }
    *quotient = q;
    return scaled(scaled((double)m, -52), eb);
}

D2(fmod, x, y)
{
    u64 q;
    if (is_nan(x) || is_nan(y) || ABS(x) == INF || y == 0)
        return NAN_;
    return ABS(y) == INF ? x : with_sign(divide(x, y, &q), x);
}
F2(fmod)

FUNCTION(double, remquo, double x, double y, int *quotient)
{
    u64 q = 0;
    *quotient = 0;
    if (is_nan(x) || is_nan(y) || ABS(x) == INF || y == 0)
        return NAN_;
    if (ABS(y) == INF)
        return x;
    double b = ABS(y), r = divide(x, y, &q), half = 0.5 * b;
    /* Where b/2 is not exact b is subnormal: then 2 r is. */
    int above = b < 0x1p-1000 ? 2 * r > b : r > half, same = b < 0x1p-1000 ? 2 * r == b : r == half;
    if (above || (same && (q & 1))) {
        r -= b;
        q++;
    }
    *quotient = (x < 0) != (y < 0) ? -(int)(q & 0x7fffffff) : (int)(q & 0x7fffffff);
    return r == 0 ? with_sign(0, x) : x < 0 ? -r : r;
}
FUNCTION(float, remquof, float x, float y, int *quotient)
{
    return (float)__nv_remquo((double)x, (double)y, quotient);
}
D2(remainder, x, y)
{
    int q;
    return __nv_remquo(x, y, &q);
}
F2(remainder)

#endif
