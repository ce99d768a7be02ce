/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/base.h: how mathematics.c's functions are declared, constants, and the bits of numbers.
 */
#ifndef LOCKSTEP_DEVICE_PTX_BASE_H
#define LOCKSTEP_DEVICE_PTX_BASE_H

typedef unsigned long long u64;
typedef long long s64;

/* NOLINTBEGIN: names are the interface's */
#define INLINE static inline __attribute__((always_inline))
#define VISIBLE __attribute__((noinline, used))
/* Declared and begun; behind it stands the body. */
#define FUNCTION(type, name, ...)                                                                  \
    type __nv_##name(__VA_ARGS__);                                                                 \
    VISIBLE type __nv_##name(__VA_ARGS__)
#define D1(name, x) FUNCTION(double, name, double x)
#define D2(name, x, y) FUNCTION(double, name, double x, double y)
/* The function of float, computed by the function of double. */
#define F1(name)                                                                                   \
    FUNCTION(float, name##f, float x)                                                              \
    {                                                                                              \
        return (float)__nv_##name((double)x);                                                      \
    }
#define F2(name)                                                                                   \
    FUNCTION(float, name##f, float x, float y)                                                     \
    {                                                                                              \
        return (float)__nv_##name((double)x, (double)y);                                           \
    }
#define F3(name)                                                                                   \
    FUNCTION(float, name##f, float x, float y, float z)                                            \
    {                                                                                              \
        return (float)__nv_##name((double)x, (double)y, (double)z);                                \
    }
#define F4(name)                                                                                   \
    FUNCTION(float, name##f, float x, float y, float z, float w)                                   \
    {                                                                                              \
        return (float)__nv_##name((double)x, (double)y, (double)z, (double)w);                     \
    }

#define FMA __builtin_fma
#define ABS __builtin_fabs
#define SQRT __builtin_sqrt
#define INF __builtin_inf()
#define NAN_ __builtin_nan("")

static const double PIO2_H = 0x1.921fb54442d18p+0, PIO2_L = 0x1.1a62633145c07p-54,
                    PIO2_LL = -0x1.f1976b7ed8fbcp-110, PI_H = 0x1.921fb54442d18p+1,
                    PI_L = 0x1.1a62633145c07p-53, LN2_H = 0x1.62e42fef00000p-1,
                    LN2_L = 0x1.473de6af278edp-34, /* k * LN2_H is exact */
    LN2 = 0x1.62e42fefa39efp-1, LOG2E = 0x1.71547652b82fep+0, LN10 = 0x1.26bb1bbb55516p+1,
                    LOG10E = 0x1.bcb7b1526e50ep-2, LOG2_10 = 0x1.a934f0979a371p+1,
                    LOG10_2H = 0x1.3441350900000p-2, LOG10_2L = 0x1.ef3fde623e256p-35,
                    SQRT_2PI_LOG = 0x1.d67f1c864beb5p-1, TWO_SQRTPI = 0x1.20dd750429b6dp+0,
                    SQRT1_2 = 0x1.6a09e667f3bcdp-1;

/* -- bits -------------------------------------------------------------------------------------- */

INLINE u64
bits(double x)
{
    u64 b;
    __builtin_memcpy(&b, &x, 8);
    return b;
}
INLINE double
from_bits(u64 b)
{
    double x;
    __builtin_memcpy(&x, &b, 8);
    return x;
}
INLINE int
is_nan(double x)
{
    return x != x;
}
INLINE double
with_sign(double magnitude, double sign)
{
    return __builtin_copysign(magnitude, sign);
}
INLINE double
nearest(double x) /* ties to even; |x| < 2^51 or anything larger, which is whole */
{
    double big = with_sign(0x1p52, x);
    return ABS(x) < 0x1p51 ? with_sign((x + big) - big, x) : x;
}

/* x * 2^e with one rounding. */
INLINE double
scaled(double x, int e)
{
    if (e > 1023) {
        x *= 0x1p1023;
        e -= 1023;
        if (e > 1023) {
            x *= 0x1p1023;
            e = e - 1023 > 1023 ? 1023 : e - 1023;
        }
    } else if (e < -1022) { /* by steps that keep 53 bits above the subnormal ones */
        x *= 0x1p-969;
        e += 969;
        if (e < -1022) {
            x *= 0x1p-969;
            e = e + 969 < -1022 ? -1022 : e + 969;
        }
    }
    return x * from_bits((u64)(1023 + e) << 52);
}

struct pair {
    double h, l;
};
INLINE struct pair
two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (struct pair){s, (a - (s - t)) + (b - t)};
}
INLINE struct pair
two_product(double a, double b)
{
    double p = a * b;
    return (struct pair){p, FMA(a, b, -p)};
}
INLINE struct pair
multiply(struct pair a, struct pair b)
{
    struct pair p = two_product(a.h, b.h);
    return two_sum(p.h, p.l + (a.h * b.l + a.l * b.h));
}
INLINE struct pair
add(struct pair a, struct pair b)
{
    struct pair s = two_sum(a.h, b.h);
    return two_sum(s.h, s.l + (a.l + b.l));
}

#endif
