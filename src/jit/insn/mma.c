/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_mma: products of warp matrices, D = A * B + C (PTX ISA 9.7.14).
 *
 * A shape with its types is one function of the module, called wherever the instruction stands:
 * registers of A, B and C in, registers of D out. In it element i of D in all lanes is one vector,
 * and for each k the numbers of A and B that it needs are shuffles of registers. Start at
 * matrix_multiply.
 *
 * Floating point. The manual leaves order and rounding open. What an H200 does was read from it
 * (tests/data/h200_matrices.xz, all bits equal) and is done here:
 *   - f16, bf16, tf32: products are exact. All products of a row and column and C are summed at
 *     once: aligned to the largest exponent among them (of a product: the sum of its factors'
 *     exponents, before normalising; zeros do not count), cut off 25 bits below it towards zero,
 *     added exactly. The sum is rounded once: to f32 towards zero, to f16 to nearest even. A result
 *     of zero is +0.
 *   - e4m3, e5m2: two such sums, over the k with k % 4 < 2 and over the rest, the second on top of
 *     the first; C is added last, to nearest even.
 *   - the sum goes to f16 by way of f32 (cut off) where C is f32 and D f16; wmma of tf32 sums k
 *     0..3 first, then the rest on top.
 *   - m8n8k4 of f16 is float arithmetic: ((a0*b0 + a1*b1) + a2*b2) + a3*b3, then + C, each to
 *     nearest; where D is f16, (a0*b0 + a1*b1) + (a2*b2 + a3*b3).
 *   - f64: one fma for each k in order.
 * Infinities and NaNs follow from the values alone (inf * 0, inf - inf); NaNs are canonical.
 */
#include "jit/insn/insn.h"
#include "jit/insn/matrix.h"
#include "jit/ops/arith.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NO_EXPONENT = -10000, /* of zero: below every other, also when added twice */
    SUM_BITS = 25,        /* of the aligned addends, below their largest exponent */
    MAX_K = 64,
};

/* One operand inside the function: its numbers as values. */
struct operand {
    struct matrix_layout layout;
    enum ptx_type type;
    /* By register * per_register + number. Floats: significand in (-2, 2) and exponent; what
     * stands for the number where one is infinite or NaN. Integers: significand holds the number.
     */
    value significand[MATRIX_ELEMENTS], exponent[MATRIX_ELEMENTS], special[MATRIX_ELEMENTS];
    value any_special; /* <32 x i1> */
};

struct product {
    struct emit *e;
    const struct matrix_shape *s;
    const struct ptx_insn *insn;
    struct operand a, b, c;
    struct matrix_layout d;
};

/* -- numbers out of registers ----------------------------------------------------------------- */

static value
number(struct emit *e, const struct matrix_layout *l, const value *regs, unsigned i)
{
    unsigned n = l->per_register;
    if (n == 1)
        return regs[i];
    value v = v_lshrk(e, regs[i / n], i % n * l->bits);
    return v_andk(e, v, (1u << l->bits) - 1);
}

static const struct format *
input_format(enum ptx_type t)
{
    return t == PTX_F32 ? &format_f32 : format_of(t);
}

/* Significand, exponent, and 1, -1, 0, an infinity or NaN in place of the number. */
static void
take_apart(struct emit *e, value w, enum ptx_type t, value *significand, value *exponent,
           value *special, value *is_special)
{
    const struct format *f = input_format(t);
    unsigned m = f->mantissa, x = f->exponent;
    if (t == PTX_TF32)
        w = v_lshrk(e, w, 13);
    value magnitude = v_andk(e, w, (1u << (m + x)) - 1), power = v_lshrk(e, magnitude, m);
    value sign = v_shlk(e, v_lshrk(e, w, m + x), 31);
    sign = v_andk(e, sign, 0x80000000);
    value fraction = v_shlk(e, v_andk(e, magnitude, (1u << m) - 1), 23 - m);
    value one = v_real(e, v_ork(e, fraction, 0x3f800000));
    value tiny = v_is_zero(e, power);
    one = v_select(e, tiny, LLVMBuildFSub(e->b, one, v_kf(e, one, 1.0), ""), one);
    *significand = v_real(e, v_or(e, v_bits(e, one), sign));
    value zero = v_is_zero(e, magnitude);
    power = v_select(e, tiny, v_k(e, power, 1), power);
    power = v_sub(e, power, v_k(e, power, (1u << (x - 1)) - 1));
    *exponent = v_select(e, zero, v_k(e, power, (uint64_t)(int64_t)NO_EXPONENT), power);
    value limit = v_k(e, magnitude, f->has_inf ? ((1u << x) - 1) << m : (1u << (m + x)) - 1);
    value inf = v_eq(e, magnitude, limit);
    *is_special = v_cmp(e, LLVMIntUGE, magnitude, limit);
    value plain = v_or(e, v_select(e, zero, v_k(e, w, 0), v_k(e, w, 0x3f800000)), sign);
    value nan = v_k(e, w, 0x7fffffff), huge = v_ork(e, sign, 0x7f800000);
    value odd = f->has_inf ? v_select(e, inf, huge, nan) : nan;
    *special = v_real(e, v_select(e, *is_special, odd, plain));
}

/* A half, or the float that is added to: its value, and 2 to its exponent, both as floats. */
static void
take_half(struct emit *e, value w, enum ptx_type t, value *number_value, value *power,
          value *is_special)
{
    bool half = t == PTX_F16;
    value x = half ? round_widen(e, v_trunc(e, w, 16), &format_f16) : v_real(e, w),
          bits = v_bits(e, x);
    value exponent = v_andk(e, bits, 0x7f800000);
    *number_value = x;
    *is_special = v_eq(e, exponent, v_k(e, bits, 0x7f800000));
    exponent = v_call2(e, "llvm.smax", exponent, v_k(e, bits, (half ? 127u - 14 : 1u) << 23));
    value zero = v_is_zero(e, v_andk(e, bits, 0x7fffffff));
    *power = v_real(e, v_select(e, zero, v_k(e, bits, 0), exponent));
}

static value
signed_number(struct emit *e, value w, unsigned bits, bool is_signed)
{
    w = v_zext(e, w, 32);
    return is_signed ? v_ashrk(e, v_shlk(e, w, 32 - bits), 32 - bits) : w;
}

static void
load_operand(struct product *p, struct operand *o, char which, enum ptx_op op, enum ptx_type t,
             const value *regs)
{
    struct emit *e = p->e;
    matrix_layout_of(p->s, op, which, &o->layout);
    o->type = t;
    unsigned count = o->layout.registers * o->layout.per_register;
    for (unsigned i = 0; i < count; i++) {
        value w = number(e, &o->layout, regs, i), odd;
        if (t == PTX_F64 || t == PTX_B1 || t == PTX_S32) {
            o->significand[i] = t == PTX_F64 ? v_real(e, w) : w;
        } else if (p->s->a == PTX_F16 && p->s->layout != LAYOUT_QUADS) {
            take_half(e, w, t, &o->significand[i], &o->exponent[i], &odd);
            o->special[i] = o->significand[i]; /* products of halves do not overflow floats */
            o->any_special = i ? v_or(e, o->any_special, odd) : odd;
        } else if (p->s->layout == LAYOUT_QUADS) {
            o->significand[i] =
                t == PTX_F16 ? round_widen(e, v_trunc(e, w, 16), &format_f16) : v_real(e, w);
        } else if (ptx_type_kind(t) == 's' || ptx_type_kind(t) == 'u') {
            value n = signed_number(e, w, o->layout.bits, ptx_type_kind(t) == 's');
            o->significand[i] = LLVMBuildSIToFP(e->b, n, v_float_type(e, n, 32), "");
        } else {
            take_apart(e, w, t, &o->significand[i], &o->exponent[i], &o->special[i], &odd);
            o->any_special = i ? v_or(e, o->any_special, odd) : odd;
        }
    }
}

/* Which number of which lane has x, k; false: none. */
static bool
find_place(const struct matrix_layout *l, unsigned x, unsigned k, unsigned *number, unsigned *lane)
{
    for (*number = 0; *number < l->registers * l->per_register; ++*number)
        for (*lane = 0; *lane < LANES; ++*lane)
            if (l->at[*number][*lane].x == x && l->at[*number][*lane].k == k)
                return true;
    return false;
}

static value
permuted(struct emit *e, value v, const unsigned lane[LANES])
{
    value index[LANES];
    for (unsigned l = 0; l < LANES; l++)
        index[l] = LLVMConstInt(LLVMInt32TypeInContext(e->context), lane[l], false);
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(index, LANES), "");
}

/* Each lane's number: number wanted[l] of lane lane[l], out of `from`. Lanes mostly find theirs in
 * one register: one shuffle. */
static value
collect(struct emit *e, const value *from, const unsigned wanted[LANES], const unsigned lane[LANES])
{
    uint32_t left = ~0u;
    value all = NULL;
    while (left) {
        unsigned n = wanted[__builtin_ctz(left)];
        value mask[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            mask[l] = LLVMConstInt(LLVMInt1TypeInContext(e->context), wanted[l] == n, false);
            left &= wanted[l] == n ? ~(1u << l) : ~0u;
        }
        value one = permuted(e, from[n], lane);
        all = all ? v_select(e, LLVMConstVector(mask, LANES), one, all) : one;
    }
    return all;
}

/* For element i of D: of each lane's row (of A) or column (of B) the number at k, out of `from`
 * (significands, exponents, ...). */
static value
fetch(struct product *p, const struct operand *o, const value *from, unsigned i, unsigned k)
{
    unsigned wanted[LANES], lane[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        struct matrix_place d = p->d.at[i][l];
        find_place(&o->layout, o == &p->a ? d.x : d.k, k, &wanted[l], &lane[l]);
    }
    return collect(p->e, from, wanted, lane);
}

/* The element of C that is added to element i of D, lane by lane. */
static value
fetch_c(struct product *p, unsigned i)
{
    unsigned wanted[LANES], lane[LANES];
    for (unsigned l = 0; l < LANES; l++)
        find_place(&p->c.layout, p->d.at[i][l].x, p->d.at[i][l].k, &wanted[l], &lane[l]);
    return collect(p->e, p->c.significand, wanted, lane);
}

/* -- floating point --------------------------------------------------------------------------- */

/* 2^n for vectors of exponents; anything below the range gives zero. */
static value
power_of_two(struct emit *e, value n)
{
    value field = v_call2(e, "llvm.smax", v_addk(e, n, 127), v_k(e, n, 0));
    return v_real(e, v_shlk(e, field, 23));
}

struct addend {
    value significand, exponent; /* significand: up to 4 in size */
};

/* The addends aligned to the largest exponent, cut off and summed: *sum * 2^*exponent, a double.
 * The products of at most 16 numbers fit in 32 bits: 16 * (2 - 2^-10)^2 * 2^25 < 2^31; the first
 * addend, the one that accumulates, is added as a double. */
static value
aligned_sum(struct emit *e, const struct addend *t, unsigned count)
{
    value top = t[0].exponent, sum = NULL, first = NULL;
    for (unsigned n = 1; n < count; n++)
        top = v_call2(e, "llvm.smax", top, t[n].exponent);
    value shift = v_sub(e, v_k(e, top, SUM_BITS), top);
    for (unsigned n = 0; n < count; n++) {
        value scale = power_of_two(e, v_add(e, t[n].exponent, shift));
        value x = LLVMBuildFMul(e->b, t[n].significand, scale, "");
        x = LLVMBuildFPToSI(e->b, x, v_int_type(e, x, 32), "");
        if (n == 0)
            first = x;
        else
            sum = sum ? v_add(e, sum, x) : x;
    }
    LLVMTypeRef wide = v_float_type(e, sum, 64);
    value d = LLVMBuildFAdd(e->b, LLVMBuildSIToFP(e->b, sum, wide, ""),
                            LLVMBuildSIToFP(e->b, first, wide, ""), "");
    value power = v_call2(e, "llvm.smax", top, v_k(e, top, (uint64_t)(int64_t)-900));
    power = v_sext(e, v_addk(e, power, 1023 - SUM_BITS), 64);
    return LLVMBuildFMul(e->b, d, v_real(e, v_shlk(e, power, 52)), "");
}

/* Bits of the float that v is cut off to. */
static value
cut_to_f32(struct emit *e, value v, bool tiny_results)
{
    LLVMTypeRef narrow = v_float_type(e, v, 32);
    value bits = v_bits(e, v), kept = v_andk(e, bits, ~0x1fffffffull);
    value f = v_bits(e, LLVMBuildFPTrunc(e->b, v_real(e, kept), narrow, ""));
    if (!tiny_results)
        return f;
    /* Below the normal numbers: a multiple of 2^-149. */
    value is_tiny = v_fcmp(e, LLVMRealOLT, v_fabs(e, v), v_kf(e, v, 0x1p-126));
    value small = v_select(e, is_tiny, v, v_kf(e, v, 0));
    value units = LLVMBuildFMul(e->b, small, v_kf(e, v, 0x1p149), "");
    value q = LLVMBuildFPToSI(e->b, units, v_int_type(e, v, 32), "");
    value negative = v_slt(e, q, v_k(e, q, 0));
    value magnitude = v_select(e, negative, v_sub(e, v_k(e, q, 0), q), q);
    value sign = v_select(e, negative, v_k(e, q, 0x80000000), v_k(e, q, 0));
    return v_select(e, is_tiny, v_or(e, magnitude, sign), f);
}

/* Bits of the half nearest to v: by way of a float with its last bit
 * set where bits were cut off. */
static value
round_to_f16(struct emit *e, value v)
{
    value bits = v_bits(e, v), low = v_andk(e, bits, 0x1fffffff);
    value odd = v_zext(e, v_ne(e, low, v_k(e, low, 0)), 64);
    bits = v_or(e, v_andk(e, bits, ~0x1fffffffull), v_shlk(e, odd, 29));
    value f = LLVMBuildFPTrunc(e->b, v_real(e, bits), v_float_type(e, v, 32), "");
    value h = v_zext(e, round_narrow(e, f, &format_f16, ROUND_NEAREST, false), 32);
    return v_select(e, v_is_zero(e, v_andk(e, h, 0x7fff)), v_k(e, h, 0), h);
}

static bool
is_fp8(enum ptx_type t)
{
    return t == PTX_E4M3 || t == PTX_E5M2;
}

static value
narrowed(struct product *p, value v)
{
    bool wide_range = !is_fp8(p->s->a);
    if (p->s->d == PTX_F16 && p->s->c == PTX_F32) /* by way of f32 */
        return v_zext(p->e,
                      round_narrow(p->e, v_real(p->e, cut_to_f32(p->e, v, true)), &format_f16,
                                   ROUND_NEAREST, false),
                      32);
    return p->s->d == PTX_F16 ? round_to_f16(p->e, v) : cut_to_f32(p->e, v, wide_range);
}

/* The products of element i at the k of a set. */
static unsigned
gather_products(struct product *p, unsigned i, uint64_t set, struct addend *t)
{
    struct emit *e = p->e;
    unsigned n = 0;
    for (unsigned k = 0; k < p->s->k; k++) {
        if (!(set >> k & 1))
            continue;
        value x = fetch(p, &p->a, p->a.significand, i, k),
              y = fetch(p, &p->b, p->b.significand, i, k);
        t[n].significand = LLVMBuildFMul(e->b, x, y, "");
        t[n].exponent =
            v_add(e, fetch(p, &p->a, p->a.exponent, i, k), fetch(p, &p->b, p->b.exponent, i, k));
        n++;
    }
    return n;
}

/* x + y rounded to nearest, of bits of the result's type in 32-bit lanes. */
static value
add_nearest(struct product *p, value x, value y)
{
    struct emit *e = p->e;
    bool half = p->s->d == PTX_F16;
    if (!half)
        return v_bits(e, float_canonical(e, LLVMBuildFAdd(e->b, v_real(e, x), v_real(e, y), "")));
    value sum = LLVMBuildFAdd(e->b, round_widen(e, v_trunc(e, x, 16), &format_f16),
                              round_widen(e, v_trunc(e, y, 16), &format_f16), "");
    return v_zext(e, round_narrow(e, sum, &format_f16, ROUND_NEAREST, false), 32);
}

static value
c_bits(struct product *p, const value *regs, unsigned i)
{
    return number(p->e, &p->c.layout, regs, i);
}

/* Element i of D from halves: the same sum with floats in place of significands and exponents.
 * Where all products are zero and C is too small to be scaled, C it is. */
static value
half_element(struct product *p, unsigned i)
{
    struct emit *e = p->e;
    value x[MAX_K], c = p->c.significand[i], top = v_bits(e, p->c.exponent[i]), sum = NULL;
    for (unsigned k = 0; k < p->s->k; k++) {
        x[k] = LLVMBuildFMul(e->b, fetch(p, &p->a, p->a.significand, i, k),
                             fetch(p, &p->b, p->b.significand, i, k), "");
        value power = LLVMBuildFMul(e->b, fetch(p, &p->a, p->a.exponent, i, k),
                                    fetch(p, &p->b, p->b.exponent, i, k), "");
        top = v_call2(e, "llvm.smax", top, v_bits(e, power));
    }
    value least = v_k(e, top, (127u - 100) << 23), tiny = v_slt(e, top, least);
    top = v_select(e, tiny, least, top);
    value scale = v_real(e, v_sub(e, v_k(e, top, (2 * 127u + SUM_BITS) << 23), top));
    LLVMTypeRef i32 = v_int_type(e, top, 32), wide = v_float_type(e, top, 64);
    for (unsigned k = 0; k < p->s->k; k++) {
        value n = LLVMBuildFPToSI(e->b, LLVMBuildFMul(e->b, x[k], scale, ""), i32, "");
        sum = sum ? v_add(e, sum, n) : n;
    }
    value first = LLVMBuildFPToSI(e->b, LLVMBuildFMul(e->b, c, scale, ""), i32, "");
    value d = LLVMBuildFAdd(e->b, LLVMBuildSIToFP(e->b, sum, wide, ""),
                            LLVMBuildSIToFP(e->b, first, wide, ""), "");
    value unit = LLVMBuildFPExt(e->b, v_real(e, top), wide, "");
    d = LLVMBuildFMul(e->b, d, LLVMBuildFMul(e->b, unit, v_kf(e, unit, 0x1p-25), ""), "");
    d = v_select(e, tiny, LLVMBuildFPExt(e->b, c, wide, ""), d);
    return narrowed(p, LLVMBuildFAdd(e->b, d, v_kf(e, d, 0), "")); /* -0 + 0: +0 */
}

/* Sets of k that are summed at once, one after the other. */
static unsigned
steps_of(const struct product *p, enum ptx_op op, uint64_t step[2])
{
    uint64_t all = p->s->k == 64 ? ~0ull : (1ull << p->s->k) - 1, two = 0x3333333333333333;
    bool halves = op == PTX_OP_WMMA && p->s->a == PTX_TF32;
    step[0] = all & (is_fp8(p->s->a) ? two : halves ? 0xf : all);
    step[1] = all & ~step[0];
    return step[1] ? 2 : 1;
}

/* Element i of D from finite numbers. */
static value
float_element(struct product *p, enum ptx_op op, const value *regs, unsigned i, value *first_step)
{
    struct emit *e = p->e;
    struct addend t[MAX_K + 1];
    uint64_t step[2];
    unsigned steps = steps_of(p, op, step);
    t[0] = (struct addend){p->c.significand[i], p->c.exponent[i]};
    if (is_fp8(p->s->a)) {
        t[0].significand = v_kf(e, p->a.significand[0], 0);
        t[0].exponent = v_k(e, p->a.exponent[0], (uint64_t)(int64_t)NO_EXPONENT);
    }
    value sum = narrowed(p, aligned_sum(e, t, 1 + gather_products(p, i, step[0], t + 1)));
    *first_step = sum;
    if (steps == 2) {
        value ignored, odd, first = sum;
        take_apart(e, sum, p->s->d, &t[0].significand, &t[0].exponent, &ignored, &odd);
        sum = narrowed(p, aligned_sum(e, t, 1 + gather_products(p, i, step[1], t + 1)));
        sum = v_select(e, odd, first, sum);
    }
    return is_fp8(p->s->a) ? add_nearest(p, sum, c_bits(p, regs, i)) : sum;
}

/* The products at a set of k as far as infinities and NaNs go, on top of `sum`. */
static value
special_sum(struct product *p, unsigned i, uint64_t set, value sum)
{
    for (unsigned k = 0; k < p->s->k; k++)
        if (set >> k & 1)
            sum = v_call3(p->e, "llvm.fma", fetch(p, &p->a, p->a.special, i, k),
                          fetch(p, &p->b, p->b.special, i, k), sum);
    return sum;
}

/* <32 x i1>: which floats are infinite or NaN. */
static value
is_odd(struct emit *e, value x)
{
    value bits = v_bits(e, x);
    return v_cmp(e, LLVMIntUGE, v_andk(e, bits, 0x7fffffff), v_k(e, bits, 0x7f800000));
}

/* e4m3, e5m2: the second step begins with what the first came to, an overflow too. */
static value
special_steps(struct product *p, unsigned i, const uint64_t step[2], value first)
{
    struct emit *e = p->e;
    value zero = v_kf(e, p->a.special[0], 0), significand, exponent, start, odd;
    value sum = special_sum(p, i, step[0], zero);
    take_apart(e, first, p->s->d, &significand, &exponent, &start, &odd);
    sum = v_select(e, is_odd(e, sum), sum, v_select(e, odd, start, zero));
    return special_sum(p, i, step[1], sum);
}

/* Element i of D where infinities or NaNs are about: their sum, or what was there. first: fp8's
 * first step. */
static value
special_element(struct product *p, enum ptx_op op, const value *regs, unsigned i, value finite,
                value first)
{
    struct emit *e = p->e;
    bool late = is_fp8(p->s->a), half = p->s->d == PTX_F16;
    uint64_t step[2];
    steps_of(p, op, step);
    value sum = late ? special_steps(p, i, step, first)
                     : special_sum(p, i, step[0] | step[1], p->c.special[i]);
    value bits = v_bits(e, sum), nan = v_is_nan(e, sum);
    value result = v_select(e, nan, v_k(e, bits, 0x7fffffff), bits);
    if (half) {
        value inf = v_ork(e, v_andk(e, v_lshrk(e, bits, 16), 0x8000), 0x7c00);
        result = v_select(e, nan, v_k(e, bits, 0x7fff), inf);
    }
    if (late)
        result = add_nearest(p, result, c_bits(p, regs, i));
    return v_select(e, is_odd(e, sum), result, finite);
}

/* All elements of D; numbers that are not finite take a way of their own, once for the warp. */
static void
float_product(struct product *p, enum ptx_op op, const value *regs, value *out)
{
    struct emit *e = p->e;
    unsigned count = p->d.registers * p->d.per_register;
    value first[MATRIX_ELEMENTS] = {NULL};
    value odd = v_or(e, p->a.any_special, p->b.any_special);
    if (!is_fp8(p->s->a))
        odd = v_or(e, odd, p->c.any_special);
    value any = v_ne(e, emit_mask_to_bits(e, odd),
                     LLVMConstInt(LLVMInt32TypeInContext(e->context), 0, false));
    for (unsigned i = 0; i < count; i++)
        out[i] = p->s->a == PTX_F16 ? half_element(p, i) : float_element(p, op, regs, i, &first[i]);
    LLVMBasicBlockRef plain = LLVMGetInsertBlock(e->b);
    LLVMBasicBlockRef special = LLVMAppendBasicBlockInContext(e->context, e->function, "special");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, e->function, "done");
    LLVMBuildCondBr(e->b, any, special, done);
    LLVMPositionBuilderAtEnd(e->b, special);
    value other[MATRIX_ELEMENTS];
    for (unsigned i = 0; i < count; i++)
        other[i] = special_element(p, op, regs, i, out[i], first[i]);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    for (unsigned i = 0; i < count; i++) {
        value phi = LLVMBuildPhi(e->b, LLVMTypeOf(out[i]), "");
        LLVMAddIncoming(phi, (value[]){out[i], other[i]}, (LLVMBasicBlockRef[]){plain, end}, 2);
        out[i] = phi;
    }
}

/* -- the other types -------------------------------------------------------------------------- */

static void
double_product(struct product *p, value *out)
{
    for (unsigned i = 0; i < p->d.registers; i++) {
        value sum = p->c.significand[i];
        for (unsigned k = 0; k < p->s->k; k++)
            sum = v_call3(p->e, "llvm.fma", fetch(p, &p->a, p->a.significand, i, k),
                          fetch(p, &p->b, p->b.significand, i, k), sum);
        out[i] = v_bits(p->e, float_canonical(p->e, sum));
    }
}

/* m8n8k4 of f16: float arithmetic, C last, which may lie differently from D. Sums begin with -0
 * where D is f16 (a zero keeps its sign), else with +0. */
static void
chain_product(struct product *p, value *out)
{
    struct emit *e = p->e;
    for (unsigned i = 0; i < p->d.registers * p->d.per_register; i++) {
        value part[2];
        part[0] = part[1] = v_kf(e, p->a.significand[0], p->s->d == PTX_F16 ? -0.0 : 0.0);
        for (unsigned k = 0; k < p->s->k; k++) {
            value *sum = &part[p->s->d == PTX_F16 && k >= 2];
            *sum = v_call3(e, "llvm.fma", fetch(p, &p->a, p->a.significand, i, k),
                           fetch(p, &p->b, p->b.significand, i, k), *sum);
        }
        value sum = p->s->d == PTX_F16 ? LLVMBuildFAdd(e->b, part[0], part[1], "") : part[0];
        sum = LLVMBuildFAdd(e->b, sum, fetch_c(p, i), "");
        out[i] = p->s->d == PTX_F32
                     ? v_bits(e, float_canonical(e, sum))
                     : v_zext(e, round_narrow(e, sum, &format_f16, ROUND_NEAREST, false), 32);
    }
}

/* Small integers as floats: 64 products of 8 bits stay below 2^24, so every sum is exact. */
static void
integer_product(struct product *p, value *out)
{
    struct emit *e = p->e;
    bool saturate = ptx_has(p->insn, PTX_M_SATFINITE);
    for (unsigned i = 0; i < p->d.registers; i++) {
        value sum = NULL;
        for (unsigned k = 0; k < p->s->k; k++) {
            value x = fetch(p, &p->a, p->a.significand, i, k);
            value y = fetch(p, &p->b, p->b.significand, i, k);
            sum = sum ? v_call3(e, "llvm.fma", x, y, sum) : LLVMBuildFMul(e->b, x, y, "");
        }
        value n = LLVMBuildFPToSI(e->b, sum, v_int_type(e, sum, 32), "");
        out[i] = saturate ? v_call2(e, "llvm.sadd.sat", n, p->c.significand[i])
                          : v_add(e, n, p->c.significand[i]);
    }
}

static void
bit_product(struct product *p, value *out)
{
    struct emit *e = p->e;
    for (unsigned i = 0; i < p->d.registers; i++) {
        out[i] = p->c.significand[i];
        for (unsigned k = 0; k < p->s->k / 32; k++) {
            value x = fetch(p, &p->a, p->a.significand, i, k);
            value y = fetch(p, &p->b, p->b.significand, i, k);
            x = ptx_has(p->insn, PTX_M_XOR) ? v_xor(e, x, y) : v_and(e, x, y);
            out[i] = v_add(e, out[i], v_call1(e, "llvm.ctpop", x));
        }
    }
}

/* -- the function ----------------------------------------------------------------------------- */

static void
multiply_body(struct product *p, enum ptx_op op, const value *args, value *regs)
{
    const struct matrix_shape *s = p->s;
    value out[MATRIX_ELEMENTS];
    load_operand(p, &p->a, 'a', op, s->a, args);
    load_operand(p, &p->b, 'b', op, s->b, args + p->a.layout.registers);
    const value *acc = args + p->a.layout.registers + p->b.layout.registers;
    load_operand(p, &p->c, 'c', op, s->c, acc);
    if (s->a == PTX_F64)
        double_product(p, out);
    else if (s->a == PTX_B1)
        bit_product(p, out);
    else if (s->d == PTX_S32)
        integer_product(p, out);
    else if (s->layout == LAYOUT_QUADS)
        chain_product(p, out);
    else
        float_product(p, op, acc, out);
    for (unsigned r = 0; r < p->d.registers; r++)
        regs[r] = p->d.per_register == 1 ? out[r]
                                         : v_or(p->e, out[2 * r], v_shlk(p->e, out[2 * r + 1], 16));
}

static void
set_attributes(struct emit *e, LLVMValueRef f)
{
    static const char *const names[] = {"noinline", "nounwind"};
    for (unsigned k = 0; k < 2; k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[k], strlen(names[k]));
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->context, kind, 0));
    }
}

/* The function of this shape: made when first asked for. */
static LLVMValueRef
product_function(struct product *p, enum ptx_op op, const char *name, LLVMTypeRef type,
                 unsigned nargs)
{
    struct emit *e = p->e;
    LLVMValueRef f = LLVMGetNamedFunction(e->module, name), outer = e->function, args[64], regs[8];
    if (f)
        return f;
    f = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    set_attributes(e, f);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    e->function = f;
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, f, ""));
    for (unsigned k = 0; k < nargs; k++)
        args[k] = LLVMGetParam(f, k);
    multiply_body(p, op, args, regs);
    value all = LLVMGetPoison(LLVMGetReturnType(type));
    for (unsigned r = 0; r < p->d.registers; r++)
        all = LLVMBuildInsertValue(e->b, all, regs[r], r, "");
    LLVMBuildRet(e->b, all);
    e->function = outer;
    LLVMPositionBuilderAtEnd(e->b, here);
    return f;
}

/* "matrix.mma.16x8x16.f32.f16.f16.f32": what the function depends on. */
static void
function_name(const struct product *p, enum ptx_op op, char *out, size_t room)
{
    const struct matrix_shape *s = p->s;
    snprintf(out, room, "matrix.%s.%ux%ux%u.%s.%s.%s.%s%s%s%s%s", ptx_op_name(op), s->m, s->n, s->k,
             ptx_type_name(s->d), ptx_type_name(s->a), ptx_type_name(s->b), ptx_type_name(s->c),
             s->layout != LAYOUT_QUADS ? ""
             : s->a_row                ? ".row"
                                       : ".col",
             s->layout != LAYOUT_QUADS ? ""
             : s->b_row                ? ".row"
                                       : ".col",
             ptx_has(p->insn, PTX_M_SATFINITE) ? ".satfinite" : "",
             ptx_has(p->insn, PTX_M_XOR) ? ".xor" : "");
}

bool
matrix_multiply(struct core *c, const struct matrix_shape *s, enum ptx_op op,
                const struct ptx_insn *insn, const value *a, const value *b, const value *acc,
                value *d)
{
    struct product *p = ls_alloc(sizeof *p);
    struct emit *e = &c->e;
    char name[128];
    *p = (struct product){.e = e, .s = s, .insn = insn};
    matrix_layout_of(s, op, 'a', &p->a.layout);
    matrix_layout_of(s, op, 'b', &p->b.layout);
    matrix_layout_of(s, op, 'c', &p->c.layout);
    matrix_layout_of(s, op, 'd', &p->d);
    value args[3 * MATRIX_REGISTERS];
    LLVMTypeRef types[3 * MATRIX_REGISTERS], results[MATRIX_REGISTERS];
    unsigned n = 0;
    for (unsigned k = 0; k < p->a.layout.registers; k++)
        args[n++] = a[k];
    for (unsigned k = 0; k < p->b.layout.registers; k++)
        args[n++] = b[k];
    for (unsigned k = 0; k < p->c.layout.registers; k++)
        args[n++] = acc[k];
    for (unsigned k = 0; k < n; k++)
        types[k] = LLVMTypeOf(args[k]);
    for (unsigned k = 0; k < p->d.registers; k++)
        results[k] = core_vector(c, s->d == PTX_F64 ? 64 : 32);
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, results, p->d.registers, false);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    function_name(p, op, name, sizeof name);
    LLVMValueRef f = product_function(p, op, name, type, n);
    value all = LLVMBuildCall2(e->b, type, f, args, n, "");
    for (unsigned k = 0; k < p->d.registers; k++)
        d[k] = LLVMBuildExtractValue(e->b, all, k, "");
    ls_release(p);
    return true;
}
