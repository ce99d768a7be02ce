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
    LEAST = -100,  /* exponent of a sum whose results are no denormals: 2^(LEAST - 25) */
    MOST = 100,    /* above it products do not count */
    LOWEST = -133, /* sums are not aligned to less (-132 and -134 fit the readings, too) */
    NO_EXPONENT = -10000,
};

typedef float floats __attribute__((vector_size(64)));
typedef int32_t ints __attribute__((vector_size(64)));
typedef uint32_t words __attribute__((vector_size(64)));
typedef int8_t bytes __attribute__((vector_size(64)));
typedef int8_t few_bytes __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

/* -- formats ---------------------------------------------------------------------------------- */

struct wgmma_format {
    uint8_t bytes, below, fraction, left; /* left: the magnitude's way to a float's place */
    int16_t bias, limit_field;            /* from this field on, or */
    uint32_t limit;                       /* from this magnitude on it is infinite or NaN */
    float scale;                          /* of the float made like that */
    bool wide;                            /* exponents of products do not fit in a byte */
    bool infinite;
};

#define F16                                                                                        \
    {                                                                                              \
        2, 0, 10, 13, 15, 31, 0x7c00, 0x1p112f, false, true                                        \
    }
#define BF16                                                                                       \
    {                                                                                              \
        2, 0, 7, 16, 127, 255, 0x7f80, 1, true, true                                               \
    }
#define TF32                                                                                       \
    {                                                                                              \
        4, 13, 10, 13, 127, 255, 0x3fc00, 1, true, true                                            \
    }

static const struct wgmma_format formats[] = {
    [WGMMA_F16] = F16,
    [WGMMA_BF16] = BF16,
    [WGMMA_TF32] = TF32,
    [WGMMA_E4M3] = {1, 0, 3, 20, 7, 16, 0x7f, 0x1p120f, false, false},
    [WGMMA_E5M2] = {1, 0, 2, 21, 15, 31, 0x7c, 0x1p112f, false, true},
    [WGMMA_F32] = {4, 0, 23, 0, 127, 255, 0x7f800000, 1, true, true},
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
    m = shift > 62 ? 0 : shift > 0 ? m >> shift : m << -shift;
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
static uint32_t
element(const struct wgmma_factors *x, uint32_t row, uint32_t column, uint32_t before)
{
    const struct wgmma_form *w = x->form;
    const struct wgmma_format *fa = &formats[w->a], *fb = &formats[w->b], *fd = &formats[w->d];
    int32_t bits = fa->bytes == 1 ? 13 : 25, top = LOWEST, count = 0;
    struct apart term[WGMMA_MOST_K + 1], c = number_of(fd, before);
    bool nan = c.nan, up = c.infinite && c.fraction > 0, down = c.infinite && c.fraction < 0;
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
        term[count++] = (struct apart){.fraction = product, .exponent = a.exponent + b.exponent};
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
    return cut_to_f32(sum, top - bits, fa->bytes == 1 ? 13 : 23);
}

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
          bool negate, struct line *out)
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
    out->top = 0;
    out->odd = most >= f->limit ? -1 : 0;
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
        read_line(f, size, x->a[r], count, x->form->negate, &line);
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
            read_line(f, size, x->b[first + 2 * t + parity], count, false, &line[t]);
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
largest(const struct left *a, const int8_t b[][4], uint32_t k, bool wide)
{
    bytes top = (bytes){0} + INT8_MIN;
    for (uint32_t n = 0; n < k; n++) {
        int32_t one;
        memcpy(&one, b[n], 4);
        bytes e = a->exponent[n] + (bytes)((ints){0} + one);
        top = LARGER(e, top);
    }
    bytes none = top < (int8_t)(wide ? NO_PRODUCT_WIDE : NO_PRODUCT);
    return (top & ~none) | (none & INT8_MIN);
}

/* The products, scaled and cut off, summed. */
INLINE void
sum_products(const struct left *a, const float b[][4], uint32_t k, const floats scale[PARTS],
             ints sum[PARTS])
{
    for (uint32_t v = 0; v < PARTS; v++)
        sum[v] = (ints){0};
    for (uint32_t n = 0; n < k; n++) {
        quad q;
        memcpy(&q, b[n], sizeof q);
        floats four_times =
            __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
        for (uint32_t v = 0; v < PARTS; v++)
            sum[v] += __builtin_convertvector(a->number[n][v] * four_times * scale[v], ints);
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
    sum += __builtin_convertvector(c, ints);
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
    bytes top = largest(a, b->exponent[parity], k, r.wide);
    ints columns_top = four(b->top[parity]), sum[PARTS];
    floats scale[PARTS];
    struct sums s[PARTS];
    for (uint32_t v = 0; v < PARTS; v++) {
        ints base = r.wide ? a->top[v] + columns_top : (ints){0};
        ints d = r.half ? widen_half(before[v]) : before[v];
        s[v] = begin_sums(r, widen_part(top, v), d, base);
        scale[v] = power(r.bits - smaller(s[v].top, (ints){0} + MOST));
    }
    sum_products(a, b->number[parity], k, scale, sum);
    for (uint32_t v = 0; v < PARTS; v++) {
        after[v] = end_sums(r, &s[v], sum[v]);
        odd[v] = s[v].odd;
    }
    if (a->some_odd | b->some_odd)
        for (uint32_t v = 0; v < PARTS; v++)
            odd[v] |= a->odd[v] | four(b->odd[parity]);
}

/* Those that are computed one by one. */
static void
mend(const struct wgmma_factors *x, uint32_t first, const ints before[PARTS], ints after[PARTS],
     const ints odd[PARTS])
{
    for (uint32_t v = 0; v < PARTS; v++)
        for (uint32_t l = 0; l < WIDTH; l++)
            if (odd[v][l])
                after[v][l] =
                    (int32_t)element(x, 4 * v + l / 4, first + l % 4 * 2, (uint32_t)before[v][l]);
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

INLINE void
run_types(const struct wgmma_factors *x, bool add, uint32_t (*d)[32])
{
    static const struct wgmma_format f16 = F16, bf16 = BF16, tf32 = TF32;
    const struct wgmma_format *fa = &formats[x->form->a], *fb = &formats[x->form->b];
    bool half = x->form->d == WGMMA_F16;
    if (fa->bytes == 1 && half)
        run_all(x, add, d, fa, fb, 1, (struct manner){13, true, false, true});
    else if (fa->bytes == 1)
        run_all(x, add, d, fa, fb, 1, (struct manner){13, false, false, true});
    else if (half)
        run_all(x, add, d, &f16, &f16, 2, (struct manner){25, true, false, false});
    else if (x->form->a == WGMMA_F16)
        run_all(x, add, d, &f16, &f16, 2, (struct manner){25, false, false, false});
    else if (x->form->a == WGMMA_BF16)
        run_all(x, add, d, &bf16, &bf16, 2, (struct manner){25, false, true, false});
    else
        run_all(x, add, d, &tf32, &tf32, 4, (struct manner){25, false, true, false});
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
