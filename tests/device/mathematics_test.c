/* SPDX-License-Identifier: Apache-2.0
 *
 * The mathematical functions for real GPUs (src/device/ptx/mathematics.c), compiled for the host
 * and compared with the C library's in long double: the error in units of the result's last place,
 * over many orders of magnitude, and the special values. That their PTX does the same is what
 * tests/device/gpu_test.sh runs.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/unit.h"

#include "../../src/device/ptx/mathematics.c"

static uint64_t state_of_random = 88172645463325252ull;

static uint64_t
random_bits(void)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    return state_of_random ^= state_of_random << 17;
}

static double
between(double low, double high)
{
    return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

/* The magnitude's logarithm is spread evenly. */
static double
magnitude(double low, double high)
{
    double x = exp(between(log(low), log(high)));
    return random_bits() & 1 ? x : -x;
}

/* In units of the last place of the right result, rounded to double. */
static double
error_of(double got, long double right)
{
    if (isnan(got) && isnan(right))
        return 0;
    if ((double)right == got)
        return 0;
    if (isnan(got) || isnan(right) || isinf((double)right) || isinf(got))
        return 1e300;
    double d = fabs((double)right), unit = d < 0x1p-1022 ? 0x1p-1074 : nextafter(d, INFINITY) - d;
    return (double)(fabsl((long double)got - right) / (long double)unit);
}

struct one {
    const char *name;
    double (*f)(double);
    long double (*right)(long double);
    double low, high; /* magnitudes; equal signs: only positive ones when low < 0 marks both */
    int both;         /* negative ones too */
    double most;      /* units of the last place */
};

static long double
right_exp10(long double x)
{
    return exp10l(x);
}
static long double
right_rcbrt(long double x)
{
    return 1 / cbrtl(x);
}
static long double
right_sinpi(long double x)
{
    return sinl(3.14159265358979323846264338327950288L * (x - 2 * rintl(x / 2)));
}
static long double
right_normcdf(long double x)
{
    return erfcl(-x * 0.707106781186547524400844362104849039L) / 2;
}

#define ONE(name, right, low, high, both, most)                                                    \
    {                                                                                              \
#name, __nv_##name, right, low, high, both, most                                           \
    }
static const struct one ones[] = {
    ONE(exp, expl, 1e-20, 745, 1, 1.5),
    ONE(exp2, exp2l, 1e-20, 1070, 1, 1.5),
    ONE(exp10, right_exp10, 1e-20, 320, 1, 2),
    ONE(expm1, expm1l, 1e-300, 700, 1, 2),
    ONE(log, logl, 1e-320, 1e308, 0, 1.5),
    ONE(log, logl, 0.5, 2, 0, 1.5),
    ONE(log2, log2l, 1e-320, 1e308, 0, 2),
    ONE(log2, log2l, 0.6, 1.6, 0, 2.5),
    ONE(log10, log10l, 1e-320, 1e308, 0, 2),
    ONE(log10, log10l, 0.6, 1.6, 0, 2.5),
    ONE(log1p, log1pl, 1e-300, 0.9, 1, 3),
    ONE(log1p, log1pl, 0.9, 1e300, 0, 3),
    ONE(sin, sinl, 1e-300, 1e6, 1, 1.5),
    ONE(cos, cosl, 1e-300, 1e6, 1, 1.5),
    ONE(sin, sinl, 1e5, 1e18, 1, 1.5),
    ONE(cos, cosl, 1e5, 1e18, 1, 1.5),
    ONE(tan, tanl, 1e-300, 1e18, 1, 3),
    ONE(sinpi, right_sinpi, 1e-300, 100, 1, 2),
    ONE(atan, atanl, 1e-300, 1e300, 1, 2),
    ONE(asin, asinl, 1e-300, 1, 1, 3),
    ONE(acos, acosl, 1e-10, 1, 1, 3),
    ONE(sinh, sinhl, 1e-300, 709, 1, 3),
    ONE(cosh, coshl, 1e-300, 709, 1, 2.5),
    ONE(tanh, tanhl, 1e-300, 30, 1, 3),
    ONE(asinh, asinhl, 1e-300, 1e300, 1, 4),
    ONE(acosh, acoshl, 1.0001, 1e300, 0, 4),
    ONE(atanh, atanhl, 1e-300, 0.99999, 1, 4),
    ONE(cbrt, cbrtl, 1e-320, 1e300, 1, 1.5),
    ONE(rcbrt, right_rcbrt, 1e-300, 1e300, 1, 2.5),
    ONE(erf, erfl, 1e-300, 6, 1, 8),
    ONE(erfc, erfcl, 1e-300, 26, 1, 8),
    ONE(normcdf, right_normcdf, 1e-300, 8, 1, 80),
    ONE(tgamma, tgammal, 0.01, 170, 0, 64),
    ONE(lgamma, lgammal, 3, 1e300, 0, 64),
};

static void
accuracy(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++) {
        const struct one *o = &ones[k];
        double worst = 0, at = 0;
        for (int n = 0; n < 20000; n++) {
            double x = magnitude(o->low, o->high);
            if (!o->both)
                x = fabs(x);
            double e = error_of(o->f(x), o->right((long double)x));
            if (e > worst) {
                worst = e;
                at = x;
            }
        }
        if (worst > o->most) {
            printf("%s(%.17g) is %.17g, should be %.20Lg: %.2f units\n", o->name, at, o->f(at),
                   o->right((long double)at), worst);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void
two_arguments(void **state)
{
    (void)state;
    for (int n = 0; n < 50000; n++) {
        double x = fabs(magnitude(1e-300, 1e300)),
               y = magnitude(1e-5, 300) / fmax(1, fabs(log(x)) / 2);
        assert_true(error_of(__nv_pow(x, y), powl((long double)x, (long double)y)) <= 1.5);
        x = magnitude(1e-300, 1e300);
        y = magnitude(1e-300, 1e300);
        assert_true(error_of(__nv_atan2(y, x), atan2l((long double)y, (long double)x)) <= 2.5);
        assert_true(error_of(__nv_hypot(x, y), hypotl((long double)x, (long double)y)) <= 1.5);
        x = magnitude(1e-320, 1e300);
        y = magnitude(1e-320, 1e300);
        assert_true(__nv_fmod(x, y) == fmod(x, y));
        int q, r;
        double a = __nv_remquo(x, y, &q), b = remquo(x, y, &r);
        assert_true(a == b && (q & 7) == (r & 7));
        y = x * between(0.2, 5);
        assert_true(__nv_remainder(x, y) == remainder(x, y));
        assert_true(__nv_nextafter(x, y) == nextafter(x, y));
        int e, f;
        assert_true(__nv_frexp(x, &e) == frexp(x, &f) && e == f);
        e = (int)(random_bits() % 4400) - 2200;
        assert_true(error_of(__nv_ldexp(x, e), ldexpl((long double)x, e)) == 0);
        assert_true(__nv_logb(x) == logb(x) && __nv_ilogb(x) == ilogb(x));
        double w, v;
        x = magnitude(1e-3, 1e18);
        assert_true(__nv_modf(x, &w) == modf(x, &v) && w == v);
    }
}

/* The largest arguments, where every bit of 2/pi counts, and those nearest to multiples of pi/2. */
static void
large_angles(void **state)
{
    (void)state;
    assert_true(error_of(__nv_sin(0x1.6ac5b262ca1ffp+849), sinl(0x1.6ac5b262ca1ffp+849L)) <= 1.5);
    assert_true(error_of(__nv_cos(0x1.6ac5b262ca1ffp+849), cosl(0x1.6ac5b262ca1ffp+849L)) <= 1.5);
    for (int n = 0; n < 20000; n++) {
        double x = magnitude(1e18, 1.7e308);
        assert_true(error_of(__nv_sin(x), sinl((long double)x)) <= 1.5);
        assert_true(error_of(__nv_cos(x), cosl((long double)x)) <= 1.5);
        double k = rint(between(1, 3e5)), near = k * 1.5707963267948966;
        assert_true(error_of(__nv_sin(near), sinl((long double)near)) <= 1.5);
        assert_true(error_of(__nv_cos(near), cosl((long double)near)) <= 1.5);
    }
}

static bool
alike(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void
special_values(void **state)
{
    (void)state;
    static const double values[] = {0.0,       -0.0, 1,    -1,     0.5,       -0.5,   2,
                                    -2,        3,    -3,   1e-310, 1e300,     -1e300, INFINITY,
                                    -INFINITY, NAN,  1e17, -1e17,  0x1p-1074, 1.5};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        double x = values[k];
        if (!isfinite(x) || x == 0) {
            assert_true(alike(__nv_exp(x), exp(x)) && alike(__nv_expm1(x), expm1(x)));
            assert_true(alike(__nv_sin(x), sin(x)) && alike(__nv_cos(x), cos(x)) &&
                        alike(__nv_tan(x), tan(x)));
            assert_true(alike(__nv_atan(x), atan(x)) || isinf(x));
            assert_true(alike(__nv_tanh(x), tanh(x)) && alike(__nv_sinh(x), sinh(x)) &&
                        alike(__nv_cosh(x), cosh(x)));
            assert_true(alike(__nv_asinh(x), asinh(x)) && alike(__nv_cbrt(x), cbrt(x)));
            assert_true(alike(__nv_erf(x), erf(x)) && alike(__nv_erfc(x), erfc(x)));
            assert_true(alike(__nv_log1p(x), log1p(x)));
        }
        assert_true(alike(__nv_log(x), log(x)) || (x > 0 && isfinite(x)));
        for (size_t m = 0; m < sizeof values / sizeof *values; m++) {
            double y = values[m], p = __nv_pow(x, y), q = pow(x, y);
            if (!alike(p, q) && !(isfinite(p) && error_of(p, (long double)q) <= 1))
                fail_msg("pow(%g, %g) is %g, should be %g", x, y, p, q);
            if (!alike(__nv_atan2(x, y), atan2(x, y)) &&
                error_of(__nv_atan2(x, y), (long double)atan2(x, y)) > 1)
                fail_msg("atan2(%g, %g)", x, y);
            assert_true(alike(__nv_fmod(x, y), fmod(x, y)));
            assert_true(alike(__nv_hypot(x, y), hypot(x, y)) || isfinite(hypot(x, y)));
        }
    }
    assert_true(isnan(__nv_acos(1.5)) && isnan(__nv_asin(-2)) && isnan(__nv_acosh(0.5)) &&
                isnan(__nv_log(-1)));
    assert_true(__nv_exp2(10) == 1024 && __nv_log2(0x1p-1070) == -1070 && __nv_pow(3, 4) == 81);
    assert_true(__nv_sinpi(1) == 0 && __nv_cospi(0.5) == 0 && __nv_cospi(1) == -1);
    assert_true(fabs(__nv_erfinv(__nv_erf(0.7)) - 0.7) < 1e-15 &&
                fabs(__nv_erfcinv(__nv_erfc(3.1)) - 3.1) < 1e-14);
    assert_true(fabs(__nv_normcdfinv(0.975) - 1.959963984540054) < 1e-14);
    assert_true(__nv_tgamma(6) == 120 || error_of(__nv_tgamma(6), 120) < 8);
}

/* I_n by its power series, all of whose terms are positive. */
static long double
right_modified(int n, long double x)
{
    long double term = n ? x / 2 : 1, sum = term;
    for (int k = 1; k < 2000; k++) {
        term *= x * x / 4 / ((long double)k * (k + n));
        sum += term;
    }
    return sum;
}

static void
bessel_functions(void **state)
{
    (void)state;
    const double most = 0x1p-44;
    for (int n = 0; n < 5000; n++) {
        double x = fabs(magnitude(1e-3, 1e4));
        int k = (int)(random_bits() % 12);
        assert_true(fabs(__nv_j0(x) - j0(x)) < most && fabs(__nv_j1(-x) - j1(-x)) < most);
        assert_true(fabs(__nv_y0(x) - y0(x)) < most * fmax(1, fabs(y0(x))));
        assert_true(fabs(__nv_y1(x) - y1(x)) < most * fmax(1, fabs(y1(x))));
        assert_true(fabs(__nv_jn(k, x) - jn(k, x)) < most);
        double right = yn(k, x);
        assert_true(__nv_yn(k, x) == right || fabs(__nv_yn(k, x) / right - 1) < 1e-9 ||
                    fabs(__nv_yn(k, x) - right) < 1e-9);
        x = fabs(magnitude(1e-3, 600));
        assert_true(fabsl(__nv_cyl_bessel_i0(x) / right_modified(0, x) - 1) < 1e-13);
        assert_true(fabsl(__nv_cyl_bessel_i1(x) / right_modified(1, x) - 1) < 1e-12);
    }
    assert_true(__nv_j0(0) == 1 && __nv_jn(3, 0) == 0 && __nv_y0(0) == -INFINITY &&
                isnan(__nv_y1(-1)));
    assert_true(isfinite(__nv_cyl_bessel_i0(712)) &&
                fabs(__nv_cyl_bessel_i0(700.5) / __nv_cyl_bessel_i0(699.5) / exp(1) - 1) < 0.01);
}

/* Float functions round once: nearly all results are the nearest float. */
static void
floats(void **state)
{
    (void)state;
    for (int n = 0; n < 20000; n++) {
        float x = (float)magnitude(1e-30, 80), y = (float)magnitude(1e-3, 10);
        assert_true(__nv_expf(x) == (float)exp((double)x) && __nv_sinf(x) == (float)sin((double)x));
        assert_true(__nv_tanhf(x) == (float)tanh((double)x) &&
                    __nv_atanf(x) == (float)atan((double)x));
        x = fabsf(x);
        assert_true(__nv_logf(x) == (float)log((double)x) &&
                    __nv_powf(x, y) == (float)pow((double)x, (double)y));
    }
    float s, c;
    __nv_sincosf(1.25f, &s, &c);
    assert_true(s == (float)sin(1.25) && c == (float)cos(1.25));
}

int
main(void)
{
    return UNIT_TESTS(accuracy, two_arguments, large_angles, special_values, floats,
                      bessel_functions);
}
