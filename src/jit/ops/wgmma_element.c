/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma_element.c: one element of a product of floats, in 64-bit integers (ops/wgmma.h): what
 * ops/wgmma_float.c does not do in vectors. Start at wgmma_element.
 */
#include "jit/ops/wgmma.h"

#include <string.h>

enum { NO_LIMIT = 0xffff }; /* neither infinities nor NaNs */

/* -- formats ---------------------------------------------------------------------------------- */

const struct wgmma_format wgmma_formats[] = {
    [WGMMA_F16] = WGMMA_FORMAT_F16,
    [WGMMA_BF16] = WGMMA_FORMAT_BF16,
    [WGMMA_TF32] = WGMMA_FORMAT_TF32,
    [WGMMA_E4M3] = {1, 0, 3, 20, 7, 16, 0x7f, 0x1p120f, false, false},
    [WGMMA_E5M2] = {1, 0, 2, 21, 15, 31, 0x7c, 0x1p112f, false, true},
    [WGMMA_F32] = {4, 0, 23, 0, 127, 255, 0x7f800000, 1, true, true},
    [WGMMA_E2M3] = {1, 2, 3, 20, 1, 16, NO_LIMIT, 0x1p126f, false, false},
    [WGMMA_E3M2] = {1, 2, 2, 21, 3, 16, NO_LIMIT, 0x1p124f, false, false},
    [WGMMA_E2M1] = {1, 4, 1, 22, 1, 16, NO_LIMIT, 0x1p126f, false, false},
};

/* One number, for sums one by one: fraction * 2^(exponent - format's fraction bits). */
struct apart {
    int64_t fraction;
    int32_t exponent;
    bool infinite, nan;
};

static struct apart
number_of(const struct wgmma_format *f, uint32_t w)
{
    w >>= f->below;
    uint32_t top = 8u * f->bytes - 1 - f->below, magnitude = w & ((1u << top) - 1);
    uint32_t field = magnitude >> f->fraction;
    struct apart n = {.infinite = f->infinite && magnitude == f->limit};
    n.nan = magnitude >= f->limit && !n.infinite;
    n.fraction = magnitude & ((1u << f->fraction) - 1);
    n.fraction |= field ? 1ll << f->fraction : 0;
    n.fraction = n.infinite ? 1 : n.fraction;
    n.fraction = w >> top & 1 ? -n.fraction : n.fraction;
    n.exponent = (int32_t)(field ? field : 1) - f->bias;
    return n;
}

static uint32_t
word_at(const uint8_t *at, uint32_t bytes)
{
    uint32_t w = 0;
    memcpy(&w, at, bytes); /* the low bytes: hosts are little-endian, as GPUs are */
    return w;
}

/* -- one by one -------------------------------------------------------------------------------- */

/* sum * 2^unit, cut off to a float of `kept` bits of fraction. */
static uint32_t
cut_to_f32(int64_t sum, int32_t unit, uint32_t kept)
{
    uint64_t m = (uint64_t)(sum < 0 ? -sum : sum);
    if (!m)
        return 0;
    int32_t exponent = 63 - __builtin_clzll(m) + unit;
    int32_t lowest = (exponent < -126 ? -126 : exponent) - (int32_t)kept; /* bit that is kept */
    int32_t drop = lowest - unit;
    m = drop > 63 ? 0 : drop > 0 ? m >> drop : m << -drop;
    if (exponent > 127)
        return (sum < 0 ? 0xff800000u : 0x7f800000u);
    m <<= 23 - kept;
    uint32_t bits =
        exponent < -126 ? (uint32_t)m : (uint32_t)(exponent + 126) * (1u << 23) + (uint32_t)m;
    return bits ? bits | (sum < 0 ? 0x80000000u : 0) : 0;
}

/* sum * 2^unit to the nearest half. */
static uint32_t
round_to_f16(int64_t sum, int32_t unit)
{
    uint64_t m = (uint64_t)(sum < 0 ? -sum : sum), sign = sum < 0 ? 0x8000 : 0;
    if (!m)
        return 0;
    int32_t exponent = 63 - __builtin_clzll(m) + unit;
    int32_t drop = (exponent < -14 ? -14 : exponent) - 10 - unit;
    if (exponent > 15)
        return (uint32_t)sign | 0x7c00;
    if (drop > 63)
        return 0;
    if (drop <= 0) {
        m <<= -drop;
    } else {
        uint64_t rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
        m >>= drop;
        m += rest > half || (rest == half && m & 1);
    }
    uint32_t bits = (uint32_t)(exponent < -14 ? 0 : exponent + 14) * 1024 + (uint32_t)m;
    return bits ? bits | (uint32_t)sign : 0;
}

/* An addend of `left` fraction bits below 2^exponent, at the sum's largest exponent. */
static int64_t
aligned(int64_t fraction, int32_t left, int32_t shift)
{
    int64_t m = fraction < 0 ? -fraction : fraction;
    shift += left;
    m = !m || shift > 62 ? 0 : shift > 0 ? m >> shift : m << -shift;
    return fraction < 0 ? -m : m;
}

static uint32_t
special_result(bool nan, bool negative, bool half)
{
    if (nan)
        return half ? 0x7fff : 0x7fffffff;
    return half ? 0x7c00u | (uint32_t)negative << 15 : 0x7f800000u | (uint32_t)negative << 31;
}

/* An element of D: of row `row` of A and column `column` of B, on top of `before`. */
uint32_t
wgmma_element(const struct wgmma_factors *x, uint32_t row, uint32_t column, uint32_t before)
{
    const struct wgmma_form *w = x->form;
    const struct wgmma_format *fa = &wgmma_formats[w->a], *fb = &wgmma_formats[w->b],
                              *fd = &wgmma_formats[w->d];
    int32_t bits = x->bits, top = WGMMA_LOWEST, count = 0, scale = 0;
    struct apart term[WGMMA_MOST_K + 1], c = number_of(fd, before);
    if (x->scaled)
        scale = x->scale_a[row] + x->scale_b[column];
    c.exponent -= x->scale_d;
    bool nan = c.nan || scale < WGMMA_NO_NUMBER / 2, up = c.infinite && c.fraction > 0,
         down = c.infinite && c.fraction < 0;
    for (uint32_t k = 0; k < x->k; k++) {
        struct apart a = number_of(fa, word_at(&x->a[row][k * fa->bytes], fa->bytes));
        struct apart b = number_of(fb, word_at(&x->b[column][k * fb->bytes], fb->bytes));
        int64_t product = w->negate ? -a.fraction * b.fraction : a.fraction * b.fraction;
        bool infinite = a.infinite || b.infinite;
        if (!(x->kept[row] >> k & 1))
            continue;
        nan |= a.nan || b.nan || (infinite && !product);
        up |= infinite && product > 0;
        down |= infinite && product < 0;
        if (!product || infinite)
            continue;
        term[count++] =
            (struct apart){.fraction = product, .exponent = a.exponent + b.exponent + scale};
        top = term[count - 1].exponent > top ? term[count - 1].exponent : top;
    }
    if (nan || up || down)
        return special_result(nan || (up && down), down, fd->bytes == 2);
    top = c.fraction && c.exponent > top ? c.exponent : top;
    int64_t sum = aligned(c.fraction, fd->fraction - bits, top - c.exponent);
    for (int32_t k = 0; k < count; k++)
        sum +=
            aligned(term[k].fraction, fa->fraction + fb->fraction - bits, top - term[k].exponent);
    if (fd->bytes == 2)
        return round_to_f16(sum, top - bits);
    return cut_to_f32(sum, top - bits, bits == 13 ? 13 : 23);
}

/* -- pairs of four bits ------------------------------------------------------------------------ */

enum { BLOCK = 16, PAIR_BITS = 35, MOST_BLOCKS = 8 };

/* A scale: fraction * 2^(exponent - 3). */
struct scale {
    int32_t fraction, exponent;
    bool nan;
};

static struct scale
scale_number(uint8_t byte, bool ue4m3)
{
    if (!ue4m3)
        return (struct scale){8, byte - 127, byte == 255};
    int32_t field = byte >> 3 & 15, fraction = byte & 7;
    return (struct scale){fraction + (field ? 8 : 0), (field ? field : 1) - 7, (byte & 127) == 127};
}

/* Twice the number. */
static int32_t
doubled(uint32_t e2m1)
{
    static const int8_t values[] = {0, 1, 2, 3, 4, 6, 8, 12};
    return e2m1 & 8 ? -values[e2m1 & 7] : values[e2m1 & 7];
}

/* Sixteen products, in quarters. */
static int32_t
block_sum(const uint8_t *a, const uint8_t *b)
{
    int32_t sum = 0;
    for (uint32_t k = 0; k < BLOCK / 2; k++)
        sum += doubled(a[k] & 15) * doubled(b[k] & 15) + doubled(a[k] >> 4) * doubled(b[k] >> 4);
    return sum;
}

uint32_t
wgmma_pair_element(const struct wgmma_factors *x, uint32_t row, uint32_t column, uint32_t before,
                   const struct wgmma_scales *scales)
{
    int64_t term[MOST_BLOCKS], sign = x->form->negate ? -1 : 1;
    int32_t exponent[MOST_BLOCKS], top = WGMMA_LOWEST;
    struct apart c = number_of(&wgmma_formats[WGMMA_F32], before);
    bool nan = c.nan;
    top = c.fraction && c.exponent > top ? c.exponent : top;
    for (uint32_t k = 0; k < scales->blocks; k++) {
        struct scale a = scale_number(scales->a[k / scales->each], scales->ue4m3),
                     b = scale_number(scales->b[k / scales->each], scales->ue4m3);
        nan |= a.nan || b.nan;
        term[k] = sign * a.fraction * b.fraction *
                  block_sum(x->a[row] + k * BLOCK / 2, x->b[column] + k * BLOCK / 2);
        exponent[k] = a.exponent + b.exponent;
        if (a.fraction && b.fraction && exponent[k] > top)
            top = exponent[k];
    }
    if (nan || c.infinite)
        return nan ? 0x7fffffff : before;
    int64_t sum = aligned(c.fraction, 23 - PAIR_BITS, top - c.exponent);
    for (uint32_t k = 0; k < scales->blocks; k++) /* fractions of 2, 3 and 3 bits */
        sum += aligned(term[k], 2 + 3 + 3 - PAIR_BITS, top - exponent[k]);
    return cut_to_f32(sum, top - PAIR_BITS, 23);
}
