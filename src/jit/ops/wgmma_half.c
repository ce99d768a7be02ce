/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma_half.c: products of f16 with sums in f32, dense (ops/wgmma.h says how they are
 * rounded), on processors with AVX-512. Start at wgmma_half.
 *
 * An addend has to be cut off at 2^(top - 25) towards zero, top being its element's largest
 * exponent. A double s of the size of 2^(top - 25) * 2^52 has its last bit there, so that one
 * fused multiply-add that rounds down gives s + floor(p): eight products an instruction.
 * Rounding down is wrong for p < 0 that are not whole, by 1. A's numbers are therefore made larger
 * by 1 + 2^-30, and zeros a little different from zero: a product above zero becomes larger by less
 * than its last bit, which floor does not see; one below, whole or not, comes out 1 too low. These
 * are those of which one factor's sign is set; they are counted in bits, 16 to a word, and s begins
 * with their count and D.
 *
 * B is the same for the four warps of a warpgroup: the first to come prepares it for all.
 */
#include "jit/jit.h"
#include "jit/ops/wgmma.h"

#include <stdlib.h>
#include <string.h>

#ifndef __x86_64__

bool
wgmma_half(struct jit_warp *w, struct wgmma_factors *x, const struct wgmma_place *place,
           const struct wgmma_operands *o, uint32_t (*d)[32])
{
    (void)w, (void)x, (void)place, (void)o, (void)d;
    return false;
}

void
jit_wgmma_forget(struct jit_wgmma_tiles *t)
{
    (void)t;
}

#else
#include <immintrin.h>

enum {
    ROWS = 16,
    DEPTH = 16,
    PAIRS = 8,        /* of rows: a vector of doubles has two rows of four columns */
    PARTS = 4,        /* of 16 elements: four rows of four columns */
    BIAS_A = 63,      /* exponents as bytes: their sum is that of a float, 127 too large; */
    BIAS_B = 64,      /*   0: the number is zero */
    LEAST_SUM = 99,   /* of two that are not: exponents from -14 on */
    LEAST_TOP = 98,   /* there are no products */
    MOST_TOP = 227,   /* D is larger, infinite or NaN: one by one */
    HALF = 0x400000,  /* of a float's exponent 1 */
    EXPONENT = 0x7c00 /* of an infinity or NaN */
};

/* Zeros become less than a unit times any number: a unit is 2^(LEAST_TOP - 127 - 25) at least. A's
 * numbers are multiplied by SCALE, so that a sum's double has the exponent bits of the float
 * 2^top. */
#define ZERO 0x1p-71
#define SCALE ((1 + 0x1p-30) * 0x1p-923)

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,f16c")))
#define INLINE static inline AVX512 __attribute__((always_inline))
#define DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define TO_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define LARGER_SIGN_OF_FIRST 3 /* of vrangepd */

/* Eight columns of B: [k][those of even number, of odd number]. */
struct columns {
    double number[DEPTH][2][4] __attribute__((aligned(64)));
    uint8_t exponent[DEPTH][2][16]; /* each four times, for a part each */
    uint32_t minus[2][4];           /* bit k: the number's sign */
    uint32_t odd;                   /* bit 4p + i: column 2i + p has infinities or NaNs */
};

/* 16 rows of A, each for four columns. exponent: byte 4l + v is of element l of part v. */
struct rows {
    __m512d number[DEPTH][PAIRS];
    __m512i exponent[DEPTH];
    __m512i minus[PARTS];
    uint32_t odd; /* rows with infinities and NaNs */
};

/* Matrix B of one wgmma, prepared for all four warps, and the product that it belongs to. */
struct tile {
    bool valid;
    struct wgmma_form form;
    uint32_t group, product; /* of the block's warpgroups; of its products */
    uint64_t descriptor;
    struct columns columns[WGMMA_MOST_N / 8] __attribute__((aligned(64)));
};

enum { TILES = 16, A_ROW = 4 /* products of a warpgroup mostly come so many at a time */ };
struct jit_wgmma_tiles {
    struct tile tile[TILES];
};

void
jit_wgmma_forget(struct jit_wgmma_tiles *t)
{
    for (uint32_t k = 0; t && k < TILES; k++)
        t->tile[k].valid = false;
}

/* -- B ----------------------------------------------------------------------------------------- */

/* Eight halves as doubles. */
INLINE __m512d
widened(__m128i halves)
{
    return _mm512_range_pd(_mm512_cvtps_pd(_mm256_cvtph_ps(halves)), _mm512_set1_pd(ZERO),
                           LARGER_SIGN_OF_FIRST);
}

/* 32 of them, times `scale`. */
INLINE void
put_numbers(double *to, __m512i halves, double scale)
{
    const __m512d by = _mm512_set1_pd(scale);
    _mm512_store_pd(to, _mm512_mul_pd(widened(_mm512_extracti32x4_epi32(halves, 0)), by));
    _mm512_store_pd(to + 8, _mm512_mul_pd(widened(_mm512_extracti32x4_epi32(halves, 1)), by));
    _mm512_store_pd(to + 16, _mm512_mul_pd(widened(_mm512_extracti32x4_epi32(halves, 2)), by));
    _mm512_store_pd(to + 24, _mm512_mul_pd(widened(_mm512_extracti32x4_epi32(halves, 3)), by));
}

/* Exponents of 32 halves. */
INLINE __m256i
exponents(__m512i size, int16_t bias)
{
    __m512i e = _mm512_max_epi16(_mm512_srli_epi16(size, 10), _mm512_set1_epi16(1));
    e = _mm512_maskz_add_epi16(_mm512_test_epi16_mask(size, size), e,
                               _mm512_set1_epi16((int16_t)(bias - 15)));
    return _mm512_cvtepi16_epi8(e);
}

/* Those of eight columns at two k. */
INLINE __m512i
four_times(__m128i e)
{
    const __m512i each = _mm512_set_epi64(
        0x0f0f0f0f0e0e0e0e, 0x0d0d0d0d0c0c0c0c, 0x0b0b0b0b0a0a0a0a, 0x0909090908080808,
        0x0707070706060606, 0x0505050504040404, 0x0303030302020202, 0x0101010100000000);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(e), each);
}

/* Four k of eight columns each, those of even number first. Returns their signs, as bits k. */
INLINE __m512i
put_columns(struct columns *c, uint32_t k, __m512i halves)
{
    const __m512i bits =
        _mm512_set_epi64(0x8000800080008, 0x8000800080008, 0x4000400040004, 0x4000400040004,
                         0x2000200020002, 0x2000200020002, 0x1000100010001, 0x1000100010001);
    __m512i size = _mm512_and_si512(halves, _mm512_set1_epi16(0x7fff));
    c->odd |= _mm512_cmpge_epi16_mask(size, _mm512_set1_epi16(EXPONENT)); /* of four k */
    __m256i e = exponents(size, BIAS_B);
    _mm512_storeu_si512(c->exponent[k], four_times(_mm256_castsi256_si128(e)));
    _mm512_storeu_si512(c->exponent[k + 2], four_times(_mm256_extracti128_si256(e, 1)));
    put_numbers(c->number[k][0], halves, 1);
    return _mm512_slli_epi16(_mm512_and_si512(_mm512_srai_epi16(halves, 15), bits), k);
}

/* Halves of eight columns, as they lie along k, become those of one k each. */
INLINE void
turn(const uint8_t *const column[8], __m128i out[DEPTH])
{
    for (uint32_t half = 0; half < 2; half++) {
        __m128i r[8], s[8], t[8];
        for (uint32_t n = 0; n < 8; n++)
            r[n] = _mm_loadu_si128((const __m128i *)(column[n] + 16 * half));
        for (uint32_t n = 0; n < 4; n++) {
            s[n] = _mm_unpacklo_epi16(r[2 * n], r[2 * n + 1]);
            s[n + 4] = _mm_unpackhi_epi16(r[2 * n], r[2 * n + 1]);
        }
        for (uint32_t n = 0; n < 8; n += 2) {
            t[n] = _mm_unpacklo_epi32(s[n], s[n + 1]);
            t[n + 1] = _mm_unpackhi_epi32(s[n], s[n + 1]);
        }
        for (uint32_t n = 0; n < 8; n++) /* k: 0 1 | 2 3 of the low ones, then 4 5 | 6 7 */
            out[8 * half + n] =
                n % 2 ? _mm_unpackhi_epi64(t[n / 4 * 4 + n / 2 % 2], t[n / 4 * 4 + 2 + n / 2 % 2])
                      : _mm_unpacklo_epi64(t[n / 4 * 4 + n / 2 % 2], t[n / 4 * 4 + 2 + n / 2 % 2]);
    }
}

/* Eight columns at each k. */
INLINE void
load_halves(const uint8_t *shared, struct wgmma_place p, bool transposed, uint32_t group,
            __m128i halves[DEPTH])
{
    uint8_t line[8][2 * DEPTH];
    const uint8_t *column[8];
#pragma GCC unroll 16
    for (uint32_t k = 0; transposed && k < DEPTH; k++)
        halves[k] = _mm_loadu_si128((const __m128i *)(shared + wgmma_chunk_at(&p, true, group, k)));
    for (uint32_t n = 0; !transposed && n < 8; n++) {
        column[n] = line[n];
        for (uint32_t h = 0; h < 2; h++)
            memcpy(line[n] + 16 * h, shared + wgmma_chunk_at(&p, false, 8 * group + n, h), 16);
    }
    if (!transposed)
        turn(column, halves);
}

/* In registers: what was just written in pieces of 16 bytes is read as 64 with a long delay. */
INLINE __m512i
joined(const __m128i *four)
{
    __m512i all = _mm512_inserti32x4(_mm512_castsi128_si512(four[0]), four[1], 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(all, four[2], 2), four[3], 3);
}

static AVX512 void
prepare_columns(const uint8_t *shared, const struct wgmma_place *p, bool transposed, uint32_t group,
                struct columns *c)
{
    const __m512i apart =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
    __m128i halves[DEPTH];
    __m512i minus = _mm512_setzero_si512();
    enum { WIDEST = 3 };
    struct wgmma_place place = *p;
    if (p->shift == WIDEST && !p->pairs) { /* most often: what is known is folded */
        place.shift = WIDEST;
        place.pairs = false;
        load_halves(shared, place, transposed, group, halves);
    } else {
        load_halves(shared, place, transposed, group, halves);
    }
    c->odd = 0;
#pragma GCC unroll 4
    for (uint32_t k = 0; k < DEPTH; k += 4)
        minus = _mm512_or_si512(minus,
                                put_columns(c, k, _mm512_shuffle_epi8(joined(halves + k), apart)));
    __m256i two =
        _mm256_or_si256(_mm512_castsi512_si256(minus), _mm512_extracti64x4_epi64(minus, 1));
    __m128i one = _mm_or_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    _mm256_storeu_si256((__m256i *)c->minus, _mm256_cvtepu16_epi32(one));
    c->odd |= c->odd >> 16;
    c->odd = (c->odd | c->odd >> 8) & 0xff;
}

/* -- A ----------------------------------------------------------------------------------------- */

/* Exponents of rows q, q + 4, q + 8, q + 12 become a word for each k, each word four times. */
INLINE void
put_exponents(const uint8_t (*exponent)[DEPTH], struct rows *out)
{
    for (uint32_t q = 0; q < 4; q++) {
        __m128i e[4];
        uint32_t word[DEPTH] __attribute__((aligned(64)));
        for (uint32_t v = 0; v < PARTS; v++)
            e[v] = _mm_load_si128((const __m128i *)exponent[4 * v + q]);
        __m128i low = _mm_unpacklo_epi8(e[0], e[2]), high = _mm_unpackhi_epi8(e[0], e[2]),
                low_2 = _mm_unpacklo_epi8(e[1], e[3]), high_2 = _mm_unpackhi_epi8(e[1], e[3]);
        _mm_store_si128((__m128i *)word, _mm_unpacklo_epi8(low, low_2));
        _mm_store_si128((__m128i *)word + 1, _mm_unpackhi_epi8(low, low_2));
        _mm_store_si128((__m128i *)word + 2, _mm_unpacklo_epi8(high, high_2));
        _mm_store_si128((__m128i *)word + 3, _mm_unpackhi_epi8(high, high_2));
        for (uint32_t k = 0; k < DEPTH; k++)
            _mm_store_si128((__m128i *)&out->exponent[k] + q, _mm_set1_epi32((int)word[k]));
    }
}

static AVX512 void
prepare_rows(const uint8_t (*a)[64], bool negate, struct rows *out)
{
    const __m512i sign = _mm512_set1_epi16(negate ? INT16_MIN : 0);
    double number[ROWS][DEPTH] __attribute__((aligned(64)));
    uint8_t exponent[ROWS][DEPTH] __attribute__((aligned(64)));
    uint32_t *minus = (uint32_t *)out->minus;
    out->odd = 0;
    for (uint32_t r = 0; r < ROWS; r += 2) {
        __m512i halves =
            _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)a[r])),
                               _mm256_loadu_si256((const __m256i *)a[r + 1]), 1);
        halves = _mm512_xor_si512(halves, sign);
        __m512i size = _mm512_and_si512(halves, _mm512_set1_epi16(0x7fff));
        uint32_t signs = _mm512_movepi16_mask(halves),
                 odd = _mm512_cmpge_epi16_mask(size, _mm512_set1_epi16(EXPONENT));
        _mm256_store_si256((__m256i *)exponent[r], exponents(size, BIAS_A));
        put_numbers(number[r], halves, SCALE);
        _mm_storeu_si128((__m128i *)(minus + 4 * r), _mm_set1_epi32(signs & 0xffff));
        _mm_storeu_si128((__m128i *)(minus + 4 * r + 4), _mm_set1_epi32((int)(signs >> 16)));
        out->odd |= (uint32_t) !!(odd & 0xffff) << r | (uint32_t) !!(odd >> 16) << (r + 1);
    }
    put_exponents(exponent, out);
    for (uint32_t k = 0; k < DEPTH; k++)
        for (uint32_t n = 0; n < PAIRS; n++)
            out->number[k][n] = _mm512_mask_broadcastsd_pd(_mm512_set1_pd(number[2 * n][k]), 0xf0,
                                                           _mm_load_sd(&number[2 * n + 1][k]));
}

/* -- sums -------------------------------------------------------------------------------------- */

/* Eight columns before their products are added: [parity]. */
struct part {
    __m512i before[2][PARTS], unit[2][PARTS];
    __m512d sum[2][PAIRS];
    __m512i top[2]; /* largest exponents of products, as in struct rows */
    __m512i most;   /* of the exponents */
};

/* Of 16 elements: their products' exponents in bits 23 to 30, their D, the signs of their
 * products. A float of 1.5 * 2^top and the double of a sum differ by three bits' shift. */
INLINE void
begin_sum(struct part *part, uint32_t p, uint32_t v, __m512i top, __m512i minus)
{
    const __m512i first = _mm512_setr_epi32(16, 0, 17, 1, 18, 2, 19, 3, 20, 4, 21, 5, 22, 6, 23, 7),
                  second = _mm512_add_epi32(first, _mm512_set1_epi32(8)),
                  field = _mm512_set1_epi32(0x7f800000), half = _mm512_set1_epi32(HALF);
    __m512i before = part->before[p][v];
    enum { AND_OR = 0xea };
    top = _mm512_max_epu32(_mm512_ternarylogic_epi32(top, field, half, AND_OR),
                           _mm512_ternarylogic_epi32(before, field, half, AND_OR));
    __m512i to_units = _mm512_sub_epi32(_mm512_set1_epi32((int)((279u << 23) + HALF)), top),
            high = _mm512_srli_epi32(top, 3);
    __m512 whole = _mm512_mul_ps(_mm512_castsi512_ps(before), _mm512_castsi512_ps(to_units));
    __m512i low = _mm512_add_epi32(_mm512_cvttps_epi32(whole), _mm512_popcnt_epi32(minus));
    part->most = _mm512_max_epu32(part->most, top);
    part->unit[p][v] = _mm512_sub_epi32(top, _mm512_set1_epi32((25 << 23) + HALF));
    part->sum[p][2 * v] = _mm512_castsi512_pd(_mm512_permutex2var_epi32(high, first, low));
    part->sum[p][2 * v + 1] = _mm512_castsi512_pd(_mm512_permutex2var_epi32(high, second, low));
}

INLINE void
begin_sums(const struct rows *a, const struct columns *b, bool add, uint32_t (*d)[32],
           struct part *part)
{
    __m512i top[2] = {_mm512_set1_epi8(LEAST_TOP), _mm512_set1_epi8(LEAST_TOP)};
#pragma GCC unroll 16
    for (uint32_t k = 0; k < DEPTH; k++)
        for (uint32_t p = 0; p < 2; p++) {
            __m128i e = _mm_load_si128((const __m128i *)b->exponent[k][p]);
            top[p] =
                _mm512_max_epu8(top[p], _mm512_add_epi8(a->exponent[k], _mm512_broadcast_i32x4(e)));
        }
    part->most = _mm512_setzero_si512();
    for (uint32_t p = 0; p < 2; p++) {
        __m512i minus = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)b->minus[p]));
        part->top[p] = top[p];
        for (uint32_t v = 0; v < PARTS; v++)
            part->before[p][v] =
                add ? _mm512_loadu_si512(&d[v / 2 * 2 + p][v % 2 * 16]) : _mm512_setzero_si512();
        begin_sum(part, p, 0, _mm512_slli_epi32(top[p], 23), _mm512_xor_si512(minus, a->minus[0]));
        begin_sum(part, p, 1, _mm512_slli_epi32(top[p], 15), _mm512_xor_si512(minus, a->minus[1]));
        begin_sum(part, p, 2, _mm512_slli_epi32(top[p], 7), _mm512_xor_si512(minus, a->minus[2]));
        begin_sum(part, p, 3, _mm512_srli_epi32(top[p], 1), _mm512_xor_si512(minus, a->minus[3]));
    }
}

/* Adds the products. Of the sums, which are integers now, the low words come in the elements'
 * order. */
INLINE void
add_products(const struct rows *a, const struct columns *b, const struct part *part,
             __m512i sum[2][PARTS])
{
    const __m512i low_words =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512d even[PAIRS], odd[PAIRS];
    for (uint32_t n = 0; n < PAIRS; n++) {
        even[n] = part->sum[0][n];
        odd[n] = part->sum[1][n];
    }
#pragma GCC unroll 16
    for (uint32_t k = 0; k < DEPTH; k++) {
        __m512d x = _mm512_broadcast_f64x4(_mm256_load_pd(b->number[k][0])),
                y = _mm512_broadcast_f64x4(_mm256_load_pd(b->number[k][1]));
#pragma GCC unroll 8
        for (uint32_t n = 0; n < PAIRS; n++) {
            even[n] = _mm512_fmadd_round_pd(a->number[k][n], x, even[n], DOWN);
            odd[n] = _mm512_fmadd_round_pd(a->number[k][n], y, odd[n], DOWN);
        }
    }
    for (uint32_t v = 0; v < PARTS; v++) {
        sum[0][v] = _mm512_permutex2var_epi32(_mm512_castpd_si512(even[2 * v]), low_words,
                                              _mm512_castpd_si512(even[2 * v + 1]));
        sum[1][v] = _mm512_permutex2var_epi32(_mm512_castpd_si512(odd[2 * v]), low_words,
                                              _mm512_castpd_si512(odd[2 * v + 1]));
    }
}

/* Below zero where the sum is too large: it is less than 2^32, and its low word may be another. */
INLINE __m512i
too_large(__m512i sum)
{
    return _mm512_add_epi32(sum, _mm512_set1_epi32(1 << 30));
}

INLINE __m512
rounded(__m512i sum, __m512i unit)
{
    return _mm512_mul_ps(_mm512_cvt_roundepi32_ps(sum, TO_ZERO), _mm512_castsi512_ps(unit));
}

/* Results into d; false: some of them have to be looked at. */
INLINE bool
end_sums(const struct part *part, const __m512i sum[2][PARTS], uint32_t (*d)[32])
{
    __m512i large = _mm512_setzero_si512();
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t v = 0; v < PARTS; v++) {
            _mm512_storeu_ps(&d[v / 2 * 2 + p][v % 2 * 16], rounded(sum[p][v], part->unit[p][v]));
            large = _mm512_or_si512(large, too_large(sum[p][v]));
        }
    __m512i least = _mm512_min_epu8(part->top[0], part->top[1]);
    return !(_mm512_cmplt_epu8_mask(least, _mm512_set1_epi8(LEAST_SUM)) |
             _mm512_movepi32_mask(large) |
             _mm512_cmpge_epu32_mask(part->most, _mm512_set1_epi32((MOST_TOP + 1) << 23)));
}

/* Where there are no products D stays, but for -0. Those that are to be computed one by one. */
static AVX512 __attribute__((noinline, cold)) uint64_t
end_strange(const struct part *s, uint32_t p, const __m512i sum[PARTS], uint32_t (*d)[32])
{
    uint64_t odd = 0;
    for (uint32_t v = 0; v < PARTS; v++) {
        __m512 before = _mm512_castsi512_ps(s->before[p][v]),
               result = rounded(sum[v], s->unit[p][v]);
        __m512i top = _mm512_and_si512(_mm512_srlv_epi32(s->top[p], _mm512_set1_epi32(8 * (int)v)),
                                       _mm512_set1_epi32(0xff));
        __mmask16 none = _mm512_cmplt_epu32_mask(top, _mm512_set1_epi32(LEAST_SUM)),
                  large = _mm512_movepi32_mask(too_large(sum[v])) |
                          _mm512_cmpge_epu32_mask(s->unit[p][v],
                                                  _mm512_set1_epi32((MOST_TOP + 1 - 25) << 23));
        result = _mm512_mask_add_ps(result, none, before, _mm512_setzero_ps());
        _mm512_storeu_ps(&d[v / 2 * 2 + p][v % 2 * 16], result);
        odd |= (uint64_t)large << 16 * v;
    }
    return odd;
}

/* -- what does not fit --------------------------------------------------------------------------
 */

static uint32_t
column_of(uint32_t group, uint32_t p, uint32_t lane)
{
    return 8 * group + 2 * (lane % 4) + p;
}

/* All elements of rows and columns with infinities and NaNs are. */
static uint64_t
with_odd(uint64_t odd, uint32_t rows, uint32_t columns, uint32_t p)
{
    for (uint32_t l = 0; l < 64; l++)
        if (rows >> l / 4 & 1 || columns >> (4 * p + l % 4) & 1)
            odd |= 1ull << l;
    return odd;
}

/* Of eight columns the numbers themselves, for wgmma_element. */
static void
load_columns(struct wgmma_factors *x, const struct wgmma_operands *o, const struct wgmma_place *p,
             uint32_t group)
{
    for (uint32_t n = 8 * group; n < 8 * group + 8; n++)
        for (uint32_t k = 0; k < DEPTH; k++) {
            uint32_t at = x->form->trans_b ? wgmma_chunk_at(p, true, group, k) + n % 8 * 2
                                           : wgmma_chunk_at(p, false, n, k / 8) + k % 8 * 2;
            memcpy(x->b[n] + 2 * k, o->shared + at, 2);
        }
}

static __attribute__((noinline, cold)) void
mend(struct wgmma_factors *x, const struct wgmma_operands *o, const struct wgmma_place *place,
     uint32_t group, uint32_t p, uint64_t odd, const struct part *s, uint32_t (*d)[32])
{
    if (odd)
        load_columns(x, o, place, group);
    for (uint32_t l = 0; l < 64; l++) {
        uint32_t before;
        memcpy(&before, (const char *)s->before[p] + 4 * l, 4);
        if (odd >> l & 1)
            d[l / 32 * 2 + p][l % 32] = wgmma_element(x, l / 4, column_of(group, p, l), before);
    }
}

/* -- a wgmma ----------------------------------------------------------------------------------- */

/* The next columns' sums are begun before these columns' products are added: they wait for other
 * things. */
static AVX512 void
multiply(struct wgmma_factors *x, const struct wgmma_operands *o, const struct wgmma_place *place,
         const struct columns *b, uint32_t (*d)[32])
{
    uint32_t groups = x->form->n / 8u;
    struct rows a;
    struct part part[2];
    prepare_rows(x->a, x->form->negate, &a);
    begin_sums(&a, b, o->add, d, part);
    for (uint32_t g = 0; g < groups; g++) {
        struct part *now = &part[g % 2];
        uint32_t(*at)[32] = d + 4 * g;
        __m512i sum[2][PARTS];
        if (g + 1 < groups)
            begin_sums(&a, &b[g + 1], o->add, at + 4, &part[(g + 1) % 2]);
        add_products(&a, &b[g], now, sum);
        bool ordinary = end_sums(now, sum, at);
        for (uint32_t p = 0; (!ordinary || a.odd | b[g].odd) && p < 2; p++) {
            uint64_t odd = end_strange(now, p, sum[p], at);
            if (a.odd | b[g].odd)
                odd = with_odd(odd, a.odd, b[g].odd, p);
            mend(x, o, place, g, p, odd, now, at);
        }
    }
}

static bool
can(const struct wgmma_form *f)
{
    return f->plain == 0 && f->a == WGMMA_F16 && f->b == WGMMA_F16 && f->d == WGMMA_F32 &&
           !f->sparse && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}

/* B, as another of the four warps has prepared it, or else. */
static const struct columns *
prepared(struct jit_warp *w, const struct wgmma_form *f, const struct wgmma_operands *o,
         const struct wgmma_place *place)
{
    struct jit_wgmma_tiles **all = w->block->wgmma_tiles;
    uint32_t product = w->block->wgmma[w->warp].done, group = w->warp / 4;
    if (!*all && (*all = aligned_alloc(64, sizeof **all)))
        jit_wgmma_forget(*all);
    if (!*all)
        return NULL;
    struct tile *t = &(*all)->tile[(product % A_ROW + A_ROW * group) % TILES];
    if (t->valid && t->product == product && t->group == group && t->descriptor == o->b &&
        !memcmp(&t->form, f, sizeof *f))
        return t->columns;
    t->valid = true;
    t->form = *f;
    t->group = group;
    t->product = product;
    t->descriptor = o->b;
    for (uint32_t g = 0; g < f->n / 8u; g++)
        prepare_columns(o->shared, place, f->trans_b, g, &t->columns[g]);
    return t->columns;
}

bool
wgmma_half(struct jit_warp *w, struct wgmma_factors *x, const struct wgmma_place *place,
           const struct wgmma_operands *o, uint32_t (*d)[32])
{
    const struct columns *b = can(x->form) ? prepared(w, x->form, o, place) : NULL;
    if (b)
        multiply(x, o, place, b, d);
    return b;
}
#endif
