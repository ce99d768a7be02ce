/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_cvt: conversions (PTX ISA 9.7.9.21, 9.7.9.22). The result has the width of the destination's
 * type; a wider register gets it extended as the type says.
 *
 *     cvt.rzi.s32.f32       clamped to the range, NaN -> 0
 *     cvt.rn.f16x2.f32      d = {a, b}, a in the upper half
 *     cvt.rn.satfinite.e4m3x2.f32, cvt.rn.f16x2.e4m3x2, cvt.pack.sat.u8.s32.b32, ...
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

#include <math.h>

/* -- integer to integer ------------------------------------------------------------------------ */

/* x clamped to the destination's range where that is smaller; the width stays. */
static value
saturate_int(struct emit *e, value x, bool from_signed, unsigned to_bits, bool to_signed)
{
    unsigned bits = emit_bits_of(x);
    if (from_signed && to_signed) {
        int64_t top = to_bits < bits ? INT64_C(1) << (to_bits - 1) : 0;
        return top ? v_clamp(e, x, -top, top - 1) : x;
    }
    if (from_signed)
        x = v_call2(e, "llvm.smax", x, v_k(e, x, 0));
    unsigned digits = to_bits - to_signed;
    if (digits >= bits)
        return x;
    return v_call2(e, "llvm.umin", x, v_k(e, x, (UINT64_C(1) << digits) - 1));
}

static value
int_to_int(struct emit *e, const struct ptx_insn *i, value x, enum ptx_type to, enum ptx_type from)
{
    unsigned to_bits = 8 * ptx_type_bytes(to);
    bool from_signed = ptx_type_kind(from) == 's', to_signed = ptx_type_kind(to) == 's';
    if (ptx_has(i, PTX_M_SAT))
        x = saturate_int(e, x, from_signed, to_bits, to_signed);
    return from_signed ? v_sext(e, x, to_bits) : v_zext(e, x, to_bits);
}

/* -- floating point to integer ----------------------------------------------------------------- */

static bool
rounds_to_int(const struct ptx_insn *i)
{
    return ptx_has(i, PTX_M_RNI) || ptx_has(i, PTX_M_RZI) || ptx_has(i, PTX_M_RMI) ||
           ptx_has(i, PTX_M_RPI);
}

/* x (float or double) clamped to the range. "NaN gives zero if source is not .f64 and destination
 * not .s64, .u64, else 1 << (bits - 1)" (9.7.9.21). LLVM's fptosi is undefined out of range. */
static value
float_to_int(struct emit *e, const struct ptx_insn *i, value x, enum ptx_type to,
             enum ptx_type from)
{
    unsigned bits = 8 * ptx_type_bytes(to);
    bool is_signed = ptx_type_kind(to) == 's';
    uint64_t all = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    uint64_t most = is_signed ? all >> 1 : all, least = is_signed ? ~most & all : 0;
    enum rounding r = rounding_to_int(i);
    if (r != ROUND_ZERO)
        x = round_to_integral(e, x, r);
    value low = v_kf(e, x, is_signed ? -ldexp(1, (int)bits - 1) : 0);
    value high = v_kf(e, x, ldexp(1, (int)bits - is_signed));
    value below = v_fcmp(e, LLVMRealOLT, x, low), above = v_fcmp(e, LLVMRealOGE, x, high);
    value nan = v_is_nan(e, x);
    value outside = v_or(e, v_or(e, below, above), nan);
    value inside = v_select(e, outside, v_kf(e, x, 0), x);
    LLVMTypeRef t = v_int_type(e, x, bits);
    value d =
        is_signed ? LLVMBuildFPToSI(e->b, inside, t, "") : LLVMBuildFPToUI(e->b, inside, t, "");
    d = v_select(e, below, v_k(e, d, least), d);
    d = v_select(e, above, v_k(e, d, most), d);
    if (from == PTX_F64 || bits == 64)
        d = v_select(e, nan, v_k(e, d, UINT64_C(1) << (bits - 1)), d);
    return d;
}

/* -- to floating point ------------------------------------------------------------------------- */

static value
relu(struct emit *e, value x)
{
    value zero = v_kf(e, x, 0); /* NaN stays: narrowing makes it canonical */
    return v_select(e, v_fcmp(e, LLVMRealUGT, x, zero), x, zero);
}

/* x (float or double) to the bits of format f. */
static value
finish(struct emit *e, const struct ptx_insn *i, value x, const struct format *f)
{
    if (ptx_has(i, PTX_M_SAT))
        x = float_saturate(e, x);
    if (ptx_has(i, PTX_M_RELU))
        x = relu(e, x);
    value bits = round_narrow(e, x, f, rounding_of(i), ptx_has(i, PTX_M_SATFINITE));
    if (f == &format_f32 && ptx_has(i, PTX_M_FTZ))
        bits = v_bits(e, float_flush(e, v_real(e, bits)));
    return bits;
}

static value
int_to_float(struct emit *e, const struct ptx_insn *i, value x, enum ptx_type to,
             enum ptx_type from)
{
    const struct format *f = format_of(to);
    bool is_signed = ptx_type_kind(from) == 's';
    value r = round_from_int(e, x, is_signed, f->bits, rounding_of(i));
    if (f->bits >= 32)
        return v_bits(e, ptx_has(i, PTX_M_SAT) ? float_saturate(e, r) : r);
    return finish(e, i, r, f);
}

/* Whether the result may be any NaN: `i` is the kernel's own instruction, and one that only widens
 * or rounds to nearest. */
static bool
any_nan_does(struct emit *e, const struct ptx_insn *i, const struct format *f)
{
    if (f->bits < 32 || f == &format_tf32 || !emit_on(e, PASS_NAN_CODES) || !e->unseen_nans ||
        e->insn != i || i->operand[0].kind != PTX_O_REG || rounds_to_int(i) ||
        ptx_has(i, PTX_M_SAT) || ptx_has(i, PTX_M_RELU) || ptx_has(i, PTX_M_FTZ) ||
        rounding_of(i) != ROUND_NEAREST)
        return false;
    if (!emit_nans_unseen(e, i->operand[0].reg)) {
        emit_missed(e, PASS_NAN_CODES, "the result is stored, moved or handed on as it is");
        return false;
    }
    emit_fired(e, PASS_NAN_CODES, "nobody sees which NaN it is");
    return true;
}

static value
float_to_float(struct emit *e, const struct ptx_insn *i, value x, enum ptx_type to)
{
    const struct format *f = format_of(to);
    if (rounds_to_int(i))
        x = round_to_integral(e, x, rounding_to_int(i));
    if (f == &format_f64 && emit_bits_of(x) < 64)
        x = LLVMBuildFPExt(e->b, x, v_float_type(e, x, 64), "");
    if (any_nan_does(e, i, f))
        return v_bits(e, emit_bits_of(x) == f->bits
                             ? x
                             : LLVMBuildFPTrunc(e->b, x, v_float_type(e, x, f->bits), ""));
    return finish(e, i, x, f);
}

/* -- packed ------------------------------------------------------------------------------------ */

/* Numbers narrower than a byte lie side by side: two e2m1 in a byte; else one a byte. */
static unsigned
slot_bits(const struct format *f)
{
    return f == &format_e2m1 ? 4 : f->bits;
}

/* d = {in[0], in[1], ...}, the first one in the upper bits. */
static value
pack_floats(struct emit *e, const struct ptx_insn *i, const value *in, unsigned n, enum ptx_type to,
            const struct format *from)
{
    const struct format *f = format_of(to);
    unsigned slot = slot_bits(f), bits = slot * n;
    value d = v_int(e, in[0], bits, 0);
    for (unsigned k = 0; k < n; k++) {
        value x = round_widen(e, in[k], from);
        if (ptx_has(i, PTX_M_FTZ) && from == &format_f32)
            x = float_flush(e, x);
        value one = v_zext(e, finish(e, i, x, f), bits);
        d = v_or(e, d, v_shlk(e, one, slot * (n - 1 - k)));
    }
    return d;
}

/* Both numbers of a register to another packed format. */
static value
repack(struct emit *e, const struct ptx_insn *i, value v, enum ptx_type to, enum ptx_type from)
{
    const struct format *f = format_of(from);
    unsigned slot = slot_bits(f);
    value part[2];
    for (unsigned k = 0; k < 2; k++) { /* the upper one first */
        value x = v_lshrk(e, v, slot * (1 - k));
        part[k] = v_zext(e, v_andk(e, x, (UINT64_C(1) << slot) - 1), f->bits);
    }
    return pack_floats(e, i, part, 2, to, f);
}

/* cvt.pack.sat: a and b clamped and put side by side, below what remains of c. */
static bool
pack_ints(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    enum ptx_type t = insn_type(i);
    unsigned bits = t == PTX_U4 || t == PTX_S4   ? 4
                    : t == PTX_U2 || t == PTX_S2 ? 2
                                                 : 8 * ptx_type_bytes(t);
    bool to_signed = ptx_type_kind(t) == 's';
    value d = nin > 2 ? v_shlk(e, in[2], 2 * bits) : v_k(e, in[0], 0);
    for (unsigned k = 0; k < 2; k++) {
        value x = saturate_int(e, in[k], true, bits, to_signed);
        x = v_andk(e, x, (UINT64_C(1) << bits) - 1);
        d = v_or(e, d, v_shlk(e, x, k == 0 ? bits : 0));
    }
    out[0] = d;
    return true;
}

/* -- cvt --------------------------------------------------------------------------------------- */

static bool
unsupported(const struct ptx_insn *i)
{
    for (unsigned k = 0; k < i->type_count; k++)
        if (i->type[k] == PTX_UE8M0X2 || i->type[k] == PTX_UE8M0 || i->type[k] == PTX_UE4M3)
            return true;
    return ptx_has(i, PTX_M_RS) || ptx_has(i, PTX_M_SCALED_N2_UE8M0) || i->type_count > 2;
}

/* An operand as its type has it: .s8 in a 32-bit register is the low byte. */
static value
source(struct emit *e, value v, enum ptx_type t)
{
    unsigned bits = 8 * ptx_type_bytes(t);
    return bits > 0 && emit_bits_of(v) > bits ? v_trunc(e, v, bits) : v;
}

bool
emit_cvt(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
         LLVMValueRef *out)
{
    if (ptx_has(i, PTX_M_PACK))
        return pack_ints(e, i, in, nin, out);
    if (unsupported(i))
        return emit_fail(e, "cvt with .rs, .scaled or .ue8m0x2");
    enum ptx_type to = insn_type(i), from = (enum ptx_type)i->type[1];
    const struct format *f = format_of(from);
    value x = source(e, in[0], from);
    if (format_count(to) > 1 && format_count(from) > 1) {
        out[0] = repack(e, i, x, to, from);
        return true;
    }
    if (format_count(to) > 1) {
        out[0] = pack_floats(e, i, in, nin, to, f);
        return true;
    }
    if (!f) {
        out[0] = format_of(to) ? int_to_float(e, i, x, to, from) : int_to_int(e, i, x, to, from);
        return true;
    }
    /* A denormal float is not flushed on its way to a half: rounded up, it is the smallest one. */
    if (ptx_has(i, PTX_M_FTZ) && f == &format_f32 && format_of(to) != &format_f16)
        x = v_bits(e, float_flush(e, v_real(e, x)));
    value r = round_widen(e, x, f);
    out[0] = format_of(to) ? float_to_float(e, i, r, to) : float_to_int(e, i, r, to, from);
    return true;
}
