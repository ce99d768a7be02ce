/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: what the emitters share.
 *
 * Values: the bits of a PTX register are an LLVM integer of its width (i16, i32, i64, i128) or a
 * vector <32 x iN> of them; a predicate is i1 or <32 x i1>. Floating-point emitters bitcast in and
 * out; LLVM removes the casts. `e->lanes` is the width of what is being emitted: 1 for uniform
 * instructions (scalars), 32 for varying ones. An emitter is written once for both.
 *
 *   jit.c          the pipeline of one compile in order; jit_kernels.c: the engine, kernels in memory
 *   jit_core.c     functions: blocks, masks, registers, suspension
 *   jit_phases.c   one function for a whole block, where its barriers are certain
 *   jit_jam.c      its warps, several at once; jit_whole.c: warps of which all lanes are there
 *   jit_taps.c     there: runs of conditions that all hold
 *   jit_straight.c the way of several warps inside of an array; jit_poly.c: indices like y * n + x
 *   jit_window.c   vectors that begin a few words apart
 *   jit_site.c     where ld, st and others go; jit_runs.c: how lanes lie; jit_words.c: local memory
 *   jit_load.c     ld; jit_pick.c: from addresses selected lane by lane; jit_ahead.c: fetched ahead
 *   jit_store.c    st; jit_cp.c: cp.async
 *   jit_columns.c  stores of a transpose, kept back; jit_tile.c: columns of a tile, for several warps at once
 *   jit_index.c    gathers and scatters by a base and a 32-bit number a lane
 *   jit_guess.c    addresses that follow a pattern unless 32-bit arithmetic wrapped
 *   jit_together.c registers written on both sides of a branch, where warps go one way
 *   jit_split.c    loads from addresses that are selected lane by lane; jit_rows.c: what rows decide of them
 *   jit_arith.c    the table of arithmetic instructions; integers, logic, comparison, selection
 *   jit_bits.c     bit fields, permutations, dot products; jit_video.c: vadd, vadd4, ...
 *   jit_float.c    floating-point arithmetic; jit_round.c: roundings and number formats
 *   jit_cvt.c      conversions
 *   jit_sync.c     lanes that wait for others of their warp
 *   jit_warp.c     shfl, vote, match, redux, activemask, elect
 *   jit_atomic.c   atom, red
 *   jit_near.c     additions into tables: shared memory, or sums that are kept back
 *   jit_image.c    tex, tld4, txq, suld, sust, sured, suq
 *   jit_math.c     __nv_* functions and the approximations, by SLEEF and LLVM's intrinsics; jit_power.c: whole powers
 *   jit_gate.c     what check need not hear of; jit_seen.c, jit_batch.c: what profile need not
 */
#ifndef LOCKSTEP_JIT_PRIV_H
#define LOCKSTEP_JIT_PRIV_H

#include "jit/jit.h"
#include "jit/jit_passes.h"

#include <llvm-c/Core.h>

struct emit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function;
    unsigned lanes; /* 1 or 32: of the instruction being emitted */
    bool plain_host; /* tests: take the ways of a host without AVX-512 and F16C */
    /* Active lanes of the instruction being emitted, as <32 x i1> and as i32. NULL mask: all 32
     * lanes are known to be active (or lanes == 1). Results of inactive lanes do not matter, but
     * nothing may trap or write memory for them. */
    LLVMValueRef mask;
    LLVMValueRef mask_bits;
    LLVMValueRef warp;     /* struct jit_warp *, as ptr */
    LLVMValueRef services; /* struct jit_services *, as ptr */
    const struct ptx_module *ptx;
    const struct ptx_func *func; /* of the instruction being emitted */
    const struct ptx_insn *insn;
    uint32_t place; /* of the instruction being emitted, as jit_place() */
    uint64_t off;   /* passes that are switched off */
    struct jit_remarks *remarks; /* NULL: nobody reads them */
    struct ls_error *err;
};

/* Whether a pass is on; what it did at the instruction being emitted, or why it did nothing there. */
static inline bool
emit_on(const struct emit *e, enum jit_pass pass)
{
    return jit_on(e->off, pass);
}
void emit_fired(const struct emit *e, enum jit_pass pass, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void emit_missed(const struct emit *e, enum jit_pass pass, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same at the instruction with that place. */
void emit_remark_at(const struct emit *e, enum jit_pass pass, bool fired, uint32_t place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* -- helpers of emit (jit_emit.c) ------------------------------------------------------------------ */

LLVMTypeRef emit_type_at(struct emit *e, LLVMTypeRef scalar, unsigned lanes);
LLVMTypeRef emit_int(struct emit *e, unsigned bits);   /* iN, or <lanes x iN> */
LLVMTypeRef emit_float(struct emit *e, unsigned bits); /* half, float, double, or vectors */
LLVMTypeRef emit_bfloat(struct emit *e);
LLVMValueRef emit_const(struct emit *e, unsigned bits, uint64_t value); /* splat when lanes > 1 */
LLVMValueRef emit_const_float(struct emit *e, unsigned bits, double value);
LLVMValueRef emit_splat(struct emit *e, LLVMValueRef scalar); /* scalar to e->lanes lanes */
LLVMValueRef emit_lane(struct emit *e, LLVMValueRef vector, unsigned lane);
LLVMValueRef emit_to_float(struct emit *e, LLVMValueRef bits); /* iN -> half, float, double */
LLVMValueRef emit_to_bits(struct emit *e, LLVMValueRef value); /* and back */
/* A call of an LLVM intrinsic, overloaded on `types`: "llvm.fma", {float or <32 x float>}. */
LLVMValueRef emit_intrinsic(struct emit *e, const char *name, LLVMTypeRef *types, unsigned ntypes,
                            LLVMValueRef *args, unsigned nargs);
LLVMValueRef emit_mask_to_bits(struct emit *e, LLVMValueRef mask); /* <32 x i1> -> i32 */
LLVMValueRef emit_bits_to_mask(struct emit *e, LLVMValueRef bits);
unsigned emit_bits_of(LLVMValueRef v); /* width of the (element) integer or float */
/* Fails with "file:line: what": the place of e->insn in the PTX text. */
bool emit_fail(struct emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- families of instructions ------------------------------------------------------------------------
 * in[k] is source operand k (after the destinations, in the order of the text), already of the
 * width that the instruction's type asks for, scalar or vector as e->lanes; out[k] is destination k.
 * Instructions with .cc get the carry flag as one more input behind the operands (i1) when they read
 * it (addc, subc, madc) and return it as one more output when they write it (.cc).
 * Return false with the error set: not supported, with the place. */

bool emit_is_arith(const struct ptx_insn *i); /* handled by emit_arith */
bool emit_arith(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
                LLVMValueRef *out);
/* Conversions: in[0] -> out[0] (cvt.pack and the packed forms have more inputs). */
bool emit_cvt(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
              LLVMValueRef *out);
/* Warp operations: inputs are always vectors of 32 (e->lanes == 32); e->mask_bits is never NULL;
 * out[k] is a vector, or a scalar where emit_warp_uniform says that result k is the same in all
 * lanes. Lanes named in a member mask but not active are treated as absent. */
bool emit_is_warp(const struct ptx_insn *i);
bool emit_warp_uniform(const struct ptx_insn *i, unsigned result);
bool emit_warp(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
               LLVMValueRef *out);
/* atom and red: address is <32 x i64> of host addresses. The emitter goes over the active lanes of
 * e->mask_bits in order, with the host's atomics; `plain` asks for ordinary reads and writes (a
 * block's shared memory is only touched by one worker thread at a time). out[0]: the old values,
 * not set for red. in[]: operands after the address. May add basic blocks; leaves e->b at the end
 * of the last one. */
/* The i32 at base + offsets[lane] += x[lane], one lane after the other, all 32; not atomic. base: i64,
 * offsets: <32 x i16>. */
void emit_add_near(struct emit *e, LLVMValueRef base, LLVMValueRef offsets, LLVMValueRef x);
bool emit_atomic(struct emit *e, const struct ptx_insn *i, LLVMValueRef address, bool plain,
                 const LLVMValueRef *in, unsigned nin, LLVMValueRef *out);
/* A call of an external mathematical function ("__nv_sinf"): in, out as bits. */
bool emit_math_known(const char *name);
bool emit_math(struct emit *e, const char *name, const LLVMValueRef *in, unsigned nin,
               LLVMValueRef *out);
/* Addresses of the functions that generated code calls by name (SLEEF's, our own lane-wise ones):
 * fills *name and *address for i = 0, 1, ...; false past the end. */
bool jit_math_symbol(size_t i, const char **name, void **address);

#endif
