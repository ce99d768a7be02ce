/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/exponential.h: exponentials and logarithms, powers.
 */
#ifndef LOCKSTEP_DEVICE_PTX_EXPONENTIAL_H
#define LOCKSTEP_DEVICE_PTX_EXPONENTIAL_H

#include "base.h"

/* -- exponentials ------------------------------------------------------------------------------ */

/* (e^r - 1 - r) / r^2 for |r| < 0.36: Taylor's series; the term left away is below 2^-58. */
INLINE double
exp_tail(double r)
{
    double p = 1.0 / 1307674368000.0;
    p = FMA(p, r, 1.0 / 87178291200.0);
    p = FMA(p, r, 1.0 / 6227020800.0);
    p = FMA(p, r, 1.0 / 479001600.0);
    p = FMA(p, r, 1.0 / 39916800.0);
    p = FMA(p, r, 1.0 / 3628800.0);
    p = FMA(p, r, 1.0 / 362880.0);
    p = FMA(p, r, 1.0 / 40320.0);
    p = FMA(p, r, 1.0 / 5040.0);
    p = FMA(p, r, 1.0 / 720.0);
    p = FMA(p, r, 1.0 / 120.0);
    p = FMA(p, r, 1.0 / 24.0);
    p = FMA(p, r, 1.0 / 6.0);
    return FMA(p, r, 0.5);
}

/* e^(h + l), |l| small. */
INLINE double
exp_of(double h, double l)
{
    if (is_nan(h))
        return h;
    if (h > 709.79)
        return INF;
    if (h < -745.2)
        return 0;
    double k = nearest(h * LOG2E);
    double r = FMA(-k, LN2_H, h), low = FMA(-k, LN2_L, l), s = r + low;
    low = (r - s) + low;
    return scaled(1 + (s + FMA(s * s, exp_tail(s), low)), (int)k);
}

D1(exp, x)
{
    return exp_of(x, 0);
}
F1(exp)

D1(exp2, x)
{
    if (!(ABS(x) < 1100))
        return is_nan(x) ? x : x > 0 ? INF : 0;
    double k = nearest(x), r = (x - k) * LN2;
    return scaled(1 + FMA(r * r, exp_tail(r), r), (int)k);
}
F1(exp2)

D1(exp10, x)
{
    if (!(ABS(x) < 330))
        return is_nan(x) ? x : x > 0 ? INF : 0;
    double k = nearest(x * LOG2_10), r = FMA(-k, LOG10_2L, FMA(-k, LOG10_2H, x)) * LN10;
    return scaled(1 + FMA(r * r, exp_tail(r), r), (int)k);
}
F1(exp10)

D1(expm1, x)
{
    if (is_nan(x) || x == 0)
        return x;
    if (x > 40)
        return exp_of(x, 0);
    if (x < -40)
        return -1;
    double k = nearest(x * LOG2E), r = FMA(-k, LN2_H, x), low = -k * LN2_L, s = r + low;
    low = (r - s) + low;
    double e = s + FMA(s * s, exp_tail(s), low), t = scaled(1, (int)k);
    return FMA(t, e, t - 1);
}
F1(expm1)

/* -- logarithms -------------------------------------------------------------------------------- */

/* x = 2^k * m, sqrt(1/2) <= m < sqrt(2); x > 0, finite. */
INLINE double
split(double x, int *k)
{
    int more = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        more = -54;
    }
    u64 b = bits(x);
    int e = (int)(b >> 52) - 1023;
    double m = from_bits((b & 0xfffffffffffffull) | 1023ull << 52);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        e++;
    }
    *k = e + more;
    return m;
}

/* 2/3 + 2/5 z + 2/7 z^2 + ..., z <= 0.0295 */
INLINE double
atanh_tail(double z)
{
    double p = 2.0 / 25;
    p = FMA(p, z, 2.0 / 23);
    p = FMA(p, z, 2.0 / 21);
    p = FMA(p, z, 2.0 / 19);
    p = FMA(p, z, 2.0 / 17);
    p = FMA(p, z, 2.0 / 15);
    p = FMA(p, z, 2.0 / 13);
    p = FMA(p, z, 2.0 / 11);
    p = FMA(p, z, 2.0 / 9);
    p = FMA(p, z, 2.0 / 7);
    p = FMA(p, z, 2.0 / 5);
    return FMA(p, z, 2.0 / 3);
}

/* log m for m near 1: with s = f / (2 + f), log m = f - s (f - z q) where z = s^2, q the tail. */
INLINE double
log_near_1(double m)
{
    double f = m - 1, s = f / (2 + f), z = s * s;
    return f - s * (f - z * atanh_tail(z));
}

INLINE int
log_special(double x, double *out)
{
    if (x > 0 && x < INF)
        return 0;
    *out = is_nan(x) || x == INF ? x : x == 0 ? -INF : NAN_;
    return 1;
}

D1(log, x)
{
    double r;
    int k;
    if (log_special(x, &r))
        return r;
    double m = split(x, &k), f = m - 1, s = f / (2 + f), z = s * s;
    /* f - s (f - z q), the small parts first */
    return FMA(k, LN2_H, f - (s * (f - z * atanh_tail(z)) - k * LN2_L));
}
F1(log)

D1(log2, x)
{
    double r;
    int k;
    if (log_special(x, &r))
        return r;
    double m = split(x, &k);
    return FMA(log_near_1(m), LOG2E, k);
}
F1(log2)

D1(log10, x)
{
    double r;
    int k;
    if (log_special(x, &r))
        return r;
    double m = split(x, &k);
    return FMA(k, LOG10_2H, FMA(log_near_1(m), LOG10E, k * LOG10_2L));
}
F1(log10)

D1(log1p, x)
{
    double u = 1 + x;
    if (is_nan(x) || x == INF || x == 0)
        return x;
    if (u <= 0)
        return x == -1 ? -INF : NAN_;
    return ABS(x) < 0x1p-53 ? x : __nv_log(u) + (x - (u - 1)) / u;
}
F1(log1p)

/* log x with 100 bits or so. */
INLINE struct pair
log_pair(double x)
{
    int k;
    double m = split(x, &k), f = m - 1, t = 2 + f, t_low = f - (t - 2);
    struct pair s = {f / t, 0};
    s.l = (FMA(-s.h, t, f) - s.h * t_low) / t;
    struct pair z = multiply(s, s), cube = multiply(s, z);
    const struct pair two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
    double rest = (atanh_tail(z.h) - two_thirds.h) * cube.h; /* less than 2^-13 of the sum */
    struct pair sum = add((struct pair){2 * s.h, 2 * s.l}, multiply(cube, two_thirds));
    sum = add(sum, (struct pair){rest, 0});
    struct pair low = two_product(k, LN2_L);
    return add(add((struct pair){k * LN2_H, 0}, low), sum);
}

INLINE int
is_whole(double x)
{
    return ABS(x) >= 0x1p53 || (double)(s64)x == x;
}
INLINE int
is_odd(double x)
{
    return ABS(x) < 0x1p53 && is_whole(x) && ((s64)x & 1);
}

/* The cases of C's annex F. */
D2(pow, x, y)
{
    double a = ABS(x);
    if (y == 0 || x == 1)
        return 1;
    if (is_nan(x) || is_nan(y))
        return x + y;
    if (ABS(y) == INF)
        return a == 1 ? 1 : (a > 1) == (y > 0) ? INF : 0;
    double sign = x < 0 || (x == 0 && bits(x) >> 63) ? (is_odd(y) ? -1 : 1) : 1;
    if (a == INF || a == 0)
        return sign * ((a == 0) == (y < 0) ? INF : 0);
    if (x < 0 && !is_whole(y))
        return NAN_;
    struct pair l = log_pair(a);
    if (ABS(y) > 0x1p70) /* beyond every finite result unless log is 0 */
        return l.h == 0 ? sign : sign * ((l.h > 0) == (y > 0) ? INF : 0);
    struct pair p = two_product(y, l.h);
    return sign * exp_of(p.h, FMA(y, l.l, p.l));
}
F2(pow)
FUNCTION(double, powi, double x, int n)
{
    return __nv_pow(x, n);
}
FUNCTION(float, powif, float x, int n)
{
    return (float)__nv_pow((double)x, n);
}

#endif
