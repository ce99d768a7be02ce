/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/wgmma_float.c: sums of products of floats as the matrix unit rounds them (ops/wgmma.h). Start
 * at wgmma_float.
 *
 * A register of D is a vector of 32 lanes: row l / 4, columns 2 * (l % 4) and the next. For one of
 * them and each k a product is a vector of A times four numbers of B, repeated. An addend is cut
 * off by scaling the sum's largest exponent to 2^SUM_BITS and converting to an integer, which cuts
 * off towards zero as the hardware does: two multiplications, a conversion and an addition for each
 * product, and half of one for the largest exponent, in bytes (64 to a vector). Sums of integers
 * are exact, so that the order of k is free.
 *
 * Elements for which that does not do (infinities, NaNs, exponents of a row too far apart, sums
 * beyond 31 bits, results below 2^-75) are computed one by one, in 64-bit integers.
 */
#include "jit/ops/wgmma.h"

#include <string.h>

/* Vectors are passed between functions that are inlined alone. */
#pragma GCC diagnostic ignored "-Wpsabi"

enum {
    ROWS = 16,
    PARTS = 4, /* vectors of a register of D for 16 rows: rows 0..3, 4..7, 8..11, 12..15 */
    WIDTH = 16,
    NONE = -64, /* exponent of zero: two of them are a byte; what is left of a product by it */
    NO_PRODUCT = -45,      /*   is below that: e4m3, e5m2, f16 have exponents from -14 to 15, */
    NO_PRODUCT_WIDE = -62, /*   others are made to have some from -31 to 0 */
    SPREAD = 31,
    LEAST = -100, /* exponent of a sum whose results are no denormals: 2^(LEAST - 25) */
    MOST = 100,   /* above it products do not count */
    NO_EXPONENT = -10000,
};

typedef float floats __attribute__((vector_size(64)));
typedef int32_t ints __attribute__((vector_size(64)));
typedef uint32_t words __attribute__((vector_size(64)));
typedef int8_t bytes __attribute__((vector_size(64)));
typedef int8_t few_bytes __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

/* -- factors as vectors ------------------------------------------------------------------------ */

/* A row of A or a column of B. Where exponents are wide, the numbers are divided by 2^top. */
struct line {
    float number[WGMMA_MOST_K] __attribute__((aligned(64)));
    int8_t exponent[WGMMA_MOST_K] __attribute__((aligned(64)));
    int32_t top;
    int32_t odd; /* -1: its elements are computed one by one */
};

INLINE uint32_t
raw(const uint8_t *at, uint32_t k, uint32_t bytes)
{
    uint16_t half;
    uint32_t word;
    if (bytes == 1)
        return at[k];
    if (bytes == 2)
        return memcpy(&half, at + 2 * k, 2), half;
    return memcpy(&word, at + 4 * k, 4), word;
}

INLINE float
float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

INLINE void
read_line(const struct wgmma_format *f, uint32_t size, const uint8_t *at, uint32_t count,
          bool negate, int32_t scale, struct line *out)
{
    uint32_t top_bit = 8 * size - 1 - f->below, mask = (1u << top_bit) - 1, most = 0;
    int32_t exponent[WGMMA_MOST_K], top = NO_EXPONENT, least = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t w = raw(at, k, size) >> f->below, magnitude = w & mask;
        uint32_t field = magnitude >> f->fraction, sign = (w >> top_bit ^ negate) << 31;
        float v = float_of(magnitude << f->left) * f->scale;
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        out->number[k] = float_of(bits | sign);
        int32_t e = (int32_t)(field ? field : 1) - f->bias;
        exponent[k] = magnitude ? e : NO_EXPONENT;
        most = magnitude > most ? magnitude : most;
    }
    out->top = scale;
    out->odd = most >= f->limit || scale == WGMMA_NO_NUMBER ? -1 : 0;
    if (f->wide) {
        for (uint32_t k = 0; k < count; k++)
            top = exponent[k] > top ? exponent[k] : top;
        top = top == NO_EXPONENT ? 0 : top;
        float down = float_of(top < 127 ? (uint32_t)(127 - top) << 23 : 1u << 22);
        for (uint32_t k = 0; k < count; k++) {
            out->number[k] *= down;
            exponent[k] -= top;
            int32_t e = exponent[k] > NO_EXPONENT / 2 ? exponent[k] : 0;
            least = e < least ? e : least;
        }
        out->top = top;
        out->odd |= least < -SPREAD ? -1 : 0;
    }
    for (uint32_t k = 0; k < count; k++)
        out->exponent[k] = (int8_t)(exponent[k] > NONE ? exponent[k] : NONE);
}

/* A for the vectors of D: lane l of part v has row v * 4 + l / 4. */
struct left {
    floats number[WGMMA_MOST_K][PARTS];
    bytes exponent[WGMMA_MOST_K];
    ints top[PARTS], odd[PARTS];
    int32_t some_odd;
};

/* Eight columns of B: [parity][k][column / 2]. */
struct right {
    float number[2][WGMMA_MOST_K][4] __attribute__((aligned(64)));
    int8_t exponent[2][WGMMA_MOST_K][4] __attribute__((aligned(64)));
    int32_t top[2][4], odd[2][4], some_odd;
};

INLINE void
read_left(const struct wgmma_factors *x, const struct wgmma_format *f, uint32_t size,
          uint32_t count, struct left *out)
{
    out->some_odd = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        struct line line;
        read_line(f, size, x->a[r], count, x->form->negate, x->scaled ? x->scale_a[r] : 0, &line);
        for (uint32_t k = 0; k < count; k++) {
            float v = line.number[k];
            quad q = {v, v, v, v};
            uint32_t e = 0x01010101u * (uint8_t)line.exponent[k];
            memcpy((float *)&out->number[k][r / 4] + r % 4 * 4, &q, sizeof q);
            memcpy((int8_t *)&out->exponent[k] + 4 * r, &e, sizeof e);
        }
        out->some_odd |= line.odd;
        for (uint32_t t = 0; t < 4; t++) {
            out->top[r / 4][r % 4 * 4 + t] = line.top;
            out->odd[r / 4][r % 4 * 4 + t] = line.odd;
        }
    }
}

/* Four rows of numbers become columns: out[k] has one of each. */
INLINE void
turn(const struct line line[4], uint32_t count, float (*out)[4])
{
    for (uint32_t k = 0; k < count; k += 4) {
        quad r[4];
        for (uint32_t t = 0; t < 4; t++)
            memcpy(&r[t], &line[t].number[k], sizeof r[t]);
        quad a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
             b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5),
             c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7),
             d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
        quad q[4] = {
            __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
            __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
        memcpy(out[k], q, sizeof q);
    }
}

#define LOW(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

/* The same of bytes: 0 with 2 and 1 with 3, then those with each other. */
INLINE void
turn_bytes(const struct line line[4], uint32_t count, int8_t (*out)[4])
{
    for (uint32_t k = 0; k < count; k += 16) {
        few_bytes r[4];
        for (uint32_t t = 0; t < 4; t++)
            memcpy(&r[t], &line[t].exponent[k], sizeof r[t]);
        few_bytes a = LOW(r[0], r[2]), b = LOW(r[1], r[3]), c = HIGH(r[0], r[2]),
                  d = HIGH(r[1], r[3]), q[4] = {LOW(a, b), HIGH(a, b), LOW(c, d), HIGH(c, d)};
        memcpy(out[k], q, sizeof q);
    }
}

INLINE void
read_right(const struct wgmma_factors *x, const struct wgmma_format *f, uint32_t size,
           uint32_t count, uint32_t first, struct right *out)
{
    out->some_odd = 0;
    for (uint32_t parity = 0; parity < 2; parity++) {
        struct line line[4];
        for (uint32_t t = 0; t < 4; t++) {
            uint32_t n = first + 2 * t + parity;
            read_line(f, size, x->b[n], count, false, x->scaled ? x->scale_b[n] : 0, &line[t]);
            out->top[parity][t] = line[t].top;
            out->odd[parity][t] = line[t].odd;
            out->some_odd |= line[t].odd;
        }
        turn(line, count, out->number[parity]);
        turn_bytes(line, count, out->exponent[parity]);
    }
}

/* -- vectors ----------------------------------------------------------------------------------- */

INLINE ints
select_ints(ints mask, ints yes, ints no)
{
    return (mask & yes) | (~mask & no);
}

#if defined __has_builtin && __has_builtin(__builtin_elementwise_max)
#define LARGER(a, b) __builtin_elementwise_max(a, b)
#else
#define LARGER(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))
#endif

INLINE ints
larger(ints a, ints b)
{
    return LARGER(a, b);
}

INLINE ints
smaller(ints a, ints b)
{
    return ~LARGER(~a, ~b);
}

/* 2^n of exponents in a float's range. */
INLINE floats
power(ints n)
{
    return (floats)((n + 127) << 23);
}

/* x * 2^n in two steps: n up to twice a float's range. */
INLINE floats
scaled(floats x, ints n)
{
    ints half = n >> 1;
    return x * power(half) * power(n - half);
}

INLINE ints
four(const int32_t v[4])
{
    return (ints){v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3],
                  v[0], v[1], v[2], v[3], v[0], v[1], v[2], v[3]};
}

/* The largest exponent of the products of every element. */
INLINE bytes
largest(const struct left *a, const int8_t b[][4], uint32_t k, int8_t least)
{
    bytes top = (bytes){0} + INT8_MIN;
    for (uint32_t n = 0; n < k; n++) {
        int32_t one;
        memcpy(&one, b[n], 4);
        bytes e = a->exponent[n] + (bytes)((ints){0} + one);
        top = LARGER(e, top);
    }
    bytes none = top < least;
    return (top & ~none) | (none & INT8_MIN);
}

/* The products from k to `end`, scaled and cut off, summed. */
INLINE void
sum_some(const struct left *a, const float b[][4], uint32_t k, uint32_t end,
         const floats scale[PARTS], ints sum[PARTS])
{
    for (uint32_t v = 0; v < PARTS; v++)
        sum[v] = (ints){0};
    for (uint32_t n = k; n < end; n++) {
        quad q;
        memcpy(&q, b[n], sizeof q);
        floats four_times =
            __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
        for (uint32_t v = 0; v < PARTS; v++)
            sum[v] += __builtin_convertvector(a->number[n][v] * four_times * scale[v], ints);
    }
}

/* All of them. Sixteen products with 25 bits stay below 2^31: of more of them two sums are made,
 * and odd is -1 where both together do not. */
INLINE void
sum_products(const struct left *a, const float b[][4], uint32_t k, bool twice,
             const floats scale[PARTS], ints sum[PARTS], ints odd[PARTS])
{
    ints rest[PARTS];
    sum_some(a, b, 0, twice ? k / 2 : k, scale, sum);
    for (uint32_t v = 0; v < PARTS; v++)
        odd[v] = (ints){0};
    if (!twice)
        return;
    sum_some(a, b, k / 2, k, scale, rest);
    for (uint32_t v = 0; v < PARTS; v++) {
        ints all = (ints)((words)sum[v] + (words)rest[v]);
        odd[v] = ((sum[v] ^ all) & (rest[v] ^ all)) >> 31;
        sum[v] = all;
    }
}

/* sum * 2^unit, cut off; the lowest bit set where bits were cut off, if `sticky`. */
INLINE ints
cut_off(ints sum, ints unit, bool wide, bool sticky)
{
    ints sign = sum >> 31, m = (sum ^ sign) - sign;
    floats f = __builtin_convertvector(m, floats);
    ints back = __builtin_convertvector(f, ints), bits = (ints)f + (back > m);
    if (sticky) {
        ints exact = __builtin_convertvector((floats)bits, ints) == m;
        bits |= ~exact & 1;
    }
    floats r = wide ? scaled((floats)bits, unit) : (floats)bits * power(unit);
    return (ints)r | (sign & INT32_MIN);
}

/* Floats with enough bits to halves, nearest even; in the low bits. */
INLINE ints
to_half(ints bits)
{
    ints sign = (ints)((words)bits >> 16) & 0x8000, m = bits & INT32_MAX;
    ints normal = m + 0xfff + (m >> 13 & 1);
    normal = (normal >> 13) - (112 << 10);
    /* Adding 0.5 leaves a denormal's bits at the end of the float, rounded. */
    floats low = (floats)m + 0.5f;
    ints tiny = (ints)low - 0x3f000000, huge = m >= 0x47800000;
    ints h = select_ints(m < 0x38800000, tiny, normal);
    h = select_ints(huge | (h > 0x7c00), (ints){0} + 0x7c00, h);
    return select_ints(h == 0, h, h | sign);
}

/* -- D ----------------------------------------------------------------------------------------- */

/* What decides how an element's sum is made and rounded. */
struct manner {
    int32_t bits;         /* below the largest exponent */
    bool half, wide, cut; /* D is f16; exponents are wide; 13 bits of fraction are kept */
    bool few;             /* of more than 16 products at most 16 are not zero */
    int8_t least;         /* exponents of products are not below it */
};

/* Elements of a part: products' largest exponents in, sums in, results out. */
struct sums {
    ints before, top, base, late; /* D; the largest exponent; what it is above; no products */
    ints odd;                     /* -1: one by one */
};

/* D's exponent counts where D is zero, too, but below all others. */
INLINE struct sums
begin_sums(struct manner r, ints products, ints before, ints base)
{
    struct sums s = {.before = before, .base = base};
    ints field = before >> 23 & 255, e = field - 127;
    if (r.half) /* exponents of halves end sooner */
        e = select_ints(field == 0, e, larger(e, (ints){0} - 14));
    if (r.wide)
        e = select_ints((before & INT32_MAX) == 0, (ints){0} + NO_EXPONENT, e - base);
    ints top = larger(products, e);
    s.odd = field == 255;
    s.late = top < LEAST;
    s.top = larger(top, (ints){0} + LEAST);
    if (r.wide)
        s.odd |= ~s.late & (s.top + base < LEAST);
    return s;
}

INLINE ints
end_sums(struct manner r, struct sums *s, ints sum)
{
    ints up = r.bits - s->top;
    if (r.wide)
        up = smaller(larger(up - s->base, (ints){0} - 250), (ints){0} + 250);
    floats before = (floats)s->before, c = r.wide ? scaled(before, up) : before * power(up);
    ints add = __builtin_convertvector(c, ints), all = (ints)((words)sum + (words)add);
    s->odd |= ((sum ^ all) & (add ^ all)) >> 31; /* beyond 32 bits */
    sum = all;
    s->odd |= (sum ^ sum >> 31) > INT32_MAX - 256;
    ints bits = cut_off(sum, -up, r.wide, r.half);
    bits = select_ints(s->late, (ints)(before + 0.0f), bits); /* no products: D, but for -0 */
    if (r.cut && !r.half)
        bits &= ~0x3ff;
    return r.half ? to_half(bits) : bits;
}

INLINE ints
widen_half(ints h)
{
    ints m = h & 0x7fff;
    floats f = (floats)(m << 13) * 0x1p112f;
    ints bits = select_ints(m >= 0x7c00, (m << 13) | 0x7f800000, (ints)f);
    return bits | (h & 0x8000) << 16;
}

INLINE ints
widen_part(bytes top, uint32_t v)
{
    few_bytes part;
    memcpy(&part, (const char *)&top + 16 * v, sizeof part);
    return __builtin_convertvector(part, ints);
}

/* The elements of one parity of eight columns; before and after: floats, or halves in words. */
INLINE void
run_columns(const struct left *a, const struct right *b, uint32_t parity, uint32_t k,
            struct manner r, const ints before[PARTS], ints after[PARTS], ints odd[PARTS])
{
    bytes top = largest(a, b->exponent[parity], k, r.least);
    ints columns_top = four(b->top[parity]), sum[PARTS];
    floats scale[PARTS];
    struct sums s[PARTS];
    for (uint32_t v = 0; v < PARTS; v++) {
        ints base = r.wide ? a->top[v] + columns_top : (ints){0};
        ints d = r.half ? widen_half(before[v]) : before[v];
        s[v] = begin_sums(r, widen_part(top, v), d, base);
        scale[v] = power(r.bits - smaller(s[v].top, (ints){0} + MOST));
    }
    sum_products(a, b->number[parity], k, r.bits == 25 && k > 16 && !r.few, scale, sum, odd);
    for (uint32_t v = 0; v < PARTS; v++) {
        after[v] = end_sums(r, &s[v], sum[v]);
        odd[v] |= s[v].odd;
    }
    if (a->some_odd | b->some_odd)
        for (uint32_t v = 0; v < PARTS; v++)
            odd[v] |= a->odd[v] | four(b->odd[parity]);
}

/* Computes anew, one by one, the sums that `odd` marks: those that the vector code cannot make. */
static void
mend(const struct wgmma_factors *x, uint32_t first, const ints before[PARTS], ints after[PARTS],
     const ints odd[PARTS])
{
    for (uint32_t v = 0; v < PARTS; v++)
        for (uint32_t l = 0; l < WIDTH; l++)
            if (odd[v][l])
                after[v][l] = (int32_t)wgmma_element(x, 4 * v + l / 4, first + l % 4 * 2,
                                                     (uint32_t)before[v][l]);
}

INLINE bool
any(const ints odd[PARTS])
{
    ints all = odd[0] | odd[1] | odd[2] | odd[3];
    uint64_t w[8], some = 0;
    memcpy(w, &all, sizeof w);
    for (unsigned k = 0; k < 8; k++)
        some |= w[k];
    return some;
}

/* Part v of a register: rows 0..7 are in the first of two, rows 8..15 in the other. */
INLINE void
run_eight(const struct wgmma_factors *x, const struct left *a, const struct right *b, uint32_t k,
          struct manner r, uint32_t first, bool add, uint32_t (*d)[32])
{
    ints before[2][PARTS] = {{{0}}}, after[2][PARTS], odd[2][PARTS];
    uint32_t low = first / 8 * (r.half ? 2 : 4), step = r.half ? 1 : 2;
    for (uint32_t p = 0; p < 2; p++) {
        for (uint32_t v = 0; add && v < PARTS; v++) {
            const uint32_t *from = &d[low + v / 2 * step + (r.half ? 0 : p)][v % 2 * WIDTH];
            memcpy(&before[p][v], from, sizeof before[p][v]);
            if (r.half)
                before[p][v] = before[p][v] >> (16 * (int)p) & 0xffff;
        }
        run_columns(a, b, p, k, r, before[p], after[p], odd[p]);
        if (any(odd[p]))
            mend(x, first + p, before[p], after[p], odd[p]);
    }
    for (uint32_t v = 0; v < PARTS; v++)
        for (uint32_t p = 0; p < (r.half ? 1 : 2); p++) {
            ints all = r.half ? after[0][v] | after[1][v] << 16 : after[p][v];
            memcpy(&d[low + v / 2 * step + p][v % 2 * WIDTH], &all, sizeof all);
        }
}

/* -- by type ----------------------------------------------------------------------------------- */

INLINE void
run_depth(const struct wgmma_factors *x, bool add, uint32_t (*d)[32], const struct wgmma_format *fa,
          const struct wgmma_format *fb, uint32_t size, struct manner r, uint32_t k)
{
    struct left a;
    struct right b;
    read_left(x, fa, size, k, &a);
    for (uint32_t n = 0; n < x->form->n; n += 8) {
        read_right(x, fb, size, k, n, &b);
        run_eight(x, &a, &b, k, r, n, add, d);
    }
}

/* What it all depends on is known in its code, sparse or not. */
INLINE void
run_all(const struct wgmma_factors *x, bool add, uint32_t (*d)[32], const struct wgmma_format *fa,
        const struct wgmma_format *fb, uint32_t size, struct manner r)
{
    if (x->form->sparse)
        run_depth(x, add, d, fa, fb, size, r, 64 / size);
    else
        run_depth(x, add, d, fa, fb, size, r, 32 / size);
}

/* Numbers of 8 bits and less. */
INLINE void
run_bytes(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    const struct wgmma_format *fa = &wgmma_formats[x->form->a], *fb = &wgmma_formats[x->form->b];
    bool half = x->form->d == WGMMA_F16;
    struct manner r = {.bits = 25, .half = half, .least = NO_PRODUCT};
    if (x->bits == 13 && half)
        run_all(x, add, d, fa, fb, 1, (struct manner){13, true, false, true, true, NO_PRODUCT});
    else if (x->bits == 13)
        run_all(x, add, d, fa, fb, 1, (struct manner){13, false, false, true, true, NO_PRODUCT});
    else if (x->scaled)
        run_all(x, add, d, fa, fb, 1, (struct manner){25, false, true, false, false, NO_PRODUCT});
    else
        run_all(x, add, d, fa, fb, 1, r);
}

INLINE void
run_types(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    static const struct wgmma_format f16 = WGMMA_FORMAT_F16, bf16 = WGMMA_FORMAT_BF16,
                                     tf32 = WGMMA_FORMAT_TF32;
    struct manner plain = {.bits = 25, .few = true, .least = NO_PRODUCT}, half = plain,
                  wide = {.bits = 25, .few = true, .wide = true, .least = NO_PRODUCT_WIDE};
    half.half = true;
    if (wgmma_formats[x->form->a].bytes == 1)
        run_bytes(x, add, d);
    else if (x->form->d == WGMMA_F16)
        run_all(x, add, d, &f16, &f16, 2, half);
    else if (x->form->a == WGMMA_F16)
        run_all(x, add, d, &f16, &f16, 2, plain);
    else if (x->form->a == WGMMA_BF16)
        run_all(x, add, d, &bf16, &bf16, 2, wide);
    else
        run_all(x, add, d, &tf32, &tf32, 4, wide);
}

#ifdef __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) static void
run_512(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    run_types(x, add, d);
}

__attribute__((target("avx2"))) static void
run_256(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    run_types(x, add, d);
}
#endif

static void
run_plain(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    run_types(x, add, d);
}

void
wgmma_float(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        run_512(x, add, d);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        run_256(x, add, d);
        return;
    }
#endif
    run_plain(x, add, d);
}
