/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/combine.c: sums for global memory are kept back (struct jit_pending in jit.h).
 *
 *     red.global.add.u32 [%a], %x     all lanes in the window, at different places:
 *                                         sum[(a - base) / 4] += x, lane after lane
 *                                     else: services->combine
 *     ld, st, atom of global memory   the window is touched: services->flush first
 *
 * A histogram of 64 Mi bytes in global memory: 729 to 949 ms by atomics of the host, 118 to 181 ms
 * like this (one worker; docs/performance-log.md).
 */
#include "jit/memory/memory.h"

#include "jit/ops/ops.h"

static LLVMValueRef
load_pending(struct core *c)
{
    return core_load_field(c, c->in.block_ptr, FIELD(jit_block, pending),
                           LLVMPointerTypeInContext(c->e.context, 0));
}

/* Branches to a new block when the condition holds, to be left for *after. */
static void
when(struct core *c, LLVMValueRef condition, LLVMBasicBlockRef *after)
{
    LLVMBasicBlockRef then = core_new_block(c, "pending");
    *after = core_new_block(c, "not_pending");
    LLVMBuildCondBr(c->e.b, condition, then, *after);
    LLVMPositionBuilderAtEnd(c->e.b, then);
}

static void
leave(struct core *c, LLVMBasicBlockRef after)
{
    LLVMBuildBr(c->e.b, after);
    LLVMPositionBuilderAtEnd(c->e.b, after);
}

static void
flush_now(struct core *c)
{
    core_service(c, FIELD(jit_services, flush), LLVMVoidTypeInContext(c->e.context), &c->e.warp, 1);
}

void
core_combine_flush(struct core *c)
{
    LLVMBasicBlockRef some, none;
    if (!c->form.combines)
        return;
    LLVMValueRef pending = load_pending(c);
    when(c, LLVMBuildIsNotNull(c->e.b, pending, ""), &none);
    LLVMValueRef size = core_load_field(c, pending, FIELD(jit_pending, size), core_scalar(c, 64));
    when(c, LLVMBuildIsNotNull(c->e.b, size, ""), &some);
    flush_now(c);
    leave(c, some);
    leave(c, none);
}

void
core_combine_before(struct core *c, LLVMValueRef first, uint64_t bytes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMBasicBlockRef none, outside;
    if (!c->form.combines)
        return;
    LLVMValueRef pending = load_pending(c);
    when(c, LLVMBuildIsNotNull(b, pending, ""), &none);
    /* It is touched when first + bytes > base and first < base + size. */
    LLVMValueRef base = core_load_field(c, pending, FIELD(jit_pending, base), i64);
    LLVMValueRef size = core_load_field(c, pending, FIELD(jit_pending, size), i64);
    base = LLVMBuildSub(b, base, core_i64(c, bytes - 1), "");
    size = LLVMBuildAdd(b, size, core_i64(c, bytes - 1), "");
    LLVMValueRef touched;
    if (LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMVectorTypeKind) {
        LLVMValueRef at = LLVMBuildSub(b, first, core_splat(c, base), "");
        LLVMValueRef in = LLVMBuildICmp(b, LLVMIntULT, at, core_splat(c, size), "");
        touched = LLVMBuildIsNotNull(b, emit_mask_to_bits(&c->e, in), "");
    } else {
        touched = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, first, base, ""), size, "");
    }
    when(c, touched, &outside);
    flush_now(c);
    leave(c, outside);
    leave(c, none);
}

/* All lanes active and in the window, and not all at one place. */
static LLVMValueRef
is_fast(struct core *c, LLVMValueRef address, LLVMValueRef offset, LLVMValueRef size)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef all = core_i32(c, UINT32_MAX),
                 first = LLVMBuildExtractElement(b, address, core_i32(c, 0), "");
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, offset, core_splat(c, size), "");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, address, core_splat(c, first), "");
    inside = LLVMBuildAnd(b, emit_mask_to_bits(&c->e, inside), c->e.mask_bits, "");
    inside = LLVMBuildICmp(b, LLVMIntEQ, inside, all, "");
    same = LLVMBuildICmp(b, LLVMIntNE, emit_mask_to_bits(&c->e, same), all, "");
    return LLVMBuildAnd(b, inside, same, "");
}

static void
call_combine(struct core *c, LLVMValueRef address, LLVMValueRef x)
{
    LLVMValueRef room = core_alloca(c, core_vector(c, 64)),
                 values = core_alloca(c, core_vector(c, 32));
    LLVMBuildStore(c->e.b, address, room);
    LLVMBuildStore(c->e.b, x, values);
    LLVMValueRef args[] = {c->e.warp, c->e.mask_bits, room, values};
    core_service(c, FIELD(jit_services, combine), LLVMVoidTypeInContext(c->e.context), args, 4);
}

void
core_combine(struct core *c, const struct wir_insn *i, LLVMValueRef address, LLVMValueRef x)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMBasicBlockRef kept = core_new_block(c, "kept"), at_once = core_new_block(c, "at_once");
    LLVMBasicBlockRef fast = core_new_block(c, "fast"), slow = core_new_block(c, "slow");
    LLVMBasicBlockRef done = core_new_block(c, "combined");
    LLVMValueRef pending = load_pending(c);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, pending, ""), at_once, kept);

    LLVMPositionBuilderAtEnd(b, kept);
    LLVMValueRef base = core_load_field(c, pending, FIELD(jit_pending, base), i64);
    LLVMValueRef size = core_load_field(c, pending, FIELD(jit_pending, size), i64);
    LLVMValueRef offset = LLVMBuildSub(b, address, core_splat(c, base), "");
    LLVMBuildCondBr(b, is_fast(c, address, offset, size), fast, slow);

    LLVMPositionBuilderAtEnd(b, fast);
    LLVMValueRef sums = LLVMBuildPtrToInt(b, pending, i64, "");
    sums = LLVMBuildAdd(b, sums, core_i64(c, FIELD(jit_pending, sum)), "");
    emit_add_near(&c->e, sums, LLVMBuildTrunc(b, offset, core_vector(c, 16), ""), x);
    LLVMBuildBr(b, done);

    LLVMPositionBuilderAtEnd(b, slow);
    call_combine(c, address, x);
    LLVMBuildBr(b, done);

    LLVMPositionBuilderAtEnd(b, at_once);
    emit_atomic(&c->e, &i->i, address, false, &x, 1, NULL);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}
