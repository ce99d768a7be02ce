/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point arithmetic and comparison: .f32 and .f64 in every rounding against the C
 * compiler's operations under fesetround, .f16 and .bf16 against exact sums rounded once.
 */
#include "common/unit.h"

#include "jit/harness.h"
#include "jit/reference.h"

/* -- arithmetic -------------------------------------------------------------------------------- */

enum { ADD = 1, SUB, MUL, DIV, FMA, RCP, SQRT, RSQRT };
enum {
    RN = 0,
    RZ = 0x10,
    RM = 0x20,
    RP = 0x30,
    FTZ = 0x100,
    SAT = 0x200,
    RELU = 0x400,
    APPROX = 0x800
};

#pragma STDC FENV_ACCESS ON

#define OPERATION(name, type, root, fused)                                                         \
    static __attribute__((noinline)) type name(int arg, type a, type b, type c)                    \
    {                                                                                              \
        volatile type x = a, y = b, z = c, one = 1, r = 0;                                         \
        ref_set_mode((enum ref_mode)(arg >> 4 & 3));                                               \
        switch (arg & 15) {                                                                        \
        case ADD: r = x + y; break;                                                                \
        case SUB: r = x - y; break;                                                                \
        case MUL: r = x * y; break;                                                                \
        case DIV: r = x / y; break;                                                                \
        case FMA: r = fused(x, y, z); break;                                                       \
        case RCP: r = one / x; break;                                                              \
        default: r = root(x); break;                                                               \
        }                                                                                          \
        ref_set_mode(REF_RN);                                                                      \
        return r;                                                                                  \
    }
OPERATION(operation32, float, sqrtf, fmaf)
OPERATION(operation64, double, sqrt, fma)

static void
ref_f32(uint64_t *d, const uint64_t *x, int arg)
{
    float v[3];
    for (unsigned k = 0; k < 3; k++) {
        v[k] = ref_float(x[k]);
        if (arg & FTZ)
            v[k] = ref_flush(v[k]);
    }
    float r = operation32(arg, v[0], v[1], v[2]);
    if (arg & APPROX && fabsf(v[1]) > 0x1p126f)
        r = v[0] * copysignf(0, v[1]);
    if (arg & SAT)
        r = r > 0 ? (r < 1 ? r : 1) : 0;
    /* Flushed where the exact result, of which this is the part towards zero, is denormal: in
     * directed roundings, and in products to nearest (h200_instructions.xz: mul_rn_ftz_sat_f32,
     * fma_rn_ftz_f32). */
    int mode = arg & 0x30, op = arg & 0xf;
    if (arg & FTZ && (mode == RM || mode == RP || op == MUL || op == FMA) &&
        fabsf(operation32((arg & ~0x30) | RZ, v[0], v[1], v[2])) < 0x1p-126f)
        r = copysignf(0, r);
    if (arg & FTZ)
        r = ref_flush(r);
    d[0] = ref_bits32(r);
}

/* The numbers before the last one are of 16 bits: any is a float, too. */
static void
mixed(uint64_t *d, const uint64_t *x, int arg, const struct ref_format *f)
{
    uint64_t all[3] = {x[0], x[1], x[2]};
    unsigned halves = (arg & 0xf) == FMA ? 2 : 1;
    for (unsigned k = 0; k < halves; k++)
        all[k] = ref_bits32((float)ref_decode(x[k], f));
    ref_f32(d, all, arg);
}

static void
ref_f32_f16(uint64_t *d, const uint64_t *x, int arg)
{
    mixed(d, x, arg, &fmt_f16);
}

static void
ref_f32_bf16(uint64_t *d, const uint64_t *x, int arg)
{
    mixed(d, x, arg, &fmt_bf16);
}

static void
ref_f64(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = ref_bits64(operation64(arg, ref_double(x[0]), ref_double(x[1]), ref_double(x[2])));
}

static void
ref_f32x2(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t low[3] = {x[0], x[1], x[2]}, high[3] = {x[0] >> 32, x[1] >> 32, x[2] >> 32}, a, b;
    ref_f32(&a, low, arg);
    ref_f32(&b, high, arg);
    d[0] = (uint32_t)a | b << 32;
}

static uint64_t
flush16(uint64_t x, const struct ref_format *f)
{
    uint64_t exponent = (UINT64_C(1) << f->e) - 1;
    return x >> f->m & exponent ? x : x & 0x8000;
}

static uint64_t
half(uint64_t a, uint64_t b, uint64_t c, int arg, const struct ref_format *f)
{
    if (arg & FTZ) {
        a = flush16(a, f);
        b = flush16(b, f);
        c = flush16(c, f);
    }
    long double x = ref_decode(a, f), y = ref_decode(b, f), z = ref_decode(c, f), r;
    switch (arg & 15) {
    case ADD: r = ref_fma_sticky(x, 1, y); break;
    case SUB: r = ref_fma_sticky(x, 1, -y); break;
    case MUL: r = x * y; break;
    default: r = ref_fma_sticky(x, y, z); break;
    }
    if (arg & SAT)
        r = r > 0 ? (r < 1 ? r : 1) : 0;
    if (arg & RELU && !isnan(r))
        r = r > 0 ? r : 0;
    if (arg & FTZ && f == &fmt_f16 && fabsl(r) < 0x1p-14L) /* before it is rounded */
        r = copysignl(0, r);
    uint64_t bits = ref_encode(r, f, REF_RN, false);
    return arg & FTZ ? flush16(bits, f) : bits;
}

static void
ref_f16(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = half(x[0], x[1], x[2], arg, &fmt_f16);
}

static void
ref_bf16(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = half(x[0], x[1], x[2], arg, &fmt_bf16);
}

static void
ref_f16x2(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = half(x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff, arg, &fmt_f16) |
           half(x[0] >> 16, x[1] >> 16, x[2] >> 16, arg, &fmt_f16) << 16;
}

static void
ref_bf16x2(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = half(x[0] & 0xffff, x[1] & 0xffff, x[2] & 0xffff, arg, &fmt_bf16) |
           half(x[0] >> 16, x[1] >> 16, x[2] >> 16, arg, &fmt_bf16) << 16;
}

/* -- min, max, abs, neg, testp, copysign ------------------------------------------------------- */

enum {
    MAX = 1,
    NAN_WINS = 2,
    XORSIGN = 4,
    F32 = 0x10,
    F64 = 0x20,
    F16 = 0x30,
    BF16 = 0x40,
    NEG = 0x200
};

struct kind {
    const struct ref_format *format;
    unsigned bits;
    uint64_t nan;
};

static struct kind
kind_of(int arg)
{
    switch (arg & 0x70) {
    case F32: return (struct kind){&fmt_f32, 32, 0x7fffffff};
    case F64: return (struct kind){&fmt_f64, 64, UINT64_C(0x7ff8000000000000)};
    case F16: return (struct kind){&fmt_f16, 16, 0x7fff};
    default: return (struct kind){&fmt_bf16, 16, 0x7fff};
    }
}

static uint64_t
flush_any(uint64_t x, struct kind k)
{
    uint64_t exponent = ((UINT64_C(1) << k.format->e) - 1) << k.format->m;
    return x & exponent ? x : x & (UINT64_C(1) << (k.bits - 1));
}

static bool
is_nan(uint64_t x, struct kind k)
{
    return isnan(ref_decode(x, k.format));
}

/* a before b: smaller, or -0 and +0. */
static bool
before(uint64_t a, uint64_t b, struct kind k)
{
    long double x = ref_decode(a, k.format), y = ref_decode(b, k.format);
    return x < y || (x == y && a >> (k.bits - 1) > b >> (k.bits - 1));
}

static uint64_t
extreme(uint64_t a, uint64_t b, int arg)
{
    struct kind k = kind_of(arg);
    uint64_t sign = UINT64_C(1) << (k.bits - 1), result_sign = 0;
    if (arg & FTZ) {
        a = flush_any(a, k);
        b = flush_any(b, k);
    }
    if (arg & XORSIGN) {
        result_sign = (a ^ b) & sign;
        a &= ~sign;
        b &= ~sign;
    }
    uint64_t r = arg & MAX ? (before(a, b, k) ? b : a) : (before(b, a, k) ? b : a);
    if (is_nan(a, k) && is_nan(b, k))
        return k.nan;
    if (is_nan(a, k) || is_nan(b, k)) {
        if (arg & NAN_WINS)
            return k.nan;
        r = is_nan(a, k) ? b : a;
    }
    return r | result_sign;
}

static void
ref_min_max(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = extreme(x[0], x[1], arg);
}

static void
ref_min_max3(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = extreme(extreme(x[0], x[1], arg), x[2], arg);
}

static void
ref_min_max_packed(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = extreme(x[0] & 0xffff, x[1] & 0xffff, arg) | extreme(x[0] >> 16, x[1] >> 16, arg) << 16;
}

static void
ref_abs_neg(uint64_t *d, const uint64_t *x, int arg)
{
    struct kind k = kind_of(arg);
    uint64_t sign = UINT64_C(1) << (k.bits - 1), v = arg & FTZ ? flush_any(x[0], k) : x[0];
    d[0] = arg & NEG ? v ^ sign : v & ~sign;
}

static void
ref_abs_neg_packed(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = arg & NEG ? x[0] ^ 0x80008000 : x[0] & 0x7fff7fff;
}

/* arg: format, class << 8: finite, infinite, number, notanumber, normal, subnormal. */
static void
ref_testp(uint64_t *d, const uint64_t *x, int arg)
{
    struct kind k = kind_of(arg);
    int c = k.bits == 32 ? fpclassify(ref_float(x[0])) : fpclassify(ref_double(x[0]));
    const bool is[] = {c != FP_NAN && c != FP_INFINITE, c == FP_INFINITE, c != FP_NAN, c == FP_NAN,
                       c == FP_NORMAL || c == FP_ZERO,  c == FP_SUBNORMAL};
    d[0] = is[arg >> 8];
}

static void
ref_copysign(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t sign = UINT64_C(1) << (kind_of(arg).bits - 1);
    d[0] = (x[0] & sign) | (x[1] & ~sign);
}

/* -- comparison -------------------------------------------------------------------------------- */

enum { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NOT_NUM };

static bool
holds(uint64_t a, uint64_t b, int arg)
{
    struct kind k = kind_of(arg);
    if (arg & FTZ) {
        a = flush_any(a, k);
        b = flush_any(b, k);
    }
    long double x = ref_decode(a, k.format), y = ref_decode(b, k.format);
    bool unordered = isnan(x) || isnan(y);
    int c = arg >> 16 & 15;
    if (c == NUM || c == NOT_NUM)
        return unordered == (c == NOT_NUM);
    if (unordered)
        return c >= EQU;
    switch (c % 6) {
    case EQ: return x == y;
    case NE: return x != y;
    case LT: return x < y;
    case LE: return x <= y;
    case GT: return x > y;
    default: return x >= y;
    }
}

static void
ref_setp(uint64_t *d, const uint64_t *x, int arg)
{
    bool t = holds(x[0], x[1], arg);
    d[0] = arg >> 20 ? t & x[2] : t;
    d[1] = arg >> 20 ? !t & x[2] : !t;
}

static void
ref_setp_packed(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = holds(x[0] & 0xffff, x[1] & 0xffff, arg);
    d[1] = holds(x[0] >> 16, x[1] >> 16, arg);
}

/* arg >> 20: the value of true. */
static const uint64_t truths[] = {0, 0x3f800000, 0xffffffff, 0x3c00, 0x3f80};

static void
ref_set(uint64_t *d, const uint64_t *x, int arg)
{
    d[0] = holds(x[0], x[1], arg) ? truths[arg >> 20] : 0;
}

static void
ref_set_packed(uint64_t *d, const uint64_t *x, int arg)
{
    uint64_t low = holds(x[0] & 0xffff, x[1] & 0xffff, arg) ? truths[arg >> 20] : 0;
    uint64_t high = holds(x[0] >> 16, x[1] >> 16, arg) ? truths[arg >> 20] : 0;
    d[0] = (low & 0xffff) | (high & 0xffff) << 16;
}

/* -- the forms --------------------------------------------------------------------------------- */

#define CMP(type, c) ((type) | (c) << 16)
/* clang-format off */
#define FOUR(op, suffix, out, in, ref, code, kind)                                                 \
    {op ".rn" suffix, out, in, ref, (code) | RN, kind}, {op ".rz" suffix, out, in, ref, (code) | RZ, kind},   \
    {op ".rm" suffix, out, in, ref, (code) | RM, kind}, {op ".rp" suffix, out, in, ref, (code) | RP, kind}

static const struct form forms[] = {
    FOUR("add", ".f32", "w", "ww", ref_f32, ADD, NAN32), FOUR("add", ".ftz.f32", "w", "ww", ref_f32, ADD | FTZ, NAN32),
    FOUR("add", ".sat.f32", "w", "ww", ref_f32, ADD | SAT, NAN32), FOUR("add", ".f64", "d", "dd", ref_f64, ADD, NAN64),
    FOUR("sub", ".f32", "w", "ww", ref_f32, SUB, NAN32), FOUR("sub", ".ftz.sat.f32", "w", "ww", ref_f32, SUB | FTZ | SAT, NAN32),
    FOUR("sub", ".f64", "d", "dd", ref_f64, SUB, NAN64),
    FOUR("mul", ".f32", "w", "ww", ref_f32, MUL, NAN32), FOUR("mul", ".ftz.f32", "w", "ww", ref_f32, MUL | FTZ, NAN32),
    FOUR("mul", ".sat.f32", "w", "ww", ref_f32, MUL | SAT, NAN32), FOUR("mul", ".f64", "d", "dd", ref_f64, MUL, NAN64),
    FOUR("fma", ".f32", "w", "www", ref_f32, FMA, NAN32), FOUR("fma", ".ftz.f32", "w", "www", ref_f32, FMA | FTZ, NAN32),
    FOUR("fma", ".sat.f32", "w", "www", ref_f32, FMA | SAT, NAN32), FOUR("fma", ".f64", "d", "ddd", ref_f64, FMA, NAN64),
    FOUR("mad", ".f32", "w", "www", ref_f32, FMA, NAN32), FOUR("mad", ".f64", "d", "ddd", ref_f64, FMA, NAN64),
    FOUR("div", ".f32", "w", "ww", ref_f32, DIV, NAN32), FOUR("div", ".ftz.f32", "w", "ww", ref_f32, DIV | FTZ, NAN32),
    FOUR("div", ".f64", "d", "dd", ref_f64, DIV, NAN64),
    FOUR("rcp", ".f32", "w", "w", ref_f32, RCP, NAN32), FOUR("rcp", ".ftz.f32", "w", "w", ref_f32, RCP | FTZ, NAN32), FOUR("rcp", ".f64", "d", "d", ref_f64, RCP, NAN64),
    FOUR("sqrt", ".f32", "w", "w", ref_f32, SQRT, NAN32), FOUR("sqrt", ".ftz.f32", "w", "w", ref_f32, SQRT | FTZ, NAN32), FOUR("sqrt", ".f64", "d", "d", ref_f64, SQRT, NAN64),
    {"add.f32", "w", "ww", ref_f32, ADD, NAN32}, {"mul.f32", "w", "ww", ref_f32, MUL, NAN32}, {"mul.ftz.sat.f32", "w", "ww", ref_f32, MUL | FTZ | SAT, NAN32},
    {"div.full.f32", "w", "ww", ref_f32, DIV, NAN32}, {"div.full.ftz.f32", "w", "ww", ref_f32, DIV | FTZ, NAN32},
    {"div.approx.f32", "w", "ww", ref_f32, DIV | APPROX, NAN32}, {"div.approx.ftz.f32", "w", "ww", ref_f32, DIV | FTZ | APPROX, NAN32},
    {"rcp.approx.f32", "w", "w", ref_f32, RCP, NAN32}, {"rcp.approx.ftz.f32", "w", "w", ref_f32, RCP | FTZ, NAN32},
    {"sqrt.approx.f32", "w", "w", ref_f32, SQRT, NAN32}, {"sqrt.approx.ftz.f32", "w", "w", ref_f32, SQRT | FTZ, NAN32},
    {"add.rn.f32x2", "d", "dd", ref_f32x2, ADD, NAN32X2}, {"fma.rz.f32x2", "d", "ddd", ref_f32x2, FMA | RZ, NAN32X2}, {"mul.rn.ftz.f32x2", "d", "dd", ref_f32x2, MUL | FTZ, NAN32X2},

    FOUR("add", ".f32.f16", "w", "hw", ref_f32_f16, ADD, NAN32), FOUR("add", ".sat.f32.bf16", "w", "hw", ref_f32_bf16, ADD | SAT, NAN32),
    FOUR("sub", ".f32.f16", "w", "hw", ref_f32_f16, SUB, NAN32), FOUR("sub", ".f32.bf16", "w", "hw", ref_f32_bf16, SUB, NAN32),
    FOUR("fma", ".f32.f16", "w", "hhw", ref_f32_f16, FMA, NAN32), FOUR("fma", ".f32.bf16", "w", "hhw", ref_f32_bf16, FMA, NAN32),
    {"add.f32.f16", "w", "hw", ref_f32_f16, ADD, NAN32}, {"fma.rn.sat.f32.bf16", "w", "hhw", ref_f32_bf16, FMA | SAT, NAN32},

    {"add.f16", "h", "hh", ref_f16, ADD, NAN16}, {"add.rn.ftz.f16", "h", "hh", ref_f16, ADD | FTZ, NAN16}, {"add.sat.f16", "h", "hh", ref_f16, ADD | SAT, NAN16},
    {"sub.f16", "h", "hh", ref_f16, SUB, NAN16}, {"mul.f16", "h", "hh", ref_f16, MUL, NAN16}, {"mul.ftz.sat.f16", "h", "hh", ref_f16, MUL | FTZ | SAT, NAN16},
    {"fma.rn.f16", "h", "hhh", ref_f16, FMA, NAN16}, {"fma.rn.ftz.f16", "h", "hhh", ref_f16, FMA | FTZ, NAN16}, {"fma.rn.sat.f16", "h", "hhh", ref_f16, FMA | SAT, NAN16},
    {"fma.rn.relu.f16", "h", "hhh", ref_f16, FMA | RELU, EXACT},
    {"add.f16x2", "w", "ww", ref_f16x2, ADD, NAN16X2}, {"sub.ftz.f16x2", "w", "ww", ref_f16x2, SUB | FTZ, NAN16X2}, {"mul.f16x2", "w", "ww", ref_f16x2, MUL, NAN16X2},
    {"fma.rn.f16x2", "w", "www", ref_f16x2, FMA, NAN16X2}, {"fma.rn.relu.f16x2", "w", "www", ref_f16x2, FMA | RELU, EXACT},
    {"add.bf16", "h", "hh", ref_bf16, ADD, NANBF}, {"sub.bf16", "h", "hh", ref_bf16, SUB, NANBF}, {"mul.bf16", "h", "hh", ref_bf16, MUL, NANBF},
    {"fma.rn.bf16", "h", "hhh", ref_bf16, FMA, NANBF}, {"fma.rn.relu.bf16", "h", "hhh", ref_bf16, FMA | RELU, EXACT},
    {"add.bf16x2", "w", "ww", ref_bf16x2, ADD, NANBFX2}, {"mul.bf16x2", "w", "ww", ref_bf16x2, MUL, NANBFX2}, {"fma.rn.bf16x2", "w", "www", ref_bf16x2, FMA, NANBFX2},

    {"min.f32", "w", "ww", ref_min_max, F32, EXACT}, {"max.f32", "w", "ww", ref_min_max, F32 | MAX, EXACT},
    {"min.ftz.f32", "w", "ww", ref_min_max, F32 | FTZ, EXACT}, {"max.ftz.f32", "w", "ww", ref_min_max, F32 | MAX | FTZ, EXACT},
    {"min.NaN.f32", "w", "ww", ref_min_max, F32 | NAN_WINS, EXACT}, {"max.NaN.f32", "w", "ww", ref_min_max, F32 | NAN_WINS | MAX, EXACT},
    {"min.xorsign.abs.f32", "w", "ww", ref_min_max, F32 | XORSIGN, EXACT}, {"max.NaN.xorsign.abs.f32", "w", "ww", ref_min_max, F32 | XORSIGN | NAN_WINS | MAX, EXACT},
    {"min.f32 d, a, b, c", "w", "www", ref_min_max3, F32, EXACT}, {"max.NaN.f32 d, a, b, c", "w", "www", ref_min_max3, F32 | MAX | NAN_WINS, EXACT},
    {"min.f64", "d", "dd", ref_min_max, F64, NAN64}, {"max.f64", "d", "dd", ref_min_max, F64 | MAX, NAN64},
    {"min.f16", "h", "hh", ref_min_max, F16, EXACT}, {"max.f16", "h", "hh", ref_min_max, F16 | MAX, EXACT}, {"max.ftz.NaN.f16", "h", "hh", ref_min_max, F16 | MAX | FTZ | NAN_WINS, EXACT},
    {"min.xorsign.abs.f16", "h", "hh", ref_min_max, F16 | XORSIGN, EXACT}, {"min.bf16", "h", "hh", ref_min_max, BF16, EXACT}, {"max.NaN.bf16", "h", "hh", ref_min_max, BF16 | MAX | NAN_WINS, EXACT},
    {"min.f16x2", "w", "ww", ref_min_max_packed, F16, EXACT}, {"max.NaN.f16x2", "w", "ww", ref_min_max_packed, F16 | MAX | NAN_WINS, EXACT}, {"max.bf16x2", "w", "ww", ref_min_max_packed, BF16 | MAX, EXACT},
    {"max.f32 d, a, 0", "w", "ww", ref_min_max, F32 | MAX, EXACT},
    {"abs.f32", "w", "w", ref_abs_neg, F32, EXACT}, {"abs.ftz.f32", "w", "w", ref_abs_neg, F32 | FTZ, EXACT}, {"abs.f64", "d", "d", ref_abs_neg, F64, EXACT}, {"abs.f16", "h", "h", ref_abs_neg, F16, EXACT},
    {"neg.f32", "w", "w", ref_abs_neg, F32 | NEG, EXACT}, {"neg.ftz.f32", "w", "w", ref_abs_neg, F32 | NEG | FTZ, EXACT}, {"neg.f64", "d", "d", ref_abs_neg, F64 | NEG, EXACT}, {"neg.ftz.f16", "h", "h", ref_abs_neg, F16 | NEG | FTZ, EXACT},
    {"neg.bf16", "h", "h", ref_abs_neg, BF16 | NEG, EXACT}, {"abs.f16x2", "w", "w", ref_abs_neg_packed, 0, EXACT}, {"neg.bf16x2", "w", "w", ref_abs_neg_packed, NEG, EXACT},
    {"testp.finite.f32", "p", "w", ref_testp, F32, EXACT}, {"testp.infinite.f32", "p", "w", ref_testp, F32 | 0x100, EXACT}, {"testp.number.f64", "p", "d", ref_testp, F64 | 0x200, EXACT},
    {"testp.notanumber.f32", "p", "w", ref_testp, F32 | 0x300, EXACT}, {"testp.normal.f32", "p", "w", ref_testp, F32 | 0x400, EXACT}, {"testp.subnormal.f64", "p", "d", ref_testp, F64 | 0x500, EXACT},
    {"copysign.f32", "w", "ww", ref_copysign, F32, EXACT}, {"copysign.f64", "d", "dd", ref_copysign, F64, EXACT},

    {"setp.eq.f32", "p", "ww", ref_setp, CMP(F32, EQ), EXACT}, {"setp.ne.f32", "p", "ww", ref_setp, CMP(F32, NE), EXACT}, {"setp.lt.f32", "p", "ww", ref_setp, CMP(F32, LT), EXACT},
    {"setp.le.f64", "p", "dd", ref_setp, CMP(F64, LE), EXACT}, {"setp.gt.f64", "p", "dd", ref_setp, CMP(F64, GT), EXACT}, {"setp.ge.f32", "p", "ww", ref_setp, CMP(F32, GE), EXACT},
    {"setp.equ.f32", "p", "ww", ref_setp, CMP(F32, EQU), EXACT}, {"setp.neu.f32", "p", "ww", ref_setp, CMP(F32, NEU), EXACT}, {"setp.ltu.f64", "p", "dd", ref_setp, CMP(F64, LTU), EXACT},
    {"setp.leu.f32", "p", "ww", ref_setp, CMP(F32, LEU), EXACT}, {"setp.gtu.f32", "p", "ww", ref_setp, CMP(F32, GTU), EXACT}, {"setp.geu.f32", "p", "ww", ref_setp, CMP(F32, GEU), EXACT},
    {"setp.num.f64", "p", "dd", ref_setp, CMP(F64, NUM), EXACT}, {"setp.nan.f32", "p", "ww", ref_setp, CMP(F32, NOT_NUM), EXACT},
    {"setp.lt.ftz.f32", "p", "ww", ref_setp, CMP(F32 | FTZ, LT), EXACT}, {"setp.eq.ftz.f16", "p", "hh", ref_setp, CMP(F16 | FTZ, EQ), EXACT},
    {"setp.gtu.and.f32 p|q, a, b, c", "pp", "wwp", ref_setp, CMP(F32, GTU) | 1 << 20, EXACT},
    {"setp.lt.f16", "p", "hh", ref_setp, CMP(F16, LT), EXACT}, {"setp.geu.bf16", "p", "hh", ref_setp, CMP(BF16, GEU), EXACT},
    {"setp.lt.f16x2 p|q, a, b", "pp", "ww", ref_setp_packed, CMP(F16, LT), EXACT}, {"setp.neu.bf16x2 p|q, a, b", "pp", "ww", ref_setp_packed, CMP(BF16, NEU), EXACT},
    {"set.lt.f32.f32", "w", "ww", ref_set, CMP(F32, LT) | 1 << 20, EXACT}, {"set.nan.u32.f64", "w", "dd", ref_set, CMP(F64, NOT_NUM) | 2 << 20, EXACT},
    {"set.eq.f16.f16", "h", "hh", ref_set, CMP(F16, EQ) | 3 << 20, EXACT}, {"set.gt.bf16.bf16", "h", "hh", ref_set, CMP(BF16, GT) | 4 << 20, EXACT},
    {"set.gt.f16x2.f16x2", "w", "ww", ref_set_packed, CMP(F16, GT) | 3 << 20, EXACT}, {"set.leu.u32.f16x2", "w", "ww", ref_set_packed, CMP(F16, LEU) | 2 << 20, EXACT},
};
/* clang-format on */

static void
all_forms(void **state)
{
    (void)state;
    assert_int_equal(harness_run_all(forms, sizeof forms / sizeof *forms, 60000), 0);
}

int
main(void)
{
    return UNIT_TESTS(all_forms);
}
