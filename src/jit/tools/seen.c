/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/seen.c: accesses that a tool need not be told of again (JIT_EVENT_SEEN). Mostly an access
 * is like the one before at its place: the same lanes, as far apart, aligned alike. A call that
 * finds so saves and restores all vector registers (10 to 20 ns); here a few scalars are compared,
 * a number is raised and a word appended to the warp's trace. Start with core_tell().
 */
#include "jit/tools/plan.h"

void
core_seen_begin(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    struct tools *t = c->tools;
    if (!t || !(t->events & JIT_EVENT_SEEN))
        return;
    LLVMValueRef warp = LLVMBuildZExt(b, c->in.warp_index, i64, "");
    LLVMValueRef stride = LLVMBuildZExt(b, c->in.local_stride, i64, "");
    t->seen = core_load_field(c, c->in.block_ptr, FIELD(jit_block, seen), ptr);
    t->batches = core_load_field(c, c->in.block_ptr, FIELD(jit_block, batches), ptr);
    t->seen_mask = core_load_field(c, c->in.block_ptr, FIELD(jit_block, seen_mask), i64);
    LLVMValueRef at = LLVMBuildMul(b, warp, core_i64(c, sizeof(struct jit_trace)), "");
    t->trace = core_load_field(c, c->in.block_ptr, FIELD(jit_block, trace), ptr);
    t->trace = LLVMBuildGEP2(b, core_scalar(c, 8), t->trace, &at, 1, "");
    /* A warp's lanes have a line for each word of their local memory. */
    LLVMValueRef lines = LLVMBuildMul(b, warp, LLVMBuildLShr(b, stride, core_i64(c, 2), ""), "");
    t->trace_local = core_load_field(c, c->in.block_ptr, FIELD(jit_block, trace_local), i64);
    t->trace_local = LLVMBuildAdd(b, t->trace_local, lines, "");
}

/* JIT_SEEN_LANES, i64. */
LLVMValueRef
core_seen_lanes(struct core *c, LLVMValueRef lanes)
{
    LLVMValueRef v = LLVMBuildMul(c->e.b, lanes, core_i32(c, 0x9e3779b1u), "");
    return LLVMBuildZExt(c->e.b, LLVMBuildLShr(c->e.b, v, core_i32(c, 27), ""), core_scalar(c, 64),
                         "");
}

/* The tool's struct for accesses from there. */
static LLVMValueRef
find_seen(struct core *c, LLVMValueRef at, LLVMValueRef lanes, uint32_t place)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef way = LLVMBuildLShr(b, at, core_i64(c, 2), "");
    way = LLVMBuildXor(b, way, core_seen_lanes(c, lanes), "");
    way = LLVMBuildAnd(b, way, core_i64(c, JIT_SEEN_WAYS - 1), "");
    way = LLVMBuildAdd(b, way, core_i64(c, (uint64_t)place * JIT_SEEN_WAYS), "");
    way = LLVMBuildMul(b, way, core_i64(c, sizeof(struct jit_seen)), "");
    return LLVMBuildGEP2(b, core_scalar(c, 8), c->tools->seen, &way, 1, "");
}

static LLVMValueRef
is_alike(struct core *c, const struct core_announced *t, LLVMValueRef pattern, LLVMValueRef seen,
         LLVMValueRef at)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), i1 = core_scalar(c, 1);
    uint64_t kind = JIT_SEEN_KIND(t->bytes, t->space, t->op);
    LLVMValueRef lanes =
        LLVMBuildOr(b, LLVMBuildZExt(b, t->lanes, i64, ""), core_i64(c, kind << 32), "");
    LLVMValueRef apart = t->apart ? t->apart : core_i64(c, 0);
    LLVMValueRef offset = LLVMBuildPtrToInt(b, pattern, i64, "");
    LLVMValueRef differ =
        LLVMBuildXor(b, at, core_load_field(c, seen, FIELD(jit_seen, base), i64), "");
    differ = LLVMBuildAnd(b, differ, core_load_field(c, seen, FIELD(jit_seen, mask), i64), "");
    const struct {
        size_t field;
        LLVMValueRef own;
    } more[] = {{FIELD(jit_seen, lanes), lanes},
                {FIELD(jit_seen, apart), apart},
                {FIELD(jit_seen, offset), offset}};
    for (int k = 0; k < 3; k++)
        differ = LLVMBuildOr(
            b, differ,
            LLVMBuildXor(b, more[k].own, core_load_field(c, seen, more[k].field, i64), ""), "");
    LLVMValueRef likely[] = {LLVMBuildICmp(b, LLVMIntEQ, differ, core_i64(c, 0), ""),
                             LLVMConstInt(i1, 1, false)};
    return emit_intrinsic(&c->e, "llvm.expect", &i1, 1, likely, 2);
}
_Static_assert(offsetof(struct jit_seen, kind) == offsetof(struct jit_seen, lanes) + 4,
               "read as one number");

/* Appends the word; where the trace is full, to `full`. */
static void
put_word(struct core *c, const struct core_announced *t, LLVMValueRef seen, LLVMValueRef at,
         LLVMBasicBlockRef full)
{
    enum { LINE_SHIFT = 7, WORD_SHIFT = 16, LOCAL_SHIFT = 2 };
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMBasicBlockRef put = core_new_block(c, "traced");
    LLVMValueRef to = core_load_field(c, c->tools->trace, FIELD(jit_trace, at), ptr);
    LLVMValueRef end = core_load_field(c, c->tools->trace, FIELD(jit_trace, end), ptr);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, to, end, ""), put, full);
    LLVMPositionBuilderAtEnd(b, put);
    LLVMValueRef line = t->local
                            ? LLVMBuildAdd(b, c->tools->trace_local,
                                           LLVMBuildLShr(b, at, core_i64(c, LOCAL_SHIFT), ""), "")
                            : LLVMBuildLShr(b, at, core_i64(c, LINE_SHIFT), "");
    LLVMValueRef word = LLVMBuildShl(b, line, core_i64(c, WORD_SHIFT), "");
    word = LLVMBuildOr(b, word, core_load_field(c, seen, FIELD(jit_seen, word), i64), "");
    LLVMBuildStore(b, word, to);
    LLVMValueRef one = core_i64(c, sizeof(uint64_t));
    core_store_field(c, c->tools->trace, FIELD(jit_trace, at),
                     LLVMBuildGEP2(b, core_scalar(c, 8), to, &one, 1, ""));
}

static void
call_tool(struct core *c, const struct core_announced *t, LLVMValueRef pattern)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    LLVMValueRef bytes = core_i32(c, t->bytes), space = core_i32(c, t->space),
                 op = core_i32(c, t->op);
    LLVMValueRef place = core_i32(c, t->place);
    LLVMValueRef whole[] = {c->e.warp, t->lanes, t->base, pattern, bytes, space, op, place};
    LLVMValueRef halves[] = {c->e.warp, t->lanes, t->base, t->apart, pattern,
                             bytes,     space,    op,      place};
    if (t->apart)
        core_service(c, FIELD(jit_services, halves), none, halves, 9);
    else
        core_service(c, FIELD(jit_services, pattern), none, whole, 8);
}

static void
tell_pattern(struct core *c, const struct core_announced *t, bool plain)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef pattern = site_pattern(c, t->pattern);
    if (plain || !(c->tools->events & JIT_EVENT_SEEN) || !emit_on(&c->e, PASS_REPEAT_FILTER) ||
        t->space == PTX_SPACE_NONE || (t->space == PTX_SPACE_LOCAL && !t->local)) {
        call_tool(c, t, pattern);
        return;
    }
    emit_fired(&c->e, PASS_REPEAT_FILTER, "compared with what was told before");
    LLVMValueRef at = t->local ? t->local : t->base, seen = find_seen(c, at, t->lanes, t->place);
    LLVMBasicBlockRef hit = core_new_block(c, "seen"), tell = core_new_block(c, "told"),
                      over = core_new_block(c, "counted");
    LLVMBuildCondBr(b, is_alike(c, t, pattern, seen, at), hit, tell);
    LLVMPositionBuilderAtEnd(b, hit);
    if (t->space == PTX_SPACE_GLOBAL || t->space == PTX_SPACE_LOCAL)
        put_word(c, t, seen, at, tell);
    LLVMValueRef times = core_load_field(c, seen, FIELD(jit_seen, times), i64);
    core_store_field(c, seen, FIELD(jit_seen, times), LLVMBuildAdd(b, times, core_i64(c, 1), ""));
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, tell);
    call_tool(c, t, pattern);
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, over);
}

/* Each lane's address. */
static void
tell_lanes(struct core *c, const struct core_announced *t)
{
    LLVMValueRef room = core_alloca(c, core_vector(c, 64));
    LLVMValueRef args[] = {c->e.warp,
                           t->lanes,
                           room,
                           core_i32(c, t->bytes),
                           core_i32(c, t->space),
                           core_i32(c, t->op),
                           core_i32(c, t->place)};
    LLVMBuildStore(c->e.b, t->each, room);
    core_service(c, FIELD(jit_services, access), LLVMVoidTypeInContext(c->e.context), args, 7);
}

static void
tell(struct core *c, const struct core_announced *t, bool plain)
{
    LLVMBuilderRef b = c->e.b;
    if (!t->holds) {
        tell_pattern(c, t, plain);
        return;
    }
    LLVMBasicBlockRef follow = core_new_block(c, "follow"), stray = core_new_block(c, "stray");
    LLVMBasicBlockRef over = core_new_block(c, "over");
    LLVMBuildCondBr(b, t->holds, follow, stray);
    LLVMPositionBuilderAtEnd(b, follow);
    tell_pattern(c, t, plain);
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, stray);
    tell_lanes(c, t);
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, over);
}

void
core_tell(struct core *c, const struct core_announced *t)
{
    tell(c, t, false);
}

void
core_tell_plain(struct core *c, const struct core_announced *t)
{
    tell(c, t, true);
}
