/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_float: floating-point arithmetic (PTX ISA 9.7.3 - 9.7.5). Every instruction goes three steps:
 * operands are flushed where .ftz asks for it and widened (halves to float), the operation is done
 * with its rounding, the result is clamped (.sat, .relu), flushed and narrowed.
 *
 * NaN results: "single-precision instructions return an unspecified NaN" (9.7.3); what the manual
 * calls canonical (min, max, .relu, halves) is 0x7fffffff or 0x7fff here. add, mul and fma on .f32
 * and .f64 give the host's NaN: a check would cost as much as the operation.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

bool
float_type(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F32X2:
    case PTX_F64: return true;
    default: return false;
    }
}

/* -- pieces ------------------------------------------------------------------------------------ */

value
float_nan(struct emit *e, value like)
{
    unsigned bits = emit_bits_of(like);
    uint64_t nan = bits == 64 ? UINT64_C(0x7ff8000000000000) : bits == 32 ? 0x7fffffff : 0x7fff;
    return v_real(e, v_int(e, like, bits, nan));
}

value
float_canonical(struct emit *e, value x)
{
    return v_select(e, v_is_nan(e, x), float_nan(e, x), x);
}

/* Flushes a number given as bits; bfloats have the exponent of floats. */
static value
flush_bits(struct emit *e, value bits, const struct format *f)
{
    uint64_t exponent = (uint64_t)((1u << f->exponent) - 1) << f->mantissa;
    value small = v_is_zero(e, v_andk(e, bits, exponent));
    return v_select(e, small, v_andk(e, bits, UINT64_C(1) << (f->bits - 1)), bits);
}

value
float_flush(struct emit *e, value x)
{
    unsigned bits = emit_bits_of(x);
    const struct format *f = bits == 64 ? &format_f64 : bits == 32 ? &format_f32 : &format_f16;
    return v_real(e, flush_bits(e, v_bits(e, x), f));
}

value
float_saturate(struct emit *e, value x)
{
    value zero = v_kf(e, x, 0), one = v_kf(e, x, 1);
    x = v_select(e, v_fcmp(e, LLVMRealOGT, x, zero), x, zero);
    return v_select(e, v_fcmp(e, LLVMRealOLT, x, one), x, one);
}

/* max(x, 0); NaN becomes the canonical NaN, -0 becomes +0. */
static value
relu(struct emit *e, value x)
{
    value zero = v_kf(e, x, 0);
    return float_canonical(e, v_select(e, v_fcmp(e, LLVMRealUGT, x, zero), x, zero));
}

/* The numbers of operand v, of type t: unpacked, flushed, widened. */
static value
open_typed(struct emit *e, const struct ptx_insn *i, enum ptx_type t, value v)
{
    const struct format *f = format_of(t);
    if (format_count(t) == 2)
        v = v_unpack(e, v, f->bits);
    if (ptx_has(i, PTX_M_FTZ) && f != &format_f64)
        v = flush_bits(e, v, f);
    return round_widen(e, v, f);
}

static value
open_operand(struct emit *e, const struct ptx_insn *i, value v)
{
    return open_typed(e, i, insn_type(i), v);
}

/* add.f32.f16 and kin (9.7.5): operands before the last one are of the second type. */
static value
open_mixed(struct emit *e, const struct ptx_insn *i, value v)
{
    return open_typed(e, i, (enum ptx_type)i->type[i->type_count - 1], v);
}

/* The result x (float or double, rounded for .f32 and .f64) as bits of the destination. */
static value
close_result(struct emit *e, const struct ptx_insn *i, value x, value like)
{
    enum ptx_type t = insn_type(i);
    const struct format *f = format_of(t);
    if (ptx_has(i, PTX_M_SAT))
        x = float_saturate(e, x);
    if (ptx_has(i, PTX_M_RELU))
        x = relu(e, x);
    bool flush = ptx_has(i, PTX_M_FTZ) && f != &format_f64;
    if (flush && f == &format_f16) { /* before it is rounded: x still has the digits to tell */
        value small = v_fcmp(e, LLVMRealOLT, v_fabs(e, x), v_kf(e, x, 0x1p-14));
        x = v_select(e, small, v_call2(e, "llvm.copysign", v_kf(e, x, 0), x), x);
    }
    value bits = f->bits < 32 ? round_narrow(e, x, f, ROUND_NEAREST, false) : v_bits(e, x);
    if (flush && f != &format_f16)
        bits = flush_bits(e, bits, f);
    return format_count(t) == 2 ? v_pack(e, bits, 2 * f->bits, like) : bits;
}

/* .ftz looks at the exact result, not at the rounded one (an H200's readings): r is flushed where
 * the exact result, of which `inner` is the part towards zero, is denormal. */
static bool
flushes_inner(const struct ptx_insn *i)
{
    return ptx_has(i, PTX_M_FTZ) && insn_type(i) == PTX_F32 && rounding_of(i) != ROUND_ZERO;
}

static value
flush_inner(struct emit *e, value r, value inner)
{
    value small = v_fcmp(e, LLVMRealOLT, v_fabs(e, inner), v_kf(e, inner, 0x1p-126));
    return v_select(e, small, v_call2(e, "llvm.copysign", v_kf(e, r, 0), r), r);
}

/* -- add, sub, mul, fma ------------------------------------------------------------------------ */

bool
float_add(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value x = open_mixed(e, i, in[0]), y = open_operand(e, i, in[1]), r;
    if (i->op == PTX_OP_SUB && rounding_of(i) == ROUND_NEAREST)
        r = LLVMBuildFSub(e->b, x, y, "");
    else
        r = round_add(e, x, i->op == PTX_OP_SUB ? v_fneg(e, y) : y, rounding_of(i));
    out[0] = close_result(e, i, r, in[0]);
    return true;
}

bool
float_mul(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value x = open_operand(e, i, in[0]), y = open_operand(e, i, in[1]);
    value r = round_mul(e, x, y, rounding_of(i));
    if (flushes_inner(i))
        r = flush_inner(e, r, round_mul(e, x, y, ROUND_ZERO));
    out[0] = close_result(e, i, r, in[0]);
    return true;
}

/* x * y + z, rounded to odd: an odd last digit keeps the final rounding, to fewer digits, honest.
 * Of the sum rounded down and up, which are the same or neighbours, the odd one. Hosts that cannot
 * round so in the instruction: x * y is exact in the type at hand, and the error of the sum is
 * known exactly (TwoSum). */
static value
fma_to_odd(struct emit *e, value x, value y, value z)
{
    if (host_has_avx512(e)) {
        value down = v_bits(e, round_fma(e, x, y, z, ROUND_DOWN));
        value up = v_bits(e, round_fma(e, x, y, z, ROUND_UP));
        return v_real(e, v_select(e, v_trunc(e, down, 1), down, up));
    }
    value p = LLVMBuildFMul(e->b, x, y, "");
    value s = LLVMBuildFAdd(e->b, p, z, "");
    value z1 = LLVMBuildFSub(e->b, s, p, "");
    value p1 = LLVMBuildFSub(e->b, s, z1, "");
    value error =
        LLVMBuildFAdd(e->b, LLVMBuildFSub(e->b, p, p1, ""), LLVMBuildFSub(e->b, z, z1, ""), "");
    value inexact = v_fcmp(e, LLVMRealONE, error, v_kf(e, error, 0)); /* false for NaN */
    value bits = v_bits(e, s);
    value even = v_is_zero(e, v_andk(e, bits, 1));
    value opposite = v_slt(e, v_xor(e, bits, v_bits(e, error)), v_k(e, bits, 0));
    value step = v_select(e, opposite, v_k(e, bits, ~UINT64_C(0)), v_k(e, bits, 1));
    return v_real(e, v_select(e, v_and(e, inexact, even), v_add(e, bits, step), bits));
}

/* Products of .bf16 leave the range of float: in double. */
static value
fma_bfloat(struct emit *e, value x, value y, value z)
{
    LLVMTypeRef t = v_float_type(e, x, 64);
    return fma_to_odd(e, LLVMBuildFPExt(e->b, x, t, ""), LLVMBuildFPExt(e->b, y, t, ""),
                      LLVMBuildFPExt(e->b, z, t, ""));
}

static value
fma_half(struct emit *e, value x, value y, value z)
{
    if (!host_has_fp16(e))
        return fma_to_odd(e, x, y, z);
    LLVMTypeRef t = v_float_type(e, x, 16); /* the operands are halves: exact both ways */
    value r = v_call3(e, "llvm.fma", LLVMBuildFPTrunc(e->b, x, t, ""),
                      LLVMBuildFPTrunc(e->b, y, t, ""), LLVMBuildFPTrunc(e->b, z, t, ""));
    return LLVMBuildFPExt(e->b, r, LLVMTypeOf(x), "");
}

bool
float_fma(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (ptx_has(i, PTX_M_OOB))
        return emit_fail(e, "fma.oob");
    const struct format *f = format_of(insn_type(i));
    value x = open_mixed(e, i, in[0]), y = open_mixed(e, i, in[1]);
    value z = open_operand(e, i, in[2]);
    bool flush = ptx_has(i, PTX_M_FTZ); /* asks for more digits than a half has */
    value r = f == &format_f16    ? (flush ? fma_to_odd(e, x, y, z) : fma_half(e, x, y, z))
              : f == &format_bf16 ? fma_bfloat(e, x, y, z)
                                  : round_fma(e, x, y, z, rounding_of(i));
    if (flushes_inner(i))
        r = flush_inner(e, r, round_fma(e, x, y, z, ROUND_ZERO));
    out[0] = close_result(e, i, r, in[0]);
    return true;
}

/* -- div, rcp, sqrt, rsqrt --------------------------------------------------------------------- */

/* div.approx is a * (1/b), and 1/b is zero for |b| above 2^126 (9.7.3.8). */
static value
div_approx(struct emit *e, value x, value y)
{
    value huge = v_fcmp(e, LLVMRealOGT, v_fabs(e, y), v_kf(e, y, 0x1p126));
    value zero = v_call2(e, "llvm.copysign", v_kf(e, y, 0), y);
    return v_select(e, huge, LLVMBuildFMul(e->b, x, zero, ""), LLVMBuildFDiv(e->b, x, y, ""));
}

bool
float_div(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value x = open_operand(e, i, in[0]), y = open_operand(e, i, in[1]);
    value r = ptx_has(i, PTX_M_APPROX) ? div_approx(e, x, y) : round_div(e, x, y, rounding_of(i));
    if (flushes_inner(i) &&
        rounding_of(i) != ROUND_NEAREST) /* to nearest all readings are equal without */
        r = flush_inner(e, r, round_div(e, x, y, ROUND_ZERO));
    out[0] = close_result(e, i, r, in[0]);
    return true;
}

/* rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: only the upper words of operand and result count. */
static value
upper_word(struct emit *e, value x)
{
    return v_real(e, v_andk(e, v_bits(e, x), ~UINT64_C(0xffffffff)));
}

static bool
gross(const struct ptx_insn *i)
{
    return insn_type(i) == PTX_F64 && ptx_has(i, PTX_M_APPROX) && ptx_has(i, PTX_M_FTZ);
}

static value
reciprocal(struct emit *e, const struct ptx_insn *i, value x)
{
    value one = v_kf(e, x, 1), r = round_div(e, one, x, rounding_of(i));
    return flushes_inner(i) ? flush_inner(e, r, round_div(e, one, x, ROUND_ZERO)) : r;
}

/* 1 / sqrt(x) is off by up to 1.5 ulp: for double, one of Newton's steps on its exact residual
 * 1 - x y^2. Where that is NaN (x zero or infinite) y stays. */
static value
reciprocal_root(struct emit *e, const struct ptx_insn *i, value x)
{
    value y = LLVMBuildFDiv(e->b, v_kf(e, x, 1), round_sqrt(e, x, ROUND_NEAREST), "");
    if (emit_bits_of(x) != 64)
        return y;
    value p = LLVMBuildFMul(e->b, x, y, "");
    value low = v_call3(e, "llvm.fma", x, y, v_fneg(e, p));
    value residual = v_call3(e, "llvm.fma", v_fneg(e, p), y, v_kf(e, x, 1));
    residual = v_call3(e, "llvm.fma", v_fneg(e, low), y, residual);
    value half = LLVMBuildFMul(e->b, y, v_kf(e, y, 0.5), "");
    value better = v_call3(e, "llvm.fma", half, residual, y);
    return v_select(e, v_is_nan(e, better), y, better);
}

static bool
float_reciprocal(struct emit *e, const struct ptx_insn *i, value v, value *out,
                 value (*f)(struct emit *, const struct ptx_insn *, value))
{
    value x = open_operand(e, i, v);
    if (!gross(i)) {
        *out = close_result(e, i, f(e, i, x), v);
        return true;
    }
    value r = f(e, i, float_flush(e, upper_word(e, x)));
    *out = v_bits(e, upper_word(e, float_flush(e, r)));
    return true;
}

bool
float_rcp(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    return float_reciprocal(e, i, in[0], &out[0], reciprocal);
}

bool
float_rsqrt(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    return float_reciprocal(e, i, in[0], &out[0], reciprocal_root);
}

bool
float_sqrt(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value x = open_operand(e, i, in[0]);
    out[0] = close_result(e, i, round_sqrt(e, x, rounding_of(i)), in[0]);
    return true;
}

/* -- min, max, abs, neg ------------------------------------------------------------------------ */

/* The number wins over NaN (unless `nan`), two NaNs give the canonical one, -0 < +0 (9.7.3.11). */
value
float_min(struct emit *e, value a, value b, bool max, bool nan)
{
    LLVMRealPredicate p = max ? LLVMRealOGT : LLVMRealOLT;
    value r = v_select(e, v_fcmp(e, p, a, b), a, b);
    value x = v_bits(e, a), y = v_bits(e, b);
    value zeros = v_real(e, max ? v_and(e, x, y) : v_or(e, x, y));
    r = v_select(e, v_fcmp(e, LLVMRealOEQ, a, b), zeros, r);
    if (nan)
        return v_select(e, v_fcmp(e, LLVMRealUNO, a, b), float_nan(e, r), r);
    r = v_select(e, v_is_nan(e, a), b, r);
    r = v_select(e, v_is_nan(e, b), a, r);
    return float_canonical(e, r);
}

/* min and max with .xorsign.abs: of the magnitudes, with the product's sign. */
static value
extreme(struct emit *e, const struct ptx_insn *i, value a, value b)
{
    bool max = i->op == PTX_OP_MAX, nan = ptx_has(i, PTX_M_NAN_RESULT);
    if (!ptx_has(i, PTX_M_XORSIGN)) {
        if (ptx_has(i, PTX_M_ABS)) {
            a = v_fabs(e, a);
            b = v_fabs(e, b);
        }
        return float_min(e, a, b, max, nan);
    }
    unsigned bits = emit_bits_of(a);
    value sign = v_andk(e, v_xor(e, v_bits(e, a), v_bits(e, b)), UINT64_C(1) << (bits - 1));
    value r = float_min(e, v_fabs(e, a), v_fabs(e, b), max, nan);
    value with_sign = v_real(e, v_or(e, v_bits(e, r), sign));
    return v_select(e, v_is_nan(e, r), r, with_sign);
}

bool
float_min_max(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value r = extreme(e, i, open_operand(e, i, in[0]), open_operand(e, i, in[1]));
    if (nin > 2)
        r = extreme(e, i, r, open_operand(e, i, in[2]));
    out[0] = close_result(e, i, r, in[0]);
    return true;
}

/* abs, neg: the sign bit only; .ftz flushes. */
bool
float_abs_neg(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type t = insn_type(i);
    const struct format *f = format_of(t);
    value v = format_count(t) == 2 ? v_unpack(e, in[0], f->bits) : in[0];
    uint64_t sign = UINT64_C(1) << (f->bits - 1);
    if (ptx_has(i, PTX_M_FTZ))
        v = flush_bits(e, v, f);
    v = i->op == PTX_OP_ABS ? v_andk(e, v, sign - 1) : v_xor(e, v, v_k(e, v, sign));
    out[0] = format_count(t) == 2 ? v_pack(e, v, 2 * f->bits, in[0]) : v;
    return true;
}

/* -- approximations ---------------------------------------------------------------------------- */

/* sin, cos, lg2, ex2, tanh: SLEEF's functions, exact to an ulp or so: better than
 * the stated errors. */
bool
float_approx(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    static const struct {
        uint16_t op;
        const char *name;
    } names[] = {{PTX_OP_SIN, "sin"},
                 {PTX_OP_COS, "cos"},
                 {PTX_OP_LG2, "log2"},
                 {PTX_OP_EX2, "exp2"},
                 {PTX_OP_TANH, "tanh"}};
    value x = open_operand(e, i, in[0]);
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        if (names[k].op == i->op) {
            out[0] = close_result(e, i, math_call(e, names[k].name, &x, 1), in[0]);
            return true;
        }
    }
    return emit_fail(e, "%s", ptx_op_name(i->op));
}

/* -- testp, copysign --------------------------------------------------------------------------- */

bool
float_testp(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    const struct format *f = format_of(insn_type(i));
    value mag = v_andk(e, in[0], (UINT64_C(1) << (f->bits - 1)) - 1);
    uint64_t infinity = (uint64_t)((1u << f->exponent) - 1) << f->mantissa;
    value inf = v_k(e, mag, infinity), normal = v_k(e, mag, UINT64_C(1) << f->mantissa);
    value zero = v_is_zero(e, mag), small = v_ult(e, mag, normal);
    if (ptx_has(i, PTX_M_FINITE))
        out[0] = v_ult(e, mag, inf);
    else if (ptx_has(i, PTX_M_INFINITE))
        out[0] = v_eq(e, mag, inf);
    else if (ptx_has(i, PTX_M_NUMBER))
        out[0] = v_not(e, v_ugt(e, mag, inf));
    else if (ptx_has(i, PTX_M_NOTANUMBER))
        out[0] = v_ugt(e, mag, inf);
    else if (ptx_has(i, PTX_M_NORMAL)) /* "zeros are considered normal" (9.7.3.1) */
        out[0] = v_or(e, v_and(e, v_not(e, small), v_ult(e, mag, inf)), zero);
    else
        out[0] = v_and(e, small, v_not(e, zero));
    return true;
}

/* copysign d, a, b: a's sign, b's magnitude. */
bool
float_copysign(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    uint64_t sign = UINT64_C(1) << (emit_bits_of(in[0]) - 1);
    out[0] = v_or(e, v_andk(e, in[0], sign), v_andk(e, in[1], sign - 1));
    return true;
}
