/* SPDX-License-Identifier: Apache-2.0
 *
 * mathematics.c: the mathematical functions that programs call by name (__nv_sin, __nv_powf, ...) for
 * real GPUs, whose drivers have none. Compiled to PTX when lockstep is built (cmake/mathematics.cmake);
 * device/gpu_module.c gives the driver those that a program needs. On the virtual GPU the jit has its
 * own (ops/math.def).
 *
 * Plain C without headers, so that the same file compiles for the host, where the tests compare it
 * with the C library (tests/device/mathematics_test.c). Everything is computed in double precision;
 * float functions round the result once. Double functions are within 2 units in the last place, those
 * of the error function within 8, of gamma within 64; Bessel functions are right to 2^-44 absolutely. Series are the textbooks'; numbers in pairs are a value's head and tail.
 *
 * A function stands before those that call it: each is cut out of the PTX together with what it calls.
 */
typedef unsigned long long u64;
typedef long long s64;

/* NOLINTBEGIN: names are the interface's */
#define INLINE static inline __attribute__((always_inline))
#define VISIBLE __attribute__((noinline, used))
#define D1(name, x)                                                                                \
    double __nv_##name(double x);                                                                  \
    VISIBLE double __nv_##name(double x)
#define D2(name, x, y)                                                                             \
    double __nv_##name(double x, double y);                                                        \
    VISIBLE double __nv_##name(double x, double y)
#define F1(name)                                                                                   \
    float __nv_##name##f(float x);                                                                 \
    VISIBLE float __nv_##name##f(float x)                                                          \
    {                                                                                              \
        return (float)__nv_##name((double)x);                                                      \
    }
#define F2(name)                                                                                   \
    float __nv_##name##f(float x, float y);                                                        \
    VISIBLE float __nv_##name##f(float x, float y)                                                 \
    {                                                                                              \
        return (float)__nv_##name((double)x, (double)y);                                           \
    }

#define FMA __builtin_fma
#define ABS __builtin_fabs
#define SQRT __builtin_sqrt
#define INF __builtin_inf()
#define NAN_ __builtin_nan("")

static const double PIO2_H = 0x1.921fb54442d18p+0, PIO2_L = 0x1.1a62633145c07p-54,
                    PIO2_LL = -0x1.f1976b7ed8fbcp-110,
                    PI_H = 0x1.921fb54442d18p+1, PI_L = 0x1.1a62633145c07p-53,
                    LN2_H = 0x1.62e42fef00000p-1, LN2_L = 0x1.473de6af278edp-34, /* k * LN2_H is exact */
                    LN2 = 0x1.62e42fefa39efp-1, LOG2E = 0x1.71547652b82fep+0,
                    LN10 = 0x1.26bb1bbb55516p+1, LOG10E = 0x1.bcb7b1526e50ep-2,
                    LOG2_10 = 0x1.a934f0979a371p+1, LOG10_2H = 0x1.3441350900000p-2,
                    LOG10_2L = 0x1.ef3fde623e256p-35, SQRT_2PI_LOG = 0x1.d67f1c864beb5p-1,
                    TWO_SQRTPI = 0x1.20dd750429b6dp+0, SQRT1_2 = 0x1.6a09e667f3bcdp-1;

/* -- bits ------------------------------------------------------------------------------------------------ */

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

/* -- exponentials ------------------------------------------------------------------------------------------ */

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

D1(exp, x) { return exp_of(x, 0); }
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

/* -- logarithms -------------------------------------------------------------------------------------------- */

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
double __nv_powi(double x, int n);
VISIBLE double
__nv_powi(double x, int n)
{
    return __nv_pow(x, n);
}
float __nv_powif(float x, int n);
VISIBLE float
__nv_powif(float x, int n)
{
    return (float)__nv_pow((double)x, n);
}

/* -- sine and kin --------------------------------------------------------------------------------------------- */

/* 2/pi, 1280 bits; the first has weight 1/2. */
static const u64 two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* The 64 bits of 2/pi from bit i on. */
INLINE u64
bits_from(int i)
{
    int word = i >> 6, shift = i & 63;
    u64 a = word < 20 ? two_over_pi[word] : 0, b = word + 1 < 20 ? two_over_pi[word + 1] : 0;
    return shift ? a << shift | b >> (64 - shift) : a;
}

/* x mod pi/2 for large x: the bits of 2/pi that matter, times x as a whole number m 2^e, 1000 <= e is
 * possible. Bits of weight 4 and more in the product are multiples of whole turns. */
INLINE struct pair
reduce_large(double x, int *quadrant)
{
    u64 b = bits(ABS(x)), m = (b & 0xfffffffffffffull) | 1ull << 52;
    int e = (int)(b >> 52) - 1075, first = e > 2 ? e - 2 : 0, right = e > 2 ? 0 : 2 - e;
    u64 w[3] = {bits_from(first + 128), bits_from(first + 64), bits_from(first)}, p[4];
    unsigned __int128 carry = 0;
    for (int k = 0; k < 3; k++) {
        carry += (unsigned __int128)w[k] * m;
        p[k] = (u64)carry;
        carry >>= 64;
    }
    p[3] = (u64)carry;
    if (right) /* 1 .. 34: x is at least 2^20 */
        for (int k = 0; k < 3; k++)
            p[k] = p[k] >> right | p[k + 1] << (64 - right);
    /* p[2]'s two highest bits are the quadrant, what follows the fraction */
    int q = (int)(p[2] >> 62);
    u64 high = p[2] << 2 | p[1] >> 62, low = p[1] << 2 | p[0] >> 62;
    double sign = 1;
    if (high >> 63) { /* to the nearest quadrant */
        q++;
        sign = -1;
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    struct pair f = two_sum((double)(high >> 11) * 0x1p-53, (double)((high & 0x7ff) << 53 | low >> 11) * 0x1p-117);
    struct pair r = multiply(f, (struct pair){PIO2_H, PIO2_L});
    if (x < 0) {
        sign = -sign;
        q = -q;
    }
    *quadrant = q & 3;
    return (struct pair){sign * r.h, sign * r.l};
}

INLINE struct pair
reduce(double x, int *quadrant)
{
    if (ABS(x) < 0x1.921fb54442d18p-1) {
        *quadrant = 0;
        return (struct pair){x, 0};
    }
    if (ABS(x) >= 0x1p20)
        return reduce_large(x, quadrant);
    double k = nearest(x * 0x1.45f306dc9c883p-1);
    struct pair p = two_product(k, PIO2_H), r = two_sum(x, -p.h);
    struct pair q = two_product(k, PIO2_L);
    r = add(r, (struct pair){-p.l, 0});
    r = add(r, (struct pair){-q.h, -FMA(k, PIO2_LL, q.l)});
    *quadrant = (int)k & 3;
    return r;
}

/* |r| <= pi/4 and a little */
INLINE double
sine(struct pair r)
{
    double z = r.h * r.h, p = 1.0 / 121645100408832000.0;
    p = FMA(-p, z, 1.0 / 355687428096000.0);
    p = FMA(-p, z, 1.0 / 1307674368000.0);
    p = FMA(-p, z, 1.0 / 6227020800.0);
    p = FMA(-p, z, 1.0 / 39916800.0);
    p = FMA(-p, z, 1.0 / 362880.0);
    p = FMA(-p, z, 1.0 / 5040.0);
    p = FMA(-p, z, 1.0 / 120.0);
    p = FMA(-p, z, 1.0 / 6.0);
    return r.h + (r.l * (1 - 0.5 * z) - r.h * z * p);
}
INLINE double
cosine(struct pair r)
{
    double z = r.h * r.h, p = 1.0 / 6402373705728000.0;
    p = FMA(-p, z, 1.0 / 20922789888000.0);
    p = FMA(-p, z, 1.0 / 87178291200.0);
    p = FMA(-p, z, 1.0 / 479001600.0);
    p = FMA(-p, z, 1.0 / 3628800.0);
    p = FMA(-p, z, 1.0 / 40320.0);
    p = FMA(-p, z, 1.0 / 720.0);
    p = FMA(-p, z, 1.0 / 24.0);
    double half = 0.5 * z, w = 1 - half;
    return w + (((1 - w) - half) + (z * z * p - r.h * r.l));
}

INLINE double
sine_of(struct pair r, int quadrant)
{
    double v = quadrant & 1 ? cosine(r) : sine(r);
    return quadrant & 2 ? -v : v;
}

D1(sin, x)
{
    int q;
    if (!(ABS(x) < INF))
        return NAN_;
    if (x == 0)
        return x;
    struct pair r = reduce(x, &q);
    return sine_of(r, q);
}
F1(sin)

D1(cos, x)
{
    int q;
    if (!(ABS(x) < INF))
        return NAN_;
    struct pair r = reduce(x, &q);
    return sine_of(r, q + 1);
}
F1(cos)

D1(tan, x)
{
    int q;
    if (!(ABS(x) < INF))
        return NAN_;
    if (x == 0)
        return x;
    struct pair r = reduce(x, &q);
    double s = sine(r), c = cosine(r);
    return q & 1 ? -c / s : s / c;
}
F1(tan)

void __nv_sincos(double x, double *s, double *c);
VISIBLE void
__nv_sincos(double x, double *s, double *c)
{
    *s = __nv_sin(x);
    *c = __nv_cos(x);
}
void __nv_sincosf(float x, float *s, float *c);
VISIBLE void
__nv_sincosf(float x, float *s, float *c)
{
    *s = (float)__nv_sin((double)x);
    *c = (float)__nv_cos((double)x);
}

/* pi times what x is beyond a whole number of half turns */
INLINE struct pair
reduce_pi(double x, int *quadrant)
{
    double y = x - 2 * nearest(0.5 * x), k = nearest(2 * y), r = y - 0.5 * k;
    *quadrant = (int)k & 3;
    return (struct pair){r * PI_H, FMA(r, PI_H, -(r * PI_H)) + r * PI_L};
}

D1(sinpi, x)
{
    int q;
    if (!(ABS(x) < INF))
        return NAN_;
    struct pair r = reduce_pi(x, &q);
    double v = sine_of(r, q);
    return v == 0 ? with_sign(0, x) : v;
}
F1(sinpi)

D1(cospi, x)
{
    int q;
    if (!(ABS(x) < INF))
        return NAN_;
    struct pair r = reduce_pi(x, &q);
    double v = sine_of(r, q + 1);
    return v == 0 ? 0 : v;
}
F1(cospi)

void __nv_sincospi(double x, double *s, double *c);
VISIBLE void
__nv_sincospi(double x, double *s, double *c)
{
    *s = __nv_sinpi(x);
    *c = __nv_cospi(x);
}
void __nv_sincospif(float x, float *s, float *c);
VISIBLE void
__nv_sincospif(float x, float *s, float *c)
{
    *s = (float)__nv_sinpi((double)x);
    *c = (float)__nv_cospi((double)x);
}

/* -- inverse ones ---------------------------------------------------------------------------------------------- */

/* atan t for |t| <= 0.4375: t - t z p(z) */
INLINE double
atan_tail(double z)
{
    double p = 1.0 / 45;
    p = FMA(-p, z, 1.0 / 43);
    p = FMA(-p, z, 1.0 / 41);
    p = FMA(-p, z, 1.0 / 39);
    p = FMA(-p, z, 1.0 / 37);
    p = FMA(-p, z, 1.0 / 35);
    p = FMA(-p, z, 1.0 / 33);
    p = FMA(-p, z, 1.0 / 31);
    p = FMA(-p, z, 1.0 / 29);
    p = FMA(-p, z, 1.0 / 27);
    p = FMA(-p, z, 1.0 / 25);
    p = FMA(-p, z, 1.0 / 23);
    p = FMA(-p, z, 1.0 / 21);
    p = FMA(-p, z, 1.0 / 19);
    p = FMA(-p, z, 1.0 / 17);
    p = FMA(-p, z, 1.0 / 15);
    p = FMA(-p, z, 1.0 / 13);
    p = FMA(-p, z, 1.0 / 11);
    p = FMA(-p, z, 1.0 / 9);
    p = FMA(-p, z, 1.0 / 7);
    p = FMA(-p, z, 1.0 / 5);
    return FMA(-p, z, 1.0 / 3);
}

D1(atan, x)
{
    double a = ABS(x), t = a;
    struct pair base = {0, 0};
    if (is_nan(x))
        return x;
    if (a >= 2.4375) {
        t = -1 / a;
        base = (struct pair){PIO2_H, PIO2_L};
    } else if (a >= 1.1875) {
        t = (a - 1.5) / FMA(1.5, a, 1);
        base = (struct pair){0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56};
    } else if (a >= 0.6875) {
        t = (a - 1) / (a + 1);
        base = (struct pair){0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    } else if (a >= 0.4375) {
        t = FMA(2, a, -1) / (2 + a);
        base = (struct pair){0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
    }
    double z = t * t;
    return with_sign(base.h - ((t * z * atan_tail(z) - base.l) - t), x);
}
F1(atan)

D2(atan2, y, x)
{
    if (is_nan(x) || is_nan(y))
        return x + y;
    double negative = bits(x) >> 63 ? 1 : 0, a;
    if (y == 0)
        return negative != 0 ? with_sign(PI_H, y) : y;
    if (x == 0)
        return with_sign(PIO2_H, y);
    if (ABS(x) == INF && ABS(y) == INF)
        a = 0x1.921fb54442d18p-1;
    else
        a = __nv_atan(ABS(y / x));
    return with_sign(negative != 0 ? PI_H - (a - PI_L) : a, y);
}
float __nv_atan2f(float y, float x);
VISIBLE float
__nv_atan2f(float y, float x)
{
    return (float)__nv_atan2((double)y, (double)x);
}

D1(asin, x)
{
    if (!(ABS(x) <= 1))
        return NAN_;
    if (ABS(x) < 0x1p-27)
        return x;
    return __nv_atan2(x, SQRT((1 - x) * (1 + x)));
}
F1(asin)

D1(acos, x)
{
    if (!(ABS(x) <= 1))
        return NAN_;
    return 2 * __nv_atan2(SQRT(1 - x), SQRT(1 + x));
}
F1(acos)

/* -- hyperbolic ones --------------------------------------------------------------------------------------------- */

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

/* -- roots and norms ---------------------------------------------------------------------------------------------- */

D1(rsqrt, x) { return 1 / SQRT(x); }
D1(rcp64h, x) { return 1 / x; }

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
D1(rcbrt, x) { return 1 / __nv_cbrt(x); }
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
D2(rhypot, x, y) { return 1 / __nv_hypot(x, y); }
F2(rhypot)
double __nv_norm3d(double a, double b, double c);
VISIBLE double
__nv_norm3d(double a, double b, double c)
{
    double v[3] = {a, b, c};
    return norm_of(v, 3);
}
double __nv_norm4d(double a, double b, double c, double d);
VISIBLE double
__nv_norm4d(double a, double b, double c, double d)
{
    double v[4] = {a, b, c, d};
    return norm_of(v, 4);
}
double __nv_rnorm3d(double a, double b, double c);
VISIBLE double
__nv_rnorm3d(double a, double b, double c)
{
    return 1 / __nv_norm3d(a, b, c);
}
double __nv_rnorm4d(double a, double b, double c, double d);
VISIBLE double
__nv_rnorm4d(double a, double b, double c, double d)
{
    return 1 / __nv_norm4d(a, b, c, d);
}
float __nv_norm3df(float a, float b, float c);
VISIBLE float
__nv_norm3df(float a, float b, float c)
{
    return (float)__nv_norm3d((double)a, (double)b, (double)c);
}
float __nv_norm4df(float a, float b, float c, float d);
VISIBLE float
__nv_norm4df(float a, float b, float c, float d)
{
    return (float)__nv_norm4d((double)a, (double)b, (double)c, (double)d);
}
float __nv_rnorm3df(float a, float b, float c);
VISIBLE float
__nv_rnorm3df(float a, float b, float c)
{
    return (float)__nv_rnorm3d((double)a, (double)b, (double)c);
}
float __nv_rnorm4df(float a, float b, float c, float d);
VISIBLE float
__nv_rnorm4df(float a, float b, float c, float d)
{
    return (float)__nv_rnorm4d((double)a, (double)b, (double)c, (double)d);
}
double __nv_norm(int n, const double *at);
VISIBLE double
__nv_norm(int n, const double *at)
{
    return norm_of(at, n);
}
double __nv_rnorm(int n, const double *at);
VISIBLE double
__nv_rnorm(int n, const double *at)
{
    return 1 / norm_of(at, n);
}
float __nv_normf(int n, const float *at);
VISIBLE float
__nv_normf(int n, const float *at)
{
    double sum = 0;
    int infinite = 0;
    for (int k = 0; k < n; k++) {
        infinite |= ABS((double)at[k]) == INF;
        sum = FMA((double)at[k], (double)at[k], sum);
    }
    return (float)(infinite ? INF : SQRT(sum));
}
float __nv_rnormf(int n, const float *at);
VISIBLE float
__nv_rnormf(int n, const float *at)
{
    return (float)(1 / (double)__nv_normf(n, at));
}

/* -- parts of numbers ------------------------------------------------------------------------------------------------ */

double __nv_ldexp(double x, int e);
VISIBLE double
__nv_ldexp(double x, int e)
{
    return scaled(x, e);
}
float __nv_ldexpf(float x, int e);
VISIBLE float
__nv_ldexpf(float x, int e)
{
    return (float)scaled((double)x, e < -400 ? -400 : e > 400 ? 400 : e);
}
double __nv_scalbn(double x, int e);
VISIBLE double
__nv_scalbn(double x, int e)
{
    return scaled(x, e);
}
float __nv_scalbnf(float x, int e);
VISIBLE float
__nv_scalbnf(float x, int e)
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
double __nv_frexp(double x, int *e);
VISIBLE double
__nv_frexp(double x, int *e)
{
    *e = 0;
    if (!(ABS(x) < INF) || x == 0)
        return x;
    *e = exponent(x) + 1;
    return scaled(x, -*e);
}
float __nv_frexpf(float x, int *e);
VISIBLE float
__nv_frexpf(float x, int *e)
{
    return (float)__nv_frexp((double)x, e);
}
D1(logb, x) { return x == 0 ? -INF : ABS(x) < INF ? exponent(x) : x * x; }
F1(logb)
int __nv_ilogb(double x);
VISIBLE int
__nv_ilogb(double x)
{
    return x == 0 || is_nan(x) ? -2147483647 - 1 : ABS(x) == INF ? 2147483647 : exponent(x);
}
int __nv_ilogbf(float x);
VISIBLE int
__nv_ilogbf(float x)
{
    return __nv_ilogb((double)x);
}
double __nv_modf(double x, double *whole);
VISIBLE double
__nv_modf(double x, double *whole)
{
    *whole = ABS(x) < 0x1p53 ? with_sign((double)(s64)x, x) : x;
    return is_nan(x) ? x : with_sign(ABS(x) == INF ? 0 : x - *whole, x);
}
float __nv_modff(float x, float *whole);
VISIBLE float
__nv_modff(float x, float *whole)
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
float __nv_nextafterf(float x, float y);
VISIBLE float
__nv_nextafterf(float x, float y)
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
double __nv_nan(const signed char *tag);
VISIBLE double
__nv_nan(const signed char *tag)
{
    (void)tag;
    return NAN_;
}
float __nv_nanf(const signed char *tag);
VISIBLE float
__nv_nanf(const signed char *tag)
{
    (void)tag;
    return __builtin_nanf("");
}

/* -- remainders --------------------------------------------------------------------------------------------------------- */

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

double __nv_remquo(double x, double y, int *quotient);
VISIBLE double
__nv_remquo(double x, double y, int *quotient)
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
float __nv_remquof(float x, float y, int *quotient);
VISIBLE float
__nv_remquof(float x, float y, int *quotient)
{
    return (float)__nv_remquo((double)x, (double)y, quotient);
}
D2(remainder, x, y)
{
    int q;
    return __nv_remquo(x, y, &q);
}
F2(remainder)

/* -- error function and kin ------------------------------------------------------------------------------------------ */

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
        return x < -6 ? 2 : 1 - (x > -2 ? erf_series(x) : -(1 - erfcx_fraction(-x) * exp_of(-x * x, 0)));
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

D1(normcdf, x) { return 0.5 * __nv_erfc(-x * SQRT1_2); }
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

D1(normcdfinv, p) { return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * p); }
float __nv_normcdfinvf(float p);
VISIBLE float
__nv_normcdfinvf(float p)
{
    return (float)__nv_normcdfinv((double)p);
}

/* -- gamma; log gamma near its zeros 1 and 2 is right to 2^-50, not to its last places -------------------------------------------------------------- */

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
/* -- Bessel functions ---------------------------------------------------------------------------------------------------- */

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
double __nv_jn(int n, double x);
VISIBLE double
__nv_jn(int n, double x)
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
float __nv_jnf(int n, float x);
VISIBLE float
__nv_jnf(int n, float x)
{
    return (float)__nv_jn(n, (double)x);
}
double __nv_yn(int n, double x);
VISIBLE double
__nv_yn(int n, double x)
{
    if (n < 0 || !(x > 0))
        return n >= 0 && x == 0 ? -INF : NAN_;
    double r = upward(__nv_y0(x), __nv_y1(x), x, n);
    return is_nan(r) ? -INF : r;
}
float __nv_ynf(int n, float x);
VISIBLE float
__nv_ynf(int n, float x)
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
D1(cyl_bessel_i0, x) { return modified(x, 0); }
F1(cyl_bessel_i0)
D1(cyl_bessel_i1, x) { return modified(x, 1); }
F1(cyl_bessel_i1)
/* NOLINTEND */
