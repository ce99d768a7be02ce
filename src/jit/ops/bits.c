/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_bits: instructions that move bits and bytes: counting, bit fields, shifts, lop3, prmt, and
 * the byte dot products dp4a and dp2a (PTX ISA 9.7.1.12 - 9.7.1.24, 9.7.8, 9.7.9.7).
 *
 * A shift amount past the width gives zero (or the sign) in PTX and nothing defined in LLVM: v_shl,
 * v_lshr and v_ashr clamp.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

/* -- counting ---------------------------------------------------------------------------------- */

bool
bits_popc(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_trunc(e, v_call1(e, "llvm.ctpop", in[0]), 32);
    return true;
}

bool
bits_clz(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_trunc(e, v_call1_flag(e, "llvm.ctlz", in[0], false), 32);
    return true;
}

/* bfind: the highest bit that differs from the sign; .shiftamt: how far left it would move up. */
bool
bits_bfind(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    unsigned bits = emit_bits_of(in[0]);
    value a = in[0];
    if (insn_signed(i))
        a = v_xor(e, a, v_ashrk(e, a, bits - 1));
    value zeros = v_trunc(e, v_call1_flag(e, "llvm.ctlz", a, false), 32);
    value found = zeros;
    if (!ptx_has(i, PTX_M_SHIFTAMT))
        found = v_sub(e, v_k(e, zeros, bits - 1), zeros);
    out[0] = v_select(e, v_is_zero(e, a), v_k(e, zeros, ~UINT64_C(0)), found);
    return true;
}

/* The n-th (from 0) lowest set bit of m: halve the word, go to the half that holds it. */
static value
nth_bit(struct emit *e, value m, value n)
{
    value base = v_k(e, m, 0);
    for (unsigned half = 16; half > 0; half /= 2) {
        value low = v_andk(e, m, (UINT64_C(1) << half) - 1);
        value in_low = v_call1(e, "llvm.ctpop", low);
        value above = v_cmp(e, LLVMIntUGE, n, in_low);
        n = v_select(e, above, v_sub(e, n, in_low), n);
        m = v_select(e, above, v_lshrk(e, m, half), low);
        base = v_select(e, above, v_addk(e, base, half), base);
    }
    return base;
}

/* fns d, mask, base, offset: the |offset|-th set bit from base upwards (offset > 0) or downwards
 * (< 0); offset 0: base itself if it is set; else -1 (9.7.1.17). The offset -2^31 gives 0 on
 * hardware. */
bool
bits_fns(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value zero = v_k(e, in[0], 0), none = v_k(e, in[0], ~UINT64_C(0));
    value down = v_slt(e, in[2], zero);
    value top = v_sub(e, v_k(e, in[1], 31), in[1]);
    value m = v_select(e, down, v_call1(e, "llvm.bitreverse", in[0]), in[0]);
    value base = v_select(e, down, top, in[1]);
    value inside = v_ult(e, base, v_k(e, base, 32));
    m = v_and(e, m, v_shl(e, none, base));
    value n = v_call1_flag(e, "llvm.abs", in[2], false);
    n = v_sub(e, n, v_zext(e, v_ne(e, n, zero), 32));
    value enough = v_ult(e, n, v_call1(e, "llvm.ctpop", m));
    value at = nth_bit(e, m, n);
    value exact = v_or(e, v_ne(e, in[2], zero), v_eq(e, at, base));
    at = v_select(e, down, v_sub(e, v_k(e, at, 31), at), at);
    at = v_select(e, v_and(e, v_and(e, enough, inside), exact), at, none);
    out[0] = v_select(e, v_eq(e, in[2], v_k(e, in[2], UINT64_C(1) << 31)), zero, at);
    return true;
}

bool
bits_brev(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_call1(e, "llvm.bitreverse", in[0]);
    return true;
}

/* -- bit fields -------------------------------------------------------------------------------- */

/* The low len bits set; all of them from the width on. like: the type of the mask. */
static value
low_bits(struct emit *e, value len, value like)
{
    return v_not(e, v_shl(e, v_k(e, like, ~UINT64_C(0)), len));
}

/* Position and length, widened to the field's width. The manual has the low 8 bits of their
 * operands (9.7.1.19); so do GPUs for 32-bit fields, while for 64-bit ones all bits count (read off
 * an H200). */
static value
field_operand(struct emit *e, value v, unsigned bits)
{
    return v_zext(e, bits == 64 ? v : v_andk(e, v, 0xff), bits);
}

bool
bits_bfe(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    unsigned bits = emit_bits_of(in[0]);
    value pos = field_operand(e, in[1], bits), len = field_operand(e, in[2], bits);
    if (!insn_signed(i)) {
        out[0] = v_and(e, v_lshr(e, in[0], pos), low_bits(e, len, in[0]));
        return true;
    }
    /* the field to the top, then back with its sign; past the top it is the operand's sign */
    value width = v_k(e, len, bits);
    value gap = v_sub(e, width, v_call2(e, "llvm.umin", len, width));
    value field = v_ashr(e, in[0], pos);
    value full = v_ashr(e, v_shl(e, field, gap), gap);
    out[0] = v_select(e, v_is_zero(e, len), v_k(e, in[0], 0), full);
    return true;
}

/* bfi f, a, b, c, d: d bits of a into b at position c. */
bool
bits_bfi(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    unsigned bits = emit_bits_of(in[0]);
    value pos = field_operand(e, in[2], bits), len = field_operand(e, in[3], bits);
    value mask = v_shl(e, low_bits(e, len, in[0]), pos);
    value field = v_shl(e, in[0], pos);
    out[0] = v_or(e, v_and(e, field, mask), v_and(e, in[1], v_not(e, mask)));
    return true;
}

/* bmsk d, pos, len: len bits from pos upwards; .clamp: operands past 31 count as 32, .wrap: their
 * low five bits. */
bool
bits_bmsk(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value ones = v_k(e, in[0], ~UINT64_C(0)), limit = v_k(e, in[0], 32);
    bool clamp = ptx_has(i, PTX_M_CLAMP);
    value pos = clamp ? v_call2(e, "llvm.umin", in[0], limit) : v_andk(e, in[0], 31);
    value len = clamp ? v_call2(e, "llvm.umin", in[1], limit) : v_andk(e, in[1], 31);
    value end = v_shl(e, ones, v_add(e, pos, len));
    out[0] = v_and(e, v_shl(e, ones, pos), v_not(e, end));
    return true;
}

/* szext d, a, b: the low b bits of a, extended. */
bool
bits_szext(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value n = v_andk(e, in[1], 31);
    value gap = v_sub(e, v_k(e, n, 32), n); /* 32 for n = 0: gives 0 */
    value top = v_shl(e, in[0], gap);
    value r = insn_signed(i) ? v_ashr(e, top, gap) : v_lshr(e, top, gap);
    if (ptx_has(i, PTX_M_CLAMP)) {
        value all = v_cmp(e, LLVMIntUGE, in[1], v_k(e, in[1], 32));
        r = v_select(e, all, in[0], r);
    }
    out[0] = r;
    return true;
}

/* -- logic of three ---------------------------------------------------------------------------- */

/* The value, so that the optimiser does not see where it came from: LLVM 19 joins vpternlog with a
 * select between its result and its third operand into one instruction, and permutes the table
 * wrongly when the second operand comes from memory. */
static value
apart(struct emit *e, value v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef call = LLVMFunctionType(type, &type, 1, false);
    value nothing =
        LLVMGetInlineAsm(call, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->b, call, nothing, &v, 1, "");
}

/* The table as AVX-512's vpternlog takes it: its rows are in the same order. */
static value
lop3_by_avx512(struct emit *e, const value *in, uint64_t rows)
{
    value part[2];
    for (unsigned k = 0; k < 2; k++) {
        value args[4];
        for (unsigned a = 0; a < 3; a++)
            args[a] = v_slice(e, in[a], 16 * k, 16);
        args[3] = LLVMConstInt(LLVMInt32TypeInContext(e->context), rows & 255, false);
        part[k] = apart(e, emit_intrinsic(e, "llvm.x86.avx512.pternlog.d.512", NULL, 0, args, 4));
    }
    return v_concat(e, part, 2, 16, in[0]);
}

/* The table's set rows as a sum of products. */
static value
lop3(struct emit *e, const value *in, uint64_t rows)
{
    value not_in[3], sum = v_k(e, in[0], 0);
    if (v_count(in[0]) == 32 && host_has_avx512(e))
        return lop3_by_avx512(e, in, rows);
    for (unsigned k = 0; k < 3; k++)
        not_in[k] = v_not(e, in[k]);
    for (unsigned row = 0; row < 8; row++) {
        if (!(rows >> row & 1))
            continue;
        value p = v_and(e, row & 4 ? in[0] : not_in[0], row & 2 ? in[1] : not_in[1]);
        sum = v_or(e, sum, v_and(e, p, row & 1 ? in[2] : not_in[2]));
    }
    return sum;
}

/* lop3. With .and, .or or .xor and a predicate q: also p = (d != 0) op q. */
bool
bits_lop3(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    uint64_t rows;
    if (!v_const(in[3], &rows))
        return emit_fail(e, "lop3 needs a constant table");
    out[0] = lop3(e, in, rows);
    if (!insn_pair(i))
        return true;
    value set = v_ne(e, out[0], v_k(e, out[0], 0));
    out[1] = ptx_has(i, PTX_M_AND)  ? v_and(e, set, in[4])
             : ptx_has(i, PTX_M_OR) ? v_or(e, set, in[4])
                                    : v_xor(e, set, in[4]);
    return true;
}

/* -- shifts ------------------------------------------------------------------------------------ */

/* A 32-bit shift amount as wide as a; one past 16 bits must not be cut off. */
static value
amount(struct emit *e, value a, value n)
{
    unsigned bits = emit_bits_of(a);
    if (bits < emit_bits_of(n))
        n = v_call2(e, "llvm.umin", n, v_k(e, n, bits));
    return v_zext(e, n, bits);
}

bool
bits_shl(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = v_shl(e, in[0], amount(e, in[0], in[1]));
    return true;
}

bool
bits_shr(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value n = amount(e, in[0], in[1]);
    out[0] = insn_signed(i) ? v_ashr(e, in[0], n) : v_lshr(e, in[0], n);
    return true;
}

/* shf.l d, a, b, c: the upper word of (b:a) << c; shf.r: the lower word of (b:a) >> c. */
bool
bits_shf(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    bool left = ptx_has(i, PTX_M_L);
    value r = left ? v_call3(e, "llvm.fshl", in[1], in[0], in[2])
                   : v_call3(e, "llvm.fshr", in[1], in[0], in[2]);
    if (ptx_has(i, PTX_M_CLAMP)) {
        value all = v_cmp(e, LLVMIntUGE, in[2], v_k(e, in[2], 32));
        r = v_select(e, all, left ? in[0] : in[1], r);
    }
    out[0] = r;
    return true;
}

/* -- bytes ------------------------------------------------------------------------------------- */

/* The four selectors of prmt's special modes, by the low two bits of c (9.7.9.7, table). */
static const uint16_t prmt_modes[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, /* .f4e */
    {0x5670, 0x6701, 0x7012, 0x0123}, /* .b4e */
    {0x0000, 0x1111, 0x2222, 0x3333}, /* .rc8 */
    {0x3210, 0x3211, 0x3222, 0x3333}, /* .ecl */
    {0x0000, 0x1110, 0x2210, 0x3210}, /* .ecr */
    {0x1010, 0x3232, 0x1010, 0x3232}, /* .rc16 */
};

static const uint16_t *
prmt_mode(const struct ptx_insn *i)
{
    static const uint16_t mods[] = {PTX_M_F4E, PTX_M_B4E, PTX_M_RC8,
                                    PTX_M_ECL, PTX_M_ECR, PTX_M_RC16};
    for (unsigned k = 0; k < 6; k++)
        if (ptx_has(i, mods[k]))
            return prmt_modes[k];
    return NULL;
}

/* Selector known: one byte shuffle, and a sign mask where a selector's bit 3 asks for it. */
static value
prmt_constant(struct emit *e, value a, value b, uint64_t selector)
{
    unsigned n = v_count(a) ? v_count(a) : 1;
    value x = v_unpack(e, a, 8), y = v_unpack(e, b, 8);
    value index[128], signs[128];
    bool any_sign = false;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context), i1 = LLVMInt1TypeInContext(e->context);
    for (unsigned k = 0; k < 4 * n; k++) {
        unsigned s = selector >> (4 * (k % 4)) & 15;
        unsigned from = (k / 4) * 4 + (s & 3) + (s & 4 ? 4 * n : 0);
        index[k] = LLVMConstInt(i32, from, false);
        signs[k] = LLVMConstInt(i1, s >> 3, false);
        any_sign |= s >> 3;
    }
    value r = LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(index, 4 * n), "");
    if (any_sign)
        r = v_select(e, LLVMConstVector(signs, 4 * n), v_ashrk(e, r, 7), r);
    return v_pack(e, r, 32, a);
}

bool
bits_prmt(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    const uint16_t *mode = prmt_mode(i);
    value selector = in[2];
    uint64_t k;
    if (v_const(selector, &k)) {
        out[0] = prmt_constant(e, in[0], in[1], mode ? mode[k & 3] : k);
        return true;
    }
    if (mode) {
        value low = v_andk(e, selector, 3);
        selector = v_k(e, selector, mode[0]);
        for (unsigned m = 1; m < 4; m++)
            selector = v_select(e, v_eq(e, low, v_k(e, low, m)), v_k(e, low, mode[m]), selector);
    }
    value both = v_join(e, in[1], in[0]), sum = v_k(e, in[0], 0);
    for (unsigned byte = 0; byte < 4; byte++) {
        value s = v_lshrk(e, selector, 4 * byte);
        value at = v_shlk(e, v_zext(e, v_andk(e, s, 7), 64), 3);
        value x = v_trunc(e, LLVMBuildLShr(e->b, both, at, ""), 8);
        if (!mode)
            x = v_select(e, v_ne(e, v_andk(e, s, 8), v_k(e, s, 0)), v_ashrk(e, x, 7), x);
        sum = v_or(e, sum, v_shlk(e, v_zext(e, x, 32), 8 * byte));
    }
    out[0] = sum;
    return true;
}

/* -- dot products ------------------------------------------------------------------------------ */

/* Field k of `bits` bits of v, extended to 32 bits. */
static value
field(struct emit *e, value v, unsigned k, unsigned bits, bool is_signed)
{
    value top = v_shlk(e, v, 32 - bits * (k + 1));
    return is_signed ? v_ashrk(e, top, 32 - bits) : v_lshrk(e, top, 32 - bits);
}

static value
dot(struct emit *e, const struct ptx_insn *i, const value *in, unsigned count, unsigned a_bits,
    unsigned b_first)
{
    bool a_signed = insn_signed(i), b_signed = ptx_type_kind((enum ptx_type)i->type[1]) == 's';
    value sum = in[2];
    for (unsigned k = 0; k < count; k++) {
        value a = field(e, in[0], k, a_bits, a_signed);
        value b = field(e, in[1], b_first + k, 8, b_signed);
        sum = v_add(e, sum, v_mul(e, a, b));
    }
    return sum;
}

bool
bits_dp4a(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = dot(e, i, in, 4, 8, 0);
    return true;
}

/* dp2a.lo takes the lower two bytes of b, .hi the upper two. */
bool
bits_dp2a(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    out[0] = dot(e, i, in, 2, 16, ptx_has(i, PTX_M_HI) ? 2 : 0);
    return true;
}
