/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/ops: one instruction on values, and nothing else: no registers, no memory but atomics, no
 * control flow.
 *
 * in[k] is source operand k (after the destinations, in the order of the text), already of the
 * width that the instruction's type asks for, scalar or vector as e->lanes; out[k] is destination
 * k. Instructions with .cc get the carry flag as one more input behind the operands (i1) when they
 * read it (addc, subc, madc) and return it as one more output when they write it (.cc). Emitters
 * return false with the error set: not supported, with the place.
 */
#ifndef LOCKSTEP_JIT_OPS_H
#define LOCKSTEP_JIT_OPS_H

#include "jit/build/build.h"

/* -- arith.c ----------------------------------------------------------------------------------- */

bool emit_is_arith(const struct ptx_insn *i); /* handled by emit_arith */
bool emit_arith(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
                LLVMValueRef *out);

/* -- atomic.c ---------------------------------------------------------------------------------- */

/* atom and red: address is <32 x i64> of host addresses. The emitter goes over the active lanes of
 * e->mask_bits in order, with the host's atomics; `plain` asks for ordinary reads and writes (a
 * block's shared memory is only touched by one worker thread at a time). out[0]: the old values,
 * not set for red. in[]: operands after the address. May add basic blocks; leaves e->b at the end
 * of the last one. */
/* The i32 at base + offsets[lane] += x[lane], one lane after the other, all 32; not atomic. base:
 * i64, offsets: <32 x i16>. */
void emit_add_near(struct emit *e, LLVMValueRef base, LLVMValueRef offsets, LLVMValueRef x);
bool emit_atomic(struct emit *e, const struct ptx_insn *i, LLVMValueRef address, bool plain,
                 const LLVMValueRef *in, unsigned nin, LLVMValueRef *out);

/* -- cvt.c ------------------------------------------------------------------------------------- */

/* Conversions: in[0] -> out[0] (cvt.pack and the packed forms have more inputs). */
bool emit_cvt(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
              LLVMValueRef *out);

/* -- math.c ------------------------------------------------------------------------------------ */

/* A call of an external mathematical function ("__nv_sinf"): in, out as bits. */
bool emit_math_known(const char *name);
bool emit_math(struct emit *e, const char *name, const LLVMValueRef *in, unsigned nin,
               LLVMValueRef *out);
/* Addresses of the functions that generated code calls by name (SLEEF's, our own lane-wise ones):
 * fills *name and *address for i = 0, 1, ...; false past the end. */
bool jit_math_symbol(size_t i, const char **name, void **address);

/* -- warp.c ------------------------------------------------------------------------------------ */

/* Warp operations: inputs are always vectors of 32 (e->lanes == 32); e->mask_bits is never NULL;
 * out[k] is a vector, or a scalar where emit_warp_uniform says that result k is the same in all
 * lanes. Lanes named in a member mask but not active are treated as absent. */
bool emit_warp_uniform(const struct ptx_insn *i, unsigned result);
bool emit_warp(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
               LLVMValueRef *out);

#endif
