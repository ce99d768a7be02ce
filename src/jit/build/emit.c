/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_emit: small builders on top of LLVM's C API, shared by all emitters. emit_* take the number
 * of lanes from the instruction (`e->lanes`), v_* from their operand (build/value.h).
 *
 * Start reading at build/build.h; nothing here knows an instruction.
 */
#include "jit/build/build.h"
#include "jit/build/value.h"

#include <stdio.h>
#include <string.h>

/* -- types ------------------------------------------------------------------------------------- */

LLVMTypeRef
emit_type_at(struct emit *e, LLVMTypeRef scalar, unsigned lanes)
{
    return lanes > 1 ? LLVMVectorType(scalar, lanes) : scalar;
}

LLVMTypeRef
emit_int(struct emit *e, unsigned bits)
{
    return emit_type_at(e, LLVMIntTypeInContext(e->context, bits), e->lanes);
}

static LLVMTypeRef
float_scalar(struct emit *e, unsigned bits)
{
    switch (bits) {
    case 16: return LLVMHalfTypeInContext(e->context);
    case 32: return LLVMFloatTypeInContext(e->context);
    default: return LLVMDoubleTypeInContext(e->context);
    }
}

static LLVMTypeRef
element_type(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

unsigned
emit_bits_of(LLVMValueRef v)
{
    LLVMTypeRef t = element_type(LLVMTypeOf(v));
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    default: return 64;
    }
}

unsigned
v_count(value v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 0;
}

LLVMTypeRef
v_type(value like, LLVMTypeRef scalar)
{
    unsigned n = v_count(like);
    return n ? LLVMVectorType(scalar, n) : scalar;
}

LLVMTypeRef
v_int_type(struct emit *e, value like, unsigned bits)
{
    return v_type(like, LLVMIntTypeInContext(e->context, bits));
}

LLVMTypeRef
v_float_type(struct emit *e, value like, unsigned bits)
{
    return v_type(like, float_scalar(e, bits));
}

/* -- constants --------------------------------------------------------------------------------- */

static value
splat_constant(value scalar, unsigned n)
{
    value elements[128];
    if (n == 0)
        return scalar;
    for (unsigned k = 0; k < n; k++)
        elements[k] = scalar;
    return LLVMConstVector(elements, n);
}

static value
int_constant(LLVMTypeRef t, uint64_t k)
{
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits < 64)
        k &= (UINT64_C(1) << bits) - 1;
    return LLVMConstInt(t, k, false);
}

LLVMValueRef
emit_const(struct emit *e, unsigned bits, uint64_t k)
{
    return splat_constant(int_constant(LLVMIntTypeInContext(e->context, bits), k),
                          e->lanes > 1 ? e->lanes : 0);
}

value
v_int(struct emit *e, value like, unsigned bits, uint64_t k)
{
    return splat_constant(int_constant(LLVMIntTypeInContext(e->context, bits), k), v_count(like));
}

value
v_k(struct emit *e, value like, uint64_t k)
{
    return v_int(e, like, emit_bits_of(like), k);
}

value
v_kf(struct emit *e, value like, double k)
{
    return splat_constant(LLVMConstReal(element_type(LLVMTypeOf(like)), k), v_count(like));
}

bool
v_const(value v, uint64_t *out)
{
    if (!LLVMIsConstant(v))
        return false;
    unsigned n = v_count(v);
    for (unsigned k = 0; k < (n ? n : 1); k++) {
        value x = n ? LLVMGetAggregateElement(v, k) : v;
        if (!x || !LLVMIsAConstantInt(x))
            return false;
        uint64_t now = LLVMConstIntGetZExtValue(x);
        if (k > 0 && now != *out)
            return false;
        *out = now;
    }
    return true;
}

/* -- lanes ------------------------------------------------------------------------------------- */

static value
index_constant(struct emit *e, unsigned k)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->context), k, false);
}

LLVMValueRef
emit_splat(struct emit *e, LLVMValueRef scalar)
{
    if (e->lanes <= 1 || v_count(scalar))
        return scalar;
    if (LLVMIsConstant(scalar) && (LLVMIsAConstantInt(scalar) || LLVMIsAConstantFP(scalar)))
        return splat_constant(scalar, e->lanes);
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), e->lanes);
    value one = LLVMBuildInsertElement(e->b, LLVMGetPoison(t), scalar, index_constant(e, 0), "");
    value zeros = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(e->context), e->lanes));
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(t), zeros, "");
}

LLVMValueRef
emit_lane(struct emit *e, LLVMValueRef vector, unsigned lane)
{
    return v_count(vector) ? LLVMBuildExtractElement(e->b, vector, index_constant(e, lane), "")
                           : vector;
}

value
v_slice(struct emit *e, value v, unsigned first, unsigned n)
{
    unsigned count = v_count(v);
    if (count == 0) {
        LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(v), n);
        return LLVMBuildInsertElement(e->b, LLVMGetPoison(t), v, index_constant(e, 0), "");
    }
    if (first == 0 && n == count)
        return v;
    value index[128];
    for (unsigned k = 0; k < n; k++)
        index[k] = first + k < count ? index_constant(e, first + k)
                                     : LLVMGetPoison(LLVMInt32TypeInContext(e->context));
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, n),
                                  "");
}

value
v_concat(struct emit *e, const value *part, unsigned count, unsigned n, value like)
{
    unsigned lanes = v_count(like);
    if (lanes == 0)
        return emit_lane(e, part[0], 0);
    value level[64];
    memcpy(level, part, count * sizeof *part);
    while (count > 1) {
        value index[128];
        for (unsigned k = 0; k < 2 * n; k++)
            index[k] = index_constant(e, k);
        for (unsigned k = 0; k < count / 2; k++)
            level[k] = LLVMBuildShuffleVector(e->b, level[2 * k], level[2 * k + 1],
                                              LLVMConstVector(index, 2 * n), "");
        count /= 2;
        n *= 2;
    }
    return v_slice(e, level[0], 0, lanes);
}

/* -- casts ------------------------------------------------------------------------------------- */

static bool
is_float(value v)
{
    return LLVMGetTypeKind(element_type(LLVMTypeOf(v))) != LLVMIntegerTypeKind;
}

value
v_real(struct emit *e, value v)
{
    if (is_float(v))
        return v;
    return LLVMBuildBitCast(e->b, v, v_float_type(e, v, emit_bits_of(v)), "");
}

value
v_bits(struct emit *e, value v)
{
    if (!is_float(v))
        return v;
    return LLVMBuildBitCast(e->b, v, v_int_type(e, v, emit_bits_of(v)), "");
}

value
v_trunc(struct emit *e, value v, unsigned bits)
{
    return emit_bits_of(v) == bits ? v : LLVMBuildTrunc(e->b, v, v_int_type(e, v, bits), "");
}

value
v_zext(struct emit *e, value v, unsigned bits)
{
    if (emit_bits_of(v) >= bits)
        return v_trunc(e, v, bits);
    return LLVMBuildZExt(e->b, v, v_int_type(e, v, bits), "");
}

value
v_sext(struct emit *e, value v, unsigned bits)
{
    if (emit_bits_of(v) >= bits)
        return v_trunc(e, v, bits);
    return LLVMBuildSExt(e->b, v, v_int_type(e, v, bits), "");
}

value
v_unpack(struct emit *e, value v, unsigned bits)
{
    unsigned n = v_count(v) ? v_count(v) : 1;
    LLVMTypeRef t = LLVMIntTypeInContext(e->context, bits);
    return LLVMBuildBitCast(e->b, v, LLVMVectorType(t, n * emit_bits_of(v) / bits), "");
}

value
v_pack(struct emit *e, value v, unsigned bits, value like)
{
    return LLVMBuildBitCast(e->b, v, v_int_type(e, like, bits), "");
}

value
v_join(struct emit *e, value hi, value lo)
{
    unsigned bits = emit_bits_of(lo);
    return v_or(e, v_shlk(e, v_zext(e, hi, 2 * bits), bits), v_zext(e, lo, 2 * bits));
}

value
v_high(struct emit *e, value v, unsigned bits)
{
    return v_trunc(e, v_lshrk(e, v, emit_bits_of(v) - bits), bits);
}

LLVMValueRef
emit_active(struct emit *e)
{
    return e->mask_bits ? e->mask_bits
                        : LLVMConstInt(LLVMInt32TypeInContext(e->context), 0xffffffff, false);
}

LLVMValueRef
emit_mask_to_bits(struct emit *e, LLVMValueRef mask)
{
    return LLVMBuildBitCast(e->b, mask, LLVMIntTypeInContext(e->context, v_count(mask)), "");
}

LLVMValueRef
emit_bits_to_mask(struct emit *e, LLVMValueRef bits)
{
    LLVMTypeRef t = LLVMVectorType(LLVMInt1TypeInContext(e->context), emit_bits_of(bits));
    return LLVMBuildBitCast(e->b, bits, t, "");
}

/* -- shifts ------------------------------------------------------------------------------------ */

/* n below the width, known at compile time? LLVM folds the comparison,
 * we only keep the IR small. */
static bool
shift_is_safe(value a, value n)
{
    uint64_t k;
    return v_const(n, &k) && k < emit_bits_of(a);
}

/* AVX-512's shifts by a vector clear past the width as PTX's do (the arithmetic one keeps the
 * sign). kind: "psllv", "psrlv", "psrav". NULL: not for this type or host. */
static value
shift_by_avx512(struct emit *e, const char *kind, value a, value n)
{
    unsigned bits = emit_bits_of(a), lanes = v_count(a), at_once = 512 / bits;
    if (!host_has_avx512(e) || (bits != 32 && bits != 64) || lanes < at_once)
        return NULL;
    char name[64];
    snprintf(name, sizeof name, "llvm.x86.avx512.%s.%c.512", kind, bits == 32 ? 'd' : 'q');
    value part[8];
    for (unsigned k = 0; k < lanes / at_once; k++) {
        value args[] = {v_slice(e, a, k * at_once, at_once), v_slice(e, n, k * at_once, at_once)};
        part[k] = emit_intrinsic(e, name, NULL, 0, args, 2);
    }
    return v_concat(e, part, lanes / at_once, at_once, a);
}

/* Logical: 0 from the width on. */
static value
shift(struct emit *e, value (*build)(LLVMBuilderRef, value, value, const char *), const char *kind,
      value a, value n)
{
    if (shift_is_safe(a, n))
        return build(e->b, a, n, "");
    value direct = shift_by_avx512(e, kind, a, n);
    if (direct)
        return direct;
    value fits = v_ult(e, n, v_k(e, n, emit_bits_of(a)));
    value shifted = build(e->b, a, v_andk(e, n, emit_bits_of(a) - 1), "");
    return v_select(e, fits, shifted, v_k(e, a, 0));
}

value
v_shl(struct emit *e, value a, value n)
{
    return shift(e, LLVMBuildShl, "psllv", a, n);
}

value
v_lshr(struct emit *e, value a, value n)
{
    return shift(e, LLVMBuildLShr, "psrlv", a, n);
}

value
v_ashr(struct emit *e, value a, value n)
{
    if (shift_is_safe(a, n))
        return LLVMBuildAShr(e->b, a, n, "");
    value direct = shift_by_avx512(e, "psrav", a, n);
    if (direct)
        return direct;
    n = v_call2(e, "llvm.umin", n, v_k(e, n, emit_bits_of(a) - 1));
    return LLVMBuildAShr(e->b, a, n, "");
}

/* -- calls ------------------------------------------------------------------------------------- */

LLVMValueRef
emit_intrinsic(struct emit *e, const char *name, LLVMTypeRef *types, unsigned ntypes,
               LLVMValueRef *args, unsigned nargs)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    value f = LLVMGetIntrinsicDeclaration(e->module, id, types, ntypes);
    LLVMTypeRef t = LLVMIntrinsicGetType(e->context, id, types, ntypes);
    return LLVMBuildCall2(e->b, t, f, args, nargs, "");
}

value
v_call1(struct emit *e, const char *name, value a)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    return emit_intrinsic(e, name, &t, 1, &a, 1);
}

value
v_call2(struct emit *e, const char *name, value a, value b)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    return emit_intrinsic(e, name, &t, 1, (value[]){a, b}, 2);
}

value
v_clamp(struct emit *e, value v, int64_t low, int64_t high)
{
    v = v_call2(e, "llvm.smax", v, v_k(e, v, (uint64_t)low));
    return v_call2(e, "llvm.smin", v, v_k(e, v, (uint64_t)high));
}

value
v_call3(struct emit *e, const char *name, value a, value b, value c)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    return emit_intrinsic(e, name, &t, 1, (value[]){a, b, c}, 3);
}

value
v_call1_flag(struct emit *e, const char *name, value a, bool flag)
{
    LLVMTypeRef t = LLVMTypeOf(a);
    value k = LLVMConstInt(LLVMInt1TypeInContext(e->context), flag, false);
    return emit_intrinsic(e, name, &t, 1, (value[]){a, k}, 2);
}

value
v_call_named(struct emit *e, const char *name, LLVMTypeRef result, const value *args,
             unsigned nargs)
{
    LLVMTypeRef types[16];
    for (unsigned k = 0; k < nargs; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef t = LLVMFunctionType(result, types, nargs, false);
    value f = LLVMGetNamedFunction(e->module, name);
    if (!f)
        f = LLVMAddFunction(e->module, name, t);
    return LLVMBuildCall2(e->b, t, f, (value *)args, nargs, "");
}

/* Memory of the function's frame: allocas belong into the entry block, once. */
value
v_slot(struct emit *e, LLVMTypeRef t)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(e->function);
    value first = LLVMGetFirstInstruction(entry);
    if (first)
        LLVMPositionBuilderBefore(e->b, first);
    else
        LLVMPositionBuilderAtEnd(e->b, entry);
    value slot = LLVMBuildAlloca(e->b, t, "");
    LLVMPositionBuilderAtEnd(e->b, here);
    return slot;
}

/* -- the host ---------------------------------------------------------------------------------- */

bool
host_has_avx512(const struct emit *e)
{
#if defined(__x86_64__)
    return !e->plain_host && !e->narrow && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

bool
host_has_f16c(const struct emit *e)
{
#if defined(__x86_64__)
    return !e->plain_host && __builtin_cpu_supports("f16c");
#elif defined(__aarch64__)
    return !e->plain_host;
#else
    return false;
#endif
}

bool
host_has_fp16(const struct emit *e)
{
#if defined(__x86_64__) && __clang_major__ >= 14
    return !e->plain_host && !e->narrow && __builtin_cpu_supports("avx512fp16");
#else
    return false;
#endif
}

/* -- errors ------------------------------------------------------------------------------------ */

bool
emit_fail(struct emit *e, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ls_fail(e->err, LS_ERR_UNSUPPORTED, "%s:%u: %s", e->ptx ? e->ptx->path : "?",
                   e->insn ? e->insn->line : 0, what);
}

/* -- remarks ----------------------------------------------------------------------------------- */

void
emit_fired(const struct emit *e, enum jit_pass pass, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(e->remarks, pass, true, e->place, format, args);
    va_end(args);
}

void
emit_missed(const struct emit *e, enum jit_pass pass, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(e->remarks, pass, false, e->place, format, args);
    va_end(args);
}

void
emit_remark_at(const struct emit *e, enum jit_pass pass, bool fired, uint32_t place,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(e->remarks, pass, fired, place, format, args);
    va_end(args);
}
