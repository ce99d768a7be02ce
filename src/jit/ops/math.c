/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_math: calls of __nv_* functions, which PTX leaves undefined when it was compiled without
 * libdevice. ops/math.def says how each is made; here are the four ways and the compositions.
 * Accuracy is that of CUDA's tables or better (tests/jit/math_test.c measures it).
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"
#include "jit/ops/lanes.h"
#include "jit/ops/transfer.h"
#include "jit/ops/mma_run.h"
#include "jit/ops/wgmma.h"

#include <string.h>

typedef bool own_fn(struct emit *e, const char *name, const value *in, unsigned nin, value *out);

enum math_kind { KIND_PTX, KIND_SLEEF, KIND_OWN, KIND_LANES };

struct math_row {
    const char *name;
    uint8_t kind, type[2], bits;
    uint16_t op, mod[2];
    const char *function; /* SLEEF */
    own_fn *own;
    lanes_fn *lanes;
};

static own_fn own_same, own_copysign, own_hiint, own_loint, own_hiloint, own_ffs, own_hadd,
    own_rhadd, own_is_inf, own_is_nan, own_is_finite, own_sign_bit, own_hyperbolic, own_log1p,
    own_area, own_fdim, own_round, own_llround, own_reciprocal, own_fast_pow, own_pow, own_powi,
    own_nan, own_sincos, own_sincospi, own_simd;

/* clang-format off */
static const struct math_row rows[] = {
#define MATH_PTX(name, op, type0, type1, mod0, mod1) \
    {#name, KIND_PTX, {type0, type1}, 0, op, {mod0, mod1}, NULL, NULL, NULL},
#define MATH_SLEEF(name, function) {#name, KIND_SLEEF, {0, 0}, 0, 0, {0, 0}, #function, NULL, NULL},
#define MATH_OWN(name, emitter) {#name, KIND_OWN, {0, 0}, 0, 0, {0, 0}, NULL, emitter, NULL},
#define MATH_LANES(name, bits) {#name, KIND_LANES, {0, 0}, bits, 0, {0, 0}, NULL, NULL, lanes_##name},
#include "jit/ops/math.def"
#undef MATH_PTX
#undef MATH_SLEEF
#undef MATH_OWN
#undef MATH_LANES
};
/* clang-format on */

static const struct {
    const char *name;
    lanes_fn *address;
} lanes_symbols[] = {
#define MATH_PTX(name, op, type0, type1, mod0, mod1)
#define MATH_SLEEF(name, function)
#define MATH_OWN(name, emitter)
#define MATH_LANES(name, bits) {"lockstep_lanes_" #name, lanes_##name},
#include "jit/ops/math.def"
#undef MATH_PTX
#undef MATH_SLEEF
#undef MATH_OWN
#undef MATH_LANES
};

static const struct math_row *
find(const char *name)
{
    if (!ls_starts_with(name, "__nv_"))
        return NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].name, name + 5) == 0)
            return &rows[k];
    return NULL;
}

bool
emit_math_known(const char *name)
{
    return find(name) != NULL;
}

bool
jit_math_symbol(size_t i, const char **name, void **address)
{
    size_t n = sizeof lanes_symbols / sizeof *lanes_symbols;
    if (i < n) {
        *name = lanes_symbols[i].name;
        *address = (void *)lanes_symbols[i].address;
        return true;
    }
    if (round_symbol(i - n, name, address))
        return true;
    n += 2;
    if (i - n < 3)
        return transfer_symbol(i - n, name, address);
    n += 3;
    if (wgmma_symbol(i - n, name, address))
        return true;
    n += WGMMA_SYMBOLS;
    if (i == n)
        return mma_symbol(0, name, address);
    return sleef_symbol(i - n - 1, name, address);
}

/* -- the four ways ----------------------------------------------------------------------------- */

static bool
by_instruction(struct emit *e, const struct math_row *r, const value *in, unsigned nin, value *out)
{
    struct ptx_operand operands[5] = {0};
    struct ptx_insn i = {.op = r->op, .vec = 1, .guard = PTX_NO_REG, .operand = operands};
    i.operand_count = (uint8_t)(1 + nin);
    i.line = e->insn ? e->insn->line : 0;
    for (unsigned k = 0; k < 2; k++) {
        if (r->type[k])
            i.type[i.type_count++] = r->type[k];
        if (r->mod[k])
            i.mods[r->mod[k] / 64] |= UINT64_C(1) << (r->mod[k] % 64);
    }
    value cut[4];
    for (unsigned k = 0; k < nin; k++)
        cut[k] = r->op == PTX_OP_CVT && r->type[1] == PTX_F16 ? v_trunc(e, in[k], 16) : in[k];
    return r->op == PTX_OP_CVT ? emit_cvt(e, &i, cut, nin, out) : emit_arith(e, &i, cut, nin, out);
}

static value
call_sleef(struct emit *e, const char *function, const value *in, unsigned nin)
{
    value x[2];
    for (unsigned k = 0; k < nin; k++)
        x[k] = v_real(e, in[k]);
    return v_bits(e, math_call(e, function, x, nin));
}

/* Operands into memory, a call for the active lanes, the result out of memory. */
static value
call_lanes(struct emit *e, const struct math_row *r, const value *in, unsigned nin)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    value list = v_slot(e, LLVMArrayType(pointer, 4));
    for (unsigned k = 0; k < nin; k++) {
        value slot = v_slot(e, LLVMTypeOf(in[k]));
        LLVMBuildStore(e->b, in[k], slot);
        value index = LLVMConstInt(i32, k, false);
        LLVMBuildStore(e->b, slot, LLVMBuildGEP2(e->b, pointer, list, &index, 1, ""));
    }
    LLVMTypeRef t = v_int_type(e, in[0], r->bits);
    value result = v_slot(e, t);
    value mask = v_count(in[0]) == 0 ? LLVMConstInt(i32, 1, false)
                 : e->mask_bits      ? e->mask_bits
                                     : LLVMConstInt(i32, 0xffffffff, false);
    char symbol[64] = "lockstep_lanes_";
    strncat(symbol, r->name, sizeof symbol - strlen(symbol) - 1);
    v_call_named(e, symbol, LLVMVoidTypeInContext(e->context), (value[]){mask, result, list}, 3);
    return LLVMBuildLoad2(e->b, t, result, "");
}

bool
emit_math(struct emit *e, const char *name, const LLVMValueRef *in, unsigned nin, LLVMValueRef *out)
{
    const struct math_row *r = find(name);
    if (!r || nin == 0 || nin > 4)
        return emit_fail(e, "call of %s, which no module defines", name);
    switch (r->kind) {
    case KIND_PTX: return by_instruction(e, r, in, nin, out);
    case KIND_SLEEF: out[0] = call_sleef(e, r->function, in, nin); return true;
    case KIND_OWN: return r->own(e, r->name, in, nin, out);
    default: out[0] = call_lanes(e, r, in, nin); return true;
    }
}

/* -- bits -------------------------------------------------------------------------------------- */

static bool
own_same(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = in[0];
    return true;
}

static bool
own_copysign(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    uint64_t sign = UINT64_C(1) << (emit_bits_of(in[0]) - 1);
    out[0] = v_or(e, v_andk(e, in[0], sign - 1), v_andk(e, in[1], sign));
    return true;
}

static bool
own_hiint(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_high(e, in[0], 32);
    return true;
}

static bool
own_loint(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_trunc(e, in[0], 32);
    return true;
}

static bool
own_hiloint(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_join(e, in[0], in[1]);
    return true;
}

static bool
own_ffs(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value n = v_trunc(e, v_call1_flag(e, "llvm.cttz", in[0], false), 32);
    out[0] = v_select(e, v_is_zero(e, in[0]), v_k(e, n, 0), v_addk(e, n, 1));
    return true;
}

/* (a + b + up) >> 1 without losing the carry. */
static value
halved_sum(struct emit *e, value a, value b, bool is_signed, bool up)
{
    unsigned bits = 2 * emit_bits_of(a);
    a = is_signed ? v_sext(e, a, bits) : v_zext(e, a, bits);
    b = is_signed ? v_sext(e, b, bits) : v_zext(e, b, bits);
    value sum = v_addk(e, v_add(e, a, b), up);
    return v_trunc(e, v_lshrk(e, sum, 1), bits / 2);
}

static bool
own_hadd(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = halved_sum(e, in[0], in[1], name[0] != 'u', false);
    return true;
}

static bool
own_rhadd(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = halved_sum(e, in[0], in[1], name[0] != 'u', true);
    return true;
}

/* -- classes of numbers ------------------------------------------------------------------------ */

/* |x| as bits against infinity. */
static value
against_infinity(struct emit *e, value x, LLVMIntPredicate p)
{
    unsigned bits = emit_bits_of(x);
    value mag = v_andk(e, x, (UINT64_C(1) << (bits - 1)) - 1);
    value inf = v_k(e, x, bits == 64 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23);
    return v_zext(e, v_cmp(e, p, mag, inf), 32);
}

static bool
own_is_inf(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = against_infinity(e, in[0], LLVMIntEQ);
    return true;
}

static bool
own_is_nan(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = against_infinity(e, in[0], LLVMIntUGT);
    return true;
}

static bool
own_is_finite(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = against_infinity(e, in[0], LLVMIntULT);
    return true;
}

static bool
own_sign_bit(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_trunc(e, v_lshrk(e, in[0], emit_bits_of(in[0]) - 1), 32);
    return true;
}

static bool
own_nan(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_bits(e, float_nan(e, v_int(e, in[0], strcmp(name, "nanf") == 0 ? 32 : 64, 0)));
    return true;
}

/* -- compositions ------------------------------------------------------------------------------ */

/* sinh, cosh: SLEEF's are infinite from where e^x is, 88.72 (double: 709.78); half of it has room
 * until 89.42 (710.48). Beyond 88 (709): 4 times the function of |x| - 2 ln 2, where e^-|x| no
 * longer counts. The subtracted constant has few bits, so that the difference is exact; `rest` is e
 * to what it lacks, less 1. */
static bool
own_hyperbolic(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value x = v_real(e, in[0]), mag = v_fabs(e, x);
    bool wide = emit_bits_of(x) == 64;
    value large = v_fcmp(e, LLVMRealOGT, mag, v_kf(e, x, wide ? 709 : 88));
    value less = v_kf(e, x, wide ? 0x1.62e42feep+0 : 0x1.62e4p+0); /* 2 ln 2, its upper bits */
    value near = v_select(e, large, LLVMBuildFSub(e->b, mag, less, ""), mag);
    value y = math_call(e, strncmp(name, "sinh", 4) == 0 ? "sinh" : "cosh", &near, 1);
    /* finite: the fused product of infinity and `rest` takes infinity from itself */
    value most = v_call2(e, "llvm.minnum", y, v_kf(e, x, wide ? 0x1p1023 : 0x1p127));
    value rest = v_kf(e, x, wide ? -0x1.a39ef3563bde9p-32 : -0x1.7f7cf910235d3p-19);
    value far = LLVMBuildFMul(e->b, v_call3(e, "llvm.fma", most, rest, most), v_kf(e, x, 4), "");
    y = v_select(e, large, far, y);
    out[0] = v_bits(e, name[0] == 's' ? v_call2(e, "llvm.copysign", y, x) : y);
    return true;
}

/* log1p: SLEEF's is infinite before its argument is. A large one's is that of x / 2^64, plus 64 ln
 * 2 (float: 32): the 1 no longer counts in either. */
static bool
own_log1p(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value x = v_real(e, in[0]);
    bool wide = emit_bits_of(x) == 64;
    value large = v_fcmp(e, LLVMRealOGT, x, v_kf(e, x, wide ? 0x1p1000 : 0x1p120));
    value less = LLVMBuildFMul(e->b, x, v_kf(e, x, wide ? 0x1p-64 : 0x1p-32), "");
    value near = v_select(e, large, less, x), y = math_call(e, "log1p", &near, 1);
    value more = v_kf(e, x, (wide ? 64 : 32) * 0.693147180559945309417);
    out[0] = v_bits(e, v_select(e, large, LLVMBuildFAdd(e->b, y, more, ""), y));
    return true;
}

/* asinh, acosh: SLEEF squares its argument; where that overflows they are log 2|x|. */
static bool
own_area(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    bool sine = strncmp(name, "asinh", 5) == 0;
    value x = v_real(e, in[0]), mag = v_fabs(e, x);
    value direct = math_call(e, sine ? "asinh" : "acosh", &x, 1);
    value large = v_fcmp(e, LLVMRealOGE, sine ? mag : x,
                         v_kf(e, x, emit_bits_of(x) == 64 ? 0x1p500 : 0x1p60));
    value far = math_call(e, "log", &mag, 1);
    far = LLVMBuildFAdd(e->b, far, v_kf(e, x, 0.693147180559945309417), "");
    far = v_call2(e, "llvm.copysign", far, x);
    out[0] = v_bits(e, v_select(e, large, far, direct));
    return true;
}

/* max(x - y, 0), NaN stays. */
static bool
own_fdim(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value x = v_real(e, in[0]), y = v_real(e, in[1]);
    value d = LLVMBuildFSub(e->b, x, y, "");
    out[0] = v_bits(e, v_select(e, v_fcmp(e, LLVMRealOLE, x, y), v_kf(e, x, 0), d));
    return true;
}

static bool
own_round(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    out[0] = v_bits(e, v_call1(e, "llvm.round", v_real(e, in[0])));
    return true;
}

static bool
own_llround(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    bool wide = emit_bits_of(in[0]) == 64;
    struct math_row cvt = {.op = PTX_OP_CVT, .type = {PTX_S64, wide ? PTX_F64 : PTX_F32}};
    value x;
    cvt.mod[0] = PTX_M_RZI;
    return own_round(e, name, in, nin, &x) && by_instruction(e, &cvt, &x, 1, out);
}

/* rcbrt, rhypot: one over the other. */
static bool
own_reciprocal(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value x = v_real(e, call_sleef(e, nin == 1 ? "cbrt" : "hypot", in, nin));
    out[0] = v_bits(e, LLVMBuildFDiv(e->b, v_kf(e, x, 1), x, ""));
    return true;
}

/* "exp2f(y * __log2f(x))": NaN for negative x, unlike powf. */
static bool
own_fast_pow(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    value x = v_real(e, in[0]), y = v_real(e, in[1]);
    value p = LLVMBuildFMul(e->b, y, math_call(e, "log2", &x, 1), "");
    out[0] = v_bits(e, math_call(e, "exp2", &p, 1));
    return true;
}

static bool
own_pow(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    if (!power_real(e, in[0], in[1], out))
        out[0] = call_sleef(e, "pow", in, nin);
    return true;
}

static bool
own_powi(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    if (power_whole(e, in[0], in[1], out))
        return true;
    value x = v_real(e, in[0]);
    value n = LLVMBuildSIToFP(e->b, in[1], LLVMTypeOf(x), "");
    out[0] = v_bits(e, math_call(e, "pow", (value[]){x, n}, 2));
    return true;
}

/* Stores x for the active lanes at host addresses. */
static void
store_active(struct emit *e, value x, value address)
{
    LLVMTypeRef pointer = v_type(address, LLVMPointerTypeInContext(e->context, 0));
    value at = LLVMBuildIntToPtr(e->b, address, pointer, "");
    unsigned bytes = emit_bits_of(x) / 8;
    if (v_count(x) == 0) {
        LLVMSetAlignment(LLVMBuildStore(e->b, x, at), bytes);
        return;
    }
    LLVMTypeRef types[] = {LLVMTypeOf(x), pointer};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    value mask = emit_bits_to_mask(e, emit_active(e));
    value args[] = {x, at, LLVMConstInt(i32, bytes, false), mask};
    emit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

static bool
sine_and_cosine(struct emit *e, const value *in, const char *sine, const char *cosine)
{
    store_active(e, call_sleef(e, sine, in, 1), in[1]);
    store_active(e, call_sleef(e, cosine, in, 1), in[2]);
    return true;
}

static bool
own_sincos(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    return sine_and_cosine(e, in, "sin", "cos");
}

static bool
own_sincospi(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    return sine_and_cosine(e, in, "sinpi", "cospi");
}

/* -- numbers packed in a word ------------------------------------------------------------------ */

/* v + operation + s or u (numbers) or ss, us (clamped) + 2 or 4: "vaddss2", "vcmpgtu4". */
struct simd {
    char operation[12];
    bool is_signed, saturates;
    unsigned bits;
};

static struct simd
simd_of(const char *name)
{
    static const char *const plain[] = {"abs",   "neg",   "add",   "sub",
                                        "cmpeq", "cmpne", "seteq", "setne"};
    size_t n = strlen(name) - 2; /* without v and the digit */
    struct simd s = {.bits = name[n + 1] == '2' ? 16 : 8};
    memcpy(s.operation, name + 1, n);
    for (unsigned k = 0; k < sizeof plain / sizeof *plain; k++)
        if (strcmp(plain[k], s.operation) == 0)
            return s;
    s.is_signed = s.operation[n - 1] == 's';
    s.operation[--n] = 0;
    bool arithmetic = strncmp(s.operation, "abs", 3) == 0 || strncmp(s.operation, "neg", 3) == 0 ||
                      strncmp(s.operation, "add", 3) == 0 || strncmp(s.operation, "sub", 3) == 0;
    if (arithmetic && n == 4) { /* abss, adds, addu, ...: clamped, s or u before the last s */
        s.saturates = true;
        s.is_signed = s.operation[3] == 's';
        s.operation[3] = 0;
    }
    return s;
}

static bool
simd_is(const struct simd *s, const char *operation)
{
    return strcmp(s->operation, operation) == 0;
}

static value
simd_compare(struct emit *e, const struct simd *s, value a, value b)
{
    static const struct {
        const char *name;
        uint8_t is_unsigned, is_signed;
    } compare[] = {{"eq", LLVMIntEQ, LLVMIntEQ},   {"ne", LLVMIntNE, LLVMIntNE},
                   {"ge", LLVMIntUGE, LLVMIntSGE}, {"gt", LLVMIntUGT, LLVMIntSGT},
                   {"le", LLVMIntULE, LLVMIntSLE}, {"lt", LLVMIntULT, LLVMIntSLT}};
    for (unsigned k = 0; k < sizeof compare / sizeof *compare; k++)
        if (strcmp(s->operation + 3, compare[k].name) == 0)
            return v_cmp(e, s->is_signed ? compare[k].is_signed : compare[k].is_unsigned, a, b);
    return NULL;
}

static value
simd_extreme(struct emit *e, bool is_signed, bool max, value a, value b)
{
    return v_call2(
        e, is_signed ? (max ? "llvm.smax" : "llvm.smin") : (max ? "llvm.umax" : "llvm.umin"), a, b);
}

static value
simd_distance(struct emit *e, bool is_signed, value a, value b)
{
    return v_sub(e, simd_extreme(e, is_signed, true, a, b),
                 simd_extreme(e, is_signed, false, a, b));
}

/* Rounded averages: away from zero, as vavrg has it. */
static value
simd_average(struct emit *e, const struct simd *s, value a, value b)
{
    if (!s->is_signed)
        return halved_sum(e, a, b, false, true);
    value wide = v_add(e, v_sext(e, a, 32), v_sext(e, b, 32));
    value up = v_zext(e, v_cmp(e, LLVMIntSGE, wide, v_k(e, wide, 0)), 32);
    return v_trunc(e, v_ashrk(e, v_add(e, wide, up), 1), s->bits);
}

static value
simd_add(struct emit *e, const struct simd *s, bool minus, value a, value b)
{
    if (!s->saturates)
        return minus ? v_sub(e, a, b) : v_add(e, a, b);
    return v_call2(e,
                   s->is_signed ? (minus ? "llvm.ssub.sat" : "llvm.sadd.sat")
                                : (minus ? "llvm.usub.sat" : "llvm.uadd.sat"),
                   a, b);
}

/* The sum of the distances, one number for the word. */
static value
simd_sum(struct emit *e, const struct simd *s, value d, value like)
{
    value word = v_pack(e, d, 32, like), sum = v_k(e, like, 0);
    for (unsigned at = 0; at < 32; at += s->bits)
        sum = v_add(e, sum, v_andk(e, v_lshrk(e, word, at), (UINT64_C(1) << s->bits) - 1));
    return sum;
}

static bool
own_simd(struct emit *e, const char *name, const value *in, unsigned nin, value *out)
{
    struct simd s = simd_of(name);
    value a = v_unpack(e, in[0], s.bits), b = nin > 1 ? v_unpack(e, in[1], s.bits) : a, r;
    if (simd_is(&s, "abs") || simd_is(&s, "neg")) {
        value zero = v_k(e, a, 0);
        value minus = simd_add(e, &s, true, zero, a);
        r = simd_is(&s, "neg") ? minus : v_select(e, v_slt(e, a, zero), minus, a);
    } else if (simd_is(&s, "add") || simd_is(&s, "sub")) {
        r = simd_add(e, &s, simd_is(&s, "sub"), a, b);
    } else if (simd_is(&s, "absdiff")) {
        r = simd_distance(e, s.is_signed, a, b);
    } else if (simd_is(&s, "sad")) {
        out[0] = simd_sum(e, &s, simd_distance(e, s.is_signed, a, b), in[0]);
        return true;
    } else if (simd_is(&s, "avg")) {
        r = simd_average(e, &s, a, b);
    } else if (simd_is(&s, "hadd")) {
        r = halved_sum(e, a, b, false, false);
    } else if (simd_is(&s, "max") || simd_is(&s, "min")) {
        r = simd_extreme(e, s.is_signed, simd_is(&s, "max"), a, b);
    } else if (strncmp(s.operation, "cmp", 3) == 0) {
        r = v_sext(e, simd_compare(e, &s, a, b), s.bits);
    } else {
        r = v_zext(e, simd_compare(e, &s, a, b), s.bits);
    }
    out[0] = v_pack(e, r, 32, in[0]);
    return true;
}
