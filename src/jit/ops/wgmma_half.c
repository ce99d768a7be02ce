/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma_half.c: products of f16 with sums in f32, dense (ops/wgmma.h says how they are
 * rounded), on processors with AVX-512. Start at wgmma_half.
 *
 * An addend has to be cut off at 2^(top - 25) towards zero, top being its element's largest
 * exponent. A double s of the size of 2^(top - 25) * 2^52 has its last bit there, so that one
 * fused multiply-add that rounds down gives s + floor(p): eight products an instruction.
 * Rounding down is wrong for p < 0 that are not whole, by 1. B's numbers are therefore made larger
 * by 1 + 2^-30: a positive product becomes larger by less than its last bit, which floor does not
 * see; a negative one, whole or not, comes out 1 too low. How many of an element's products are
 * negative is counted in bits: 16 to a word.
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
    LEAST_TOP = 64,   /* no sum is aligned to less; there is none without products */
    MOST_TOP = 227,   /* D is larger, infinite or NaN: one by one */
    EXPONENT = 0x7c00 /* of an infinity or NaN */
};

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vpopcntdq,f16c")))
#define INLINE static inline AVX512 __attribute__((always_inline))
#define DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define TO_ZERO (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/* Eight columns of B: [k][those of even number, of odd number]. */
struct columns {
    double number[DEPTH][2][4] __attribute__((aligned(64)));
    uint8_t exponent[DEPTH][2][4];
    uint32_t above[2][4], below[2][4]; /* bit k: the number is above zero, below zero */
    uint32_t odd;                      /* some number is infinite or NaN */
};

/* 16 rows of A, each for four columns. */
struct rows {
    __m512d number[DEPTH][PAIRS];
    __m512i exponent[DEPTH];
    __m512i above[PARTS], below[PARTS];
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

/* Eight halves, of as many columns at one k. */
INLINE void
put_columns(struct columns *c, uint32_t k, __m128i halves, __m128i *above, __m128i *below,
            __mmask8 *odd)
{
    const __m128i apart = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m512d larger = _mm512_set1_pd(1 + 0x1p-30);
    __m128i size = _mm_and_si128(halves, _mm_set1_epi16(0x7fff)),
            bit = _mm_set1_epi16((short)(1u << k));
    __mmask8 some = _mm_test_epi16_mask(size, size), minus = _mm_movepi16_mask(halves);
    __m128i e = _mm_max_epi16(_mm_srli_epi16(size, 10), _mm_set1_epi16(1));
    e = _mm_maskz_add_epi16(some, e, _mm_set1_epi16(BIAS_B - 15));
    _mm_storel_epi64((__m128i *)c->exponent[k], _mm_shuffle_epi8(e, apart));
    *above = _mm_or_si128(*above, _mm_maskz_mov_epi16(some & ~minus, bit));
    *below = _mm_or_si128(*below, _mm_maskz_mov_epi16(some & minus, bit));
    *odd |= _mm_cmpge_epi16_mask(size, _mm_set1_epi16(EXPONENT));
    __m256 v = _mm256_permutevar8x32_ps(_mm256_cvtph_ps(halves),
                                        _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    _mm512_store_pd(c->number[k][0], _mm512_mul_pd(_mm512_cvtps_pd(v), larger));
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

static AVX512 void
prepare_columns(const uint8_t *shared, const struct wgmma_place *p, bool transposed, uint32_t group,
                struct columns *c)
{
    const __m128i apart = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    __m128i halves[DEPTH], above = _mm_setzero_si128(), below = above;
    __mmask8 odd = 0;
    uint8_t line[8][2 * DEPTH];
    const uint8_t *column[8];
    for (uint32_t k = 0; transposed && k < DEPTH; k++)
        halves[k] = _mm_loadu_si128((const __m128i *)(shared + wgmma_chunk_at(p, true, group, k)));
    for (uint32_t n = 0; !transposed && n < 8; n++) {
        column[n] = line[n];
        for (uint32_t h = 0; h < 2; h++)
            memcpy(line[n] + 16 * h, shared + wgmma_chunk_at(p, false, 8 * group + n, h), 16);
    }
    if (!transposed)
        turn(column, halves);
    for (uint32_t k = 0; k < DEPTH; k++)
        put_columns(c, k, halves[k], &above, &below, &odd);
    _mm256_storeu_si256((__m256i *)c->above, _mm256_cvtepu16_epi32(_mm_shuffle_epi8(above, apart)));
    _mm256_storeu_si256((__m256i *)c->below, _mm256_cvtepu16_epi32(_mm_shuffle_epi8(below, apart)));
    c->odd = odd;
}

/* -- A ----------------------------------------------------------------------------------------- */

static AVX512 void
prepare_rows(const uint8_t (*a)[64], bool negate, struct rows *out)
{
    out->odd = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        __m256i halves = _mm256_loadu_si256((const __m256i *)a[r]),
                size = _mm256_and_si256(halves, _mm256_set1_epi16(0x7fff));
        __mmask16 some = _mm256_test_epi16_mask(size, size),
                  minus = _mm256_movepi16_mask(halves) ^ (negate ? 0xffff : 0);
        __m256i e = _mm256_max_epi16(_mm256_srli_epi16(size, 10), _mm256_set1_epi16(1));
        e = _mm256_maskz_add_epi16(some, e, _mm256_set1_epi16(BIAS_A - 15));
        uint32_t four[DEPTH];
        double number[DEPTH];
        __m512i sign = _mm512_set1_epi64(negate ? INT64_MIN : 0);
        __m512 all = _mm512_cvtph_ps(halves);
        for (uint32_t h = 0; h < 2; h++) {
            __m256 part = h ? _mm512_extractf32x8_ps(all, 1) : _mm512_castps512_ps256(all);
            __m512i v = _mm512_castpd_si512(_mm512_cvtps_pd(part));
            _mm512_storeu_si512(number + 8 * h, _mm512_xor_si512(v, sign));
        }
        _mm512_storeu_si512(
            four, _mm512_mullo_epi32(_mm512_cvtepu16_epi32(e), _mm512_set1_epi32(0x01010101)));
        for (uint32_t k = 0; k < DEPTH; k++) {
            _mm256_store_pd((double *)&out->number[k][r / 2] + r % 2 * 4,
                            _mm256_broadcast_sd(&number[k]));
            memcpy((uint8_t *)&out->exponent[k] + 4 * r, &four[k], 4);
        }
        uint32_t *above = (uint32_t *)&out->above[r / 4], *below = (uint32_t *)&out->below[r / 4];
        for (uint32_t t = 0; t < 4; t++) {
            above[r % 4 * 4 + t] = (uint16_t)(some & ~minus);
            below[r % 4 * 4 + t] = (uint16_t)(some & minus);
        }
        out->odd |= (uint32_t) !!_mm256_cmpge_epi16_mask(size, _mm256_set1_epi16(EXPONENT)) << r;
    }
}

/* -- sums -------------------------------------------------------------------------------------- */

/* The elements of one parity of eight columns. */
struct part {
    __m512i before[PARTS], top[PARTS]; /* as a float's exponent, in its place */
    __m512d sum[PAIRS];
    uint64_t none; /* elements without products */
};

INLINE void
begin_sums(const struct rows *a, const struct columns *b, bool add, uint32_t (*d)[32],
           struct part part[2])
{
    const __m512i odd_words = _mm512_setr_epi32(0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7);
    const __m512i whole = _mm512_set1_epi32(((27 + 1023 - 127) << 20) | 0x80000);
    __m512i top[2] = {_mm512_set1_epi8(LEAST_TOP), _mm512_set1_epi8(LEAST_TOP)};
    for (uint32_t k = 0; k < DEPTH; k++)
        for (uint32_t p = 0; p < 2; p++) {
            int32_t four;
            memcpy(&four, b->exponent[k][p], 4);
            top[p] =
                _mm512_max_epu8(top[p], _mm512_add_epi8(a->exponent[k], _mm512_set1_epi32(four)));
        }
    for (uint32_t p = 0; p < 2; p++) {
        uint8_t tops[64] __attribute__((aligned(64)));
        _mm512_store_si512(tops, top[p]);
        part[p].none = _mm512_cmplt_epu8_mask(top[p], _mm512_set1_epi8(LEAST_SUM));
        for (uint32_t v = 0; v < PARTS; v++) {
            __m512i before = add ? _mm512_loadu_si512(&d[v / 2 * 2 + p][v % 2 * 16])
                                 : _mm512_setzero_si512(),
                    e = _mm512_slli_epi32(
                        _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)tops + v)), 23);
            e = _mm512_max_epu32(e, _mm512_and_si512(before, _mm512_set1_epi32(0x7f800000)));
            __m512i high = _mm512_add_epi32(_mm512_srli_epi32(e, 3), whole);
            part[p].before[v] = before;
            part[p].top[v] = e;
            part[p].sum[2 * v] =
                _mm512_castsi512_pd(_mm512_maskz_permutexvar_epi32(0xaaaa, odd_words, high));
            part[p].sum[2 * v + 1] = _mm512_castsi512_pd(_mm512_maskz_permutexvar_epi32(
                0xaaaa, _mm512_add_epi32(odd_words, _mm512_set1_epi32(8)), high));
        }
    }
}

INLINE void
add_products(const struct rows *a, const struct columns *b, struct part part[2])
{
    __m512d even[PAIRS], odd[PAIRS];
    for (uint32_t n = 0; n < PAIRS; n++) {
        even[n] = part[0].sum[n];
        odd[n] = part[1].sum[n];
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
    for (uint32_t n = 0; n < PAIRS; n++) {
        part[0].sum[n] = even[n];
        part[1].sum[n] = odd[n];
    }
}

struct results {
    __m512 result;   /* where nothing is out of the ordinary: */
    __m512i strange; /* below zero: the sum or D is too large for this */
};

INLINE struct results
end_part(const struct rows *a, const struct columns *b, uint32_t p, const struct part *s,
         uint32_t v)
{
    const __m512i low_words =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i above = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)b->above[p])),
            below = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)b->below[p]));
    __m512i sum = _mm512_permutex2var_epi32(_mm512_castpd_si512(s->sum[2 * v]), low_words,
                                            _mm512_castpd_si512(s->sum[2 * v + 1]));
    __m512i minus = _mm512_and_si512(a->above[v], below); /* | a->below & above */
    minus = _mm512_ternarylogic_epi32(minus, a->below[v], above, 0xf8);
    sum = _mm512_add_epi32(sum, _mm512_popcnt_epi32(minus));
    /* With D it stays below 2^31 where that of the products is below 2^30. */
    __m512i strange =
        _mm512_or_si512(_mm512_add_epi32(sum, _mm512_set1_epi32(1 << 30)),
                        _mm512_sub_epi32(_mm512_set1_epi32(MOST_TOP << 23), s->top[v]));
    __m512i unit = _mm512_sub_epi32(s->top[v], _mm512_set1_epi32(25 << 23)),
            to_units = _mm512_sub_epi32(_mm512_set1_epi32(254 << 23), unit);
    __m512 before = _mm512_mul_ps(_mm512_castsi512_ps(s->before[v]), _mm512_castsi512_ps(to_units));
    sum = _mm512_add_epi32(sum, _mm512_cvttps_epi32(before));
    __m512 result =
        _mm512_mul_ps(_mm512_cvt_roundepi32_ps(sum, TO_ZERO), _mm512_castsi512_ps(unit));
    return (struct results){result, strange};
}

/* Results into d; false: some of the 64 have to be looked at. */
INLINE bool
end_sums(const struct rows *a, const struct columns *b, uint32_t p, const struct part *s,
         uint32_t (*d)[32])
{
    __m512i strange = _mm512_setzero_si512();
    for (uint32_t v = 0; v < PARTS; v++) {
        struct results e = end_part(a, b, p, s, v);
        _mm512_storeu_ps(&d[v / 2 * 2 + p][v % 2 * 16], e.result);
        strange = _mm512_or_si512(strange, e.strange);
    }
    return !(s->none | _mm512_movepi32_mask(strange));
}

/* Where there are no products D stays, but for -0. Those that are to be computed one by one. */
static AVX512 uint64_t
end_strange(const struct rows *a, const struct columns *b, uint32_t p, const struct part *s,
            uint32_t (*d)[32])
{
    uint64_t odd = 0;
    for (uint32_t v = 0; v < PARTS; v++) {
        struct results e = end_part(a, b, p, s, v);
        __m512 before = _mm512_castsi512_ps(s->before[v]);
        __mmask16 none = (__mmask16)(s->none >> 16 * v);
        e.result = _mm512_mask_add_ps(e.result, none, before, _mm512_setzero_ps());
        _mm512_storeu_ps(&d[v / 2 * 2 + p][v % 2 * 16], e.result);
        odd |= (uint64_t)_mm512_movepi32_mask(e.strange) << 16 * v;
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
        if (rows >> l / 4 & 1 || columns >> column_of(0, p, l) & 1)
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

static void
mend(struct wgmma_factors *x, const struct wgmma_operands *o, const struct wgmma_place *place,
     const struct rows *a, const struct columns *b, uint32_t group, uint32_t p,
     const struct part *s, uint32_t (*d)[32])
{
    uint64_t odd = end_strange(a, b, p, s, d);
    if (a->odd | b->odd)
        odd = with_odd(odd, a->odd, b->odd, p);
    if (odd)
        load_columns(x, o, place, group);
    for (uint32_t l = 0; l < 64; l++) {
        uint32_t before;
        memcpy(&before, (const char *)s->before + 4 * l, 4);
        if (odd >> l & 1)
            d[l / 32 * 2 + p][l % 32] = wgmma_element(x, l / 4, column_of(group, p, l), before);
    }
}

/* -- a wgmma ----------------------------------------------------------------------------------- */

static AVX512 void
multiply(struct wgmma_factors *x, const struct wgmma_operands *o, const struct wgmma_place *place,
         const struct columns *b, uint32_t (*d)[32])
{
    struct rows a;
    prepare_rows(x->a, x->form->negate, &a);
    for (uint32_t g = 0; g < x->form->n / 8u; g++) {
        struct part part[2];
        uint32_t(*at)[32] = d + 4 * g;
        begin_sums(&a, &b[g], o->add, at, part);
        add_products(&a, &b[g], part);
        for (uint32_t p = 0; p < 2; p++) {
            bool ordinary = end_sums(&a, &b[g], p, &part[p], at);
            if (!ordinary || a.odd | b[g].odd)
                mend(x, o, place, &a, &b[g], g, p, &part[p], at);
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
