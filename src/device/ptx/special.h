/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/special.h: the error function, gamma and Bessel functions.
 */
#ifndef LOCKSTEP_DEVICE_PTX_SPECIAL_H
#define LOCKSTEP_DEVICE_PTX_SPECIAL_H

#include "roots.h"

/* -- error function and kin -------------------------------------------------------------------- */

/* |x| < 2: 2/sqrt(pi) e^(-x^2) x sum (2 x^2)^n / (1 3 5 ... (2n+1)): all terms positive */
INLINE double
erf_series(double x)
{
    double z = 2 * x * x, term = 1, sum = 1;
    for (int n = 1; n < 60; n++) {
        term *= z / (2 * n + 1);
        sum += term;
    }
    struct pair p = two_product(x, x);
    return TWO_SQRTPI * x * sum * exp_of(-p.h, -p.l);
}

/* x >= 1: e^(x^2) erfc x as a continued fraction, from its end */
INLINE double
erfcx_fraction(double x)
{
    double t = x;
    for (int n = x < 2 ? 160 : x < 4 ? 60 : 24; n > 0; n--)
        t = x + 0.5 * n / t;
    return 0.5 * TWO_SQRTPI / t;
}

D1(erfcx, x)
{
    if (is_nan(x))
        return x;
    if (x >= 1)
        return erfcx_fraction(x);
    struct pair p = two_product(x, x);
    if (x > -1)
        return (1 - erf_series(x)) * exp_of(p.h, p.l);
    return 2 * exp_of(p.h, p.l) - erfcx_fraction(-x);
}
F1(erfcx)

D1(erfc, x)
{
    if (is_nan(x))
        return x;
    if (x < 1)
        return x < -6
                   ? 2
                   : 1 - (x > -2 ? erf_series(x) : -(1 - erfcx_fraction(-x) * exp_of(-x * x, 0)));
    if (x > 28)
        return 0;
    struct pair p = two_product(x, x);
    return erfcx_fraction(x) * exp_of(-p.h, -p.l);
}
F1(erfc)

D1(erf, x)
{
    double a = ABS(x);
    if (is_nan(x) || x == 0)
        return x;
    return a < 2 ? erf_series(x) : with_sign(a > 6 ? 1 : 1 - __nv_erfc(a), x);
}
F1(erf)

D1(normcdf, x)
{
    return 0.5 * __nv_erfc(-x * SQRT1_2);
}
F1(normcdf)

/* y with erfc y = p, 0 < p < 2: a rough start, then Newton's steps with the second derivative. */
D1(erfcinv, p)
{
    if (!(p >= 0 && p <= 2))
        return NAN_;
    if (p == 0 || p == 2)
        return p == 0 ? INF : -INF;
    double q = p > 1 ? 2 - p : p, t = SQRT(-2 * __nv_log(0.5 * q));
    double y = SQRT1_2 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
    for (int k = 0; k < 3; k++) {
        double error = __nv_erfc(y) - q, step = error / (TWO_SQRTPI * exp_of(-y * y, 0));
        y += step / (1 + y * step);
    }
    return p > 1 ? -y : y;
}
F1(erfcinv)

D1(erfinv, x)
{
    double a = ABS(x);
    if (!(a <= 1))
        return NAN_;
    if (a == 1)
        return with_sign(INF, x);
    if (a > 0.5)
        return with_sign(__nv_erfcinv(1 - a), x);
    double y = a / TWO_SQRTPI;
    for (int k = 0; k < 4; k++) {
        double step = (erf_series(y) - a) / (TWO_SQRTPI * exp_of(-y * y, 0));
        y -= step / (1 + y * step);
    }
    return a == 0 ? x : with_sign(y, x);
}
F1(erfinv)

D1(normcdfinv, p)
{
    return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * p);
}
FUNCTION(float, normcdfinvf, float p)
{
    return (float)__nv_normcdfinv((double)p);
}

/* -- gamma; log gamma near its zeros 1 and 2 is right to 2^-50, not to its last places --------- */

/* log gamma for x >= 10: Stirling's series */
INLINE double
stirling(double x)
{
    double z = 1 / (x * x), p = -0x1.e4286cb0f5398p-6;
    p = FMA(p, z, 0x1.a41a41a41a41ap-8);
    p = FMA(p, z, -0x1.f6ab0d9993c7dp-10);
    p = FMA(p, z, 0x1.b951e2b18ff23p-11);
    p = FMA(p, z, -0x1.3813813813814p-11);
    p = FMA(p, z, 0x1.a01a01a01a01ap-11);
    p = FMA(p, z, -0x1.6c16c16c16c17p-9);
    return FMA(p, z, 0x1.5555555555555p-4) / x;
}

D1(lgamma, x)
{
    double a = ABS(x), down = 1, y = a;
    if (!(a < INF))
        return a == INF ? INF : x;
    if (x <= 0 && is_whole(x))
        return INF;
    while (y < 10) {
        down *= y;
        y += 1;
    }
    double r = (y - 0.5) * __nv_log(y) - y + SQRT_2PI_LOG + stirling(y);
    if (down != 1)
        r -= __nv_log(down);
    return x < 0 ? __nv_log(PI_H / (a * ABS(__nv_sinpi(a)))) - r : r;
}
F1(lgamma)

D1(tgamma, x)
{
    double a = ABS(x), down = 1, y = a;
    if (is_nan(x) || x == INF)
        return x;
    if (x == 0)
        return with_sign(INF, x);
    if (x < 0 && is_whole(x))
        return NAN_;
    if (a > 180)
        return x > 0 ? INF : 0;
    while (y < 10) {
        down *= y;
        y += 1;
    }
    /* y^(y - 1/2) in two halves: the whole may overflow where the result does not */
    struct pair l = log_pair(y), p = two_product(0.5 * (y - 0.5), l.h);
    double half = exp_of(p.h, FMA(0.5 * (y - 0.5), l.l, p.l));
    double e = exp_of(-y, stirling(y)) * 0x1.40d931ff62706p+1; /* sqrt(2 pi) */
    double r = half * e * half / down;
    return x > 0 ? r : -PI_H / (a * __nv_sinpi(a) * r);
}
F1(tgamma)
/* -- Bessel functions -------------------------------------------------------------------------- */

struct bessel {
    double j0, j1, jn, y0, y1;
};

/* x >= 40: Hankel's expansions; 2 / (pi x) under a root times a wave of slowly changing phase. */
INLINE struct pair
hankel(double x, int n)
{
    double mu = 4.0 * n * n, p = 1, q = 0, term = 1;
    for (int k = 1; k < 24; k++) {
        term *= (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * x * k);
        switch (k & 3) {
        case 1: q += term; break;
        case 2: p -= term; break;
        case 3: q -= term; break;
        default: p += term;
        }
    }
    /* cos and sin of x - (2 n + 1) pi / 4 */
    double s = __nv_sin(x), c = __nv_cos(x), a = n ? (s - c) * SQRT1_2 : (c + s) * SQRT1_2,
           b = n ? -(c + s) * SQRT1_2 : (s - c) * SQRT1_2, root = SQRT(2 / (PI_H * x));
    return (struct pair){root * (p * a - q * b), root * (p * b + q * a)}; /* J, Y */
}

/* 0 < x < 40: J_k for all k by the recurrence downward, from where it is nothing; their sum
 * J_0 + 2 (J_2 + J_4 + ...) is 1. Y_0 and Y_1 are Neumann's series of them. */
INLINE struct bessel
bessel_small(double x, int n)
{
    const double euler = 0x1.2788cfc6fb619p-1;
    int top = 2 * ((int)(0.5 * (x > n ? x : n)) + 30);
    double above = 0, here = 0x1p-300, sum = 0, y0 = 0, y1 = 0, jn = 0;
    for (int k = top; k > 0; k--) {
        if (k == n)
            jn = here;
        if (k % 2 == 0) {
            sum += 2 * here;
            y0 += (k % 4 ? -here : here) * 2 / k;
        } else if (k > 1) {
            int m = (k - 1) / 2;
            y1 += (m % 2 ? -here : here) * k / ((double)m * (m + 1));
        }
        double below = 2 * k / x * here - above;
        above = here;
        here = below;
        if (ABS(here) > 0x1p300) {
            here *= 0x1p-600;
            above *= 0x1p-600;
            sum *= 0x1p-600;
            y0 *= 0x1p-600;
            y1 *= 0x1p-600;
            jn *= 0x1p-600;
        }
    }
    double scale = 1 / (sum + here), l = __nv_log(0.5 * x) + euler;
    struct bessel r = {here * scale, above * scale, n == 0 ? here * scale : jn * scale, 0, 0};
    r.y0 = 2 / PI_H * (l * r.j0 - 2 * y0 * scale);
    r.y1 = 2 / PI_H * (-r.j0 / x + (l - 1) * r.j1 - y1 * scale);
    return r;
}

D1(j0, x)
{
    double a = ABS(x);
    if (!(a < INF))
        return is_nan(x) ? x : 0;
    return a == 0 ? 1 : a < 40 ? bessel_small(a, 0).j0 : hankel(a, 0).h;
}
F1(j0)
D1(j1, x)
{
    double a = ABS(x), r;
    if (!(a < INF))
        return is_nan(x) ? x : 0;
    r = a < 0x1p-30 ? 0.5 * a : a < 40 ? bessel_small(a, 0).j1 : hankel(a, 1).h;
    return x < 0 ? -r : r;
}
F1(j1)
D1(y0, x)
{
    if (!(x > 0) || x == INF)
        return x == 0 ? -INF : x == INF ? 0 : NAN_;
    return x < 40 ? bessel_small(x, 0).y0 : hankel(x, 0).l;
}
F1(y0)
D1(y1, x)
{
    if (!(x > 0) || x == INF)
        return x == 0 ? -INF : x == INF ? 0 : NAN_;
    return x < 0x1p-40 ? -2 / (PI_H * x) : x < 40 ? bessel_small(x, 0).y1 : hankel(x, 1).l;
}
F1(y1)

/* Upward from the two first: right for Y always, for J while k < x. */
INLINE double
upward(double a, double b, double x, int n)
{
    for (int k = 1; k < n; k++) {
        double next = 2 * k / x * b - a;
        a = b;
        b = next;
    }
    return n == 0 ? a : b;
}
FUNCTION(double, jn, int n, double x)
{
    double a = ABS(x), r;
    if (n < 0)
        return NAN_;
    if (!(a < INF) || a == 0)
        return is_nan(x) ? x : a == 0 && n == 0 ? 1 : 0;
    if (a < 0x1p-100)
        return n == 0 ? 1 : n == 1 ? 0.5 * x : 0;
    r = n < a ? upward(__nv_j0(a), __nv_j1(a), a, n) : bessel_small(a, n).jn;
    return x < 0 && (n & 1) ? -r : r;
}
FUNCTION(float, jnf, int n, float x)
{
    return (float)__nv_jn(n, (double)x);
}
FUNCTION(double, yn, int n, double x)
{
    if (n < 0 || !(x > 0))
        return n >= 0 && x == 0 ? -INF : NAN_;
    double r = upward(__nv_y0(x), __nv_y1(x), x, n);
    return is_nan(r) ? -INF : r;
}
FUNCTION(float, ynf, int n, float x)
{
    return (float)__nv_yn(n, (double)x);
}

/* I_n(x): the mean of e^(x cos t) cos n t over a turn, which so many points give exactly. */
INLINE double
modified(double x, int n)
{
    double a = ABS(x), sum = 0;
    if (!(a < INF))
        return is_nan(x) ? x : n && x < 0 ? -INF : INF;
    if (a > 700) { /* the expansion for large x, in two factors that do not overflow */
        double mu = 4.0 * n * n, term = 1, series = 1, half = exp_of(0.5 * a, 0);
        for (int k = 1; k < 20; k++) {
            term *= -(mu - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * a * k);
            series += term;
        }
        sum = half * (series / SQRT(2 * PI_H * a)) * half;
        return n && x < 0 ? -sum : sum;
    }
    int points = 32 + (int)(8 * SQRT(a)) + (a < 20 ? (int)(2 * a) : 40);
    for (int k = 0; k <= points; k++) {
        double t = (double)k / points, c = __nv_cospi(t), e = exp_of(a * c, 0) * (n ? c : 1);
        sum += k == 0 || k == points ? 0.5 * e : e;
    }
    sum /= points;
    if (n && a < 0x1p-8) /* where the sum is a difference of near ones */
        sum = 0.5 * a * (1 + a * a / 8 * (1 + a * a / 24));
    return n && x < 0 ? -sum : sum;
}
D1(cyl_bessel_i0, x)
{
    return modified(x, 0);
}
F1(cyl_bessel_i0)
D1(cyl_bessel_i1, x)
{
    return modified(x, 1);
}
F1(cyl_bessel_i1)

#endif
