/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_video: the video instructions (PTX ISA 9.7.18): vadd ... vset on bytes, halves and words of
 * their operands, and the packed vadd2, vadd4, ... . The machines have them in microcode only since
 * compute capability 3.0; here they are ordinary integer arithmetic, 34 bits wide where it matters.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

/* -- scalar: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset -------------------------- */

/* Parts as ptx_operand.part has them. */
enum { PART_B0 = 5, PART_H0 = 9 };

/* The part of a register that the operand names (.b0 ... .h1), extended to 64 bits. */
static value
source(struct emit *e, const struct ptx_operand *o, value v, enum ptx_type t)
{
    bool is_signed = ptx_type_kind(t) == 's';
    unsigned bits = 32, first = 0;
    if (o->part >= PART_H0) {
        bits = 16;
        first = 16 * (o->part - PART_H0);
    } else if (o->part >= PART_B0) {
        bits = 8;
        first = 8 * (o->part - PART_B0);
    }
    if (bits < 32)
        v = v_trunc(e, v_lshrk(e, v, first), bits);
    return is_signed ? v_sext(e, v, 64) : v_zext(e, v, 64);
}

/* Clamped to the destination's type. */
static value
saturate(struct emit *e, value v, bool is_signed, unsigned bits)
{
    int64_t top = INT64_C(1) << (is_signed ? bits - 1 : bits);
    return v_clamp(e, v, is_signed ? -top : 0, top - 1);
}

static value
distance(struct emit *e, value a, value b)
{
    return v_call1_flag(e, "llvm.abs", v_sub(e, a, b), false);
}

/* .sat as GPUs since compute capability 5.0 do it, which have these instructions in software (read
 * off an H200). Where one operand is signed and the other not, a 32-bit unsigned result is only
 * kept from going below 0, and a part's result counts as unsigned. */
static value
saturate_result(struct emit *e, value r, bool is_signed, uint8_t part, bool mixed)
{
    unsigned bits = part >= PART_H0 ? 16 : part >= PART_B0 ? 8 : 32;
    if (mixed && part) {
        value top = v_k(e, r, (UINT64_C(1) << (is_signed ? bits - 1 : bits)) - 1);
        return v_call2(e, "llvm.umin", v_andk(e, r, UINT32_MAX), top);
    }
    if (mixed && !is_signed)
        return v_call2(e, "llvm.smax", r, v_k(e, r, 0));
    return saturate(e, r, is_signed, bits);
}

/* Shift amount: .clamp: at most 32, .wrap: modulo 32; b is unsigned. */
static value
shift_amount(struct emit *e, const struct ptx_insn *i, value b)
{
    if (ptx_has(i, PTX_M_WRAP))
        return v_andk(e, b, 31);
    return v_call2(e, "llvm.umin", b, v_k(e, b, 32));
}

/* First step of all of them, on 64 bits. */
static bool
video_operation(struct emit *e, const struct ptx_insn *i, value a, value b, value *out)
{
    switch (i->op) {
    case PTX_OP_VADD: *out = v_add(e, a, b); return true;
    case PTX_OP_VSUB: *out = v_sub(e, a, b); return true;
    case PTX_OP_VABSDIFF: *out = distance(e, a, b); return true;
    case PTX_OP_VMIN: *out = v_call2(e, "llvm.smin", a, b); return true;
    case PTX_OP_VMAX: *out = v_call2(e, "llvm.smax", a, b); return true;
    case PTX_OP_VSHL: *out = LLVMBuildShl(e->b, a, shift_amount(e, i, b), ""); return true;
    case PTX_OP_VSHR: /* a was extended as its type says: one shift serves both */
        *out = LLVMBuildAShr(e->b, a, shift_amount(e, i, b), "");
        return true;
    default: {
        value holds;
        if (!arith_compare(e, i, PTX_S64, a, b, &holds))
            return false;
        *out = v_zext(e, holds, 64);
        return true;
    }
    }
}

/* Second step: with c as accumulator (.add .min .max), or the result put into a part of c. */
static value
video_finish(struct emit *e, const struct ptx_insn *i, value r, value c, bool is_signed)
{
    uint8_t part = i->operand[0].part;
    if (part) {
        unsigned bits = part >= PART_H0 ? 16 : 8;
        unsigned first = part >= PART_H0 ? 16 * (part - PART_H0) : 8 * (part - PART_B0);
        uint64_t mask = ((UINT64_C(1) << bits) - 1) << first;
        return v_or(e, v_andk(e, v_shlk(e, r, first), mask), v_andk(e, c, ~mask));
    }
    if (ptx_has(i, PTX_M_ADD))
        return v_add(e, r, c);
    if (ptx_has(i, PTX_M_MIN))
        return v_call2(e, is_signed ? "llvm.smin" : "llvm.umin", r, c);
    if (ptx_has(i, PTX_M_MAX))
        return v_call2(e, is_signed ? "llvm.smax" : "llvm.umax", r, c);
    return r;
}

/* vmad d, a, b, c: a * b + c, c or the product negated, or + 1 (.po); >> 7 or 15; .sat. */
static bool
video_mad(struct emit *e, const struct ptx_insn *i, const value *in, value *out)
{
    enum ptx_type ta = (enum ptx_type)i->type[1], tb = (enum ptx_type)i->type[2];
    bool is_signed = ptx_type_kind(ta) == 's' || ptx_type_kind(tb) == 's';
    bool negated = i->operand[1].negated ^ i->operand[2].negated;
    is_signed |= negated || i->operand[3].negated;
    /* Unsigned, saturated and shifted: hardware takes the operands as signed and the outcome as
     * unsigned (read off an H200). */
    bool odd =
        !is_signed && ptx_has(i, PTX_M_SAT) && (ptx_has(i, PTX_M_SHR7) || ptx_has(i, PTX_M_SHR15));
    enum ptx_type sa = odd ? PTX_S32 : ta, sb = odd ? PTX_S32 : tb;
    value a = v_sext(e, source(e, &i->operand[1], in[0], sa), 128);
    value b = v_sext(e, source(e, &i->operand[2], in[1], sb), 128);
    value c = is_signed || odd ? v_sext(e, in[2], 128) : v_zext(e, in[2], 128);
    value p = v_mul(e, a, b);
    if (ptx_has(i, PTX_M_PO))
        p = v_addk(e, v_add(e, p, c), 1);
    else if (negated)
        p = v_sub(e, c, p);
    else if (i->operand[3].negated)
        p = v_sub(e, p, c);
    else
        p = v_add(e, p, c);
    if (ptx_has(i, PTX_M_SHR7))
        p = v_ashrk(e, p, 7);
    if (ptx_has(i, PTX_M_SHR15))
        p = v_ashrk(e, p, 15);
    p = v_trunc(e, p, 64); /* |p| < 2^65 / 1 only unsigned and unshifted: the low word is right */
    if (ptx_has(i, PTX_M_SAT))
        p = is_signed ? saturate(e, p, true, 32)
                      : v_call2(e, "llvm.umin", p, v_k(e, p, UINT32_MAX));
    out[0] = v_trunc(e, p, 32);
    return true;
}

bool
video_scalar(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (i->op == PTX_OP_VMAD)
        return video_mad(e, i, in, out);
    bool set = i->op == PTX_OP_VSET; /* vset.atype.btype: no type for d */
    enum ptx_type td = set ? PTX_U32 : insn_type(i);
    enum ptx_type ta = (enum ptx_type)i->type[set ? 0 : 1];
    enum ptx_type tb = (enum ptx_type)i->type[set ? 1 : 2];
    bool is_signed = ptx_type_kind(td) == 's';
    value r, a = source(e, &i->operand[1], in[0], ta), b = source(e, &i->operand[2], in[1], tb);
    if (!video_operation(e, i, a, b, &r))
        return false;
    if (ptx_has(i, PTX_M_SAT))
        r = saturate_result(e, r, is_signed, i->operand[0].part,
                            ptx_type_kind(ta) != ptx_type_kind(tb));
    r = v_trunc(e, r, 32);
    out[0] = nin > 2 ? video_finish(e, i, r, in[2], is_signed) : r;
    return true;
}

/* -- packed: vadd2, vadd4, ... ----------------------------------------------------------------- */

struct packed {
    unsigned count, bits; /* 2 x 16 or 4 x 8 */
};

static struct packed
packed_of(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_VADD2:
    case PTX_OP_VSUB2:
    case PTX_OP_VAVRG2:
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VMIN2:
    case PTX_OP_VMAX2:
    case PTX_OP_VSET2: return (struct packed){2, 16};
    default: return (struct packed){4, 8};
    }
}

/* Part k of an operand as 32 bits. The selector names, per part, one of the parts of a and b. */
static value
packed_source(struct emit *e, value a, value b, unsigned selector, struct packed p, bool is_signed)
{
    value v = selector >= p.count ? b : a;
    unsigned at = selector % p.count;
    value top = v_shlk(e, v, 32 - p.bits * (at + 1));
    return is_signed ? v_ashrk(e, top, 32 - p.bits) : v_lshrk(e, top, 32 - p.bits);
}

static bool
packed_operation(struct emit *e, const struct ptx_insn *i, value a, value b, value *out)
{
    switch (i->op) {
    case PTX_OP_VADD2:
    case PTX_OP_VADD4: *out = v_add(e, a, b); return true;
    case PTX_OP_VSUB2:
    case PTX_OP_VSUB4: *out = v_sub(e, a, b); return true;
    case PTX_OP_VAVRG2:
    case PTX_OP_VAVRG4: /* rounded away from zero: (a + b + (a + b >= 0)) >> 1 */
    {
        value sum = v_add(e, a, b);
        value up = v_zext(e, v_cmp(e, LLVMIntSGE, sum, v_k(e, sum, 0)), 32);
        *out = v_ashrk(e, v_add(e, sum, up), 1);
        return true;
    }
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VABSDIFF4: *out = distance(e, a, b); return true;
    case PTX_OP_VMIN2:
    case PTX_OP_VMIN4: *out = v_call2(e, "llvm.smin", a, b); return true;
    case PTX_OP_VMAX2:
    case PTX_OP_VMAX4: *out = v_call2(e, "llvm.smax", a, b); return true;
    default: {
        value holds;
        if (!arith_compare(e, i, PTX_S32, a, b, &holds))
            return false;
        *out = v_zext(e, holds, 32);
        return true;
    }
    }
}

bool
video_packed(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    struct packed p = packed_of(i->op);
    bool set = i->op == PTX_OP_VSET2 || i->op == PTX_OP_VSET4;
    for (unsigned k = 0; k < 4 && k < i->operand_count; k++)
        if (i->operand[k].part)
            return emit_fail(e, "%s with a selector or mask", ptx_op_name(i->op));
    enum ptx_type ta = (enum ptx_type)i->type[set ? 0 : 1];
    enum ptx_type tb = (enum ptx_type)i->type[set ? 1 : 2];
    bool d_signed = !set && insn_signed(i);
    bool add = ptx_has(i, PTX_M_ADD);
    value sum = add ? in[2] : v_k(e, in[0], 0);
    for (unsigned k = 0; k < p.count; k++) {
        value r;
        value a = packed_source(e, in[0], in[1], k, p, ptx_type_kind(ta) == 's');
        value b = packed_source(e, in[0], in[1], p.count + k, p, ptx_type_kind(tb) == 's');
        if (!packed_operation(e, i, a, b, &r))
            return false;
        if (ptx_has(i, PTX_M_SAT))
            r = saturate(e, r, d_signed, p.bits);
        if (add) {
            sum = v_add(e, sum, r);
            continue;
        }
        r = v_andk(e, r, (UINT64_C(1) << p.bits) - 1);
        sum = v_or(e, sum, v_shlk(e, r, k * p.bits));
    }
    out[0] = sum;
    return true;
}
