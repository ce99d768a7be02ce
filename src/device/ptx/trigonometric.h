/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx/trigonometric.h: sine and its kin, and the inverse ones.
 */
#ifndef LOCKSTEP_DEVICE_PTX_TRIGONOMETRIC_H
#define LOCKSTEP_DEVICE_PTX_TRIGONOMETRIC_H

#include "exponential.h"

/* -- sine and kin ------------------------------------------------------------------------------ */

/* 2/pi, 1280 bits; the first has weight 1/2. */
static const u64 two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* The 64 bits of 2/pi from bit i on. */
INLINE u64
bits_from(int i)
{
    int word = i >> 6, shift = i & 63;
    u64 a = word < 20 ? two_over_pi[word] : 0, b = word + 1 < 20 ? two_over_pi[word + 1] : 0;
    return shift ? a << shift | b >> (64 - shift) : a;
}

/* x mod pi/2 for large x: the bits of 2/pi that matter, times x as a whole number m 2^e, 1000 <= e
 * is possible. Bits of weight 4 and more in the product are multiples of whole turns. */
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
    struct pair f = two_sum((double)(high >> 11) * 0x1p-53,
                            (double)((high & 0x7ff) << 53 | low >> 11) * 0x1p-117);
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

FUNCTION(void, sincos, double x, double *s, double *c)
{
    *s = __nv_sin(x);
    *c = __nv_cos(x);
}
FUNCTION(void, sincosf, float x, float *s, float *c)
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

FUNCTION(void, sincospi, double x, double *s, double *c)
{
    *s = __nv_sinpi(x);
    *c = __nv_cospi(x);
}
FUNCTION(void, sincospif, float x, float *s, float *c)
{
    *s = (float)__nv_sinpi((double)x);
    *c = (float)__nv_cospi((double)x);
}

/* -- inverse ones ------------------------------------------------------------------------------ */

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
FUNCTION(float, atan2f, float y, float x)
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

#endif
