/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/near.c: additions into tables, as histograms make them (plans/sums.c).
 *
 * What lanes have of their own fits 16 bits, so that one vector holds it and eight words bring all
 * of it to the registers that addresses are made of. Nothing has to be compared lane by lane: the
 * table as a whole lies in shared memory, or in the window of sums that are kept back
 * (memory/combine.c). Taken are warps with all lanes active, of which two are at different places;
 * others go the general way (ops/atomic.c).
 *
 * Of the histogram in global memory, two thirds of the time went into vectors of 64-bit addresses
 * and their comparisons before (docs/performance-log.md).
 */
#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

/* The small number in 16 bits; of one that is a multiple the product is right modulo 2^16 as it
 * stands. */
static LLVMValueRef
narrow(struct core *c, const struct wir_insn *i, const struct plan_sum *p)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef type = core_vector(c, 16);
    if (!p->scaled)
        return LLVMBuildTrunc(b, core_value(c, i, p->own, 64, false), type, "");
    const struct ptx_operand *o = &p->scaled->i.operand[1];
    LLVMValueRef v = core_value(c, p->scaled, o, core_reg_bits(c, o->reg), false);
    LLVMValueRef factor = core_splat(c, LLVMConstInt(core_scalar(c, 16), p->factor, false));
    return LLVMBuildMul(b, LLVMBuildTrunc(b, v, type, ""), factor, "");
}

/* The builder goes on where the condition holds, else the code does at `otherwise`. */
static void
only_if(struct core *c, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef on = core_new_block(c, "near");
    LLVMBuildCondBr(c->e.b, condition, on, otherwise);
    LLVMPositionBuilderAtEnd(c->e.b, on);
}

/* Where the sums of the table at `base` are kept, if all of it lies in the window. */
static LLVMValueRef
sums_of(struct core *c, LLVMValueRef base, uint64_t high, LLVMBasicBlockRef otherwise)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef pending = core_load_field(c, c->in.block_ptr, FIELD(jit_block, pending),
                                           LLVMPointerTypeInContext(c->e.context, 0));
    only_if(c, LLVMBuildIsNotNull(b, pending, ""), otherwise);
    LLVMValueRef from = core_load_field(c, pending, FIELD(jit_pending, base), i64);
    LLVMValueRef size = core_load_field(c, pending, FIELD(jit_pending, size), i64);
    LLVMValueRef at = LLVMBuildSub(b, base, from, "");
    LLVMValueRef last = LLVMBuildAdd(b, at, core_i64(c, high + 3), "");
    only_if(c,
            LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULT, at, size, ""),
                         LLVMBuildICmp(b, LLVMIntULT, last, size, ""), ""),
            otherwise);
    LLVMValueRef sums = LLVMBuildPtrToInt(b, pending, i64, "");
    return LLVMBuildAdd(b, LLVMBuildAdd(b, sums, core_i64(c, FIELD(jit_pending, sum)), ""), at, "");
}

LLVMBasicBlockRef
core_near_sum(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
              const struct plan_sum *p, LLVMValueRef x)
{
    LLVMBuilderRef b = c->e.b;
    bool shared = i->i.space == PTX_SPACE_SHARED;
    LLVMBasicBlockRef general = core_new_block(c, "places"), done = core_new_block(c, "added");
    only_if(c, LLVMBuildICmp(b, LLVMIntEQ, core_mask_bits(c), core_i32(c, ~0u), ""), general);
    LLVMValueRef base =
        LLVMBuildAdd(b, core_value(c, i, p->base, 64, true), core_i64(c, (uint64_t)o->offset), "");
    base = shared ? LLVMBuildAdd(b, base, c->in.shared, "") : sums_of(c, base, p->high, general);
    LLVMValueRef own = narrow(c, i, p);
    LLVMValueRef one = LLVMBuildExtractElement(b, own, core_i32(c, 0), "");
    LLVMValueRef other = LLVMBuildExtractElement(b, own, core_i32(c, 1), "");
    only_if(c, LLVMBuildICmp(b, LLVMIntNE, one, other, ""), general);
    core_fence(c, false);
    emit_add_near(&c->e, base, own, x);
    core_fence(c, false);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, general);
    return done;
}
