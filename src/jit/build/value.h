/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: building values, for the files that emit arithmetic.
 *
 * Everything here takes its number of lanes from the operand, not from `e->lanes`: a packed
 * instruction (.f16x2) bitcasts its <32 x i32> to <64 x i16> and then goes the way of the plain
 * one. A scalar stays a scalar. `like` lends the lanes (v_int, v_real_type) or the whole type
 * (v_k).
 *
 *     LLVMValueRef low = v_trunc(e, x, 16);           // i32 -> i16, lane by lane
 *     LLVMValueRef odd = v_ne(e, v_andk(e, x, 1), v_k(e, x, 0));
 */
#ifndef LOCKSTEP_JIT_VALUE_H
#define LOCKSTEP_JIT_VALUE_H

#include "jit/build/build.h"

typedef LLVMValueRef value;

/* -- types ------------------------------------------------------------------------------------- */

unsigned v_count(value v); /* lanes; 0: a scalar */
LLVMTypeRef v_type(value like, LLVMTypeRef scalar);
LLVMTypeRef v_int_type(struct emit *e, value like, unsigned bits);
LLVMTypeRef v_float_type(struct emit *e, value like, unsigned bits); /* 16, 32, 64 */

/* -- constants --------------------------------------------------------------------------------- */

value v_k(struct emit *e, value like, uint64_t k); /* integer of like's type */
value v_int(struct emit *e, value like, unsigned bits, uint64_t k);
value v_kf(struct emit *e, value like, double k); /* float of like's type */
/* The value of a constant scalar, or of a vector of equal constants. */
bool v_const(value v, uint64_t *out);

/* -- conversions ------------------------------------------------------------------------------- */

value v_zext(struct emit *e, value v, unsigned bits); /* also narrows: zext or trunc */
value v_sext(struct emit *e, value v, unsigned bits);
value v_trunc(struct emit *e, value v, unsigned bits);
value v_real(struct emit *e, value v); /* iN -> half, float, double */
value v_bits(struct emit *e, value v); /* and back */
/* n numbers in each register: <32 x i32> <-> <64 x i16>; i32 <-> <2 x i16>. */
value v_unpack(struct emit *e, value v, unsigned bits);
value v_pack(struct emit *e, value v, unsigned bits, value like);
/* Two halves to one: hi in the upper bits. */
value v_join(struct emit *e, value hi, value lo);
value v_high(struct emit *e, value v, unsigned bits); /* upper bits */

/* -- arithmetic -------------------------------------------------------------------------------- */

static inline value
v_add(struct emit *e, value a, value b)
{
    return LLVMBuildAdd(e->b, a, b, "");
}

static inline value
v_sub(struct emit *e, value a, value b)
{
    return LLVMBuildSub(e->b, a, b, "");
}

static inline value
v_mul(struct emit *e, value a, value b)
{
    return LLVMBuildMul(e->b, a, b, "");
}

static inline value
v_and(struct emit *e, value a, value b)
{
    return LLVMBuildAnd(e->b, a, b, "");
}

static inline value
v_or(struct emit *e, value a, value b)
{
    return LLVMBuildOr(e->b, a, b, "");
}

static inline value
v_xor(struct emit *e, value a, value b)
{
    return LLVMBuildXor(e->b, a, b, "");
}

static inline value
v_not(struct emit *e, value a)
{
    return LLVMBuildNot(e->b, a, "");
}

static inline value
v_addk(struct emit *e, value a, uint64_t k)
{
    return v_add(e, a, v_k(e, a, k));
}

static inline value
v_andk(struct emit *e, value a, uint64_t k)
{
    return v_and(e, a, v_k(e, a, k));
}

static inline value
v_ork(struct emit *e, value a, uint64_t k)
{
    return v_or(e, a, v_k(e, a, k));
}

/* Shifts by a constant below the width. */
static inline value
v_shlk(struct emit *e, value a, unsigned k)
{
    return LLVMBuildShl(e->b, a, v_k(e, a, k), "");
}

static inline value
v_lshrk(struct emit *e, value a, unsigned k)
{
    return LLVMBuildLShr(e->b, a, v_k(e, a, k), "");
}

static inline value
v_ashrk(struct emit *e, value a, unsigned k)
{
    return LLVMBuildAShr(e->b, a, v_k(e, a, k), "");
}

/* Shifts by any amount of a's type: as in PTX, past the width all bits are gone (or the sign). */
value v_shl(struct emit *e, value a, value n);
value v_lshr(struct emit *e, value a, value n);
value v_ashr(struct emit *e, value a, value n);

static inline value
v_cmp(struct emit *e, LLVMIntPredicate p, value a, value b)
{
    return LLVMBuildICmp(e->b, p, a, b, "");
}

static inline value
v_eq(struct emit *e, value a, value b)
{
    return v_cmp(e, LLVMIntEQ, a, b);
}

static inline value
v_ne(struct emit *e, value a, value b)
{
    return v_cmp(e, LLVMIntNE, a, b);
}

static inline value
v_ult(struct emit *e, value a, value b)
{
    return v_cmp(e, LLVMIntULT, a, b);
}

static inline value
v_ugt(struct emit *e, value a, value b)
{
    return v_cmp(e, LLVMIntUGT, a, b);
}

static inline value
v_slt(struct emit *e, value a, value b)
{
    return v_cmp(e, LLVMIntSLT, a, b);
}

static inline value
v_is_zero(struct emit *e, value a)
{
    return v_eq(e, a, v_k(e, a, 0));
}

static inline value
v_select(struct emit *e, value c, value a, value b)
{
    return LLVMBuildSelect(e->b, c, a, b, "");
}

/* Intrinsics overloaded on the type of their first operand. */
value v_call1(struct emit *e, const char *name, value a);
value v_call2(struct emit *e, const char *name, value a, value b);
value v_clamp(struct emit *e, value v, int64_t low, int64_t high); /* signed integers */
value v_call3(struct emit *e, const char *name, value a, value b, value c);
value v_call1_flag(struct emit *e, const char *name, value a, bool flag); /* llvm.abs, llvm.ctlz */
/* An intrinsic that is not overloaded, or a C function: result and parameters as given. */
value v_call_named(struct emit *e, const char *name, LLVMTypeRef result, const value *args,
                   unsigned nargs);

/* Memory of the function's frame for one t. */
value v_slot(struct emit *e, LLVMTypeRef t);

/* -- floating point ---------------------------------------------------------------------------- */

static inline value
v_fcmp(struct emit *e, LLVMRealPredicate p, value a, value b)
{
    return LLVMBuildFCmp(e->b, p, a, b, "");
}

static inline value
v_is_nan(struct emit *e, value a)
{
    return v_fcmp(e, LLVMRealUNO, a, a);
}

static inline value
v_fabs(struct emit *e, value a)
{
    return v_call1(e, "llvm.fabs", a);
}

static inline value
v_fneg(struct emit *e, value a)
{
    return LLVMBuildFNeg(e->b, a, "");
}

/* -- pieces of vectors, for functions of a fixed width ----------------------------------------- */

/* Lanes first..first+n-1 of v; past the end: poison. A scalar counts as one lane. */
value v_slice(struct emit *e, value v, unsigned first, unsigned n);
/* part[0..count) of n lanes each, put behind each other and cut to like's lanes. */
value v_concat(struct emit *e, const value *part, unsigned count, unsigned n, value like);

/* -- what an instruction says ------------------------------------------------------------------ */

static inline enum ptx_type
insn_type(const struct ptx_insn *i)
{
    return (enum ptx_type)i->type[0];
}

static inline bool
insn_signed(const struct ptx_insn *i)
{
    return ptx_type_kind(insn_type(i)) == 's';
}

/* setp p|q, shfl d|p: two results in operand 0. */
static inline bool
insn_pair(const struct ptx_insn *i)
{
    return i->operand_count > 0 && i->operand[0].kind == PTX_O_PAIR;
}

/* Instruction sets of the processor that compiles and runs the code. */
bool host_has_avx512(const struct emit *e);
bool host_has_f16c(const struct emit *e);
bool host_has_fp16(const struct emit *e); /* arithmetic on halves */

#endif
