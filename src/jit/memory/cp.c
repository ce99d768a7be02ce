/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/cp.c: cp.async, from one memory to another (PTX ISA 9.7.9.25): a load and a store; what of
 * the source is not there is zero.
 */
#include "jit/memory/memory.h"

/* Lanes whose source is shorter than the copy: byte by byte, on top of the others' words. */
static void
read_parts(struct site *s, LLVMValueRef size, LLVMValueRef lanes, LLVMValueRef *words)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef all = LLVMArrayType2(core_vector(c, 32), s->vec), i32 = core_scalar(c, 32);
    LLVMValueRef out = core_alloca(c, LLVMArrayType2(i32, LANES * 4)), room = core_alloca(c, all);
    LLVMValueRef from = core_alloca(c, core_vector(c, 64));
    LLVMValueRef sizes = core_alloca(c, core_vector(c, 64));
    LLVMBasicBlockRef read = core_new_block(c, "parts"), done = core_new_block(c, "copied");
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = core_i32(c, e);
        LLVMBuildStore(b, words[e], LLVMBuildGEP2(b, core_vector(c, 32), room, &at, 1, ""));
    }
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, lanes, core_i32(c, 0), ""), read, done);
    LLVMPositionBuilderAtEnd(b, read);
    LLVMBuildStore(b, site_lanes(s), from);
    LLVMBuildStore(b, size, sizes);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    LLVMTypeRef types[] = {i32, ptr, ptr, ptr}, type = LLVMFunctionType(none, types, 4, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, "lockstep_transfer_part");
    if (!f)
        f = LLVMAddFunction(c->e.module, "lockstep_transfer_part", type);
    LLVMValueRef args[] = {lanes, from, sizes, out};
    LLVMBuildCall2(b, type, f, args, 4, "");
    LLVMValueRef take = emit_bits_to_mask(&c->e, lanes);
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = 16 * l;
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef base = LLVMBuildPtrToInt(b, out, core_scalar(c, 64), "");
        LLVMValueRef at = core_spread(c, LLVMBuildAdd(b, base, core_i64(c, 4 * e), ""), lane);
        LLVMTypeRef vector = core_vector(c, 32);
        LLVMValueRef p = core_ptr(c, at), gather[] = {p, core_i32(c, 4), take, words[e]};
        LLVMTypeRef overloads[] = {vector, LLVMTypeOf(p)};
        LLVMValueRef v = emit_intrinsic(&c->e, "llvm.masked.gather", overloads, 2, gather, 4),
                     k = core_i32(c, e);
        LLVMBuildStore(b, v, LLVMBuildGEP2(b, vector, room, &k, 1, ""));
    }
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = core_i32(c, e);
        words[e] = LLVMBuildLoad2(b, core_vector(c, 32),
                                  LLVMBuildGEP2(b, core_vector(c, 32), room, &at, 1, ""), "");
    }
}

/* The words of the source; size: how many bytes of it there are, the rest is zero. */
static void
read_source(struct site *s, LLVMValueRef size, LLVMValueRef *words)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    if (!size) {
        site_load(s, words);
        for (unsigned e = 0; e < s->vec; e++) /* one address for all lanes gives one value */
            if (LLVMGetTypeKind(LLVMTypeOf(words[e])) != LLVMVectorTypeKind)
                words[e] = core_splat(c, words[e]);
        return;
    }
    LLVMValueRef whole = core_splat(c, core_i64(c, s->bytes * s->vec)), active = core_all_lanes(c);
    LLVMValueRef full = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntUGE, size, whole, ""), active, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, size, LLVMConstNull(core_vector(c, 64)), "");
    some = LLVMBuildAnd(b, LLVMBuildAnd(b, some, active, ""), LLVMBuildNot(b, full, ""), "");
    site_lanes(s);
    s->mask = full;
    s->base = NULL;
    s->firsts = NULL;
    s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
    site_load(s, words);
    for (unsigned e = 0; e < s->vec; e++)
        words[e] = LLVMBuildSelect(b, full, words[e], LLVMConstNull(core_vector(c, 32)), "");
    read_parts(s, size, emit_mask_to_bits(&c->e, some), words);
}

/* Announces one side of a copy, and keeps denied lanes from it. */
static void
announce_side(struct site *s, enum jit_access_op op)
{
    site_announce(s, op);
    if (!core_denied(s->c, s->i))
        return;
    s->lanes = site_allowed(s->c, s->i, site_lanes(s));
    s->base = NULL;
    s->firsts = NULL;
    s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
}

/* Sources shorter than the copy, announced in pieces of 8, 4, 2 and 1 bytes: tools are told one
 * size for all lanes. */
static void
announce_parts(struct site *s, LLVMValueRef size, uint64_t whole)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    if (!(s->i->tells & TELL_ACCESS))
        return;
    LLVMValueRef part = LLVMBuildICmp(b, LLVMIntULT, size, core_splat(c, core_i64(c, whole)), "");
    part = LLVMBuildAnd(b, part, core_all_lanes(c), "");
    for (uint64_t bytes = whole / 2; bytes; bytes /= 2) {
        LLVMValueRef bit = LLVMBuildAnd(b, size, core_splat(c, core_i64(c, bytes)), "");
        LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
        LLVMValueRef skip = LLVMBuildAnd(b, size, core_splat(c, core_i64(c, ~(2 * bytes - 1))), "");
        struct site t = {.c = c, .i = s->i, .bytes = (unsigned)bytes, .vec = 1};
        t.lanes = LLVMBuildAdd(b, site_lanes(s), skip, "");
        t.some = emit_mask_to_bits(&c->e, LLVMBuildAnd(b, some, part, ""));
        site_announce(&t, JIT_LOAD);
        LLVMValueRef denied = core_denied(c, s->i);
        LLVMValueRef kept = denied ? emit_bits_to_mask(&c->e, denied) : NULL;
        if (kept) /* what may not be read is not there */
            s->lanes = LLVMBuildSelect(b, kept, site_allowed(c, s->i, site_lanes(s)), s->lanes, "");
    }
}

bool
core_copy(struct core *c, const struct wir_insn *i, unsigned bytes, LLVMValueRef size)
{
    struct wir_insn from = *i, to = *i;
    from.i.space = i->i.space2;
    struct site s = {.c = c, .i = &from, .bytes = 4, .vec = bytes / 4, .align = 1};
    s.mask = core_mask(c);
    struct site d = s;
    LLVMValueRef words[4];
    d.i = &to;
    site_find(&s, &i->i.operand[1]);
    site_find(&d, &i->i.operand[0]);
    if (size) {
        LLVMValueRef whole = core_splat(c, core_i64(c, bytes));
        s.some = emit_mask_to_bits(
            &c->e, LLVMBuildAnd(c->e.b, core_all_lanes(c),
                                LLVMBuildICmp(c->e.b, LLVMIntUGE, size, whole, ""), ""));
    }
    announce_side(&s, JIT_LOAD);
    if (size)
        announce_parts(&s, size, bytes);
    read_source(&s, size, words);
    announce_side(&d, JIT_STORE);
    site_store(&d, words);
    return true;
}
