/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_round: number formats and directed roundings. Everything below .f32 is computed in float or
 * double and rounded once at the end by round_narrow, in integer arithmetic, for any format and
 * rounding. .rz, .rm and .rp of float and double operations use AVX-512's embedded roundings; a
 * host without them calls a C function that sets the rounding mode, one operation for all lanes.
 * Generated code itself never changes the rounding mode.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

#include <fenv.h>
#include <math.h>

/* -- formats ----------------------------------------------------------------------------------- */

const struct format format_f64 = {64, 11, 52, true, true};
const struct format format_f32 = {32, 8, 23, true, true};
const struct format format_f16 = {16, 5, 10, true, true};
const struct format format_bf16 = {16, 8, 7, true, true};
const struct format format_tf32 = {32, 8, 10, true, true}; /* in the upper 19 bits of a word */
static const struct format format_e4m3 = {8, 4, 3, false, true};
static const struct format format_e5m2 = {8, 5, 2, true, true};
static const struct format format_e3m2 = {8, 3, 2, false, false};
static const struct format format_e2m3 = {8, 2, 3, false, false};
const struct format format_e2m1 = {8, 2, 1, false,
                                   false}; /* narrow ones in the low bits of a byte */

const struct format *
format_of(enum ptx_type t)
{
    switch (t) {
    case PTX_F64: return &format_f64;
    case PTX_F32:
    case PTX_F32X2: return &format_f32;
    case PTX_F16:
    case PTX_F16X2: return &format_f16;
    case PTX_BF16:
    case PTX_BF16X2: return &format_bf16;
    case PTX_TF32: return &format_tf32;
    case PTX_E4M3:
    case PTX_E4M3X2:
    case PTX_E4M3X4: return &format_e4m3;
    case PTX_E5M2:
    case PTX_E5M2X2:
    case PTX_E5M2X4: return &format_e5m2;
    case PTX_E3M2:
    case PTX_E3M2X2:
    case PTX_E3M2X4: return &format_e3m2;
    case PTX_E2M3:
    case PTX_E2M3X2:
    case PTX_E2M3X4: return &format_e2m3;
    case PTX_E2M1:
    case PTX_E2M1X2:
    case PTX_E2M1X4: return &format_e2m1;
    default: return NULL;
    }
}

unsigned
format_count(enum ptx_type t)
{
    switch (t) {
    case PTX_F16X2:
    case PTX_BF16X2:
    case PTX_F32X2:
    case PTX_E4M3X2:
    case PTX_E5M2X2:
    case PTX_E3M2X2:
    case PTX_E2M3X2:
    case PTX_E2M1X2: return 2;
    case PTX_E4M3X4:
    case PTX_E5M2X4:
    case PTX_E3M2X4:
    case PTX_E2M3X4:
    case PTX_E2M1X4: return 4;
    default: return 1;
    }
}

enum rounding
rounding_of(const struct ptx_insn *i)
{
    return ptx_has(i, PTX_M_RZ)    ? ROUND_ZERO
           : ptx_has(i, PTX_M_RM)  ? ROUND_DOWN
           : ptx_has(i, PTX_M_RP)  ? ROUND_UP
           : ptx_has(i, PTX_M_RNA) ? ROUND_AWAY
                                   : ROUND_NEAREST;
}

enum rounding
rounding_to_int(const struct ptx_insn *i)
{
    return ptx_has(i, PTX_M_RNI)   ? ROUND_NEAREST
           : ptx_has(i, PTX_M_RMI) ? ROUND_DOWN
           : ptx_has(i, PTX_M_RPI) ? ROUND_UP
                                   : ROUND_ZERO;
}

/* -- widening ---------------------------------------------------------------------------------- */

static unsigned
bias(const struct format *f)
{
    return (1u << (f->exponent - 1)) - 1;
}

/* Bits of a narrow format as float, exactly. */
static value
widen_by_bits(struct emit *e, value bits, const struct format *f)
{
    unsigned width = 1 + f->exponent + f->mantissa, shift = 23 - f->mantissa;
    value v = v_zext(e, bits, 32);
    value sign = v_shlk(e, v_andk(e, v, 1u << (width - 1)), 32 - width);
    value mag = v_andk(e, v, (1u << (width - 1)) - 1);
    value normal = v_addk(e, v_shlk(e, mag, shift), (uint64_t)(127 - bias(f)) << 23);
    value scale = LLVMBuildUIToFP(e->b, mag, v_float_type(e, mag, 32), "");
    scale =
        LLVMBuildFMul(e->b, scale, v_kf(e, scale, ldexp(1, 1 - (int)bias(f) - f->mantissa)), "");
    value small = v_ult(e, mag, v_k(e, mag, 1u << f->mantissa));
    value r = v_select(e, small, v_bits(e, scale), normal);
    if (f->has_inf) {
        value top =
            v_cmp(e, LLVMIntUGE, mag, v_k(e, mag, ((1u << f->exponent) - 1) << f->mantissa));
        r = v_select(e, top, v_ork(e, v_shlk(e, mag, shift), 0x7f800000), r);
    } else if (f->has_nan) {
        value nan = v_eq(e, mag, v_k(e, mag, (1u << (width - 1)) - 1));
        r = v_select(e, nan, v_k(e, r, 0x7fffffff), r);
    }
    return v_real(e, v_or(e, r, sign));
}

value
round_widen(struct emit *e, value bits, const struct format *f)
{
    if (f == &format_f64 || f == &format_f32 || f == &format_tf32)
        return v_real(e, bits);
    if (f == &format_bf16)
        return v_real(e, v_shlk(e, v_zext(e, bits, 32), 16));
    if (f == &format_f16 && host_has_f16c(e))
        return LLVMBuildFPExt(e->b, v_real(e, bits), v_float_type(e, bits, 32), "");
    return widen_by_bits(e, bits, f);
}

/* -- narrowing --------------------------------------------------------------------------------- */

/* One more for q = v >> s, whose dropped bits are rem? */
static value
round_increment(struct emit *e, value q, value rem, value s, value negative, enum rounding r)
{
    value inexact = v_ne(e, rem, v_k(e, rem, 0));
    value half, tie;
    switch (r) {
    case ROUND_ZERO: return NULL;
    case ROUND_UP: return v_and(e, inexact, v_not(e, negative));
    case ROUND_DOWN: return v_and(e, inexact, negative);
    default:
        half = LLVMBuildShl(e->b, v_k(e, s, 1), v_sub(e, s, v_k(e, s, 1)), "");
        if (r == ROUND_AWAY)
            return v_cmp(e, LLVMIntUGE, rem, half);
        tie = v_and(e, v_eq(e, rem, half), v_trunc(e, q, 1));
        return v_or(e, v_ugt(e, rem, half), tie);
    }
}

/* Codes of a format, without sign. */
static uint64_t
code_infinity(const struct format *f) /* also the first code past the largest number */
{
    if (f->has_inf)
        return (uint64_t)((1u << f->exponent) - 1) << f->mantissa;
    return (UINT64_C(1) << (f->exponent + f->mantissa)) - f->has_nan;
}

static uint64_t
code_nan(const struct format *f)
{
    if (!f->has_nan) /* no NaN: the largest number (9.7.9.21) */
        return code_infinity(f) - 1;
    return (UINT64_C(1) << (f->exponent + f->mantissa)) - 1;
}

/* The code of a result that overflows: infinity, or the largest number where the format or the
 * rounding has none. */
static value
overflow_code(struct emit *e, value like, const struct format *f, value negative, enum rounding r,
              bool finite)
{
    value inf = v_k(e, like, code_infinity(f)), largest = v_k(e, like, code_infinity(f) - 1);
    if (finite || !f->has_inf || r == ROUND_ZERO)
        return largest;
    if (r == ROUND_UP)
        return v_select(e, negative, largest, inf);
    if (r == ROUND_DOWN)
        return v_select(e, negative, inf, largest);
    return inf;
}

/* The rounded magnitude in format f of `mag`, the magnitude bits of a float or double. The normal
 * case only moves the exponent's bias: a carry out of the mantissa raises the exponent by itself.
 * Below the smallest normal number the significand is shifted further. */
static value
narrow_magnitude(struct emit *e, value mag, value negative, const struct format *f,
                 const struct format *from, enum rounding r)
{
    unsigned shift = from->mantissa - f->mantissa, moved = bias(from) - bias(f);
    unsigned m = from->mantissa;
    value v = mag, s = v_k(e, mag, shift);
    if (moved > 0) {
        value exponent = v_lshrk(e, mag, m);
        value implicit = v_shlk(e, v_zext(e, v_ne(e, exponent, v_k(e, mag, 0)), from->bits), m);
        value significand = v_or(e, v_andk(e, mag, (UINT64_C(1) << m) - 1), implicit);
        exponent = v_call2(e, "llvm.umax", exponent, v_k(e, mag, 1));
        value further = v_sub(e, v_k(e, mag, shift + moved + 1), exponent);
        further = v_call2(e, "llvm.umin", further, v_k(e, mag, m + 2));
        value normal = v_cmp(e, LLVMIntUGE, mag, v_k(e, mag, (uint64_t)(moved + 1) << m));
        v = v_select(e, normal, v_sub(e, mag, v_k(e, mag, (uint64_t)moved << m)), significand);
        s = v_select(e, normal, s, further);
    }
    value q = LLVMBuildLShr(e->b, v, s, "");
    value rem = v_sub(e, v, LLVMBuildShl(e->b, q, s, ""));
    value up = round_increment(e, q, rem, s, negative, r);
    return up ? v_add(e, q, v_zext(e, up, from->bits)) : q;
}

static value
narrow_by_bits(struct emit *e, value x, const struct format *f, enum rounding r, bool finite)
{
    value bits = v_bits(e, x);
    const struct format *from = emit_bits_of(bits) == 64 ? &format_f64 : &format_f32;
    uint64_t inf = code_infinity(from);
    value negative = v_slt(e, bits, v_k(e, bits, 0));
    value mag = v_andk(e, bits, (UINT64_C(1) << (from->bits - 1)) - 1);
    value q = narrow_magnitude(e, mag, negative, f, from, r);
    value over = v_cmp(e, LLVMIntUGE, q, v_k(e, q, code_infinity(f)));
    q = v_select(e, over, overflow_code(e, q, f, negative, r, finite), q);
    if (f->has_inf && !finite)
        q = v_select(e, v_eq(e, mag, v_k(e, mag, inf)), v_k(e, q, code_infinity(f)), q);
    unsigned width = 1 + f->exponent + f->mantissa;
    value sign = v_lshrk(e, v_andk(e, bits, UINT64_C(1) << (from->bits - 1)), from->bits - width);
    q = v_or(e, q, sign);
    q = v_select(e, v_ugt(e, mag, v_k(e, mag, inf)), v_k(e, q, code_nan(f)), q);
    if (f == &format_tf32) { /* NaN as an H200 has it: .rna only cuts it off */
        value nan = r == ROUND_AWAY ? v_andk(e, bits, 0xffffe000) : v_k(e, q, 0x7fffe000);
        return v_select(e, v_ugt(e, mag, v_k(e, mag, inf)), nan, v_shlk(e, q, 13));
    }
    return v_trunc(e, q, f->bits);
}

/* A double as float, rounded to odd: never exact by accident, so that rounding it once more, to a
 * format with at least two digits less, rounds the double. */
static value
narrow_to_odd(struct emit *e, value x)
{
    value f = LLVMBuildFPTrunc(e->b, x, v_float_type(e, x, 32), "");
    value back = LLVMBuildFPExt(e->b, f, LLVMTypeOf(x), "");
    value exact = v_fcmp(e, LLVMRealUEQ, back, x);
    value too_far = v_fcmp(e, LLVMRealOGT, v_fabs(e, back), v_fabs(e, x));
    value bits = v_bits(e, f);
    value odd = v_ork(e, v_sub(e, bits, v_zext(e, too_far, 32)), 1);
    return v_real(e, v_select(e, exact, bits, odd));
}

value
round_narrow(struct emit *e, value x, const struct format *f, enum rounding r, bool finite)
{
    unsigned bits = emit_bits_of(x);
    if (bits == f->bits && f != &format_tf32)
        return v_bits(e, float_canonical(e, x));
    if (r == ROUND_NEAREST && !finite && f == &format_f32)
        return v_bits(e, float_canonical(e, LLVMBuildFPTrunc(e->b, x, v_float_type(e, x, 32), "")));
    if (r == ROUND_NEAREST && !finite && f == &format_f16 && host_has_f16c(e)) {
        if (bits == 64)
            x = narrow_to_odd(e, x);
        value h = v_bits(e, LLVMBuildFPTrunc(e->b, x, v_float_type(e, x, 16), ""));
        return v_select(e, v_is_nan(e, x), v_k(e, h, 0x7fff), h);
    }
    return narrow_by_bits(e, x, f, r, finite);
}

/* -- operations with a rounding ---------------------------------------------------------------- */

enum operation { OPERATION_ADD, OPERATION_MUL, OPERATION_DIV, OPERATION_FMA, OPERATION_SQRT };

#pragma STDC FENV_ACCESS ON

static const int fenv_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/* For hosts without embedded roundings: what = operation * 4 + rounding, on n numbers. */
#define ROUNDED(name, type, sqrt_of, fma_of)                                                       \
    static void name(uint32_t what, uint32_t n, type *out, const type *a, const type *b,           \
                     const type *c)                                                                \
    {                                                                                              \
        int before = fegetround();                                                                 \
        fesetround(fenv_modes[what & 3]);                                                          \
        for (uint32_t k = 0; k < n; k++) {                                                         \
            volatile type x = a[k], y = b[k], z = c[k], r = 0;                                     \
            switch (what >> 2) {                                                                   \
            case OPERATION_ADD: r = x + y; break;                                                  \
            case OPERATION_MUL: r = x * y; break;                                                  \
            case OPERATION_DIV: r = x / y; break;                                                  \
            case OPERATION_FMA: r = fma_of(x, y, z); break;                                        \
            default: r = sqrt_of(x); break;                                                        \
            }                                                                                      \
            out[k] = r;                                                                            \
        }                                                                                          \
        fesetround(before);                                                                        \
    }

ROUNDED(rounded_f32, float, sqrtf, fmaf)
ROUNDED(rounded_f64, double, sqrt, fma)

bool
round_symbol(size_t i, const char **name, void **address)
{
    if (i > 1)
        return false;
    *name = i ? "lockstep_rounded_f64" : "lockstep_rounded_f32";
    *address = i ? (void *)rounded_f64 : (void *)rounded_f32;
    return true;
}

static value
rounded_by_call(struct emit *e, enum operation op, const value *x, unsigned nx, enum rounding r)
{
    LLVMTypeRef t = LLVMTypeOf(x[0]), i32 = LLVMInt32TypeInContext(e->context);
    unsigned n = v_count(x[0]) ? v_count(x[0]) : 1;
    value slot[4];
    for (unsigned k = 0; k < 4; k++)
        slot[k] = v_slot(e, t);
    for (unsigned k = 0; k < 3; k++)
        LLVMBuildStore(e->b, x[k < nx ? k : 0], slot[k]);
    const char *name = emit_bits_of(x[0]) == 64 ? "lockstep_rounded_f64" : "lockstep_rounded_f32";
    value args[] = {LLVMConstInt(i32, op * 4 + r, false),
                    LLVMConstInt(i32, n, false),
                    slot[3],
                    slot[0],
                    slot[1],
                    slot[2]};
    v_call_named(e, name, LLVMVoidTypeInContext(e->context), args, 6);
    return LLVMBuildLoad2(e->b, t, slot[3], "");
}

/* With the rounding in the instruction: 16 floats or 8 doubles at a time. */
static value
rounded_by_avx512(struct emit *e, enum operation op, const value *x, unsigned nx, enum rounding r)
{
    static const char *const names[][2] = {
        {"llvm.x86.avx512.add.ps.512", "llvm.x86.avx512.add.pd.512"},
        {"llvm.x86.avx512.mul.ps.512", "llvm.x86.avx512.mul.pd.512"},
        {"llvm.x86.avx512.div.ps.512", "llvm.x86.avx512.div.pd.512"},
        {"llvm.x86.avx512.vfmadd.ps.512", "llvm.x86.avx512.vfmadd.pd.512"},
        {"llvm.x86.avx512.sqrt.ps.512", "llvm.x86.avx512.sqrt.pd.512"},
    };
    static const uint8_t modes[] = {8, 11, 9, 10}; /* no exceptions | to nearest, zero, down, up */
    bool wide = emit_bits_of(x[0]) == 64;
    unsigned n = wide ? 8 : 16, count = v_count(x[0]) > n ? v_count(x[0]) / n : 1;
    value part[16], args[4];
    for (unsigned k = 0; k < count; k++) {
        for (unsigned a = 0; a < nx; a++)
            args[a] = v_slice(e, x[a], k * n, n);
        args[nx] = LLVMConstInt(LLVMInt32TypeInContext(e->context), modes[r], false);
        part[k] = emit_intrinsic(e, names[op][wide], NULL, 0, args, nx + 1);
    }
    return v_concat(e, part, count, n, x[0]);
}

static value
rounded(struct emit *e, enum operation op, const value *x, unsigned nx, enum rounding r)
{
    return host_has_avx512(e) ? rounded_by_avx512(e, op, x, nx, r)
                              : rounded_by_call(e, op, x, nx, r);
}

value
round_add(struct emit *e, value x, value y, enum rounding r)
{
    if (r == ROUND_NEAREST)
        return LLVMBuildFAdd(e->b, x, y, "");
    return rounded(e, OPERATION_ADD, (value[]){x, y}, 2, r);
}

value
round_mul(struct emit *e, value x, value y, enum rounding r)
{
    if (r == ROUND_NEAREST)
        return LLVMBuildFMul(e->b, x, y, "");
    return rounded(e, OPERATION_MUL, (value[]){x, y}, 2, r);
}

value
round_div(struct emit *e, value x, value y, enum rounding r)
{
    if (r == ROUND_NEAREST)
        return LLVMBuildFDiv(e->b, x, y, "");
    return rounded(e, OPERATION_DIV, (value[]){x, y}, 2, r);
}

value
round_fma(struct emit *e, value x, value y, value z, enum rounding r)
{
    if (r == ROUND_NEAREST)
        return v_call3(e, "llvm.fma", x, y, z);
    return rounded(e, OPERATION_FMA, (value[]){x, y, z}, 3, r);
}

value
round_sqrt(struct emit *e, value x, enum rounding r)
{
    if (r == ROUND_NEAREST)
        return v_call1(e, "llvm.sqrt", x);
    return rounded(e, OPERATION_SQRT, &x, 1, r);
}

/* -- integers ---------------------------------------------------------------------------------- */

/* |x| as a double that rounds like x to any format of at most 51 digits: exact below 2^53, above
 * with the dropped bits gathered in the last one. */
static value
sticky_double(struct emit *e, value x, bool is_signed)
{
    value mag = is_signed ? v_call1_flag(e, "llvm.abs", x, false) : x;
    LLVMTypeRef t = v_float_type(e, x, 64);
    if (emit_bits_of(x) == 64) {
        value low = v_andk(e, mag, 0x7ff);
        value sticky = v_zext(e, v_ne(e, low, v_k(e, low, 0)), 64);
        value rounded_mag = v_or(e, v_andk(e, mag, ~UINT64_C(0x7ff)), v_shlk(e, sticky, 11));
        value big = v_cmp(e, LLVMIntUGE, mag, v_k(e, mag, UINT64_C(1) << 53));
        /* bit 11 may be set already: then the sum is odd all the same */
        mag = v_select(e, big, rounded_mag, mag);
    }
    value d = LLVMBuildUIToFP(e->b, mag, t, "");
    if (!is_signed)
        return d;
    return v_select(e, v_slt(e, x, v_k(e, x, 0)), v_fneg(e, d), d);
}

value
round_from_int(struct emit *e, value x, bool is_signed, unsigned bits, enum rounding r)
{
    LLVMTypeRef t = v_float_type(e, x, bits == 64 ? 64 : 32);
    bool exact = bits == 64 && emit_bits_of(x) <= 32;
    if (bits >= 32 && (r == ROUND_NEAREST || exact))
        return is_signed ? LLVMBuildSIToFP(e->b, x, t, "") : LLVMBuildUIToFP(e->b, x, t, "");
    if (bits == 64) { /* both words are exact: one rounding, of their sum */
        value high = is_signed ? v_ashrk(e, x, 32) : v_lshrk(e, x, 32);
        value h = LLVMBuildSIToFP(e->b, high, t, "");
        value l = LLVMBuildUIToFP(e->b, v_trunc(e, x, 32), t, "");
        return round_add(e, LLVMBuildFMul(e->b, h, v_kf(e, h, 4294967296.0), ""), l, r);
    }
    value d = sticky_double(e, x, is_signed);
    return bits == 32 ? v_real(e, round_narrow(e, d, &format_f32, r, false)) : d;
}

value
round_to_integral(struct emit *e, value x, enum rounding r)
{
    static const char *const names[] = {"llvm.roundeven", "llvm.trunc", "llvm.floor", "llvm.ceil"};
    return v_call1(e, names[r], x);
}
