/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_lanes: mathematical functions that no vector library has, one lane after the other. Each is a
 * C function of one number; a driver per row of ops/math.def calls it for the lanes of a mask:
 *
 *     void lanes_fmodf(uint32_t mask, void *out, const void *const *in);    // in[k]: 32 values
 *
 * Those that store through a pointer (frexp, modf, remquo) get host addresses and store for the
 * lanes of the mask only. Double results are computed in long double where the textbook formula
 * loses digits.
 */
#include "jit/ops/ops.h"
#include "jit/ops/lanes.h"

#include <math.h>

#define PI 3.14159265358979323846264338327950288L

/* -- error functions --------------------------------------------------------------------------- */

/* erfc scaled by exp(x^2). Large x: the asymptotic series, whose terms shrink fast from 30 on. */
static long double
erfcx_of(long double x)
{
    if (!(x > 30))
        return expl(x * x) * erfcl(x);
    long double t = 1 / (2 * x * x), term = 1, sum = 1;
    for (int k = 1; k < 12; k++) {
        term *= -(2 * k - 1) * t;
        sum += term;
    }
    return sum / (x * sqrtl(PI));
}

/* y with erfc(y) = p for 0 < p <= 1: Newton's steps on log erfc, which is nearly a parabola. */
static long double
erfc_inverse_of(long double p)
{
    if (p >= 1)
        return 0;
    long double l = -logl(p), y = p > 0.2L ? (1 - p) * 0.886L : sqrtl(l) - 0.3L;
    for (int k = 0; k < 40; k++) {
        long double c = erfcl(y);
        long double slope = -2 / sqrtl(PI) * expl(-y * y) / c;
        long double step = (logl(c) + l) / slope;
        y -= step;
        if (fabsl(step) <= 1e-19L * fabsl(y))
            break;
    }
    return y;
}

/* Near 0 Newton's steps on erf itself keep the relative accuracy. */
static double
erfinv_of(double x)
{
    if (isnan(x) || fabs(x) > 1)
        return NAN;
    if (fabs(x) == 1)
        return copysign(INFINITY, x);
    if (fabs(x) > 0.25)
        return copysign((double)erfc_inverse_of(1 - fabsl((long double)x)), x);
    long double y = x * 0.886226925452758013649L;
    if (fabs(x) < 1e-10)
        return (double)y;
    for (int k = 0; k < 6; k++)
        y -= (erfl(y) - x) * sqrtl(PI) / 2 * expl(y * y);
    return (double)y;
}

static double
erfcinv_of(double p)
{
    if (isnan(p) || p < 0 || p > 2)
        return NAN;
    if (p == 0 || p == 2)
        return p == 0 ? INFINITY : -INFINITY;
    if (p <= 0.75 || p >= 1.25)
        return p < 1 ? (double)erfc_inverse_of(p) : -(double)erfc_inverse_of(2 - (long double)p);
    return erfinv_of(1 - p);
}

static double
normcdf_of(double x)
{
    return (double)(0.5L * erfcl(-(long double)x / sqrtl(2)));
}

/* -sqrt(2) erfcinv(2 p), without leaving long double. */
static double
normcdfinv_of(double p)
{
    if (isnan(p) || p < 0 || p > 1)
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    long double q = 2 * (long double)p, y;
    if (q > 0.75L && q < 1.25L)
        y = -(long double)erfinv_of((double)(1 - q));
    else
        y = q < 1 ? -erfc_inverse_of(q) : erfc_inverse_of(2 - q);
    return (double)(sqrtl(2) * y);
}

/* -- modified Bessel functions of the first kind ----------------------------------------------- */

/* Order 0 or 1: the power series, whose terms are all positive; from 40 on the asymptotic one. */
static long double
bessel_i_of(int order, long double x)
{
    long double a = fabsl(x), term, sum;
    if (isinf(a) || isnan(a))
        return order && x < 0 ? -a : a;
    if (a < 40) {
        sum = term = order ? a / 2 : 1;
        for (int k = 1; k < 400 && term > 1e-21L * sum; k++) {
            term *= a * a / 4 / ((long double)k * (k + order));
            sum += term;
        }
    } else {
        sum = term = 1;
        for (int k = 1; k < 60; k++) {
            long double odd = 2 * k - 1;
            long double next = term * (odd * odd - 4 * order) / (8 * a * k);
            if (fabsl(next) < 1e-21L)
                break;
            sum += term = next;
        }
        sum *= expl(a) / sqrtl(2 * PI * a);
    }
    return order && x < 0 ? -sum : sum;
}

/* -- exponents, norms -------------------------------------------------------------------------- */

static int
ilogb_of(double x)
{
    if (x == 0 || isnan(x))
        return INT32_MIN;
    return isinf(x) ? INT32_MAX : ilogb(x);
}

/* Without overflow on the way; infinity wins over NaN, as in hypot. */
static long double
norm_of(const long double *x, int n)
{
    long double sum = 0;
    for (int k = 0; k < n; k++)
        if (isinf(x[k]))
            return INFINITY;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrtl(sum);
}

static long double
norm_array(int n, uint64_t address, bool wide)
{
    long double sum = 0;
    bool infinite = false;
    for (int k = 0; k < n; k++) {
        long double x = wide ? ((const double *)address)[k] : ((const float *)address)[k];
        infinite |= isinf(x) != 0;
        sum += x * x;
    }
    return infinite ? INFINITY : sqrtl(sum);
}

/* The quotient's low three bits with its sign, and the remainder. */
static double
remquo_of(double x, double y, int *quotient)
{
    int q = 0;
    double r = remquo(x, y, &q);
    *quotient = q < 0 ? -(-q & 7) : q & 7;
    return r;
}

/* -- drivers ----------------------------------------------------------------------------------- */

/* For each lane k of the mask, out[k] = expression, of type R. The
 * expression reads ARG(type, n). */
#define ARG(type, n) (((const type *)in[n])[k])
#define STORE(type, n, v) (*(type *)(uintptr_t)ARG(uint64_t, n) = (v))
#define LANES(name, R, expression)                                                                 \
    void lanes_##name(uint32_t mask, void *out, const void *const *in)                             \
    {                                                                                              \
        for (; mask; mask &= mask - 1) {                                                           \
            unsigned k = (unsigned)__builtin_ctz(mask);                                            \
            ((R *)out)[k] = (R)(expression);                                                       \
        }                                                                                          \
    }
/* A function of one or two numbers: the float form is the double one, rounded. */
#define LANES1(name, of)                                                                           \
    LANES(name##f, float, of(ARG(float, 0)))                                                       \
    LANES(name, double, of(ARG(double, 0)))

LANES(fmodf, float, fmodf(ARG(float, 0), ARG(float, 1)))
LANES(fmod, double, fmod(ARG(double, 0), ARG(double, 1)))
LANES(remainderf, float, remainderf(ARG(float, 0), ARG(float, 1)))
LANES(remainder, double, remainder(ARG(double, 0), ARG(double, 1)))
LANES(nextafterf, float, nextafterf(ARG(float, 0), ARG(float, 1)))
LANES(nextafter, double, nextafter(ARG(double, 0), ARG(double, 1)))
LANES1(erfinv, erfinv_of)
LANES1(erfcinv, erfcinv_of)
LANES1(erfcx, erfcx_of)
LANES1(normcdf, normcdf_of)
LANES1(normcdfinv, normcdfinv_of)
LANES(cyl_bessel_i0f, float, bessel_i_of(0, ARG(float, 0)))
LANES(cyl_bessel_i0, double, bessel_i_of(0, ARG(double, 0)))
LANES(cyl_bessel_i1f, float, bessel_i_of(1, ARG(float, 0)))
LANES(cyl_bessel_i1, double, bessel_i_of(1, ARG(double, 0)))
LANES(j0f, float, j0(ARG(float, 0)))
LANES(j0, double, j0l(ARG(double, 0)))
LANES(j1f, float, j1(ARG(float, 0)))
LANES(j1, double, j1l(ARG(double, 0)))
LANES(y0f, float, y0(ARG(float, 0)))
LANES(y0, double, y0l(ARG(double, 0)))
LANES(y1f, float, y1(ARG(float, 0)))
LANES(y1, double, y1l(ARG(double, 0)))
LANES(jnf, float, jn(ARG(int, 0), ARG(float, 1)))
LANES(jn, double, jnl(ARG(int, 0), ARG(double, 1)))
LANES(ynf, float, yn(ARG(int, 0), ARG(float, 1)))
LANES(yn, double, ynl(ARG(int, 0), ARG(double, 1)))
LANES(ilogbf, int, ilogb_of(ARG(float, 0)))
LANES(ilogb, int, ilogb_of(ARG(double, 0)))
LANES(logbf, float, logbf(ARG(float, 0)))
LANES(logb, double, logb(ARG(double, 0)))
LANES(ldexpf, float, ldexpf(ARG(float, 0), ARG(int, 1)))
LANES(ldexp, double, ldexp(ARG(double, 0), ARG(int, 1)))
LANES(scalbnf, float, scalbnf(ARG(float, 0), ARG(int, 1)))
LANES(scalbn, double, scalbn(ARG(double, 0), ARG(int, 1)))
LANES(normf, float, norm_array(ARG(int, 0), ARG(uint64_t, 1), false))
LANES(norm, double, norm_array(ARG(int, 0), ARG(uint64_t, 1), true))
LANES(rnormf, float, 1 / norm_array(ARG(int, 0), ARG(uint64_t, 1), false))
LANES(rnorm, double, 1 / norm_array(ARG(int, 0), ARG(uint64_t, 1), true))

#define NORM3(type) norm_of((long double[]){ARG(type, 0), ARG(type, 1), ARG(type, 2)}, 3)
#define NORM4(type)                                                                                \
    norm_of((long double[]){ARG(type, 0), ARG(type, 1), ARG(type, 2), ARG(type, 3)}, 4)
LANES(norm3df, float, NORM3(float))
LANES(norm3d, double, NORM3(double))
LANES(rnorm3df, float, 1 / NORM3(float))
LANES(rnorm3d, double, 1 / NORM3(double))
LANES(norm4df, float, NORM4(float))
LANES(norm4d, double, NORM4(double))
LANES(rnorm4df, float, 1 / NORM4(float))
LANES(rnorm4d, double, 1 / NORM4(double))

/* With a second result behind a pointer. */
#define LANES_OUT(name, R, S, place, call)                                                         \
    void lanes_##name(uint32_t mask, void *out, const void *const *in)                             \
    {                                                                                              \
        for (; mask; mask &= mask - 1) {                                                           \
            unsigned k = (unsigned)__builtin_ctz(mask);                                            \
            S second = 0;                                                                          \
            ((R *)out)[k] = (R)(call);                                                             \
            STORE(S, place, second);                                                               \
        }                                                                                          \
    }
LANES_OUT(frexpf, float, int, 1, frexpf(ARG(float, 0), &second))
LANES_OUT(frexp, double, int, 1, frexp(ARG(double, 0), &second))
LANES_OUT(modff, float, float, 1, modff(ARG(float, 0), &second))
LANES_OUT(modf, double, double, 1, modf(ARG(double, 0), &second))
LANES_OUT(remquof, float, int, 2, remquo_of(ARG(float, 0), ARG(float, 1), &second))
LANES_OUT(remquo, double, int, 2, remquo_of(ARG(double, 0), ARG(double, 1), &second))
