/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_arith: the table of arithmetic instructions, and the families on integers: addition and
 * multiplication with their carries, division, logic, comparison, selection (PTX ISA 9.7.1, 9.7.2,
 * 9.7.6, 9.7.8). An instruction that also exists for floating point begins here and goes on in
 * ops/float.c.
 *
 * Each emitter gets the bits of its operands and gives the bits of its results, for one lane or 32
 * alike (build/build.h). Example, `sad.u32 d, a, b, c`: out[0] = in[2] + |in[0] - in[1]|.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

/* -- addition ---------------------------------------------------------------------------------- */

static bool
packed_int(enum ptx_type t)
{
    return t == PTX_U16X2 || t == PTX_S16X2;
}

static bool
type_signed(enum ptx_type t)
{
    return ptx_type_kind(t) == 's' || t == PTX_S16X2;
}

/* a + b + carry in, and the carry out. */
static value
add_carry(struct emit *e, value a, value b, value carry, value *carry_out)
{
    value sum = v_add(e, a, b);
    value over = v_ult(e, sum, a);
    if (carry) {
        value whole = v_add(e, sum, v_zext(e, carry, emit_bits_of(a)));
        over = v_or(e, over, v_ult(e, whole, sum));
        sum = whole;
    }
    *carry_out = over;
    return sum;
}

/* a - b - borrow in, and the borrow out. The flag is the carry of a + ~b + 1, that is, no borrow:
 * so an addc behind a sub.cc sees it on hardware. */
static value
sub_carry(struct emit *e, value a, value b, value carry, value *carry_out)
{
    value difference = v_sub(e, a, b);
    value under = v_ult(e, a, b);
    if (carry) {
        value whole = v_sub(e, difference, v_zext(e, v_not(e, carry), emit_bits_of(a)));
        under = v_or(e, under, v_ult(e, difference, whole));
        difference = whole;
    }
    *carry_out = v_not(e, under);
    return difference;
}

/* add, sub and their forms with carry: the carry flag comes behind the operands. */
static bool
int_add_sub(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type t = insn_type(i);
    bool minus = i->op == PTX_OP_SUB || i->op == PTX_OP_SUBC;
    if (float_type(t))
        return float_add(e, i, in, nin, out);
    value a = in[0], b = in[1];
    if (packed_int(t)) {
        a = v_unpack(e, a, 16);
        b = v_unpack(e, b, 16);
    }
    if (ptx_has(i, PTX_M_SAT)) {
        const char *name = type_signed(t) ? (minus ? "llvm.ssub.sat" : "llvm.sadd.sat")
                                          : (minus ? "llvm.usub.sat" : "llvm.uadd.sat");
        out[0] = v_call2(e, name, a, b);
    } else {
        bool reads = i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC;
        value carry;
        out[0] = minus ? sub_carry(e, a, b, reads ? in[nin - 1] : NULL, &carry)
                       : add_carry(e, a, b, reads ? in[nin - 1] : NULL, &carry);
        if (ptx_has(i, PTX_M_CC))
            out[1] = carry;
    }
    if (packed_int(t))
        out[0] = v_pack(e, out[0], 32, in[0]);
    return true;
}

/* -- multiplication ---------------------------------------------------------------------------- */

static value
extend(struct emit *e, value v, unsigned bits, bool is_signed)
{
    return is_signed ? v_sext(e, v, bits) : v_zext(e, v, bits);
}

/* The product as the instruction wants it: .lo, .hi (of a's width) or .wide (twice). */
static value
product(struct emit *e, const struct ptx_insn *i, value a, value b)
{
    unsigned bits = emit_bits_of(a);
    bool is_signed = insn_signed(i);
    if (!ptx_has(i, PTX_M_WIDE) && !ptx_has(i, PTX_M_HI))
        return v_mul(e, a, b);
    value wide = v_mul(e, extend(e, a, 2 * bits, is_signed), extend(e, b, 2 * bits, is_signed));
    return ptx_has(i, PTX_M_WIDE) ? wide : v_high(e, wide, bits);
}

static bool
int_mul(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (float_type(insn_type(i)))
        return float_mul(e, i, in, nin, out);
    out[0] = product(e, i, in[0], in[1]);
    return true;
}

/* mad, madc: product + c (+ carry). mad.hi.sat.s32 clamps the sum. */
static bool
int_mad(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (float_type(insn_type(i)))
        return float_fma(e, i, in, nin, out);
    value p = product(e, i, in[0], in[1]);
    if (ptx_has(i, PTX_M_SAT)) {
        out[0] = v_call2(e, "llvm.sadd.sat", p, in[2]);
        return true;
    }
    value carry;
    out[0] = add_carry(e, p, in[2], i->op == PTX_OP_MADC ? in[nin - 1] : NULL, &carry);
    if (ptx_has(i, PTX_M_CC))
        out[1] = carry;
    return true;
}

/* mul24, mad24: the low 24 bits of both; .lo: bits 31..0 of the product, .hi: bits 47..16. */
static bool
int_mul24(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    bool is_signed = insn_signed(i);
    value x[2];
    for (unsigned k = 0; k < 2; k++) {
        value top = v_shlk(e, in[k], 8);
        x[k] = is_signed ? v_ashrk(e, top, 8) : v_lshrk(e, top, 8);
    }
    value p;
    if (ptx_has(i, PTX_M_HI)) {
        value wide = v_mul(e, extend(e, x[0], 64, is_signed), extend(e, x[1], 64, is_signed));
        p = v_trunc(e, v_lshrk(e, wide, 16), 32);
    } else {
        p = v_mul(e, x[0], x[1]);
    }
    if (i->op == PTX_OP_MUL24)
        out[0] = p;
    else if (ptx_has(i, PTX_M_SAT))
        out[0] = v_call2(e, "llvm.sadd.sat", p, in[2]);
    else
        out[0] = v_add(e, p, in[2]);
    return true;
}

/* max - min in the type's order: right for all values, modulo 2^n. */
static value
distance(struct emit *e, value a, value b, bool is_signed)
{
    value high = v_call2(e, is_signed ? "llvm.smax" : "llvm.umax", a, b);
    value low = v_call2(e, is_signed ? "llvm.smin" : "llvm.umin", a, b);
    return v_sub(e, high, low);
}

static bool
int_sad(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_add(e, in[2], distance(e, in[0], in[1], insn_signed(i)));
    return true;
}

/* -- division ---------------------------------------------------------------------------------- */

/* Quotient of magnitudes by a correctly rounded floating-point division. A quotient that is not
 * whole lies at least 1/a (relative) below the next whole number, far more than the rounding of a
 * format with twice a's digits: truncation gives the right one. Vectors only: it has no trap and
 * costs a fifth of LLVM's 32 scalar divisions. b = 0 gives a value that the caller replaces. */
static value
divide_by_float(struct emit *e, value a, value b, unsigned float_bits)
{
    LLVMTypeRef t = v_float_type(e, a, float_bits);
    value q =
        LLVMBuildFDiv(e->b, LLVMBuildUIToFP(e->b, a, t, ""), LLVMBuildUIToFP(e->b, b, t, ""), "");
    return LLVMBuildFPToUI(e->b, q, LLVMTypeOf(a), "");
}

/* a / b of unsigned numbers, b != 0. */
static value
divide_unsigned(struct emit *e, value a, value b)
{
    unsigned bits = emit_bits_of(a);
    if (v_count(a) == 0 || LLVMIsConstant(b) || bits == 64)
        return LLVMBuildUDiv(e->b, a, b, "");
    return divide_by_float(e, a, b, bits == 16 ? 32 : 64);
}

static value
magnitude(struct emit *e, value a, bool is_signed)
{
    return is_signed ? v_call1_flag(e, "llvm.abs", a, false) : a;
}

static value
negate_if(struct emit *e, value condition, value a)
{
    return v_select(e, condition, LLVMBuildNeg(e->b, a, ""), a);
}

/* div, rem. Division by zero: "unspecified, machine specific" (9.7.1.7); the machines give all
 * ones, for the quotient and the remainder. INT_MIN / -1 = INT_MIN, remainder 0. */
static bool
int_div_rem(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (float_type(insn_type(i)))
        return float_div(e, i, in, nin, out);
    bool is_signed = insn_signed(i);
    value zero = v_k(e, in[0], 0), ones = v_k(e, in[0], ~UINT64_C(0));
    value by_zero = v_is_zero(e, in[1]);
    value a = magnitude(e, in[0], is_signed);
    value b = magnitude(e, v_select(e, by_zero, v_k(e, in[1], 1), in[1]), is_signed);
    value q = divide_unsigned(e, a, b);
    if (i->op == PTX_OP_REM) {
        value r = v_sub(e, a, v_mul(e, q, b));
        if (is_signed)
            r = negate_if(e, v_slt(e, in[0], zero), r);
        out[0] = v_select(e, by_zero, ones, r);
        return true;
    }
    if (is_signed)
        q = negate_if(e, v_slt(e, v_xor(e, in[0], in[1]), zero), q);
    out[0] = v_select(e, by_zero, ones, q);
    return true;
}

/* -- one operand, extremes --------------------------------------------------------------------- */

static bool
int_abs(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (float_type(insn_type(i)))
        return float_abs_neg(e, i, in, nin, out);
    out[0] = v_call1_flag(e, "llvm.abs", in[0], false);
    return true;
}

static bool
int_neg(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (float_type(insn_type(i)))
        return float_abs_neg(e, i, in, nin, out);
    out[0] = LLVMBuildNeg(e->b, in[0], "");
    return true;
}

static bool
int_min_max(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type t = insn_type(i);
    if (float_type(t))
        return float_min_max(e, i, in, nin, out);
    value a = in[0], b = in[1];
    if (packed_int(t)) {
        a = v_unpack(e, a, 16);
        b = v_unpack(e, b, 16);
    }
    bool max = i->op == PTX_OP_MAX;
    const char *name =
        type_signed(t) ? (max ? "llvm.smax" : "llvm.smin") : (max ? "llvm.umax" : "llvm.umin");
    value r = v_call2(e, name, a, b);
    if (ptx_has(i, PTX_M_RELU))
        r = v_call2(e, "llvm.smax", r, v_k(e, r, 0));
    out[0] = packed_int(t) ? v_pack(e, r, 32, in[0]) : r;
    return true;
}

/* -- logic ------------------------------------------------------------------------------------- */

static bool
int_logic(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    switch (i->op) {
    case PTX_OP_AND: out[0] = v_and(e, in[0], in[1]); break;
    case PTX_OP_OR: out[0] = v_or(e, in[0], in[1]); break;
    case PTX_OP_XOR: out[0] = v_xor(e, in[0], in[1]); break;
    case PTX_OP_NOT: out[0] = v_not(e, in[0]); break;
    default: /* cnot */ out[0] = v_zext(e, v_is_zero(e, in[0]), emit_bits_of(in[0])); break;
    }
    return true;
}

/* -- comparison -------------------------------------------------------------------------------- */

/* For each comparison: the integer predicates and the floating-point one. lo, ls, hi, hs are the
 * unsigned spellings; equ ... geu also hold when an operand is NaN (9.7.6). */
static const struct comparison {
    uint16_t mod;
    uint8_t is_unsigned, is_signed, real;
} comparisons[] = {
    {PTX_M_EQ, LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
    {PTX_M_NE, LLVMIntNE, LLVMIntNE, LLVMRealONE},
    {PTX_M_LT, LLVMIntULT, LLVMIntSLT, LLVMRealOLT},
    {PTX_M_LE, LLVMIntULE, LLVMIntSLE, LLVMRealOLE},
    {PTX_M_GT, LLVMIntUGT, LLVMIntSGT, LLVMRealOGT},
    {PTX_M_GE, LLVMIntUGE, LLVMIntSGE, LLVMRealOGE},
    {PTX_M_LO, LLVMIntULT, LLVMIntULT, 0},
    {PTX_M_LS, LLVMIntULE, LLVMIntULE, 0},
    {PTX_M_HI, LLVMIntUGT, LLVMIntUGT, 0},
    {PTX_M_HS, LLVMIntUGE, LLVMIntUGE, 0},
    {PTX_M_EQU, 0, 0, LLVMRealUEQ},
    {PTX_M_NEU, 0, 0, LLVMRealUNE},
    {PTX_M_LTU, 0, 0, LLVMRealULT},
    {PTX_M_LEU, 0, 0, LLVMRealULE},
    {PTX_M_GTU, 0, 0, LLVMRealUGT},
    {PTX_M_GEU, 0, 0, LLVMRealUGE},
    {PTX_M_NUM, 0, 0, LLVMRealORD},
    {PTX_M_NAN, 0, 0, LLVMRealUNO},
};

static const struct comparison *
comparison_of(const struct ptx_insn *i)
{
    for (unsigned k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
        if (ptx_has(i, comparisons[k].mod))
            return &comparisons[k];
    return NULL;
}

bool
arith_compare(struct emit *e, const struct ptx_insn *i, enum ptx_type t, value a, value b,
              value *out)
{
    const struct comparison *c = comparison_of(i);
    if (!c)
        return emit_fail(e, "%s without a comparison", ptx_op_name(i->op));
    const struct format *f = format_of(t);
    if (!f) {
        unsigned p = type_signed(t) ? c->is_signed : c->is_unsigned;
        if (p == 0)
            return emit_fail(e, "%s.%s takes floating-point operands only", ptx_op_name(i->op),
                             ptx_mod_name(c->mod));
        *out = v_cmp(e, (LLVMIntPredicate)p, a, b);
        return true;
    }
    if (c->real == 0)
        return emit_fail(e, "%s.%s takes integer operands only", ptx_op_name(i->op),
                         ptx_mod_name(c->mod));
    value x = round_widen(e, a, f), y = round_widen(e, b, f);
    if (ptx_has(i, PTX_M_FTZ)) {
        /* a denormal half is a normal float: flush before widening */
        x = f->bits < 32 ? round_widen(e, v_bits(e, float_flush(e, v_real(e, a))), f)
                         : float_flush(e, x);
        y = f->bits < 32 ? round_widen(e, v_bits(e, float_flush(e, v_real(e, b))), f)
                         : float_flush(e, y);
    }
    *out = v_fcmp(e, (LLVMRealPredicate)c->real, x, y);
    return true;
}

/* t BoolOp c, for `setp.lt.and.s32 p, a, b, c`. */
static value
combine(struct emit *e, const struct ptx_insn *i, value t, const value *in, unsigned nin)
{
    if (nin < 3)
        return t;
    if (ptx_has(i, PTX_M_AND))
        return v_and(e, t, in[2]);
    if (ptx_has(i, PTX_M_OR))
        return v_or(e, t, in[2]);
    if (ptx_has(i, PTX_M_XOR))
        return v_xor(e, t, in[2]);
    return t;
}

/* Every n-th lane of a packed result: part 0 (low) or 1 (high), n = 2. */
static value
packed_part(struct emit *e, value v, unsigned part, value like)
{
    unsigned n = v_count(like);
    if (n == 0)
        return emit_lane(e, v, part);
    value index[64];
    for (unsigned k = 0; k < n; k++)
        index[k] = LLVMConstInt(LLVMInt32TypeInContext(e->context), 2 * k + part, false);
    return LLVMBuildShuffleVector(e->b, v, v, LLVMConstVector(index, n), "");
}

/* setp. Plain types: p = t op c, q = !t op c. Packed ones: p from the low, q from the high half. */
static bool
int_setp(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type t = insn_type(i);
    value holds;
    if (format_count(t) == 2) {
        if (!arith_compare(e, i, t, v_unpack(e, in[0], 16), v_unpack(e, in[1], 16), &holds))
            return false;
        out[0] = combine(e, i, packed_part(e, holds, 0, in[0]), in, nin);
        if (insn_pair(i))
            out[1] = combine(e, i, packed_part(e, holds, 1, in[0]), in, nin);
        return true;
    }
    if (!arith_compare(e, i, t, in[0], in[1], &holds))
        return false;
    out[0] = combine(e, i, holds, in, nin);
    if (insn_pair(i))
        out[1] = combine(e, i, v_not(e, holds), in, nin);
    return true;
}

/* True as the destination type has it: 1.0 in its format, or all ones. */
static value
truth(struct emit *e, value holds, enum ptx_type t, unsigned bits)
{
    static const uint16_t one16[] = {0x3c00, 0x3f80};
    const struct format *f = format_of(t);
    if (!f)
        return v_sext(e, holds, bits);
    uint64_t one = f == &format_f32 ? 0x3f800000 : one16[f == &format_bf16];
    value zero = v_int(e, holds, bits, 0);
    return v_select(e, holds, v_int(e, holds, bits, one), zero);
}

static bool
int_set(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type to = insn_type(i), from = (enum ptx_type)i->type[1];
    value holds;
    if (format_count(from) == 2) {
        if (!arith_compare(e, i, from, v_unpack(e, in[0], 16), v_unpack(e, in[1], 16), &holds))
            return false;
        if (nin > 2) {
            value c = v_sext(e, in[2], 32); /* the same predicate for both halves */
            value both = v_trunc(e, v_unpack(e, c, 16), 1);
            value three[3] = {in[0], in[1], both};
            holds = combine(e, i, holds, three, 3);
        }
        out[0] = v_pack(e, truth(e, holds, to, 16), 32, in[0]);
        return true;
    }
    if (!arith_compare(e, i, from, in[0], in[1], &holds))
        return false;
    out[0] = truth(e, combine(e, i, holds, in, nin), to, ptx_type_bytes(to) * 8);
    return true;
}

static bool
int_selp(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_select(e, in[2], in[0], in[1]);
    return true;
}

/* slct: c >= 0 ? a : b. NaN selects b; .ftz makes a denormal zero, so a negative one selects a. */
static bool
int_slct(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value holds;
    if (i->type[1] == PTX_F32) {
        value c = v_real(e, in[2]);
        if (ptx_has(i, PTX_M_FTZ))
            c = float_flush(e, c);
        holds = v_fcmp(e, LLVMRealOGE, c, v_kf(e, c, 0));
    } else {
        holds = v_cmp(e, LLVMIntSGE, in[2], v_k(e, in[2], 0));
    }
    out[0] = v_select(e, holds, in[0], in[1]);
    return true;
}

/* -- the table --------------------------------------------------------------------------------- */

/* clang-format off */
static arith_fn *const table[PTX_OP_COUNT] = {
    [PTX_OP_ADD] = int_add_sub, [PTX_OP_SUB] = int_add_sub,
    [PTX_OP_ADDC] = int_add_sub, [PTX_OP_SUBC] = int_add_sub,
    [PTX_OP_MUL] = int_mul, [PTX_OP_MAD] = int_mad, [PTX_OP_MADC] = int_mad,
    [PTX_OP_MUL24] = int_mul24, [PTX_OP_MAD24] = int_mul24, [PTX_OP_SAD] = int_sad,
    [PTX_OP_DIV] = int_div_rem, [PTX_OP_REM] = int_div_rem,
    [PTX_OP_ABS] = int_abs, [PTX_OP_NEG] = int_neg,
    [PTX_OP_MIN] = int_min_max, [PTX_OP_MAX] = int_min_max,
    [PTX_OP_AND] = int_logic, [PTX_OP_OR] = int_logic, [PTX_OP_XOR] = int_logic,
    [PTX_OP_NOT] = int_logic, [PTX_OP_CNOT] = int_logic,
    [PTX_OP_SETP] = int_setp, [PTX_OP_SET] = int_set,
    [PTX_OP_SELP] = int_selp, [PTX_OP_SLCT] = int_slct,

    [PTX_OP_POPC] = bits_popc, [PTX_OP_CLZ] = bits_clz, [PTX_OP_BFIND] = bits_bfind,
    [PTX_OP_FNS] = bits_fns, [PTX_OP_BREV] = bits_brev, [PTX_OP_BFE] = bits_bfe,
    [PTX_OP_BFI] = bits_bfi, [PTX_OP_BMSK] = bits_bmsk, [PTX_OP_SZEXT] = bits_szext,
    [PTX_OP_LOP3] = bits_lop3, [PTX_OP_SHF] = bits_shf, [PTX_OP_SHL] = bits_shl,
    [PTX_OP_SHR] = bits_shr, [PTX_OP_PRMT] = bits_prmt,
    [PTX_OP_DP4A] = bits_dp4a, [PTX_OP_DP2A] = bits_dp2a,

    [PTX_OP_FMA] = float_fma, [PTX_OP_RCP] = float_rcp, [PTX_OP_SQRT] = float_sqrt,
    [PTX_OP_RSQRT] = float_rsqrt, [PTX_OP_SIN] = float_approx, [PTX_OP_COS] = float_approx,
    [PTX_OP_LG2] = float_approx, [PTX_OP_EX2] = float_approx, [PTX_OP_TANH] = float_approx,
    [PTX_OP_TESTP] = float_testp, [PTX_OP_COPYSIGN] = float_copysign,

    [PTX_OP_VADD] = video_scalar, [PTX_OP_VSUB] = video_scalar, [PTX_OP_VABSDIFF] = video_scalar,
    [PTX_OP_VMIN] = video_scalar, [PTX_OP_VMAX] = video_scalar, [PTX_OP_VSHL] = video_scalar,
    [PTX_OP_VSHR] = video_scalar, [PTX_OP_VMAD] = video_scalar, [PTX_OP_VSET] = video_scalar,
    [PTX_OP_VADD2] = video_packed, [PTX_OP_VSUB2] = video_packed, [PTX_OP_VAVRG2] = video_packed,
    [PTX_OP_VABSDIFF2] = video_packed, [PTX_OP_VMIN2] = video_packed,
    [PTX_OP_VMAX2] = video_packed, [PTX_OP_VSET2] = video_packed,
    [PTX_OP_VADD4] = video_packed, [PTX_OP_VSUB4] = video_packed, [PTX_OP_VAVRG4] = video_packed,
    [PTX_OP_VABSDIFF4] = video_packed, [PTX_OP_VMIN4] = video_packed,
    [PTX_OP_VMAX4] = video_packed, [PTX_OP_VSET4] = video_packed,
};
/* clang-format on */

/* ops/arith.c: by PTX_OP_*; NULL: not arithmetic. */
static arith_fn *
arith_of(enum ptx_op op)
{
    return op < PTX_OP_COUNT ? table[op] : NULL;
}

bool
emit_is_arith(const struct ptx_insn *i)
{
    return arith_of(i->op) != NULL;
}

bool
emit_arith(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
           LLVMValueRef *out)
{
    arith_fn *f = arith_of(i->op);
    if (!f)
        return emit_fail(e, "%s is not an arithmetic instruction", ptx_op_name(i->op));
    return f(e, i, in, nin, out);
}
