/* SPDX-License-Identifier: Apache-2.0
 *
 * host_math.h: the host versions of CUDA's mathematics that neither C nor C++ has: min and max of
 * every type, rsqrt, sinpi, norm3d and so on. Accurate, not fast: programs use them for reference
 * results.
 */
#ifndef LOCKSTEP_HOST_MATH_H
#define LOCKSTEP_HOST_MATH_H

#define LOCKSTEP_HOST static __inline__ __host__ __attribute__((unused))

#define LOCKSTEP_MINMAX(result, a_type, b_type)                                                    \
    LOCKSTEP_HOST result min(a_type a, b_type b)                                                   \
    {                                                                                              \
        return (result)a < (result)b ? (result)a : (result)b;                                      \
    }                                                                                              \
    LOCKSTEP_HOST result max(a_type a, b_type b)                                                   \
    {                                                                                              \
        return (result)a > (result)b ? (result)a : (result)b;                                      \
    }
LOCKSTEP_MINMAX(int, int, int)
LOCKSTEP_MINMAX(unsigned int, unsigned int, unsigned int)
LOCKSTEP_MINMAX(unsigned int, int, unsigned int)
LOCKSTEP_MINMAX(unsigned int, unsigned int, int)
LOCKSTEP_MINMAX(long, long, long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, long, unsigned long)
LOCKSTEP_MINMAX(unsigned long, unsigned long, long)
LOCKSTEP_MINMAX(long long, long long, long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, long long, unsigned long long)
LOCKSTEP_MINMAX(unsigned long long, unsigned long long, long long)
#undef LOCKSTEP_MINMAX
#define LOCKSTEP_MINMAX(type, a_type, b_type)                                                      \
    LOCKSTEP_HOST type min(a_type a, b_type b)                                                     \
    {                                                                                              \
        return __builtin_isnan(a) || (type)b < (type)a ? (type)b : (type)a;                        \
    }                                                                                              \
    LOCKSTEP_HOST type max(a_type a, b_type b)                                                     \
    {                                                                                              \
        return __builtin_isnan(a) || (type)b > (type)a ? (type)b : (type)a;                        \
    }
LOCKSTEP_MINMAX(float, float, float)
LOCKSTEP_MINMAX(double, double, double)
LOCKSTEP_MINMAX(double, float, double)
LOCKSTEP_MINMAX(double, double, float)
#undef LOCKSTEP_MINMAX

LOCKSTEP_HOST unsigned int
umin(unsigned int a, unsigned int b)
{
    return min(a, b);
}
LOCKSTEP_HOST unsigned int
umax(unsigned int a, unsigned int b)
{
    return max(a, b);
}
LOCKSTEP_HOST long long
llmin(long long a, long long b)
{
    return min(a, b);
}
LOCKSTEP_HOST long long
llmax(long long a, long long b)
{
    return max(a, b);
}
LOCKSTEP_HOST unsigned long long
ullmin(unsigned long long a, unsigned long long b)
{
    return min(a, b);
}
LOCKSTEP_HOST unsigned long long
ullmax(unsigned long long a, unsigned long long b)
{
    return max(a, b);
}

/* glibc has C23's sinpi and cospi since 2.41, under the names and types of CUDA. */
#if defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 41)
#define LOCKSTEP_LIBC_HAS_SINPI
#endif
#endif
#ifndef LOCKSTEP_LIBC_HAS_SINPI
/* The exact argument reduction: x modulo 2 in [-1, 1]. */
LOCKSTEP_HOST double
sinpi(double a)
{
    double r = __builtin_remainder(a, 2.0);
    double q = __builtin_fabs(r) <= 0.5 ? r : __builtin_copysign(1.0, r) - r;
    return __builtin_sin(q * 3.14159265358979323846);
}
LOCKSTEP_HOST double
cospi(double a)
{
    double r = __builtin_fabs(__builtin_remainder(a, 2.0));
    return __builtin_sin((0.5 - r) * 3.14159265358979323846);
}
#endif
LOCKSTEP_HOST double
rsqrt(double a)
{
    return 1.0 / __builtin_sqrt(a);
}
LOCKSTEP_HOST double
rcbrt(double a)
{
    return 1.0 / __builtin_cbrt(a);
}
LOCKSTEP_HOST double
norm3d(double a, double b, double c)
{
    return __builtin_hypot(__builtin_hypot(a, b), c);
}
LOCKSTEP_HOST double
rnorm3d(double a, double b, double c)
{
    return 1.0 / norm3d(a, b, c);
}
LOCKSTEP_HOST double
norm4d(double a, double b, double c, double d)
{
    return __builtin_hypot(norm3d(a, b, c), d);
}
LOCKSTEP_HOST double
rnorm4d(double a, double b, double c, double d)
{
    return 1.0 / norm4d(a, b, c, d);
}
LOCKSTEP_HOST double
rhypot(double a, double b)
{
    return 1.0 / __builtin_hypot(a, b);
}
LOCKSTEP_HOST double
normcdf(double a)
{
    return 0.5 * __builtin_erfc(-a * 0.70710678118654752440);
}
/* Newton's steps on erfc from Winitzki's approximation. */
LOCKSTEP_HOST double
erfinv(double a)
{
    if (!(a > -1.0 && a < 1.0))
        return a == 1.0 ? __builtin_huge_val() : a == -1.0 ? -__builtin_huge_val() : __builtin_nan("");
    double w = -__builtin_log1p(-a * a), t = 4.330746750799873 - w / 2;
    double x = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(t * t + w / 0.147) - t), a);
    for (int i = 0; i < 4; i++) {
        double e = a >= 0 ? __builtin_erfc(x) - (1 - a) : -(__builtin_erfc(-x) - (1 + a));
        x += e / (1.12837916709551257390 * __builtin_exp(-x * x));
    }
    return x;
}
LOCKSTEP_HOST double
erfcinv(double a)
{
    if (a >= 0.0625)
        return erfinv(1.0 - a);
    if (!(a > 0.0))
        return a == 0.0 ? __builtin_huge_val() : __builtin_nan("");
    double x = __builtin_sqrt(-__builtin_log(a));
    for (int i = 0; i < 30; i++) {
        double e = __builtin_erfc(x);
        x += (e - a) / (1.12837916709551257390 * __builtin_exp(-x * x));
    }
    return x;
}
LOCKSTEP_HOST double
normcdfinv(double a)
{
    return -1.41421356237309504880 * erfcinv(2.0 * a);
}
/* exp(a*a) erfc(a): the product while it is in range, the continued fraction beyond. */
LOCKSTEP_HOST double
erfcx(double a)
{
    if (a < 20.0)
        return __builtin_exp(a * a) * __builtin_erfc(a);
    double f = 0.0;
    for (int i = 60; i > 0; i--)
        f = 0.5 * i / (a + f);
    return 0.56418958354775628695 / (a + f);
}
#define LOCKSTEP_FLOAT1(name)                                                                      \
    LOCKSTEP_HOST float name##f(float a)                                                           \
    {                                                                                              \
        return (float)name((double)a);                                                             \
    }                                                                                              \
    LOCKSTEP_HOST float name(float a)                                                              \
    {                                                                                              \
        return (float)name((double)a);                                                             \
    }
#ifndef LOCKSTEP_LIBC_HAS_SINPI
LOCKSTEP_FLOAT1(sinpi)
LOCKSTEP_FLOAT1(cospi)
#else
LOCKSTEP_HOST float
sinpi(float a)
{
    return sinpif(a);
}
LOCKSTEP_HOST float
cospi(float a)
{
    return cospif(a);
}
#endif
LOCKSTEP_FLOAT1(rsqrt)
LOCKSTEP_FLOAT1(rcbrt)
LOCKSTEP_FLOAT1(normcdf)
LOCKSTEP_FLOAT1(erfinv)
LOCKSTEP_FLOAT1(erfcinv)
LOCKSTEP_FLOAT1(normcdfinv)
LOCKSTEP_FLOAT1(erfcx)
#undef LOCKSTEP_FLOAT1
LOCKSTEP_HOST float
norm3df(float a, float b, float c)
{
    return (float)norm3d(a, b, c);
}
LOCKSTEP_HOST float
rnorm3df(float a, float b, float c)
{
    return (float)rnorm3d(a, b, c);
}
LOCKSTEP_HOST float
norm4df(float a, float b, float c, float d)
{
    return (float)norm4d(a, b, c, d);
}
LOCKSTEP_HOST float
rnorm4df(float a, float b, float c, float d)
{
    return (float)rnorm4d(a, b, c, d);
}
LOCKSTEP_HOST float
rhypotf(float a, float b)
{
    return (float)rhypot(a, b);
}
LOCKSTEP_HOST void
sincospi(double a, double *s, double *c)
{
    *s = sinpi(a), *c = cospi(a);
}
LOCKSTEP_HOST void
sincospif(float a, float *s, float *c)
{
    *s = sinpif(a), *c = cospif(a);
}
LOCKSTEP_HOST double
fdivide(double a, double b)
{
    return a / b;
}
LOCKSTEP_HOST float
fdividef(float a, float b)
{
    return a / b;
}

#undef LOCKSTEP_HOST

#endif
