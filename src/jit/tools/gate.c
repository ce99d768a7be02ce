/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/gate.c: loads that need not be announced, in code with JIT_EVENT_GUARD. A call for each
 * load of a tiled product costs more than all its arithmetic: where the tool has opened the place's
 * gate (jit_gate), two comparisons and, in shared memory, a note of 32 bytes take its place. Lanes
 * with an address each are compared by their largest distance from the gate's first byte. Accesses
 * to shared memory that the tool expects (jit_block.expected) take one comparison with a note,
 * stores, too.
 */
#include "jit/tools/plan.h"

static LLVMValueRef
of_block(struct core *c, size_t field, LLVMTypeRef type)
{
    return core_load_field(c, c->in.block_ptr, field, type);
}

/* All bytes lie behind the gate, and the addresses are aligned. */
static LLVMValueRef
is_open(struct core *c, const struct core_gate *g, int32_t low, int32_t high)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef gates = of_block(c, FIELD(jit_block, gates), ptr);
    size_t at = sizeof(struct jit_gate) * (size_t)g->place;
    LLVMValueRef first = core_load_field(c, gates, at + FIELD(jit_gate, low), i64);
    LLVMValueRef args[] = {core_load_field(c, gates, at + FIELD(jit_gate, size), i64),
                           core_i64(c, (uint64_t)((int64_t)high - low))};
    LLVMValueRef room = emit_intrinsic(&c->e, "llvm.usub.sat", &i64, 1, args, 2);
    LLVMValueRef from = LLVMBuildAdd(b, g->base, core_i64(c, (uint64_t)(int64_t)low), "");
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, from, first, ""), room, "");
    LLVMValueRef odd = LLVMBuildAnd(b, g->base, core_i64(c, g->bytes - 1), "");
    return LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntEQ, odd, core_i64(c, 0), ""), "");
}

/* The same of the active ones of 32 addresses. What is not aligned is
 * turned into a large number. */
static LLVMValueRef
are_open(struct core *c, const struct core_gate *g)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), v64 = core_vector(c, 64);
    LLVMValueRef gates =
        of_block(c, FIELD(jit_block, gates), LLVMPointerTypeInContext(c->e.context, 0));
    size_t at = sizeof(struct jit_gate) * (size_t)g->place;
    LLVMValueRef first = core_load_field(c, gates, at + FIELD(jit_gate, low), i64);
    LLVMValueRef args[] = {core_load_field(c, gates, at + FIELD(jit_gate, size), i64),
                           core_i64(c, g->bytes)};
    LLVMValueRef room = emit_intrinsic(&c->e, "llvm.usub.sat", &i64, 1, args, 2);
    LLVMValueRef off = LLVMBuildSub(b, g->base, core_splat(c, first), "");
    LLVMValueRef shift = core_splat(c, core_i64(c, (uint64_t)__builtin_ctz(g->bytes)));
    LLVMValueRef turn[] = {off, off, shift};
    off = emit_intrinsic(&c->e, "llvm.fshr", &v64, 1, turn, 3);
    off = LLVMBuildSelect(b, emit_bits_to_mask(&c->e, g->lanes), off, LLVMConstNull(v64), "");
    LLVMValueRef most = emit_intrinsic(&c->e, "llvm.vector.reduce.umax", &v64, 1, &off, 1);
    room = LLVMBuildAdd(b, room, core_i64(c, g->bytes - 1), ""); /* in units, none left out */
    room = LLVMBuildLShr(b, room, core_i64(c, (uint64_t)__builtin_ctz(g->bytes)), "");
    return LLVMBuildICmp(b, LLVMIntULT, most, room, "");
}

/* Local memory: in bounds, aligned, and (loads) all its bytes written by all these lanes. */
static LLVMValueRef
is_written(struct core *c, const struct core_gate *g, LLVMValueRef *out_at)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef bits = LLVMVectorType(core_scalar(c, 32), g->bytes);
    LLVMValueRef written = of_block(c, FIELD(jit_block, local_written), ptr);
    LLVMValueRef stride = LLVMBuildZExt(b, c->in.local_stride, i64, ""),
                 args[] = {stride, core_i64(c, g->bytes - 1)};
    LLVMValueRef room = emit_intrinsic(&c->e, "llvm.usub.sat", &i64, 1, args, 2);
    LLVMValueRef good = LLVMBuildICmp(b, LLVMIntULT, g->local, room, "");
    LLVMValueRef odd = LLVMBuildAnd(b, g->local, core_i64(c, g->bytes - 1), "");
    good = LLVMBuildAnd(b, good, LLVMBuildICmp(b, LLVMIntEQ, odd, core_i64(c, 0), ""), "");
    good = LLVMBuildAnd(b, good, LLVMBuildIsNotNull(b, written, ""), "");
    LLVMValueRef at = LLVMBuildMul(b, LLVMBuildZExt(b, c->in.warp_index, i64, ""), stride, "");
    at = LLVMBuildAdd(b, at, LLVMBuildSelect(b, good, g->local, core_i64(c, 0), ""), "");
    *out_at = LLVMBuildGEP2(b, core_scalar(c, 32), written, &at, 1, "");
    if (g->store)
        return good;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b), look = core_new_block(c, "look"),
                      looked = core_new_block(c, "looked");
    LLVMBuildCondBr(b, good, look, looked);
    LLVMPositionBuilderAtEnd(b, look);
    LLVMValueRef seen = LLVMBuildLoad2(b, bits, *out_at, "");
    LLVMSetAlignment(seen, 4);
    LLVMValueRef all = emit_intrinsic(&c->e, "llvm.vector.reduce.and", &bits, 1, &seen, 1);
    LLVMValueRef missing = LLVMBuildAnd(b, LLVMBuildNot(b, all, ""), g->lanes, "");
    LLVMValueRef v[] = {good, LLVMBuildICmp(b, LLVMIntEQ, missing, core_i32(c, 0), "")};
    LLVMBuildBr(b, looked);
    LLVMPositionBuilderAtEnd(b, looked);
    LLVMBasicBlockRef of[] = {from, look};
    LLVMValueRef both = LLVMBuildPhi(b, core_scalar(c, 1), "");
    LLVMAddIncoming(both, v, of, 2);
    return both;
}

static void
note_written(struct core *c, const struct core_gate *g, LLVMValueRef at)
{
    LLVMTypeRef bits = LLVMVectorType(core_scalar(c, 32), g->bytes);
    LLVMValueRef old = LLVMBuildLoad2(c->e.b, bits, at, "");
    LLVMSetAlignment(old, 4);
    LLVMValueRef lanes = LLVMGetUndef(bits);
    for (unsigned k = 0; k < g->bytes; k++)
        lanes = LLVMBuildInsertElement(c->e.b, lanes, g->lanes, core_i32(c, k), "");
    LLVMSetAlignment(LLVMBuildStore(c->e.b, LLVMBuildOr(c->e.b, old, lanes, ""), at), 4);
}

static LLVMValueRef
has_room(struct core *c)
{
    LLVMTypeRef i64 = core_scalar(c, 64);
    return LLVMBuildICmp(c->e.b, LLVMIntNE, of_block(c, FIELD(jit_block, note), i64),
                         of_block(c, FIELD(jit_block, note_end), i64), "");
}

static void
write_note(struct core *c, const struct core_gate *g)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef note = of_block(c, FIELD(jit_block, note), ptr);
    core_store_field(c, note, FIELD(jit_note, base), g->base);
    core_store_field(c, note, FIELD(jit_note, offset), g->offset);
    core_store_field(c, note, FIELD(jit_note, warp), c->e.warp);
    core_store_field(c, note, FIELD(jit_note, lanes), g->lanes);
    core_store_field(c, note, FIELD(jit_note, place), core_i32(c, g->place));
    LLVMValueRef size = core_i64(c, sizeof(struct jit_note));
    LLVMValueRef next = LLVMBuildGEP2(c->e.b, core_scalar(c, 8), note, &size, 1, "");
    core_store_field(c, c->in.block_ptr, FIELD(jit_block, note), next);
}

static LLVMValueRef
differ(struct core *c, LLVMValueRef note, size_t field, LLVMValueRef from)
{
    LLVMTypeRef type = LLVMTypeOf(from), i64 = core_scalar(c, 64);
    LLVMValueRef own = core_load_field(c, note, field, type);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        own = LLVMBuildPtrToInt(c->e.b, own, i64, "");
        from = LLVMBuildPtrToInt(c->e.b, from, i64, "");
    }
    return LLVMBuildZExt(c->e.b, LLVMBuildXor(c->e.b, own, from, ""), i64, "");
}

static LLVMValueRef
likely(struct core *c, LLVMValueRef condition)
{
    LLVMTypeRef i1 = core_scalar(c, 1);
    LLVMValueRef args[] = {condition, LLVMConstInt(i1, 1, false)};
    return emit_intrinsic(&c->e, "llvm.expect", &i1, 1, args, 2);
}

/* The access that comes next, if it is: to `over`. If another one is expected: to `tell`. Goes on
 * where none is. */
static void
follow(struct core *c, const struct core_gate *g, LLVMBasicBlockRef over, LLVMBasicBlockRef tell)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMBasicBlockRef next = core_new_block(c, "as_expected"),
                      other = core_new_block(c, "unexpected");
    LLVMBasicBlockRef idle = core_new_block(c, "none_expected");
    LLVMValueRef note = of_block(c, FIELD(jit_block, expected), ptr);
    LLVMValueRef place = core_i32(c, g->place | (g->store ? JIT_NOTE_STORE : 0));
    LLVMValueRef d = differ(c, note, FIELD(jit_note, base), g->base);
    d = LLVMBuildOr(b, d, differ(c, note, FIELD(jit_note, offset), g->offset), "");
    d = LLVMBuildOr(b, d, differ(c, note, FIELD(jit_note, warp), c->e.warp), "");
    d = LLVMBuildOr(b, d, differ(c, note, FIELD(jit_note, lanes), g->lanes), "");
    d = LLVMBuildOr(b, d, differ(c, note, FIELD(jit_note, place), place), "");
    LLVMBuildCondBr(b, likely(c, LLVMBuildIsNull(b, d, "")), next, other);
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef size = core_i64(c, sizeof(struct jit_note));
    core_store_field(c, c->in.block_ptr, FIELD(jit_block, expected),
                     LLVMBuildGEP2(b, core_scalar(c, 8), note, &size, 1, ""));
    core_store_field(c, c->e.warp, FIELD(jit_warp, denied), core_i32(c, 0));
    if (g->store)
        core_store_field(c, c->e.warp, FIELD(jit_warp, values), LLVMConstNull(ptr));
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, other);
    LLVMValueRef none =
        LLVMBuildIsNull(b, core_load_field(c, note, FIELD(jit_note, warp), ptr), "");
    LLVMBuildCondBr(b, none, idle, tell);
    LLVMPositionBuilderAtEnd(b, idle);
}

LLVMBasicBlockRef
core_gate(struct core *c, const struct core_gate *g)
{
    LLVMBuilderRef b = c->e.b;
    bool shared = g->space == PTX_SPACE_SHARED;
    int32_t low = g->pattern ? INT32_MAX : 0, high = g->pattern ? INT32_MIN : 0;
    bool lanes = LLVMGetTypeKind(LLVMTypeOf(g->base)) == LLVMVectorTypeKind;
    bool device = g->space == PTX_SPACE_GLOBAL || g->space == PTX_SPACE_CONST,
         local = g->local != NULL;
    if (!emit_on(&c->e, PASS_ACCESS_FILTER) || !(device || local || (shared && !lanes)) ||
        (g->store && !local && !shared) || (g->bytes & (g->bytes - 1)))
        return NULL;
    for (unsigned l = 0; g->pattern && l < LANES; l++) {
        if (g->pattern[l] & (int32_t)(g->bytes - 1))
            return NULL;
        low = g->pattern[l] < low ? g->pattern[l] : low;
        high = g->pattern[l] > high ? g->pattern[l] : high;
    }
    emit_fired(&c->e, PASS_ACCESS_FILTER, "%s memory",
               shared  ? "shared"
               : local ? "local"
                       : "global or constant");
    LLVMBasicBlockRef tell = core_new_block(c, "announced"), over = core_new_block(c, "checked");
    LLVMValueRef at = NULL, open;
    if (shared)
        follow(c, g, over, tell);
    if (shared && g->store) {
        LLVMBuildBr(b, tell);
        LLVMPositionBuilderAtEnd(b, tell);
        return over;
    }
    LLVMBasicBlockRef pass = core_new_block(c, "passes");
    if (local)
        open = is_written(c, g, &at);
    else
        open = lanes ? are_open(c, g) : is_open(c, g, low, high + (int32_t)g->bytes);
    if (shared)
        open = LLVMBuildAnd(b, open, has_room(c), "");
    LLVMBuildCondBr(b, likely(c, open), pass, tell);
    LLVMPositionBuilderAtEnd(b, pass);
    if (shared)
        write_note(c, g);
    if (g->store)
        note_written(c, g, at);
    core_store_field(c, c->e.warp, FIELD(jit_warp, denied), core_i32(c, 0));
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, tell);
    return over;
}
