/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/roots.h: hyperbolic functions, roots and norms.
 */
#ifndef LOCKSTEP_DEVICE_PTX_ROOTS_H
#define LOCKSTEP_DEVICE_PTX_ROOTS_H

#include "trigonometric.h"

/* -- hyperbolic ones --------------------------------------------------------------------------- */

D1(sinh, x)
{
    double a = ABS(x), r;
    if (is_nan(x) || a < 0x1p-28)
        return x;
    if (a > 709) {
        r = exp_of(0.5 * a, 0);
        r = 0.5 * r * r;
    } else {
        double t = __nv_expm1(a);
        r = a < 1 ? 0.5 * (2 * t - t * t / (t + 1)) : 0.5 * (t + t / (t + 1));
    }
    return with_sign(r, x);
}
F1(sinh)

D1(cosh, x)
{
    double a = ABS(x);
    if (a > 709) {
        double r = exp_of(0.5 * a, 0);
        return 0.5 * r * r;
    }
    double e = exp_of(a, 0);
    return 0.5 * e + 0.5 / e;
}
F1(cosh)

D1(tanh, x)
{
    double a = ABS(x);
    if (is_nan(x) || a < 0x1p-28)
        return x;
    if (a > 22)
        return with_sign(1, x);
    double t = __nv_expm1(2 * a);
    return with_sign(t / (t + 2), x);
}
F1(tanh)

D1(asinh, x)
{
    double a = ABS(x), r;
    if (!(a < INF) || a < 0x1p-28)
        return x;
    r = a > 0x1p28 ? __nv_log(a) + LN2 : __nv_log1p(a + a * a / (1 + SQRT(FMA(a, a, 1))));
    return with_sign(r, x);
}
F1(asinh)

D1(acosh, x)
{
    if (!(x >= 1))
        return NAN_;
    if (x > 0x1p28)
        return __nv_log(x) + LN2;
    double t = x - 1;
    return __nv_log1p(t + SQRT(2 * t + t * t));
}
F1(acosh)

D1(atanh, x)
{
    double a = ABS(x);
    if (!(a <= 1))
        return NAN_;
    if (a < 0x1p-28)
        return x;
    return with_sign(0.5 * __nv_log1p(2 * a / (1 - a)), x);
}
F1(atanh)

/* -- roots and norms --------------------------------------------------------------------------- */

D1(rsqrt, x)
{
    return 1 / SQRT(x);
}
D1(rcp64h, x)
{
    return 1 / x;
}

D1(cbrt, x)
{
    double a = ABS(x);
    if (!(a < INF) || a == 0)
        return x;
    int small = a < 0x1p-900;
    if (small)
        a *= 0x1p120;
    double t = exp_of(__nv_log(a) / 3, 0), square = t * t;
    t -= FMA(square, t, -a) / (3 * square); /* one step of Newton's: from 50 bits to all */
    return with_sign(small ? t * 0x1p-40 : t, x);
}
F1(cbrt)
D1(rcbrt, x)
{
    return 1 / __nv_cbrt(x);
}
F1(rcbrt)

/* The square root of the sum of squares of what `at` holds, divided by a power of two first. */
INLINE double
norm_of(const double *at, int n)
{
    double most = 0;
    int infinite = 0, missing = 0;
    for (int k = 0; k < n; k++) {
        double a = ABS(at[k]);
        infinite |= a == INF;
        missing |= is_nan(a);
        most = a > most ? a : most;
    }
    if (infinite)
        return INF;
    if (missing)
        return NAN_;
    if (most == 0)
        return 0;
    int e = (int)(bits(most) >> 52) - 1023;
    struct pair sum = {0, 0};
    for (int k = 0; k < n; k++) {
        double a = scaled(ABS(at[k]), -e);
        struct pair p = two_product(a, a);
        sum = add(sum, p);
    }
    double r = SQRT(sum.h);
    r += (FMA(-r, r, sum.h) + sum.l) / (2 * r);
    return scaled(r, e);
}

D2(hypot, x, y)
{
    double v[2] = {x, y};
    return norm_of(v, 2);
}
F2(hypot)
D2(rhypot, x, y)
{
    return 1 / __nv_hypot(x, y);
}
F2(rhypot)
FUNCTION(double, norm3d, double a, double b, double c)
{
    double v[3] = {a, b, c};
    return norm_of(v, 3);
}
FUNCTION(double, norm4d, double a, double b, double c, double d)
{
    double v[4] = {a, b, c, d};
    return norm_of(v, 4);
}
FUNCTION(double, rnorm3d, double a, double b, double c)
{
    return 1 / __nv_norm3d(a, b, c);
}
FUNCTION(double, rnorm4d, double a, double b, double c, double d)
{
    return 1 / __nv_norm4d(a, b, c, d);
}
F3(norm3d)
F4(norm4d)
F3(rnorm3d)
F4(rnorm4d)
FUNCTION(double, norm, int n, const double *at)
{
    return norm_of(at, n);
}
FUNCTION(double, rnorm, int n, const double *at)
{
    return 1 / norm_of(at, n);
}
FUNCTION(float, normf, int n, const float *at)
{
    double sum = 0;
    int infinite = 0;
    for (int k = 0; k < n; k++) {
        infinite |= ABS((double)at[k]) == INF;
        sum = FMA((double)at[k], (double)at[k], sum);
    }
    return (float)(infinite ? INF : SQRT(sum));
}
FUNCTION(float, rnormf, int n, const float *at)
{
    return (float)(1 / (double)__nv_normf(n, at));
}

#endif
